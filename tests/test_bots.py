import math
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gammon_rl as gr
from gammon_rl.bots.arena import meet
from gammon_rl.bots.bench import random_positions
from gammon_rl.bots.cubeful import cube_ahead, worth_on_roll
from gammon_rl.bots.decisions import Decisions, load_decisions, make_decisions
from gammon_rl.bots.levels import HARD, NORMAL, Level
from gammon_rl.bots.luck import luck
from gammon_rl.bots.player import RandomPlayer, SearchPlayer, player
from gammon_rl.bots.rollout import roll_out
from gammon_rl.bots.search import best_plays, best_replies, chosen, outcomes_ahead, valued_replies
from gammon_rl.eval.encoder import INPUTS
from gammon_rl.eval.model import Model
from gammon_rl.eval.network import POINTS
from gammon_rl.exact.bearoff import database_files, load_bearoff
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.stakes.worth import Stakes
from tests.test_eval import random_layers


@pytest.fixture(scope="module")
def model():
    return Model(random_layers([INPUTS, 12, 6]), gr.STANDARD)


@pytest.fixture(scope="module")
def met():
    boards, dice = random_positions(400, seed=11)
    return boards, dice


def position(**points):
    """Build a board from counts by place: p6=5 is five of mine on 6, o6=2 two of theirs on my 6 point."""
    board = np.zeros(26, dtype=np.int8)
    for name, count in points.items():
        board[int(name[1:])] += count if name[0] == "p" else -count
    return board


# Choosing


def test_chosen_is_the_least_of_each_board_and_the_first_of_equal_ones():
    boards = np.arange(4 * 26, dtype=np.int8).reshape(4, 26)
    afterstates = np.arange(5 * 26, dtype=np.int8).reshape(5, 26) - 100
    parents = np.array([0, 0, 0, 2, 2])
    made = chosen(boards, parents, afterstates, np.array([3, 1, 1, 5, 4], dtype=np.float32))
    assert (made[0] == afterstates[1]).all()
    assert (made[2] == afterstates[4]).all()
    assert (made[[1, 3]] == gr.turn(boards[[1, 3]])).all()
    none = chosen(boards, parents[:0], afterstates[:0], np.empty(0, dtype=np.float32))
    assert (none == gr.turn(boards)).all()


def test_a_judge_that_says_no_number_still_gets_a_legal_play():
    boards, dice = random_positions(20, seed=3)
    parents, afterstates = gr.legal_plays(boards, dice)
    made = chosen(boards, parents, afterstates, np.full(len(parents), np.nan, dtype=np.float32))
    first = np.flatnonzero(np.diff(parents, prepend=-1))
    assert (made[parents[first]] == afterstates[first]).all()


def test_best_plays_takes_the_afterstate_that_is_worst_for_the_other_player(model, met):
    boards, dice = met
    made = best_plays(model, boards, dice)
    for at in range(100):
        _, afterstates = gr.legal_plays(boards[at : at + 1], dice[at])
        if len(afterstates):
            equity = model.equity(afterstates)
            assert model.equity(made[at]) == pytest.approx(equity.min(), abs=1e-5)
        else:
            assert (made[at] == gr.turn(boards[at])).all()


def test_looking_ahead_is_the_mean_over_rolls_of_the_best_reply(model, met):
    boards = met[0][:6]
    for ply in (1, 2):
        ahead = outcomes_ahead(model, boards, ply)
        for at, board in enumerate(boards):
            expected = np.zeros(6)
            for dice, chance in zip(ROLLS, ROLL_CHANCES, strict=True):
                reply = best_plays(model, board[None], dice[None])
                expected += chance * outcomes_ahead(model, reply, ply - 1)[0, ::-1]
            np.testing.assert_allclose(ahead[at], expected, atol=1e-5)


def test_looking_ahead_knows_a_finished_game_and_a_sure_win(model):
    lost = position(p6=15)
    assert outcomes_ahead(model, lost[None], 2)[0].tolist() == [0, 1, 0, 0, 0, 0]
    # One checker each on the ace point: whoever rolls wins a single game.
    board = position(p1=1, o24=1)
    assert outcomes_ahead(model, board[None], 1)[0].tolist() == pytest.approx([0, 0, 0, 1, 0, 0], abs=1e-6)
    # Two of mine on 6 against one on the ace point: only 3-3, 4-4, 5-5 and 6-6 win before the other rolls.
    two_sixes = position(p6=2, o24=1)
    win = outcomes_ahead(model, two_sixes[None], 2) @ POINTS
    assert win[0] == pytest.approx(2 * 4 / 36 - 1, abs=1e-6)


