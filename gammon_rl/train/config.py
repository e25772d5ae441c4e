"""A training run as one TOML file: every key is a field of `TrainConfig`, and the text under it is its help."""

import difflib
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from gammon_rl.errors import ConfigError, InvalidNotationError
from gammon_rl.rules.variants import HYPERGAMMON, variant

Schedule = float | tuple[tuple[float, float], ...]
"""A constant, or points (share of the run, value) joined by straight lines."""

OF_LABELS = frozenset(
    ("labels", "label_games", "label_segment", "label_trace", "replay", "epochs", "fit_minibatch", "fit_step_size")
)
"""Keys that only the generations of labels look at."""

OF_A_GENERATION = frozenset(
    ("labels", "label_trace", "replay", "epochs", "last_epochs", "fit_minibatch", "fit_step_size")
)
"""Those of them that each generation may have for itself."""

SOLVED = "solved"
"""The teacher that knows the truth."""

PRECISIONS = ("float32", "bfloat16", "auto")
DEVICES = ("cpu", "cuda", "mps")

OF_THE_CLOCK = frozenset(("checkpoint_minutes", "meter_minutes", "meter_games"))
"""Keys that change when something is written, and nothing that is learned."""

_LARGEST = {
    "hidden": 65_536,
    "companion": 65_536,
    "workers": 1024,
    "parallel_games": 1_000_000,
    "segment": 10_000,
    "minibatch": 100_000_000,
    "label_games": 100_000,
    "label_segment": 10_000,
    "fit_minibatch": 100_000_000,
    "meter_games": 1_000_000,
}

_SCHEDULES = ("step_size", "trace", "exploration", "label_trace", "fit_step_size")


