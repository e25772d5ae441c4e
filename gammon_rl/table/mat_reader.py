"""Reading `.mat` text: its lines are taken apart into games and cells, and those replayed by the rules of a table."""

import re
from typing import Final

from gammon_rl.errors import MatFileError
from gammon_rl.table.transcript import (
    Cell,
    FileMatch,
    Game,
    Kind,
    LineError,
    Match,
    Win,
    decoded,
    retold,
    shortened,
)

_RIGHT: Final = 16  # a lone cell from this column on belongs to the player on the right

_LONGEST_LINE: Final = 1000


def read_mat(text: str | bytes) -> tuple[FileMatch, ...]:
    r"""Return the matches and sessions that a `.mat` text holds, usually one.

    Every play and cube action is held against the rules, and every score against what was won. Where the text does
    not say them, the rules are those under which all of it is possible: Jacoby, Crawford, and automatic doubles, in
    this order of preference: the usual rules, without Jacoby or Crawford, with automatic doubles.

    Parameters
    ----------
    text : str or bytes
        The contents of the file; bytes are taken for UTF-8, or for Windows' western code page if they are none.

    Raises
    ------
    MatFileError
        If it holds no match, or something in it is not understood, impossible, or illegal; the message has the line.

    Examples
    --------
    >>> match, = read_mat('''
    ...  3 point match
    ...
    ...  Game 1
    ...  Ann : 0                        Bob : 0
    ...   1) 31: 8/5 6/5                 65: 24/13
    ...   2)  Doubles => 2                Drops
    ...       Wins 1 point
    ... ''')
    >>> match.record.games[0].result
    GameEnded(winner=0, how='drop', level=1, points=1, score=(1, 0))
    >>> read_mat(" 3 point match\n Game 1\n Ann : 0  Bob : 0\n 1) 31: 8/3")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gammon_rl.errors.MatFileError: line 4: '8/3' is not legal with 3-1: ...
    """
    lines = decoded(text).expandtabs().split("\n")
    try:
        return tuple(retold(match) for match in _matches(lines))
    except LineError as refusal:
        raise MatFileError(f"line {refusal.line}: {refusal.reason}") from None


# Lines into cells ------------------------------------------------------------------------------------------------

_HEADER: Final = re.compile(r'\s*;?\s*\[\s*([^"\]]+?)\s+"(.*)"\s*\]\s*')
_LENGTH: Final = re.compile(r"\s*(?:([0-9]+)[ -]*points? match|(?:unlimited|money) (?:game|session|match))\b.*", re.I)
_GAME: Final = re.compile(r"\s*game\s+[0-9]+\b.*", re.I)
_NAMES: Final = re.compile(r"\s*(\S.*?)\s*:\s*([0-9]+)\s+(\S.*?)\s*:\s*([0-9]+)\s*")
_NUMBER: Final = re.compile(r"\s*[0-9]+\s*\)")
_POINT: Final = r"(?:bar|off|[0-9]{1,2})"
_RUN: Final = rf"{_POINT}(?:/{_POINT}\*?)+(?:\([1-4]\)\*?)?"
_DANCE: Final = r"(?:cannot\ move|can't\ move|no\ move|dances?)"
_CELL: Final = re.compile(
    rf"""\s*(?:
      (?P<dice>[1-6]-?[1-6])\s*:\s*(?P<play>\?+|{_DANCE}|{_RUN}(?:[,\s]\s*{_RUN})*|)
    | (?P<dance>{_DANCE})
    | (?P<word>(?:re)?doubles|beavers|takes|accepts|drops|passes|rejects)
        (?:\s*(?:=>|to|at)\s*(?P<value>[0-9]+))?
    | wins\s+(?P<points>[0-9]+)\s+points?(?:\s+and\s+(?:the\s+)?match)?[.!]?
    )(?=\s|$)""",
    re.I | re.X,
)
_WORDS: Final[dict[str, Kind]] = {
    "doubles": "double",
    "redoubles": "double",
    "beavers": "beaver",
    "takes": "take",
    "accepts": "take",
    "drops": "drop",
    "passes": "drop",
    "rejects": "drop",
}


def _matches(lines: list[str]) -> list[Match]:
    """Return the matches of a text, taken apart and not yet looked at."""
    matches: list[Match] = []
    headers: dict[str, tuple[str, int]] = {}
    game: Game | None = None
    for number, line in enumerate(lines, start=1):
        if len(line) > _LONGEST_LINE:
            if matches and not line.startswith(";"):
                raise LineError(number, f"{shortened(line)} is longer than any line of a match")
            continue
        header = _HEADER.fullmatch(line)
        length = _LENGTH.fullmatch(line)
        if header:
            headers[header[1]] = (header[2], number)
        elif length and not (game and game.score is None):
            game = None
            matches.append(Match(number, int(length[1] or 0), headers))
            headers = {}
        elif not line.strip() or line.lstrip().startswith(";") or not matches:
            continue
        elif game and game.score is None:
            _take_names(game, number, line)
        elif _GAME.fullmatch(line):
            game = Game(number)
            matches[-1].games.append(game)
        elif game is None:
            raise LineError(number, f"{shortened(line)} is not understood; expected a line such as 'Game 1'")
        else:
            _take_cells(game, number, line)
    if not matches:
        raise LineError(len(lines), "there is no match up to here; expected a line such as '7 point match'")
    last = matches[-1].games[-1] if matches[-1].games else None
    if last and last.score is None:
        raise LineError(last.line, "the text ends before the names of the players")
    return matches


def _take_names(game: Game, number: int, line: str) -> None:
    names = _NAMES.fullmatch(line)
    if not names:
        raise LineError(
            number, f"{shortened(line)} is not understood; expected the players, such as 'Ann : 0   Bob : 0'"
        )
    game.names, game.score = (names[1], names[3]), (int(names[2]), int(names[4]))
    game.score_line = number


def _take_cells(game: Game, number: int, line: str) -> None:
    """Add the cells of a line to its game: two are left and right, of one the column says it."""
    prefix = _NUMBER.match(line)
    at = prefix.end() if prefix else 0
    found: list[tuple[int, re.Match[str]]] = []
    while line[at:].strip():
        cell = _CELL.match(line, at)
        if not cell or len(found) == 2:
            what = shortened(line[at:])
            raise LineError(
                number, f"{what} is not understood; expected a roll with its play, a cube action or who wins"
            )
        found.append((at + len(line[at:]) - len(line[at:].lstrip()), cell))
        at = cell.end()
    for place, (column, cell) in enumerate(found):
        seat = place if len(found) == 2 else int(column >= _RIGHT)
        if game.win:
            raise LineError(number, "the game was won before this line")
        if cell["points"]:
            game.win = Win(number, seat, int(cell["points"]))
        elif cell["word"]:
            game.cells.append(Cell(number, seat, _WORDS[cell["word"].lower()], value=int(cell["value"] or 0)))
        elif cell["dice"]:
            dice = sorted((int(cell["dice"][0]), int(cell["dice"][-1])), reverse=True)
            game.cells.append(Cell(number, seat, "play", (dice[0], dice[1]), cell["play"].strip()))
        else:
            game.cells.append(Cell(number, seat, "play"))
