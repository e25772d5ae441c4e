"""Counts of shots: against a scalar count from the definition, and against what legal plays do."""

import numpy as np
import pytest

import gammon_rl as gr
from gammon_rl.bots.bench import random_positions
from gammon_rl.eval.encoder import INPUTS, WITH_SHOTS, encode
from gammon_rl.eval.shots import COUNTS, shots
from gammon_rl.rules.board import turn
from gammon_rl.rules.plays import legal_plays

ROLLS = [(first, second) for first in range(1, 7) for second in range(1, 7)]


def scalar_hits(board, roll):
    """Return the blots that a roll can hit: checkers on the bar enter first, then one goes on with the dice left."""
    blots = {place for place in range(1, 25) if board[place] == -1}
    blocked = {place for place in range(26) if board[place] <= -2}
    bar = board[25]
    steps = [[roll[0]] * 4] if roll[0] == roll[1] else [list(roll), list(roll[::-1])]
    hit = set()
    for dice in steps:
        here = {place for place in range(1, 26) if board[place] > 0}
        for used, die in enumerate(dice):
            if used < bar:  # the next one has to enter
                here = {25}
            elif used == bar > 0:
                here |= {place for place in range(1, 25) if board[place] > 0}
            here = {place - die for place in here if place - die >= 1}
            hit |= here & blots
            here -= blocked
            if used < bar and not here:
                break
    return hit


def counts_of(board):
    """Return the counts of one board by the scalar definition, a row of 50."""
    row = []
    for side in (board, turn(board)):
        each = [scalar_hits(side.tolist(), roll) for roll in ROLLS]
        row += [sum(point in hit for hit in each) for point in range(1, 25)] + [sum(map(bool, each))]
    return row


@pytest.fixture(scope="module")
def boards():
    return random_positions(3000, seed=4)[0]


def test_counts_are_those_of_the_definition(boards):
    some = np.concatenate([boards[:300], boards[boards[:, 25] > 1][:60], boards[boards[:, 0] < -1][:60]])
    np.testing.assert_array_equal(shots(some), [counts_of(board) for board in some])


def test_counts_are_the_hits_of_legal_plays(boards):
    of_plays = np.zeros(len(boards), dtype=int)
    for roll in ROLLS:
        parents, afterstates = legal_plays(boards, np.tile(roll, (len(boards), 1)))
        hit = np.zeros(len(boards), dtype=bool)
        hit[parents[afterstates[:, 25] > -boards[parents, 0]]] = True
        of_plays += hit
    off = np.abs(of_plays - shots(boards)[:, 24].astype(int))
    assert (off == 0).mean() > 0.99  # a die that must be used elsewhere, now and then
    assert off.max() <= 6


def test_known_counts():
    direct = np.zeros(26, dtype=np.int8)
    direct[7], direct[1] = 1, -1
    assert shots(direct[None])[0, 1 - 1] == 17
    direct[6] = -2  # blocks a 1 on the way, but a 5-1 may begin with the 5
    assert shots(direct[None])[0, 1 - 1] == 17
    direct[5] = -2  # blocks a 2 as well: no 2-2, and a 4-2 begins with the 4
    assert shots(direct[None])[0, 1 - 1] == 16
    bar = np.zeros(26, dtype=np.int8)
    bar[25], bar[22], bar[19] = 1, -2, -1
    assert shots(bar[None])[0, 19 - 1] == 11 + 2 + 2 + 1  # 6s; 5-1, 4-2; 2-2; a 3 is blocked


def test_rows_do_not_touch_each_other_and_any_number_may_come(boards):
    whole = shots(boards)
    assert whole.dtype == np.uint8
    assert whole.shape == (len(boards), COUNTS)
    np.testing.assert_array_equal(shots(boards[700:701]), whole[700:701])
    assert shots(boards[:0]).shape == (0, COUNTS)
    before = boards.copy()
    shots(boards[::2])
    np.testing.assert_array_equal(boards, before)


def test_inputs_have_them_as_shares_after_the_others(boards):
    inputs = encode(boards, 15, WITH_SHOTS)
    np.testing.assert_array_equal(inputs[:, :INPUTS], encode(boards, 15))
    np.testing.assert_allclose(inputs[:, INPUTS:], shots(boards) / 36, atol=1e-7)
    assert not encode(gr.Position.start().board[None], 15, WITH_SHOTS)[0, INPUTS:].any()
