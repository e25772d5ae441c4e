"""Match equity tables, stakes at a score, and the cube there: anchors, properties, a second reckoning."""

import json
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import gammon_rl as gr
from gammon_rl.errors import InvalidPositionError, MatchTableError
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.position import Position
from gammon_rl.stakes.cube import cube_equities, cubeful, decide, decision
from gammon_rl.stakes.efficiency import CONTACT, RACE, RACE_PIPS, cube_efficiency
from gammon_rl.stakes.equity import emg_to_mwc, mwc_to_emg, outcome_shares, turned_probs
from gammon_rl.stakes.met import FORMAT, MatchEquityTable, load_table, own_table
from gammon_rl.stakes.solve import GammonRates, game_worth, gammon_prices, solve_table
from gammon_rl.stakes.worth import Stakes
from tests.test_stakes import gammonless, mixed, random_probs

Array = NDArray[np.float64]

KAZAROSS = Path("/usr/share/gnubg/met/Kazaross-XG2.xml")
WITHIN = 0.007
"""How far our table may be from that of Kazaross up to 11 points away; docs/measurements has all differences."""

SCORES = [(2, 2), (3, 3), (5, 5), (11, 11), (2, 4), (4, 2), (3, 5), (5, 3), (2, 9), (4, 25), (3, 1), (1, 3)]
CUBES = [(1, "centre"), (2, "mine"), (2, "theirs"), (4, "mine"), (8, "theirs")]


# The table --------------------------------------------------------------------------------------------------


def test_the_table_is_the_same_from_both_sides() -> None:
    table = own_table()
    assert table.length == 25
    np.testing.assert_allclose(table.before + table.before.T, 1, atol=1e-6)
    assert (np.diag(table.before) == 0.5).all()


def test_who_needs_fewer_points_has_the_better_chance() -> None:
    table = own_table()
    assert (np.diff(table.before, axis=0) < 0).all()
    assert (np.diff(table.before, axis=1) > 0).all()
    assert (np.diff(table.after) < 0).all()


def test_steps_after_the_crawford_game() -> None:
    after = own_table().after
    drops = -np.diff(after)
    # the trailer doubles at once and wins by twos, so an odd number needed is hardly better than the next even one
    assert after[0] == 0.5
    assert 0.48 < after[1] < 0.5
    assert (drops[0:9:2] < 0.3 * drops[1:10:2]).all()
    # the Crawford game itself is played at a cube of 1
    before = own_table().before
    assert (before[2:, 0] < after[1:-1]).all()
    gammons = 4 * before[1, 0] - 1  # 2 away: half of it, half the rest of the wins
    assert 0.2 < gammons < 0.32


@pytest.mark.skipif(not KAZAROSS.exists(), reason="needs the tables that GNU Backgammon installs")
def test_the_table_agrees_with_that_of_kazaross() -> None:
    ours, theirs = own_table(), load_table(KAZAROSS)
    assert theirs.name == "Kazaross XG2 25 point MET"
    assert theirs.length == 25
    assert np.abs(ours.before - theirs.before)[:11, :11].max() < WITHIN
    assert np.abs(ours.after - theirs.after)[:11].max() < WITHIN
    assert (np.abs(ours.before - theirs.before)[:11, :11] > 0.005).sum() <= 6


def test_looking_up() -> None:
    table = own_table()
    assert table.mwc([0, 3, -2, 4], [3, 0, 7, 4]).tolist() == [1, 0, 1, 0.5]
    assert table.mwc(3, 1) == table.before[2, 0]
    assert table.mwc(3, 1, True) == table.after[2]
    assert table.mwc(1, 3, True) == 1 - table.after[2]
    assert table.mwc(1, 1, True) == 0.5


