"""The card of an ONNX file: how a position becomes its input, what comes out, and examples to check a program with."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from gammon_rl import __version__
from gammon_rl.eval.encoder import ENCODERS
from gammon_rl.eval.model import Model, find_model, is_model
from gammon_rl.eval.onnx_graph import CHANCES, OPSET
from gammon_rl.rules.board import checkers_off, turn
from gammon_rl.rules.notation import play_of
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.variants import Boards, Variant

_TEXT: Final = """\
# {title}

An evaluator for {variant} backgammon, {checkers} checkers a side, as an ONNX file: from boards before the roll to the
chances of the player on roll. The graph does everything from the checker counts on. When it was written it was compared
with the NumPy evaluator of gammon_rl {version} on 10,000 boards, and no number differed by more than 1e-5.
Licence: {licence}.

## In: `boards`, int8 (N, 26)

A row is a board; N is any number of them. A board is seen by the *player on roll*, the one who rolls next. Points are
in this player's own numbers: 1 to 6 are the home board, 24 is furthest from home.

| index | number |
|---|---|
| 1 to 24 | checkers on that point: the player on roll's are positive, the opponent's negative |
| 25 | checkers of the player on roll on the bar, 0 or positive |
| 0 | checkers of the opponent on the bar, 0 or negative |

Checkers borne off are not written: they are what is missing from {checkers} a side. The opponent's own point p is index
25 - p. There are no dice, no cube and no score in it. Boards have to be possible ones; the graph does not check that.

**Turning.** The same board as the other player sees it is `turned[i] = -board[25 - i]`, for all 26 places. After a play
the *other* player is on roll, so a board after a play is turned before it is handed over.

**From an XGID.** The 26 characters before the first colon are the 26 numbers, index 0 first: `-` is 0, `A` to `O` are 1
to 15, `a` to `o` are -1 to -15. If the fourth field, the one after the third colon, is -1, turn the board.

## Out: `probs`, float32 (N, 5), and `equity`, float32 (N,)

Both are for the player on roll, whose view the board is.

| column of `probs` | chance |
|---|---|
{chances}

They are nested: a backgammon counts as a gammon too, and a gammon as a win. Losing at all is `1 - probs[0]`. `equity`
is what is won on average, in points, without a cube: `2 probs[0] - 1 + probs[1] + probs[2] - probs[3] - probs[4]`.

For the player who has just made a play the equity is `-equity`, and the five chances are
`1 - probs[0], probs[3], probs[4], probs[1], probs[2]`.

## To choose a play

Make every legal play of the roll (the net knows no rules), turn the boards after them, and hand them over in one batch.
The best play is the one whose `equity` is the *lowest*: it is the opponent's.

**Finished games** may be in the batch, and need no code of yours. The net has not learned them, but the graph knows:
where a side has no checker left, the chances are the result itself. It is a gammon if the loser has borne none off, and
a backgammon if besides one of the loser's checkers is on the bar or in the winner's home board. Nor does a side that
has borne a checker off get any chance to lose a gammon. A board without any checker means nothing.

What the graph does not know: the cube, the score of a match, and when to resign.

## Examples

Numbers are rounded to four places.
{examples}
## The file

| | |
|---|---|
| made from | {source} |
| net | {layers}, fully connected, rectified; the encoder, {encoder}, is in the graph |
| games learned from | {games} |
| opset | {opset} |

The file's metadata properties say this too: `variant`, `checkers`, `encoder`, `outputs`, `perspective`, `licence`,
`info` (how it was trained, as JSON) and `model_card`, which is this text.
"""


def onnx_card(model: Model, title: str, about: str = "") -> str:
    """Return the card of a model's ONNX file, as Markdown.

    Parameters
    ----------
    model : Model
        The evaluator.
    title : str
        The file's name.
    about : str
        The model's own card, to be added at the end.
    """
    games = model.info.get("games")
    card = _TEXT.format(
        title=title,
        variant=model.rules.name,
        checkers=model.rules.checkers,
        version=__version__,
        licence=licence(model),
        chances="\n".join(f"| {column} | {name} |" for column, name in enumerate(CHANCES)),
        examples="".join(_examples(model)),
        source=Path(model.name).name,
        layers=" - ".join(map(str, layer_sizes(model))),
        encoder=encoder_of(model),
        games=f"{games:,}" if isinstance(games, int) else "not said",
        opset=OPSET,
    )
    return f"{card}\n---\n\n{about.strip()}\n" if about.strip() else card


def card_beside(source: str) -> str:
    """Return the card that lies beside a model, given by file or released name; empty if there is none."""
    if not is_model(source):
        return ""
    card = find_model(source).with_suffix(".md")
    return card.read_text(encoding="utf-8", errors="replace") if card.is_file() else ""


def layer_sizes(model: Model) -> list[int]:
    """Return how many numbers each layer takes, and what the last one gives."""
    return [model.layers[0][0].shape[1], *(len(bias) for _, bias in model.layers)]


def encoder_of(model: Model) -> str:
    """Return the name and version of a model's encoder."""
    said = ENCODERS[layer_sizes(model)[0]]
    return f"{said['name']} {said['version']}"


def licence(model: Model) -> str:
    """Return the licence a model says it has."""
    return str(model.info.get("licence", "not said"))


def _examples(model: Model) -> Iterator[str]:
    rules = model.rules
    start = rules.start()
    _, afterstates = legal_plays(start[None], (3, 1), rules)
    best = afterstates[model.equity(afterstates).argmin()]
    play = play_of(start, (3, 1), best, rules).text
    yield f"""
**1. A play.** The start board, for the player who is about to roll:

```
{_answer(model, start)}
```

With 3-1 the best play is {play}. The board after it, as the player who made it sees it, and turned to be handed over:

```
after the play  {_written(turn(best))}
{_answer(model, best)}
```

So {play} is worth {-model.equity(best):+.4f} points to the player who made it.
"""
    bar = _on_the_bar(rules)
    off = checkers_off(bar, rules)[1]
    yield f"""
**2. Bar and off.** The player on roll has a checker on the bar (index 25 is 1), the opponent has {off} off (the
negative numbers add up to {off - rules.checkers}). A gammon can no longer be won.

```
{_answer(model, bar)}
```
"""
    yield f"""
**3. A finished game.** The opponent has borne off the last checker; the player on roll has borne none off and has one
on the bar. A backgammon is lost.

```
{_answer(model, np.maximum(bar, 0))}
```
"""


def _on_the_bar(rules: Variant) -> Boards:
    """Return a board with a checker of the player on roll on the bar, and a third of the opponent's off."""
    mine, theirs = rules.checkers - 1, rules.checkers - rules.checkers // 3
    board = np.zeros(26, dtype=np.int8)
    board[25], board[6], board[4] = 1, mine - mine // 2, mine // 2
    board[25 - 5], board[25 - 2] = -(theirs - theirs // 2), -(theirs // 2)
    return board


def _answer(model: Model, board: Boards) -> str:
    probs = ", ".join(f"{chance:.4f}" for chance in model.probs(board))
    return f"boards          {_written(board)}\nprobs           [{probs}]\nequity          {model.equity(board):.4f}"


def _written(board: Boards) -> str:
    return json.dumps(board.tolist())
