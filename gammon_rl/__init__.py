"""Backgammon: vectorised rules, TD(lambda) training, NumPy bots, and a command line.

Everything a caller needs is a name of this module, loaded when it is first used:

>>> import numpy as np
>>> import gammon_rl as gr
>>> parents, afterstates = gr.legal_plays(gr.STANDARD.start()[None], (3, 1))
>>> len(afterstates)
16
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "gammon_rl.bots.acting": ("bot_action",),
    "gammon_rl.bots.bot": ("Bot",),
    "gammon_rl.errors": (
        "ConfigError",
        "GammonError",
        "IllegalActionError",
        "IllegalPlayError",
        "InvalidNotationError",
        "InvalidPositionError",
        "ModelFileError",
        "PlayerUnavailableError",
        "RunError",
        "TableError",
    ),
    "gammon_rl.eval.model": ("Model", "load_model"),
    "gammon_rl.rules.board": ("checked_board", "pip_counts", "results", "turn"),
    "gammon_rl.rules.plays": ("legal_plays",),
    "gammon_rl.rules.position": ("Position",),
    "gammon_rl.rules.variants": (
        "HYPERGAMMON",
        "LONGGAMMON",
        "NACKGAMMON",
        "STANDARD",
        "TAVLA",
        "VARIANTS",
        "Variant",
        "variant",
    ),
    "gammon_rl.table.options": ("Seat", "Settings", "TableOptions"),
    "gammon_rl.table.table": ("Table",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_HOME_OF)]

if TYPE_CHECKING:
    from gammon_rl.bots.acting import bot_action as bot_action
    from gammon_rl.bots.bot import Bot as Bot
    from gammon_rl.errors import (
        ConfigError as ConfigError,
        GammonError as GammonError,
        IllegalActionError as IllegalActionError,
        IllegalPlayError as IllegalPlayError,
        InvalidNotationError as InvalidNotationError,
        InvalidPositionError as InvalidPositionError,
        ModelFileError as ModelFileError,
        PlayerUnavailableError as PlayerUnavailableError,
        RunError as RunError,
        TableError as TableError,
    )
    from gammon_rl.eval.model import Model as Model, load_model as load_model
    from gammon_rl.rules.board import (
        checked_board as checked_board,
        pip_counts as pip_counts,
        results as results,
        turn as turn,
    )
    from gammon_rl.rules.plays import legal_plays as legal_plays
    from gammon_rl.rules.position import Position as Position
    from gammon_rl.rules.variants import (
        HYPERGAMMON as HYPERGAMMON,
        LONGGAMMON as LONGGAMMON,
        NACKGAMMON as NACKGAMMON,
        STANDARD as STANDARD,
        TAVLA as TAVLA,
        VARIANTS as VARIANTS,
        Variant as Variant,
        variant as variant,
    )
    from gammon_rl.table.options import Seat as Seat, Settings as Settings, TableOptions as TableOptions
    from gammon_rl.table.table import Table as Table


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'gammon_rl' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