def test_a_table_survives_its_file(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_text(own_table().to_json(), encoding="utf-8")
    again = load_table(file)
    assert (again.before == own_table().before).all()
    assert (again.after == own_table().after).all()
    assert (again.name, again.about) == (own_table().name, own_table().about)


XML = """<?xml version="1.0"?><!DOCTYPE met PUBLIC "-//X//Y//EN" "met.dtd">
<met><info><name>two</name><description>for  a test</description><length>2</length></info>
<pre-crawford-table type="{}"><row><me>0.5</me><me>0.7</me></row>
<row><me>0.3</me><me>0.5</me></row></pre-crawford-table>
<post-crawford-table type="explicit" player="0"><row><me>0.5</me><me>0.49</me></row></post-crawford-table>
<post-crawford-table type="explicit" player="1"><row><me>0.5</me><me>{}</me></row></post-crawford-table></met>"""


def test_the_xml_of_others_is_read(tmp_path: Path) -> None:
    file = tmp_path / "two.xml"
    file.write_text(XML.format("explicit", "0.49"), encoding="utf-8")
    table = load_table(file)
    assert (table.name, table.length, table.about) == ("two", 2, {"description": "for a test"})
    assert table.mwc([1, 2], [2, 1], [False, True]).tolist() == [0.7, 0.49]
    file.write_text(XML.format("zadeh", "0.49"), encoding="utf-8")
    with pytest.raises(MatchTableError, match=r"two\.xml: its pre-crawford-table is of the type 'zadeh'"):
        load_table(file)
    file.write_text(XML.format("explicit", "0.48"), encoding="utf-8")
    with pytest.raises(MatchTableError, match="the same for both players"):
        load_table(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "no match equity table"),
        ("{", "no match equity table"),
        ('{"format": "other"}', "the format is 'other', expected"),
        (json.dumps({"format": FORMAT, "name": "x", "about": {}, "before": [[0.5]]}), "'after'"),
        (json.dumps({"format": FORMAT, "name": "x", "about": {}, "before": [[0.5]], "after": [0.5, 0.4]}), "rows of L"),
        (json.dumps({"format": FORMAT, "name": "x", "about": {}, "before": [[1.5]], "after": [0.5]}), "from 0 to 1"),
        (
            json.dumps({"format": FORMAT, "name": "x", "about": {}, "before": [[float("nan")]], "after": [0.5]}),
            "from 0 to 1",
        ),
        (json.dumps({"format": FORMAT, "name": "x", "about": {}, "before": [[0.6]], "after": [0.5]}), "add up to 1"),
        (
            json.dumps(
                {"format": FORMAT, "name": "x", "about": {}, "before": [[0.5, 0.4], [0.6, 0.5]], "after": [0.5, 0.4]}
            ),
            "must not have the better chance",
        ),
    ],
)
def test_what_is_no_table_is_refused(content: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(MatchTableError, match=message):
        load_table(file)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MatchTableError, match=r"cannot read the match equity table .*none\.json"):
        load_table(tmp_path / "none.json")


def even_games() -> Array:
    return np.broadcast_to(np.array([0.5, 0, 0, 0, 0]), (15, 21, 5)).copy()


def test_a_table_of_games_that_stay_even_and_gammonless() -> None:
    table = solve_table(even_games(), 5, name="even")
    np.testing.assert_allclose(table.before[:, 0], 0.5 ** np.array([1, 2, 2, 3, 3]), atol=1e-12)  # Crawford, then twos
    np.testing.assert_allclose(table.after, 0.5 ** np.array([1, 1, 2, 2, 3]), atol=1e-12)
    assert (np.diag(table.before) == 0.5).all()


def test_free_drop_and_gammons_are_in_the_table() -> None:
    swinging = even_games()
    swinging[:, ::2, 0], swinging[:, 1::2, 0] = 0.65, 0.35
    assert solve_table(swinging, 3, name="swinging").after[1] < 0.49
    gammons = even_games()
    gammons[..., [1, 3]] = 0.125
    assert solve_table(gammons, 3, name="gammons").before[1, 0] == pytest.approx(0.25 + 0.25 * 0.25)
    more = solve_table(gammons, 3, name="more", gammons=GammonRates(0.2, 0.1, 0))
    assert more.before[1, 0] == pytest.approx(0.25 + 0.25 * 0.25 * 0.3 / 0.25)


