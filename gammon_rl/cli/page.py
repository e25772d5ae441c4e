"""An analysis as one HTML page that needs nothing else: no script, font, image or style from anywhere.

It is well-formed XML as well. Everything that comes from a file is escaped. Without scripts everything can be read;
with them there are keys to go from decision to decision.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from gammon_rl import __version__
from gammon_rl.bots.analysis import BLUNDER, CLOSE, ERROR, Analysis, Decision, Finding, Kind, Share
from gammon_rl.cli import report
from gammon_rl.cli.board_svg import SHAPES, board_svg
from gammon_rl.cli.report import GROUPS, headline, outcome, sub_headline, verdict
from gammon_rl.cli.telling import cube_equities
from gammon_rl.rules.steps import Step
from gammon_rl.table import events as ev

_STYLE: Final = Path(__file__).with_name("page.css")
_SCRIPT: Final = Path(__file__).with_name("page.js")
_MINUS: Final = "\N{MINUS SIGN}"
_TO: Final = "\N{EN DASH}"
_NOTHING: Final = 0.0005  # less is shown as 0.000
_MOST_SHOWN: Final = 20  # of the worst decisions, at the top


def page(analysis: Analysis, source: str, opinion: str, notes: Sequence[str] = ()) -> str:
    """Return the page.

    Parameters
    ----------
    analysis : Analysis
        What to show.
    source : str
        Where the record came from.
    opinion : str
        Whose opinion it is.
    notes : sequence of str
        What in the source could not be taken as it stands there.
    """
    names = [seat.name for seat in analysis.record.seats]
    title = escape(f" {_TO} ".join(names))
    body = [
        f"<header><h1>{title}</h1><p>{escape(headline(analysis))}</p>",
        f'<p class="soft">{escape(sub_headline(analysis))}<br/>{escape(source)}, analysed by {escape(opinion)}</p>',
        *(f'<p class="soft">{escape(source)}, {escape(note)}</p>' for note in notes),
        '<p class="keys soft">Keys: <kbd>j</kbd> <kbd>k</kbd> next and previous decision, <kbd>n</kbd> <kbd>p</kbd> '
        "next and previous error, <kbd>Esc</kbd> closes.</p>",
        "</header>",
        *_nav(analysis),
        "<main>",
        *_players(analysis),
        *_chart(analysis),
        *_numbers(analysis),
        *_games(analysis),
        *_worst(analysis),
    ]
    for game in analysis.record.games:
        body += _game(analysis, game.number)
    body += ["</main>", _FOOTER]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8"/>',
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
            f'<meta name="generator" content="gammon_rl {escape(__version__)}"/>',
            f"<title>{title}</title>",
            f"<style>\n{_STYLE.read_text('utf-8')}</style></head><body>",
            SHAPES,
            *body,
            f"<script>\n{_SCRIPT.read_text('utf-8')}</script></body></html>",
            "",
        ]
    )


_FOOTER: Final = f"""\
<footer><h2>How to read this</h2>
<p><b>PR</b> is the mean loss of a decision in thousandths of a point, divided by 2; lower is better. Plays with a
choice count, and of the cube every double, every answer to one, and the turns at which doubling was right, or wrong by
less than {CLOSE:.2f}. Resignations do not count.</p>
<p><b>Loss</b> is in points at a cube of 1 (in a match: money-equivalent points). From {ERROR:.2f} on it is called an
error, from {BLUNDER:.2f} on a blunder.</p>
<p><b>Luck</b> is what a roll was worth more than the mean of all rolls, 0 plies ahead.</p>
<p><b>Boards</b> are seen by the player who decides and moves from 24 down to 1; arrows are the best play, and dotted
the one that was made.</p></footer>"""


def _signed(value: float, digits: int = 3) -> str:
    return report.signed(value, digits).replace("-", _MINUS)


def _amount(worth: float, analysis: Analysis) -> str:
    return report.amount(worth, analysis).replace("-", _MINUS)


def _nav(analysis: Analysis) -> Iterator[str]:
    yield "<nav>"
    yield '<a href="#numbers">Numbers</a>'
    if analysis.worst():
        yield '<a href="#blunders">Blunders</a>'
    for game in analysis.record.games:
        yield f'<a href="#game-{game.number}">Game {game.number}</a>'
    yield "</nav>"


def _players(analysis: Analysis) -> Iterator[str]:
    yield '<section class="cards">'
    for seat, who in enumerate(analysis.record.seats):
        tally = analysis.tally(seat)
        facts = {
            "Error rate": f"{tally.rate:.1f}",
            "Decisions": f"{tally.decisions}",
            "Errors, blunders": f"{tally.errors}, {tally.blunders}",
            "Lost": _amount(-tally.lost, analysis),
            "Luck": _amount(tally.luck_worth, analysis),
        }
        rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts.items())
        yield (
            f'<div class="card"><h3><span class="dot d{seat}"></span> {escape(who.name)}</h3>'
            f'<div class="pr">{tally.rating:.2f}<small>PR</small></div><dl class="facts">{rows}</dl></div>'
        )
    yield "</section>"


def _chart(analysis: Analysis) -> Iterator[str]:
    """Yield how luck and play have added up, in favour of seat 0."""
    luck, skill = [0.0], [0.0]
    ends: list[int] = []
    for finding in analysis.findings:
        if isinstance(finding.event, ev.GameEnded):
            ends.append(len(luck) - 1)
        if finding.luck is None and finding.decision is None:
            continue
        gained = finding.luck.worth * (1 if finding.luck.seat == 0 else -1) if finding.luck else 0.0
        lost = finding.decision if finding.decision and finding.decision.counts else None
        luck.append(luck[-1] + gained)
        skill.append(skill[-1] + (lost.lost * (-1 if lost.seat == 0 else 1) if lost else 0.0))
    if len(luck) < 3:
        return
    most = max(0.1, *map(abs, luck), *map(abs, skill))

    def line(values: Sequence[float]) -> str:
        return " ".join(f"{at},{-100 * value / most:.1f}" for at, value in enumerate(values))

    last = len(luck) - 1
    names = [escape(seat.name) for seat in analysis.record.seats]
    over, under = (f'<p class="scale">{_amount(most, analysis)} for {name}</p>' for name in names)
    borders = "".join(f'<path class="axis" stroke-dasharray="2 4" d="M{at} -100V100"/>' for at in ends if at < last)
    yield f"""<section><h2>Luck and play</h2><div class="wide">{over}
