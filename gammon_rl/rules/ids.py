"""Position texts of other programs: GNU Backgammon's position ID and match ID, and eXtreme Gammon's XGID.

All three name a fixed player or the player on roll; here everything is turned to the player who has to act. That is
the player on roll, or, while a double is on offer, the player who must answer it. This module reads and writes the
texts and refuses what is not one; whether a score or a cube can occur is asked by `Position`.

Sources: the GNU Backgammon manual, "A technical description of the Position ID" and "... of the Match ID" (the
order of the two players in a position ID, and the bit for the Jacoby rule, as the program itself writes them), and
the description of the XGID in eXtreme Gammon's help.
"""

import base64
import re
from typing import Final, Literal, NamedTuple

import numpy as np

from gammon_rl.errors import InvalidNotationError, InvalidPositionError
from gammon_rl.rules.board import MY_BAR, checked_board, turn
from gammon_rl.rules.variants import STANDARD, Boards, Variant

CubeOwner = Literal["centre", "mine", "theirs"]

LARGEST_CUBE: Final = 1 << 15
"""The highest cube that can be written: a match ID has four bits for it. (Our own tables stop at 64.)"""


class Situation(NamedTuple):
    """All that a position has besides the checkers, as the player who has to act sees it.

    Attributes
    ----------
    dice : (int, int) or None
        The roll to be played; None before it.
    cube_value, cube_owner : int, str
        While a double is on offer, those before it.
    match_length, score : int, (int, int)
        0 is money play, which has no score (points won so far are dropped); mine first.
    crawford, jacoby, beavers, doubled : bool
        Whether this is the Crawford game, the rules of money play, and whether a double has to be answered.
    """

    dice: tuple[int, int] | None = None
    cube_value: int = 1
    cube_owner: CubeOwner = "centre"
    match_length: int = 0
    score: tuple[int, int] = (0, 0)
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False
    doubled: bool = False


# GNU Backgammon ---------------------------------------------------------------------------------------------


def position_id(board: Boards) -> str:
    """Return GNU Backgammon's position ID, 14 characters, of a board as the player on roll sees it.

    Examples
    --------
    >>> position_id(STANDARD.start())
    '4HPwATDgc/ABMA'
    """
    bits, at = 0, 0
    for side in (turn(board), board):  # the player who is not on roll comes first
        for count in np.maximum(side[1:], 0).tolist():
            bits |= ((1 << count) - 1) << at
            at += count + 1
    if at > 80:
        raise InvalidPositionError("a position ID has room for 30 checkers, and this board has more")
    return _base64(bits, 10)


def board_from_position_id(text: str, rules: Variant = STANDARD) -> Boards:
    """Return the board of a position ID, int8 (26,), as the player on roll sees it.

    Raises
    ------
    InvalidNotationError
        If the text is not a position ID.
    InvalidPositionError
        If the checkers it says are impossible.

    Examples
    --------
    >>> bool((board_from_position_id("4HPwATDgc/ABMA") == STANDARD.start()).all())
    True
    """
    bits = _from_base64(text, 10, "position ID")
    sides = np.zeros((2, 26), dtype=np.int64)
    for side in sides:
        for point in range(1, MY_BAR + 1):
            while bits & 1:
                side[point] += 1
                bits >>= 1
            bits >>= 1
    if bits:
        raise InvalidNotationError(f"position ID {text!r} has bits set after the last point")
    theirs, mine = sides[0, ::-1], sides[1]
    both = np.flatnonzero((mine[1:25] > 0) & (theirs[1:25] > 0)) + 1
    if both.size:
        raise InvalidPositionError(f"position ID {text!r} has checkers of both players on the {both[0]} point")
    return checked_board(mine - theirs, rules)


_MATCH_ID: Final = (
    ("cube", 4), ("owner", 2), ("roller", 1), ("crawford", 1), ("state", 3), ("actor", 1), ("doubled", 1),
    ("resigned", 2), ("die1", 3), ("die2", 3), ("length", 15), ("score0", 15), ("score1", 15), ("no_jacoby", 1),
)  # fmt: skip
"""The fields of a match ID and their bits, the first in the lowest bit."""

