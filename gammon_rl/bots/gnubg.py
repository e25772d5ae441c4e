"""GNU Backgammon as an arena player: another process, asked over its external-player socket.

GNU Backgammon is licensed under the GPL and is not part of this project; nothing of it is imported. Where it is
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

# Without the first two it would choose cubefully; with Jacoby on, as its sessions start, a centred cube would
# make gammons worthless to it. The rest is its default, said so that no other version surprises.
_SETTINGS: Final = """\
set evaluation chequerplay type evaluation
set evaluation chequerplay evaluation cubeful off
set evaluation chequerplay evaluation plies {ply}
set evaluation chequerplay evaluation prune on
set evaluation chequerplay evaluation noise 0
set jacoby off
set threads 1
external {socket}
"""
_SOCKET: Final = "gnubg.socket"

# Names, match length 0 (money), both scores; 26 points; whose turn; dice, twice, as either player's; cube 1, both
# may double, none offered; colour and direction; home and bar index; men off and on the bar, which it works out
# from the board; forced moves, Crawford flags, redoubles.
# Colour 1 moving in direction -1 with turn 1 is our board: own counts positive, moving from 24 down to 1.
_BOARD_LINE: Final = "board:me:you:0:0:0:" + "%d:" * 26 + "1:%d:%d:%d:%d:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0\n"

_RUN: Final = re.compile(r"(?P<run>(?:\d+|bar)(?:\*?/(?:\d+|off))+)\*?(?:\((?P<times>[1-4])\))?\*?", re.ASCII)
_ENDS: Final = {"bar": MY_BAR, "off": OFF}


class GnubgPlayer:
    """GNU Backgammon choosing cubeless money plays of standard backgammon, without noise.

    Equal boards and dice give equal plays. Each instance is a process of its own, so several may play at once;
    one instance belongs to one thread of one process. The engine ends when the player is closed, and by itself
    when this process goes away, however that happens.

    Parameters
    ----------
    ply : int
        Its lookahead, 0 to 4. Each further ply costs it some twenty times more.
    executable : str, optional
        The program to start. By default the one the environment variable GNUBG names, else ``gnubg`` on the
        PATH, else ``/usr/games/gnubg``.
    timeout : float
        Seconds to wait for it to start, and for each answer, before it is given up.

    Raises
    ------
    PlayerUnavailableError
        If it is not installed, does not start, or ends or falls silent later, in ``choose``.
    """

    def __init__(self, ply: int = 0, *, executable: str | None = None, timeout: float = 60.0) -> None:
        if not 0 <= ply <= MAX_PLY:
            raise PlayerUnavailableError(f"gnubg plays at ply 0 to {MAX_PLY}, got {ply}")
        self.name = f"gnubg@{ply}"
        self._timeout = timeout
        self._process, self._socket = _start(executable or find_gnubg(), ply, timeout)

    def choose(self, boards: Boards, dice: NDArray[np.integer[Any]]) -> Boards:
        """Return the afterstates of the chosen plays.

        Parameters
        ----------
        boards : int8 (N, 26)
            Boards seen by the player on roll, games still going on.
        dice : int (N, 2)
            The roll on each board.

        Returns
        -------
        int8 (N, 26)
            Afterstates, turned; where there is no legal play, the turned board.

        Raises
        ------
        PlayerUnavailableError
            If the engine has ended, is silent for too long, or answers what is not a play on the board. The
            player is closed then.
        """
        results = boards.tolist()
        try:
            for row, roll in enumerate(dice.tolist()):
                for step in _steps(self._ask(_board_line(results[row], roll))):
                    results[row] = moved(results[row], step)
            afterstates = turn(np.array(results, dtype=np.int8).reshape(-1, 26))
            _check_legal(boards, dice, afterstates)
        except BaseException:
            self.close()  # an answer may still be on its way, and would be taken for the next one
            raise
        return afterstates

    def _ask(self, line: bytes) -> str:
        """Send one line, return the one line it answers."""
        # One at a time: what comes after a line in its read buffer is thrown away. Nearly all of the time goes
        # into its evaluations anyway.
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
            raise PlayerUnavailableError(f"{self.name} did not answer within {self._timeout:g} s") from None
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

    Raises
    ------
    PlayerUnavailableError
        If there is none, or the environment variable GNUBG names something that cannot be run.
    """
    named = os.environ.get("GNUBG")
    if named:
        found = shutil.which(named)
        if not found:
            raise PlayerUnavailableError(f"GNUBG is set to {named!r}, which is not a program that can be run")
        return found
    found = shutil.which("gnubg") or shutil.which("/usr/games/gnubg")
    if not found:
        raise PlayerUnavailableError(
            "GNU Backgammon is not installed: install the package gnubg (apt install gnubg, "
            "brew install gnubg), or name the program in the environment variable GNUBG"
        )
    return found


