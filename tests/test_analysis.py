"""What decisions lost and rolls were worth, and how the command line tells it."""

import dataclasses
import json
import re
import signal
import threading
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len

from gammon_rl.bots.analysis import (
    KINDS,
    Analysis,
    Decision,
    Finding,
    Luck,
    Tally,
    analyse,
    luck_of,
)
from gammon_rl.bots.bot import Bot
from gammon_rl.cli import main, report
from gammon_rl.cli.board_svg import board_svg
from gammon_rl.cli.page import page
from gammon_rl.cli.saving import as_bytes
from gammon_rl.processes import deaf_to_interrupts
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.position import Position
from gammon_rl.stakes.met import own_table
from gammon_rl.stakes.worth import Stakes
from gammon_rl.table import actions as ac, events as ev
from gammon_rl.table.dice import RecordedDice
from gammon_rl.table.mat import read_mat, to_mat
from gammon_rl.table.options import Seat, TableOptions
from gammon_rl.table.record import Record
from gammon_rl.table.state import first_state, position_for
from gammon_rl.table.table import Table
from tests.pages import run_page

DATA = Path(__file__).parent / "data"
NAMES = ("<script>alert('1')</script>", 'A & "B" </style>')
OPENING = (ac.Roll(), ac.Play("6/3 3/2"), ac.Roll(), ac.Play("24/13"))
"""A blunder with 3-1, and the best play with 6-5."""


@pytest.fixture(scope="module")
def bot() -> Bot:
    return Bot("normal", bearoff=False)


@pytest.fixture(scope="module")
def session(bot: Bot) -> Analysis:
    """The analysis of a session of GNU Backgammon, with beavers, drops and resignations, under names of our own."""
    (match,) = read_mat((DATA / "gnubg_session.mat").read_bytes())
    record = match.record
    return analyse(Record(record.options, (Seat(NAMES[0]), Seat(NAMES[1])), 0, record.events), bot)


def played(*actions: ac.Action, options: TableOptions | None = None) -> Table:
    table = Table(options or TableOptions(), [Seat("Ann"), Seat("Bob")], RecordedDice([(3, 1), (6, 5), (4, 2)]))
    for action in actions:
        table.apply(action)
    return table


def decisions(table: Table, bot: Bot) -> list[Decision]:
    return analyse(table.record, bot).decisions()


# Decisions -------------------------------------------------------------------------------------------------------


def test_a_planted_blunder_loses_what_the_bot_says(bot: Bot) -> None:
    blunder, good = decisions(played(*OPENING), bot)
    candidates = bot.analyse(Position(Position.start().board, jacoby=True), (3, 1))
    own = next(one for one in candidates if one.play.text == "6/3 3/2")
    assert (blunder.seat, blunder.kind, blunder.what, blunder.done, blunder.best) == (
        0,
        "play",
        "3-1",
        "6/3 3/2",
        "8/5 6/5",
    )
    assert blunder.loss == own.loss == candidates[0].equity - own.equity
    assert [one.play.text for one in blunder.candidates[:5]] == [one.play.text for one in candidates[:5]]
    assert blunder.candidates[-1].play == own.play
    assert (good.seat, good.loss, good.done, good.best) == (1, 0.0, "24/18 18/13", "24/18 18/13")


def test_cube_decisions_lose_what_the_bot_says(bot: Bot) -> None:
    for answer, kind, cost in ((ac.Take(), "take", "take"), (ac.Drop(), "drop", "pass")):
        table = played(*OPENING, ac.Double(), answer)
        double, answered = decisions(table, bot)[2:]
        cube = bot.cube_action(double.position)
        assert (double.seat, double.kind, double.best, double.loss) == (0, "double", "no double", cube.costs["double"])
        assert (answered.seat, answered.kind, answered.loss) == (1, kind, cube.costs[cost])
        assert answered.position.doubled
        assert answered.cube == cube
        assert sum(answered.probs[:1] + double.probs[:1]) == pytest.approx(1)
    beaver = decisions(played(*OPENING, ac.Double(), ac.Beaver(), options=TableOptions(beavers=True)), bot)[-1]
    assert (beaver.kind, beaver.loss) == ("beaver", max(0.0, bot.cube_action(beaver.position).costs["beaver"]))


