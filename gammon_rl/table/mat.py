"""Matches as `.mat` text, the format of Jellyfish that GNU Backgammon and eXtreme Gammon read and write.

It holds the score, every roll and play, doubles with their answers, and what each game won: seat 0 in the left column,
seat 1 in the right one. `docs/mat.md` says what it does not hold and how that is written and read.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from gammon_rl.errors import MatFileError
from gammon_rl.stakes.worth import CUBE_LIMIT
from gammon_rl.table import events as ev
from gammon_rl.table.mat_reader import read_mat
from gammon_rl.table.options import TableOptions
from gammon_rl.table.record import GameRecord, Record
from gammon_rl.table.table import Table
from gammon_rl.table.transcript import UNKNOWN_PLAY, VARIATIONS, FileMatch

__all__ = ["FileMatch", "read_mat", "to_mat"]

_LEFT: Final = 28  # the width of the left column, as GNU Backgammon has it
_NAME: Final = 31  # and of a name with its score


class _Cell(NamedTuple):
    """One entry of a column."""

    seat: int
    text: str


def to_mat(table: Table | Record) -> str:
    """Return the match, session or game at a table as `.mat` text, finished or not.

    Not held, and so left out: resignations that were declined, ties in the opening roll, who decided, bots, clocks,
    colours. A game lost on time is written as a resignation, or as a drop by a player who was doubled. A turn skipped
    against a closed board is an empty cell.

    Parameters
    ----------
    table : Table or Record
        What was played.

    Returns
    -------
    str
        Lines that end in a newline; to be stored as UTF-8.

    Raises
    ------
    MatFileError
        If the variant is one that the format has no name for.

    Examples
    --------
    >>> from gammon_rl.table.actions import Play, Roll
    >>> from gammon_rl.table.dice import RecordedDice
    >>> table = Table(TableOptions(match_length=3), dice=RecordedDice([(1, 3), (6, 5)]))
    >>> for action in (Roll(), Play("8/5 6/5"), Roll()):
    ...     _ = table.apply(action)
    >>> print(to_mat(table))
    ; [Player 1 "Player 1"]
    ; [Player 2 "Player 2"]
    ; [Variation "Backgammon"]
    ; [Crawford "On"]
    ; [CubeLimit "64"]
    <BLANKLINE>
     3 point match
    <BLANKLINE>
     Game 1
     Player 1 : 0                   Player 2 : 0
      1)                             31: 8/5 6/5
      2) 65: ????
    <BLANKLINE>
    """
    record = table.record if isinstance(table, Table) else table
    lines = [*_headers(record), "", f" {record.options.match_length} point match"]
    for game in record.games:
        lines += ["", f" Game {game.number}", _names(record, game), *_rows(list(_cells(game)))]
        if game.result is not None:
            _add_result(lines, game.result, record.options)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _headers(record: Record) -> Iterator[str]:
    options = record.options
    if options.variant not in VARIATIONS:
        raise MatFileError(f"a .mat file holds {', '.join(VARIATIONS)}, and not {options.variant}")
    values = {f"Player {seat + 1}": record.seats[seat].name for seat in (0, 1)}
    values["Variation"] = VARIATIONS[options.variant]
    if options.money:
        values |= {"Jacoby": _on_off(options.jacoby), "Beaver": _on_off(options.beavers)}
    else:
        values["Crawford"] = _on_off(options.crawford)
    values["CubeLimit"] = str(CUBE_LIMIT if options.cube else 1)
    return (f'; [{name} "{value}"]' for name, value in values.items())


def _on_off(value: bool) -> str:
    return "On" if value else "Off"


def _names(record: Record, game: GameRecord) -> str:
    """Return the line with names and score; what would be misread in a name is replaced, the headers have it whole."""
    shown = [seat.name.replace(":", ".").replace(";", ",").strip() for seat in record.seats]
    one, other = (f"{name or f'Player {seat + 1}'} : {game.score[seat]}" for seat, name in enumerate(shown))
    return f" {one:<{_NAME - 1}} {other}"


def _cells(game: GameRecord) -> Iterator[_Cell]:
    """Yield the entries of a game in order."""
    waiting: _Cell | None = None  # a roll that is not played yet
    doubled: ev.Doubled | None = None  # a double that is not answered yet
    for event in game.events:
        match event:
            case ev.OpeningRolled(dice=dice) if dice[0] != dice[1]:
                waiting = _Cell(int(dice[1] > dice[0]), f"{_roll_text(dice)} {UNKNOWN_PLAY}")
            case ev.Rolled(seat=seat, dice=dice):
                waiting = _Cell(seat, f"{_roll_text(dice)} {UNKNOWN_PLAY}")
            case ev.Played(seat=seat, dice=dice):
                waiting = None
                yield _Cell(seat, f"{_roll_text(dice)} {_play_text(event)}")
            case ev.Doubled(seat=seat, cube=cube):
                doubled = event
                yield _Cell(seat, f" Doubles => {cube}")
            case ev.Taken(seat=seat):
                doubled = None
                yield _Cell(seat, " Takes")
            case ev.Beavered(seat=seat, cube=cube):
                doubled = None
                yield _Cell(seat, f" Beavers => {cube}")
            case ev.Dropped(seat=seat):
                yield _Cell(seat, " Drops")
            case ev.GameEnded(how="forfeit", winner=winner) if doubled is not None:
                yield _Cell(1 - winner, " Drops")
    if waiting is not None:
        yield waiting


def _roll_text(dice: tuple[int, int]) -> str:
    return f"{max(dice)}{min(dice)}:"


def _play_text(event: ev.Played) -> str:
    return " ".join(f"{step.start}/{step.end}{'*' * step.hit}" for step in event.steps)


def _rows(cells: list[_Cell]) -> list[str]:
    """Return the numbered lines: a cell of seat 1 goes beside one of seat 0 if it follows it."""
    rows: list[str] = []
    for at, (seat, text) in enumerate(cells):
        if seat == 1 and at and cells[at - 1].seat == 0:
            rows[-1] += text
        else:
            rows.append(f"{len(rows) + 1:3}) " + (f"{text:<{_LEFT - 1}} " if seat == 0 else " " * _LEFT + text))
    return rows


def _add_result(lines: list[str], result: ev.GameEnded, options: TableOptions) -> None:
    text = f"Wins {result.points} point{'s' * (result.points != 1)}"
    if not options.money and max(result.score) >= options.match_length:
        text += " and the match"
    if result.winner == 0:
        lines.append(f"      {text}")
    elif lines[-1].rstrip().endswith(" Drops") and len(lines[-1].rstrip()) < _LEFT:
        lines[-1] += f" {text}"
    else:
        lines.append(f"{'':34}{text}")
