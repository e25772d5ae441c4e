"""Who can be asked: the models a server was started with, and the bots that play by them."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from gammon_rl.bots.bot import Bot
from gammon_rl.bots.levels import HARD, LEVELS, NORMAL
from gammon_rl.errors import InvalidNotationError, ModelFileError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.exactly import to_the_end
from gammon_rl.eval.model import Model, load_model, released_model
from gammon_rl.eval.strongest import companion, strongest
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import STANDARD, VARIANTS, Variant
from gammon_rl.serve.messages import NAME, LevelAnswer, ModelAnswer, ModelsAnswer

_DEPTHS: Final = ("", "0", "1", "2", "3")


class Roster:
    """The models of a server by name. Everything is loaded when it is made; bots are made when they are asked for.

    Parameters
    ----------
    sources : iterable of str
        Models: files, names of released models, or ``NAME=FILE``. A file without a name goes by that of the file. The
        models that levels play by, the released ones of the variants, are there anyway.

    Raises
    ------
    InvalidNotationError
        If a name is none, or taken.
    ModelFileError
        If a model cannot be used.
    DatabaseFileError
        If there is a solved game, but not a sound one.
    """

    def __init__(self, sources: Iterable[str] = ()) -> None:
        self._models: dict[str, Model] = {}
        self._evaluators: dict[tuple[str, str], Evaluator] = {}  # by model and variant
        self._own: dict[tuple[str, str], tuple[Evaluator, Model | None]] = {}  # by level and variant, with companions
        self._bots: dict[tuple[str, str | None, str], Bot] = {}
        for rules in VARIANTS.values():
            self._find_own(rules)
        for source in sources:
            name, given, file = source.partition("=")
            self._add(name if given else _name_of(source), load_model(file if given else source))

    def _find_own(self, rules: Variant) -> None:
        """Take the evaluators that the levels have for a variant, as `Bot` does."""
        try:
            strong = strongest(rules)
            if not isinstance(strong, Model):
                self._own[HARD.name, rules.name] = strong, None
            released = strong if isinstance(strong, Model) else released_model(rules)
        except ModelFileError:
            return
        if released.name not in self._models:
            self._add(released.name, released)
        evaluator = self._evaluators[released.name, rules.name]
        for level in LEVELS.values():
            if level.ply >= 0:
                self._own.setdefault((level.name, rules.name), (evaluator, companion(released)))

    def _add(self, name: str, model: Model) -> None:
        if not re.fullmatch(NAME, name) or name.casefold() in LEVELS:
            raise InvalidNotationError(
                f"model {name!r}: a name has up to 64 letters, digits, dots, dashes and underlines, and is no level; "
                "say NAME=FILE"
            )
        known = self._models.setdefault(name, model)
        if known.name != model.name:
            raise InvalidNotationError(f"model {name!r}: {known.name} has that name; say NAME=FILE with another one")
        for rules in VARIANTS.values():
            if rules.same_but_for_the_start(model.rules):
                self._evaluators[name, rules.name] = to_the_end(replace(model, rules=rules))

    def bot(self, name: str, model: str | None = None, rules: Variant = STANDARD) -> Bot:
        """Return the bot of a level or a model, such as ``hard@1``.

        Parameters
        ----------
        name : str
            A level or a model of the server; ``normal``, ``hard`` and models take a depth.
        model : str, optional
            The model that a level plays by; by default that of `Bot`.
        rules : Variant
            What it plays.

        Raises
        ------
        InvalidNotationError
            If there is no such bot or model.
        ModelFileError
            If there is no model for the variant.
        """
        key = name, model, rules.name
        if key not in self._bots:
            self._bots[key] = self._made(name, model, rules)
        return self._bots[key]

    def _made(self, name: str, model: str | None, rules: Variant) -> Bot:
        base, at, plies = name.partition("@")
        if base in self._models:
            if model is not None or plies not in _DEPTHS or (at and not plies):
                raise InvalidNotationError(f"bot {name!r}: a model plays by itself, and its depth is @0 to @3")
            return Bot(NORMAL.at(int(plies or 0)), self._evaluator(base, rules), rules=rules)
        if base not in LEVELS:
            known = ", ".join([*LEVELS, *self._models])
            raise InvalidNotationError(f"no bot is called {base!r}; there are {known}")
        if LEVELS[base].ply < 0:
            return Bot(name, rules=rules)
        if model is not None:
            return Bot(name, self._evaluator(model, rules), rules=rules)
        if (base, rules.name) not in self._own:
            raise ModelFileError(f"this server has no model for {rules.name}: ask the bot easy, or name a model")
        evaluator, quick = self._own[base, rules.name]
        return Bot(name, evaluator, rules=rules, quick=quick)

    def _evaluator(self, name: str, rules: Variant) -> Evaluator:
        if name not in self._models:
            raise InvalidNotationError(f"no model is called {name!r}; there are {', '.join(self._models)}")
        if (name, rules.name) not in self._evaluators:
            raise ModelFileError(f"the model {name!r} is made for {self._models[name].rules.name}, not {rules.name}")
        return self._evaluators[name, rules.name]

    def warm_up(self) -> None:
        """Ask every model something, so that nothing is left to be done at the first request."""
        for name, variant in self._evaluators:
            rules = VARIANTS[variant]
            bot = self.bot(name, rules=rules)
            for position in (Position.start(rules), Position(rules.start(), match_length=3, rules=rules)):
                bot.choose_plays([position, position], [(3, 1), (4, 4)])
                bot.cube_action(position)
        self._bots.clear()  # each process makes its own, with a generator of its own

    @property
    def about(self) -> ModelsAnswer:
        """What there is, for those who ask."""
        models = [
            ModelAnswer(
                name=name,
                variants=[rules for rules in VARIANTS if (name, rules) in self._evaluators],
                layers=model.info.get("layers"),
                games=model.info.get("games"),
                licence=model.info.get("licence"),
            )
            for name, model in self._models.items()
        ]
        levels = [
            LevelAnswer(
                name=level.name,
                ply=level.ply,
                noise=level.noise,
                variants=[rules for rules in VARIANTS if level.ply < 0 or (level.name, rules) in self._own],
            )
            for level in LEVELS.values()
        ]
        return ModelsAnswer(models=models, levels=levels)


def _name_of(source: str) -> str:
    """Return the name of a model by its file."""
    return re.split(r"[/\\]", source)[-1].removesuffix(".safetensors")
