"""The arena with the cube: mirrored pairs, scores, and the table as a second opinion on every game."""

import json
import os

import numpy as np
import pytest
from typer.testing import CliRunner

import gammon_rl as gr
from gammon_rl.bots.arena import meet, meet_cubeful
from gammon_rl.bots.gnubg import GnubgPlayer, _board_line, find_gnubg
from gammon_rl.bots.levels import NORMAL, Level
from gammon_rl.bots.pairs import PairedDice, Terms, play_pairs
from gammon_rl.bots.player import CubePlayer, RandomPlayer, SearchPlayer, player
from gammon_rl.cli import app
from gammon_rl.eval.encoder import INPUTS
from gammon_rl.eval.model import Model
from gammon_rl.rules.board import turn
from gammon_rl.stakes.worth import Stakes
from gammon_rl.table import actions as ac
from gammon_rl.table.dice import HandDice
from gammon_rl.table.state import Phase
from tests.test_eval import random_layers

SCALE = float(os.environ.get("GAMMON_RL_TEST_SCALE", "1"))
START = gr.STANDARD.start()[None]

try:
    find_gnubg()
    missing = ""
except gr.GammonError as error:
    missing = str(error)
needs_gnubg = pytest.mark.skipif(bool(missing), reason=missing)


def net(seed=0):
    return Model(random_layers([INPUTS, 12, 6], seed=seed), gr.STANDARD)


@pytest.fixture(scope="module")
def one():
    return SearchPlayer(gr.load_model("standard"), NORMAL, "one")


@pytest.fixture(scope="module")
def other():
    return SearchPlayer(net(8), NORMAL, "other")


class Scripted(RandomPlayer):
    """Plays at random and does with the cube what it is told."""

    def __init__(self, seed, doubles=True, takes=True, beavers=False):
        super().__init__(gr.STANDARD, seed)
        self.told = doubles, takes, beavers
        self.seen = []

    def doubles(self, boards, stakes):
        self.seen.append(stakes)
        assert stakes.may_double.all()
        return np.full(len(boards), self.told[0])

    def answers(self, boards, stakes):
        return np.full(len(boards), self.told[1]), np.full(len(boards), self.told[2])


# Mirrored pairs


@pytest.mark.parametrize(
    "terms",
    [Terms(), Terms(jacoby=False, beavers=True), Terms(match_length=1), Terms(match_length=3)],
    ids=["jacoby", "beavers", "1", "3"],
)
def test_a_player_against_itself_scores_exactly_zero(one, terms):
    same = SearchPlayer(one.evaluator, NORMAL, "same")
    result = meet_cubeful(one, same, round(4 * SCALE), terms, seed=2**40)
    assert (result.points, result.interval) == (0, 0)
    assert result.matches_won == (0.5 if terms.match_length else None)
    assert result.first_cube == result.second_cube
    assert (result.wins, result.gammons) == (result.losses, result.lost_gammons)


def test_the_dice_of_a_turn_depend_on_nothing_else():
    early, late = (PairedDice(np.random.default_rng(3), 4) for _ in range(2))
    pairs = np.arange(4)
    there = early.at(pairs, np.full(4, 2), np.full(4, 5))
    late.at(pairs, np.full(4, 2), np.full(4, 9))
    late.at(pairs, np.full(4, 3), np.full(4, 0))
    mixed = late.at(pairs[[3, 1, 1]], np.array([2, 2, 0]), np.array([5, 5, 0]))
    np.testing.assert_array_equal(mixed[:2], there[[3, 1]])
    opening = early.at(np.tile(pairs, 50), np.repeat(np.arange(50), 4), np.zeros(200, dtype=np.int64))
    assert (opening[:, 0] != opening[:, 1]).all()
    assert 0.35 < (opening[:, 0] > opening[:, 1]).mean() < 0.65


def test_seats_swapped_swap_the_sign(one, other):
    there, back = (meet_cubeful(*both, 4, Terms(match_length=2), seed=5) for both in ((one, other), (other, one)))
    assert there.matches_won == pytest.approx(1 - back.matches_won)
    assert there.interval == pytest.approx(back.interval)
    assert (there.first_cube, there.wins) == (back.second_cube, back.losses)


