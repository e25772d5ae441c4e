"""Matches written as `.mat` and read again, by GNU Backgammon where it is installed and by this library.

``GAMMON_RL_TEST_SCALE=40`` has GNU Backgammon read 200 matches and write 50; the default of 1 a fortieth of that.
"""

import base64
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from gammon_rl.bots.bot import Bot
from gammon_rl.bots.gnubg import find_gnubg
from gammon_rl.errors import InvalidPositionError, MatFileError, PlayerUnavailableError
from gammon_rl.rules.ids import from_gnubg_id
from gammon_rl.rules.notation import Play
from gammon_rl.table import actions as ac, events as ev
from gammon_rl.table.dice import RecordedDice
from gammon_rl.table.mat import FileMatch, read_mat, to_mat
from gammon_rl.table.options import Seat, TableOptions
from gammon_rl.table.record import GameRecord, Record
from gammon_rl.table.state import Phase, State, to_act
from gammon_rl.table.table import Table

SCALE = float(os.environ.get("GAMMON_RL_TEST_SCALE", "1"))
MATCHES = max(4, round(5 * SCALE))
GNUBG_FILES = max(2, round(1.25 * SCALE))
BATCH = 10  # matches for one process of GNU Backgammon
DATA = Path(__file__).parent / "data"

try:
    find_gnubg()
    missing = ""
except PlayerUnavailableError as error:
    missing = str(error)
needs_gnubg = pytest.mark.skipif(bool(missing), reason=missing)

NAMES = ("Ann", "Bob Jo", "Émile", 'The "King": 2', "; x : 3", "名前", "31) 31: 8/5 6/5", " x ")
RARE = {ac.Double: 0.04, ac.Resign: 0.001, ac.Drop: 0.4, ac.DeclineResignation: 0.6}


# Matches to write ------------------------------------------------------------------------------------------------


def random_options(rng: np.random.Generator) -> TableOptions:
    money = rng.random() < 0.4
    length = 0 if money else int(rng.choice([1, 2, 3, 3, 5, 5, 7, 11, 25]))
    return TableOptions(
        variant=str(rng.choice(["standard", "nackgammon", "hypergammon"], p=[0.7, 0.15, 0.15])),
        match_length=length,
        session=money and rng.random() < 0.7,
        cube=bool(rng.random() < 0.9),
        crawford=bool(rng.random() < 0.8),
        jacoby=bool(rng.random() < 0.7),
        beavers=bool(rng.random() < 0.5),
        clock="fast",
        on_timeout="forfeit" if rng.random() < 0.5 else "bot",
    )


def random_match(seed: int, options: TableOptions | None = None) -> Table:
    """Return a table at which was played at random, to the end or not."""
    rng = np.random.default_rng([1130, seed])
    options = options or random_options(rng)
    seats = [Seat(str(name)) for name in rng.choice(NAMES, 2, replace=False)]
    table = Table(options, seats, dice=seed)
    left = int(rng.integers(50, 1500))
    while not table.is_over and left > 0:
        left -= 1
        act_at_random(table, rng)
    return table


def act_at_random(table: Table, rng: np.random.Generator) -> None:
    if table.running_time and rng.random() < 0.0005:
        table.apply(ac.TimeOut(table.running_time.seat))
        return
    legal = table.legal_actions()
    weights = np.array([RARE.get(type(action), 1.0) for action in legal])
    table.apply(legal[rng.choice(len(legal), p=weights / weights.sum())])


def told(record: Record) -> list[ev.Event]:
    """Return what of a record the format holds, in the words in which it comes back."""
    kept: list[ev.Event] = []
    for event in record.events:
        match event:
            case ev.OpeningRolled(dice=(first, second)) if first == second:
                continue
            case ev.TimedOut() | ev.ResignationOffered() | ev.ResignationAccepted() | ev.ResignationDeclined():
                continue
            case ev.Rolled(seat=seat, dice=(first, second)):
                kept.append(ev.Rolled(seat, (max(first, second), min(first, second))))
            case ev.Played(seat=seat, dice=(first, second), steps=steps):
                kept.append(ev.Played(seat, (max(first, second), min(first, second)), steps))
            case ev.TurnSkipped(seat=seat):
                kept.append(ev.TurnSkipped(seat))
            case ev.GameEnded():
                kept.append(replace(event, how="bear-off", level=1))
            case ev.MatchEnded() | ev.Dropped():
                continue
            case ev.OpeningRolled() | ev.GameStarted() | ev.SeatTakenOver() | ev.SeatGivenBack():
                kept.append(event)
            case _:
                kept.append(replace(event, by="player"))
    return kept


