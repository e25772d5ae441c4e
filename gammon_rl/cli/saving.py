"""Keeps a game in a file while it is played, so that no Ctrl-C, kill or crash can lose it.

A file is written whole after every action, and the one before it is kept beside it. Files lie in the folder `folder`
names unless another one is asked for, one for each game or match.
"""

import contextlib
import itertools
import json
import os
import re
import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from gammon_rl.errors import GammonError, TableError
from gammon_rl.table.mat import read_mat, to_mat
from gammon_rl.table.options import Seat
from gammon_rl.table.table import FORMAT as TABLE_FORMAT, VERSION as TABLE_VERSION, Table
from gammon_rl.writing import held, own_folder, write_whole

FOLDER_VARIABLE: Final = "GAMMON_RL_STATE"
_FORMAT: Final = "gammon_rl game"
_VERSION: Final = 1
_KINDS: Final = (".json", ".mat")
_OWN_NAME: Final = re.compile(r"\d{4}-\d\d-\d\d-\d{6}(-\d+)?\.json")
_FINISHED_KEPT: Final = 20


class _DamagedError(TableError):
    """A file that is gone, or that nobody can read any more: the one before it may be used in its place."""


@dataclass(frozen=True)
class Saved:
    """What a file holds.

    Attributes
    ----------
    table : Table
        The table.
    model : str or None
        The model of the bots; None is the released one.
    path : Path
        The file that was asked for.
    content : bytes
        The text that was read.
    remark : str
        What there is to say about the file: why the one before it had to be taken. Empty if nothing.
    """

    table: Table
    model: str | None
    path: Path
    content: bytes
    remark: str = ""


class Keeper:
    """Writes a table to its file after every action.

    Parameters
    ----------
    path : Path
        The file.
    model : str, optional
        The model of the bots, to be found again.
    before : bytes, optional
        What the file holds already, when a game is continued.
    """

    def __init__(self, path: Path, model: str | None = None, before: bytes | None = None) -> None:
        self.path = path
        self._model, self._before = model, before
        self._begun_here = before is None
        if before is not None:
            self._tidy()

    def keep(self, table: Table) -> None:
        """Write the table; what was written before is kept in the second file.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        content = as_bytes(table, self._model)
        if content != self._before:
            if self._before is not None:
                write_whole(previous(self.path), self._before)
            write_whole(self.path, content)
            self._before = content

    @property
    def holds_something(self) -> bool:
        """Whether anything has been written that the game can go on from."""
        return self._before is not None

    @property
    def command(self) -> str:
        """The command that goes on with the game."""
        return going_on(None if self.path.parent == folder() else self.path)

    def forget(self) -> bool:
        """Remove the files of a game that was begun here, and so far is worth none; tell whether they are gone."""
        if not self._begun_here:
            return False
        try:
            delete(self.path)
        except OSError:  # the folder cannot be changed any more
            return False
        return True

    def _tidy(self) -> None:
        """Remove what a kill in the middle of writing has left behind."""
        with contextlib.suppress(OSError):
            for path in self.path.parent.iterdir():
                if path.name.startswith(f".{self.path.name}.") and path.suffix == ".tmp":
                    path.unlink(missing_ok=True)


def going_on(path: Path | None = None) -> str:
    """Return the command that goes on with a game: the last one, or the one in a file."""
    if path is None:
        return "gammon-rl play --continue"
    return f"gammon-rl play --continue --save {shlex.quote(path.name if path.parent == folder() else str(path))}"


def as_bytes(table: Table, model: str | None = None) -> bytes:
    """Return what is written for a table."""
    about = {"format": _FORMAT, "version": _VERSION, "over": table.is_over, "model": model}
    head = json.dumps(about, separators=(",", ":"))
    return f'{head[:-1]},"table":{table.to_json()}}}\n'.encode()


def folder() -> Path:
    """Return where games are kept: ``$GAMMON_RL_STATE``, or ``gammon-rl`` in the user's folder for state."""
    return own_folder(FOLDER_VARIABLE, "state")