def test_a_turn_without_a_double_counts_if_doubling_was_right_or_close(session: Analysis, bot: Bot) -> None:
    options = session.record.options
    seen = Counter[str]()
    for one in session.findings:
        if isinstance(one.event, ev.Rolled):
            cube = bot.cube_action(position_for(one.state, one.event.seat, options))
            may = "double" in cube.costs
            close = may and (cube.double or cube.nd - min(cube.dt, cube.dp) < 0.16)
            assert (one.decision is not None) == close
            seen[f"may {may}, close {close}"] += 1
            if one.decision:
                assert (one.decision.kind, one.decision.loss) == ("no double", max(0.0, cube.costs["no double"]))
                assert one.decision.best == ("double" if cube.double else "no double")
    assert len(seen) == 3, seen


def test_plays_without_a_choice_count_nowhere(bot: Bot) -> None:
    (match,) = read_mat(
        """\
 0 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 62: 24/18 13/11             61: 13/7* 8/7
  2) 63: bar/22 13/7             55: 13/8(2) 8/3*(2)
  3) 66:
"""
    )
    found = analyse(match.record, bot)
    plays = [one.decision for one in found.findings if isinstance(one.event, ev.Played)]
    assert [one is None for one in plays] == [False, False, False, False, True]
    assert (found.tally(0).turns, found.tally(0).shares["play"].count) == (3, 2)
    assert (found.tally(1).turns, found.tally(1).shares["play"].count) == (2, 2)


def test_resignations_have_a_loss_and_do_not_count(bot: Bot) -> None:
    options = TableOptions(jacoby=False)
    playing_on = -bot.cube_action(Position.start()).nd  # a guess at what the opening is about: near to nothing
    assert abs(playing_on) < 0.2
    for answer, kind, best in (
        (ac.AcceptResignation(), "accept", "accept"),
        (ac.DeclineResignation(), "decline", "accept"),
    ):
        table = played(*OPENING, ac.Resign(2), answer, options=options)
        offer, reply = decisions(table, bot)[-2:]
        equity = bot.cube_action(offer.position)
        on = equity.nd + equity.costs["no double"]
        assert (offer.seat, offer.kind, offer.done, offer.best) == (0, "resign", "resign a gammon", "play on")
        assert offer.loss == pytest.approx(on + 2)
        assert (reply.seat, reply.kind, reply.best) == (1, kind, best)
        assert reply.loss == pytest.approx(0 if kind == "accept" else on + 2)
        tally = Tally.of([offer, reply])
        assert (tally.decisions, tally.loss, tally.rating, tally.lost, tally.blunders) == (0, 0, 0, 0, 0)
        assert tally.shares["resign"].loss == offer.loss


def test_what_a_bot_did_for_a_player_is_no_decision(bot: Bot) -> None:
    table = played(ac.Roll(), ac.TimeOut(0), ac.Play("6/3 3/2"), options=TableOptions(clock="fast"))
    assert decisions(table, bot) == []
    assert analyse(table.record, bot).tally(0).luck  # the dice are the player's all the same


def test_losses_in_a_match_are_also_chances_of_winning_it(bot: Bot) -> None:
    blunder = decisions(played(*OPENING, options=TableOptions(match_length=3)), bot)[0]
    stakes = Stakes.match(3, 3)
    won, lost = float(stakes.worth(1)), float(stakes.worth(-1))
    assert blunder.lost == pytest.approx(blunder.loss * (won - lost) / 2)
    money = decisions(played(*OPENING), bot)[0]
    assert money.lost == money.loss


# Adding up -------------------------------------------------------------------------------------------------------


def decided(kind: str, loss: float, game: int = 1, seat: int = 0) -> Decision:
    return Decision(game, seat, kind, Position.start(), "this", "that", loss, 2 * loss, ())  # type: ignore[arg-type]