_PLAYING: Final = 1
_STATES: Final = ("has not begun", "is being played", "is over", "was resigned", "ended with a drop")


def match_id(situation: Situation) -> str:
    """Return GNU Backgammon's match ID, 12 characters; the player who has to act is its player 1.

    It cannot say whether beavers are allowed, and says nothing of the Jacoby rule in a match.

    Examples
    --------
    >>> match_id(Situation())
    'cAkAAAAAAAAE'
    >>> match_id(Situation(dice=(5, 1), match_length=5))
    'cImmAAAAAAAE'
    """
    mine, theirs = situation.score
    die1, die2 = situation.dice or (0, 0)
    values = {
        "cube": _log2(situation.cube_value),
        "owner": {"theirs": 0, "mine": 1, "centre": 3}[situation.cube_owner],
        "roller": int(not situation.doubled),
        "crawford": int(situation.crawford),
        "state": _PLAYING,
        "actor": 1,
        "doubled": int(situation.doubled),
        "resigned": 0,
        "die1": die1,
        "die2": die2,
        "length": situation.match_length,
        "score0": theirs,
        "score1": mine,
        "no_jacoby": int(situation.match_length > 0 or not situation.jacoby),
    }
    bits, at = 0, 0
    for name, width in _MATCH_ID:
        bits |= values[name] << at
        at += width
    return _base64(bits, 9)


def situation_from_match_id(text: str) -> Situation:
    """Return what a match ID says, as the player who has to act sees it.

    IDs from before there was a bit for the Jacoby rule read as if it were on in money play.

    Raises
    ------
    InvalidNotationError
        If the text is not a match ID.
    InvalidPositionError
        If no decision of a game is pending, or a resignation or a beaver has to be answered.

    Examples
    --------
    >>> situation_from_match_id("QYkqASAAIAAE")
    Situation(dice=(5, 2), cube_value=2, cube_owner='theirs', match_length=9, score=(4, 2), crawford=False, \
jacoby=False, beavers=False, doubled=False)
    """
    bits = _from_base64(text, 9, "match ID")
    values = {}
    for name, width in _MATCH_ID:
        values[name] = bits & ((1 << width) - 1)
        bits >>= width
    if bits:
        raise InvalidNotationError(f"match ID {text!r} has bits set after the last field")
    actor, roller, doubled = values["actor"], values["roller"], bool(values["doubled"])
    die1, die2 = values["die1"], values["die2"]
    fault = None
    if values["state"] != _PLAYING:
        state = values["state"]
        fault = f"the game {_STATES[state]}" if state < len(_STATES) else f"there is no game state {state}"
    elif values["resigned"]:
        fault = "a resignation has to be answered, which a position cannot say"
    elif doubled and actor == roller:
        fault = "a beaver has to be answered; here the player who doubled simply rolls after one"
    elif not doubled and actor != roller:
        fault = "the player on roll and the player to act differ, and no double is on offer"
    elif values["owner"] == 2:
        fault = "there is no cube owner 2"
    elif max(die1, die2) > 6 or (die1 == 0) != (die2 == 0):
        fault = f"no roll is {die1}-{die2}"
    if fault:
        raise InvalidPositionError(f"match ID {text!r}: {fault}")
    length = values["length"]
    scores = (values[f"score{actor}"], values[f"score{1 - actor}"])
    return Situation(
        dice=(die1, die2) if die1 else None,
        cube_value=1 << values["cube"],
        cube_owner="centre" if values["owner"] == 3 else "mine" if values["owner"] == actor else "theirs",
        match_length=length,
        score=scores if length else (0, 0),
        crawford=bool(values["crawford"]),
        jacoby=length == 0 and not values["no_jacoby"],
        doubled=doubled,
    )