def named(text: str) -> Path:
    """Return the path that a person means; of a link, the file behind it.

    Raises
    ------
    TableError
        If it can be no file's.
    """
    try:
        path = Path(text).expanduser()
        os.fsencode(path)
    except RuntimeError as error:  # there is no such user
        raise TableError(f"{text}: {error}") from None
    except UnicodeEncodeError:
        raise TableError(f"{text!r}: there are no such letters in the names of files here") from None
    if path.name in ("", ".", "..") or "\0" in text:
        raise TableError(f"{text!r} is no name of a file")
    return _behind(path)


def kept(text: str) -> Path:
    """Return the file of a game that a person means: by its path, or by its name in the folder where games are kept.

    The ``.json`` at the end may be left out.
    """
    path = named(text)
    places = (path, _behind(folder() / path)) if len(path.parts) == 1 else (path,)
    meant = (place.with_name(place.name + end) for place in places for end in ("", ".json"))
    return _behind(next((one for one in meant if _is_there(one)), path))


def place(text: str) -> Path:
    """Return the path that a person means to write a game to.

    Raises
    ------
    TableError
        If there can be no such file: by its name, or by what is there.
    """
    path = named(text)
    try:
        if path.is_dir():
            raise TableError(f"{path} is a folder; expected the name of a file")
        if path.suffix.casefold() not in _KINDS:
            raise TableError(f"{path}: expected a name that ends in .json or .mat")
        if not path.parent.is_dir() and path.parent != folder():  # our own is made when it is needed
            raise TableError(f"{path}: the folder {path.parent} does not exist")
    except OSError as error:
        raise TableError(f"{str(path)[:60]}: {error.strerror or error}") from None
    return path


def _behind(path: Path) -> Path:
    """Return the file behind a link, which is the one to hold and to write; any other path as it is."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path


def _is_there(path: Path) -> bool:
    """Return whether a game can be read there, the one before it counted."""
    try:
        return path.exists() or previous(path).exists()
    except OSError:
        return False


@contextlib.contextmanager
def fresh() -> Iterator[Path]:
    """Hold a file for a new game, named after the time."""
    name = time.strftime("%Y-%m-%d-%H%M%S")
    for number in itertools.count(1):
        path = folder() / f"{name}{f'-{number}' * (number > 1)}.json"
        with in_use(path) as mine:
            if mine and not any(os.path.lexists(one) for one in (path, previous(path))):
                yield path
                return


def previous(path: Path) -> Path:
    """Return the file with what was written before."""
    return path.with_name(f"{path.name}.previous")


def delete(path: Path) -> None:
    """Remove the files of a game."""
    for one in (path, previous(path)):
        one.unlink(missing_ok=True)


def is_open(path: Path) -> bool:
    """Return whether a game is being played in another terminal."""
    with in_use(path) as mine:
        return not mine


def clear_up() -> None:
    """Remove finished games that were named after the time, but for the last twenty."""
    ours = (path for path in _all_kept() if path.parent == folder() and _OWN_NAME.fullmatch(path.name))
    finished = [path for path in ours if _is_over(path)]
    with contextlib.suppress(OSError):
        for path in finished[_FINISHED_KEPT:]:
            if not is_open(path):
                delete(path)


@contextlib.contextmanager
def in_use(path: Path) -> Iterator[bool]:
    """Hold a game's file while it is played; tell whether another terminal has it."""
    lock = path.with_name(f".{path.name}.lock")
    with contextlib.ExitStack() as stack:
        try:
            mine = stack.enter_context(held(lock))
        except OSError:  # nothing can be written there: whoever keeps the game says so
            mine = True
        try:
            yield mine
        finally:
            if mine:
                with contextlib.suppress(OSError):
                    lock.unlink()


def unfinished() -> Path | None:
    """Return the file of the unfinished game that was played last and is open in no other terminal, if there is one."""
    return next((path for path in all_unfinished() if not is_open(path)), None)


def all_unfinished() -> Iterator[Path]:
    """Yield the files of all unfinished games where games are kept, the one that was played last first."""
    return (path for path in _all_kept() if not _is_over(path))