@dataclass(frozen=True)
class TrainConfig:
    """What a training run does; the same values and seed give the same bytes."""

    games: int = 600_000
    """Games of TD(lambda), over all workers; none if the run begins with a model and only learns labels."""
    seed: int = 1
    """Seed of the dice, the first weights and the order of learning; any size."""
    variant: str = "standard"
    """Standard, nackgammon, hypergammon, longgammon or tavla."""
    other_starts: tuple[str, ...] = ()
    """Variants that only begin otherwise, such as nackgammon: one game in ten begins as each of them, so that the net
    plays them too."""
    hidden: tuple[int, ...] = (80,)
    """Units of the hidden layers, first to last."""
    shots: bool = False
    """Whether the net is shown how many rolls hit each blot, beside where the checkers are; its companion is not. A run
    of generations may turn it on when it is resumed."""
    start: str = ""
    """A model file or the name of a released model to begin with, grown to `hidden`; fresh weights if empty."""
    precision: str = "float32"
    """Arithmetic of the hidden layers for choosing plays and learning: float32, or bfloat16, which is quicker where
    processors have matrix units for it and many times slower elsewhere; auto takes what is quicker here. Values that
    are learned from are float32 in any case."""
    quick: str = ""
    """A small model file, or the name of a released one such as ``standard-quick``, that leaves only the best few plays
    for the net to look at; worth it for wide nets."""
    companion: tuple[int, ...] = ()
    """Units of a small net that learns beside the net from the first game and does what `quick` does; none if empty."""
    device: str = "cpu"
    """Where the net lives: cpu, cuda or mps; games are played on the CPU in any case."""
    bearoff: bool = False
    """Whether bear-off databases (built on first use) give the values and choose the plays of the boards they know."""
    teacher: str = ""
    """Whose values the labels are, instead of returns: a model file, the name of a released model, or ``solved`` for
    the exact values of Hypergammon (`gammon-rl solve`)."""
    workers: int = 1
    """Processes on this machine, each with its own games; gradients are averaged."""
    parallel_games: int = 2048
    """Games played at once by each worker."""
    segment: int = 12
    """Plies played between two rounds of learning."""
    minibatch: int = 2048
    """Positions of each worker in one step of the optimiser."""
    step_size: Schedule = ((0.0, 1e-3), (1.0, 1e-5))
    """Adam's step size: a number, or [[share of run, value], ...]."""
    trace: Schedule = ((0.0, 0.7), (1.0, 0.0))
    """Lambda of TD(lambda): a number, or [[share of run, value], ...]."""
    exploration: Schedule = 0.0
    """Chance of a random play: a number, or [[share of run, value], ...]; with a teacher the last one holds on."""
    generations: int = 0
    """Generations of luck-adjusted labels to learn from after the games of TD(lambda)."""
    labels: int = 1_000_000
    """Positions labelled in a generation, over all workers."""
    label_games: int = 256
    """Games played at once by each worker while labelling."""
    label_segment: int = 24
    """Plies of a labelled segment."""
    label_trace: Schedule = 0.9
    """Lambda of the labels: a number, or [[share of the generations, value], ...]."""
    replay: int = 2
    """Generations of labels that are learned from together."""
    epochs: int = 8
    """Most passes over the labels of a generation; in the second half of them it ends when the held-out labels are
    fitted worse."""
    last_epochs: int = 0
    """Most passes over the labels of the last generation; 0 for as many as over the others. With more of them the step
    size falls more slowly, and the noise of the labels is averaged out better."""
    fit_minibatch: int = 512
    """Labels of each worker in one step of the optimiser."""
    fit_step_size: Schedule = ((0.0, 5e-4), (1.0, 1e-6))
    """Step size over the passes of a generation: a number, or [[share of the passes, value], ...]."""
    gradient_limit: float = 1.0
    """Longest gradient; longer ones are shortened to it."""
    checkpoint_minutes: float = 5.0
    """Minutes between checkpoints."""
    meter_minutes: float = 15.0
    """Minutes between measurements of strength; 0 for none."""
    meter_games: int = 200
    """Games against each opponent in a measurement; 0 for decisions alone."""

    def __post_init__(self) -> None:
        faults = []
        for name in (
            "workers", "parallel_games", "segment", "minibatch",
            "labels", "label_games", "label_segment", "replay", "epochs", "fit_minibatch",
        ):  # fmt: skip
            if getattr(self, name) < 1:
                faults.append(f"{name} must be at least 1, got {getattr(self, name)}")
        for name, most in _LARGEST.items():
            value = getattr(self, name)
            if max(value, default=0) > most if isinstance(value, tuple) else value > most:
                faults.append(f"{name} must be at most {most}, got {value}")
        for name in ("games", "seed", "generations", "last_epochs", "meter_minutes", "meter_games"):
            if getattr(self, name) < 0:
                faults.append(f"{name} must not be negative, got {getattr(self, name)}")
        if self.games == 0 == self.generations:
            faults.append("games and generations are both 0, so there is nothing to do")
        if not self.hidden or min(self.hidden) < 1:
            faults.append(f"hidden must be one or more positive sizes, got {list(self.hidden)}")
        if min(self.companion, default=1) < 1:
            faults.append(f"companion must be positive sizes, or none, got {list(self.companion)}")
        if self.companion and (self.start or self.quick):
            other = "start" if self.start else "quick"
            faults.append(f"companion learns from the first game; with {other} it is `quick` that names one")
        for name in ("gradient_limit", "checkpoint_minutes"):
            if not getattr(self, name) > 0:
                faults.append(f"{name} must be positive, got {getattr(self, name)}")
        for name in _SCHEDULES:
            faults += _schedule_faults(name, getattr(self, name))
        for name, choices in (("precision", PRECISIONS), ("device", DEVICES)):
            if getattr(self, name) not in choices:
                faults.append(f"{name} must be one of {', '.join(choices)}, got {getattr(self, name)!r}")
        try:
            rules = variant(self.variant)
            for name in self.other_starts:
                if not variant(name).same_but_for_the_start(rules):
                    faults.append(f"other_starts: {name} is another game than {self.variant}")
            if self.bearoff and rules.checkers != 15:
                faults.append(f"bearoff needs a variant with 15 checkers, got {self.variant!r}")
            if self.teacher == SOLVED and rules is not HYPERGAMMON:
                faults.append(f"teacher 'solved' needs a game that is solved: hypergammon, got {self.variant!r}")
        except InvalidNotationError as error:
            faults.append(str(error))
        if faults:
            raise ConfigError("; ".join(faults))

    def as_dict(self) -> dict[str, Any]:
        """Return the values as JSON knows them."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def value_at(schedule: Schedule, share: float) -> float:
    """Return a schedule's value when `share` of the run (0 to 1) is done.

    Examples
    --------
    >>> value_at(((0.0, 1.0), (0.5, 0.0)), 0.25), value_at(0.3, 0.9)
    (0.5, 0.3)
    """
    if isinstance(schedule, tuple):
        shares, values = zip(*schedule, strict=True)
        return float(np.interp(share, shares, values))
    return schedule


def load_config(path: str | Path, changes: Sequence[str] = ()) -> TrainConfig:
    """Read a configuration file, with changes such as ``games=20000`` put over it.

    Raises
    ------
    ConfigError
        If the file cannot be read, or a key or a value is not one; the nearest known key is named.
    """
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error})") from None
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML ({error})") from None
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals:
            raise ConfigError(f"change {change!r} is not key=value")
        try:
            values[name.strip()] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            values[name.strip()] = text.strip()
        except (ValueError, RecursionError):
            raise ConfigError(f"change {change[:60]!r} has a value that cannot be read") from None
    try:
        return config_from(values)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def config_from(values: dict[str, Any]) -> TrainConfig:
    """Make a configuration of plain values, as TOML or JSON gives them."""
    known = {one.name: one for one in fields(TrainConfig)}
    for name in values:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            raise ConfigError(f"unknown key {name!r}; the nearest known key is {near[0]!r}")
    return TrainConfig(**{name: _typed(name, known[name].default, value) for name, value in values.items()})


def _typed(name: str, default: Any, value: Any) -> Any:
    """Return a value in the type of its key, or refuse it."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and not abs(value) < 1e18 and name != "seed":
        raise ConfigError(f"{name} must be a number of sensible size, got {str(value)[:40]}")
    if name in _SCHEDULES:
        if number:
            return float(value)
        pairs = isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value)
        if pairs and value and all(isinstance(part, (int, float)) for pair in value for part in pair):
            return tuple((float(share), float(at)) for share, at in value)
        raise ConfigError(f"{name} must be a number or [[share of run, value], ...], got {value!r}")
    if name == "other_starts":
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
        raise ConfigError(f"{name} must be a list of variants, got {value!r}")
    if isinstance(default, tuple):
        sizes = [value] if isinstance(value, int) else value
        if isinstance(sizes, list) and all(isinstance(size, int) and not isinstance(size, bool) for size in sizes):
            return tuple(sizes)
        raise ConfigError(f"{name} must be a list of whole numbers, got {value!r}")
    if isinstance(default, bool) and isinstance(value, bool):
        return value
    if isinstance(default, float) and number:
        return float(value)
    if type(default) is int and number and value == int(value):
        return int(value)
    if isinstance(default, str) and isinstance(value, str):
        return value
    kind = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[type(default)]
    raise ConfigError(f"{name} must be {kind}, got {value!r}")


def _schedule_faults(name: str, schedule: Schedule) -> list[str]:
    points = schedule if isinstance(schedule, tuple) else ((0.0, schedule),)
    shares = [share for share, _ in points]
    faults = []
    if any(not 0 <= value <= 1 for _, value in points):
        faults.append(f"{name} must stay within 0 to 1, got {_plain(schedule)}")
    if shares != sorted(shares) or any(not 0 <= share <= 1 for share in shares):
        faults.append(f"{name}: shares of the run must rise from 0 to 1, got {shares}")
    return faults


def _plain(value: Any) -> Any:
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
