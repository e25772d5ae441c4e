"""The bots at a table: made when they are needed, and what each of them does when it has to act."""

from pathlib import Path

from gammon_rl.bots.bot import Bot
from gammon_rl.bots.levels import LEVELS, NORMAL
from gammon_rl.errors import InvalidNotationError, ModelFileError
from gammon_rl.eval.model import is_model
from gammon_rl.rules.board import checkers_off
from gammon_rl.rules.notation import Play
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import Variant
from gammon_rl.stakes.worth import Stakes
from gammon_rl.table import actions as ac
from gammon_rl.table.state import BACKGAMMON, SINGLE, Phase
from gammon_rl.table.table import Table

_DOUBT = 0.005  # an estimate, so a certain single game may look a little better than it is


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

    def adviser(self, name: str = "") -> Bot | None:
        """Return who gives hints: the bot of that name if it has opinions, else Normal; None without a model."""
        for adviser in filter(None, (name, "normal")):
            try:
                if self.of(adviser).has_opinions:
                    return self.of(adviser)
            except ModelFileError:
                continue
        return None


def bot_action(table: Table, bot: Bot) -> ac.Action | Play:
    """Return what a bot does at a table where it has to act; dice that are entered by hand are not its business."""
    position = table.position
    match table.phase:
        case Phase.TO_PLAY:
            assert table.dice is not None
            return bot.choose_play(position, table.dice)
        case Phase.DOUBLED:
            decision = bot.cube_action(position)
            if decision.beaver and ac.Beaver() in table.legal_actions():
                return ac.Beaver()
            return ac.Take() if decision.take else ac.Drop()
        case Phase.RESIGNING:
            return ac.AcceptResignation() if accepts(bot, position, table.resignation) else ac.DeclineResignation()
        case Phase.CLOSED_BOARD:
            return ac.Double() if bot.cube_action(position).double else ac.PassTurn()
        case _:
            if loses_for_certain(position) and ac.Resign(SINGLE) in table.legal_actions():
                return ac.Resign(SINGLE)
            return ac.Double() if table.may_double and bot.cube_action(position).double else ac.Roll()


def accepts(bot: Bot, position: Position, level: int) -> bool:
    """Return whether a bot accepts a resignation: unless playing on promises it more.

    Parameters
    ----------
    bot : Bot
        Who answers.
    position : Position
        As the bot sees it; the other player is on roll.
    level : int
        1 a single game, 2 a gammon, 3 a backgammon.
    """
    if level == BACKGAMMON:
        return True
    if not bot.has_opinions:
        # It lets nobody off who has all checkers left while it is bearing off itself.
        mine, theirs = checkers_off(position.board, position.rules).tolist()
        return bool(level > SINGLE or theirs > 0 or mine == 0)
    stakes = Stakes.of(position)
    expected = -bot.cube_action(position.turned()).nd
    return bool(float(stakes.equity(stakes.worth(level))) >= expected - _DOUBT)


def loses_for_certain(position: Position) -> bool:
    """Return whether the player on roll cannot but lose a single game: no roll of either side can change it.

    In a race no roll bears off more than four checkers or moves more than 24 pips, and each takes off at least two
    pips, one by either die, until the last checker is off. With a checker off only a single game can be lost.
    """
    board = position.board.tolist()
    mine = [point for point, count in enumerate(board) if count > 0]
    theirs = [point for point, count in enumerate(board) if count < 0]
    some_off = bool(checkers_off(position.board, position.rules)[0])
    if not (mine and theirs and some_off) or max(mine) > min(theirs):
        return False
    left = sum(count for count in board if count > 0)
    pips, their_pips = position.pips
    fewest: int = max(-(-pips // 24), -(-left // 4))
    return fewest > -(-their_pips // 2)