<svg class="chart" viewBox="0 -104 {last} 208" preserveAspectRatio="none" role="img" aria-label="Luck and play">
{borders}<path class="axis" d="M0 0H{last}"/>
<polyline class="luck" points="{line(luck)}"/><polyline class="skill" points="{line(skill)}"/></svg>{under}
<p class="key"><span><i class="of-luck"></i>luck</span>
<span><i class="of-skill"></i>errors of the other player less one's own</span></p></div></section>"""


def _numbers(analysis: Analysis) -> Iterator[str]:
    tallies = [analysis.tally(seat) for seat in (0, 1)]
    turns = sum(tally.turns for tally in tallies)
    yield '<section id="numbers"><h2>Numbers</h2><div class="wide"><table><thead><tr><th></th>'
    yield "".join(f"<th>{escape(seat.name)}</th>" for seat in analysis.record.seats) + "</tr></thead><tbody>"
    shown = [(words, [tally.share(kinds) for tally in tallies]) for words, kinds in GROUPS]
    shown.append(("All that count", [Share(tally.decisions, tally.errors, tally.loss) for tally in tallies]))
    rows = [(words, [_share(one) for one in shares]) for words, shares in shown if any(one.count for one in shares)]
    rows += [
        ("Error rate, milli-points", [f"{tally.rate:.2f}" for tally in tallies]),
        ("Snowie's error rate", [f"{tally.snowie_rate(turns):.2f}" for tally in tallies]),
        ("Luck", [_signed(tally.luck) for tally in tallies]),
    ]
    result = outcome(analysis)
    if result:
        rows += [
            (words, [_amount(worth, analysis), _amount(-worth, analysis)])
            for words, worth in zip(("Result", "Result less luck"), result, strict=True)
        ]
    for words, cells in rows:
        yield f"<tr><th>{words}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    yield "</tbody></table></div></section>"


def _share(share: Share) -> str:
    return f"{_signed(-share.loss)}<small>{share.count}, {share.errors} wrong</small>"


