"""What a bot does at a table where it has to act."""

from gammon_rl.bots.bot import Bot
from gammon_rl.bots.clock import Stop
from gammon_rl.rules.notation import Play
from gammon_rl.table import actions as ac
from gammon_rl.table.state import Phase
from gammon_rl.table.table import Table


def bot_action(table: Table, bot: Bot, time_limit: float | None = None, stop: Stop | None = None) -> ac.Action | Play:
    """Return what a bot does at a table where it has to act; it goes into `Table.apply` as it is.

    Where either player may act, before the opening roll and between two games, it rolls or goes on.

    Parameters
    ----------
    table : Table
        The table. Dice that are entered by hand are not the bot's business: it says that it rolls, and no more.
    bot : Bot
        Who acts.
    time_limit, stop
        As in `Bot.choose_play`.

    Raises
    ------
    TableError
        If the game, match or session is over.

    Examples
    --------
    >>> from gammon_rl.table.dice import RecordedDice
    >>> table = Table(dice=RecordedDice([(3, 1)]))
    >>> bot_action(table, Bot("easy"))
    Roll(dice=None)
    """
    if table.phase is Phase.OPENING:
        return ac.Roll()
    if table.phase is Phase.GAME_OVER:
        return ac.NextGame()
    position = table.position
    match table.phase:
        case Phase.TO_PLAY:
            assert table.dice is not None
            return bot.choose_play(position, table.dice, time_limit, stop)
        case Phase.DOUBLED:
            decision = bot.cube_action(position, time_limit, stop)
            if decision.beaver and ac.Beaver() in table.legal_actions():
                return ac.Beaver()
            return ac.Take() if decision.take else ac.Drop()
        case Phase.RESIGNING:
            accepted = bot.accepts(position, table.resignation, time_limit, stop)
            return ac.AcceptResignation() if accepted else ac.DeclineResignation()
        case Phase.CLOSED_BOARD:
            return ac.Double() if bot.cube_action(position, time_limit, stop).double else ac.PassTurn()
        case _:
            lost = bot.resignation(position) if bot.has_opinions else 0
            if lost and ac.Resign(lost) in table.legal_actions():
                return ac.Resign(lost)
            doubles = table.may_double and bot.cube_action(position, time_limit, stop).double
            return ac.Double() if doubles else ac.Roll()
