"""Files of our own: where they lie, written whole or not at all, and held by one process at a time."""

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Literal

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

_FOLDERS: Final = {  # by kind: Windows, macOS, elsewhere the variable and what stands in for it
    "state": ("~/AppData/Local", "~/Library/Application Support", "XDG_STATE_HOME", "~/.local/state"),
    "cache": ("~/AppData/Local", "~/Library/Caches", "XDG_CACHE_HOME", "~/.cache"),
}


def own_folder(variable: str, kind: Literal["state", "cache"]) -> Path:
    """Return the folder that an environment variable names, or ours among the user's folders of a kind.

    Where there is no home folder, as for a user without an account in a container, it is one for passing files.
    """
    windows, mac, other, otherwise = _FOLDERS[kind]
    if sys.platform == "win32":
        usual = os.environ.get("LOCALAPPDATA") or windows
    else:
        usual = mac if sys.platform == "darwin" else os.environ.get(other) or otherwise
    chosen = os.environ.get(variable)
    try:
        return Path(chosen).expanduser() if chosen else Path(usual).expanduser() / "gammon-rl"
    except RuntimeError:
        return Path(tempfile.gettempdir()) / "gammon-rl"


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write: a reader finds the old content or all of the new one, whatever happens in between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file at once; see `written_whole`."""
    with written_whole(path) as file:
        file.write(content)


@contextmanager
def held(lock: Path) -> Iterator[bool]:
    """Hold a lock file as long as this process lives; tell whether it could be had, or another process has it."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "wb") as file:
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