def test_many_positions_are_played_as_each_one_alone(model, met):
    boards, dice = met[0][:12], [(int(one), int(other)) for one, other in met[1][:12]]
    positions = [
        gr.Position(board, match_length=5 * (at % 2), score=(at % 2, 0), jacoby=at % 3 == 0)
        for at, board in enumerate(boards)
    ]
    for level in ("normal", "hard@1"):
        bot = gr.Bot(level, model, bearoff=False)
        for position, roll, play in zip(positions, dice, bot.choose_plays(positions, dice), strict=True):
            assert play.text == bot.choose_play(position, roll).text
    assert bot.choose_plays([], []) == []
    with pytest.raises(gr.InvalidPositionError, match="every position has its roll"):
        bot.choose_plays(positions, dice[1:])
    start = [gr.Position.start()] * 30
    calm, wild = (gr.Bot(Level("mine", 0, noise=noise), model, 1) for noise in (0, 9))
    assert len(set(calm.choose_plays(start, [(3, 1)] * 30))) == 1
    assert len(set(wild.choose_plays(start, [(3, 1)] * 30))) > 1


def test_candidates_are_few_near_and_always_hold_the_best():
    level = Level("test", 1, candidates=2, within=0.1)
    parents = np.array([0, 0, 0, 3, 4, 4])
    equity = np.array([0.05, 0.0, 0.06, 9.0, -1.0, -0.85], dtype=np.float32)
    assert level.candidates_of(parents, equity).tolist() == [1, 0, 3, 4]
    assert level.candidates_of(parents[:0], equity[:0]).tolist() == []


# The arena


def test_a_player_against_itself_scores_exactly_zero(model):
    result = meet(SearchPlayer(model, NORMAL, "one"), SearchPlayer(model, NORMAL, "other"), 300, seed=2**40)
    assert result.points == 0
    assert result.interval == 0
    assert result.games == 300
    assert (result.wins, result.gammons) == (result.losses, result.lost_gammons)
    same = SearchPlayer(model, NORMAL, "same")
    assert meet(same, same, 100).points == 0


def test_random_against_random_is_even_and_has_the_known_results():
    one, two = RandomPlayer(gr.STANDARD, 1), RandomPlayer(gr.STANDARD, 2)
    result = meet(one, two, 3000, seed=3)
    assert abs(result.points) < 2.5 * result.interval
    assert result.wins + result.losses == pytest.approx(1)
    assert result.gammons + result.lost_gammons == pytest.approx(0.367 + 0.256, abs=0.03)
    assert result.backgammons + result.lost_backgammons == pytest.approx(0.256, abs=0.03)
    assert result.plies == pytest.approx(95.8, rel=0.03)
    assert result.interval == pytest.approx(1.96 * 2.0 / np.sqrt(3000), rel=0.2)


def test_the_same_seed_is_the_same_meeting_and_seats_swap_the_sign(model):
    def play(first_is_model, seed):
        players = [SearchPlayer(model, NORMAL, "m"), SearchPlayer(other, NORMAL, "o")]
        return meet(*(players if first_is_model else players[::-1]), 60, seed=seed)

    other = Model(random_layers([INPUTS, 12, 6], seed=8), gr.STANDARD)
    once = play(True, 5)
    assert play(True, 5) == once
    assert once.points == -play(False, 5).points != 0
    assert play(True, 5 + 2**33).points != once.points


@pytest.mark.parametrize("rules", gr.VARIANTS.values(), ids=gr.VARIANTS)
def test_every_variant_is_played_to_the_end(rules):
    model = Model(random_layers([INPUTS, 8, 6]), rules)
    result = meet(SearchPlayer(model, NORMAL, "m"), RandomPlayer(rules, 1), 40, rules=rules)
    assert result.games == 40


def test_an_interrupted_meeting_gives_the_games_so_far():
    class Tired(RandomPlayer):
        plays = 0

        def choose(self, boards, dice):
            self.plays += 1
            if self.plays > 900:
                raise KeyboardInterrupt
            return super().choose(boards, dice)

    result = meet(Tired(gr.STANDARD, 1), RandomPlayer(gr.STANDARD, 2), 400)
    assert 0 < result.games < 400
    assert result.games % 40 == 0


def test_a_single_pair_has_no_interval():
    result = meet(RandomPlayer(gr.STANDARD, 1), RandomPlayer(gr.STANDARD, 2), 1)
    assert result.games == 2
    assert result.interval is None


# Players by name


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("hard@9", gr.InvalidNotationError, "plies after @ are 0, 1, 2 or 3, got '9'"),
        ("hard@", gr.InvalidNotationError, "plies after @"),
        ("random@1", gr.InvalidNotationError, "random does not look ahead"),
        ("easy@0", gr.InvalidNotationError, "easy does not look ahead"),
        (
            "nobody",
            gr.InvalidNotationError,
            "neither a model file nor one of random, easy, novice, casual, normal, hard, gnubg",
        ),
        ("nobody.safetensors", gr.ModelFileError, "no such model file"),
    ],
)
def test_a_wrong_player_says_what_is_wrong(text, error, said):
    with pytest.raises(error) as refused:
        player(text)
    assert said in str(refused.value)


