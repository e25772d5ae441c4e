"""GNU Backgammon as an arena player: another process, asked over its external-player socket.

GNU Backgammon is licensed under the GPL and is no part of this project; nothing of it is imported. Where it is
installed, ``gnubg -t -q -r`` is started with an empty home of its own, told how to choose, and handed one FIBS board
line at a time; it answers with the steps of its play, or with what it does with the cube.
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
from gammon_rl.rules.variants import STANDARD, Boards
from gammon_rl.stakes.worth import Bools, Stakes

MAX_PLY: Final = 4  # as deep as its own move filters reach

# Left alone, it would choose at 2-ply, under the Jacoby rule. (In 1.07 Jacoby has no say in cubeless choices, which
# need not be so in others.) The rest are its defaults, said so that they hold in any version. Its move filters (up to 8
# candidates within 0.16), match equity table and bear-off databases are part of its strength and stay.
_SETTINGS: Final = """\
set evaluation chequerplay type evaluation
set evaluation chequerplay evaluation plies {ply}
set evaluation chequerplay evaluation cubeful {cubeful}
set evaluation chequerplay evaluation prune on
set evaluation chequerplay evaluation noise 0
set evaluation cubedecision type evaluation
set evaluation cubedecision evaluation plies {ply}
set evaluation cubedecision evaluation cubeful on
set evaluation cubedecision evaluation prune on
set evaluation cubedecision evaluation noise 0
set jacoby {jacoby}
set beavers {beavers}
set crawford on
set threads 1
external {socket}
"""
_SOCKET: Final = "gnubg.socket"

# Two names; match length (0 for money) and score; the 26 points; whose turn; the dice, as mine and as theirs; the cube;
# whether I and they may double, which says whose it is; whether a double is on offer; colour 1 moving in direction -1,
# so that our board can be sent as it is: the mover's counts positive, moving from 24 down to 1; where home and bar are;
# men off and on the bar, which it works out for itself; flags, of which it asks for the last but one, whether the
# Crawford game is over.
_BOARD_LINE: Final = (
    "board:me:you:{length}:{mine}:{theirs}:{points}:{turn}:{dice}:{dice}:{cube}:{i_may}:{they_may}:{doubled}"
    ":1:-1:0:25:0:0:0:0:0:0:{after_crawford}:0\n"
)

_RUN: Final = re.compile(r"((?:\d+|bar)(?:\*?/(?:\d+|off))+)\*?(?:\(([1-4])\))?\*?", re.ASCII)
_ROLLING: Final = frozenset(("roll", "double"))
_ANSWERING: Final = frozenset(("take", "drop", "beaver"))
_BEAVERS: Final = 1  # so many in a row
_ENDS: Final = {"bar": MY_BAR, "off": OFF}


class GnubgPlayer:
    """GNU Backgammon playing standard backgammon without noise: cubeless for money, or with the cube and at the score.

    Equal boards and dice give equal plays. Each instance is a process of its own, so several may play at the same
    time; one instance belongs to one thread. The engine ends when the player is closed, and by itself when this
    process is gone, however it ended.

    Parameters
    ----------
    ply : int
        Its lookahead, 0 to 4. Each further ply costs it some twenty times more.
    stakes : Stakes, optional
        For play with the cube; only whether they are money or match play, with Jacoby or beavers or not, is of
        interest. By default it plays cubeless for money.
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

    def __init__(
        self, ply: int = 0, *, stakes: Stakes | None = None, executable: str | None = None, timeout: float = 60.0
    ) -> None:
        if not 0 <= ply <= MAX_PLY:
            raise PlayerUnavailableError(f"gnubg plays at ply 0 to {MAX_PLY}, got {ply}")
        self.name = f"gnubg@{ply}"
        self._played_for = _kind(stakes)
        self._scores_turned: dict[bool, bool] = {}
        settings = _SETTINGS.format(
            ply=ply,
            cubeful="on" if stakes else "off",
            jacoby="on" if stakes and stakes.jacoby else "off",
            beavers=_BEAVERS if stakes and stakes.beavers else 0,
            socket=_SOCKET,
        )
        self._process, self._socket = _start(executable or find_gnubg(), settings, timeout)

    def choose(self, boards: Boards, dice: NDArray[np.integer[Any]], stakes: Stakes | None = None) -> Boards:
        """Return the afterstates of the plays it chooses.

        Parameters
        ----------
        boards : int8 (N, 26)
            Boards seen by the player on roll, the games still going on.
        dice : int (N, 2)
            The roll for each board.
        stakes : Stakes, optional
            What is played for, with arrays (N,) as the player on roll sees them; of the kind it was started for.

        Returns
        -------
        int8 (N, 26)
            Afterstates, turned; the turned board where nothing can be played.

        Raises
        ------
        PlayerUnavailableError
            If the engine has ended, does not answer in time, or answers what is not a legal play. The player is
            closed then. Also if it was not started for such stakes.
        """
        after = boards.tolist()
        lines = self._lines(boards, dice, stakes)
        try:
            for row, line in enumerate(lines):
                for step in _steps(self._ask(line)):
                    after[row] = moved(after[row], step)
            afterstates = turn(np.array(after, dtype=np.int8).reshape(-1, 26))
            _check_legal(boards, dice, afterstates)
        except BaseException:
            self.close()  # an answer may still be on its way, and would be taken for the next one
            raise
        return afterstates

    def doubles(self, boards: Boards, stakes: Stakes) -> Bools:
        """Return whether it doubles before rolling, bool (N,); see `gammon_rl.bots.player.CubePlayer`."""
        not_rolled = np.zeros((len(boards), 2), dtype=np.int64)
        return np.asarray(self._says(self._lines(boards, not_rolled, stakes), _ROLLING) == "double")

    def answers(self, boards: Boards, stakes: Stakes) -> tuple[Bools, Bools]:
        """Return whether it takes, and beavers, a double, bool (N,); see `gammon_rl.bots.player.CubePlayer`."""
        said = self._says(self._lines(turn(boards), None, stakes.turned()), _ANSWERING)
        return np.asarray(said != "drop"), np.asarray(said == "beaver")

    def _says(self, lines: Sequence[bytes], words: frozenset[str]) -> NDArray[np.str_]:
        """Return the answers to questions about the cube."""
        said = []
        try:
            for line in lines:
                answer = self._ask(line).strip()
                if answer not in words:
                    raise PlayerUnavailableError(f"gnubg answered {answer!r}, not one of {', '.join(sorted(words))}")
                said.append(answer)
        except BaseException:
            self.close()
            raise
        return np.array(said, dtype=np.str_)

    def _lines(self, boards: Boards, dice: NDArray[np.integer[Any]] | None, stakes: Stakes | None) -> list[bytes]:
        """Return the lines to send; without dice they ask for the answer to a double."""
        if _kind(stakes) != self._played_for:
            raise PlayerUnavailableError(f"{self.name} was started for {self._played_for}, not for {_kind(stakes)}")
        rolls = [None] * len(boards) if dice is None else dice.tolist()
        if stakes is None:
            return [_board_line(board, roll) for board, roll in zip(boards.tolist(), rolls, strict=True)]
        swapped = stakes.table is not None and self._turns_scores(doubled=dice is None)
        columns = [
            np.broadcast_to(column, len(boards)).tolist()
            for column in (
                stakes.cube,
                stakes.owner,
                stakes.theirs if swapped else stakes.mine,
                stakes.mine if swapped else stakes.theirs,
                stakes.after_crawford & (stakes.table is not None),
            )
        ]
        return [
            _board_line(board, roll, cube=cube, owner=owner, needs=(mine, theirs), after_crawford=after)
            for board, roll, cube, owner, mine, theirs, after in zip(boards.tolist(), rolls, *columns, strict=True)
        ]

    def _turns_scores(self, doubled: bool) -> bool:
        """Return whether it takes the first score of a line for that of the player who is not on roll.

        In 1.07 it does, except when a double is on offer; another version may know better. So it is asked what nobody
        can mistake: after the Crawford game the player who is behind doubles at once, and the one in front does not,
        and drops for free while the other needs an even number of points.
        """
        if doubled not in self._scores_turned:
            start, needs = STANDARD.start().tolist(), (1, 4) if doubled else (4, 1)
            line = _board_line(start, None if doubled else (0, 0), needs=needs, after_crawford=True)
            said = self._says([line], _ANSWERING if doubled else _ROLLING)
            self._scores_turned[doubled] = bool(said[0] != ("drop" if doubled else "double"))
        return self._scores_turned[doubled]

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


