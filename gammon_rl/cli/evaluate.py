"""``gammon-rl eval``: what the bot thinks of a position, its cube and its plays."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gammon_rl.rules.position import Position


_NO_DECISION = ("not available", "dead cube")


def evaluate(
    position: Annotated[str, typer.Argument(help="XGID, GNU Backgammon ID (with or without match ID), or start.")],
    dice: Annotated[str | None, typer.Option(help="Roll to play, as in 31; else the position's own, if any.")] = None,
    ply: Annotated[int, typer.Option(min=0, max=3, help="How far to look ahead.")] = 1,
    model: Annotated[
        str | None,
        typer.Option(help="Model file or released name.", show_default="the strongest here"),
    ] = None,
    variant: Annotated[str, typer.Option(help="Variant of the position.")] = "standard",
    plays: Annotated[int, typer.Option(min=1, help="Most plays to list.")] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Print chances and cube decision of a position, or with a roll its best plays."""
    from gammon_rl.bots.bot import Bot
    from gammon_rl.bots.levels import HARD
    from gammon_rl.cli.telling import cube_equities
    from gammon_rl.rules.position import Position
    from gammon_rl.rules.variants import variant as variant_of

    rules = variant_of(variant)
    seen = Position.parse(position, rules)
    roll = _roll(dice) if dice is not None else seen.dice
    bot = Bot(HARD.at(ply), model, rules=rules)
    about: dict[str, object] = {"xgid": replace(seen, dice=roll).xgid, "pips": list(seen.pips), "ply": ply}
    if roll is None:
        probs = [round(float(chance), 5) for chance in bot.probs(seen)]
        cube = bot.cube_action(seen)
        again = seen.cube_owner == ("theirs" if seen.doubled else "mine")
        choices = dict(cube_equities(cube, again))
        about |= {"probs": probs, "nd": cube.nd, "dt": cube.dt, "dp": cube.dp, "action": cube.action}
        about["choices"] = choices
        if seen.doubled:
            about["answer"] = "beaver" if cube.beaver else "take" if cube.take else "drop"
    else:
        candidates = bot.analyse(seen, roll)[:plays]
        about |= {
            "dice": list(roll),
            "plays": [
                {
                    "play": one.play.text,
                    "equity": round(one.equity, 5),
                    "loss": round(one.loss, 5),
                    "ply": one.ply,
                    "probs": [round(chance, 5) for chance in one.probs],
                }
                for one in candidates
            ],
        }
    if as_json:
        typer.echo(json.dumps(about))
        return
    typer.echo(f"{about['xgid']}   pips {seen.pips[0]} to {seen.pips[1]}")
    if roll is None:
        typer.echo(_chances(probs))
        if not seen.doubled and cube.action in _NO_DECISION:
            typer.echo(f"equity {cube.nd:+.3f} with the cube   ({ply}-ply)")
            typer.echo(f"no cube decision: {_why_no_double(seen)}")
            return
        whose = "for the doubler: " if seen.doubled else ""
        equities = "   ".join(f"{name} {equity:+.3f}" for name, equity in choices.items())
        typer.echo(f"{whose}{equities}   ({ply}-ply)")
        typer.echo(f"best answer: {about['answer']}" if seen.doubled else f"best: {cube.action}")
        return
    if not candidates:
        typer.echo(f"{roll[0]}-{roll[1]}: no legal play")
    for rank, one in enumerate(candidates, start=1):
        if rank > 1 and one.ply < candidates[rank - 2].ply:
            typer.echo(f"    looked at {one.ply}-ply only, and compared there:")
        value = f"{one.equity:+.3f} ({0.0 - one.loss:.3f})"
        typer.echo(f"{rank:2}. {one.play.text:24} {value}  {one.ply}-ply  {_chances(one.probs)}")
    if candidates and candidates[0].ply < ply:
        clear = "the only play" if len(bot.analyse(seen, roll)) == 1 else f"clear at {candidates[0].ply}-ply"
        typer.echo(f"    {clear}: nothing else comes near enough to look {ply} plies ahead")


def _why_no_double(seen: "Position") -> str:
    """Return why the player on roll has no double."""
    from gammon_rl.stakes.worth import CUBE_LIMIT

    if seen.cube_owner == "theirs":
        return "the opponent owns the cube"
    if 2 * seen.cube_value > CUBE_LIMIT:
        return f"the cube goes no higher than {CUBE_LIMIT}"
    if seen.crawford:
        return "there is no doubling in the Crawford game"
    return "the cube is dead: nothing more is won by a double"


def _chances(probs: "list[float] | tuple[float, ...]") -> str:
    win, gammon, backgammon, lost_gammon, lost_backgammon = (100 * chance for chance in probs)
    return (
        f"win {win:.1f} % (gammon {gammon:.1f}, backgammon {backgammon:.1f})  "
        f"lose {100 - win:.1f} % (gammon {lost_gammon:.1f}, backgammon {lost_backgammon:.1f})"
    )


def _roll(text: str) -> tuple[int, int]:
    digits = text.replace("-", "").replace(",", "").replace(" ", "")
    if len(digits) != 2 or not all(digit in "123456" for digit in digits):
        raise typer.BadParameter(f"{text!r} is not a roll such as 31", param_hint="--dice")
    return int(digits[0]), int(digits[1])
