"""Who can be asked: the models a server was started with, and the bots that play by them."""

import re
from collections.abc import Iterable
from typing import Final

from gammon_rl.bots.bot import Bot
from gammon_rl.bots.levels import HARD, LEVELS, NORMAL
from gammon_rl.errors import InvalidNotationError, ModelFileError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.model import Model, load_model
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
        released model of each variant is there anyway.

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
        self._models: dict[str, tuple[Model, Evaluator]] = {}
        self._own: dict[tuple[bool, str], Evaluator] = {}  # of levels, by whether it is Hard and the variant
        self._bots: dict[tuple[str, str | None, str], Bot] = {}
        for rules in VARIANTS.values():
            for level in (NORMAL, HARD):
                try:
                    self._own[level is HARD, rules.name] = Bot(level, rules=rules).evaluator
                except ModelFileError:
                    continue
            if (False, rules.name) in self._own:
                self._add(rules.name, rules.name)
        for source in sources:
            name, given, file = source.partition("=")
            self._add(name if given else _name_of(source), file if given else source)

    def _add(self, name: str, source: str) -> None:
        if not re.fullmatch(NAME, name) or name.casefold() in LEVELS:
            raise InvalidNotationError(
                f"model {name!r}: a name has up to 64 letters, digits, dots, dashes and underlines, and is no level; "
                "say NAME=FILE"
            )
        model = load_model(source)
        known = self._models.get(name)
        if known and known[0].name != model.name:
            raise InvalidNotationError(f"model {name!r}: {known[0].name} has that name; say NAME=FILE with another one")
        self._models[name] = model, Bot(NORMAL, model, rules=model.rules).evaluator

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
        evaluator = None if model is None else self._evaluator(model, rules)
        if evaluator is None and LEVELS[base].ply >= 0:
            evaluator = self._own.get((base == HARD.name, rules.name))
            if evaluator is None:
                raise ModelFileError(f"this server has no model for {rules.name}: ask the bot easy, or name a model")
        return Bot(name, evaluator, rules=rules)

    def _evaluator(self, name: str, rules: Variant) -> Evaluator:
        if name not in self._models:
            raise InvalidNotationError(f"no model is called {name!r}; there are {', '.join(self._models)}")
        model, evaluator = self._models[name]
        if model.rules.name != rules.name:
            raise ModelFileError(f"the model {name!r} is made for {model.rules.name}, not for {rules.name}")
        return evaluator

    def warm_up(self) -> None:
        """Ask every model something, so that nothing is left to be done at the first request."""
        for rules in VARIANTS.values():
            for name, (model, _) in self._models.items():
                if model.rules.name == rules.name:
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
                variant=model.rules.name,
                layers=model.info.get("layers"),
                games=model.info.get("games"),
                licence=model.info.get("licence"),
            )
            for name, (model, _) in self._models.items()
        ]
        levels = [
            LevelAnswer(
                name=level.name,
                ply=level.ply,
                noise=level.noise,
                variants=[name for name in VARIANTS if level.ply < 0 or (level.name == HARD.name, name) in self._own],
            )
            for level in LEVELS.values()
        ]
        return ModelsAnswer(models=models, levels=levels)


def _name_of(source: str) -> str:
    """Return the name of a model by its file."""
    return re.split(r"[/\\]", source)[-1].removesuffix(".safetensors")