def _kind(stakes: Stakes | None) -> str:
    """Return what is played for, in words: what the engine has to be told before it starts."""
    if stakes is None:
        return "cubeless money play"
    if stakes.table is not None:
        return "matches"
    options = [name for name, used in (("Jacoby", stakes.jacoby), ("beavers", stakes.beavers)) if used]
    return f"money play with {' and '.join(['the cube', *options])}"


def _start(executable: str, settings: str, timeout: float) -> tuple[subprocess.Popen[bytes], socket.socket]:
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
        commands.write_text(settings)
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


def _board_line(
    board: Sequence[int],
    roll: Sequence[int] | None,
    *,
    cube: int = 1,
    owner: int = 0,
    needs: tuple[int, int] = (0, 0),
    after_crawford: bool = False,
) -> bytes:
    """Return the FIBS board line for a board seen by the player who has to act.

    Parameters
    ----------
    board : sequence of 26 int
        The board.
    roll : (int, int) or None
        The dice; two zeros before they are rolled, None when the opponent has doubled.
    cube, owner : int
        What the cube shows, before a double that is on offer; 1 my cube, 0 in the centre, -1 theirs.
    needs : (int, int)
        The points that I and the opponent need to win the match; zeros for money.
    after_crawford : bool
        Whether the Crawford game is over.
    """
    length = max(needs)
    return _BOARD_LINE.format(
        length=length,
        mine=length - needs[0],
        theirs=length - needs[1],
        points=":".join(map(str, board)),
        turn=1 if roll else -1,
        dice="{}:{}".format(*(roll or (0, 0))),
        cube=cube,
        i_may=int(owner >= 0),
        they_may=int(owner <= 0),
        doubled=int(roll is None),
        after_crawford=int(after_crawford),
    ).encode()


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
