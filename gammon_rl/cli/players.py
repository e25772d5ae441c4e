"""The bots of a terminal, made when they are needed."""

from pathlib import Path

from gammon_rl.bots.bot import Bot
from gammon_rl.bots.levels import LEVELS, NORMAL
from gammon_rl.errors import GammonError, InvalidNotationError
from gammon_rl.eval.model import is_model
from gammon_rl.rules.variants import Variant


class Bots:
    """The bots of one terminal, each made once.

    Parameters
    ----------
    rules : Variant
        What they play.
    model : str, optional
        The model of the levels; by default the released one of the variant.
    seed : int, optional
        Of random choices.
    """

    def __init__(self, rules: Variant, model: str | None = None, seed: int | None = None) -> None:
        self.model = model
        self._rules, self._seed = rules, seed
        self._made: dict[str, Bot] = {}

    def of(self, name: str) -> Bot:
        """Return the bot of a level, such as ``hard`` or ``hard@2``, or of a model file, such as ``my.safetensors@1``.

        Raises
        ------
        GammonError
            If there is no such bot.
        """
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Bot:
        base, at, plies = name.rpartition("@")
        if not at or Path(name).is_file():
            base, plies = name, ""
        if base.casefold() in LEVELS:
            return Bot(name.casefold(), self.model, self._seed, self._rules)
        if not is_model(base):
            raise InvalidNotationError(f"no player is called {name!r}: expected {', '.join(LEVELS)}, or a model file")
        if plies not in ("", "0", "1", "2", "3"):
            raise InvalidNotationError(f"player {name!r}: plies after @ are 0, 1, 2 or 3, got {plies!r}")
        return Bot(NORMAL.at(int(plies or 0)), base, self._seed, self._rules)

    def first_of(self, *names: str) -> str:
        """Return the first of these names whose bot can be had, else ``easy``, which always can be."""
        for name in filter(None, names):
            try:
                self.of(name)
                return name
            except GammonError:
                continue
        return "easy"

    def adviser(self, name: str = "") -> Bot | None:
        """Return who gives hints: the bot of that name, else Normal; None without a model.

        A bot without opinions gives none, nor does one that errs on purpose.
        """
        for adviser in filter(None, (name, "normal")):
            try:
                bot = self.of(adviser)
                if bot.has_opinions and not bot.level.noise:
                    return bot
            except GammonError:
                continue
        return None