def test_without_anyone_doubling_money_games_are_the_cubeless_ones():
    def play(how, **options):
        return how(RandomPlayer(gr.STANDARD, 1), RandomPlayer(gr.STANDARD, 2), 20, seed=4, **options)

    plain, cubeful = play(meet), play(meet_cubeful, terms=Terms(jacoby=False))
    for name in ("points", "interval", "wins", "gammons", "backgammons", "lost_gammons", "plies", "games"):
        assert getattr(plain, name) == getattr(cubeful, name)
    assert play(meet_cubeful, terms=Terms()).gammons == 0  # by Jacoby, none counts


# The cube


def test_a_game_is_dropped_at_the_second_turn():
    result = meet_cubeful(Scripted(1), Scripted(2, takes=False), 40, Terms(doublers=(True, False)))
    assert result.points == 1
    assert result.interval == 0
    assert (result.first_cube.doubles, result.second_cube.drops, result.second_cube.doubles) == (1, 1, 0)
    assert result.plies == 1.5  # the opening, and where the first player has that, the other's turn too
    assert result.mean_cube == 1


def test_everybody_doubles_up_to_64_and_no_further():
    first = Scripted(1)
    result = meet_cubeful(first, Scripted(2), 20, Terms(jacoby=False))
    assert result.mean_cube == 64
    assert result.first_cube.doubles + result.second_cube.doubles == 6
    assert max(int(stakes.cube.max()) for stakes in first.seen) == 32


def test_a_beaver_is_four_times_the_cube_where_it_is_allowed():
    for beavers, cube, took in ((True, 4, 1), (False, 2, 0)):
        terms = Terms(jacoby=False, beavers=beavers, doublers=(True, False))
        result = meet_cubeful(Scripted(1), Scripted(2, beavers=True), 20, terms)
        assert (result.mean_cube, result.second_cube.takes, result.second_cube.beavers) == (cube, 1, took)


def test_a_match_has_one_crawford_game_and_no_dead_cube():
    # Every double is dropped: 1 point a game, until at 2 to x nobody may double in the Crawford game.
    first, second = Scripted(1, takes=False), Scripted(2, takes=False)
    result = meet_cubeful(first, second, 60, Terms(match_length=3))
    assert result.matches == 60
    for stakes in first.seen + second.seen:
        assert not stakes.crawford.any()
        assert (stakes.mine > stakes.cube).all()  # a dead cube is not turned, so who needs one point never asks
        assert (stakes.after_crawford == (stakes.theirs == 1)).all()
    assert any((stakes.theirs == 1).any() for stakes in first.seen)  # after the Crawford game there are doubles again


def test_the_cube_pays_for_who_has_it_alone(one):
    result = meet_cubeful(one, one, round(30 * SCALE), Terms(jacoby=False, doublers=(True, False)), seed=1)
    assert result.second_cube.doubles == 0 < result.first_cube.doubles
    assert result.first_cube.doubles == pytest.approx(result.second_cube.takes + result.second_cube.drops)
    assert result.points > -result.interval


def test_impossible_terms_are_refused(one):
    with pytest.raises(gr.TableError, match="got 26"):
        Terms(match_length=26)
    with pytest.raises(gr.TableError, match="a match is played with the cube"):
        Terms(match_length=3, cube=False)

    class Cubeless:
        name = "cubeless"
        choose = RandomPlayer.choose

        def close(self):
            pass

    with pytest.raises(gr.PlayerUnavailableError, match="cubeless against one: not both know the cube"):
        meet_cubeful(Cubeless(), one, 2)


# The referee


class OneByOne(SearchPlayer):
    """Looks at one board at a time, so that its numbers are those of a bot to the last bit."""

    def choose(self, boards, dice, stakes=None):
        rows = [slice(at, at + 1) for at in range(len(boards))]
        return np.concatenate([super(OneByOne, self).choose(boards[r], dice[r], stakes.rows(r)) for r in rows])

    def doubles(self, boards, stakes):
        rows = [slice(at, at + 1) for at in range(len(boards))]
        return np.concatenate([self._cube(boards[r], stakes.rows(r)).double for r in rows])

    def answers(self, boards, stakes):
        rows = [slice(at, at + 1) for at in range(len(boards))]
        cubes = [self._cube(boards[r], stakes.rows(r)) for r in rows]
        return np.concatenate([cube.take for cube in cubes]), np.concatenate([cube.beaver for cube in cubes])


