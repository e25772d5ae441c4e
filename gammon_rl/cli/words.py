"""The words of the terminal: what a person may type, what its beginning means, and what was probably meant."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

# Each word with what it means. The beginning of a word will do, the first one that fits; "" is an empty line, and so
# what Enter does. A question takes the words of its own before those that always fit.
ROLL: Final = {"": "roll", "roll": "roll"}
BEFORE_ROLL: Final = {"roll": "roll", "double": "double", "resign": "resign"}
CLOSED: Final = {"double": "double", "pass": "pass"}
DOUBLED: Final = {"take": "take", "drop": "drop", "pass": "drop"}
BEAVER: Final = {"beaver": "beaver"}
RESIGNED: Final = {"accept": "accept", "decline": "decline"}
PLAYING: Final = {"list": "list"}
ENTER_PLAYS: Final = {"": "end", "end": "end"}
GAME_OVER: Final = {"": "next", "yes": "next", "no": "stop", "next": "next", "stop": "stop"}
YES_OR_NO: Final = {"yes": "yes", "no": "no"}
LEVELS: Final = {"single": "1", "gammon": "2", "backgammon": "3", "1": "1", "2": "2", "3": "3", "no": "", "": ""}
ALWAYS: Final = {
    "hint": "hint",
    "eval": "eval",
    "undo": "undo",
    "redo": "redo",
    "board": "board",
    "pips": "pips",
    "review": "review",
    "auto": "auto",
    "look": "look",
    "save": "save",
    "load": "load",
    "help": "help",
    "?": "help",
    "quit": "quit",
    "exit": "quit",
}
WITH_MORE: Final = {"list", "resign", "undo", "redo", "auto", "look", "save", "load", "help"}
"""What may be followed by something more."""

_TOO_SHORT: Final = {("p", "pass")}  # someone who wants the pips must not drop a double
_EVERY_PLACE: Final = (BEFORE_ROLL, CLOSED, DOUBLED, BEAVER, RESIGNED, PLAYING, ALWAYS)
_ALL: Final = {word: means for words in _EVERY_PLACE for word, means in words.items()}
_HERE: Final = {
    "roll": "before the roll",
    "double": "for the start of your turn, before the roll",
    "resign": "for the start of your turn, before the roll",
    "list": "for choosing a play",
    "take": "the answer to a double",
    "drop": "the answer to a double",
    "beaver": "the answer to a double, where beavers are allowed",
    "accept": "the answer to a resignation",
    "decline": "the answer to a resignation",
    "pass": "for a closed board, or the answer to a double",
}

HELP: Final = """\
  Before the roll  roll (or Enter), double, resign [single|gammon|backgammon]
  A double         take, drop, beaver          A resignation  accept, decline
  A play           8/5 6/5   24/14   bar/22 13/7   6/4(2)   6/off
                   or a part of it: 8/5 moves one checker, or settles the play
                   or its number after list, list 13, or hint
  Advice           hint (plays, cube), eval (chances), review (your errors)
  Going back       undo [n], redo [n]: against the computer, the dice stay
  Keeping          saved after every action; save FILE, load FILE (.json, .mat)
  Settings         auto [forced|roll|bearoff] [on|off], auto pause, look NAME
  Besides          board, pips, help, quit (play --continue goes on)
  Words may be shortened: r, d, t, h, u, q. You move from 24 down to 1.
  Plays are in the numbers of who makes them: your 24 point is the other's 1."""


def meaning(word: str, *places: Mapping[str, str]) -> str:
    """Return what a word or its beginning means, empty if nothing; a whole word is looked for before a beginning.

    Examples
    --------
    >>> meaning("D", BEFORE_ROLL, ALWAYS), meaning("d", DOUBLED), meaning("re", BEFORE_ROLL, ALWAYS)
    ('double', 'drop', 'resign')
    """
    word = word.casefold()
    for words in places:
        if word in words:
            return words[word]
    if word:
        for words in places:
            for known, means in words.items():
                if known.startswith(word) and (word, known) not in _TOO_SHORT:
                    return means
    return ""


def complaint(answer: str, places: Iterable[Mapping[str, str]], free: str = "") -> str:
    """Return what is wrong with an answer, what was probably meant, and what was expected.

    Parameters
    ----------
    answer : str
        What was typed.
    places : iterable of mappings
        The words that fit, those of the question first.
    free : str
        What else is welcome, in words.
    """
    own, *others = places
    expected = [*([free] if free else []), *(word or "Enter" for word in dict.fromkeys(own))]
    wanted = " or ".join(part for part in (", ".join(expected[:-1]), expected[-1]) if part)
    first = answer.partition(" ")[0]
    known = [word for words in (own, *others) for word in words if word]
    if not answer:
        return f"Expected {wanted}; ? explains."
    if len(answer) > 60:
        return f"That is too long. Expected {wanted}; ? explains."
    meant = meaning(first, _ALL)
    if meant and not meaning(first, own, *others):
        return f"{answer!r} does not fit here: it is {_HERE.get(meant, 'for another time')}. Expected {wanted}."
    if meant:
        return f"{answer!r} is not understood: {meant} stands alone. Expected {wanted}; ? explains."
    near = get_close_matches(first.casefold(), known, 1, 0.6)
    if near:
        return f"{answer!r} is not understood; did you mean {near[0]}?"
    return f"{answer!r} is not understood. Expected {wanted}; ? explains."
