"""The strongest evaluator there is for a variant: its solved game where that is at hand, else its released model.

A released model may have a companion, a small and quick one that is not to play: inside a search it tells the plays
that the other need not look at.
"""

from gammon_rl.errors import DatabaseFileError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.exactly import warn_once
from gammon_rl.eval.model import Model, quick_companion, released_model
from gammon_rl.exact.hypergammon import load_solved, solved_path
from gammon_rl.rules.variants import HYPERGAMMON, Variant


def strongest(rules: Variant) -> Evaluator:
    """Return the strongest evaluator at hand.

    Raises
    ------
    ModelFileError
        If there is none.
    """
    if rules.name == HYPERGAMMON.name and solved_path(rules).exists():
        try:
            return load_solved(rules)
        except DatabaseFileError as error:
            warn_once(f"{error}; --force writes over it. Without it the released model plays")
    return released_model(rules)


def companion(evaluator: Evaluator) -> Model | None:
    """Return the quick companion of a released model, if it is one and has one."""
    return quick_companion(evaluator.rules) if isinstance(evaluator, Model) else None
