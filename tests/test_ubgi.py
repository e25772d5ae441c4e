"""The UBGI engine: driven as a program by whole games, garbage and signals, and line by line in this process."""

import contextlib
import io
import os
import queue
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gammon_rl import cli
from gammon_rl.bots.bot import Bot
from gammon_rl.rules.board import results, turn
from gammon_rl.rules.dice import roll
from gammon_rl.rules.ids import position_id
from gammon_rl.rules.notation import parse_play
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import STANDARD, Boards
from gammon_rl.serve import ubgi
from gammon_rl.serve.ubgi import Engine, talk
from tests.positions import position

ROOT = Path(__file__).parents[1]
SCALE = float(os.environ.get("GAMMON_RL_TEST_SCALE", "1"))
START_ID = "4HPwATDgc/ABMA"
RACE = position("6x3 5x3 4x2", "19x3 20x3 21x2")
CLOSED_OUT = position("bar 6x14", "19x2 20x2 21x2 22x2 23x2 24x2 1x3")
SAID = ("id ", "option ", "ubgiok", "readyok", "info ", "best", "error ")


@dataclass
class Program:
    """The engine as another process."""

    process: "subprocess.Popen[bytes]"

    def tell(self, *lines: str | bytes) -> None:
        assert self.process.stdin is not None
        for line in lines:
            self.process.stdin.write((line.encode() if isinstance(line, str) else line) + b"\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().rstrip("\n")

    def ask(self, *lines: str) -> str:
        self.tell(*lines)
        return self.hear()

    def end(self) -> tuple[int, str]:
        """Return how it ended, and what it said on standard error."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        if not self.process.stdin.closed:
            self.process.stdin.close()
        said = self.process.stderr.read().decode()
        return self.process.wait(timeout=60), said


@pytest.fixture
def start() -> Iterator[Callable[..., Program]]:
    """Yield what starts engines, and see that none is left."""
    with contextlib.ExitStack() as started:

        def program(*arguments: str) -> Program:
            command = [sys.executable, "-m", "gammon_rl", "ubgi", *arguments]
            pipe = subprocess.PIPE
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT)
            started.enter_context(process)
            started.callback(process.kill)
            return Program(process)

        yield program


@dataclass
class Talk:
    """An engine in this process, and what it has said."""

    engine: Engine
    said: "queue.Queue[str]"

    def tell(self, *lines: str) -> None:
        for line in lines:
            self.engine.take(line)

    def ask(self, *lines: str) -> str:
        self.tell(*lines)
        return self.said.get(timeout=60)


def engine(level: str = "normal", **options: Any) -> Talk:
    said: queue.Queue[str] = queue.Queue()
    return Talk(Engine(said.put, level, **options), said)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Position]:
    """Return the list of the positions that bots are asked about the cube."""
    positions: list[Position] = []
    answer = Bot.cube_action

    def spy(self: Bot, asked: Position, *arguments: Any) -> Any:
        positions.append(asked)
        return answer(self, asked, *arguments)

    monkeypatch.setattr(Bot, "cube_action", spy)
    return positions


class Waiting:
    """What stands in for a decision: begun, and over when it is stopped."""

    def __init__(self) -> None:
        self.begun: queue.Queue[str] = queue.Queue()

    def __call__(self, bot: Bot, asked: Position, dice: Any, limit: Any, stop: Any) -> Any:
        self.begun.put("begun")
        assert stop.wait(60)
        return parse_play("8/5 6/5", asked.board, dice)


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Waiting:
    wait = Waiting()
    monkeypatch.setattr(Bot, "choose_play", lambda *arguments: wait(*arguments))
    return wait


# As a program ---------------------------------------------------------------------------------------------------


def test_whole_games(start: Callable[..., Program]) -> None:
    program = start("--level", "normal")
    assert program.ask("ubgi") == "id name gammon_rl"
    while program.hear() != "ubgiok":
        pass
    program.tell("setoption name BestMoveId value true", "newsession type match length 5")
    assert program.ask("isready") == "readyok"
    rng = np.random.default_rng(5)
    doubled = 0
    for number in range(2):
        program.tell("newgame", f"setscore {number} 0")
        board, on_roll, cube, owner = STANDARD.start(), 0, 1, "center"
        for ply in range(500):
            program.tell(f"setturn p{on_roll}", f"position gnubgid {position_id(board)}")
            if ply and program.ask("go role cube") == "bestcube double":
                doubled += 1
                if program.ask("go role take") == "bestcube drop":
                    break
                cube, owner = 2 * cube, f"p{1 - on_roll}"
                program.tell(f"setcube value {cube} owner {owner}")
            (dice,) = roll(rng, 1).tolist()
            program.tell(f"dice {dice[0]} {dice[1]}", "go role chequer")
            word, after = program.hear().split()
            assert word == "bestmoveid"
            word, _, payload = program.hear().partition(" ")
            assert word == "bestmove"
            made = parse_play(payload, board, dice)
            assert position_id(made.afterstate) == after
            board, on_roll = made.afterstate, 1 - on_roll
            if results(board):
                break
        else:
            pytest.fail("the game does not end")
    assert doubled
    program.tell("quit")
    assert program.end() == (0, "")


def test_a_list_of_commands_is_answered_to_the_end() -> None:
    lines = f"position gnubgid {START_ID}\ndice 3 1\ngo role chequer"  # and no line end
    command = [sys.executable, "-m", "gammon_rl", "ubgi", "--level", "normal"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("bestmove 8/5 6/5\n", "")


@pytest.mark.skipif(os.name == "nt", reason="a shell closes it")
def test_closed_standard_input_is_refused_on_a_line() -> None:
    command = f"{shlex.quote(sys.executable)} -m gammon_rl ubgi <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, "gammon-rl: ubgi reads standard input, which is closed\n")


def test_a_deep_search_is_stopped_and_bad_input_answered(start: Callable[..., Program]) -> None:
    program = start()
    assert program.ask(b"\xff\x00\x80 caf\xe9".decode("latin-1")).startswith("error unknown_command")
    program.tell(b"\xff\xfe\x00", b"x" * 100_000)
    for _ in range(2):
        assert program.hear().startswith("error unknown_command")
    program.tell(f"position gnubgid {START_ID}", "dice 6 4", "go role chequer depth 8")
    assert program.ask("isready") == "readyok"
    assert program.ask("go role cube").startswith("error search_in_progress")
    payload = program.ask("stop").removeprefix("bestmove ")
    assert parse_play(payload, STANDARD.start(), (6, 4))
    # time ends it as well
    payload = program.ask("go role chequer depth 8 movetime 20").removeprefix("bestmove ")
    assert parse_play(payload, STANDARD.start(), (6, 4))
    program.tell("go role chequer depth 8", "quit")
    assert program.end() == (0, "")
    assert program.process.stdout is not None
    assert program.process.stdout.read() == b""


def test_an_interruption_ends_it_quietly(start: Callable[..., Program]) -> None:
    searching, idle = start(), start("--level", "easy")
    searching.tell(f"position gnubgid {START_ID}", "dice 6 4", "go role chequer depth 8")
    for program in (searching, idle):
        assert program.ask("isready") == "readyok"
        program.process.send_signal(signal.SIGINT)
        assert program.process.wait(timeout=60) == 130
        assert program.end() == (130, "")


def test_it_survives_that_nobody_listens(start: Callable[..., Program]) -> None:
    program = start("--level", "easy")
    assert program.ask("isready") == "readyok"
    assert program.process.stdout is not None
    program.process.stdout.close()
    program.tell("isready", "isready")
    assert program.end() == (0, "")


@pytest.mark.parametrize("arguments", [["--level", "hrad"], ["--variant", "chess"], ["--model", "none.safetensors"]])
def test_what_it_cannot_begin_with_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["gammon-rl", "ubgi", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.startswith("gammon-rl: ")
    assert said.count("\n") == 1


# What is played -------------------------------------------------------------------------------------------------


def ask_cube(*commands: str) -> str:
    """Return the answer to a cube question after the commands."""
    return engine().ask(*commands, "go role cube")


def test_the_situation_is_that_of_the_player_on_roll(asked: list[Position]) -> None:
    board = f"position gnubgid {position_id(RACE)}"
    ask_cube("newsession type money jacoby on", "setoption name Beavers value true", board)
    ask_cube("newsession type match length 7", "setscore 2 3", "setcube value 4 owner p1", board)
    ask_cube("newsession type match length 7", "setscore 2 3", "setcube value 4 owner p1", board, "setturn p1")
    ask_cube("setcube value 2 owner centre", board)
    ask_cube("newsession type match length 7", "setscore 1 1", "newgame", board)
    assert asked == [
        Position(RACE, jacoby=True, beavers=True),
        Position(RACE, match_length=7, score=(2, 3), cube_value=4, cube_owner="theirs"),
        Position(RACE, match_length=7, score=(3, 2), cube_value=4, cube_owner="mine"),
        Position(RACE, cube_value=2),
        Position(RACE, match_length=7, score=(1, 1)),
    ]


def test_the_crawford_game_is_the_first_at_match_point(asked: list[Position]) -> None:
    talk = engine()
    talk.tell("newsession type match length 5")
    for score in ("3 2", "4 2", "4 2", "4 3", "4 4"):
        talk.ask(f"setscore {score}", f"position gnubgid {START_ID}", "go role cube")
    talk.tell("newsession type match length 5 crawford off")
    talk.ask("setscore 4 2", "go role cube")
    talk.tell("newsession type match length 1")
    talk.ask("setscore 0 0", "go role cube")
    assert [position.crawford for position in asked] == [False, True, True, False, False, False, False]


def test_a_whole_position_says_the_situation_itself(asked: list[Position]) -> None:
    whole = Position(RACE, cube_value=2, cube_owner="mine", match_length=9, score=(4, 7))
    for text in (f"xgid {whole.xgid}", f"xgid {whole.xgid[5:]}", f"gnubgid {whole.gnubg_id}"):
        ask_cube("newsession type match length 5", "setscore 1 1", f"position {text}")
    assert asked == [whole] * 3


@pytest.mark.parametrize(
    "line", ["setcube value 2 owner p0", "setscore 1 0", "setturn p1", "newsession type match length 7"]
)
def test_a_whole_position_is_told_again_after_another_situation(line: str) -> None:
    talk = engine("normal")
    whole = f"position xgid {Position(RACE, match_length=9, score=(4, 7)).xgid}"
    talk.tell(whole, line)
    assert talk.ask("go role cube").startswith(
        "error missing_context position: the last one has a score, cube and turn"
    )
    talk.tell(whole)
    assert talk.ask("go role cube").startswith("bestcube ")


def test_a_whole_position_brings_its_dice() -> None:
    whole = Position.parse("start")
    rolled = Position(whole.board, dice=(3, 1))
    talk = engine()
    assert talk.ask(f"position xgid {rolled.xgid}", "go role chequer") == "bestmove 8/5 6/5"
    assert talk.ask("dice 6 5", "go role chequer") == "bestmove 24/18 18/13"
    assert talk.ask(f"position gnubgid {START_ID}", "go role chequer") == "error missing_context dice"
    assert talk.ask("newgame", "go role cube") == "error missing_context position"


# Deciding -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "dice", "payload"),
    [
        (STANDARD.start(), "6 5", "24/18 18/13"),
        (CLOSED_OUT, "4 4", "pass"),
        (position("bar 13x5", "19x2 20x2 21x2 23x2 24x2 18x2 5x2"), "3 1", "bar/22 13/12"),
        (position("6x2", "1x2"), "6 6", "6/off 6/off"),
        (position("barx2 13x5", "19x2 20x2 21x2 22x2 5x2"), "2 1", "bar/24 bar/23"),
    ],
)
def test_steps_are_written_one_by_one(board: Boards, dice: str, payload: str) -> None:
    talk = engine()
    assert talk.ask(f"position gnubgid {position_id(board)}", f"dice {dice}", "go") == f"bestmove {payload}"


def test_doubles_and_answers() -> None:
    strong, weak = position("6x2 5x2", "19x3 20x3 21x3"), position("6x3 5x3 4x3", "19x2 20x2")
    for board, double, take in ((strong, "double", "drop"), (weak, "nodouble", "take")):
        talk = engine()
        talk.tell(f"position gnubgid {position_id(board)}")
        assert talk.ask("go role cube") == f"bestcube {double}"
        assert talk.ask("go cube") == f"bestcube {double}"
        assert talk.ask("go role take") == f"bestcube {take}"
        offered = Position(turn(board), doubled=True)
        for role in ("cube", "take"):
            assert talk.ask(f"position xgid {offered.xgid}", f"go role {role}") == f"bestcube {take}"
        assert talk.ask("dice 3 1", "go role chequer").startswith("error bad_argument a double has to be answered")
    assert engine().ask(
        "setoption name Beavers value true", f"position gnubgid {position_id(weak)}", "go role take"
    ) == ("bestcube beaver")


def test_a_turn_is_a_double_and_a_play() -> None:
    talk = engine()
    talk.tell(f"position gnubgid {START_ID}", "dice 3 1")
    after = parse_play("8/5 6/5", STANDARD.start(), (3, 1)).afterstate
    assert talk.ask("go role turn movetime 5000") == f"bestturn cube=nodouble moveid={position_id(after)}"


def test_thoughts_are_told_on_request() -> None:
    talk = engine()
    talk.tell("setoption name Info value true", f"position gnubgid {START_ID}", "dice 3 1", "go role turn")
    kinds = [talk.said.get(timeout=60).split() for _ in range(3)]
    assert [words[:3] for words in kinds[:2]] == [["info", "role", "cube"], ["info", "role", "chequer"]]
    told = dict(zip(kinds[1][1::2], kinds[1][2::2], strict=True))
    assert told["depth"] == "0"
    assert 0.5 < float(told["pwin"]) < 0.65
    assert 0.1 < float(told["eq"]) < 0.3
    easy = engine("easy")
    easy.tell("setoption name Info value true", f"position gnubgid {START_ID}")
    assert easy.ask("go role cube") == "bestcube nodouble"
    match = engine()
    match.tell("setoption name Info value true", "newsession type match length 3", f"position gnubgid {START_ID}")
    assert 0.5 < float(match.ask("go role cube").partition(" mwc ")[2]) < 0.6


def test_while_it_searches(waiting: Waiting) -> None:
    talk = engine()
    talk.tell(f"position gnubgid {START_ID}", "dice 3 1", "go")
    waiting.begun.get(timeout=60)
    assert talk.ask("isready") == "readyok"
    for command in ("dice 1 1", "newgame", "ubgi", "setoption name Ply value 1", "go"):
        assert talk.ask(command).startswith("error search_in_progress")
    assert talk.ask("nonsense").startswith("error unknown_command")
    assert talk.ask("stop") == "bestmove 8/5 6/5"
    talk.tell("stop", "stop")  # nothing to stop
    talk.tell("go")
    waiting.begun.get(timeout=60)
    talk.tell("quit")
    talk.engine.finish()
    assert talk.engine.is_over
    assert talk.said.empty()


def test_a_search_ends_soon_after_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ubgi, "GRACE", 0.05)
    one = engine("hard")
    talk(one.engine, io.BytesIO(f"position gnubgid {START_ID}\ndice 6 4\ngo depth 8".encode()))
    assert one.said.get_nowait().startswith("bestmove ")
    assert one.said.empty()


def test_nothing_is_read_after_quit() -> None:
    one = engine("easy")
    talk(one.engine, io.BytesIO(b"isready\nquit\nisready\n"))
    assert [one.said.get_nowait()] == ["readyok"]
    assert one.said.empty()


def test_a_fault_of_ours_is_an_answer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*arguments: Any) -> Any:
        raise ZeroDivisionError("oh\nno")

    monkeypatch.setattr(Bot, "choose_play", broken)
    talk = engine()
    talk.tell(f"position gnubgid {START_ID}", "dice 3 1")
    assert talk.ask("go") == "error internal ZeroDivisionError('oh\\nno')"
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert talk.ask("isready") == "readyok"


# Options and errors ---------------------------------------------------------------------------------------------


def test_options_are_shown_as_they_are() -> None:
    talk = engine("hard@3")
    talk.tell("setoption name seed value 18446744073709551615", "set engine.beavers true", "set game.info true")
    talk.tell("ubgi")
    told = [talk.said.get(timeout=1) for _ in range(11)]
    assert told[3].startswith("option name Level type combo default hard var easy")
    assert told[4] == "option name Ply type spin default 3 min 0 max 8"
    assert told[5].startswith("option name Seed type spin default 18446744073709551615 ")
    assert told[7] == "option name Beavers type check default true"
    assert told[9] == "option name Info type check default true"
    assert told[10] == "ubgiok"


def test_the_same_seed_plays_the_same() -> None:
    def plays(seed: int) -> list[str]:
        talk = engine("easy")
        talk.tell(f"setoption name Seed value {seed}", f"position gnubgid {START_ID}", "dice 2 1")
        return [talk.ask("go") for _ in range(8)]

    assert plays(2**40) == plays(2**40) != plays(2**40 + 1)
    talk = engine("easy")
    again = []
    for _ in range(2):
        talk.tell("setoption name Seed value 7", f"position gnubgid {START_ID}", "dice 2 1")
        again.append([talk.ask("go") for _ in range(8)])
    assert again[0] == again[1]


def test_levels_depths_and_variants() -> None:
    talk = engine("hard")
    assert talk.ask("setoption name Variant value tavla").startswith("error unsupported_feature ")
    talk.tell("setoption name Level value novice")
    assert talk.ask("setoption name Ply value 1") == "error bad_argument level novice has no depth"
    talk.tell("setoption name Level value easy", "setoption name Variant value tavla", "newgame")
    board = position("6 5 4", "19 20 21")
    talk.tell(f"position gnubgid {position_id(board)}", "dice 5 4")
    assert talk.ask("go depth 3") == "bestmove 5/off 4/off"  # where bearing off is forced


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("frobnicate", "unknown_command 'frobnicate'; known are ubgi, isready, "),
        ("UBGI", "unknown_command 'UBGI'"),
        ("setoption", "bad_argument expected: setoption name <Name> value <Value>"),
        ("setoption name Level value", "bad_argument expected"),
        ("setoption name Level value grand master", "bad_argument expected"),
        ("setoption name Level value grandmaster", "bad_argument Level is one of easy, novice"),
        ("setoption name Ply value 9", "bad_argument Ply is a whole number from 0 to 8, got '9'"),
        ("setoption name Ply value -1", "bad_argument Ply is a whole number"),
        ("setoption name Seed value 18446744073709551616", "bad_argument Seed is a whole number"),
        ("setoption name Beavers value yes", "bad_argument Beavers is one of true, false, got 'yes'"),
        ("setoption name Hash value 1", "unsupported_feature there is no option 'Hash'; known are Level"),
        ("set x", "bad_argument expected: set <key> <value>"),
        ("newsession", "bad_argument type is one of money, match, got ''"),
        ("newsession type match", "bad_argument length is a whole number from 1 to 25"),
        ("newsession type match length 26", "bad_argument length is a whole number from 1 to 25"),
        ("newsession type money jacoby maybe", "bad_argument jacoby is one of on, off, got 'maybe'"),
        ("newsession type money type money", "bad_argument expected some of type, length"),
        ("newsession type money length", "bad_argument expected some of type, length"),
        ("newsession colour red", "bad_argument expected some of type, length"),
        ("setscore 1", "bad_argument expected: setscore <p0> <p1>"),
        ("setscore 1 x", "bad_argument a score is a whole number"),
        ("setcube value 2", "bad_argument owner is one of center, centre, p0, p1, got ''"),
        ("setcube value two owner p0", "bad_argument value is a whole number"),
        ("setturn", "bad_argument turn is one of p0, p1, got ''"),
        ("setturn p0 p1", "bad_argument turn is one of p0, p1, got 'p0 p1'"),
        ("position", "bad_argument expected: position gnubgid <id>"),
        ("position fen 4HPwATDgc/ABMA", "bad_argument expected: position gnubgid <id>"),
        ("position gnubgid zzz", "bad_argument a position ID has 14 characters"),
        ("position gnubgid ZZZZZZZZZZZZZA", "bad_argument "),
        ("position xgid XGID=nothing", "bad_argument an XGID has 10 fields"),
        ("dice 7 1", "bad_argument a die is a whole number from 1 to 6, got '7'"),
        ("dice 3", "bad_argument expected: dice <d1> <d2>"),
        ("dice \uff13 1", "bad_argument a die is a whole number"),
        ("go role chequer", "missing_context position"),
        ("go role banana", "bad_argument role is one of chequer, cube, take, turn, got 'banana'"),
        ("go role cube nodes 100", "unsupported_feature a search is bounded by movetime or depth, not by nodes"),
        ("go trials 36", "unsupported_feature a search is bounded by movetime or depth, not by trials"),
        ("go depth", "bad_argument expected some of role, movetime"),
        ("go depth 9", "bad_argument depth is a whole number from 0 to 8"),
        ("go movetime soon", "bad_argument movetime is a whole number"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(line: str, answer: str) -> None:
    talk = engine()
    assert talk.ask(line).startswith(f"error {answer}")
    assert talk.said.empty()


@pytest.mark.parametrize(
    ("commands", "answer"),
    [
        (["newsession type match length 5", "setscore 5 0"], "5 to 0 is no score during a match to 5"),
        (["setcube value 3 owner p0"], "a cube is a power of two"),
        (["setcube value 1 owner p0"], "a cube at 1 is in the centre"),
        (["newsession type match length 5", "setcube value 2 owner center"], "in a match a cube at 2 has an owner"),
    ],
)
def test_an_impossible_situation_is_said_when_it_is_asked_for(commands: list[str], answer: str) -> None:
    said = ask_cube(*commands, f"position gnubgid {START_ID}")
    assert said.startswith("error bad_argument impossible position: ")
    assert answer in said


def test_a_finished_game_has_no_decisions() -> None:
    over = position("", "24x2")
    talk = engine()
    for role in ("cube", "chequer", "turn", "take"):
        said = talk.ask(f"position gnubgid {position_id(over)}", "dice 3 1", f"go role {role}")
        assert said == "error bad_argument the game is over: a player has all checkers off"


def test_blank_lines_and_line_ends_are_nothing() -> None:
    one = engine("easy")
    talk(one.engine, io.BytesIO(b"\r\n\n   \nisready\r\n \0 isready \n"))
    assert [one.said.get(timeout=1) for _ in range(2)] == ["readyok"] * 2
    assert one.said.empty()


# Anything -------------------------------------------------------------------------------------------------------

WORDS = [
    "ubgi", "isready", "stop", "setoption name", "Level", "Ply", "Seed", "Variant", "value", "set", "newgame",
    "newsession type", "match", "money", "length", "jacoby on", "crawford off", "setscore", "setcube value", "owner",
    "p0", "p1", "center", "setturn", "position gnubgid", "position xgid", "dice", "go", "role", "cube", "take", "turn",
    "chequer", "movetime", "depth", "nodes", "easy", "normal", "tavla", "true", "false", "0", "1", "2", "3", "6", "64",
    "-1", "1e3", "99999999999999999999", START_ID, "cAkAAAAAAAAE", f"{START_ID}:cAkAAAAAAAAE", "/z0AADDeaxsAAA",
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:5:10", "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:D:0:0:0:3:10",
    "é", "\x00", "\ufffd", "'", "%s", "{}",
]  # fmt: skip
HEADS = ["newgame", f"position gnubgid {START_ID}", "dice 5 2", "go role chequer depth 0", "go role cube", "go"]


def mutated(rng: np.random.Generator) -> str:
    """Return a line that is often nearly right."""
    words = [WORDS[at] for at in rng.integers(len(WORDS), size=rng.integers(1, 7))]
    if rng.random() < 0.5:
        words = [HEADS[rng.integers(len(HEADS))], *words[: rng.integers(3)]]
    text = " ".join(words)
    if rng.random() < 0.3:
        at = int(rng.integers(len(text) + 1))
        text = text[:at] + chr(int(rng.integers(1, 0x250))) + text[at + int(rng.integers(2)) :]
    return text


def test_no_line_stops_it() -> None:
    rng = np.random.default_rng(11)
    talk = engine()
    for _ in range(round(600 * SCALE)):
        line = mutated(rng)
        if "quit" in line or "hard" in line:
            continue
        talk.tell(line)
        talk.engine.finish()  # hangs, if at all, here
        while not talk.said.empty():
            said = talk.said.get()
            assert said.startswith(SAID), (line, said)
            assert not said.startswith("error internal"), (line, said)
            assert said.isprintable()
            assert len(said) < 400
    assert talk.ask("isready") == "readyok"
