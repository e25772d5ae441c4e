"""An analysis as lines of text, and as plain data for JSON."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from rich.cells import cell_len, set_cell_size

from gammon_rl.bots.analysis import BLUNDER, KINDS, Analysis, Decision, Kind, Luck, Tally

FORMAT: Final = "gammon_rl analysis"
VERSION: Final = 1

GROUPS: Final[tuple[tuple[str, tuple[Kind, ...]], ...]] = (
    ("Plays with a choice", ("play",)),
    ("Doubles", ("double",)),
    ("No doubles, right or close", ("no double",)),
    ("Takes", ("take",)),
    ("Drops", ("drop",)),
    ("Beavers", ("beaver",)),
    ("Resignations and answers", ("resign", "accept", "decline")),
)
"""The kinds of decisions as they are shown."""

_LABEL: Final = 33
_RESULT: Final = 16
_COLUMN: Final = 23


def headline(analysis: Analysis) -> str:
    """Return who has won what, in a sentence."""
    record = analysis.record
    names = [seat.name for seat in record.seats]
    games = record.games
    last = next((game.result for game in reversed(games) if game.result), None)
    one, other = last.score if last else (0, 0)
    count = f"{len(games)} game{'s' * (len(games) != 1)}"
    length = record.options.match_length
    if length and max(one, other) >= length:
        winner = 0 if one > other else 1
        return f"{names[winner]} won the match {max(one, other)} to {min(one, other)}, in {count}"
    return f"{names[0]} {one}, {names[1]} {other} after {count}"


def sub_headline(analysis: Analysis) -> str:
    """Return by which rules it was played."""
    options = analysis.record.options
    if options.match_length:
        rules = [f"{options.match_length} point match", *([] if options.crawford else ["no Crawford game"])]
    else:
        rules = ["money", *(["Jacoby"] if options.jacoby else []), *(["beavers"] if options.beavers else [])]
    return ", ".join([options.variant, *rules, *([] if options.cube else ["no cube"])])


def outcome(analysis: Analysis) -> tuple[float, float] | None:
    """Return what the games that have ended were worth to seat 0, and the same less the luck in them."""
    outcomes = analysis.outcomes()
    if not outcomes:
        return None
    ended = {one.number for one in outcomes}
    total = sum(one.worth for one in outcomes)
    lucks = [one.luck for one in analysis.findings if one.luck and one.state.game in ended]
    return total, total - sum(luck.worth * (1 if luck.seat == 0 else -1) for luck in lucks)


def verdict(decision: Decision) -> str:
    """Return what was done and what would have been better."""
    better = f"; better {decision.best}" if decision.best != decision.done else ""
    return f"{decision.what}: {decision.done}{better}"


def signed(value: float, digits: int = 3) -> str:
    """Return a number with its sign, and none for nothing.

    Examples
    --------
    >>> signed(-0.25), signed(0.0001), signed(1.5, 2)
    ('-0.250', '0.000', '+1.50')
    """
    text = f"{abs(value):.{digits}f}"
    return text if not float(text) else f"{'-' if value < 0 else '+'}{text}"


def amount(worth: float, analysis: Analysis) -> str:
    """Return points, or chances of winning the match in per cent, with a sign."""
    if analysis.record.options.money:
        return f"{signed(worth, 2)} points"
    return f"{signed(100 * worth, 2)} %"


def lines(analysis: Analysis, opinion: str, worst: int) -> Iterator[str]:
    """Yield the analysis in lines of at most 79 letters, with so many of the worst decisions."""
    tallies = [analysis.tally(seat) for seat in (0, 1)]
    names = [seat.name for seat in analysis.record.seats]
    turns = sum(tally.turns for tally in tallies)
    yield f"{headline(analysis)}"
    yield f"{sub_headline(analysis)}; analysed by {opinion}"
    if not analysis.complete:
        yield f"interrupted: {len(analysis.findings)} of {len(analysis.record.events)} events were looked at"
    yield ""
    yield _cells("", names)
    yield _cells("PR", [f"{tally.rating:.2f}" for tally in tallies])
    yield _cells("  error rate, milli-points", [f"{tally.rate:.2f}" for tally in tallies])
    yield _cells("  error rate as Snowie counts", [f"{tally.snowie_rate(turns):.2f}" for tally in tallies])
    yield _cells("  decisions that count", [f"{tally.decisions}" for tally in tallies])
    yield _cells("  errors, blunders", [f"{tally.errors}, {tally.blunders}" for tally in tallies])
    yield _cells("  lost, points at a cube of 1", [signed(-tally.loss) for tally in tallies])
    yield _cells("  lost in all", [amount(-tally.lost, analysis) for tally in tallies])
    for words, kinds in GROUPS:
        shares = [tally.share(kinds) for tally in tallies]
        if any(share.count for share in shares):
            yield _cells(words, [f"{one.count}, {one.errors} wrong, {signed(-one.loss)}" for one in shares])
    yield _cells("Luck, points at a cube of 1", [signed(tally.luck) for tally in tallies])
    yield _cells("  luck in all", [amount(tally.luck_worth, analysis) for tally in tallies])
    result = outcome(analysis)
    if result:
        for words, worth in zip(("Result", "  less luck"), result, strict=True):
            yield _cells(words, [amount(worth, analysis), amount(-worth, analysis)])
    yield ""
    yield f"Game  Score      {'PR':>23}   {'Luck':>17}   Result"
    for game in analysis.record.games:
        parts = [analysis.tally(seat, game.number) for seat in (0, 1)]
        result_text = "unfinished"
        if game.result:
            points = f" +{game.result.points}"
            result_text = _fitted(names[game.result.winner], _RESULT - len(points)) + points
        score = f"{game.score[0]}-{game.score[1]}{' Crawford' if game.crawford else ''}"
        yield (
            f"{game.number:4}  {score:<14}{parts[0].rating:9.2f} {parts[1].rating:9.2f}   "
            f"{signed(parts[0].luck, 2):>8} {signed(parts[1].luck, 2):>8}   {result_text}"
        )
    found = analysis.worst()[:worst]
    if found:
        yield ""
        yield f"Blunders (from {BLUNDER:.3f} on), the worst first"
    for place, one in enumerate(found, start=1):
        yield f"{place:3}. {signed(-one.loss)}  game {one.game}, {names[one.seat]}, {verdict(one)}"
        yield f"     {one.position.xgid}"


def _cells(label: str, cells: Sequence[str]) -> str:
    fitted = [_fitted(cell, _COLUMN - 1) for cell in cells]
    return f"{label:<{_LABEL}}" + "".join(" " * (_COLUMN - cell_len(cell)) + cell for cell in fitted)


def _fitted(text: str, cells: int) -> str:
    """Return a text that is at most so wide; letters may be two cells wide."""
    return text if cell_len(text) <= cells else set_cell_size(text, cells).rstrip()


# JSON ------------------------------------------------------------------------------------------------------------


def data(analysis: Analysis, source: str, opinion: dict[str, Any], notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the analysis as plain data; `docs/analyse.md` describes it."""
    record = analysis.record
    tallies = [analysis.tally(seat) for seat in (0, 1)]
    result = outcome(analysis)
    return {
        "format": FORMAT,
        "version": VERSION,
        "source": source,
        "notes": list(notes),
        "complete": analysis.complete,
        "opinion": opinion,
        "variant": record.options.variant,
        "match_length": record.options.match_length,
        "unit": "points" if record.options.money else "mwc",
        "players": [
            {"name": seat.name, **_tally_data(tally, sum(one.turns for one in tallies))}
            for seat, tally in zip(record.seats, tallies, strict=True)
        ],
        "result": None if result is None else {"worth": _rounded(result[0]), "less_luck": _rounded(result[1])},
        "games": [_game_data(analysis, number) for number in range(1, len(record.games) + 1)],
        "decisions": [
            {"event": one.number, **_decision_data(one.decision)} for one in analysis.findings if one.decision
        ],
        "rolls": [_luck_data(one.number, one.state.game, one.luck) for one in analysis.findings if one.luck],
    }