def _start(executable: str, ply: int, timeout: float) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start the engine and return it with the connected socket; its home is already removed again.

    The home holds whatever it writes at the start, and the socket. It listens anew on the same name whenever a
    connection ends: with the directory gone it cannot, returns to its commands, finds their end and exits. So it
    never outlives us, and leaves no file.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise PlayerUnavailableError("gnubg is reached over a Unix domain socket, which this system lacks")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}  # it embeds a Python
    with tempfile.TemporaryDirectory(prefix="gnubg-", ignore_cleanup_errors=True) as home:
        environment |= {"HOME": home, "LC_ALL": "C"}
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
                    env=environment,
                    start_new_session=True,  # Ctrl-C at our terminal is ours to answer
                )
        except OSError as error:
            raise PlayerUnavailableError(f"{executable} does not start: {error}") from error
        try:
            connection = _connect(process, Path(home, _SOCKET), timeout)
            if connection is None:
                said = log.read_text(errors="replace").split("\n\n")[-1].strip() or "nothing"
                raise PlayerUnavailableError(f"{executable} does not listen; it said: {said!r}")
        except BaseException:
            process.kill()
            process.wait()
            raise
    return process, connection


def _connect(process: subprocess.Popen[bytes], path: Path, timeout: float) -> socket.socket | None:
    """Return a socket connected to the starting engine, or None if it ends or takes too long."""
    deadline = time.monotonic() + timeout
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(timeout)
    try:
        while process.poll() is None and time.monotonic() < deadline:
            try:
                connection.connect(str(path))
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.005)  # not there yet, or bound but not listening yet
            else:
                return connection
    except OSError as error:
        connection.close()
        raise PlayerUnavailableError(f"gnubg cannot be reached at {path}: {error}") from error
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


def _board_line(board: Sequence[int], roll: Sequence[int]) -> bytes:
    """Return the FIBS board line for a board seen by the player on roll."""
    return (_BOARD_LINE % (*board, *roll, *roll)).encode()


@lru_cache(maxsize=4096)  # the same few answers come again and again
def _steps(answer: str) -> tuple[Step, ...]:
    """Return the steps of an answer, none for a dance.

    They come in an order in which they can be made: ``8/5 6/5``, ``25/22 24/18*``, ``6/off``. Runs (``24/18/14``)
    and repeats (``6/4(2)``), which GNU Backgammon writes elsewhere, are understood as well. Whether a play is
    meant by them is not looked at.

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
        stops = (
            [_ENDS[name] if name in _ENDS else int(name) for name in re.split(r"[*/]+", match["run"])] if match else []
        )
        run = [Step(start, end) for start, end in pairwise(stops)]
        if match is None or any(not OFF <= step.end < step.start <= MY_BAR for step in run):
            raise PlayerUnavailableError(f"gnubg answered {answer!r}, which should be steps like 8/5 or bar/22*")
        steps += run * int(match["times"] or 1)
    return tuple(steps)


def _check_legal(boards: Boards, dice: NDArray[np.integer[Any]], afterstates: Boards) -> None:
    """Raise PlayerUnavailableError at the first afterstate that no legal play leads to."""
    parents, legal = legal_plays(boards, dice)
    dances = np.bincount(parents, minlength=len(boards)) == 0
    good = dances & (afterstates == turn(boards)).all(axis=-1)
    good[parents[(legal == afterstates[parents]).all(axis=-1)]] = True
    if not good.all():
        row = int(np.argmin(good))
        raise PlayerUnavailableError(
            f"gnubg chose an illegal play: from the board {boards[row].tolist()} with {dice[row].tolist()} "
            f"to {turn(afterstates[row]).tolist()}"
        )