def test_prices_of_gammons() -> None:
    mine, theirs = gammon_prices(Stakes.match([2, 3, 25], [5, 3, 25]))
    assert mine[0] == 0
    assert theirs[0] > 0.5
    assert mine[1] == pytest.approx(theirs[1])
    assert mine[2] == pytest.approx(0.5, abs=0.02)


def test_the_worth_of_a_game_for_money_is_nothing_if_it_stays_even() -> None:
    assert float(game_worth(even_games(), Stakes.money())) == pytest.approx(0)


@pytest.mark.parametrize("length", [4])
def test_the_program_makes_the_table_again(length: int, tmp_path: Path) -> None:
    program, out = Path(__file__).parents[1] / "scripts" / "make_met", tmp_path / "again.json"
    rates = own_table().about["gammon rates"]
    given = ",".join(str(rates[name]) for name in ("level", "own", "other"))
    command = [sys.executable, str(program), f"--rates={given}", f"--length={length}", f"--out={out}"]
    subprocess.run(command, check=True, capture_output=True, cwd=program.parents[1])
    again = load_table(out)
    np.testing.assert_allclose(again.before, own_table().before[:length, :length], atol=1e-5)
    np.testing.assert_allclose(again.after, own_table().after[:length], atol=1e-5)


# Stakes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mine", "theirs"), SCORES)
@pytest.mark.parametrize("cube", [1, 2, 4])
def test_the_two_scales(mine: int, theirs: int, cube: int) -> None:
    stakes = Stakes.match(mine, theirs, cube, "centre" if cube == 1 else "mine")
    assert stakes.equity(stakes.worth(1)) == 1
    assert stakes.equity(stakes.worth(-1)) == -1
    values = np.linspace(-1.5, 1.5, 7)
    np.testing.assert_allclose(stakes.equity(stakes.worth_of(values)), values, atol=1e-12)
    middle = (stakes.worth(1) + stakes.worth(-1)) / 2
    assert stakes.equity(middle) == pytest.approx(0)
    np.testing.assert_allclose(emg_to_mwc(mwc_to_emg([0.1, 0.7], 0.25, 0.5), 0.25, 0.5), [0.1, 0.7])


def test_what_points_are_worth() -> None:
    table = own_table()
    stakes = Stakes.match(5, 3)
    assert stakes.worth(1) == table.before[3, 2]
    assert stakes.worth(-1) == table.before[4, 1]
    assert stakes.worth(-2) == table.before[4, 0]  # the Crawford game comes next
    assert stakes.worth(-3) == 0
    crawford = Stakes.match(5, 1, crawford=True)
    assert crawford.worth(2) == table.after[2]
    later = Stakes.match(3, 1, 2, "theirs")
    assert later.worth(1) == 0.5
    assert later.worth(2) == 1
    assert Stakes.money(4, "mine").worth(-3) == -12


def test_stakes_of_a_position() -> None:
    board = Position.start().board
    stakes = Stakes.of(Position(board, cube_value=2, cube_owner="theirs", match_length=7, score=(3, 5)))
    assert (stakes.cube, stakes.owner, stakes.mine, stakes.theirs) == (2, -1, 4, 2)
    other = stakes.turned()
    assert (other.owner, other.mine, other.theirs) == (1, 2, 4)
    assert stakes.worth(1) + other.worth(-1) == pytest.approx(1)
    taken = other.raised()
    assert (taken.cube, taken.owner) == (4, -1)
    money = Stakes.of(Position(board, jacoby=True, beavers=True))
    assert (money.table, money.jacoby, money.beavers) == (None, True, True)


