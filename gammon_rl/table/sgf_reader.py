"""Reading `.sgf` text of backgammon, as GNU Backgammon writes it: its trees are taken apart into games and cells.

SGF is a tree of nodes with properties; backgammon is game 6 of it, and each game of a match is a tree of its own,
whose first branch is what was played. Sources: https://red-bean.com/sgf/backgammon.html, and for the score (`MI`), the
rules (`RU`) and a roll that waits (`DI`) what the program writes. Analysis and comments are passed over.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gammon_rl.errors import SgfFileError
from gammon_rl.stakes.worth import CUBE_LIMIT
from gammon_rl.table.transcript import (
    UNKNOWN_PLAY,
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

_SEATS: Final = {"W": 0, "B": 1}  # White is the program's player 0, who stands on the left in a `.mat` file
_CUBE_ACTIONS: Final[dict[str, Kind]] = {"double": "double", "take": "take", "drop": "drop"}
_ENDS: Final = {"y": "bar", "z": "off"}
_HEADERS: Final = {"EV": "Event", "RO": "Round", "PC": "Site", "DT": "EventDate", "AN": "Annotator"}
_SET_UP: Final = ("AE", "AB", "AW")
_SET_UP_LATER: Final = ("CV", "CO", "CP")  # the cube; in the first node that is an automatic double, or the copyright
_GNUBG: Final = "GNU Backgammon"
_BACKGAMMON: Final = "6"
_NO_RESULT: Final = ("", "0", "?", "draw", "void")

_START: Final = re.compile(r"\(\s*;")
_TOKEN: Final = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:[^\]\\]++|\\.)*+)\])", re.S)
_ESCAPE: Final = re.compile(r"\\(?:\n|(.))", re.S)
_PLAY: Final = re.compile(r"([1-6])([1-6])((?:[a-y][a-z]){0,4})")
_ROLL: Final = re.compile(r"([1-6])([1-6])")
_RESULT: Final = re.compile(r"([BW])\+([0-9]{1,9})R?")


def read_sgf(text: str | bytes) -> tuple[FileMatch, ...]:
    r"""Return the matches and sessions that an `.sgf` text holds, usually one.

    White is seat 0. Every play and cube action is held against the rules, and every score and result against what was
    won. What the text does not say is taken as `read_mat` does.

    Parameters
    ----------
    text : str or bytes
        The contents of the file; bytes are taken for UTF-8, or for Windows' western code page if they are none.

    Raises
    ------
    SgfFileError
        If it holds no match, or something in it is not understood, impossible, or illegal; the message has the line.

    Examples
    --------
    >>> match, = read_sgf('''
    ... (;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[Ann]PB[Bob]RU[Crawford]RE[W+1]
    ... ;W[31hefe];B[65aggl];W[double];B[drop])''')
    >>> match.record.games[0].result
    GameEnded(winner=0, how='drop', level=1, points=1, score=(1, 0))
    >>> read_sgf("(;GM[6]MI[length:3]\n;W[31hc])")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gammon_rl.errors.SgfFileError: line 2: '8/3' is not legal with 3-1: ...
    """
    try:
        return tuple(retold(match) for match in _matches(_trees(decoded(text))))
    except LineError as refusal:
        raise SgfFileError(f"line {refusal.line}: {refusal.reason}") from None


# Text into nodes -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Node:
    """A node of a tree: what stands after a semicolon."""

    line: int
    properties: dict[str, list[str]]

    def first(self, name: str) -> str:
        """Return the first value of a property, empty without one."""
        return next(iter(self.properties.get(name, [])), "").strip()


def _trees(text: str) -> Iterator[list[_Node]]:
    """Yield the nodes along the first branch of each tree; what stands between trees is passed over."""
    line_ends = [end.start() for end in re.finditer("\n", text)]
    at = 0
    while start := _START.search(text, at):
        at = start.start()
        nodes: list[_Node] = []
        values: list[str] = []
        depth, on_first_branch = 0, True
        while depth or not nodes:
            token = _TOKEN.match(text, at)
            if not token:
                rest = text[at:].lstrip()
                raise LineError(1 + bisect_left(line_ends, len(text) - len(rest)), _why_no_token(rest))
            mark, name, value = token.groups()
            at = token.end()
            if mark == "(":
                depth += 1
            elif mark == ")":
                depth -= 1
                on_first_branch = False
            elif not on_first_branch:
                continue
            elif mark:
                nodes.append(_Node(1 + bisect_left(line_ends, token.start(1)), {}))
            elif name:
                values = nodes[-1].properties.setdefault("".join(filter(str.isupper, name)), [])
            else:
                values.append(_ESCAPE.sub(r"\1", value))
        yield nodes


def _why_no_token(rest: str) -> str:
    if not rest:
        return "the text ends in the middle of a game; expected ')'"
    if rest.startswith("["):
        return f"the text ends within {shortened(rest[:80])}; expected ']'"
    return f"{shortened(rest[:80])} is not understood; expected a node or a property, such as ;B[31]"


# Nodes into matches ----------------------------------------------------------------------------------------------


def _matches(trees: Iterable[list[_Node]]) -> list[Match]:
    """Return the matches of a text, taken apart and not yet looked at: each tree is a game."""
    matches: list[Match] = []
    last = -1
    for nodes in trees:
        root = nodes[0]
        if root.first("GM") != _BACKGAMMON:
            raise LineError(root.line, f"game {root.first('GM') or '1'} of SGF is not backgammon; expected GM[6]")
        about = _match_info(root)
        length, number = about.get("length", 0), about.get("game", last + 1)
        if not matches or number <= last or length != matches[-1].length:
            # The program writes the rules it was set to when it read the match from another format.
            matches.append(Match(root.line, length, _headers(root, length), sure=False))
        last = number
        score = (about["ws"], about["bs"]) if "ws" in about and "bs" in about else None
        game = Game(root.line, score=score, score_line=root.line, ties=_ties(root, length))
        game.cells = list(_cells(nodes))
        game.win = _win(root, nodes[-1].line)
        matches[-1].games.append(game)
    if not matches:
        raise LineError(1, "there is no game here; expected a text that begins with '(;'")
    return matches


def _match_info(root: _Node) -> dict[str, int]:
    """Return the numbers of the property `MI`: the length, the number of the game from 0, the score."""
    about = {}
    for value in root.properties.get("MI", []):
        name, _, number = value.partition(":")
        if name.strip() in ("length", "game", "ws", "bs"):
            if not re.fullmatch(r"\s*[0-9]{1,9}\s*", number):
                raise LineError(root.line, f"MI[{value}] is not understood; expected a number, as in MI[length:7]")
            about[name.strip()] = int(number)
    return about


def _headers(root: _Node, length: int) -> dict[str, tuple[str, int]]:
    """Return what the first node of a match says, by the names of the headers of a `.mat` file."""
    said = {name: root.first(code) for code, name in _HEADERS.items() if root.first(code)}
    said |= {"Player 1": root.first("PW"), "Player 2": root.first("PB")}
    rules = [rule.strip() for rule in root.first("RU").split(":") if rule.strip()]
    known = [rule.casefold() for rule in rules]
    if rules or root.first("AP").startswith(_GNUBG):  # the program says all of its rules
        if length == 0:
            said["Jacoby"] = _on_off("jacoby" in known)
        elif length > 1:
            said["Crawford"] = _on_off("crawford" in known)
    if "nocube" in known:
        said["CubeLimit"] = "1"
    for rule in rules:
        if "gammon" in rule.casefold():
            said["Variation"] = rule
    return {name: (value, root.line) for name, value in said.items()}


def _on_off(value: bool) -> str:
    return "On" if value else "Off"


def _ties(root: _Node, length: int) -> int:
    """Return how many ties doubled the cube before the game, which is what a cube set in its first node says."""
    text = root.first("CV") or "1"
    cubes = [str(1 << count) for count in range(CUBE_LIMIT.bit_length())]
    if text not in cubes or (length and text != "1"):
        raise LineError(root.line, f"CV[{text}] is no cube to begin with; expected 1, or a power of two for money")
    return cubes.index(text)


def _cells(nodes: list[_Node]) -> Iterator[Cell]:
    """Yield what the players do; a roll that stands alone counts only if nothing follows it."""
    rolled: Cell | None = None
    seat = 1
    for node in nodes:
        later = _SET_UP_LATER if node is not nodes[0] else ()
        for name in (*_SET_UP, *later):
            if name in node.properties:
                raise LineError(node.line, f"{name} sets up a position; expected a game from its start to its end")
        seat = _SEATS.get(node.first("PL"), 1 - seat)
        if "DI" in node.properties:
            roll = _ROLL.fullmatch(node.first("DI"))
            if not roll:
                raise LineError(node.line, f"DI[{node.first('DI')[:20]}] is no roll; expected one such as DI[31]")
            rolled = Cell(node.line, seat, "play", _dice(roll), UNKNOWN_PLAY)
        for name, values in node.properties.items():
            if name in _SEATS:
                seat, rolled = _SEATS[name], None
                yield _cell(node.line, name, values[0].strip() if values else "")
    if rolled:
        yield rolled


def _cell(line: int, name: str, text: str) -> Cell:
    seat = _SEATS[name]
    if text.casefold() in _CUBE_ACTIONS:
        return Cell(line, seat, _CUBE_ACTIONS[text.casefold()])
    play = _PLAY.fullmatch(text)
    if not play:
        what = shortened(f"{name}[{text[:80]}]")
        raise LineError(line, f"{what} is not understood; expected a roll with its play (B[31hefe]) or a cube action")
    letters = play[3]
    steps = [
        f"{_point(start, seat)}/{_point(end, seat)}" for start, end in zip(letters[::2], letters[1::2], strict=True)
    ]
    return Cell(line, seat, "play", _dice(play), " ".join(steps))


def _dice(found: re.Match[str]) -> tuple[int, int]:
    dice = int(found[1]), int(found[2])
    return max(dice), min(dice)


def _point(letter: str, seat: int) -> str:
    """Return a point in the numbers of the player; letters go from White's 1 point."""
    if letter in _ENDS:
        return _ENDS[letter]
    point = 1 + ord(letter) - ord("a")
    return str(point if seat == 0 else 25 - point)


def _win(root: _Node, line: int) -> Win | None:
    text = root.first("RE")
    if text.casefold() in _NO_RESULT:
        return None
    result = _RESULT.fullmatch(text)
    if not result:
        raise LineError(root.line, f"RE[{text[:20]}] is not understood; expected a result such as W+2 or B+1R")
    return Win(line, _SEATS[result[1]], int(result[2]))
