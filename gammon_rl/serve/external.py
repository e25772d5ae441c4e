"""GNU Backgammon's external-player protocol: FIBS board lines in over a socket, plays and cube actions out.

`set player 0 external localhost:PORT` makes GNU Backgammon ask whoever listens there what to do. The other requests
are those that it answers itself when it is the external player (its command `external`), so that tools which are
written for that can ask a bot of ours instead.

Sources: the GNU Backgammon manual, and GNU Backgammon 1.07 as it was seen to ask and to answer. `docs/protocols.md`
has the protocol in full.
"""

import contextlib
import errno
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from gammon_rl import __version__
from gammon_rl.bots.bot import Bot
from gammon_rl.bots.levels import HARD
from gammon_rl.errors import GammonError, InvalidNotationError
from gammon_rl.rules.position import Position
from gammon_rl.rules.steps import Step
from gammon_rl.serve.fibs import FibsBoard
from gammon_rl.serve.lines import one_line, read_lines
from gammon_rl.stakes.cube import cubeful
from gammon_rl.stakes.worth import Stakes

MAX_PLIES: Final = 3
"""How far an evaluation looks ahead at most."""
MAX_CONNECTIONS: Final = 64
"""Clients that are served at the same time; more of them wait."""

_PAUSE: Final = 0.1  # seconds

_VERSION: Final = f"Interface: 2\nRFBF: 0\nEngine: gammon_rl\nSoftware: {__version__}"
_HELP: Final = "board:... | evaluation fibsboard board:... | version | help | exit"
_RESIGNED: Final = {1: "normal", 2: "gammon", 3: "backgammon"}
_SWITCH: Final = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}


@dataclass(frozen=True)
class Conditions:
    """What a board line leaves open: the rules of the session, and how to evaluate.

    Attributes
    ----------
    jacoby, beavers : bool
        Rules of money play.
    crawford_rule : bool
        Whether matches have a Crawford game.
    resignation : int
        What the opponent offers to resign: 0 nothing, 1 a single game, 2 a gammon, 3 a backgammon.
    plies : int
        How far an evaluation looks ahead.
    cubeful : bool
        Whether its equity counts the cube.
    """

    jacoby: bool = True
    beavers: bool = False
    crawford_rule: bool = True
    resignation: int = 0
    plies: int = 0
    cubeful: bool = False

    def told(self, words: Iterable[str]) -> "Conditions":
        """Return the conditions with those that follow a board in a request, such as ``jacobyrule on plies 2``.

        Raises
        ------
        InvalidNotationError
            If a word is not understood, or has no value that fits.
        """
        left = [word.lower() for word in words]
        said = self
        while left:
            word = left.pop(0)
            match word:
                case "jacobyrule":
                    said = replace(said, jacoby=_switch(word, left))
                case "crawfordrule":
                    said = replace(said, crawford_rule=_switch(word, left))
                case "beavers":
                    said = replace(said, beavers=_switch(word, left))
                case "cube":
                    said = replace(said, cubeful=_switch(word, left))
                case "cubeful" | "cubeless":
                    said = replace(said, cubeful=word == "cubeful")
                case "resignation":
                    said = replace(said, resignation=_count(word, left, 3))
                case "plies":
                    said = replace(said, plies=_count(word, left, MAX_PLIES))
                case "noise":
                    _count(word, left, 0)
                case "prune" | "deterministic":  # how GNU Backgammon would search; ours has one way
                    if left and left[0] in _SWITCH:
                        left.pop(0)
                case _:
                    raise InvalidNotationError(f"{word!r} is not understood after a board")
        return said


def _switch(name: str, left: list[str]) -> bool:
    value = left.pop(0) if left else ""
    if value not in _SWITCH:
        raise InvalidNotationError(f"{name} is on or off, got {value!r}")
    return _SWITCH[value]


def _count(name: str, left: list[str], most: int) -> int:
    value = left.pop(0) if left else ""
    try:
        number = int(value.encode("ascii"))  # `int` also reads the digits of other scripts
    except ValueError:
        number = -1
    if not 0 <= number <= most:
        expected = f"0 to {most}" if most else "0 here"
        raise InvalidNotationError(f"{name} is {expected}, got {value!r}")
    return number