@pytest.mark.parametrize(
    ("mine", "theirs", "cube", "owner", "crawford", "message"),
    [
        (0, 3, 1, "centre", False, "needs 1 to 25 points by 'gammon_rl', got 0"),
        (3, -1, 1, "centre", False, "got -1"),
        (26, 3, 1, "centre", False, "got 26"),
        (3, 3, 3, "mine", False, "a power of two, got 3"),
        (3, 3, 0, "centre", False, "a power of two, got 0"),
        (3, 3, 2, "ours", False, "one of mine, centre, theirs|one of centre, mine, theirs"),
        (3, 3, 2, 2, False, r"-1 \(theirs\), got 2"),
        (3.5, 3, 1, "centre", False, "whole numbers, got 3.5"),
        (3, 2, 1, "centre", True, r"just one player needs one point, got \[?3"),
        (1, 1, 1, "centre", True, "just one player needs one point"),
        (1, 3, 2, "mine", True, "the Crawford game has a cube at 1 in the centre, got 2"),
        (1, 3, 1, "mine", True, "the Crawford game has a cube at 1 in the centre"),
    ],
)
def test_impossible_stakes_are_refused(
    mine: int, theirs: int, cube: int, owner: str, crawford: bool, message: str
) -> None:
    with pytest.raises(InvalidPositionError, match=message):
        Stakes.match(mine, theirs, cube, owner, crawford=crawford)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"match_length": 5, "score": (-1, 0)}, "-1 to 0 is no score"),
        ({"match_length": 5, "score": (5, 5)}, "5 to 5 is no score"),
        ({"cube_value": 3, "cube_owner": "mine"}, "a power of two"),
        (
            {"match_length": 5, "score": (4, 0), "crawford": True, "cube_value": 2, "cube_owner": "mine"},
            "no doubling in the Crawford game",
        ),
    ],
)
def test_impossible_positions_are_refused(about: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidPositionError, match=message):
        Position(Position.start().board, **about)  # type: ignore[arg-type]


# The cube at a score ----------------------------------------------------------------------------------------


def live_value(p: float, wins: Array, losses: Array, mine: int, theirs: int, cube: int, owner: int) -> float:
    """Return the MWC with a live cube, every corner found by bisection: slow, and one game at a time."""
    table, after_crawford = own_table(), min(mine, theirs) == 1

    def worth(points: int) -> float:
        return float(table.mwc(mine - max(points, 0), theirs - max(-points, 0), after_crawford))

    @cache
    def corners(at: int, owned: int) -> list[tuple[float, float]]:
        points = [(0.0, float(sum(losses[n] * worth(-(n + 1) * at) for n in range(3))))]
        if owned <= 0 and theirs > at and 2 * at <= 64:
            points.append((reached(worth(-at), 2 * at, 1), worth(-at)))
        if owned >= 0 and mine > at and 2 * at <= 64:
            points.append((reached(worth(at), 2 * at, -1), worth(at)))
        return [*points, (1.0, float(sum(wins[n] * worth((n + 1) * at) for n in range(3))))]

    def value(chance: float, at: int, owned: int) -> float:
        return float(np.interp(chance, *zip(*corners(at, owned), strict=True)))

    def reached(target: float, at: int, owned: int) -> float:
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if value(middle, at, owned) < target else (low, middle)
        return low

    return value(p, cube, owner)


@pytest.mark.parametrize(("mine", "theirs", "cube"), [(2, 2, 1), (3, 5, 1), (5, 3, 2), (4, 4, 1), (7, 6, 2), (3, 1, 1)])
@pytest.mark.parametrize("owner", [-1, 0, 1])
def test_a_live_cube_agrees_with_the_scalar_reckoning(mine: int, theirs: int, cube: int, owner: int) -> None:
    probs = np.concatenate([mixed(np.linspace(0.1, 0.9, 4), 1.3, 1.2), gammonless([0.3, 0.7])])
    values = cubeful(probs, Stakes.match(mine, theirs, cube, owner if cube > 1 else 0), 1)
    for p, value in zip(probs, values, strict=True):
        wins, losses = outcome_shares(p)
        expected = live_value(float(p[0]), wins, losses, mine, theirs, cube, owner if cube > 1 else 0)
        assert float(value) == pytest.approx(expected, abs=1e-9)


def test_the_take_point_at_2_away_2_away_is_that_of_the_table() -> None:
    pass_is_worth = 1 - own_table().before[0, 1]  # to the taker, who is then 2 away from a leader 1 away
    p = 1 - pass_is_worth + np.array([-1e-6, 1e-6])
    for x in (0, 0.5, 1):
        assert cube_equities(gammonless(p), Stakes.match(2, 2), x).take.tolist() == [True, False]


