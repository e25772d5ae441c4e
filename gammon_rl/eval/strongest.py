"""The strongest evaluator there is for a variant: its solved game where that is at hand, else its released model."""

from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.model import released_model
from gammon_rl.exact.hypergammon import load_solved, solved_path
from gammon_rl.rules.variants import HYPERGAMMON, Variant


def strongest(rules: Variant) -> Evaluator:
    """Return the strongest evaluator at hand.

    Raises
    ------
    ModelFileError
        If there is none.
    DatabaseFileError
        If there is a solved game, but not a sound one.
    """
    if rules.name == HYPERGAMMON.name and solved_path(rules).exists():
        return load_solved(rules)
    return released_model(rules)
