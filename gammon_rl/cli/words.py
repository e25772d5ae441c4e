"""The words of the terminal: what a person may type, what its beginning means, and what was probably meant."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Final

# Each word with what it means. The beginning of a word will do, the first one that fits; "" is an empty line, and so
# what Enter does. A question takes the words of its own before those that always fit.
ROLL: Final = {"": "roll", "roll": "roll"}
BEFORE_ROLL: Final = {"roll": "roll", "double": "double", "resign": "resign"}
CLOSED: Final = {"": "pass", "double": "double", "pass": "pass"}
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
    "dice": "dice",
    "board": "board",
    "pips": "pips",
    "review": "review",
    "auto": "auto",
    "look": "look",
    "save": "save",
    "load": "load",
    "delete": "delete",
    "help": "help",
    "?": "help",
    "quit": "quit",
    "exit": "quit",
}
WITH_MORE: Final = {"list", "resign", "undo", "redo", "dice", "auto", "look", "save", "load", "help"}
"""What may be followed by something more."""

_TOO_SHORT: Final = {
    ("p", "pass"),  # someone who wants the pips must not drop a double
    *(("r", word) for word in ("redo", "review", "resign")),  # r rolls, or nothing
    *(("d", word) for word in ("dice", "delete")),  # d is for doubles
}
_MARKS: Final = "!.,;:"
_SHORTEST_GUESS: Final = 3  # letters; fewer are near to too many words
_EVERY_PLACE: Final = (BEFORE_ROLL, CLOSED, DOUBLED, BEAVER, RESIGNED, PLAYING, ALWAYS)
EVERYWHERE: Final = {word: means for words in _EVERY_PLACE for word, means in words.items() if word}
"""All words, with what they mean in some place."""
_HERE: Final = {
    "roll": "for the start of your turn, before the roll",
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
  Your turn  roll (or Enter), double, resign     A double  take, drop, beaver
  A play     8/5 6/5, or a part of it; list numbers them, 3 makes the third
  Ask        hint, eval, review, board, pips     Back      undo, redo, dice
  Keep       save FILE, load FILE, delete, quit  Settings  auto, look
  More       help plays, cube, advice, back, files or settings"""
"""What `help` says; with the board it fits a terminal of 24 lines."""

TOPICS: Final = {
    "plays": """\
  8/5 6/5   24/14   bar/22 13/7   6/4(2)   6/off, in any order
  or a part of it: 8/5 moves one checker, or settles the play.
  list shows all plays, list 13 those from the 13 point; a number
  makes the play that list, or hint, gives it.
  You move from 24 down to 1; a play is in its player's numbers,
  so your 24 point is the other's 1.""",
    "cube": """\
  Before the roll: double. The answer: take, drop, or beaver where
  that is allowed. Enter and p never answer a double.
  On the bar against a closed board Enter passes.
  resign [single|gammon|backgammon] offers the other what it costs;
  the answer to it: accept, decline.""",
    "advice": """\
  hint    the best plays: equity, what it loses, wins and gammons
          in per cent, how deep it looked; or the cube decision
  eval    the chances, and the position as other programs write it
  review  your errors so far, by Normal's opinion""",
    "back": """\
  undo [n], redo [n]: against the computer; the dice stay the same
  dice 52: the last roll was this one; where you type the dice in,
  and as long as nothing was decided after it""",
    "files": """\
  The game is kept after every action; play --continue goes on, and
  play --games lists the games that are kept.
  save FILE, load FILE: .json, or .mat for other programs
  save alone says where the game is kept; quit leaves
  delete throws the game away, when you have said yes""",
    "settings": """\
  auto [forced|roll|bearoff] [on|off]: what the table does for you
  auto pause, auto resume: none of it for the rest of this game
  look NAME: the colours of the board
  Words may be shortened: d, t, h, u, q.""",
}
"""What `help` says about a topic."""

_TOPIC_OF: Final = {
    **dict.fromkeys(("list", "moves", "steps"), "plays"),
    **dict.fromkeys(("roll", "double", "take", "drop", "pass", "beaver", "resign", "accept", "decline"), "cube"),
    **dict.fromkeys(("hint", "eval", "review", "board", "pips"), "advice"),
    **dict.fromkeys(("undo", "redo", "dice"), "back"),
    **dict.fromkeys(("save", "load", "delete", "quit", "exit"), "files"),
    **dict.fromkeys(("auto", "look"), "settings"),
}


def helped(topic: str) -> str:
    """Return the help on a topic, or on a word that belongs to one; without any the survey of all.

    Examples
    --------
    >>> helped("undo") == helped("back"), helped("") == HELP
    (True, True)
    """
    if not topic:
        return HELP
    found = meaning(topic, {name: name for name in TOPICS}, _TOPIC_OF)
    return TOPICS.get(found) or f"There is no help on {topic!r}: {', '.join(TOPICS)}."


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


def is_a_word(first: str) -> bool:
    """Return whether a word, or its beginning, means something somewhere, and is no beginning of a play."""
    return first.casefold() not in ("b", "o") and bool(meaning(_bare(first), EVERYWHERE))


def _bare(word: str) -> str:
    """Return a word without the marks around it: ``:q!`` is ``q``."""
    return word.strip(_MARKS) or word


def complaint(
    answer: str, places: Iterable[Mapping[str, str]], free: str = "", unfit: Collection[str] = frozenset()
) -> str:
    """Return what is wrong with an answer, what was probably meant, and what was expected.

    Parameters
    ----------
    answer : str
        What was typed.
    places : iterable of mappings
        The words that fit, those of the question first.
    free : str
        What else is welcome, in words.
    unfit : collection of str
        What would be refused now, by what the words mean; it is not named.

    Examples
    --------
    >>> complaint("x", (BEFORE_ROLL, ALWAYS), unfit={"double"})
    "'x' is not understood. Expected roll or resign; ? explains."
    >>> complaint("q!", (BEFORE_ROLL, ALWAYS)), complaint("8/5 6/5", (BEFORE_ROLL, ALWAYS))
    ("'q!' is not understood; did you mean quit?", "Roll first: '8/5 6/5' is a play.")
    """
    own, *others = places
    fit = {word: means for word, means in own.items() if means not in unfit}
    expected = [*([free] if free else []), *(word or "Enter" for word in fit)]
    wanted = " or ".join(part for part in (", ".join(expected[:-1]), expected[-1]) if part)
    first = answer.partition(" ")[0]
    known = [word for words in (fit, *others) for word in words if word]
    if not answer:
        return f"Expected {wanted}; ? explains."
    if len(answer) > 60:
        return f"That is too long. Expected {wanted}; ? explains."
    if "/" in first and "roll" in fit:
        return f"Roll first: {answer!r} is a play."
    bare = meaning(_bare(first), own, *others)
    if bare and not meaning(first, own, *others):
        return f"{answer!r} is not understood; did you mean {bare}?"
    meant = meaning(first, EVERYWHERE)
    if meant and not meaning(first, own, *others):
        return f"{answer!r} does not fit here: it is {_HERE.get(meant, 'for another time')}. Expected {wanted}."
    if meant:
        return f"{answer!r} is not understood: {meant} stands alone. Expected {wanted}; ? explains."
    near = get_close_matches(first.casefold(), known, 1, 0.6) if len(first) >= _SHORTEST_GUESS else []
    if near:
        return f"{answer!r} is not understood; did you mean {near[0]}?"
    return f"{answer!r} is not understood. Expected {wanted}; ? explains."