def test_the_error_rates() -> None:
    found = [decided("play", loss) for loss in (0.0, 0.0, 0.1, 0.02, 0.019)]
    found += [decided("no double", 0.0), decided("double", 0.081), decided("take", 0.5), decided("resign", 9.0)]
    tally = Tally.of(found, [Luck(0, 0.5, 1.0), Luck(0, -0.2, -0.4)], turns=7)
    assert tally.decisions == 8
    assert tally.loss == pytest.approx(0.72)
    assert tally.rate == pytest.approx(90)  # 0.72 points of 8 decisions, in thousandths
    assert tally.rating == pytest.approx(45)
    assert tally.snowie_rate(16) == pytest.approx(45)  # of the 16 turns of both
    assert (tally.errors, tally.blunders) == (4, 3)
    assert tally.lost == pytest.approx(1.44)
    assert (tally.luck, tally.luck_worth) == pytest.approx((0.3, 0.6))
    assert (tally.shares["play"].count, tally.shares["play"].errors) == (5, 2)
    assert tuple(tally.shares) == KINDS
    assert Tally.of([]).rating == 0


def test_players_and_games_add_up_to_the_whole(session: Analysis) -> None:
    games = [game.number for game in session.record.games]
    for seat in (0, 1):
        whole, parts = session.tally(seat), [session.tally(seat, game) for game in games]
        assert whole.decisions == sum(part.decisions for part in parts)
        assert whole.loss == pytest.approx(sum(part.loss for part in parts))
        assert whole.luck == pytest.approx(sum(part.luck for part in parts))
        assert whole.turns == sum(part.turns for part in parts)
        assert whole.lost >= whole.loss  # the cube is at 1 or higher
    assert session.complete
    assert len(session.findings) == len(session.record.events)
    assert session.worst(0.0)[0].loss == max(one.loss for one in session.decisions())


def test_the_outcome_of_a_match_is_half_of_it() -> None:
    (match,) = read_mat((DATA / "gnubg_match.mat").read_bytes())
    record = match.record
    pairs = enumerate(zip(record.states(), record.events, strict=False))
    whole = Analysis(record, tuple(Finding(number, state, event) for number, (state, event) in pairs), 0)
    outcomes = whole.outcomes()
    assert [one.number for one in outcomes] == [game.number for game in record.games]
    assert [one.result for one in outcomes] == [game.result for game in record.games]
    winner = outcomes[-1].result.winner
    assert sum(one.worth for one in outcomes) == pytest.approx(0.5 if winner == 0 else -0.5)
    first = outcomes[0].result
    needs = (5 - first.score[0], 5 - first.score[1])
    assert outcomes[0].worth == pytest.approx(float(own_table().mwc(*needs)) - 0.5)
    assert Analysis(record, (), 0).outcomes() == []


# Luck ------------------------------------------------------------------------------------------------------------


def test_luck_has_no_mean(bot: Bot) -> None:
    options = TableOptions(match_length=5)
    state = first_state(options, (Seat("Ann"), Seat("Bob")))
    opening = [
        luck_of(state, ev.OpeningRolled((one, other)), options, bot.evaluator)
        for one in range(1, 7)
        for other in range(1, 7)
        if one != other
    ]
    assert Counter(one.seat for one in opening if one) == {0: 15, 1: 15}
    by_seat = [sum(one.worth for one in opening if one and one.seat == seat) for seat in (0, 1)]
    assert by_seat[0] == pytest.approx(by_seat[1], abs=1e-4)  # so for either player it adds up to nothing
    assert by_seat[0] > 0  # to begin is lucky
    table = played(*OPENING, options=options)
    *_, state = table.record.states()
    rolls = [luck_of(state, ev.Rolled(0, (one, other)), options, bot.evaluator) for one, other in ROLLS.tolist()]
    assert np.dot([one.equity for one in rolls if one], ROLL_CHANCES) == pytest.approx(0, abs=1e-5)
    assert max(one.equity for one in rolls if one) > 0.3


