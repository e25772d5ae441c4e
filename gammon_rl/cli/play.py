"""``gammon-rl play``: games and matches in the terminal, against a bot or another person."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gammon_rl.cli import flags
from gammon_rl.errors import GammonError, TableError

if TYPE_CHECKING:
    from gammon_rl.cli.saving import Saved
    from gammon_rl.table.dice import DiceSource
    from gammon_rl.table.options import Seat

_HUMAN = ("human", "person")
_DAMAGED = "damaged"
_TO_GO_ON_WITH = {"go_on", "save", "model", "look", "plain"}


def play(
    context: typer.Context,
    level: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Opponent: easy, novice, casual, normal, hard, hard@3 and such, a model file, or human.",
        ),
    ] = "hard",
    match: flags.MatchFlag = 0,
    variant: flags.VariantFlag = "standard",
    session: Annotated[
        bool, typer.Option("--session/--single", help="For points: game after game, or a single one.")
    ] = True,
    cube: flags.CubeFlag = True,
    crawford: flags.CrawfordFlag = True,
    jacoby: flags.JacobyFlag = True,
    beavers: flags.BeaversFlag = False,
    automatic_doubles: flags.AutomaticFlag = 0,
    colour: Annotated[
        flags.Colour, typer.Option("--colour", "--color", metavar="WORD", help="Your checkers: light, dark or random.")
    ] = flags.Colour.LIGHT,
    on_rematch: Annotated[
        flags.OnRematch, typer.Option(metavar="WORD", help="The colours, when you play again: swap or keep.")
    ] = flags.OnRematch.SWAP,
    clock: flags.ClockFlag = "none",
    on_timeout: Annotated[
        flags.OnTimeOut,
        typer.Option(metavar="WORD", help="When time is up: bot plays for you, forfeit loses the game."),
    ] = flags.OnTimeOut.BOT,
    dice: Annotated[
        flags.DiceKind, typer.Option(metavar="WORD", help="Dice: computer, or manual, typed in from a real board.")
    ] = flags.DiceKind.COMPUTER,
    dice_seed: flags.SeedFlag = None,
    names: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="What to call the players, you first.", show_default=False),
    ] = None,
    model: flags.ModelFlag = None,
    look: flags.LookFlag = "walnut",
    plain: flags.PlainFlag = False,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File to keep the game in.", show_default="one of its own in the state folder"
        ),
    ] = None,
    go_on: Annotated[
        bool, typer.Option("--continue", help="Go on with the last unfinished game, or the one in --save.")
    ] = False,
    games: Annotated[bool, typer.Option("--games", help="List the unfinished games that are kept, and end.")] = False,
    delete: Annotated[
        str | None, typer.Option(metavar="FILE", help="Throw away a game that is kept, and end.", show_default=False)
    ] = None,
) -> int:
    """Play backgammon in the terminal.

    A play is typed as 8/5 6/5; help shows all commands. The game is saved after every action, and --continue goes on
    with it; --games lists those that are kept. Everything is plain ASCII where the terminal cannot show Unicode;
    NO_COLOR takes the colours away.
    """
    from gammon_rl.cli import saving
    from gammon_rl.cli.looks import look as look_of
    from gammon_rl.cli.players import Bots
    from gammon_rl.cli.session import Session
    from gammon_rl.cli.terminal import Terminal
    from gammon_rl.table.options import TableOptions
    from gammon_rl.table.table import Table

    if games:
        return _list_games()
    if delete is not None:
        return _delete(delete)
    look_of(look)
    first: list[str] = []
    path: Path | None = None  # one of its own
    before: bytes | None = None
    named = model
    if go_on:
        _refuse_options_of_a_table(context)
        saved = _unfinished(saving.kept(str(save)) if save is not None else None)
        table, model = saved.table, model or saved.model
        first = [saved.remark, "Going on where you left."]
        if not saving.is_mat(saved.path):  # a .mat file stays as it is
            path, before = saved.path, saved.content
    else:
        options = TableOptions(
            variant=variant,
            match_length=match,
            session=session and not match,
            cube=cube,
            crawford=crawford,
            jacoby=jacoby,
            beavers=beavers,
            automatic_doubles=automatic_doubles,
            colour=colour.value,
            on_rematch=on_rematch.value,
            clock=clock,
            on_timeout=on_timeout.value,
        )
        path = _new(saving.place(str(save))) if save is not None else None
        waiting = sum(not saving.is_open(one) for one in saving.all_unfinished())
        if waiting and save is None:
            first = [f"Unfinished games: {waiting}; play --games lists them."]
        table = Table(options, _seats(level, names), _dice(dice, dice_seed))
    bots = Bots(table.options.rules, model, dice_seed)
    for seat in table.seats:
        if seat.bot and (named or not go_on):
            bots.of(seat.bot)  # a level or model that was asked for, and cannot be had, is said now
    if not go_on:
        saving.clear_up()
    with ExitStack() as held:
        if path is None:
            path = held.enter_context(saving.fresh())
        elif not held.enter_context(saving.in_use(path)):
            raise TableError(f"{path}: this game is being played in another terminal")
        keeper = saving.Keeper(path, model, before)
        game = Session(table, bots, Terminal(plain), look_name=look.casefold(), keeper=keeper)
        first.append("? explains the commands.")
        game.say_first(*filter(None, first))
        return game.run()


def _list_games() -> int:
    """Say what games can be gone on with, and how."""
    from gammon_rl.cli import saving

    found = list(saving.all_unfinished())
    if not found:
        typer.echo(f"There is no unfinished game in {saving.folder()}.")
    for path in found:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(saving.last_written(path)))
        typer.echo(f"{when}  {_about(path)}{', open in another terminal' * saving.is_open(path)}")
        typer.echo(f"  {saving.going_on(path)}")
    if found:
        typer.echo("gammon-rl play --delete FILE throws one away.")
    return 0


def _delete(name: str) -> int:
    """Throw a game away, if the person says yes."""
    from gammon_rl.cli import saving

    path = saving.kept(name)
    if not path.is_file() and not saving.previous(path).is_file():
        raise TableError(f"{path}: there is no such game; play --games lists those that are kept")
    if saving.is_mat(path):
        raise TableError(f"{path}: expected a game that was kept while it was played")
    with saving.in_use(path) as mine:
        if not mine:
            raise TableError(f"{path}: this game is being played in another terminal")
        try:
            about = _about(path)
            if about == _DAMAGED and path.parent != saving.folder():
                raise TableError(f"{path} is no saved game, and not in {saving.folder()}")
            sure = typer.confirm(f"{about}: throw it away?")
        except typer.Abort:  # the end of the input
            sure = False
        if sure:
            saving.delete(path)
        typer.echo(f"{'Deleted' if sure else 'Nothing was deleted'}.")
    return 0


def _about(path: Path) -> str:
    """Return who plays what in a file, and how it stands."""
    from gammon_rl.cli import saving

    try:
        table = saving.read(path).table
    except GammonError:
        return _DAMAGED
    length, (one, other) = table.options.match_length, table.seats
    variant = table.options.variant
    what = f"match to {length}" if length else "for points"
    return (
        f"{one.name} against {other.name}, {f'{variant}, ' * (variant != 'standard')}{what}, game {table.game}, "
        f"{table.score[0]} to {table.score[1]}"
    )


def _refuse_options_of_a_table(context: typer.Context) -> None:
    """Refuse what a game that has begun cannot be given any more."""
    for name, parameter in ((one.name, one) for one in context.command.params):
        source = context.get_parameter_source(name) if name else None
        if source is not None and source.name == "COMMANDLINE" and name not in _TO_GO_ON_WITH:
            raise TableError(f"{parameter.opts[0]}: the game goes on as it was begun; leave the option out")


def _seats(level: str, names: tuple[str, str] | None) -> "tuple[Seat, Seat]":
    from gammon_rl.cli.telling import YOU
    from gammon_rl.table.options import Seat, clean_name

    if not level:
        raise TableError(f"no player is called {level!r}: --level takes easy, hard and such, a model file, or human")
    if level.casefold() in _HUMAN:
        one, other = names or ("Player 1", "Player 2")
        return Seat(one), Seat(other)
    one, other = names or (YOU, clean_name(Path(level).stem.capitalize(), "Bot"))
    return Seat(one), Seat(other, bot=level)


def _dice(kind: flags.DiceKind, seed: int | None) -> "DiceSource":
    from gammon_rl.table.dice import HandDice, SeededDice

    return HandDice() if kind is flags.DiceKind.MANUAL else SeededDice(seed)


def _new(save: Path) -> Path:
    """Return a file that a new game can be kept in, or refuse it."""
    from gammon_rl.cli import saving

    if save.exists() or saving.previous(save).exists():
        raise TableError(f"{save} exists: --continue goes on with it, or name another file")
    if saving.is_mat(save):
        raise TableError(f"{save}: a game is kept as JSON while it is played; the command save writes a .mat of it")
    return save


def _unfinished(save: Path | None) -> "Saved":
    from gammon_rl.cli import saving

    path = save or saving.unfinished()
    if path is None:
        others = next(saving.all_unfinished(), None) and " that is not open in another terminal"
        raise TableError(f"there is no unfinished game in {saving.folder()}{others or ''}")
    return saving.read(path)