def _games(analysis: Analysis) -> Iterator[str]:
    dots = [_dot(analysis, seat) for seat in (0, 1)]
    yield '<section><h2>Games</h2><div class="wide"><table><thead><tr><th>Game</th><th>Score</th>'
    yield "".join(f"<th>{dot} PR</th><th>Luck</th>" for dot in dots) + "<th>Won</th></tr></thead><tbody>"
    for game in analysis.record.games:
        tallies = [analysis.tally(seat, game.number) for seat in (0, 1)]
        cells = "".join(f"<td>{tally.rating:.2f}</td><td>{_signed(tally.luck, 2)}</td>" for tally in tallies)
        won = f"{dots[game.result.winner]} {game.result.points}" if game.result else "unfinished"
        special = " Crawford" if game.crawford else ""
        yield (
            f'<tr><td><a href="#game-{game.number}">{game.number}</a></td>'
            f"<td>{game.score[0]}{_TO}{game.score[1]}{special}</td>{cells}<td>{won}</td></tr>"
        )
    yield "</tbody></table></div></section>"


def _dot(analysis: Analysis, seat: int) -> str:
    """Return the colour of a player, with the name for those who cannot see it."""
    name = escape(analysis.record.seats[seat].name)
    return f'<span class="dot d{seat}" role="img" aria-label="{name}" title="{name}"></span>'


def _worst(analysis: Analysis) -> Iterator[str]:
    numbers = {id(one.decision): one.number for one in analysis.findings if one.decision}
    worst = analysis.worst()[:_MOST_SHOWN]
    if not worst:
        return
    yield '<section id="blunders"><h2>Blunders</h2><div class="worst">'
    for decision in worst:
        who = escape(analysis.record.seats[decision.seat].name)
        yield (
            f'<article class="card"><h3><span class="dot d{decision.seat}"></span> {who}, '
            f'<a href="#d{numbers[id(decision)]}">game {decision.game}</a>: {escape(verdict(decision))} '
            f"{_chip(decision)}</h3>{_more(decision, analysis)}</article>"
        )
    yield "</div></section>"


def _game(analysis: Analysis, number: int) -> list[str]:
    """Return a game, turn by turn."""
    record = next(game for game in analysis.record.games if game.number == number)
    names = [seat.name for seat in analysis.record.seats]
    score = f"{record.score[0]}{_TO}{record.score[1]}{', Crawford' if record.crawford else ''}"
    parts = [
        f'<section id="game-{number}"><h2>Game {number} <span class="soft">{score}</span></h2><div class="turns">',
        _HEAD,
    ]
    turn = 0
    luck = ""
    for finding in analysis.findings:
        event = finding.event
        if finding.state.game != number and not (isinstance(event, ev.GameStarted) and event.number == number):
            continue
        if finding.luck:
            luck = _signed(finding.luck.equity, 2)
        match event:
            case ev.Rolled() | ev.OpeningRolled() | ev.GameStarted() | ev.MatchEnded():
                if finding.decision:
                    parts.append(_row(analysis, finding, "", "", "no double", ""))
            case ev.Played(seat=_, dice=dice):
                turn += 1
                parts.append(_row(analysis, finding, str(turn), f"{max(dice)}{min(dice)}", event.text, luck))
            case ev.TurnSkipped():
                parts.append(_row(analysis, finding, "", "", "against a closed board", ""))
            case ev.GameEnded(winner=winner, points=points, how=how):
                plural = "s" * (points != 1)
                parts.append(f'<div class="end">{escape(names[winner])} wins {points} point{plural} ({how})</div>')
            case _:
                words = finding.decision.done if finding.decision else _WORDS.get(type(event), "")
                if words:
                    parts.append(_row(analysis, finding, "", "", words, ""))
    if not analysis.complete and (not analysis.findings or analysis.findings[-1].state.game <= number):
        parts.append('<div class="end soft">The analysis was interrupted here.</div>')
    parts.append("</div></section>")
    return parts


_HEAD: Final = (
    '<div class="row head"><span></span><span></span><span>Roll</span><span>Play</span>'
    '<span>Loss</span><span class="lucky">Luck</span></div>'
)
_WORDS: Final[dict[type, Kind]] = {
    ev.Doubled: "double",
    ev.Taken: "take",
    ev.Dropped: "drop",
    ev.Beavered: "beaver",
    ev.ResignationOffered: "resign",
    ev.ResignationAccepted: "accept",
    ev.ResignationDeclined: "decline",
}


