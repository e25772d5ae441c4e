"""GNU Backgammon as an arena player: another process, asked over its external-player socket.

GNU Backgammon is licensed under the GPL and is no part of this project; nothing of it is imported. Where it is
installed, ``gnubg -t -q -r`` is started with an empty home of its own, told to choose by cubeless money equity,
and handed one FIBS board line at a time; it answers with the steps of its play.
"""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from gammon_rl.errors import PlayerUnavailableError
from gammon_rl.rules.board import MY_BAR, OFF, turn
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.steps import Step, moved
from gammon_rl.rules.variants import Boards

MAX_PLY: Final = 4  # as deep as its own move filters reach

# Left alone, it would choose by its cubeful equity at 2-ply, under the Jacoby rule. (In 1.07 Jacoby has no say in
# cubeless choices, which need not be so in others.) The rest are its defaults, said so that they hold in any version.
# Its move filters (up to 8 candidates within 0.16) and bear-off databases are part of its strength and stay.
_SETTINGS: Final = """\
set evaluation chequerplay type evaluation
set evaluation chequerplay evaluation plies {ply}
set evaluation chequerplay evaluation cubeful off
set evaluation chequerplay evaluation prune on
set evaluation chequerplay evaluation noise 0
set jacoby off
set threads 1
external {socket}
"""
_SOCKET: Final = "gnubg.socket"

# Two names; match length 0 (money) and no score; the 26 points; turn 1; the dice, as mine and as theirs; a centred
# cube of 1; colour 1 moving in direction -1, so that our board can be sent as it is: the mover's counts positive,
# moving from 24 down to 1; where home and bar are; men off and on the bar, which it works out for itself; flags.
_BOARD_LINE: Final = "board:me:you:0:0:0:" + "%d:" * 26 + "1:%d:%d:%d:%d:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0\n"

_RUN: Final = re.compile(r"((?:\d+|bar)(?:\*?/(?:\d+|off))+)\*?(?:\(([1-4])\))?\*?", re.ASCII)
_ENDS: Final = {"bar": MY_BAR, "off": OFF}


class GnubgPlayer:
    """GNU Backgammon choosing cubeless money plays in standard backgammon, without noise.

    Equal boards and dice give equal plays. Each instance is a process of its own, so several may play at the same
    time; one instance belongs to one thread. The engine ends when the player is closed, and by itself when this
    process is gone, however it ended.

    Parameters
    ----------
    ply : int
        Its lookahead, 0 to 4. Each further ply costs it some twenty times more.
    executable : str, optional
        The program to start; by default the one `find_gnubg` finds.
    timeout : float
        Seconds to wait for its start, and for each answer, before giving it up.

    Attributes
    ----------
    name : str
        ``gnubg@`` and the ply.

    Raises
    ------
    PlayerUnavailableError
        If it is not installed or does not start.
    """

    def __init__(self, ply: int = 0, *, executable: str | None = None, timeout: float = 60.0) -> None:
        if not 0 <= ply <= MAX_PLY:
            raise PlayerUnavailableError(f"gnubg plays at ply 0 to {MAX_PLY}, got {ply}")
        self.name = f"gnubg@{ply}"
        self._process, self._socket = _start(executable or find_gnubg(), ply, timeout)

    def choose(self, boards: Boards, dice: NDArray[np.integer[Any]]) -> Boards:
        """Return the afterstates of the plays it chooses.

        Parameters
        ----------
        boards : int8 (N, 26)
            Boards seen by the player on roll, the games still going on.
        dice : int (N, 2)
            The roll for each board.

        Returns
        -------
        int8 (N, 26)
            Afterstates, turned; the turned board where nothing can be played.

        Raises
        ------
        PlayerUnavailableError
            If the engine has ended, does not answer in time, or answers what is not a legal play. The player is
            closed then.
        """
        after = boards.tolist()
        try:
            for row, roll in enumerate(dice.tolist()):
                for step in _steps(self._ask(_board_line(after[row], roll))):
                    after[row] = moved(after[row], step)
            afterstates = turn(np.array(after, dtype=np.int8).reshape(-1, 26))
            _check_legal(boards, dice, afterstates)
        except BaseException:
            self.close()  # an answer may still be on its way, and would be taken for the next one
            raise
        return afterstates

    def _ask(self, line: bytes) -> str:
        """Send one line and return the one line it answers."""
        # One at a time: it throws away what comes after a line in its read buffer. Nearly all of the time is spent
        # in its evaluations anyway.
        if self._socket.fileno() < 0:
            raise PlayerUnavailableError(f"{self.name} is closed")
        answer = b""
        try:
            self._socket.sendall(line)
            while not answer.endswith(b"\n"):
                part = self._socket.recv(4096)
                if not part:
                    raise PlayerUnavailableError(f"{self.name} ended before it answered")
                answer += part
        except TimeoutError:
            raise PlayerUnavailableError(f"{self.name} did not answer within {self._socket.gettimeout():g} s") from None
        except OSError as error:
            raise PlayerUnavailableError(f"{self.name} ended before it answered: {error.strerror}") from error
        return answer.decode("ascii", "replace")

    def close(self) -> None:
        """End the engine; a second call does nothing."""
        self._socket.close()
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def find_gnubg() -> str:
    """Return the path of the GNU Backgammon program on this machine.

    It is the one the environment variable GNUBG names, else ``gnubg`` on the PATH, else ``/usr/games/gnubg``.

    Raises
    ------
    PlayerUnavailableError
        If there is none, or GNUBG names something that is not a program.
    """
    named = os.environ.get("GNUBG")
    found = shutil.which(named) if named else shutil.which("gnubg") or shutil.which("/usr/games/gnubg")
    if found:
        return found
    if named:
        raise PlayerUnavailableError(f"the environment variable GNUBG is {named!r}, which is not a program")
    raise PlayerUnavailableError(
        "GNU Backgammon is not installed: install the package gnubg (apt install gnubg, brew install gnubg) "
        "or name the program in the environment variable GNUBG"
    )