def from_gnubg_id(text: str, rules: Variant = STANDARD) -> tuple[Boards, Situation]:
    """Return the board and situation of a position ID and a match ID joined by a colon, as the program writes them.

    Both are as the player who has to act sees them; the position ID itself is in the view of the player on roll,
    even while a double is on offer.

    Raises
    ------
    InvalidNotationError
        If the text is not two such IDs.
    InvalidPositionError
        If what they say is impossible.
    """
    first, colon, second = text.partition(":")
    if not colon:
        raise InvalidNotationError(f"a position ID, a colon and a match ID were expected, got {text!r}")
    board, situation = board_from_position_id(first, rules), situation_from_match_id(second)
    return turn(board) if situation.doubled else board, situation


def gnubg_id(board: Boards, situation: Situation) -> str:
    """Return the position ID and the match ID joined by a colon."""
    return f"{position_id(turn(board) if situation.doubled else board)}:{match_id(situation)}"


def _base64(bits: int, size: int) -> str:
    return base64.b64encode(bits.to_bytes(size, "little")).decode().rstrip("=")


def _from_base64(text: str, size: int, what: str) -> int:
    """Return the bits of a key, the first bit lowest, or say why the text does not hold one."""
    length = len(_base64(0, size))
    if len(text) != length:
        raise InvalidNotationError(f"a {what} has {length} characters, got {len(text)} in {text!r}")
    if not re.fullmatch("[A-Za-z0-9+/]*", text):
        raise InvalidNotationError(f"a {what} is made of A-Z, a-z, 0-9, + and /, got {text!r}")
    bits = int.from_bytes(base64.b64decode(text + "=" * (-length % 4)), "little")
    if _base64(bits, size) != text:  # the last character has bits to spare
        raise InvalidNotationError(f"{what} {text!r} has bits set after its last byte")
    return bits


def _log2(cube_value: int) -> int:
    exponent = cube_value.bit_length() - 1
    if not 1 <= cube_value <= LARGEST_CUBE or cube_value != 1 << exponent:
        raise InvalidPositionError(f"a cube is a power of two from 1 to {LARGEST_CUBE}, got {cube_value}")
    return exponent


# eXtreme Gammon ---------------------------------------------------------------------------------------------

_XGID_FIELDS: Final = (
    "position", "cube", "cube owner", "turn", "dice", "score", "opponent's score", "Crawford or Jacoby and beavers",
    "match length", "largest cube",
)  # fmt: skip
_USUAL_LARGEST: Final = 10  # as a power of two: what eXtreme Gammon writes unless told otherwise
_OWNERS: Final[dict[str, CubeOwner]] = {"0": "centre", "1": "mine", "-1": "theirs"}
_PLACES: Final = re.compile("[-A-Za-z]{26}")
_CUBE: Final = re.compile(r"\d{1,2}", re.ASCII)
_OWNER: Final = re.compile("0|1|-1")
_PLAYER: Final = re.compile("1|-1")
_DICE: Final = re.compile("00|[1-6]{2}|[DBR]")
_NUMBER: Final = re.compile(r"\d{1,5}", re.ASCII)
_MONEY_FLAGS, _MATCH_FLAGS = re.compile("[0-3]"), re.compile("[01]")


def xgid(board: Boards, situation: Situation) -> str:
    """Return the XGID, with its prefix; the player who has to act sits at the bottom.

    It cannot say the Jacoby rule or beavers in a match, where they have no effect. The largest cube allowed is not
    part of a position; the field is written as eXtreme Gammon usually does, 10 for 1,024.

    Examples
    --------
    >>> xgid(STANDARD.start(), Situation(dice=(3, 1), match_length=7))
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10'
    """
    cube = _log2(situation.cube_value)
    owner = next(number for number, owner in _OWNERS.items() if owner == situation.cube_owner)
    player = -1 if situation.doubled else 1  # a double belongs to the turn of the player who offers it
    dice = "D" if situation.doubled else "{}{}".format(*situation.dice) if situation.dice else "00"
    flags = situation.jacoby + 2 * situation.beavers if situation.match_length == 0 else situation.crawford
    fields = (
        "".join(_letter(count) for count in board.tolist()), cube, owner, player, dice, *situation.score,
        int(flags), situation.match_length, max(_USUAL_LARGEST, cube),
    )  # fmt: skip
    return "XGID=" + ":".join(map(str, fields))