def test_luck_is_the_best_play_less_the_mean_of_all_rolls(bot: Bot) -> None:
    options = TableOptions(jacoby=False)
    table = played(*OPENING, options=options)
    *_, state = table.record.states()
    position = position_for(state, 0, options)
    best = [bot.analyse(position, (one, other))[0].equity for one, other in ROLLS.tolist()]
    for at in (0, 7, 20):
        one, other = ROLLS[at].tolist()
        found = luck_of(state, ev.Rolled(0, (one, other)), options, bot.evaluator)
        assert found
        assert found.equity == pytest.approx(best[at] - np.dot(best, ROLL_CHANCES), abs=0.01)


# Working together ------------------------------------------------------------------------------------------------


def test_any_number_of_processes_finds_the_same(bot: Bot) -> None:
    table = played(*OPENING, ac.Double(), ac.Take())
    one, two = (analyse(table.record, bot, processes=count) for count in (1, 2))
    assert [(each.done, each.best) for each in one.decisions()] == [(each.done, each.best) for each in two.decisions()]
    for seat in (0, 1):
        assert one.tally(seat).loss == pytest.approx(two.tally(seat).loss, abs=1e-5)
        assert one.tally(seat).luck == pytest.approx(two.tally(seat).luck, abs=1e-5)


def interrupted(after: int) -> Callable[[int, int, int], None]:
    def progress(done: int, total: int, game: int) -> None:
        assert (total, game) == (6, 1)
        if done == after:
            raise KeyboardInterrupt

    return progress


def test_an_interrupt_gives_what_was_found(bot: Bot) -> None:
    record = played(*OPENING, ac.Double()).record
    found = analyse(record, bot, progress=interrupted(3))
    assert not found.complete
    assert len(found.findings) == 3
    assert [one.what for one in found.decisions()] == ["3-1"]
    told = "\n".join(report.lines(found, "normal", 10))
    assert "interrupted: 3 of 6 events were looked at" in told
    assert report.data(found, "x", {})["complete"] is False
    assert "The analysis was interrupted here." in page(found, "x", "normal")


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no masks of signals here")
def test_an_interrupt_while_processes_start_is_heard_afterwards() -> None:
    def interrupted() -> None:
        with deaf_to_interrupts():
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)  # others' threads may be about
            reached.append(True)

    reached: list[bool] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached


# Told ------------------------------------------------------------------------------------------------------------


def test_the_lines_fit_a_terminal(session: Analysis) -> None:
    lines = list(report.lines(session, "normal at 0 plies", 3))
    table = [line for line in lines if not line.startswith(("Blunders", "  1.", "  2.", "  3.", "     XGID"))]
    assert max(map(len, table[2:])) <= 79
    mine = session.tally(0)
    (rating,) = (line.split() for line in lines if line.startswith("PR "))
    assert rating == ["PR", f"{mine.rating:.2f}", f"{session.tally(1).rating:.2f}"]
    (plays,) = (line for line in lines if line.startswith("Plays with a choice"))
    share = mine.shares["play"]
    assert f"{share.count}, {share.errors} wrong, -{share.loss:.3f}" in plays
    worst = session.worst()[0]
    at = lines.index(f"     {worst.position.xgid}")
    assert lines[at - 1].startswith(f"  1. -{worst.loss:.3f}  game {worst.game}, {NAMES[worst.seat]}, {worst.what}: ")


@pytest.mark.parametrize("name", ["Maximilian Alexander", "Maximilian Xy", "\u5f35\u5049" * 8, "A"])
def test_a_name_too_long_is_cut_and_never_a_number(session: Analysis, name: str) -> None:
    seats = tuple(dataclasses.replace(seat, name=name) for seat in session.record.seats)
    found = dataclasses.replace(session, record=dataclasses.replace(session.record, seats=seats))
    lines = list(report.lines(found, "normal", 0))
    at = next(place for place, line in enumerate(lines) if line.startswith("Game "))
    for line, game in zip(lines[at + 1 :], session.record.games, strict=False):
        if game.result:
            assert line.endswith(f" +{game.result.points}")
        assert cell_len(line) <= 79
    heads = next(line for line in lines if name[0] in line and not line.startswith(name[0]))
    assert cell_len(heads) == cell_len(next(line for line in lines if line.startswith("PR ")))


