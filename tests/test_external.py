"""The external player: its answers, its sockets, and a match that the real GNU Backgammon plays against it."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gammon_rl import __version__, cli
from gammon_rl.bots.bot import Bot
from gammon_rl.bots.gnubg import find_gnubg
from gammon_rl.errors import PlayerUnavailableError
from gammon_rl.rules.board import turn
from gammon_rl.rules.notation import parse_play
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import STANDARD, TAVLA
from gammon_rl.serve.external import Conditions, Session, listen, listen_at, serve
from gammon_rl.serve.lines import LONGEST
from tests.positions import position
from tests.test_fibs import board_line

ROOT = Path(__file__).parents[1]
SCALE = float(os.environ.get("GAMMON_RL_TEST_SCALE", "1"))
START = STANDARD.start()
STRONG, WEAK = position("6x2 5x2", "19x3 20x3 21x3"), position("6x3 5x3 4x3", "19x2 20x2")
LOST_A_GAMMON = position("10x5 11x5 12x5", "24x2")

try:
    find_gnubg()
    missing = ""
except PlayerUnavailableError as error:
    missing = str(error)
needs_gnubg = pytest.mark.skipif(bool(missing), reason=missing)


@pytest.fixture(scope="module")
def bot() -> Bot:
    return Bot("normal")


@pytest.fixture
def session(bot: Bot) -> Session:
    return Session(bot)


# Answers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [1, -1])
def test_plays_are_steps_in_the_numbers_of_the_player(session: Session, seat: int) -> None:
    def answer(board: Any, dice: str) -> str | None:
        return session.answer(board_line(board if seat == 1 else turn(board), turn=seat, dice=dice))

    assert answer(START, "3:1") == "8/5 6/5"
    assert answer(START, "6:5") == "24/18 18/13"
    assert answer(position("6x2", "1x2"), "6:6") == "6/0 6/0"
    entering = position("bar 13x5", "19x2 20x2 21x2 23x2 24x2 18x2 5x2")
    assert answer(entering, "3:1") == "25/22 13/12"
    assert answer(position("bar 6x14", "19x2 20x2 21x2 22x2 23x2 24x2 1x3"), "4:4") == ""


def test_doubles_and_answers(session: Session) -> None:
    for board, double, answer in ((STRONG, "double", "drop"), (WEAK, "roll", "take")):
        assert session.answer(board_line(board)) == double
        assert session.answer(board_line(turn(board), turn=-1)) == double
        assert session.answer(board_line(board, turn=1, doubled=1)) == answer
        assert session.answer(board_line(turn(board), turn=-1, doubled=1)) == answer
    assert session.answer(board_line(STRONG, cube=2, may="0:1")) == "roll"
    offered = board_line(WEAK, doubled=1)
    assert session.answer(f"{offered} beavers on") == "beaver"
    assert session.answer(f"{offered} beavers on jacobyrule off crawfordrule on") == "beaver"
    beavered = board_line(STRONG, cube=2, may="0:1", doubled=1)
    assert session.answer(beavered) == "take"


def test_the_score_counts(session: Session) -> None:
    # colour 1 needs a point, and the other one has nothing to lose by doubling
    assert session.answer(board_line(match="5:1:4", turn=1)) == "roll"
    assert session.answer(board_line(match="5:1:4", turn=-1)) == "double"
    assert session.answer(board_line(match="5:1:4", turn=-1, flags="0:0")) == "roll"  # the Crawford game
    assert session.answer(board_line(match="5:1:4", turn=-1, flags="0:0") + " crawfordrule off") == "double"


@pytest.mark.parametrize(("jacoby", "beavers"), [(True, False), (False, True)])
def test_the_bot_is_asked_the_whole_position(
    monkeypatch: pytest.MonkeyPatch, bot: Bot, jacoby: bool, beavers: bool
) -> None:
    asked = []

    def spy(self: Bot, position: Position, limit: float | None) -> Any:
        asked.append((position, limit))
        return real(self, position, limit)

    real = Bot.cube_action
    monkeypatch.setattr(Bot, "cube_action", spy)
    session = Session(bot, Conditions(jacoby=jacoby, beavers=beavers), time_limit=7.0)
    session.answer(board_line(WEAK, match="0:9:12", cube=2, may="0:1", turn=-1))
    session.answer(board_line(WEAK, match="7:2:3", cube=2, may="1:0", turn=1, doubled=1))
    money = Position(turn(WEAK), cube_value=2, cube_owner="mine", jacoby=jacoby, beavers=beavers)
    match = Position(turn(WEAK), match_length=7, score=(3, 2), cube_value=2, cube_owner="theirs", doubled=True)
    assert asked == [(money, 7.0), (match, 7.0)]


def test_what_is_surely_lost_is_resigned_once_a_turn(bot: Bot) -> None:
    session = Session(bot, Conditions(jacoby=False))
    assert session.answer(board_line(LOST_A_GAMMON)) == "resign gammon"
    assert session.answer(board_line(LOST_A_GAMMON)) == "roll"  # it was declined
    assert session.answer(board_line(LOST_A_GAMMON, dice="3:1")) not in (None, "resign gammon")
    assert session.answer(board_line(turn(LOST_A_GAMMON), turn=-1)) == "resign gammon"
    assert Session(bot).answer(board_line(LOST_A_GAMMON)) == "resign normal"  # by Jacoby
    assert Session(Bot("easy", seed=1)).answer(board_line(LOST_A_GAMMON)) == "roll"


def test_resignations_are_answered_by_the_player_who_is_not_on_roll(session: Session) -> None:
    def answers(**said: Any) -> list[str | None]:
        line = board_line(LOST_A_GAMMON, **said)
        return [session.answer(f"{line} jacobyrule off resignation {level}") for level in (1, 2, 3)]

    assert answers(turn=1) == ["reject", "accept", "accept"]
    assert answers(turn=-1) == ["accept", "accept", "accept"]


def test_evaluations(session: Session) -> None:
    def evaluation(line: str) -> list[float]:
        answer = session.answer(f"evaluation fibsboard {line}")
        assert answer is not None
        return [float(number) for number in answer.split(" ")]

    win, gammon, backgammon, lost_gammon, lost_backgammon, equity = evaluation(board_line())
    assert 0.5 < win < 0.55
    assert 0.1 < lost_gammon < gammon < 0.2
    assert equity == pytest.approx(2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon, abs=1e-5)
    assert evaluation(board_line(dice="3:1"))[:5] == [win, gammon, backgammon, lost_gammon, lost_backgammon]
    said = "jacobyrule on PLIES 0 CUBE ON CUBELESS prune noise 0 deterministic on"
    assert evaluation(f"{board_line()} {said}")[5] == equity
    assert evaluation(f"{board_line()} plies 1")[0] != win
    # the cube is worth something to its owner, and in a match the equity is the chance of winning it
    mine, theirs = (evaluation(f"{board_line(cube=2, may=may)} cubeful")[5] for may in ("1:0", "0:1"))
    assert theirs < equity < mine < 2
    assert evaluation(board_line(match="1:0:0"))[5] == pytest.approx(win, abs=1e-5)
    assert 0.5 < evaluation(f"{board_line(match='5:0:0')} cubeful")[5] < 0.56
    assert evaluation(board_line(LOST_A_GAMMON, turn=-1, doubled=1))[0] == pytest.approx(1, abs=1e-4)


def test_the_other_requests(session: Session) -> None:
    assert session.answer("VERSION") == f"Interface: 2\nRFBF: 0\nEngine: gammon_rl\nSoftware: {__version__}"
    assert "board:..." in str(session.answer("help"))
    assert session.answer("exit") is None
    assert session.answer("quit") is None


@pytest.mark.parametrize(
    ("request_line", "answer"),
    [
        ("", "no command given"),
        ("hello there", "'hello' is not understood; expected board:..."),
        ("board", "a FIBS board is the word board and 52 fields"),
        ("boards:1", "a FIBS board is the word board and 52 fields"),
        ("board:" + ":" * 300, "a FIBS board is the word board and 52 fields"),
        (board_line(position("", "1x2")), "the game is over"),
        (board_line(dice="9:1"), "impossible position: a die shows 1 to 6"),
        (f"{board_line()} plies 4", "plies is 0 to 3, got '4'"),
        (f"{board_line()} plies", "plies is 0 to 3, got ''"),
        (f"{board_line()} noise 0.1", "noise is 0 here, got '0.1'"),
        (f"{board_line()} resignation 4", "resignation is 0 to 3, got '4'"),
        (f"{board_line()} jacobyrule", "jacobyrule is on or off, got ''"),
        (f"{board_line()} beavers 3", "beavers is on or off, got '3'"),
        (f"{board_line()} rollout", "'rollout' is not understood after a board"),
        ("evaluation", "an evaluation is that of a fibsboard, got ''"),
        (f"evaluation {board_line()}", "an evaluation is that of a fibsboard, got 'board:"),
        ("evaluation fibsboard", "a FIBS board is the word board and 52 fields"),
    ],
)
def test_what_is_wrong_is_said(session: Session, request_line: str, answer: str) -> None:
    said = session.answer(request_line)
    assert said is not None
    assert said.startswith(f"Error: {answer}")
    assert said.isprintable()
    assert len(said) < 250


def test_levels_without_opinions_do_not_evaluate() -> None:
    session = Session(Bot("easy", seed=1))
    assert str(session.answer(f"evaluation fibsboard {board_line()}")).startswith("Error: the easy bot has no opinion")
    dance = position("bar 6x14", "19x2 20x2 21x2 22x2 23x2 24x2 1x3")
    assert session.answer(board_line(dance, dice="5:5")) == ""
    tavla = Session(Bot("easy", seed=1, rules=TAVLA))
    assert tavla.answer(board_line(position("6 5 4", "19 20 21"), dice="5:4")) == "5/0 4/0"


def test_a_fault_of_ours_is_an_answer(
    monkeypatch: pytest.MonkeyPatch, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*arguments: Any) -> Any:
        raise ZeroDivisionError("oh\nno")

    monkeypatch.setattr(Bot, "choose_play", broken)
    assert session.answer(board_line(dice="3:1")) == "Error: ZeroDivisionError('oh\\nno')"
    assert "ZeroDivisionError" in capsys.readouterr().err


# Sockets --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def serving(listener: socket.socket, bot: Bot, notes: list[tuple[str, str]] | None = None) -> Iterator[Any]:
    """Serve in a thread, and yield the address."""
    note = None if notes is None else lambda *exchange: notes.append(exchange)
    thread = threading.Thread(target=serve, args=(listener, lambda: Session(bot), note), daemon=True)
    thread.start()
    try:
        yield listener.getsockname()
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(60)
        assert not thread.is_alive()


def connect(address: Any) -> socket.socket:
    client = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
    client.settimeout(60)
    client.connect(address)
    return client


def ask(client: socket.socket, request: bytes) -> bytes:
    client.sendall(request)
    return hear(client)


def hear(client: socket.socket) -> bytes:
    answer = b""
    while not answer.endswith(b"\n"):
        part = client.recv(4096)
        if not part:
            break
        answer += part
    return answer


def test_several_at_a_time_and_after_each_other(bot: Bot) -> None:
    notes: list[tuple[str, str]] = []
    roll_31 = board_line(dice="3:1").encode() + b"\n\0"  # as GNU Backgammon ends a line
    with serving(listen("127.0.0.1", 0), bot, notes) as address:
        with connect(address) as one, connect(address) as other:
            for client in (one, other, one):
                assert ask(client, roll_31) == b"8/5 6/5\n"
            assert ask(one, b"\xff\xfe\0\n").startswith(b"Error: ")
            assert ask(one, b"y" * (3 * LONGEST) + b"\n").startswith(b"Error: ")
            other.sendall(roll_31[:40])
            assert ask(other, roll_31[40:]) == b"8/5 6/5\n"
            assert ask(one, b"exit\n") == b""
            assert ask(other, roll_31) == b"8/5 6/5\n"
            other.sendall(roll_31)  # and goes without waiting for the answer
        with connect(address) as third:
            third.sendall(roll_31[:-2])
            third.shutdown(socket.SHUT_WR)  # the last line may have no end
            assert hear(third) == b"8/5 6/5\n"
    assert len(notes) >= 7
    assert notes[0] == (board_line(dice="3:1"), "8/5 6/5")


def test_a_unix_socket_is_taken_over_only_from_the_dead(bot: Bot, tmp_path: Path) -> None:
    path = tmp_path / "player.socket"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with serving(listen_at(path), bot) as address, connect(address) as client:
        assert ask(client, b"version\n").startswith(b"Interface: 2\n")
        with pytest.raises(OSError, match="another program listens at this socket"):
            listen_at(path)
    path.unlink()
    path.write_text("precious")
    with pytest.raises(OSError, match="in use"):
        listen_at(path)
    assert path.read_text() == "precious"


# As a program ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give either --port or --socket"),
        (["--port", "1", "--socket", "x"], "give either --port or --socket"),
        (["--port", "65536"], "--port"),
        (["--port", "0", "--level", "grandmaster"], "no player is called 'grandmaster'"),
        (["--port", "0", "--host", "203.0.113.1", "--level", "easy"], "assign requested address"),
        (["--socket", "/no/such/folder/s", "--level", "easy"], "No such file or directory"),
    ],
)
def test_what_it_cannot_begin_with_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["gammon-rl", "external", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    shown = capsys.readouterr()
    assert ended.value.code == 2
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_the_program_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    path, log = tmp_path / "s", tmp_path / "log"
    command = [sys.executable, "-m", "gammon_rl", "external", "--socket", str(path), "--level", "easy", "--seed", "1"]
    pipe = subprocess.PIPE
    with subprocess.Popen([*command, "--log", str(log)], stdout=pipe, stderr=pipe, text=True, cwd=ROOT) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == f"listening on {path}\n"
            with connect(str(path)) as client:
                answer = ask(client, board_line(dice="3:1").encode() + b"\n").decode()
                assert parse_play(answer, START, (3, 1))
                program.send_signal(signal.SIGINT)
                assert program.wait(60) == 130
        finally:
            program.kill()
        assert program.stderr is not None
        assert program.stderr.read() == ""
    assert not path.exists()
    assert log.read_text() == f"> {board_line(dice='3:1')}\n< {answer}"


# Anything -------------------------------------------------------------------------------------------------------


def mutated(rng: np.random.Generator, lines: list[str]) -> str:
    """Return a line with some of its fields, or characters, changed."""
    line = lines[rng.integers(len(lines))]
    for _ in range(int(rng.integers(0, 4))):
        if rng.random() < 0.7:
            fields = line.split(":")
            at = int(rng.integers(len(fields)))
            fields[at] = str(rng.choice([-1, 0, 1, 2, 3, 5, 6, 7, 15, 25, 64, 9999, 2**31, "", "x", "1 2"]))
            line = ":".join(fields if rng.random() < 0.9 else fields[:at])
        else:
            at = int(rng.integers(len(line) + 1))
            line = line[:at] + chr(int(rng.integers(1, 0x250))) + line[at + int(rng.integers(3)) :]
    return line


def test_no_line_stops_it(session: Session) -> None:
    rng = np.random.default_rng(12)
    lines = [
        board_line(board, turn=side, dice=dice, match=match, cube=cube, may=may, doubled=doubled)
        for board in (START, STRONG, LOST_A_GAMMON)
        for side in (1, -1)
        for dice, doubled in (("0:0", 0), ("0:0", 1), ("6:2", 0))
        for match in ("0:0:0", "7:6:2")
        for cube, may in ((1, "1:1"), (4, "1:0"))
    ]
    lines += [f"evaluation fibsboard {line} cubeful" for line in lines[:4]]
    lines += [f"{line} jacobyrule on beavers on resignation 2" for line in lines[:9]]
    refused = 0
    for _ in range(round(500 * SCALE)):
        line = mutated(rng, lines)
        answer = session.answer(line)
        assert answer is not None, line
        assert answer.isprintable(), line
        assert len(answer) < 250, line
        refused += answer.startswith("Error: ")
        assert "Error(" not in answer, (line, answer)  # an exception of ours
    assert refused
    assert session.answer(board_line(dice="3:1")) == "8/5 6/5"


# The real one ---------------------------------------------------------------------------------------------------


@needs_gnubg
@pytest.mark.parametrize(
    "arguments", [["--match", "3", "--seat", "0"], ["--match", "0", "--games", "1", "--seat", "1"]]
)
def test_gnubg_plays_against_it(arguments: list[str]) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "gnubg_match"), "--level", "normal", "--seed", "1", "--json"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=ROOT, check=False, timeout=280)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["score agrees"]
    assert told["decisions agree"]
    assert told["plays"] > 10
    assert sum(told["score"]) > 0