@dataclass
class Session:
    """One connection: answers a line at a time, and remembers what it offered to resign.

    Attributes
    ----------
    bot : Bot
        Who decides. Several sessions may share one.
    conditions : Conditions
        The rules that hold unless a request says otherwise.
    time_limit : float, optional
        Seconds for a decision.

    Examples
    --------
    >>> session = Session(Bot("easy", seed=1))
    >>> session.answer("board:1:2")
    "Error: a FIBS board is the word board and 52 fields after colons, got 2 in 'board:1:2'"
    """

    bot: Bot
    conditions: Conditions = field(default_factory=Conditions)
    time_limit: float | None = None
    _resigned: FibsBoard | None = field(default=None, init=False)

    def answer(self, line: str) -> str | None:
        """Return the answer to a request, without its line end; None if the connection is to be closed.

        Whatever is wrong is said in an answer that begins with ``Error:``; nothing is raised.
        """
        try:
            return self._answer(line)
        except GammonError as error:
            return f"Error: {one_line(error)}"
        except Exception as error:  # a fault of ours must not end the other program's game
            traceback.print_exc()
            return f"Error: {one_line(repr(error))}"

    def _answer(self, line: str) -> str | None:
        first, _, rest = line.partition(" ")
        match first.lower():
            case "":
                raise InvalidNotationError("no command given")
            case "exit" | "quit":
                return None
            case "version":
                return _VERSION
            case "help":
                return _HELP
            case "evaluation":
                what, _, rest = rest.strip().partition(" ")
                if what.lower() != "fibsboard":
                    raise InvalidNotationError(f"an evaluation is that of a fibsboard, got {what!r}")
                return self._evaluation(*self._read(rest))
        if not line.lower().startswith("board"):
            raise InvalidNotationError(f"{first!r} is not understood; expected {_HELP}")
        return self._decision(*self._read(line))

    def _read(self, request: str) -> tuple[FibsBoard, Conditions]:
        """Return the board of a request and what is said after it. The names on the board may have blanks."""
        ends = request.rfind(":")
        last, *options = request[ends + 1 :].split() or [""]
        return FibsBoard.parse(request[: ends + 1] + last), self.conditions.told(options)

    def _position(self, seen: FibsBoard, conditions: Conditions) -> Position:
        return seen.position(
            jacoby=conditions.jacoby,
            beavers=conditions.beavers,
            crawford_rule=conditions.crawford_rule,
            rules=self.bot.rules,
        )

    def _decision(self, seen: FibsBoard, conditions: Conditions) -> str:
        """Return what the bot does."""
        position = self._position(seen, conditions)
        if seen.beavered:
            return "take"  # what was worth a double is worth going on with
        if position.doubled:
            cube = self.bot.cube_action(position, self.time_limit)
            return "beaver" if cube.beaver else "take" if cube.take else "drop"
        if conditions.resignation:
            # whoever is on roll offers it, and we are the other player
            accepted = self.bot.accepts(position.turned(), conditions.resignation, self.time_limit)
            return "accept" if accepted else "reject"
        if position.dice is not None:
            play = self.bot.choose_play(position, position.dice, self.time_limit)
            return plain_steps(play.steps)
        if lost := self._resigns(seen, position):
            return f"resign {_RESIGNED[lost]}"
        cube = self.bot.cube_action(position, self.time_limit)
        return "double" if cube.double else "roll"

    def _resigns(self, seen: FibsBoard, position: Position) -> int:
        """Return what to give up, once a turn at most: where it is declined, the same question comes again."""
        if seen == self._resigned or not self.bot.has_opinions:
            return 0
        lost = self.bot.resignation(position)
        if lost:
            self._resigned = seen
        return lost

    def _evaluation(self, seen: FibsBoard, conditions: Conditions) -> str:
        """Return the chances of the player on roll and an equity: points, or in a match the chance of winning it."""
        position = replace(self._position(seen, conditions), dice=None)
        if position.doubled:
            position = position.turned()
        judge = Bot(HARD.at(conditions.plies), self.bot.evaluator, rules=self.bot.rules)
        probs = judge.probs(position, self.time_limit)
        stakes = Stakes.of(position)
        if conditions.cubeful:
            worth = stakes.worth_of(judge.cube_action(position, self.time_limit).nd)
        else:
            worth = cubeful(probs, replace(stakes, jacoby=False), 0)
        value = worth if stakes.table is not None else worth / stakes.cube
        return " ".join(f"{number:.6f}" for number in (*probs.tolist(), float(value)))


def plain_steps(steps: Iterable[Step]) -> str:
    """Return steps one by one as GNU Backgammon writes them to other programs: no stars, 25 the bar and 0 off.

    Examples
    --------
    >>> plain_steps([Step(25, 22), Step(6, 0), Step(6, 0)])
    '25/22 6/0 6/0'
    """
    return " ".join(f"{step.start}/{step.end}" for step in steps)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a TCP port, a free one for 0.

    Raises
    ------
    OSError
        If that is not possible.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def listen_at(path: Path) -> socket.socket:
    """Return a Unix domain socket that listens at a path; one that nobody listens at any more is replaced.

    Raises
    ------
    OSError
        If that is not possible, or somebody is there already.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise OSError(errno.EAFNOSUPPORT, "this system has no Unix domain sockets", str(path))
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except ConnectionRefusedError:
            if path.is_socket():
                path.unlink()
        except FileNotFoundError:
            pass
        else:
            raise OSError(errno.EADDRINUSE, "another program listens at this socket", str(path))
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(str(path))
        listener.listen()
    except BaseException:
        listener.close()
        raise
    return listener


def serve(
    listener: socket.socket, new_session: Callable[[], Session], note: Callable[[str, str], None] | None = None
) -> None:
    """Answer everybody who connects, each in a thread of their own, until the listener is closed or Ctrl-C.

    Parameters
    ----------
    listener : socket
        Where they connect; the caller closes it.
    new_session : callable
        Makes a session for a new connection.
    note : callable, optional
        Told every request and its answer, from the thread of its connection.
    """
    places = threading.BoundedSemaphore(MAX_CONNECTIONS)

    def talk(peer: socket.socket) -> None:
        try:
            session = new_session()
            with peer, peer.makefile("rb") as requests, contextlib.suppress(OSError):  # gone: it needs no answer
                for line in read_lines(requests):
                    answer = session.answer(line)
                    if answer is None:
                        break
                    if note:
                        note(line, answer)
                    peer.sendall(f"{answer}\n".encode())
        finally:
            places.release()

    while listener.fileno() >= 0:
        places.acquire()
        peer = None
        try:
            peer, _ = listener.accept()
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            threading.Thread(target=talk, args=(peer,), daemon=True).start()
        except (OSError, RuntimeError):  # it gave up before its turn came, or the machine is short of something
            if peer:
                peer.close()
            places.release()
            time.sleep(_PAUSE)
