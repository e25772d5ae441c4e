"""The command line: thin commands over the library; heavy imports happen inside them."""

import os
import sys

import typer

from gammon_rl import __version__
from gammon_rl.cli.analyse import analyse
from gammon_rl.cli.arena import arena
from gammon_rl.cli.bearoff import bearoff
from gammon_rl.cli.bench import bench
from gammon_rl.cli.evaluate import evaluate
from gammon_rl.cli.external import external
from gammon_rl.cli.play import play
from gammon_rl.cli.regret import regret
from gammon_rl.cli.rollout import rollout
from gammon_rl.cli.serve import serve
from gammon_rl.cli.solve import solve
from gammon_rl.cli.train import export, train
from gammon_rl.cli.ubgi import ubgi
from gammon_rl.cli.watch import watch
from gammon_rl.errors import GammonError

# One thread a process: the matrices are small, and more cores are used by more processes. Read when NumPy loads.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

app = typer.Typer(
    name="gammon-rl",
    help="Backgammon: train an evaluator, play it, measure it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


for _name, _command in (
    ("play", play),
    ("watch", watch),
    ("train", train),
    ("export", export),
    ("arena", arena),
    ("eval", evaluate),
    ("analyse", analyse),
    ("rollout", rollout),
    ("bearoff", bearoff),
    ("solve", solve),
    ("regret", regret),
    ("bench", bench),
    ("serve", serve),
    ("ubgi", ubgi),
    ("external", external),
):
    app.command(_name)(_command)


def main() -> None:
    """Run the command line; what the user got wrong is one line and exit code 2."""
    try:
        code = app(standalone_mode=False)
    except GammonError as error:
        _refuse(str(error))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has read enough
        sys.exit(1)
    except OSError as error:
        _refuse(f"{error}")
    except Exception as error:
        if not hasattr(error, "format_message"):  # anything but a wrong option or argument is our own fault
            raise
        _refuse(error.format_message() or "no command; --help lists them")
    sys.exit(code if isinstance(code, int) else 0)


def _refuse(message: str) -> None:
    line = " ".join(message.split())
    print("gammon-rl: " + (line if len(line) < 500 else f"{line[:480]} ..."), file=sys.stderr)
    sys.exit(2)