SCHEMA = {
    "": "format version source notes complete opinion variant match_length unit players result games decisions rolls",
    "players": "name pr error_rate snowie_error_rate decisions errors blunders loss lost turns luck luck_worth kinds",
    "games": "number score crawford result players",
    "decisions": "event game seat kind dice done best loss lost counts xgid gnubg_id plays cube probs",
    "rolls": "event game seat luck worth",
}


def test_the_json_has_its_form(session: Analysis) -> None:
    data = json.loads(json.dumps(report.data(session, "a.mat", {"level": "normal", "ply": 0, "model": None})))
    assert (data["format"], data["version"], data["unit"]) == ("gammon_rl analysis", 1, "points")
    for part, keys in SCHEMA.items():
        assert " ".join((data[part][0] if part else data).keys()) == keys
    assert list(data["players"][0]["kinds"]) == list(KINDS)
    assert set(data["games"][0]["players"][0]) == set(data["players"][0]) - {"name"}
    assert len(data["rolls"]) == sum(isinstance(event, ev.Rolled | ev.OpeningRolled) for event in session.record.events)
    for one in data["decisions"]:
        position = Position.parse(one["xgid"])
        assert one["dice"] == (list(position.dice) if position.dice else None)
        assert (one["plays"] == []) == (one["kind"] != "play") == (one["cube"] is not None)
        event = session.record.events[one["event"]]
        assert one["kind"] != "play" or one["done"] == event.text  # type: ignore[union-attr]
    for seat in (0, 1):
        losses = [one["loss"] for one in data["decisions"] if one["seat"] == seat and one["counts"]]
        assert data["players"][seat]["pr"] == pytest.approx(500 * sum(losses) / len(losses), abs=1e-3)
        assert data["players"][seat]["name"] == NAMES[seat]


# The page --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def html(session: Analysis) -> str:
    return page(session, "<a>&.mat", 'normal "0"')


def test_the_page_is_well_formed_and_needs_nothing_else(html: str) -> None:
    tree = ET.fromstring(html)
    assert [one.tag for one in tree] == ["head", "body"]
    assert len(list(tree.iter("script"))) == 1
    assert not {one.tag for one in tree.iter()} & {"link", "img", "iframe", "object", "embed", "base", "form", "image"}
    for one in tree.iter():
        for name, value in one.attrib.items():
            assert name not in ("src", "srcset", "action", "style")
            assert not name.startswith("on")
            assert name != "href" or value.startswith("#")
    assert not re.search(r"https?:|//[a-z]|url\(|@import|@font-face|javascript:", html.replace("// Keys", ""))
    assert "prefers-color-scheme: dark" in html
    assert 'name="viewport"' in html


def test_every_link_and_shape_is_there_once(html: str) -> None:
    tree = ET.fromstring(html)
    ids = Counter(one.attrib["id"] for one in tree.iter() if "id" in one.attrib)
    assert max(ids.values()) == 1
    links = {one.attrib["href"][1:] for one in tree.iter() if "href" in one.attrib}
    assert links <= set(ids)


def test_names_are_text_and_nothing_else(html: str, session: Analysis) -> None:
    tree = ET.fromstring(html)
    heading = tree.find(".//h1")
    assert heading is not None
    assert heading.text == f"{NAMES[0]} \N{EN DASH} {NAMES[1]}"
    assert "<script>alert" not in html
    assert "<a>&.mat" in "".join(tree.itertext())
    titles = {one.attrib["title"] for one in tree.iter("span") if "title" in one.attrib}
    assert titles == set(NAMES)