def _all_kept() -> list[Path]:
    """Return the files of all games where games are kept, the one that was played last first."""
    names = {path.with_name(path.name.removesuffix(".previous")) for path in folder().glob("*.json*")}
    found = {_behind(path) for path in names if path.suffix == ".json" and last_written(path)}
    return sorted(found, key=last_written, reverse=True)


def last_written(path: Path) -> float:
    """Return when a game was last written, in seconds as `time.time` counts them; 0 if nothing of it can be had."""
    last = 0.0
    for one in (path, previous(path)):
        with contextlib.suppress(OSError):
            last = max(last, one.stat().st_mtime) if one.is_file() else last
    return last


def _is_over(path: Path) -> bool:
    """Return whether a file tells of a game that is over; a damaged one may not be."""
    try:
        return json.loads(path.read_bytes())["over"] is True
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def export(path: Path, table: Table, model: str | None = None) -> None:
    """Write a table to a file of the person's choice: ``.mat`` by its name, else JSON.

    Raises
    ------
    GammonError
        If a ``.mat`` file cannot hold it, or it cannot be written.
    """
    content = to_mat(table).encode() if is_mat(path) else as_bytes(table, model)
    try:
        write_whole(path, content)
    except OSError as error:
        raise TableError(f"cannot write {path}: {error.strerror or error}") from None


def is_mat(path: Path) -> bool:
    """Whether a file is a ``.mat`` file, by its name."""
    return path.suffix.casefold() == ".mat"


def by_hand(table: Table) -> bool:
    """Return whether the dice of a table are entered by hand."""
    dice: Any = json.loads(table.to_json())["dice"]
    return bool(dice["type"] == "hand")


def read(path: Path, seats: tuple[Seat, Seat] | None = None) -> Saved:
    """Read a game from its file or, where that is damaged or gone, what was written before.

    A file of another version is not damaged, nor is one that cannot be read now: both may have what is needed.

    Parameters
    ----------
    path : Path
        One of `Keeper`, a table as JSON, or a ``.mat`` file.
    seats : two Seats, optional
        Who goes on with a ``.mat`` file, which knows names only.

    Raises
    ------
    GammonError
        If neither can be used; the message says what is wrong.
    """
    if is_mat(path):
        return _read_mat(path, seats)
    try:
        return _read(path, path)
    except _DamagedError as error:
        before = previous(path)
        if not before.exists():
            raise
        reason = str(error)
    try:
        saved = _read(before, path)
    except TableError as error:
        raise TableError(f"{reason}; and {error}") from None
    remark = f"{reason}. The one before it is used: the last action may be missing."
    return replace(saved, remark=remark)


def _read(path: Path, asked: Path) -> Saved:
    content = _content(path)
    try:
        data: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise _DamagedError(f"{path} is damaged or no saved game ({reason})") from None
    model = None
    if isinstance(data, dict) and data.get("format") == _FORMAT:
        _refuse_other_versions(path, data, _VERSION)
        model, data = data.get("model"), data.get("table")
        if not isinstance(model, str | None):
            raise _DamagedError(f"{path} is damaged: its model should be a name, got {model!r}")
    if isinstance(data, dict) and data.get("format") == TABLE_FORMAT:
        _refuse_other_versions(path, data, TABLE_VERSION)
    try:
        table = Table.from_json(json.dumps(data))
    except TableError as error:
        raise _DamagedError(f"{path}: {error}") from None
    return Saved(table, model, asked, content)


def _refuse_other_versions(path: Path, data: dict[str, Any], version: int) -> None:
    if data.get("version") != version:
        raise TableError(f"{path} has version {data.get('version')!r}; version {version} can be read")


def _read_mat(path: Path, seats: tuple[Seat, Seat] | None) -> Saved:
    content = _content(path)
    try:
        first, *_ = read_mat(content)
        record = first.record if seats is None else replace(first.record, seats=seats)
        return Saved(Table.replay(record), None, path, content)
    except GammonError as error:
        raise TableError(f"{path}: {error}") from None


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        kind = _DamagedError if isinstance(error, FileNotFoundError) else TableError
        raise kind(f"cannot read {path}: {error.strerror or error}") from None