def one_checker_left(board: tuple[int, int]) -> NDArray[np.int8]:
    """Return a board with two checkers of mine on two points, and one of theirs on their ace point."""
    made = np.zeros(26, dtype=np.int8)
    np.add.at(made, list(board), 1)
    made[24] = -1
    return made


TWO_CHECKERS = [one_checker_left((a, b)) for a in range(1, 7) for b in range(1, a + 1)]


def off_with_one_roll(board: NDArray[np.int8]) -> float:
    parents, afterstates = gr.legal_plays(np.repeat(board[None], 21, axis=0), ROLLS)
    done = np.zeros(21, dtype=bool)
    done[parents[gr.results(afterstates) != 0]] = True
    return float(ROLL_CHANCES[done].sum())


def test_last_rolls_are_exact() -> None:
    boards = np.array(TWO_CHECKERS)
    assert len(boards) == 21
    assert (cube_efficiency(boards) == 0).all()
    table, seen = own_table(), set()
    for board in boards:
        p = off_with_one_roll(board)
        money = decision(Position(board), gammonless(p))
        assert (money.nd, money.dt, money.dp) == pytest.approx((2 * p - 1, 2 * (2 * p - 1), 1))
        assert money.double is (p >= 0.5)
        assert money.take is (1 - p >= 0.25 - 1e-12)
        at_2 = decision(Position(board, match_length=7, score=(5, 5)), gammonless(p))
        assert at_2.mwc == pytest.approx((p * table.before[0, 1] + (1 - p) * table.before[1, 0], p, table.before[0, 1]))
        assert at_2.take is bool(1 - p >= table.before[1, 0])
        seen.add((money.double, money.take, at_2.take))
    assert {(True, True, True), (True, False, False)} <= seen


def test_efficiencies() -> None:
    assert cube_efficiency(gr.STANDARD.start()) == CONTACT
    race = np.zeros(26, dtype=np.int8)
    race[1], race[24] = 10, -10
    assert cube_efficiency(race) == pytest.approx(RACE[RACE_PIPS.index(10)])
    assert cube_efficiency(np.stack([race, gr.STANDARD.start()])).tolist() == [float(cube_efficiency(race)), CONTACT]
    last = np.zeros(26, dtype=np.int8)
    last[6] = 2
    for points, dead in ((((24, 1), (23, 1)), True), (((22, 1),), True), (((21, 1),), False), (((24, 3),), False)):
        board = last.copy()
        for point, count in points:
            board[point] = -count
        assert (cube_efficiency(board) == 0) is np.bool_(dead)
        assert np.isclose(off_with_one_roll(gr.turn(board)), 1) == dead


@pytest.mark.parametrize(("mine", "theirs"), SCORES)
@pytest.mark.parametrize("efficiency", [0.4, 0.75, 1])
def test_owning_the_cube_is_best(mine: int, theirs: int, efficiency: float) -> None:
    probs = random_probs(1500)
    own, centre, other = (cubeful(probs, Stakes.match(mine, theirs, 1, owner), efficiency) for owner in (1, 0, -1))
    assert (own >= centre - 1e-9).all()
    assert (centre >= other - 1e-9).all()


@pytest.mark.parametrize(("mine", "theirs"), SCORES)
@pytest.mark.parametrize(("cube", "owner"), CUBES)
def test_winning_chances_rise_without_jumps(mine: int, theirs: int, cube: int, owner: str) -> None:
    p = np.linspace(0, 1, 2001)
    for win, loss in ((1, 1), (1.3, 1.2), (2, 1), (1, 2)):
        values = cubeful(mixed(p, win, loss), Stakes.match(mine, theirs, cube, owner))
        steps = np.diff(values)
        assert (values >= 0).all()
        assert (values <= 1).all()
        assert (steps >= -1e-12).all()
        assert steps.max() < 0.004


@pytest.mark.parametrize(("mine", "theirs"), SCORES)
def test_what_one_wins_the_other_loses(mine: int, theirs: int) -> None:
    probs = random_probs(300)
    for x in (0, 1):
        stakes = Stakes.match(mine, theirs)
        both = cubeful(probs, stakes, x) + cubeful(turned_probs(probs), stakes.turned(), x)
        np.testing.assert_allclose(both[(probs[:, 0] > 1e-6) & (probs[:, 0] < 1 - 1e-6)], 1, atol=2e-3)