@pytest.mark.parametrize("rules", [gr.NACKGAMMON, gr.LONGGAMMON], ids=lambda rules: rules.name)
def test_a_variant_that_only_begins_otherwise_is_played_by_the_standard_model(rules):
    start = gr.Position.start(rules)
    bot, standard = gr.Bot("normal", rules=rules), gr.Bot("normal")
    best = bot.analyse(start, (6, 4))[0]
    assert best == standard.analyse(gr.Position(start.board), (6, 4))[0]
    assert bot.choose_play(start, (6, 4)) == best.play
    assert player("normal", rules).evaluator.rules is rules
    assert gr.load_model("standard", rules).rules is rules
    with pytest.raises(gr.ModelFileError, match="made for standard, not for hypergammon"):
        gr.load_model("standard", gr.HYPERGAMMON)


def test_players_are_found_by_name(model, tmp_path):
    path = tmp_path / "m@1.safetensors"
    model.save(path)
    assert isinstance(player("random"), RandomPlayer)
    assert player(str(path)).level.ply == 0
    deep = player(f"{path}@2")
    assert (deep.level.ply, deep.name) == (2, f"{path}@2")
    assert player("hard", model=path).level == HARD
    with pytest.raises(gr.ModelFileError, match="made for standard, not for tavla"):
        player(str(path), gr.TAVLA)
    with pytest.raises(gr.InvalidNotationError, match="standard only"):
        player("gnubg", gr.TAVLA)


# The bot


@pytest.mark.parametrize("level", ["easy", "normal", "hard", "hard@2"])
def test_every_level_plays_legally_and_says_so(model, level, met):
    bot = gr.Bot(level, model, seed=1)
    for board, dice in zip(*(part[:12] for part in met), strict=True):
        play = bot.choose_play(gr.Position(board), tuple(map(int, dice)))
        _, afterstates = gr.legal_plays(board[None], dice)
        if len(afterstates):
            assert any((play.afterstate == one).all() for one in afterstates)
        else:
            assert play.steps == ()


def test_a_dance_has_no_steps(model):
    board = position(p25=1, p6=14, o24=2, o23=2, o22=2, o21=2, o20=2, o19=2, o1=3)
    for level in ("easy", "normal", "hard"):
        play = gr.Bot(level, model).choose_play(gr.Position(board), (6, 6))
        assert play.steps == ()
        assert (play.afterstate == gr.turn(board)).all()
        if level != "easy":
            assert gr.Bot(level, model).analyse(gr.Position(board), (6, 6)) == []


def test_analysis_is_best_first_and_depths_are_not_mixed(model, met):
    bot = gr.Bot("hard", model)
    for board, dice in zip(*(part[:8] for part in met), strict=True):
        dice = tuple(map(int, dice))
        found = bot.analyse(gr.Position(board), dice)
        if not found:
            continue
        plies = [one.ply for one in found]
        assert plies == sorted(plies, reverse=True)
        for depth in set(plies):
            equities = [one.equity for one in found if one.ply == depth]
            assert equities == sorted(equities, reverse=True)
        assert found[0].loss == 0
        assert min(one.loss for one in found) == 0
        assert found[0].play == bot.choose_play(gr.Position(board), dice)
        for one in found:  # a point of the only game left to win is a chance of 2 to win the match, less 1
            last = gr.Bot("normal", model).analyse(gr.Position(board, match_length=1), dice)[0]
            assert last.equity == pytest.approx(2 * last.probs[0] - 1, abs=1e-5)
            assert abs(one.equity) <= 3 + 1e-9


def test_no_time_is_the_play_of_no_depth(model):
    bot = gr.Bot("hard@2", model)
    start = gr.Position.start()
    assert bot.choose_play(start, (3, 1), time_limit=0) == gr.Bot("normal", model).choose_play(start, (3, 1))
    assert {one.ply for one in bot.analyse(start, (3, 1), time_limit=0)} == {0}
    assert bot.cube_action(start, time_limit=0) == gr.Bot("normal", model).cube_action(start)
    assert bot.probs(start, time_limit=0).tolist() == gr.Bot("normal", model).probs(start).tolist()


def test_plenty_of_time_changes_nothing(model, met):
    bot = gr.Bot("hard@2", model)
    for board, dice in zip(*(part[:4] for part in met), strict=True):
        asked, roll = gr.Position(board), tuple(map(int, dice))
        assert bot.choose_play(asked, roll, time_limit=60) == bot.choose_play(asked, roll)
        assert bot.cube_action(asked, time_limit=60) == bot.cube_action(asked)