def match_of_bots(seed: int) -> Table:
    """Return a match or session of two bots that play by the model."""
    options = TableOptions(match_length=(3, 0)[seed % 2], session=True, beavers=True, jacoby=seed % 4 == 1)
    bot = Bot("normal", seed=seed)
    table = Table(options, [Seat("Ann", bot="normal"), Seat("Bob", bot="normal")], dice=seed)
    while not table.is_over and table.game <= 3:
        table.apply(choice_of_bot(table, bot))
    return table


def choice_of_bot(table: Table, bot: Bot) -> ac.Action | Play:
    match table.phase:
        case Phase.TO_PLAY:
            assert table.dice
            return bot.choose_play(table.position, table.dice)
        case Phase.TO_ROLL if table.may_double:
            return ac.Double() if bot.cube_action(table.position).double else ac.Roll()
        case Phase.DOUBLED:
            answer = bot.cube_action(table.position)
            may = ac.Beaver() in table.legal_actions()
            return ac.Beaver() if answer.beaver and may else ac.Take() if answer.take else ac.Drop()
        case Phase.CLOSED_BOARD:
            return ac.PassTurn()
        case Phase.GAME_OVER:
            return ac.NextGame()
    return ac.Roll()


def read_one(text: str | bytes) -> FileMatch:
    (match,) = read_mat(text)
    return match


# GNU Backgammon --------------------------------------------------------------------------------------------------


def run_gnubg(commands: list[str], home: Path) -> str:
    done = subprocess.run(
        [find_gnubg(), "-t", "-q", "-r"],
        input="\n".join(["set confirm new off", "set confirm save off", "set automatic roll on", *commands]) + "\n",
        env={**os.environ, "HOME": str(home), "LC_ALL": "C.UTF-8"},
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=True,
        timeout=600,
    )
    return done.stdout


COMPLAINTS = re.compile(
    r"^.*(?:warning|error|invalid|illegal|unrecogni|unknown|not a valid|failed|cannot).*$", re.I | re.M
)


@dataclass
class Reading:
    """What GNU Backgammon has read: its positions, and who has won what in each game (None in one not over)."""

    positions: list[tuple[object, ...]]
    scores: list[tuple[int, int]]
    won: list[tuple[int, int] | None]
    cube: list[str]


def read_by_gnubg(texts: list[str], records: list[Record], folder: Path) -> list[Reading]:
    commands = []
    for number, (text, record) in enumerate(zip(texts, records, strict=True)):
        options = record.options
        name = f"m{number}"
        (folder / f"{name}.mat").write_text(text, encoding="utf-8")
        on = options.jacoby and options.cube
        commands += [f"set jacoby {'on' if on else 'off'}", "set beavers 3", f"import mat {name}.mat"]
        commands += [f"save match {name}.sgf", f"export match text {name}.txt"]
    said = run_gnubg(commands, folder)
    assert not COMPLAINTS.findall(said)
    return [reading(folder, f"m{number}", record) for number, record in enumerate(records)]


def reading(folder: Path, name: str, record: Record) -> Reading:
    games = [folder / f"{name}{f'_{game.number:03}' * (game.number > 1)}.txt" for game in record.games]
    text = "\n".join(path.read_text(encoding="utf-8") for path in games)
    ids = re.findall(r"Position ID: (\S+)\s+Match ID\s+: (\S+)", text)
    sgf = (folder / f"{name}.sgf").read_text(encoding="utf-8")
    cube = re.findall(r"^;([WB]\[(?:double|take|drop)\])", sgf, re.M)
    positions = [seen_by_gnubg(position, match, record) for position, match in ids]
    return Reading(positions, sgf_scores(sgf), sgf_results(sgf), cube)


def sgf_scores(sgf: str) -> list[tuple[int, int]]:
    return [(int(white), int(black)) for white, black in re.findall(r"\[ws:(\d+)\]\[bs:(\d+)\]", sgf)]


def sgf_results(sgf: str) -> list[tuple[int, int] | None]:
    results = [re.search(r"RE\[([WB])\+(\d+)R?\]", game) for game in sgf.split("(;FF")[1:]]
    return [result and (int(result[1] == "B"), int(result[2])) for result in results]


