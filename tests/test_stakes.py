"""Equities with and without the cube: anchors worked out by hand, properties of the model, and outside values."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from gammon_rl.errors import InvalidPositionError
from gammon_rl.rules.ids import CubeOwner
from gammon_rl.rules.position import Position
from gammon_rl.stakes.cube import (
    CubeEquities,
    cubeful_equity,
    decide,
    may_double,
    mean_values,
    money_cube,
    money_decision,
    take_point,
)
from gammon_rl.stakes.equity import cubeless_equity, jacoby_equity, turned_probs
from gammon_rl.stakes.worth import Stakes

Array = NDArray[np.float64]

START = (0.52, 0.15, 0.01, 0.13, 0.01)
CERTAIN = {
    "win": (1, 0, 0, 0, 0),
    "gammon": (1, 1, 0, 0, 0),
    "loss": (0, 0, 0, 0, 0),
    "lost backgammon": (0, 0, 0, 1, 1),
}
OWNERS: tuple[CubeOwner, ...] = ("mine", "centre", "theirs")


def gammonless(p: object) -> Array:
    """Return probs (..., 5) of games in which no gammon is won."""
    win = np.asarray(p, dtype=np.float64)
    return np.stack([win, *[np.zeros_like(win)] * 4], axis=-1)


def mixed(p: object, win: float, loss: float) -> Array:
    """Return probs (..., 5) at which wins and losses are worth so much on average."""
    won = np.asarray(p, dtype=np.float64)
    parts = [
        np.ones_like(won),
        *(np.full_like(won, np.clip(part, 0, 1)) for part in (win - 1, win - 2, loss - 1, loss - 2)),
    ]
    return np.stack(parts, axis=-1) * np.stack([won, won, won, 1 - won, 1 - won], axis=-1)


def random_probs(n: int, seed: int = 5) -> Array:
    """Return nested probs (n, 5) of all sorts, certain games among them."""
    rng = np.random.default_rng(seed)
    shares = np.sort(rng.random((n, 2, 2)) * rng.integers(0, 2, (n, 1, 1)), axis=-1)[..., ::-1]
    win = np.clip(rng.random(n) * 1.2 - 0.1, 0, 1)
    return np.concatenate([win[:, None], win[:, None] * shares[:, 0], (1 - win)[:, None] * shares[:, 1]], axis=1)


values = st.floats(1, 3)
chances = st.floats(0, 1)


# Without a cube ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("probs", "equity"),
    [
        (CERTAIN["win"], 1),
        (CERTAIN["gammon"], 2),
        ((1, 1, 1, 0, 0), 3),
        (CERTAIN["loss"], -1),
        (CERTAIN["lost backgammon"], -3),
        ((0.5, 0.5, 0.5, 0.5, 0.5), 0),
        ((0.6, 0.2, 0.1, 0.1, 0), 0.4),  # .4 single, .1 double, .1 triple; .3 lost single, .1 lost double
    ],
)
def test_cubeless_equity_counts_points(probs: tuple[float, ...], equity: float) -> None:
    assert float(cubeless_equity(probs)) == pytest.approx(equity, abs=1e-6)


def test_gammons_do_not_count_in_the_jacoby_equity() -> None:
    np.testing.assert_allclose(jacoby_equity([CERTAIN["gammon"], START]), [1, 0.04], atol=1e-6)


def test_the_other_player_sees_the_opposite() -> None:
    probs = random_probs(100).reshape(4, 25, 5)
    turned = turned_probs(probs)
    assert turned.shape == (4, 25, 5)
    np.testing.assert_allclose(cubeless_equity(turned), -cubeless_equity(probs), atol=1e-6)
    np.testing.assert_allclose(jacoby_equity(turned), -jacoby_equity(probs), atol=1e-6)
    np.testing.assert_allclose(turned_probs(turned), probs, atol=1e-6)
    assert (np.asarray(turned[..., 1:]) == probs[..., [3, 4, 1, 2]].astype(np.float32)).all()


def test_equities_have_the_shape_of_the_batch() -> None:
    probs = random_probs(6).reshape(2, 3, 5)
    before = probs.copy()
    cube = money_cube(probs, "centre", jacoby=True, beavers=True)
    for array in (cubeless_equity(probs), jacoby_equity(probs)):
        assert (array.dtype, array.shape) == (np.float32, (2, 3))
    for array in (cube.nd, cube.taken, cube.beavered, cube.dt, cube.dp, cube.best, cube.doubled, cube.worth):
        assert (array.dtype, array.shape) == (np.float64, (2, 3))
    assert all(array.dtype == np.bool_ and array.shape == (2, 3) for array in (cube.double, cube.take, cube.beaver))
    assert (probs == before).all()


# Take points ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("win", "loss", "efficiency", "point"),
    [
        (1, 1, 0, 1 / 4),
        (1, 1, 1, 1 / 5),
        (1, 1, 0.5, 2 / 9),
        (2, 1, 0, 1 / 6),  # the taker wins a gammon every time
        (2, 1, 1, 1 / 7),
        (1, 2, 0, 1 / 2),  # the taker loses one
        (1, 2, 1, 3 / 7),
        (2, 2, 0, 3 / 8),
    ],
)
def test_take_points(win: float, loss: float, efficiency: float, point: float) -> None:
    assert float(take_point(win, loss, efficiency)) == pytest.approx(point)


@pytest.mark.parametrize(("efficiency", "cash"), [(0, 0.75), (1, 0.80)])
def test_gammonless_cash_points(efficiency: float, cash: float) -> None:
    cube = money_cube(gammonless([cash - 0.001, cash + 0.001]), "centre", efficiency=efficiency)
    assert cube.take.tolist() == [True, False]
    assert 1 - float(take_point(1, 1, efficiency)) == pytest.approx(cash)


@given(win=values, loss=values, efficiency=chances)
def test_taking_and_passing_are_worth_the_same_at_the_take_point(win: float, loss: float, efficiency: float) -> None:
    doubler = 1 - take_point(loss, win, efficiency)
    cube = money_cube(mixed(doubler, win, loss), "centre", efficiency=efficiency)
    assert float(cube.dt) == pytest.approx(float(cube.dp), abs=1e-5)


def test_mean_values_mend_what_is_not_nested() -> None:
    win, loss = mean_values(
        [(0, 0, 0, 1, 0), (1, 1, 1, 0, 0), (0.25, 0.75, 0.5, 0, 0), (0.5, -0.1, 0, 0, 0), (0, 0.1, 0, 0, 0)]
    )
    assert win.tolist() == [1, 3, 3, 1, 1]
    assert loss.tolist() == [2, 1, 1, 1, 1]


# Cubeful equities -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("owner", "p", "equity"),
    [
        # a live cube without gammons: turning points at 0.2 and 0.8
        ("centre", 0.1, -1),
        ("centre", 0.2, -1),
        ("centre", 0.5, 0),
        ("centre", 0.65, 0.5),
        ("centre", 0.8, 1),
        ("centre", 0.9, 1),
        ("mine", 0, -1),
        ("mine", 0.4, 0),
        ("mine", 0.8, 1),
        ("mine", 0.9, 1),
        ("theirs", 0.1, -1),
        ("theirs", 0.2, -1),
        ("theirs", 0.6, 0),
        ("theirs", 1, 1),
    ],
)
def test_live_cube_without_gammons(owner: CubeOwner, p: float, equity: float) -> None:
    assert float(cubeful_equity(gammonless(p), owner, efficiency=1)) == pytest.approx(equity, abs=1e-6)


@pytest.mark.parametrize(
    ("owner", "p", "equity"),
    [
        # all wins gammons, no losses: T = 1/7, C = 4/7
        ("centre", 1 / 14, -1),
        ("centre", 5 / 14, 0),
        ("centre", 4 / 7, 1),
        ("centre", 11 / 14, 1.5),  # too good: half way from 1 to 2
        ("mine", 2 / 7, 0),
        ("mine", 11 / 14, 1.5),
        ("theirs", 1 / 7, -1),
        ("theirs", 4 / 7, 0.5),
        ("theirs", 1, 2),
    ],
)
def test_live_cube_with_gammons(owner: CubeOwner, p: float, equity: float) -> None:
    assert float(cubeful_equity(mixed(p, 2, 1), owner, efficiency=1)) == pytest.approx(equity, abs=1e-6)


@pytest.mark.parametrize("owner", OWNERS)
def test_a_dead_cube_is_worth_the_cubeless_equity(owner: CubeOwner) -> None:
    probs = random_probs(500)
    np.testing.assert_allclose(cubeful_equity(probs, owner, efficiency=0), cubeless_equity(probs), atol=1e-6)


@given(p=chances, win=values, loss=values, efficiency=chances)
def test_equation_4_between_the_corners(p: float, win: float, loss: float, efficiency: float) -> None:
    probs = mixed(p, win, loss)
    closed = p * (win + loss + efficiency / 2) - loss
    if p <= 1 - take_point(loss, win, 1):
        assert float(cubeful_equity(probs, "mine", efficiency=efficiency)) == pytest.approx(closed, abs=1e-5)
    if p >= take_point(win, loss, 1):
        expected = closed - efficiency / 2
        assert float(cubeful_equity(probs, "theirs", efficiency=efficiency)) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("jacoby", [False, True])
@pytest.mark.parametrize("cube_value", [1, 32, 64])
def test_what_one_wins_the_other_loses(cube_value: int, jacoby: bool) -> None:
    probs = random_probs(500)
    turned = turned_probs(probs)
    for owner, other in (("mine", "theirs"), ("centre", "centre"), ("theirs", "mine")):
        mine = cubeful_equity(probs, owner, cube_value=cube_value, jacoby=jacoby)  # type: ignore[arg-type]
        theirs = cubeful_equity(turned, other, cube_value=cube_value, jacoby=jacoby)  # type: ignore[arg-type]
        np.testing.assert_allclose(mine, -theirs, atol=2e-6)


@pytest.mark.parametrize("efficiency", [0.3, 0.68, 1])
def test_owning_the_cube_is_better_than_sharing_it_and_that_than_lacking_it(efficiency: float) -> None:
    probs = random_probs(2000)
    mine, centre, theirs = (cubeful_equity(probs, owner, efficiency=efficiency) for owner in OWNERS)
    assert (mine >= centre - 1e-6).all()
    assert (centre >= theirs - 1e-6).all()
    open_game = (probs[:, 0] > 0.01) & (probs[:, 0] < 0.99)
    assert (mine > theirs + 1e-4)[open_game].all()


@pytest.mark.parametrize("jacoby", [False, True])
@pytest.mark.parametrize("cube_value", [1, 32, 64])
@pytest.mark.parametrize(("win", "loss"), [(1, 1), (1.3, 1.2), (2, 1), (1, 3), (3, 3)])
def test_equities_rise_with_the_chance_to_win_and_do_not_jump(
    win: float, loss: float, cube_value: int, jacoby: bool
) -> None:
    p = np.linspace(0, 1, 2001)
    cube = {owner: money_cube(mixed(p, win, loss), owner, cube_value=cube_value, jacoby=jacoby) for owner in OWNERS}
    for curve in (*(cube[owner].nd for owner in OWNERS), cube["mine"].dt):
        steps = np.diff(curve.astype(np.float64))
        assert (steps >= -1e-6).all()
        assert (
            steps.max() < 3 * (win + loss + 0.5) / 2000
        )  # no slope is steeper than 4/3 (W + L + 1/2); dt counts double
    assert (np.diff(cube["mine"].double.astype(int)) != 0).sum() <= 2  # one window: from too weak to too good


def test_certain_games() -> None:
    for owner in OWNERS:
        cube = money_cube(list(CERTAIN.values()), owner)
        assert cube.nd.tolist() == [1, 2, -1, -3]
        assert cube.dt.tolist() == [2, 4, -2, -6]
    assert money_cube(list(CERTAIN.values()), "centre").double.tolist() == [True, False, False, False]


def test_nobody_doubles_with_the_others_cube() -> None:
    probs = random_probs(200)
    assert money_cube(probs, "centre").double.any()
    cube = money_cube(probs, "theirs")
    assert not cube.double.any()
    assert (cube.best == cube.nd).all()


def test_rows_do_not_affect_each_other() -> None:
    probs = random_probs(50)
    cube = money_cube(probs, "centre", jacoby=True, beavers=True)
    for row, p in enumerate(probs):
        alone = money_cube(p, "centre", jacoby=True, beavers=True)
        for name in ("nd", "dt", "dp", "beaver", "double", "take", "best", "doubled"):
            # the vector units of some processors round the last bit of a row in its own way
            np.testing.assert_allclose(getattr(alone, name), getattr(cube, name)[row], rtol=1e-14)


def test_efficiency_may_differ_from_row_to_row() -> None:
    probs = random_probs(40)
    x = np.linspace(0, 1, 40)
    cube = money_cube(probs, "mine", efficiency=x)
    for row in (0, 20, 39):
        assert cube.nd[row] == pytest.approx(money_cube(probs[row], "mine", efficiency=x[row]).nd, rel=1e-14)


# Values of GNU Backgammon 1.1.0a16 (the PyPI package gnubg) at 0-ply, for contact positions met in its own play:
# probs; equity of no double with a centred cube, the same under Jacoby, and with a cube of one's own; equity of
# double/take; the three actions. That version reckons with a cube efficiency of 0.76 there.
OUTSIDE = [
    (
        (0.2840505, 0.09774882, 0.0003607323, 0.2470861, 0.01285098),
        (-0.853552, -0.814713, -0.485787, -1.731575),
        ("no double/take", "no double/take", "no redouble/take"),
    ),
    (
        (0.7220137, 0.3162834, 0.01211035, 0.06734981, 0.0001006969),
        (0.953078, 0.866567, 0.953078, 1.198672),
        ("double/pass", "double/pass", "redouble/pass"),
    ),
    (
        (0.6078483, 0.3099243, 0.02961285, 0.1032443, 0.00488528),
        (0.615014, 0.559476, 0.678086, 0.596173),
        ("no double/take", "double/take", "no redouble/take"),
    ),
    (
        (0.8526604, 0.6659358, 0.03284067, 0.01644923, 0.0004725414),
        (1.476911, 0.929277, 1.476911, 2.662373),
        ("too good/pass", "double/pass", "too good/pass"),
    ),
    (
        (0.6359047, 0.2976956, 0.03082934, 0.09287561, 0.006103999),
        (0.697223, 0.642132, 0.742999, 0.725997),
        ("double/take", "double/take", "no redouble/take"),
    ),
    (
        (0.7152671, 0.08131646, 0.001958443, 0.01532761, 0),
        (0.733832, 0.717525, 0.770283, 0.780566),
        ("double/take", "double/take", "redouble/take"),
    ),
]


@pytest.mark.parametrize(("probs", "equities", "actions"), OUTSIDE)
def test_outside_values(probs: tuple[float, ...], equities: tuple[float, ...], actions: tuple[str, str, str]) -> None:
    x = 0.76
    cubes = (
        money_cube(probs, "centre", efficiency=x),
        money_cube(probs, "centre", efficiency=x, jacoby=True),
        money_cube(probs, "mine", cube_value=2, efficiency=x),
    )
    assert [float(cube.nd) for cube in cubes] == pytest.approx(equities[:3], abs=2e-6)
    assert [float(cube.dt) for cube in cubes] == pytest.approx([equities[3]] * 3, abs=2e-6)
    assert tuple(cube.decision().action for cube in cubes) == actions


# Jacoby, beavers, the limit ---------------------------------------------------------------------------------


def test_jacoby_takes_the_gammons_out_of_a_cube_in_the_centre_only() -> None:
    probs = random_probs(200)
    with_rule, without = (money_cube(probs, "centre", jacoby=rule) for rule in (True, False))
    assert (np.abs(with_rule.nd) <= 1).all()
    assert (with_rule.dt == without.dt).all()
    np.testing.assert_allclose(
        cubeful_equity(probs, "centre", jacoby=True, efficiency=0), jacoby_equity(probs), atol=1e-6
    )
    for owner in ("mine", "theirs"):
        assert (cubeful_equity(probs, owner, jacoby=True) == cubeful_equity(probs, owner)).all()
    plain = gammonless(np.linspace(0, 1, 50))
    assert (cubeful_equity(plain, "centre", jacoby=True) == cubeful_equity(plain, "centre")).all()


def test_nobody_is_too_good_under_jacoby() -> None:
    assert money_cube(CERTAIN["gammon"], "centre").decision().action == "too good/pass"
    assert money_cube(CERTAIN["gammon"], "centre", jacoby=True).decision().action == "double/pass"


def test_a_beaver_doubles_what_the_doubler_loses() -> None:
    probs = gammonless([0.3, 0.45, 0.57, 0.58, 0.7])
    plain, cube = money_cube(probs, "centre"), money_cube(probs, "centre", beavers=True)
    # taken, the cube is the other's: dead even at p = 1.375 / 2.375 = 0.579
    assert cube.beaver.tolist() == [True, True, True, False, False]
    assert not plain.beaver.any()
    np.testing.assert_allclose(cube.dt, plain.dt * [2, 2, 2, 1, 1], rtol=1e-6)
    assert (cube.nd == plain.nd).all()
    assert cube.take.all()


def test_a_beaver_stops_at_64() -> None:
    probs = gammonless([0.3, 0.51])
    assert money_cube(probs, "mine", cube_value=8, beavers=True).beaver.tolist() == [True, True]
    last = money_cube(probs, "mine", cube_value=16, beavers=True)
    # beavered to 64 the cube is dead: 4 (2p - 1) is not less than what keeping a cube of 32 is worth
    assert last.beaver.tolist() == [True, False]
    assert float(last.dt[0]) == pytest.approx(4 * (2 * 0.3 - 1))
    assert not money_cube(probs, "mine", cube_value=32, beavers=True).beaver.any()


def test_the_cube_stops_at_64() -> None:
    probs = random_probs(200)
    for owner in OWNERS:
        np.testing.assert_allclose(cubeful_equity(probs, owner, cube_value=64), cubeless_equity(probs), atol=1e-6)
    assert money_cube(probs, "mine", cube_value=32).available
    assert not money_cube(probs, "mine", cube_value=64).double.any()
    # the last double: once at 64 it is dead, so take and cash points are those of a dead cube
    cube = money_cube(gammonless([0.749, 0.751]), "mine", cube_value=32)
    np.testing.assert_allclose(cube.dt, 2 * cubeless_equity(gammonless([0.749, 0.751])), atol=1e-6)
    assert cube.take.tolist() == [True, False]
    live = cubeful_equity(gammonless([0.375, 0.75, 0.9]), "mine", cube_value=32, efficiency=1)
    np.testing.assert_allclose(live, [0, 1, 1], atol=1e-6)
    np.testing.assert_array_equal(
        cubeful_equity(probs, "mine", cube_value=16), cubeful_equity(probs, "mine", cube_value=1)
    )


@pytest.mark.parametrize("cube_value", [0, -2, 3])
def test_an_impossible_cube_is_refused(cube_value: int) -> None:
    with pytest.raises(InvalidPositionError, match=f"a power of two, got {cube_value}"):
        money_cube(START, "centre", cube_value=cube_value)


def test_an_unknown_owner_is_refused() -> None:
    with pytest.raises(InvalidPositionError, match="one of centre, mine, theirs, got 'yours'"):
        money_cube(START, "yours")  # type: ignore[arg-type]


# Decisions --------------------------------------------------------------------------------------------------


def one(
    nd: float, dt: float, *, beaver: bool = False, owner: CubeOwner = "centre", available: bool = True
) -> CubeEquities:
    taken, beavered = (dt + 0.5, dt) if beaver else (dt, dt)
    cube = 1 if available or owner == "theirs" else 64
    stakes = Stakes.money(cube, owner, beavers=beaver)
    return decide(nd * cube, taken * cube, stakes, beavered * cube if beaver else None)


@pytest.mark.parametrize(
    ("cube", "action", "double", "take", "best"),
    [
        (one(0.5, 0.75), "double/take", True, True, 0.75),
        (one(0.5, 0.75, owner="mine"), "redouble/take", True, True, 0.75),
        (one(0.75, 1.25), "double/pass", True, False, 1),
        (one(0.75, 1.25, owner="mine"), "redouble/pass", True, False, 1),
        (one(0.5, 0.25), "no double/take", False, True, 0.5),
        (one(0.5, 0.25, owner="mine"), "no redouble/take", False, True, 0.5),
        (one(0.25, -0.5, beaver=True), "no double/beaver", False, True, 0.25),
        (one(-0.75, -0.5, beaver=True), "double/beaver", True, True, -0.5),
        (one(1.25, 1.5), "too good/pass", False, False, 1.25),
        (one(1.25, 0.75), "too good/take", False, True, 1.25),
        # ties: an even double ends it or is made, an even take is taken, and even is not too good
        (one(1, 2), "double/pass", True, False, 1),
        (one(0.5, 0.5), "double/take", True, True, 0.5),
        (one(0.5, 1), "double/take", True, True, 1),
        (one(1, 0.75), "no double/take", False, True, 1),
        (one(0.5, 0.75, available=False), "not available", False, True, 0.5),
        (one(-0.5, 0.75, owner="theirs", available=False), "not available", False, True, -0.5),
    ],
)
def test_the_action_in_words(cube: CubeEquities, action: str, double: bool, take: bool, best: float) -> None:
    decision = cube.decision()
    assert (decision.action, decision.double, decision.take) == (action, double, take)
    assert decision.beaver == ("beaver" in action)
    assert float(cube.best) == best
    assert (decision.nd, decision.dt, decision.dp) == (float(cube.nd), float(cube.dt), 1)


def test_a_decision_is_plain_data() -> None:
    decision = money_cube(START, "centre").decision()
    assert json.loads(json.dumps(asdict(decision))) == asdict(decision)
    with pytest.raises(AttributeError):
        decision.nd = 0  # type: ignore[misc]


MONEY = Position.start()
MATCH = replace(MONEY, match_length=5, score=(2, 3))


@pytest.mark.parametrize(
    ("position", "may"),
    [
        (MONEY, True),
        (replace(MONEY, cube_value=2, cube_owner="mine"), True),
        (replace(MONEY, cube_value=2, cube_owner="theirs"), False),
        (replace(MONEY, cube_value=32, cube_owner="mine"), True),
        (replace(MONEY, cube_value=64, cube_owner="mine"), False),
        (replace(MONEY, cube_value=128, cube_owner="mine"), False),
        (MATCH, True),
        (replace(MATCH, cube_value=2, cube_owner="mine"), True),
        (replace(MATCH, cube_value=4, cube_owner="mine"), False),  # 2 + 4 wins the match already
        (replace(MATCH, score=(4, 0)), False),
        (replace(MATCH, score=(0, 4)), True),
        (replace(MATCH, score=(0, 4), crawford=True), False),
        (replace(MATCH, match_length=1, score=(0, 0)), False),
    ],
)
def test_who_may_double(position: Position, may: bool) -> None:
    assert may_double(position) is may
    strong = gammonless(0.78)
    assert money_decision(position, strong).double is may
    assert (money_decision(position, strong).action == "not available") is not may


def test_the_rules_of_the_position_are_followed() -> None:
    gammonish = mixed(0.6, 1.6, 1.1)
    assert money_decision(MONEY, gammonish).nd == float(money_cube(gammonish, "centre").nd)
    jacoby = money_decision(replace(MONEY, jacoby=True), gammonish)
    assert jacoby.nd == float(money_cube(gammonish, "centre", jacoby=True).nd)
    assert jacoby.nd != money_decision(MONEY, gammonish).nd
    owned = replace(MONEY, cube_value=16, cube_owner="mine", beavers=True)
    weak = gammonless(0.3)
    assert money_decision(owned, weak) == money_cube(weak, "mine", cube_value=16, beavers=True).decision()
    assert money_decision(owned, weak).beaver
    # neither has an effect in a match
    both = replace(MATCH, jacoby=True, beavers=True)
    for probs in (gammonish, weak):
        assert money_decision(both, probs) == money_decision(MATCH, probs)
    assert money_decision(MONEY, weak, efficiency=1).nd == float(money_cube(weak, "centre", efficiency=1).nd)