class Slow:
    """An evaluator that takes 2 ms for every call."""

    rules = gr.STANDARD

    def __init__(self, model):
        self.model = model
        self.calls = 0

    def outcomes(self, boards):
        self.calls += 1
        time.sleep(0.002)
        return self.model.outcomes(boards)


@pytest.mark.parametrize("limit", [0.02, 0.1])
def test_time_limits_are_kept_inside_a_deep_search(model, limit):
    bot = gr.Bot("hard@3", Slow(model), bearoff=False)
    start = gr.Position.start()
    bot.choose_play(start, (3, 1), time_limit=0)
    for call in (
        lambda: bot.choose_play(start, (3, 1), time_limit=limit),
        lambda: bot.analyse(start, (3, 1), time_limit=limit),
        lambda: bot.cube_action(start, time_limit=limit),
        lambda: bot.accepts(start, 1, time_limit=limit),
        lambda: bot.probs(start, time_limit=limit),
    ):
        began = time.monotonic()
        call()
        assert time.monotonic() - began < limit + 0.25  # generous: the machine may be busy; the search takes minutes


def test_a_call_is_cancelled_from_another_thread_and_answers(model):
    bot = gr.Bot("hard@3", Slow(model), bearoff=False)
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(bot.choose_play, gr.Position.start(), (3, 1), stop=stop)
        time.sleep(0.05)
        assert not asked.done()
        stop.set()
        assert asked.result(timeout=5).steps
    assert {one.ply for one in bot.analyse(gr.Position.start(), (3, 1), stop=stop)} == {0}


@pytest.mark.parametrize("limit", ["1", math.nan, object(), 10**400, -(10**400)])
def test_a_time_limit_that_is_no_number_is_refused(model, limit):
    with pytest.raises(gr.ConfigError, match="time_limit must be a number of seconds"):
        gr.Bot("hard", model).choose_play(gr.Position.start(), (3, 1), time_limit=limit)


def test_what_a_caller_gets_wrong_is_an_error_of_ours(model):
    for seed in (-1, 1.5, "x"):
        with pytest.raises(gr.ConfigError, match="seed must be a whole number"):
            gr.Bot("easy", seed=seed)
    with pytest.raises(gr.InvalidNotationError, match="level 3"):
        gr.Bot(3)
    bot = gr.Bot("normal", model)
    with pytest.raises(gr.InvalidPositionError, match="expected a Position, got 'start'"):
        bot.choose_play("start", (3, 1))
    doubled = gr.Position(gr.STANDARD.start(), doubled=True)
    for ask in (bot.resignation, lambda position: bot.accepts(position, 1)):
        with pytest.raises(gr.InvalidPositionError, match="a double is on offer"):
            ask(doubled)


def test_a_bot_takes_a_variant_by_its_name():
    assert gr.Bot("easy", rules="nackgammon").rules is gr.NACKGAMMON
    with pytest.raises(gr.InvalidNotationError, match="unknown variant 'chess'"):
        gr.Bot("easy", rules="chess")


def test_threads_share_a_bot(model, met):
    bot = gr.Bot("hard@1", model)
    asked = [
        (gr.Position(board), tuple(map(int, dice))) for board, dice in zip(*(part[:16] for part in met), strict=True)
    ]
    alone = [bot.choose_play(*one) for one in asked]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda one: bot.choose_play(*one), asked)) == alone
        noisy = gr.Bot("casual", model, seed=1)
        assert all(play.text for play in pool.map(lambda one: noisy.choose_play(*one), asked))


@pytest.mark.parametrize("rules", gr.VARIANTS.values(), ids=gr.VARIANTS)
def test_every_legal_position_is_answered_in_any_time(rules):
    rng = np.random.default_rng(4)
    bot = gr.Bot("hard", Model(random_layers([INPUTS, 8, 6]), rules), rules=rules)
    board = rules.start()
    for _ in range(int(12 * float(os.environ.get("GAMMON_RL_TEST_SCALE", "1")))):
        dice = tuple(map(int, rng.integers(1, 7, 2)))
        length = int(rng.integers(0, 12))
        score = tuple(map(int, rng.integers(0, length, 2))) if length else (0, 0)
        cube = int(2 ** rng.integers(0, 8))
        owner = ("mine", "theirs")[int(rng.integers(2))] if cube > 1 else "centre"
        asked = gr.Position(
            board,
            cube_value=cube,
            cube_owner=owner,
            match_length=length,
            score=score,
            jacoby=True,
            beavers=True,
            rules=rules,
        )
        limit = float(rng.choice([0, 0.001, 0.02]))
        play = bot.choose_play(asked, dice, time_limit=limit)
        assert bot.cube_action(asked, time_limit=limit).action
        assert bot.resignation(asked) in (0, 1, 2, 3)
        _, afterstates = gr.legal_plays(board[None], dice, rules)
        assert not len(afterstates) or (afterstates == play.afterstate).all(axis=1).any()
        board = rules.start() if gr.results(play.afterstate, rules) else play.afterstate