def referee(bots, terms, dice, pair, seat_of_first, cube):
    """Return the first bot's points less the second's when a table is played with the same dice."""
    options = gr.TableOptions(match_length=terms.match_length, jacoby=terms.jacoby, beavers=terms.beavers, cube=cube)
    table = gr.Table(options, [gr.Seat("0", bot="normal"), gr.Seat("1", bot="normal")], HandDice())
    turns = 0

    def roll():
        where = (np.array([value]) for value in (pair, table.game - 1, turns))
        return ac.Roll(tuple(dice.at(*where)[0].tolist()))

    while not table.is_over:
        player = None if table.to_act is None else table.to_act ^ seat_of_first
        before = table.turn
        match table.phase:
            case Phase.OPENING:
                turns = 0
                table.apply(roll())
            case Phase.GAME_OVER:
                table.apply(ac.NextGame())
            case Phase.TO_PLAY:
                table.apply(bots[player].choose_play(table.position, table.dice))
                turns += 1
            case Phase.DOUBLED:
                answer = bots[player].cube_action(table.position)
                allowed = ac.Beaver() in table.legal_actions()
                table.apply(ac.Beaver() if answer.beaver and allowed else ac.Take() if answer.take else ac.Drop())
                turns += table.phase in (Phase.TO_ROLL, Phase.CLOSED_BOARD) and table.turn != before
            case phase:
                may = table.may_double and terms.doublers[player] and turns > 0
                if may and bots[player].cube_action(table.position).double:
                    table.apply(ac.Double())
                elif phase is Phase.CLOSED_BOARD:
                    table.apply(ac.PassTurn())
                    turns += 1
                else:
                    table.apply(roll())
    points = table.score[0] - table.score[1]
    return -points if seat_of_first else points


@pytest.mark.parametrize(
    "terms",
    [
        Terms(),
        Terms(jacoby=False, beavers=True),
        Terms(beavers=True, doublers=(True, False)),
        Terms(match_length=2),
        Terms(match_length=4),
    ],
    ids=["jacoby", "beavers", "one doubles", "2", "4"],
)
def test_the_table_gets_the_same_scores(terms):
    pairs = round(SCALE)
    models = gr.load_model("standard"), net(8)  # a good and a bad one, so that much is doubled and dropped
    first, second = (OneByOne(model, NORMAL, "m") for model in models)
    bots = [gr.Bot("normal", model=model, bearoff=False) for model in models]
    played = play_pairs(first, second, pairs, PairedDice(np.random.default_rng(6), pairs), terms)
    dice = PairedDice(np.random.default_rng(6), pairs)
    found = [
        [referee(bots, terms, dice, pair, seat_of_first, terms.cube) for pair in range(pairs)]
        for seat_of_first in (0, 1)
    ]
    np.testing.assert_array_equal(played.points, found)


# Players with the cube


def test_players_know_the_cube(one):
    assert isinstance(one, CubePlayer)
    assert isinstance(player("easy"), CubePlayer)


def test_easy_takes_unless_a_fifth_behind():
    easy = RandomPlayer(gr.STANDARD, 1)
    boards = np.zeros((3, 26), dtype=np.int8)
    boards[:, 5] = 2  # 10 pips, and 12, 13, 9 for who answers
    boards[0, [19, 19 - 6 + 6]] = 0
    boards[:, 24] = -1
    boards[0, 14], boards[1, 13], boards[2, 17] = -1, -1, -1
    takes, beavers = easy.answers(boards, Stakes.money())
    assert takes.tolist() == [True, False, True]
    assert not beavers.any()
    assert not easy.doubles(boards, Stakes.money()).any()


def test_a_deeper_player_agrees_with_the_bot_at_the_score():
    model = net()
    deep = SearchPlayer(model, Level("deep", 1), "deep")
    bot = gr.Bot(Level("deep", 1), model=model, bearoff=False)
    rng = np.random.default_rng(2)
    boards, stakes = START, Stakes.match([3], [2], [2], [1])
    for _ in range(8):
        dice = rng.integers(1, 7, (1, 2))
        position = gr.Position(boards[0], match_length=3, score=(0, 1), cube_value=2, cube_owner="mine")
        made = deep.choose(boards, dice, stakes)
        equity = {c.play.afterstate.tobytes(): c for c in bot.analyse(position, tuple(dice[0].tolist()))}
        assert equity[made[0].tobytes()].loss < 1e-5
        assert deep.doubles(boards, stakes)[0] == bot.cube_action(position).double
        boards = turn(made)


