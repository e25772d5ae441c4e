"""The two-sided bear-off: win chances and money equities of both sides together, exact, for up to 6 checkers each.

There is no gammon, as both sides have borne checkers off, so a finished game is worth the cube. The values are those of
best play and best use of the cube, which may be turned without limit. The Jacoby rule changes nothing without gammons,
and beavers change nothing either: nobody here doubles rightly while the other side is ahead. With V the value of the
player on roll, and V' that of the opponent after the best play, who is then on roll:

1. ``cubeless``: the mean over the rolls of -V', with 1 for a game won by the play.
2. ``theirs`` (the opponent owns the cube): the mean of -V' where V' is the value to an owner of the cube.
3. ``mine_nd`` (I own it and do not double now): the mean of -V' where V' is ``theirs``.
4. ``centre_nd`` (nobody owns it, I do not double now): the mean of -V' where V' is the value with a centred cube.
5. A double is worth 2 ``theirs`` if it is taken and 1 if it is passed; the opponent takes what costs less. So the
   value to the owner is max(``mine_nd``, min(2 ``theirs``, 1)), and with a centred cube the same of ``centre_nd``.

The four are stored; everything else follows from them. Both sides' plays take pips away, so the pairs are solved once,
by their pips together.

Legend: H homes, P pairs of homes, E plays.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gammon_rl.exact.homes import POINTS, all_homes, plays_from
from gammon_rl.rules.dice import ROLL_CHANCES, ROLLS
from gammon_rl.rules.variants import STANDARD, Variant

KIND: Final = "bear-off, two sides"
VERSION: Final = 1
CHECKERS: Final = 6
"""Checkers a side can have at most here."""
CUBELESS, MINE_ND, CENTRE_ND, THEIRS = range(4)
"""The four values, in the order they are stored in."""

_BLOCK: Final = 4096  # pairs solved at once: a third of a million plays, some 30 MB


def solve_two_sided(
    rules: Variant = STANDARD, checkers: int = CHECKERS, told: Callable[[int], None] | None = None
) -> NDArray[np.float32]:
    """Solve all pairs of homes of up to some checkers each.

    Parameters
    ----------
    rules : Variant
        The variant, one of 15 checkers; it matters for forced bear-offs only.
    checkers : int
        How many checkers a side has at most.
    told : callable, optional
        Called now and then with the number of pairs done.

    Returns
    -------
    float32 (H, H, 4)
        By the home of the player on roll and that of the opponent: the values of ``CUBELESS``, ``MINE_ND``,
        ``CENTRE_ND`` and ``THEIRS``, in units of the cube, from -1 to 1. Rounding is all their error, at most 3e-8.
    """
    homes = all_homes(checkers)
    pips = homes @ np.arange(1, POINTS + 1)
    plays = plays_from(homes[1:], rules)
    ends = np.append(plays.starts, len(plays.homes))[:: len(ROLLS)]  # of each home's plays
    in_turn = plays.starts.reshape(-1, len(ROLLS)) - ends[:-1, None]  # where its turns begin among them
    # What the player on roll has after a play: minus the values of the opponent with the cube seen from there.
    after = np.empty((len(homes), len(homes), 4))
    stored = np.empty((len(homes), len(homes), 4), dtype=np.float32)
    stored[:, 0], stored[0] = -1, 1
    after[:, 0], after[0] = 1, -1
    mine, theirs = (side.ravel() + 1 for side in np.indices((len(homes) - 1,) * 2))
    order = np.argsort(pips[mine] + pips[theirs], kind="stable")
    level = (pips[mine] + pips[theirs])[order]
    done = 0
    while done < len(order):
        end = min(int(np.searchsorted(level, level[done], side="right")), done + _BLOCK)
        here = order[done:end]
        first = ends[mine[here] - 1]
        count = ends[mine[here]] - first
        place = np.cumsum(count) - count
        play = np.arange(count.sum()) + np.repeat(first - place, count)
        turns = (in_turn[mine[here] - 1] + place[:, None]).ravel()
        values = after[np.repeat(theirs[here], count), plays.homes[play]]
        best = np.maximum.reduceat(values, turns, axis=0).reshape(len(here), len(ROLLS), 4)
        value = np.einsum("prv,r->pv", best, ROLL_CHANCES)
        stored[mine[here], theirs[here]] = value
        owned, centred = money_values(value)
        after[mine[here], theirs[here]] = -np.stack([value[:, CUBELESS], value[:, THEIRS], centred, owned], axis=1)
        done = end
        if told:
            told(done)
    return stored


def money_values(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the value to a cube's owner and with a centred cube, both used at their best: (...) each, of (..., 4)."""
    doubled = np.minimum(2 * values[..., THEIRS], 1)
    return np.maximum(values[..., MINE_ND], doubled), np.maximum(values[..., CENTRE_ND], doubled)