def test_a_quick_evaluator_only_narrows_the_replies(model, met):
    boards = met[0][:6]
    np.testing.assert_allclose(
        outcomes_ahead(model, boards, 1, quick=model), outcomes_ahead(model, boards, 1), atol=1e-6
    )
    blind = Model(random_layers([INPUTS, 4, 6], seed=3), gr.STANDARD)
    assert not np.allclose(outcomes_ahead(model, boards, 1, quick=blind), outcomes_ahead(model, boards, 1), atol=1e-3)
    asked = gr.Position.start()
    assert gr.Bot("hard@1", model, quick=model).choose_play(asked, (3, 1)) == gr.Bot("hard@1", model).choose_play(
        asked, (3, 1)
    )
    with pytest.raises(gr.ModelFileError, match="made for tavla, not for standard"):
        gr.Bot("hard", model, quick=Model(random_layers([INPUTS, 4, 6]), gr.TAVLA))


def test_boards_met_twice_are_looked_at_once(model, met):
    class Counting(Slow):
        def outcomes(self, boards):
            assert len({board.tobytes() for board in boards}) == len(boards)
            return self.model.outcomes(boards)

    boards = met[0][[0, 1, 0, 2, 1]]
    found = valued_replies(Counting(model), boards)[1]
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_array_equal(best_replies(model, boards), valued_replies(model, boards)[0])


# Levels and errors


def test_candidates_become_fewer_and_nearer_with_depth():
    level = Level("test", 3, candidates=5, within=0.16)
    parents, equity = np.zeros(8, dtype=np.int64), np.arange(8, dtype=np.float32) / 100
    assert [len(level.candidates_of(parents, equity, ply)) for ply in range(4)] == [5, 3, 2, 2]
    assert level.candidates_of(parents, 10 * equity, 1).tolist() == [0]


def test_more_noise_plays_worse(model):
    judge = gr.load_model("standard")
    start = gr.Position.start()
    best = gr.Bot("normal", judge, bearoff=False)
    lost = {}
    known = {one.play: one.loss for dice in ((2, 1), (4, 1), (6, 4)) for one in best.analyse(start, dice)}
    for level in ("normal", "casual", "novice", Level("blind", 0, noise=9.0)):
        bot = gr.Bot(level, judge, seed=5, bearoff=False)
        plays = [bot.choose_play(start, dice) for dice in ((2, 1), (4, 1), (6, 4)) for _ in range(25)]
        lost[bot.level.name] = float(np.mean([known[play] for play in plays]))
    assert lost["normal"] == 0 < lost["casual"] < lost["novice"] < lost["blind"]
    wavering = gr.Bot(Level("blind", 0, noise=9.0), judge, seed=5)
    assert len({wavering.cube_action(start).action for _ in range(20)}) > 1
    again = [gr.Bot("novice", judge, seed=6).choose_play(start, (2, 1)) for _ in range(2)]
    assert again[0] == again[1]


# The end of the race


def test_the_end_of_the_race_comes_from_the_databases(model, tmp_path, monkeypatch):
    exact = load_bearoff()
    bot = gr.Bot("hard", model, bearoff=True)
    assert bot.has_bearoff
    board = position(p6=2, p5=2, p1=1, o24=2, o20=1)
    probs = bot.probs(gr.Position(board))
    assert probs[0] == pytest.approx(exact.race_probs(board)[0], abs=1e-6)
    cube = bot.cube_action(gr.Position(board, cube_value=2, cube_owner="mine"))
    assert [cube.nd, cube.dt] == pytest.approx([float(one) for one in exact.money_cube(board, "mine")], abs=1e-6)
    limit = bot.cube_action(gr.Position(board, cube_value=64, cube_owner="mine"))  # the databases know no limit
    assert limit.nd == pytest.approx(float(exact.money_equities(board)[0]), abs=1e-6)
    one = bot.analyse(gr.Position(board), (2, 1))[0]
    after = exact.money_equities(one.play.afterstate)[2]
    assert one.equity == pytest.approx(-float(after), abs=1e-6)
    assert not gr.Bot("hard", model, bearoff=False).has_bearoff
    monkeypatch.setenv("GAMMON_RL_DATA", str(tmp_path / "none"))
    assert not gr.Bot("hard", model).has_bearoff
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("xgid", "nd", "dt", "action"),
    [  # exact values by enumeration, with a cube that stops at 64
        ("XGID=-C--------------------aa--:5:0:1:00:0:0:2:0:10", -0.4815, -0.3148, "double/take"),
        ("XGID=--AA-------------------b--:4:1:1:00:0:0:0:0:10", None, 0.8457, "redouble/take"),
        ("XGID=--AB------------------b---:5:1:1:00:0:0:2:0:10", 0.1540, 0.2558, "redouble/take"),
        ("XGID=-A-B-------------------b--:3:0:1:00:0:0:2:0:10", None, -2.730, "no double/beaver"),
        ("XGID=-AB-------------------aa--:5:-1:1:00:0:0:0:0:10", -0.5309, None, "not available"),
    ],
)
def test_the_last_turns_of_a_cube_are_searched_where_the_databases_know_none(model, xgid, nd, dt, action):
    found = gr.Bot("hard@3", model, bearoff=True).cube_action(gr.Position.parse(xgid))
    assert found.action == action
    for value, expected in ((found.nd, nd), (found.dt, dt)):
        assert expected is None or value == pytest.approx(expected, abs=6e-4)