def test_every_decision_has_its_board(html: str, session: Analysis) -> None:
    tree = ET.fromstring(html)
    details = list(tree.iter("details"))
    decisions = session.decisions()
    assert len(details) == len(decisions)
    for one, decision in zip(details, decisions, strict=True):
        assert len([svg for svg in one.iter("svg") if svg.attrib["class"] == "board"]) == 1
        assert one.findtext(".//code") == decision.position.xgid
        chip = next(span for span in one.iter("span") if span.attrib["class"].startswith("chip"))
        kind = "blunder" if decision.loss >= 0.08 else "error" if decision.loss >= 0.02 else "small"
        assert chip.attrib["class"] == f"chip {kind}"
    assert len(list(tree.iter("article"))) == min(20, len(session.worst()))


@pytest.mark.parametrize("seat", [0, 1])
def test_a_board_has_all_its_checkers(seat: int) -> None:
    seen = Position.parse("XGID=aB-CccAAB--b-----b-b-A---A:1:1:1:53:2:4:0:7:10")
    svg = ET.fromstring(board_svg(seen, seat, "a <board> & more"))
    assert svg.attrib["aria-label"] == "a <board> & more"
    shapes = [one.attrib["href"] for one in svg.iter("use")]
    counts = [0, 0]
    for shape in shapes:
        stack = re.fullmatch(r"#(?:up|down)([01])([1-5])", shape)
        if stack:
            counts[int(stack[1])] += int(stack[2])
    board = seen.board.tolist()
    mine, theirs = sum(count for count in board if count > 0), -sum(count for count in board if count < 0)
    assert counts == ([mine, theirs] if seat == 0 else [theirs, mine])
    assert {f"#die{seat}5", f"#die{seat}3"} <= set(shapes)
    assert len(list(svg.iter("rect"))) == (15 - mine) + (15 - theirs) + 1  # those off, and the cube
    assert [one.text for one in svg.iter("text")][-1] == "2"


def test_a_stack_of_more_than_five_has_its_number() -> None:
    svg = ET.fromstring(board_svg(Position.parse("XGID=------O------------o------:0:0:1:00:0:0:0:0:10"), 0, ""))
    assert [one.text for one in svg.iter("text")][:2] == ["15", "15"]


def test_an_empty_game_has_a_page(bot: Bot) -> None:
    for length in (0, 3):
        record = Table(TableOptions(match_length=length), [Seat("Ann"), Seat("Bob")], RecordedDice([])).record
        found = analyse(record, bot)
        assert found.decisions() == []
        assert found.tally(0).rating == 0
        ET.fromstring(page(found, "x", "normal"))
        assert any("unfinished" in line for line in report.lines(found, "normal", 10))


