# Sourced by the other scripts: goes to the project's root and offers `ensure_env EXTRAS`.
#
#   GAMMON_RL_VENV         where the environment lives (default: .venv)
#   GAMMON_RL_CONSTRAINTS  versions to install, a pip constraints file (default: constraints.txt; /dev/null for none)
#   GAMMON_RL_PYTHON       the Python that makes the environment (default: the first on the path that is new enough)
#
# Relative paths, arguments of the scripts included, count from the project's root.

CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
VENV=${GAMMON_RL_VENV:-.venv}
CONSTRAINTS=${GAMMON_RL_CONSTRAINTS:-constraints.txt}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

fail() {
    echo "$1" >&2
    exit 1
}

find_python() {
    # python3 leads: it is the one its owner chose; the numbered ones help where it is too old.
    local candidate names=(python3 python3.14 python3.13 python3.12 python3.11 python)
    if [ -n "${GAMMON_RL_PYTHON:-}" ]; then names=("$GAMMON_RL_PYTHON"); fi
    for candidate in "${names[@]}"; do
        if new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    fail "gammon_rl needs Python 3.11 or newer; found none as ${names[*]}; set GAMMON_RL_PYTHON=/path/to/python3"
}

# All an installation depends on; an environment whose stamp says otherwise is installed anew. The folder is
# part of it, since an environment and an editable install both remember where they were made.
installation() {
    pwd
    echo "$VENV"
    "$VENV/bin/python" --version
    cat pyproject.toml "$CONSTRAINTS"
}

# Whether the environment runs this folder's code, and not a copy that was installed over it since.
runs_this_folder() {
    local script='from importlib.util import find_spec; print(find_spec("gammon_rl").origin)'
    [ "$("$VENV/bin/python" -Ic "$script" 2>/dev/null)" -ef gammon_rl/__init__.py ]
}

# Make the environment if there is none and bring the project with EXTRAS ("train" or "train,dev") into it.
ensure_env() {
    local python stamp extra wanted current=yes quiet=--quiet
    [ -r "$CONSTRAINTS" ] || fail "cannot read the constraints file $CONSTRAINTS"
    if [ ! -e "$VENV/bin/pip" ]; then  # the last thing venv makes, so one cut short is made again
        python=$(find_python)
        "$python" -m venv "$VENV" || fail "cannot make an environment in $VENV with $python (on Debian: apt install python3-venv)"
    fi
    new_enough "$VENV/bin/python" || fail "the Python in $VENV does not run or is older than 3.11; remove $VENV and try again"

    wanted=$(installation)
    for extra in ${1//,/ }; do
        stamp=$VENV/.gammon-rl-$extra
        if [ ! -r "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then current=no; fi
    done
    if [ "$current" = yes ] && runs_this_folder; then return; fi

    echo "Installing gammon_rl[$1] in $VENV (a few minutes the first time)"
    if [ -t 1 ]; then quiet=''; fi
    "$VENV/bin/python" -m pip install ${quiet:+"$quiet"} -c "$CONSTRAINTS" -e ".[$1]"
    for extra in ${1//,/ }; do
        echo "$wanted" >"$VENV/.gammon-rl-$extra"
    done
}