def test_levels_that_err_do_so_with_a_seed():
    weak = Level("weak", 0, noise=5.0)
    boards, dice = np.repeat(START, 64, axis=0), np.tile([[6, 4]], (64, 1))
    picked = [SearchPlayer(net(), weak, "weak", seed).choose(boards, dice) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(picked[0], picked[1])
    assert (picked[0] != picked[2]).any()
    assert len(np.unique(picked[0], axis=0)) > 3


# GNU Backgammon


def test_a_board_line_tells_cube_and_score() -> None:
    line = _board_line(START[0].tolist(), None, cube=4, owner=-1, needs=(1, 5), after_crawford=True).decode()
    head, tail = line.split(":2:0:-1:", 1)[0], line.rsplit("0:0:0:0:4", 1)[1]
    assert head.startswith("board:me:you:5:4:0:")
    assert tail == ":0:1:1:1:-1:0:25:0:0:0:0:0:0:1:0\n"
    assert len(_board_line([-15] * 26, (6, 6), cube=64, owner=1, needs=(25, 25))) < 256  # its read buffer


@needs_gnubg
def test_gnubg_knows_the_score_from_the_right_side():
    behind, ahead = Stakes.match([4], [1]), Stakes.match([1], [4])
    crawford = Stakes.match([4], [1], crawford=[True])
    with GnubgPlayer(stakes=behind) as engine:
        assert engine.doubles(START, behind).tolist() == [True]  # nothing to lose
        assert engine.doubles(START, ahead).tolist() == [False]
        assert engine.doubles(START, crawford).tolist() == [False]
        assert [answer.tolist() for answer in engine.answers(START, behind)] == [[False], [False]]  # a free drop
        two = Stakes.match([3], [1])
        assert engine.answers(START, two)[0].tolist() == [True]  # an odd number: it needs the game anyway
        with pytest.raises(gr.PlayerUnavailableError, match="started for matches, not for cubeless money play"):
            engine.choose(START, np.array([[3, 1]]))


@needs_gnubg
def test_gnubg_knows_jacoby_and_beavers():
    board = np.zeros((1, 26), dtype=np.int8)
    board[0, 1:7], board[0, 8] = 2, 3
    board[0, [0, 19, 20, 21]] = -1, -5, -5, -4
    for jacoby in (False, True):
        stakes = Stakes.money([1], [0], jacoby=jacoby, beavers=jacoby)
        with GnubgPlayer(stakes=stakes) as engine:
            assert engine.doubles(board, stakes).tolist() == [jacoby]  # else it plays on for the gammon
            assert engine.answers(board, stakes)[0].tolist() == [False]
            takes, beavers = engine.answers(START, stakes)
            assert (takes.tolist(), beavers.tolist()) == ([True], [jacoby])


@needs_gnubg
def test_gnubg_plays_matches_to_the_end(one):
    with GnubgPlayer(stakes=Stakes.match(3, 3)) as engine:
        result = meet_cubeful(one, engine, 2, Terms(match_length=3))
        assert isinstance(engine, CubePlayer)
    assert result.matches == 2
    assert result.first_cube.doubles == pytest.approx(result.second_cube.takes + result.second_cube.drops)


# The command


def run(*arguments):
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    return result.exit_code, result.output, result.exception


def test_the_command_plays_matches_and_money(tmp_path):
    path = tmp_path / "m.safetensors"
    net().save(path)
    code, out, _ = run("arena", path, "random", "--games", 4, "--match", 2)
    assert code == 0
    assert "% of 4 matches to 2 won by" in out
    assert "doubles    takes    drops" in out
    code, out, _ = run("arena", path, path, "--games", 4, "--cube", "--no-jacoby", "--beavers", "--json")
    found = json.loads(out)
    assert (code, found["points"], found["jacoby"], found["beavers"]) == (0, 0, False, True)
    assert found["first_cube"] == found["second_cube"]
    code, out, _ = run("arena", path, path, "--games", 4, "--cube", "--doublers", "b", "--json")
    assert json.loads(out)["first_cube"]["doubles"] == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cube", "--less-luck"], "--less-luck is for cubeless games"),
        (["--doublers", "a"], "--doublers a is for games with the cube"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, said):
    assert said in str(run("arena", "random", "random", *options)[2])