def _game_data(analysis: Analysis, number: int) -> dict[str, Any]:
    game = analysis.record.games[number - 1]
    tallies = [analysis.tally(seat, number) for seat in (0, 1)]
    result = game.result
    return {
        "number": number,
        "score": list(game.score),
        "crawford": game.crawford,
        "result": None if result is None else {"winner": result.winner, "how": result.how, "points": result.points},
        "players": [_tally_data(tally, sum(one.turns for one in tallies)) for tally in tallies],
    }


def _tally_data(tally: Tally, turns: int) -> dict[str, Any]:
    return {
        "pr": _rounded(tally.rating),
        "error_rate": _rounded(tally.rate),
        "snowie_error_rate": _rounded(tally.snowie_rate(turns)),
        "decisions": tally.decisions,
        "errors": tally.errors,
        "blunders": tally.blunders,
        "loss": _rounded(tally.loss),
        "lost": _rounded(tally.lost),
        "turns": tally.turns,
        "luck": _rounded(tally.luck),
        "luck_worth": _rounded(tally.luck_worth),
        "kinds": {
            kind: {"count": share.count, "errors": share.errors, "loss": _rounded(share.loss)}
            for kind, share in ((kind, tally.shares[kind]) for kind in KINDS)
        },
    }


def _decision_data(decision: Decision) -> dict[str, Any]:
    cube = decision.cube
    return {
        "game": decision.game,
        "seat": decision.seat,
        "kind": decision.kind,
        "dice": list(decision.position.dice) if decision.position.dice else None,
        "done": decision.done,
        "best": decision.best,
        "loss": _rounded(decision.loss),
        "lost": _rounded(decision.lost),
        "counts": decision.counts,
        "xgid": decision.position.xgid,
        "gnubg_id": decision.position.gnubg_id,
        "plays": [
            {
                "play": one.play.text,
                "equity": _rounded(one.equity),
                "loss": _rounded(one.loss),
                "ply": one.ply,
                "probs": [_rounded(chance) for chance in one.probs],
            }
            for one in decision.candidates
        ],
        "cube": None
        if cube is None
        else {"nd": _rounded(cube.nd), "dt": _rounded(cube.dt), "dp": _rounded(cube.dp), "action": cube.action},
        "probs": [_rounded(chance) for chance in decision.probs] or None,
    }


def _luck_data(number: int, game: int, luck: Luck) -> dict[str, Any]:
    return {
        "event": number, "game": game, "seat": luck.seat, "luck": _rounded(luck.equity), "worth": _rounded(luck.worth),
    }  # fmt: skip


def _rounded(value: float) -> float:
    return round(float(value), 6)