def seen_by_gnubg(position: str, match: str, record: Record) -> tuple[object, ...]:
    bits = bytearray(base64.b64decode(match))
    bits[1] |= 1  # the text does not say that a game is being played
    try:
        board, at = from_gnubg_id(f"{position}:{base64.b64encode(bits).decode()}", record.options.rules)
    except InvalidPositionError as error:
        if "a beaver has to be answered" not in str(error):
            raise
        return ("beaver",)
    crawford = at.crawford and record.options.crawford and record.options.cube  # it always plays that rule
    dice = at.dice and (max(at.dice), min(at.dice))
    return tuple(board.tolist()), dice, at.cube_value, at.cube_owner, at.score, crawford, at.doubled, at.jacoby


def seen_by_us(record: Record) -> Iterator[tuple[object, ...]]:
    """Yield what the players saw at each event that GNU Backgammon keeps too."""
    states = list(record.states())
    for before, event, after, later in zip(states, record.events, states[1:], [*record.events[1:], None], strict=False):
        if isinstance(event, ev.Played | ev.Doubled | ev.Taken | ev.Beavered | ev.Dropped):
            yield view(before, record.options)
        if isinstance(event, ev.Beavered):
            yield ("beaver",)
        if after.dice and later is None:
            yield view(after, record.options)


def view(state: State, options: TableOptions) -> tuple[object, ...]:
    seat = to_act(state)
    assert seat is not None
    board = state.board if seat == state.turn else tuple(-count for count in reversed(state.board))
    owner = "centre" if state.owner is None else "mine" if state.owner == seat else "theirs"
    dice = state.dice and (max(state.dice), min(state.dice))
    score = (0, 0) if options.money else state.score if seat == 0 else state.score[::-1]
    doubled = seat != state.turn
    jacoby = options.money and options.cube and options.jacoby
    return board, dice, state.cube, owner, score, state.crawford, doubled, jacoby


def cube_actions(record: Record) -> list[str]:
    said = []
    for event in record.events:
        match event:
            case ev.Doubled(seat=seat):
                said.append(f"{'WB'[seat]}[double]")
            case ev.Beavered(seat=seat):
                said += [f"{'WB'[seat]}[double]", f"{'BW'[seat]}[take]"]
            case ev.Taken(seat=seat):
                said.append(f"{'WB'[seat]}[take]")
            case ev.Dropped(seat=seat):
                said.append(f"{'WB'[seat]}[drop]")
    return said


