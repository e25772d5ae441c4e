"""``gammon-rl rollout``: play a position on many times, to know it better than by looking ahead."""

import json
import math
import os
from typing import Annotated, Any, SupportsFloat

import typer


def rollout(
    position: Annotated[str, typer.Argument(help="XGID, GNU Backgammon ID (with or without match ID), or start.")],
    dice: Annotated[str | None, typer.Option(help="Roll whose plays to compare; else the position's, if any.")] = None,
    trials: Annotated[int, typer.Option(min=36, help="Most trials, in rounds of 36.")] = 1296,
    error: Annotated[float, typer.Option(min=0, help="Standard error that is good enough; 0 plays all trials.")] = 0.0,
    plies: Annotated[int, typer.Option(min=0, help="Plies of a trial; 0 plays games to the end.")] = 11,
    cubeless: Annotated[bool, typer.Option("--cubeless", help="Nobody doubles, and points are counted.")] = False,
    plays: Annotated[int, typer.Option(min=1, help="Most plays to compare.")] = 4,
    model: Annotated[
        str | None,
        typer.Option(help="Model file or released name.", show_default="the strongest here"),
    ] = None,
    variant: Annotated[str, typer.Option(help="Variant of the position.")] = "standard",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the dice.")] = 1,
    processes: Annotated[int, typer.Option(min=0, help="Processes; 0 uses every core.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Roll out a position before the roll, or with a roll its best plays against each other.

    Each trial has its luck taken out, and all plays have the same dice. Ctrl-C gives the result so far.
    """
    from dataclasses import replace

    import numpy as np

    from gammon_rl.bots.bot import Bot
    from gammon_rl.bots.levels import HARD
    from gammon_rl.bots.rollout import Rollout, roll_out_until, standard_error
    from gammon_rl.cli.evaluate import _chances, _roll
    from gammon_rl.cli.progress import ProgressDisplay
    from gammon_rl.eval.network import nested
    from gammon_rl.rules.position import Position
    from gammon_rl.rules.variants import variant as variant_of
    from gammon_rl.stakes.cube import decide
    from gammon_rl.stakes.equity import turned_probs
    from gammon_rl.stakes.worth import Stakes

    rules = variant_of(variant)
    seen = Position.parse(position, rules)
    roll = _roll(dice) if dice is not None else seen.dice
    seen = replace(seen, dice=roll)
    bot = Bot(HARD.at(1), model, rules=rules)
    asked = seen.turned() if seen.doubled else seen
    stakes = Stakes.of(asked)
    names: list[str] = []
    if roll is None:
        verb = "redouble" if asked.cube_owner == "mine" else "double"
        names = ["position"] if cubeless else [f"no {verb}", f"{verb}/take"]
        boards = np.repeat(asked.board[None], len(names), axis=0)
        # Both ways to go on, with the same dice.
        ways = stakes, stakes.raised()
        played = replace(
            stakes, cube=np.array([way.cube for way in ways]), owner=np.array([way.owner for way in ways])
        )  # fmt: skip
    else:
        found = bot.analyse(seen, roll)
        near = [one for one in found if one.ply == found[0].ply][:plays]
        if not near:
            typer.echo(json.dumps({"plays": []}) if as_json else f"{roll[0]}-{roll[1]}: no legal play")
            return
        names = [one.play.text for one in near]
        boards = np.stack([one.play.afterstate for one in near])
        played = stakes.turned()
    with ProgressDisplay("rollout", -(-trials // 36) * 36) as display:

        def told(so_far: Rollout) -> None:
            display.update(so_far.trials, f"error {so_far.error.max():.4f}")

        result = roll_out_until(
            bot.evaluator,
            boards,
            error,
            trials=trials,
            plies=plies or None,
            stakes=None if cubeless else played,
            rolled_at_once=roll is None,
            seed=seed,
            processes=processes or os.cpu_count() or 1,
            progress=told,
        )
    about: dict[str, object] = {
        "xgid": seen.xgid,
        "trials": result.trials,
        "plies": plies or None,
        "cubeless": cubeless,
    }
    probs = nested(result.outcomes).clip(0, 1)  # without the luck a rare chance may come out below 0
    if roll is not None:
        order = np.argsort(result.equity, kind="stable")  # of the other player
        rows: list[dict[str, Any]] = []
        for row in order.tolist():
            loss, doubt = result.behind(row, int(order[0]))
            rows.append(
                {
                    "play": names[row],
                    "equity": round(-float(result.equity[row]), 5),
                    "error": _number(result.error[row]),
                    "loss": round(loss, 5),
                    "loss_error": _number(doubt),
                    "probs": [round(float(chance), 5) for chance in turned_probs(probs[row])],
                }
            )
        about |= {"dice": list(roll), "plays": rows}
        lines = [
            f"{rank:2}. {row['play']:24} {row['equity']:+.4f} ±{row['error']}   "
            f"behind {row['loss']:.4f} ±{row['loss_error']}   {_chances(row['probs'])}"
            for rank, row in enumerate(rows, start=1)
        ]
    elif cubeless:
        equity, wrong = round(float(result.equity[0]), 5), _number(result.error[0])
        about |= {"probs": [round(float(chance), 5) for chance in probs[0]], "equity": equity, "error": wrong}
        lines = [_chances(probs[0].tolist()), f"equity {equity:+.4f} ±{wrong} for the player on roll"]
    else:
        worths = [played.rows(row).worth_of(result.equities[row]) for row in range(2)]
        cube = decide(worths[0].mean(), worths[1].mean(), stakes).decision()
        # Each was rolled out in units of its own cube; all is told in those of the present one.
        errors = [_number(one) for one in standard_error(np.stack([stakes.equity(worth) for worth in worths]))]
        about |= {
            "probs": [round(float(chance), 5) for chance in probs[0]],
            **{name: round(value, 5) for name, value in (("nd", cube.nd), ("dt", cube.dt), ("dp", cube.dp))},
            "nd_error": errors[0],
            "dt_error": errors[1],
            "action": cube.action,
        }
        lines = [
            _chances(probs[0].tolist()),
            f"no {verb} {cube.nd:+.4f} ±{errors[0]}   {verb}/take {cube.dt:+.4f} ±{errors[1]}   "
            f"{verb}/pass {cube.dp:+.4f}",
            f"best{' for the doubler' if seen.doubled else ''}: {cube.action}",
        ]
    if as_json:
        typer.echo(json.dumps(about))
        return
    typer.echo(f"{seen.xgid}   {result.trials} trials of {plies or 'all'} plies, ± is the standard error")
    for line in lines:
        typer.echo(line)


def _number(error: SupportsFloat) -> float | None:
    """Return an error for JSON, None where there were too few trials for one."""
    return None if math.isnan(float(error)) else round(float(error), 5)