def test_far_from_the_end_a_match_is_like_money_play() -> None:
    probs = random_probs(400)
    probs[:, 1:] *= 0.5
    money, match = cube_equities(probs, Stakes.money()), cube_equities(probs, Stakes.match(25, 25))
    assert np.abs(money.nd - match.nd).max() < 0.06
    assert (money.double == match.double).mean() > 0.95
    assert (money.take == match.take).mean() > 0.97


def test_the_trailer_who_has_nothing_to_lose_doubles() -> None:
    p = np.linspace(0.05, 0.45, 9)
    for mine in (2, 3, 5):
        assert cube_equities(mixed(p, 1.25, 1.25), Stakes.match(mine, 1)).double.all()
    # and the leader has to reckon with it: 2 away against 1 away the taken cube decides the match
    leader = cubeful(gammonless([0.3, 0.5, 0.7]), Stakes.match(1, 2))
    np.testing.assert_allclose(leader, [0.5, 0.5, 0.7], atol=0.01)
    assert (leader[:2] >= [0.5, 0.5]).all()
    assert not Stakes.match(1, 2).may_double


def test_rows_may_be_at_different_stakes() -> None:
    probs = random_probs(len(SCORES))
    mine, theirs = np.array(SCORES).T
    owners = np.arange(len(SCORES)) % 3 - 1
    x = np.linspace(0.1, 0.9, len(SCORES))
    together = cube_equities(probs, Stakes.match(mine, theirs, np.where(owners == 0, 1, 2), owners), x)
    for row, (a, b) in enumerate(SCORES):
        owner = int(owners[row])
        alone = cube_equities(probs[row], Stakes.match(a, b, 1 if owner == 0 else 2, owner), x[row])
        for name in ("nd", "dt", "dp", "double", "take", "best", "worth", "available"):
            assert getattr(alone, name) == pytest.approx(getattr(together, name)[row], abs=1e-12)
    money = cube_equities(probs[:3], Stakes.money([1, 2, 4], [0, 1, -1], beavers=True))
    for row, (cube, owner) in enumerate(((1, 0), (2, 1), (4, -1))):
        assert money.dt[row] == cube_equities(probs[row], Stakes.money(cube, owner, beavers=True)).dt


def test_a_node_hands_on_what_both_make_of_it() -> None:
    stakes = Stakes.match(5, 5)
    won = float(stakes.worth(1))
    cube = decide([0.5, 0.52, won + 0.02, 0.5], [0.55, 0.45, won + 0.1, won + 0.1], stakes)
    np.testing.assert_allclose(cube.worth, [0.55, 0.52, won + 0.02, won])
    assert cube.double.tolist() == [True, False, False, True]
    theirs = decide([0.5], [0.55], Stakes.match(5, 5, 2, "theirs"))
    assert (theirs.worth.tolist(), theirs.double.tolist()) == ([0.5], [False])


def test_twenty_thousand_decisions_a_second() -> None:
    probs, stakes = random_probs(4000), Stakes.match(9, 7)
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        assert len(cube_equities(probs, stakes).double) == len(probs)
        best = max(best, len(probs) / max(time.process_time() - start, 1e-9))
    assert best > 20_000


# Decisions --------------------------------------------------------------------------------------------------

BOARD = Position.start().board