def _start(executable: str, ply: int, timeout: float) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start the engine and return it, and the socket connected to it; its home is already removed again.

    The home holds the socket and whatever the engine writes when it starts. When a connection ends, the engine
    listens anew under the same name; with the directory gone it cannot, goes on to its next command, finds none
    and exits. So it does not outlive us, and leaves no file behind.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise PlayerUnavailableError("gnubg is reached over a Unix domain socket, which this system has not")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}  # it embeds its own Python
    with tempfile.TemporaryDirectory(prefix="gnubg-", ignore_cleanup_errors=True) as home:
        commands, log = Path(home, "commands"), Path(home, "log")
        commands.write_text(_SETTINGS.format(ply=ply, socket=_SOCKET))
        try:
            with commands.open("rb") as stdin, log.open("wb") as stdout:
                process = subprocess.Popen(
                    [executable, "-t", "-q", "-r"],
                    stdin=stdin,
                    stdout=stdout,
                    stderr=subprocess.STDOUT,
                    cwd=home,
                    env=environment | {"HOME": home, "LC_ALL": "C"},
                    start_new_session=True,  # Ctrl-C at our terminal is ours to answer
                )
        except OSError as error:
            raise PlayerUnavailableError(f"{executable} does not start: {error.strerror}") from error
        try:
            return process, _connect(process, Path(home, _SOCKET), timeout)
        except BaseException as error:
            process.kill()
            process.wait()
            if isinstance(error, OSError):
                said = log.read_text(errors="replace").strip().splitlines()[-1:]
                raise PlayerUnavailableError(
                    f"{executable} cannot be reached ({error}); the last it said: {' '.join(said) or 'nothing'}"
                ) from error
            raise


def _connect(process: subprocess.Popen[bytes], path: Path, timeout: float) -> socket.socket:
    """Return a socket connected to the starting engine, or raise OSError."""
    deadline = time.monotonic() + timeout
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(timeout)
    try:
        while True:
            try:
                connection.connect(str(path))
            except (FileNotFoundError, ConnectionRefusedError):  # not there yet, or not listening yet
                if process.poll() is not None:
                    raise OSError(f"it ended with status {process.returncode}") from None
                if time.monotonic() > deadline:
                    raise TimeoutError(f"it did not listen within {timeout:g} s") from None
                time.sleep(0.005)
            else:
                return connection
    except BaseException:
        connection.close()
        raise


def _board_line(board: Sequence[int], roll: Sequence[int]) -> bytes:
    """Return the FIBS board line for a board seen by the player on roll."""
    return (_BOARD_LINE % (*board, *roll, *roll)).encode()


@lru_cache(maxsize=4096)  # the same answers come again and again
def _steps(answer: str) -> tuple[Step, ...]:
    """Return the steps of an answer, none for a dance, in an order in which they can be made.

    The external player writes plain steps, 25 and 0 for the ends: ``8/5 6/5``, ``25/22 24/18*``, ``6/0``. Runs
    (``24/18/14``), repeats (``6/4(2)``), ``bar`` and ``off``, which it writes elsewhere, are understood as well.

    Raises
    ------
    PlayerUnavailableError
        If it is something else.

    Examples
    --------
    >>> [(step.start, step.end) for step in _steps("bar/22 6/4*(2)")]
    [(25, 22), (6, 4), (6, 4)]
    """
    steps: list[Step] = []
    for word in answer.split():
        match = _RUN.fullmatch(word)
        names = re.split(r"\*?/", match[1]) if match else []
        run = [Step(*ends) for ends in pairwise(_ENDS[name] if name in _ENDS else int(name) for name in names)]
        if match is None or not all(OFF <= step.end < step.start <= MY_BAR for step in run):
            raise PlayerUnavailableError(f"gnubg answered {answer.strip()!r}, not steps like 8/5 25/22* 6/0")
        steps += run * int(match[2] or 1)
    return tuple(steps)


def _check_legal(boards: Boards, dice: NDArray[np.integer[Any]], afterstates: Boards) -> None:
    """Raise PlayerUnavailableError for the first afterstate that is not the result of a legal play."""
    parents, legal = legal_plays(boards, dice)
    dances = np.bincount(parents, minlength=len(boards)) == 0
    good = dances & (afterstates == turn(boards)).all(axis=-1)
    good[parents[(legal == afterstates[parents]).all(axis=-1)]] = True
    if not good.all():
        row = int(np.argmin(good))
        raise PlayerUnavailableError(
            f"gnubg chose a play that is not legal: with {dice[row].tolist()} from {boards[row].tolist()} "
            f"to {turn(afterstates[row]).tolist()}"
        )