@needs_gnubg
@pytest.mark.parametrize("start", range(0, MATCHES, BATCH))
def test_gnubg_reads_what_is_written(start: int, tmp_path: Path) -> None:
    """Of random matches; every batch has one of two bots too."""
    tables = [*map(random_match, range(start, min(start + BATCH, MATCHES))), match_of_bots(start // BATCH)]
    texts = [to_mat(table) for table in tables]
    records = [read_one(text).record for text in texts]
    for text, record, seen in zip(texts, records, read_by_gnubg(texts, records, tmp_path), strict=True):
        assert seen.scores == [game.score for game in record.games], text
        assert seen.won == [won(game) for game in record.games], text
        assert seen.cube == cube_actions(record), text
        assert seen.positions == list(seen_by_us(record)), text


def won(game: GameRecord) -> tuple[int, int] | None:
    return game.result and (game.result.winner, game.result.points)


def test_a_game_lost_on_time_by_a_player_who_has_to_answer_a_resignation_is_read() -> None:
    options = TableOptions(match_length=5, clock="normal", on_timeout="forfeit")
    table = Table(options, dice=RecordedDice([(3, 1), (6, 5), (4, 2)]))
    for action in (ac.Roll(), ac.Play("8/5 6/5"), ac.Resign(2)):
        table.apply(action)
    later = Table.from_json(table.to_json())
    table.apply(ac.TimeOut(0))
    match = read_one(to_mat(table))
    assert match.record.games[0].result == table.result == ev.GameEnded(1, "forfeit", 1, 1, (0, 1))
    assert to_mat(match.record) == to_mat(table)
    assert len(match.notes) == 1
    assert "Player 1 gives up where nobody can resign; it is lost on time for the answer" in match.notes[0]
    # After the first chance the loser had, the resignation is done there.
    for action in (ac.DeclineResignation(), ac.Roll(), ac.Play("24/13"), ac.Roll(), ac.Play("8/4 6/4"), ac.Resign(1)):
        later.apply(action)
    later.apply(ac.TimeOut(0))
    match = read_one(to_mat(later))
    assert match.record.games[0].result == ev.GameEnded(1, "resignation", 1, 1, (0, 1))
    assert len(list(plays(match.record.games[0]))) == 2
    assert "it is done at the last chance, and what follows that is left out" in match.notes[0]


def test_whatever_way_a_game_is_given_up_what_is_written_is_read() -> None:
    rng = np.random.default_rng(43)
    seen = set()
    for number in range(round(6 * min(SCALE, 30))):
        options = TableOptions(
            match_length=(0, 5, 7)[number % 3],
            clock="fast",
            on_timeout="forfeit",
            jacoby=bool(number % 2),
            beavers=True,
        )
        table = Table(options, dice=number)
        while not table.is_over and len(table.record.events) < 60:
            legal = table.legal_actions()
            weights = np.array([0.1 if isinstance(one, ac.Drop | ac.AcceptResignation) else 1.0 for one in legal])
            table.apply(legal[rng.choice(len(legal), p=weights / weights.sum())])
            if table.to_act is not None and rng.random() < 0.4:
                lost = Table.from_json(table.to_json())
                lost.apply(ac.TimeOut(table.to_act))
                given = [lost]
                if ac.AcceptResignation() in table.legal_actions():
                    given.append(Table.from_json(table.to_json()))
                    given[-1].apply(ac.AcceptResignation())
                for one in given:
                    match = read_one(to_mat(one))
                    assert [won(game) for game in match.record.games] == [won(game) for game in one.record.games]
                    assert Table.replay(match.record).score == one.score
                seen.add(table.phase)
    assert seen >= {Phase.TO_ROLL, Phase.TO_PLAY, Phase.DOUBLED, Phase.RESIGNING}


def test_a_game_given_up_after_a_turn_that_passed_against_a_closed_board_is_read_to_the_end() -> None:
    """The file shows nothing of that turn, and the other player gives up in the next one."""
    record = read_one((DATA / "gnubg_match.mat").read_bytes()).record
    record = replace(record, options=replace(record.options, clock="fast", on_timeout="forfeit"))
    at = next(at for at, state in enumerate(record.states()) if state.phase is Phase.CLOSED_BOARD)
    table = Table.replay(record, at)
    table.apply(ac.PassTurn())
    loser = table.to_act
    assert loser is not None
    resigned = Table.from_json(table.to_json())
    table.apply(ac.TimeOut(loser))
    for action in (ac.Resign(1), ac.AcceptResignation()):
        resigned.apply(action)
    for one in (table, resigned):
        match = read_one(to_mat(one))
        assert won(match.record.games[-1]) == won(one.record.games[-1]) == (1 - loser, one.cube)
        assert len(list(plays(match.record.games[-1]))) == len(list(plays(one.record.games[-1])))
        assert not match.notes


def test_a_record_without_events_has_no_games() -> None:
    (match,) = read_mat(" 5 point match\n")
    assert match.record.games == ()
    assert read_one(to_mat(match.record)).record == match.record
    table = Table(TableOptions(match_length=3))
    assert table.record.with_events(()).games == ()
    assert [game.number for game in table.record.games] == [1]


def test_names_are_cleaned() -> None:
    text = lines(OPENING).replace("Ann", "A\x1b[31mnn").replace("Bob", "B" * 300)
    assert [seat.name for seat in read_one(text).record.seats] == ["A [31mnn", "B" * 40]
    headed = f'; [Player 1 ""]\n; [Player 2 "\x07"]\n{lines(OPENING)}'
    assert [seat.name for seat in read_one(headed).record.seats] == ["Player 1", "Player 2"]


@needs_gnubg
@pytest.mark.parametrize("name", [*NAMES, "A name of far more than thirty letters"])
def test_gnubg_reads_any_name(name: str, tmp_path: Path) -> None:
    table = Table(TableOptions(match_length=3), [Seat(name), Seat("Bob")], RecordedDice([(3, 1), (6, 5)]))
    for action in (ac.Roll(), ac.Play("8/5 6/5"), ac.Roll()):
        table.apply(action)
    (tmp_path / "m.mat").write_text(to_mat(table), encoding="utf-8")
    assert not COMPLAINTS.findall(run_gnubg(["import mat m.mat", "save match m.sgf"], tmp_path))
    assert re.findall(r"\n;(.*)", (tmp_path / "m.sgf").read_text(encoding="utf-8")) == ["W[31hefe]", "PL[B]DI[65])"]


GNUBG_PLAYS = """
set automatic bearoff on
set automatic move on
set player 0 gnubg
set player 1 gnubg
set player 0 chequerplay evaluation plies 0
set player 1 chequerplay evaluation plies 0
set player 0 cubedecision evaluation plies 0
set player 1 cubedecision evaluation plies 0
set display off
"""


@needs_gnubg
@pytest.mark.parametrize("start", range(0, GNUBG_FILES, BATCH))
def test_what_gnubg_writes_is_read(start: int, tmp_path: Path) -> None:
    commands = [*GNUBG_PLAYS.strip().splitlines(), f"set seed {1130 + start}"]
    lengths = {}
    for number in range(start, min(start + BATCH, GNUBG_FILES)):
        length = (0, 3, 1, 7, 0, 5, 11, 2)[number % 8]
        lengths[number] = length
        variation = "nackgammon" if number % 8 == 5 else "standard"
        rules = [
            f"set variation {variation}",
            f"set jacoby {'off' if number % 16 == 4 else 'on'}",
            f"set beavers {number % 2}",
            f"set automatic game {'on' if length else 'off'}",
        ]
        games = [f"new match {length}"] if length else ["new session", *["new game"] * 3]
        commands += ["set variation standard", *rules, *games]
        commands += [f"export match mat g{number}.mat", f"save match g{number}.sgf"]
    run_gnubg(commands, tmp_path)
    for number, length in lengths.items():
        match = read_one((tmp_path / f"g{number}.mat").read_bytes())
        record = match.record
        sgf = (tmp_path / f"g{number}.sgf").read_text(encoding="utf-8")
        assert [game.score for game in record.games] == sgf_scores(sgf)
        assert [won(game) for game in record.games] == sgf_results(sgf)
        assert not match.notes
        table = Table.replay(record)
        assert table.is_over or not length
        assert [len(list(plays(game))) for game in record.games] == sgf_plays(sgf)


def plays(game: GameRecord) -> Iterator[ev.Event]:
    return (event for event in game.events if isinstance(event, ev.Played | ev.TurnSkipped))


def sgf_plays(sgf: str) -> list[int]:
    return [len(re.findall(r"^;[WB]\[[1-6]{2}[a-z]*\]", game, re.M)) for game in sgf.split("(;FF")[1:]]


# Out and back ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(1000, 1000 + MATCHES))
def test_what_is_written_comes_back(seed: int) -> None:
    table = random_match(seed)
    text = to_mat(table)
    match = read_one(text)
    assert told(match.record) == told(table.record)
    assert [seat.name for seat in match.record.seats] == [seat.name for seat in table.seats]
    for name in ("variant", "match_length", "cube"):
        assert getattr(match.record.options, name) == getattr(table.options, name)
    name = "jacoby" if table.options.money else "crawford"
    assert getattr(match.record.options, name) == getattr(table.options, name)
    assert Table.replay(match.record).score == table.score
    assert match.notes or to_mat(match.record) == text


@pytest.mark.parametrize("seed", range(2000, 2004))
def test_automatic_doubles_come_back_as_far_as_they_show(seed: int) -> None:
    options = TableOptions(session=True, jacoby=seed % 2 == 0, automatic_doubles=2)
    table = random_match(seed, options)
    match = read_one(to_mat(table))
    for ours, theirs in zip(match.record.games, table.record.games, strict=True):
        assert (ours.score, won(ours)) == (theirs.score, won(theirs))
        if any(isinstance(event, ev.Doubled) for event in theirs.events):
            assert cubes(ours) == cubes(theirs)


def cubes(game: GameRecord) -> list[int]:
    return [event.cube for event in game.events if isinstance(event, ev.Doubled | ev.Taken | ev.Beavered)]


def test_a_variant_without_a_name_in_the_format_is_refused() -> None:
    with pytest.raises(MatFileError, match=r"a \.mat file holds standard, .*, and not tavla"):
        to_mat(Table(TableOptions(variant="tavla")))


# Files of others -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "scores", "number_of_plays"),
    [
        ("gnubg_match", {"match_length": 5}, [(0, 0), (0, 2), (4, 2), (4, 3)], 262),
        ("gnubg_session", {"session": True, "jacoby": True}, [(0, 0), (0, 1), (2, 1)], 108),
        ("gnubg_nackgammon", {"session": True, "variant": "nackgammon"}, [(0, 0), (2, 0), (2, 2)], 164),
    ],
)
def test_frozen_files_of_gnubg(
    name: str, options: dict[str, object], scores: list[tuple[int, int]], number_of_plays: int
) -> None:
    match = read_one((DATA / f"{name}.mat").read_bytes())
    for option, value in options.items():
        assert getattr(match.record.options, option) == value
    assert [game.score for game in match.record.games] == scores
    assert sum(len(list(plays(game))) for game in match.record.games) == number_of_plays
    assert match.headers["EventDate"] == "2026.11.30"
    assert not match.notes


@pytest.mark.parametrize("name", ["own_match", "own_session"])
def test_frozen_files_of_our_own(name: str) -> None:
    text = (DATA / f"{name}.mat").read_text(encoding="utf-8")
    match = read_one(text)
    assert to_mat(Table.replay(match.record)) == text


LIKE_XG = """; [Site "eXtreme Gammon"]
; [Match ID "238991235"]
; [Player 1 "José García"]
; [Player 2 "Ann: the 2nd"]
; [Player 1 Elo "1600.00/0"]
; [EventTime "21.53"]
; [Variation "Backgammon"]
; [Crawford "On"]
; [CubeLimit "1024"]

3 point match

 Game 1
 José García : 0                    Ann; the 2nd : 0
  1)                             13: 24/23 13/10
  1) 42: 8/4, 6/4                65: 24/13
  7)  Doubles => 2                Takes
  8) 11: 6/5(2) 8/7(2)           21: 10/8 23/22
  9) 66: 24/18(2) 13/7(2)        31: 8/5 6/5
                                  Wins 2 points

 Game 2
 José García : 0                    Ann; the 2nd : 2
  1)                             31: 8/5 6/5
  2) 63: 24/15*
                                  Wins 1 point and the match
"""


def test_a_file_in_the_manner_of_extreme_gammon() -> None:
    """Headers, latin-1, CRLF, dice as they fell, merged steps, stars too many, numbers that do not count."""
    match = read_one(LIKE_XG.replace("\n", "\r\n").encode("latin-1"))
    record = match.record
    assert [seat.name for seat in record.seats] == ["José García", "Ann: the 2nd"]
    assert match.headers["Site"] == "eXtreme Gammon"
    texts = [event.text for event in record.events if isinstance(event, ev.Played)]
    assert texts[:4] == ["24/23 13/10", "8/4 6/4", "24/18 18/13", "8/7 8/7 6/5 6/5"]
    assert [won(game) for game in record.games] == [(1, 2), (1, 1)]
    assert record.games[1].crawford
    assert Table.replay(record).is_over
    said = "José García resigns where nobody can; it is done at the last chance, and what follows that is left out"
    assert match.notes == (f"line 26: {said}",)


def lines(*rows: str, length: str = "0 point match", score: str = "0") -> str:
    return "\n".join([f" {length}", "", " Game 1", f" Ann : {score}        Bob : 0", *rows, ""])


OPENING = "  1) 31: 8/5 6/5                 65: 24/13"


@pytest.mark.parametrize("name", ["Hypergammon", "HyperGammon", "HyperGammon (3)", "hyper-gammon"])
def test_a_variant_is_known_by_its_letters(name: str) -> None:
    assert read_one(f'; [Variation "{name}"]\n{lines()}').record.options.variant == "hypergammon"


@needs_gnubg
@pytest.mark.parametrize("variant", ["standard", "nackgammon", "hypergammon"])
def test_gnubg_knows_the_variant_when_no_play_shows_it(variant: str, tmp_path: Path) -> None:
    table = Table(TableOptions(variant=variant, match_length=3), dice=RecordedDice([(6, 5), (3, 1)]))
    for action in (ac.Roll(), ac.Play("24/13"), ac.Roll()):
        table.apply(action)
    record = read_one(to_mat(table)).record
    (seen,) = read_by_gnubg([to_mat(table)], [record], tmp_path)
    assert seen.positions == list(seen_by_us(record))


def test_several_matches_in_one_file() -> None:
    one = lines(OPENING, "  2)  Doubles => 2                Drops", "      Wins 1 point", length="5 point match")
    other = '; [Player 1 "Zoe"]\n\n' + lines(OPENING, length="Unlimited game")
    first, second = read_mat("\ufeffA title\n\n" + one + "\n" + other)
    assert (first.record.options.match_length, second.record.options.match_length) == (5, 0)
    assert [seat.name for seat in second.record.seats] == ["Zoe", "Bob"]
    assert Table.replay(first.record).score == (1, 0)


@pytest.mark.parametrize(
    ("rows", "jacoby", "level", "cube"),
    [
        (["      Wins 1 point"], True, 1, 1),
        (["      Wins 2 points"], False, 2, 1),
        (["      Wins 3 points"], False, 3, 1),
        (["      Wins 4 points"], True, 1, 4),
        (["  2)  Doubles => 4                Takes", "  3) 21: 24/21", "      Wins 8 points"], True, 2, 4),
    ],
)
def test_rules_that_are_not_said_are_those_that_fit(rows: list[str], jacoby: bool, level: int, cube: int) -> None:
    match = read_one(lines("  1) 31: 8/5 6/5", *rows) if "Doubles" not in rows[0] else lines(OPENING, *rows))
    result = match.record.games[0].result
    assert result is not None
    assert (match.record.options.jacoby, result.level) == (jacoby, level)
    ties = sum(isinstance(event, ev.OpeningRolled) for event in match.record.events) - 1
    assert 2**ties * (2 if "Doubles" in rows[0] else 1) == cube
    assert bool(match.notes) == bool(ties)
    assert match.record.options.automatic_doubles == ties


def test_a_match_without_the_crawford_rule_is_noticed() -> None:
    text = lines(
        OPENING,
        "  2)  Doubles => 2                Takes",
        "  3) 21: 24/21",
        "      Wins 2 points",
        length="3 point match",
    )
    text += "\n Game 2\n Ann : 2       Bob : 0\n" + OPENING + "\n  2) 21: 24/21                    Doubles => 2\n"
    assert not read_one(text).record.options.crawford
    with pytest.raises(MatFileError, match="line 14: there is no doubling in the Crawford game"):
        read_mat('; [Crawford "On"]\n' + text)


def test_a_beaver_is_read_however_it_is_said() -> None:
    plain = [OPENING, "  2)  Doubles => 2                Beavers => 4"]
    readings = [
        lines(*plain, "  3) 21: 24/21"),
        lines(*plain, "  3)  Takes", "  4) 21: 24/21"),
        lines(OPENING, "  2)  Doubles => 2                Doubles => 4", "  3) 21: 24/21"),
        lines(OPENING, "  2)  Doubles                    Beavers", "  3) 21: 24/21"),
    ]
    assert len({read_one(text).record for text in readings}) == 1
    assert Table.replay(read_one(readings[0]).record).cube == 4


def test_a_roll_against_a_closed_board_is_a_skipped_turn() -> None:
    """GNU Backgammon rolls there, and writes a dance; this library leaves the cell empty."""
    text = (DATA / "own_match.mat").read_text(encoding="utf-8")
    rolled = re.sub(r"^ 22\) {6}", " 22) 63:   ", text, flags=re.M)
    spoken = re.sub(r"^ 22\) {14}", " 22) Cannot Move   ", text, flags=re.M)
    assert len({text, rolled, spoken}) == 3
    assert read_one(text).record == read_one(rolled).record == read_one(spoken).record
    assert any(isinstance(event, ev.TurnSkipped) for event in read_one(text).record.events)


def test_an_unfinished_game_goes_on() -> None:
    for rest, roll in (("  2) 65: ????", (6, 5)), ("  2) 65:", (6, 5)), ("", None)):
        table = Table.replay(read_one(lines(OPENING, rest)).record, dice=RecordedDice([(2, 1)]))
        assert (table.to_act, table.dice) == (0, roll)
    doubled = Table.replay(read_one(lines(OPENING, "  2)  Doubles => 2")).record)
    assert (doubled.to_act, doubled.phase.value) == (1, "doubled")
    begun = Table.replay(read_one(lines()).record, dice=RecordedDice([(2, 1)]))
    assert begun.phase.value == "opening roll"


def test_a_session_that_began_earlier_begins_anew() -> None:
    match = read_one(lines("  1) 31: 8/5 6/5", "      Wins 1 point", score="7"))
    assert match.record.games[0].score == (0, 0)
    assert match.notes == ("line 4: the session begins at 7-0, its record at 0-0",)


def test_a_game_given_up_on_the_first_turn_is_lost_on_time() -> None:
    match = read_one(lines("  1) 31: ????", "                                  Wins 1 point"))
    assert match.notes == ("line 6: Ann gives up where nobody can resign; it is lost on time",)
    assert match.record.games[0].result == ev.GameEnded(1, "forfeit", 1, 1, (0, 1))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "line 1: there is no match up to here; expected a line such as '7 point match'"),
        ("garbage\nmore", "line 2: there is no match up to here"),
        (" \u0a69 point match\n", "line 2: there is no match up to here"),  # a 3, but not in these files
        (" 26 point match\n", "line 1: a match goes to 25 points at most, this one to 26"),
        (" 3 point match\n Ann", "line 2: 'Ann' is not understood; expected a line such as 'Game 1'"),
        (" 3 point match\n Game 1\n", "line 2: the text ends before the names of the players"),
        (" 3 point match\n Game 1\n Ann", "line 3: 'Ann' is not understood; expected the players"),
        ('; [Variation "Chess"]\n' + lines(), "line 1: the variation 'Chess' is not known; known are Backgammon"),
        (lines(score="1", length="3 point match"), "line 4: the match begins at 1-0; a record begins with its first"),
        (lines("  1) 33: 8/5(2) 6/3(2)"), "line 5: a game does not begin with a tie, got 33"),
        (lines("  1) 31: 8/5 6/4"), "line 5: '8/5 6/4' is not legal with 3-1"),
        (lines("  1) 31: 8/5 6/"), "line 5: '6/' is not understood; expected a roll with its play"),
        (lines("  1) 31: 8/5"), "line 5: '8/5' is not legal with 3-1: both dice must be played"),
        (lines(OPENING, "  2) 97: 8/5"), "line 6: '97: 8/5' is not understood"),
        (lines(OPENING, "  2)                             65: 24/13"), "line 6: Ann has to act, not Bob"),
        (lines(OPENING, "  2) 21:", "  3) 31: 8/5 6/5"), "line 6: '' is not legal with 2-1: a checker can move"),
        (lines(OPENING, "  2) 21: ????", "  3) 31: 8/5 6/5"), "line 7: the play before this line is not known"),
        (lines(OPENING, "  2)  Takes"), "line 6: the table is at: to roll or double"),
        (lines(OPENING, "  2)  Doubles => 3"), "line 6: the cube would be at 2, not at 3"),
        (lines(OPENING, "  2) Cannot Move"), "line 6: Ann has not rolled"),
        (lines(OPENING, "  2)  Doubles => 2   Raccoons => 8"), "line 6: 'Raccoons => 8' is not understood"),
        (lines(OPENING, "  2)  Doubles => 2                Beavers => 4", "  3)  Drops"), "line 7: a beaver cannot be"),
        (lines(OPENING, "      Wins 1 point", OPENING), "line 7: the game was won before this line"),
        (lines(OPENING, "      Wins 5 points", length="9 point match"), "line 6: Ann cannot win 5 here"),
        (lines(OPENING, " Game 2", " A : 0  B : 0"), "line 6: a game begins before"),
        (lines(OPENING, "  2)  Doubles => 2                Drops", " Wins 2 points", length="5 point match"),
         "line 7: Ann has won 1 by the rules, not 2"),
        (lines(OPENING, "  2)  Doubles => 2                Drops", " Wins 1 point", " Game 2", " A : 0  B : 1"),
         "line 9: the score is 1-0 by the games before"),
        (lines(OPENING, "  2)  Doubles => 2                Drops", "Game 2", "A : 1  B : 0", length="1 point match"),
         "line 6: the cube is dead: its value of 1 already wins the match"),
        (lines(OPENING, "Wins 1 point", "Game 2", "A : 1  B : 0", length="1 point match"),
         "line 7: a game begins after the match is over"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(MatFileError) as caught:
        read_mat(text)
    assert str(caught.value).startswith(reason)


def test_damage_is_refused_in_words() -> None:
    """Texts cut off anywhere and with letters changed are read or refused; nothing else happens."""
    rng = np.random.default_rng(1130)
    text = (DATA / "own_match.mat").read_text(encoding="utf-8")
    damaged = [text[: int(cut)] for cut in rng.integers(len(text), size=round(20 * min(SCALE, 20)))]
    for _ in range(round(40 * min(SCALE, 20))):
        at, letter = int(rng.integers(len(text))), "0123456789/:*() =>;\n\0é"[int(rng.integers(22))]
        damaged.append(text[:at] + letter + text[at + 1 :])
    refused = []
    for broken in damaged:
        try:
            for match in read_mat(broken):
                Table.replay(match.record)
        except MatFileError as error:
            refused.append(str(error))
    assert len(refused) > len(damaged) / 4
    assert all(re.match(r"line \d+: ", reason) for reason in refused)
    for _ in range(20):
        with pytest.raises(MatFileError):
            read_mat(rng.bytes(2000))


def test_a_long_line_takes_no_long_time() -> None:
    for line in ("1/" * 20_000, ": 0 " * 20_000, " " * 20_000 + "x", "1/1 " * 20_000):
        for text in (f" 3 point match\n Game 1\n {line}", lines(f"  1) 31: {line}")):
            with pytest.raises(MatFileError):
                read_mat(text)