@pytest.mark.parametrize(
    ("about", "probs", "action"),
    [
        ({}, gammonless(0.74), "double/take"),
        ({}, gammonless(0.85), "double/pass"),
        ({"cube_value": 2, "cube_owner": "mine"}, gammonless(0.79), "redouble/pass"),
        ({"cube_value": 2, "cube_owner": "theirs"}, gammonless(0.8), "not available"),
        ({"cube_value": 64, "cube_owner": "mine"}, gammonless(0.8), "not available"),
        ({}, mixed(0.85, 1.9, 1), "too good/pass"),
        ({"jacoby": True}, mixed(0.85, 1.9, 1), "double/pass"),
        ({"beavers": True}, gammonless(0.4), "no double/beaver"),
        ({"match_length": 7, "score": (5, 5)}, gammonless(0.6), "double/take"),
        ({"match_length": 7, "score": (5, 5)}, gammonless(0.72), "double/pass"),
        ({"match_length": 7, "score": (5, 5)}, mixed(0.72, 1.7, 1), "too good/pass"),
        ({"match_length": 7, "score": (6, 3)}, gammonless(0.9), "dead cube"),
        ({"match_length": 7, "score": (3, 3), "cube_value": 4, "cube_owner": "mine"}, gammonless(0.9), "dead cube"),
        (
            {"match_length": 7, "score": (3, 3), "cube_value": 4, "cube_owner": "theirs"},
            gammonless(0.9),
            "not available",
        ),
        ({"match_length": 7, "score": (3, 6), "crawford": True}, gammonless(0.9), "not available"),
        ({"match_length": 7, "score": (3, 6)}, gammonless(0.3), "double/take"),
        ({"match_length": 7, "score": (3, 5), "cube_value": 2, "cube_owner": "mine"}, gammonless(0.4), "redouble/take"),
    ],
)
def test_actions(about: dict[str, object], probs: Array, action: str) -> None:
    assert decision(Position(BOARD, **about), probs).action == action  # type: ignore[arg-type]


def test_what_the_errors_cost() -> None:
    cube = decision(Position(BOARD, match_length=7, score=(2, 2)), mixed(0.75, 1.3, 1.1))
    assert cube.action == "double/pass"
    assert cube.costs == {
        "no double": pytest.approx(cube.dp - cube.nd),
        "double": 0,
        "take": pytest.approx(cube.dt - cube.dp),
        "pass": 0,
    }
    assert cube.dp == 1
    assert cube.mwc is not None
    assert cube.mwc[2] == pytest.approx(own_table().before[3, 4])
    early = decision(Position(BOARD, beavers=True), gammonless(0.4))
    assert early.costs["no double"] == early.costs["beaver"] == 0
    assert early.costs["double"] == pytest.approx(early.nd - early.dt)
    assert early.costs["take"] == pytest.approx(-early.dt / 2)
    assert early.costs["pass"] == pytest.approx(1 - early.dt)
    assert early.mwc is None
    dead = decision(Position(BOARD, match_length=3, score=(2, 0)), gammonless(0.7))
    assert set(dead.costs) == {"take", "pass"}


def test_no_cost_is_negative() -> None:
    for probs in random_probs(60):
        for about in ({"beavers": True}, {"match_length": 9, "score": (4, 6)}, {"match_length": 4, "score": (1, 3)}):
            cube = decision(Position(BOARD, **about), probs)  # type: ignore[arg-type]
            assert min(cube.costs.values()) >= -1e-12
            answer = "beaver" if cube.beaver else "take" if cube.take else "pass"
            assert cube.costs[answer] == pytest.approx(0, abs=1e-12)


def test_another_table_changes_the_decision() -> None:
    n = np.arange(1, 4)
    flat = MatchEquityTable("flat", 0.5 + (n - n[:, None]) * 0.2, 0.5 - 0.02 * (n - 1))
    position = Position(BOARD, match_length=3, score=(1, 1))
    ours, theirs = (decision(position, gammonless(0.68), table=table) for table in (None, flat))
    assert (ours.take, theirs.take) == (True, True)
    assert ours.nd != theirs.nd
    with pytest.raises(InvalidPositionError, match="needs 1 to 3 points by 'flat', got 5"):
        decision(replace(position, match_length=5, score=(0, 0)), gammonless(0.5), table=flat)


def test_what_cannot_be_decided_is_refused() -> None:
    with pytest.raises(InvalidPositionError, match="a double is on offer"):
        decision(Position(BOARD, doubled=True), gammonless(0.5))
    for probs in ([0.5, 0, 0, 0], [1.5, 0, 0, 0, 0], [float("nan"), 0, 0, 0, 0]):
        with pytest.raises(InvalidPositionError, match="five chances from 0 to 1"):
            decision(Position(BOARD), probs)
