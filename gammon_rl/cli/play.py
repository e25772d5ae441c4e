"""``gammon-rl play``: games and matches in the terminal, against a bot or another person."""

import time
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
_TO_GO_ON_WITH = {"go_on", "save", "model", "look", "plain"}


def play(
    context: typer.Context,
    level: Annotated[
        str, typer.Option(help="Opponent: easy, novice, casual, normal, hard, hard@3 and such, a model file, or human.")
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
    colour: Annotated[flags.Colour, typer.Option("--colour", "--color", help="Your checkers.")] = flags.Colour.LIGHT,
    on_rematch: Annotated[
        flags.OnRematch, typer.Option(help="The colours, when you play again.")
    ] = flags.OnRematch.SWAP,
    clock: flags.ClockFlag = "none",
    on_timeout: Annotated[
        flags.OnTimeOut, typer.Option(help="When time is up: a bot plays for you, or the game is lost.")
    ] = flags.OnTimeOut.BOT,
    dice: Annotated[
        flags.DiceKind, typer.Option(help="Whose dice: the computer's, or yours to type in from a real board.")
    ] = flags.DiceKind.COMPUTER,
    dice_seed: flags.SeedFlag = None,
    names: Annotated[
        tuple[str, str] | None, typer.Option(help="What to call the players, you first.", show_default=False)
    ] = None,
    model: flags.ModelFlag = None,
    look: flags.LookFlag = "walnut",
    plain: flags.PlainFlag = False,
    save: Annotated[
        Path | None, typer.Option(help="File to keep the game in.", show_default="one of its own in the state folder")
    ] = None,
    go_on: Annotated[
        bool, typer.Option("--continue", help="Go on with the last unfinished game, or the one in --save.")
    ] = False,
    games: Annotated[bool, typer.Option("--games", help="List the unfinished games that are kept, and end.")] = False,
) -> int:
    """Play backgammon in the terminal.

    A play is typed as 8/5 6/5; help shows all commands. The game is saved after every action, and --continue goes on
    with it; --games lists those that are kept. Everything is plain ASCII where the terminal cannot show colours and
    Unicode, or NO_COLOR is set.
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
    look_of(look)
    first: list[str] = []
    before: bytes | None
    if go_on:
        _refuse_options_of_a_table(context)
        saved = _unfinished(saving.kept(str(save)) if save is not None else None)
        path, table, model, before = saved.path, saved.table, model or saved.model, saved.content
        first = [saved.remark, "Going on where you left."]
        if saving.is_mat(path):  # a .mat file stays as it is
            path, before = saving.fresh_path(), None
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
        path, before = _path(saving.place(str(save)) if save is not None else None), None
        left = saving.unfinished() if save is None else None
        if left:
            first = [f"Another game is kept: {saving.going_on(left)} goes on with it; play --games lists all."]
        table = Table(options, _seats(level, names), _dice(dice, dice_seed))
    bots = Bots(table.options.rules, model, dice_seed)
    for seat in table.seats:
        if seat.bot:
            bots.of(seat.bot)  # a level or model that cannot be had is said now
    with saving.in_use(path) as mine:
        if not mine:
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
        typer.echo(f"{when}  {_about(path)}")
        typer.echo(f"  {saving.going_on(path)}")
    return 0


def _about(path: Path) -> str:
    """Return who plays what in a file, and how it stands."""
    from gammon_rl.cli import saving

    try:
        table = saving.read(path).table
    except GammonError:
        return "damaged"
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

    if level.casefold() in _HUMAN:
        one, other = names or ("Player 1", "Player 2")
        return Seat(one), Seat(other)
    one, other = names or (YOU, clean_name(Path(level).stem.capitalize(), "Bot"))
    return Seat(one), Seat(other, bot=level)


def _dice(kind: flags.DiceKind, seed: int | None) -> "DiceSource":
    from gammon_rl.table.dice import HandDice, SeededDice

    return HandDice() if kind is flags.DiceKind.MANUAL else SeededDice(seed)


def _path(save: Path | None) -> Path:
    from gammon_rl.cli import saving

    if save is not None and (save.exists() or saving.previous(save).exists()):
        raise TableError(f"{save} exists: --continue goes on with it, or name another file")
    if save is not None and saving.is_mat(save):
        raise TableError(f"{save}: a game is kept as JSON while it is played; the command save writes a .mat of it")
    return save or saving.fresh_path()


def _unfinished(save: Path | None) -> "Saved":
    from gammon_rl.cli import saving

    path = save or saving.unfinished()
    if path is None:
        raise TableError(f"there is no unfinished game in {saving.folder()}")
    return saving.read(path)