def test_damaged_databases_are_done_without_and_said(model, tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("GAMMON_RL_DATA", str(tmp_path))
    for file in database_files(gr.STANDARD):
        assert not gr.Bot("hard", model).has_bearoff
        assert not caplog.records  # while one is missing nothing is damaged
        file.path.write_bytes(b"no database")
    for _ in range(2):
        assert not gr.Bot("hard", model).has_bearoff
    (said,) = (record.getMessage() for record in caplog.records)
    assert said.startswith(str(tmp_path))
    assert said.endswith("; the end of the race is played without the databases")


# Resigning


@pytest.mark.parametrize(
    ("mine", "theirs", "lost"),
    [
        ({6: 5}, {24: 2}, 1),
        ({6: 4}, {24: 2}, 0),  # 6-6 comes in time
        ({6: 15}, {24: 2}, 1),  # the first one off comes with the next roll
        ({13: 2, 8: 3, 6: 10}, {24: 2}, 2),
        ({18: 3, 6: 12}, {24: 2}, 2),
        ({25: 4, 6: 11}, {24: 2}, 0),  # contact: a checker comes in on the other side of theirs
        ({6: 5}, {24: 2, 1: 1}, 0),
    ],
)
def test_what_is_surely_lost(model, mine, theirs, lost):
    board = np.zeros(26, dtype=np.int8)
    for points, sign in ((mine, 1), (theirs, -1)):
        for point, count in points.items():
            board[point] = sign * count
    for level in ("easy", "normal"):
        bot = gr.Bot(level, model)
        assert bot.resignation(gr.Position(board)) == lost
        assert bot.resignation(gr.Position(board, jacoby=True)) == min(lost, 1)
        assert bot.resignation(gr.Position(board, jacoby=True, match_length=5)) == lost


def test_a_resignation_is_accepted_when_playing_on_cannot_win_more():
    judge = gr.load_model("standard")
    bot, easy = gr.Bot("normal", judge), gr.Bot("easy")
    single = gr.Position(gr.turn(position(p6=5, o24=2)))
    gammon = gr.Position(gr.turn(position(p13=5, p6=10, o24=2)))
    start = gr.Position.start()
    for one in (bot, easy):
        assert [one.accepts(single, level) for level in (1, 2, 3)] == [True, True, True]
        assert [one.accepts(gammon, level) for level in (1, 2, 3)] == [False, True, True]
    assert bot.accepts(start, 1)
    jacoby = gr.Position(gammon.board, jacoby=True)
    assert bot.accepts(jacoby, 1)  # a gammon counts single
    with pytest.raises(gr.InvalidPositionError, match="1, 2 or 3 games, got 4"):
        bot.accepts(start, 4)


def test_a_finished_game_another_variant_and_bad_dice_are_refused(model):
    bot = gr.Bot("normal", model)
    with pytest.raises(gr.InvalidPositionError, match="the game is over"):
        bot.choose_play(gr.Position(position(p6=3)), (3, 1))
    with pytest.raises(gr.InvalidPositionError, match="plays standard, the position is of hypergammon"):
        bot.choose_play(gr.Position.start(gr.HYPERGAMMON), (3, 1))
    with pytest.raises(gr.GammonError, match="1 to 6"):
        bot.choose_play(gr.Position.start(), (0, 7))
    with pytest.raises(gr.InvalidPositionError, match="a double is on offer"):
        bot.choose_play(gr.Position(gr.STANDARD.start(), doubled=True), (3, 1))
    with pytest.raises(gr.ModelFileError, match="no model is released for tavla"):
        gr.Bot("hard", rules=gr.TAVLA)
    with pytest.raises(gr.ModelFileError, match="made for standard, not for tavla"):
        gr.Bot("hard", model, rules=gr.TAVLA)
    assert gr.Bot("Hard", model).level == HARD
    with pytest.raises(gr.InvalidNotationError, match="level 'brutal'"):
        gr.Bot("brutal")
    with pytest.raises(gr.InvalidNotationError, match="level 'hard@7'"):
        gr.Bot("hard@7")


@pytest.mark.parametrize(
    ("mine", "takes"),
    [({12: 1}, True), ({13: 1}, False), ({12: 1, 24: 2}, False)],
)
def test_easy_never_doubles_and_takes_when_not_more_than_a_fifth_behind(mine, takes):
    board = np.zeros(26, dtype=np.int8)
    board[15] = -1  # the doubler has ten pips to go
    for point, count in mine.items():
        board[point] = count
    bot = gr.Bot("easy")
    assert bot.cube_action(gr.Position(board, doubled=True)).take is takes
    assert bot.cube_action(gr.Position(gr.turn(board))).double is False


def test_cube_action_is_for_the_doubler_and_the_answer_is_the_same_from_the_other_side(model, met):
    bot = gr.Bot("normal", model)
    for board in met[0][:30]:
        if gr.results(board):
            continue
        asking = bot.cube_action(gr.Position(board, jacoby=True))
        answering = bot.cube_action(gr.Position(gr.turn(board), jacoby=True, doubled=True))
        assert asking == answering


def test_cube_is_not_available_when_dead_or_the_others():
    model = Model(random_layers([INPUTS, 8, 6]), gr.STANDARD)
    bot = gr.Bot("normal", model)
    start = gr.STANDARD.start()
    for there, said in (
        (gr.Position(start, cube_value=2, cube_owner="theirs"), "not available"),
        (gr.Position(start, match_length=5, score=(3, 0), cube_value=2, cube_owner="mine"), "dead cube"),
        (gr.Position(start, match_length=5, score=(4, 0), crawford=True), "dead cube"),
        (gr.Position(start, match_length=5, score=(0, 4), crawford=True), "not available"),
        (gr.Position(start, match_length=1), "dead cube"),
        (gr.Position(start, cube_value=64, cube_owner="mine"), "not available"),
    ):
        assert bot.cube_action(there).action == said
        assert bot.cube_action(there).double is False
    assert bot.cube_action(gr.Position(start, match_length=5, score=(3, 0))).action != "not available"


# Cubeful search


def test_cube_of_the_last_rolls_is_exact_ahead(model):
    # Bears off with 27 rolls of 36, and the other side surely next: nobody doubles after this roll.
    board = position(p6=1, o24=1)
    for plies in (2, 3):
        money = cube_ahead(model, board, Stakes.money(), plies)
        assert [float(money.nd), float(money.dt), float(money.dp)] == pytest.approx([0.5, 1.0, 1.0], abs=1e-6)
        match = Stakes.match(3, 2)
        ahead = cube_ahead(model, board, match, plies)
        by_hand = [float(0.75 * match.worth(n) + 0.25 * match.worth(-n)) for n in (1, 2)]
        assert [float(match.worth_of(ahead.nd)), float(match.worth_of(ahead.dt))] == pytest.approx(by_hand, abs=1e-6)


@pytest.mark.parametrize(
    "stakes", [Stakes.money(jacoby=True, beavers=True), Stakes.match(4, 3), Stakes.match(2, 5, 2, "mine")]
)
def test_a_ply_is_the_mean_of_what_the_other_side_does_best(model, met, stakes):
    boards = met[0][:5]
    theirs = stakes.turned()
    for board in boards:
        worths = []
        for dice in ROLLS:
            made = best_plays(model, board[None], dice[None], theirs.of_outcomes)
            node = cube_ahead(model, made[0], theirs)
            worths.append(float(stakes.other_side(node.worth)))
        nd = float(stakes.worth_of(cube_ahead(model, board, stakes, 1).nd))
        assert nd == pytest.approx(float(ROLL_CHANCES @ worths), abs=1e-6)


def test_rows_of_different_stakes_do_not_meet(model, met):
    boards = met[0][:140]
    mine, theirs = 1 + np.arange(140) % 7, 1 + np.arange(140) // 7 % 7
    many = cube_ahead(model, boards, Stakes.match(mine, theirs), 1)
    for at in (0, 1, 30, 139):
        alone = cube_ahead(model, boards[at], Stakes.match(int(mine[at]), int(theirs[at])), 1)
        assert [float(alone.nd), float(alone.dt)] == pytest.approx([many.nd[at], many.dt[at]], abs=1e-5)
    assert worth_on_roll(model, boards, Stakes.money(), 1).shape == (140,)


def test_a_play_is_chosen_for_the_score(model):
    # Gammons decide nothing for the leader who needs one point, and everything where two win the match.
    stakes = Stakes.match(1, 5)
    assert stakes.of_outcomes[3:].tolist() == [1, 1, 1]
    assert (np.diff(Stakes.match(2, 5).of_outcomes[3:]) >= 0).all()
    assert Stakes.money(jacoby=True).of_outcomes.tolist() == [-1, -1, -1, 1, 1, 1]
    assert Stakes.money(2, "mine", jacoby=True).of_outcomes.tolist() == [-6, -4, -2, 2, 4, 6]


# Luck


def test_luck_has_mean_zero_over_the_rolls(model, met):
    boards = met[0][:40]
    every = np.stack([luck(model, boards, np.tile(dice, (len(boards), 1))) for dice in ROLLS], axis=1)
    np.testing.assert_allclose(every @ ROLL_CHANCES, 0, atol=1e-5)
    opening = ROLLS[:, 0] != ROLLS[:, 1]
    start = gr.STANDARD.start()[None]
    first = np.concatenate([luck(model, start, dice[None], opening=True) for dice in ROLLS[opening]])
    assert first.mean() == pytest.approx(0, abs=1e-5)
    assert first.std() > 1e-4


def test_luck_of_the_last_roll_is_exact(model):
    class OnRollWins:
        rules = gr.STANDARD

        def outcomes(self, boards):
            chances = model.outcomes(boards)
            chances[results(boards, self.rules) == 0] = np.eye(6)[3]
            return chances

    # One checker on the 6 point against one on the ace: 27 rolls of 36 bear it off, after the others the ace wins.
    board = position(p6=1, o24=1)[None]
    won, lost = (luck(OnRollWins(), board, np.array([dice]))[0] for dice in ((6, 1), (2, 1)))
    assert won == pytest.approx(2 * 9 / 36, abs=1e-3)
    assert lost == pytest.approx(-2 * 27 / 36, abs=1e-3)


def test_a_result_less_its_luck_has_the_same_mean_and_a_narrower_interval():
    judge = gr.load_model("standard")
    one, two = SearchPlayer(judge, NORMAL, "one"), SearchPlayer(Model(judge.layers[:1] + tuple(
        (weight * 0.8, bias) for weight, bias in judge.layers[1:]
    ), gr.STANDARD), NORMAL, "two")  # fmt: skip
    result = meet(one, two, 60, seed=5, judge=judge)
    assert result.adjusted_interval < result.interval / 2
    assert abs(result.adjusted - result.points) < result.interval + result.adjusted_interval
    itself = meet(one, one, 8, judge=judge)
    assert itself.points == 0
    assert itself.adjusted == pytest.approx(0, abs=1e-6)
    assert meet(one, one, 8).adjusted is None


# Rollouts and decisions


def test_a_rollout_of_one_or_two_plies_is_the_search_of_that_depth(model, met):
    boards = met[0][:6]
    for plies in (1, 2):
        # Thirty-six trials hold every first roll as often as it comes, and the second ply takes its own mean.
        found = roll_out(model, boards, 36, plies)
        np.testing.assert_allclose(found.outcomes, outcomes_ahead(model, boards, plies), atol=1e-5)
        np.testing.assert_allclose(found.equity, found.outcomes @ POINTS, atol=1e-5)
    assert roll_out(model, boards, 36, 1).error.max() < 1e-6


def test_a_rollout_to_the_end_is_true_whatever_the_judge_believes(model):
    # Four checkers against four on the ace points: whoever rolls a double wins, else the player on roll, after two.
    board = position(p1=4, o24=4)[None]
    found = roll_out(model, board, 36 * 20, 4)
    truth = 1 - (5 / 6) * (1 / 6)
    assert found.outcomes[0, 3:].sum() == pytest.approx(truth, abs=1e-4)
    over = roll_out(model, position(o24=4)[None], 36, 4)
    np.testing.assert_array_equal(over.outcomes, model.outcomes(position(o24=4)[None]))
    assert over.error[0] == 0


def test_decisions_measure_the_choice_among_their_candidates(model, tmp_path):
    judge = gr.load_model("standard")
    made = make_decisions(judge, 3, trials=36, plies=1)
    assert (np.bincount(made.parents) > 1).all()
    made.save(tmp_path / "d.npz")
    again = load_decisions(file=tmp_path / "d.npz")
    for name, array in vars(made).items():
        np.testing.assert_array_equal(vars(again)[name], array)

    class OnePly:
        rules = gr.STANDARD

        def outcomes(self, boards):
            return outcomes_ahead(judge, boards, 1)

    np.testing.assert_array_equal(made.regret(OnePly()), 0)  # what the rollouts themselves have chosen by
    assert (made.regret(model) >= 0).all()
    by_hand = Decisions(
        np.array([0, 0, 1], dtype=np.int32), made.afterstates[:3],
        np.array([0.1, 0.3, 0.5], dtype=np.float32), np.zeros(3, dtype=np.float32),
    )  # fmt: skip
    opinion = judge.outcomes(made.afterstates[:2]) @ POINTS
    lost = 0.2 if opinion[0] < opinion[1] else 0.0
    np.testing.assert_allclose(by_hand.regret(judge), [lost, 0], atol=1e-6)
    with pytest.raises(gr.ModelFileError, match="not a set of decisions"):
        load_decisions(file=tmp_path)