def _row(analysis: Analysis, finding: Finding, turn: str, roll: str, words: str, luck: str) -> str:
    seat = getattr(finding.event, "seat", 0)
    decision = finding.decision
    cells = (
        f'<span class="no">{turn}</span>{_dot(analysis, seat)}'
        f'<span class="roll">{roll}</span><span class="what">{escape(words)}</span>'
        f'{_chip(decision) if decision else "<span></span>"}<span class="lucky">{luck}</span>'
    )
    if decision is None:
        return f'<div class="row">{cells}</div>'
    return (
        f'<details id="d{finding.number}"><summary class="row">{cells}</summary>{_more(decision, analysis)}</details>'
    )


def _chip(decision: Decision) -> str:
    loss = decision.loss
    kind = "blunder" if loss >= BLUNDER else "error" if loss >= ERROR else "small"
    shown = f"{_MINUS}{loss:.3f}" if loss >= _NOTHING else "✓"
    return f'<span class="chip {kind}">{shown}</span>'


def _more(decision: Decision, analysis: Analysis) -> str:
    """Return the board of a decision, and what could be done."""
    position = decision.position
    sees = decision.seat
    if decision.kind in ("accept", "decline"):
        sees = 1 - decision.seat
    best: Sequence[Step] = ()
    made: Sequence[Step] = ()
    if decision.candidates:
        best = decision.candidates[0].play.steps
        made = next(one.play.steps for one in decision.candidates if one.play.text == decision.done)
        made = made if decision.best != decision.done else ()
    board = board_svg(position, sees, f"{decision.what}: {decision.done}. {position.xgid}", best, made)
    sees_it = escape(analysis.record.seats[sees].name)
    lines = [_plays(decision) if decision.candidates else _cube(decision, sees_it)]
    if decision.loss >= _NOTHING:
        lost = _amount(decision.lost, analysis).lstrip("+")
        lines.append(f"<p>Best: {escape(decision.best)}. Lost: {lost}.</p>")
    lines.append(f"<p><code>{escape(position.xgid)}</code></p>")
    return f'<div class="more"><div>{board}</div><div>{"".join(lines)}</div></div>'


_CHANCES: Final = (
    '<abbr title="Wins, per cent">Win</abbr>',
    '<abbr title="Gammons won, per cent">Gam</abbr>',
    '<abbr title="Gammons lost, per cent">Lost</abbr>',
)


def _plays(decision: Decision) -> str:
    rows = []
    for one in decision.candidates:
        own = ' class="own"' if one.play.text == decision.done else ""
        win, gammon, _, lost_gammon, _ = (100 * chance for chance in one.probs)
        loss = f"{_MINUS}{one.loss:.3f}" if one.loss >= _NOTHING else ""
        depth = "" if one.ply == decision.candidates[0].ply else f' <small class="soft">{one.ply}-ply</small>'
        rows.append(
            f"<tr{own}><td>{escape(one.play.text)}{depth}</td><td>{_signed(one.equity)}</td><td>{loss}</td>"
            f"<td>{win:.1f}</td><td>{gammon:.1f}</td><td>{lost_gammon:.1f}</td></tr>"
        )
    return _table(("Play", "Equity", "Loss", *_CHANCES), rows)


def _cube(decision: Decision, name: str) -> str:
    cube = decision.cube
    assert cube is not None
    again = decision.position.cube_owner != "centre"
    rows = [
        f"<tr><td>{words.capitalize().replace('/', ', ')}</td><td>{_signed(equity)}</td></tr>"
        for words, equity in cube_equities(cube, again, "drop")
    ]
    win, gammon, _, lost_gammon, _ = (100 * chance for chance in decision.probs)
    return _table(("For the doubler", "Equity"), rows) + (
        f"<p>Right: {escape(cube.action.replace('pass', 'drop'))}</p>"
        f'<p class="soft">{name}: win {win:.1f} %, gammon {gammon:.1f} %, lost gammon {lost_gammon:.1f} %</p>'
    )


def _table(heads: Iterable[str], rows: Iterable[str]) -> str:
    cells = "".join(f"<th>{head}</th>" for head in heads)
    return f'<div class="list"><table><thead><tr>{cells}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