def from_xgid(text: str, rules: Variant = STANDARD) -> tuple[Boards, Situation]:
    """Return the board and the situation of an XGID, both as the player who has to act sees them.

    The prefix may be missing. The largest cube allowed must be a number, and is dropped.

    Raises
    ------
    InvalidNotationError
        If the text is not an XGID; the message names the field.
    InvalidPositionError
        If the checkers are impossible, or a beaver has to be answered (dice B or R): here the player who doubled
        simply rolls after a beaver.

    Examples
    --------
    >>> board, situation = from_xgid("XGID=-b----E-C---eE---c-e----B-:1:1:-1:31:2:4:0:7:10")
    >>> situation.cube_value, situation.cube_owner, situation.score
    (2, 'theirs', (4, 2))
    """
    fields = re.sub(r"^XGID=", "", text.strip(), flags=re.IGNORECASE).split(":")
    if len(fields) != len(_XGID_FIELDS):
        raise InvalidNotationError(
            f"an XGID has {len(_XGID_FIELDS)} fields separated by colons, got {len(fields)} in {text!r}"
        )

    def read(at: int, pattern: re.Pattern[str], expected: str) -> str:
        if not pattern.fullmatch(fields[at]):
            raise InvalidNotationError(f"XGID {text!r}: the {_XGID_FIELDS[at]} must be {expected}, got {fields[at]!r}")
        return fields[at]

    letters = read(0, _PLACES, "26 characters, each - or a letter")
    cube = int(read(1, _CUBE, "a power of two"))
    owner = _OWNERS[read(2, _OWNER, "0, 1 or -1")]
    player = int(read(3, _PLAYER, "1 or -1"))
    dice = read(4, _DICE, "two digits from 1 to 6, 00, D, B or R")
    bottom = int(read(5, _NUMBER, "a number"))
    top = int(read(6, _NUMBER, "a number"))
    length = int(read(8, _NUMBER, "a number"))
    flags = int(read(7, _MONEY_FLAGS, "0 to 3") if length == 0 else read(7, _MATCH_FLAGS, "0 or 1 in a match"))
    read(9, _NUMBER, "a number")
    if 1 << cube > LARGEST_CUBE:
        raise InvalidPositionError(f"XGID {text!r}: a cube is at most {LARGEST_CUBE}, got 2 to the power of {cube}")
    if dice in ("B", "R"):
        raise InvalidPositionError(
            f"XGID {text!r}: a beaver has to be answered; here the player who doubled simply rolls after one"
        )
    board = checked_board([_count(letter) for letter in letters], rules)
    doubled = dice == "D"
    bottom_acts = (player == 1) != doubled
    if not bottom_acts:
        board = turn(board)
        owner = other_owner(owner)
    return board, Situation(
        dice=(int(dice[0]), int(dice[1])) if dice not in ("00", "D") else None,
        cube_value=1 << cube,
        cube_owner=owner,
        match_length=length,
        score=(0, 0) if length == 0 else (bottom, top) if bottom_acts else (top, bottom),
        crawford=length > 0 and flags == 1,
        jacoby=length == 0 and flags & 1 == 1,
        beavers=length == 0 and flags & 2 == 2,
        doubled=doubled,
    )


def other_owner(owner: CubeOwner) -> CubeOwner:
    """Return who owns the cube as the other player says it."""
    others: dict[CubeOwner, CubeOwner] = {"centre": "centre", "mine": "theirs", "theirs": "mine"}
    return others[owner]


def _letter(count: int) -> str:
    return "-" if count == 0 else chr(ord("A" if count > 0 else "a") + abs(count) - 1)


def _count(letter: str) -> int:
    if letter == "-":
        return 0
    return ord(letter) - ord("A") + 1 if letter.isupper() else -(ord(letter) - ord("a") + 1)
