"""The strength meter of a run: what the net as it is now loses and would win, told to TensorBoard now and then.

It has dice of its own and changes nothing of the run.
"""

import shutil
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from gammon_rl.bots.arena import meet
from gammon_rl.bots.decisions import load_decisions
from gammon_rl.bots.levels import NORMAL
from gammon_rl.bots.player import Player, SearchPlayer, player
from gammon_rl.errors import DatabaseFileError, ModelFileError, PlayerUnavailableError
from gammon_rl.eval.model import Model, released_model
from gammon_rl.eval.regret import RegretMeter
from gammon_rl.exact.hypergammon import load_solved
from gammon_rl.rules.variants import HYPERGAMMON, STANDARD, Variant
from gammon_rl.train.network import Net

_SAMPLE: Final = 5000  # positions of a solved game; the same each time
_SEED: Final = 1000  # the same games each time: what changes from one to the next is the net


class Meter:
    """Measures a net against fixed decisions, the released model, and GNU Backgammon where it is installed.

    In a game that is solved, where the file is there, also against the truth.

    Parameters
    ----------
    rules : Variant
        The variant of the run.
    games : int
        Games against each opponent, less the luck of the dice by the released model's judgement; 0 for none.
    """

    def __init__(self, rules: Variant, games: int) -> None:
        self.games = games
        self.decisions = load_decisions(rules)
        self.released: Model | None = None
        with suppress(ModelFileError):  # there may be none yet
            self.released = released_model(rules)
        self._truth: RegretMeter | None = None
        if rules is HYPERGAMMON:
            with suppress(DatabaseFileError):  # it may not be solved here
                self._truth = RegretMeter(load_solved(rules), _SAMPLE)
        self._gnubg = rules is STANDARD and shutil.which("gnubg") is not None

    def __call__(self, net: Net) -> Mapping[str, float]:
        """Return the scalars of a net: milli-points lost a decision, points a game and half their 95 % intervals."""
        model = Model(net.arrays(), net.rules)
        scalars: dict[str, float] = {}
        if self.decisions:
            scalars["strength/milli_points_lost"] = 1000 * float(self.decisions.regret(model).mean())
        if self._truth:
            regret = self._truth(model)
            scalars |= {
                "exact/milli_points_lost_a_turn": 1000 * regret.loss,
                "exact/best_plays": regret.best,
                "exact/error": regret.error,
            }
        if self.released and self.games:
            scalars |= self._against("released", SearchPlayer(self.released, NORMAL, "released"), model)
            if self._gnubg:
                with suppress(PlayerUnavailableError):  # a run does not end because its judge did
                    scalars |= self._against("gnubg", player("gnubg@0"), model)
        return scalars

    def _against(self, name: str, opponent: Player, model: Model) -> Mapping[str, float]:
        try:
            met = meet(
                SearchPlayer(model, NORMAL, "net"), opponent, self.games,
                seed=_SEED, rules=model.rules, judge=self.released,
            )  # fmt: skip
        finally:
            opponent.close()
        assert met.adjusted is not None
        scalars = {f"strength/points_against_{name}": met.adjusted}
        if met.adjusted_interval is not None:
            scalars[f"strength/interval_against_{name}"] = met.adjusted_interval
        return scalars