# The command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[object, str, str]]:
    def run(*arguments: object) -> tuple[object, str, str]:
        monkeypatch.setattr("sys.argv", ["gammon-rl", "analyse", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return ended.value.code, shown.out, shown.err

    return run


def files(folder: Path) -> dict[str, Path]:
    """Return one and the same game as every kind of file."""
    table = played(*OPENING)
    sgf = "(;FF[4]GM[6]MI[length:0]PW[Ann]PB[Bob]RU[Jacoby]\n;W[31fccb]\n;B[65aggl])"
    contents = {
        "game.mat": to_mat(table),
        "game.sgf": sgf,
        "table.json": table.to_json(),
        "record.json": json.dumps(table.record.to_data()),
        "saved.json": as_bytes(table).decode(),
        "mat.txt": to_mat(table),
    }
    for name, content in contents.items():
        (folder / name).write_text(content)
    return {name: folder / name for name in contents}


def test_all_kinds_of_files_are_read(run: Callable[..., tuple[object, str, str]], tmp_path: Path) -> None:
    found = []
    for path in files(tmp_path).values():
        code, told, _ = run(path, "--level", "normal", "--workers", 1, "--json")
        assert code == 0
        found.append(json.loads(told) | {"source": ""})
    assert found[0]["decisions"][0]["done"] == "6/3 3/2"
    assert found[0]["opinion"] == {"level": "normal", "ply": 0, "model": None}
    assert all(one == found[0] for one in found)


def test_what_a_file_says_that_cannot_have_been_is_told(
    run: Callable[..., tuple[object, str, str]], tmp_path: Path
) -> None:
    mat, html = tmp_path / "a.mat", tmp_path / "a.html"
    lines = ("5 point match", "", " Game 1", " Ann : 0    Bob : 0", "  1) 31: 8/5 6/5    42: 8/4 6/4")
    mat.write_text("\n".join((*lines, "  2) 31: 8/7 8/5    31: 13/9", "      Wins 2 points", "")))
    code, told, said = run(mat, "--level", "normal", "--json", "--html", html)
    assert code == 0
    (note,) = json.loads(told)["notes"]
    assert "what follows that is left out" in note
    assert f"{mat}, {note}\n" in said
    assert note in html.read_text()


def test_a_variant_that_the_model_knows_is_analysed(
    run: Callable[..., tuple[object, str, str]], tmp_path: Path
) -> None:
    (tmp_path / "nack.sgf").write_text("(;GM[6]RU[Jacoby:Nackgammon];W[31hefe];B[65aggl])")
    code, told, _ = run(tmp_path / "nack.sgf", "--level", "normal", "--workers", 1)
    assert code == 0
    assert "nackgammon, money, Jacoby; analysed by normal at 0 plies" in told


def test_a_page_is_written_beside_the_table(run: Callable[..., tuple[object, str, str]], tmp_path: Path) -> None:
    path, out = files(tmp_path)["game.mat"], tmp_path / "out.html"
    code, told, _ = run(path, "--level", "hard", "--ply", 0, "--workers", 1, "--html", out)
    assert code == 0
    assert "game 1, Ann, 3-1: 6/3 3/2; better 8/5 6/5" in told
    assert "analysed by hard at 0 plies" in told
    assert "6/3 3/2" in "".join(ET.parse(out).getroot().itertext())


@pytest.mark.parametrize(
    ("name", "content", "options", "fault"),
    [
        ("none.mat", None, (), "cannot read"),
        ("a.sgf", b"(;GM[6]\n;W[31hc])", (), "a.sgf: line 2: '8/3' is not legal with 3-1"),
        ("a.mat", b"3 point match\nGame 1\nA : 0 B : 0\n1) 31: 8/3", (), "a.mat: line 4: '8/3' is not legal"),
        ("a.json", b"{", (), "a.json is no JSON"),
        ("a.json", b'{"options": 1, "events": []}', (), "a.json: not a record"),
        ("a.json", b"{}", (), "not a table"),
        ("a.mat", b"\x00\xff\xfe", (), "there is no match"),
        ("a.mat", b"", (), "there is no match"),
        ("a.sgf", b"(;GM[6])", ("--level", "easy"), "level 'easy' has no opinion"),
        ("a.sgf", b"(;GM[6])", ("--level", "casual"), "level 'casual' has no opinion, or errs on purpose"),
        ("a.sgf", b"(;GM[6])", ("--level", "godlike"), "level 'godlike'"),
        ("a.sgf", b"(;GM[6])", ("--number", 2), "has no match number 2: it holds 1"),
        ("a.sgf", b"(;GM[6])", ("--html", "a.mat"), "a.mat: expected a name that ends in .html"),
        (
            "a.sgf",
            b"(;GM[6])",
            ("--html", "none/a.html"),
            "expected a name that ends in .html, in a folder that exists",
        ),
        ("a.sgf", b"(;GM[6])", ("--model", "none.safetensors"), "no such model file"),
    ],
)
def test_what_cannot_be_analysed_is_refused_in_one_line(
    run: Callable[..., tuple[object, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: bytes | None,
    options: tuple[object, ...],
    fault: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    code, told, complaint = run(name, *options)
    assert (code, told) == (2, "")
    assert fault in complaint
    assert complaint.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ([name] if content is not None else [])


def test_the_page_of_the_documentation_runs_as_written() -> None:
    assert run_page("analyse.md") == 4
