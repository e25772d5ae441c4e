"""Ask the JavaScript example about some positions and hold its numbers against the NumPy evaluator's.

The argument is a model, by file or released name. Its ONNX file is made here.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import gammon_rl as gr
from gammon_rl.eval.onnx_file import TOLERANCE, export_onnx
from gammon_rl.rules.notation import play_of

EXAMPLE = Path(__file__).with_name("play.mjs")
POSITIONS = (
    ("opening", "start", (3, 1)),
    ("from the bar", "XGID=-b----D-C---eE---c-e----BA:0:0:1:00:0:0:0:0:10", (6, 4)),
    ("a race", "XGID=-BCBDC---------A--ccbdb-a-:0:0:1:00:0:0:0:0:10", (5, 3)),
    ("to win a backgammon", "XGID=aAA-------------------gg--:0:0:1:00:0:0:0:0:10", (2, 1)),
)


def main() -> None:
    """Print for each position the play that the example found; fail where a number differs."""
    model = gr.load_model(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        onnx = export_onnx(model, Path(folder) / "model.onnx").path
        for name, text, dice in POSITIONS:
            board = gr.Position.parse(text).board
            _, afterstates = gr.legal_plays(board[None], dice)
            plays = [play_of(board, dice, afterstate).text for afterstate in afterstates]
            boards = gr.turn(afterstates).tolist()  # as the player who made the play sees them
            question = Path(folder) / "question.json"
            question.write_text(
                json.dumps(
                    {"plays": [{"play": play, "board": board} for play, board in zip(plays, boards, strict=True)]}
                )
            )
            answer = json.loads(subprocess.check_output(["node", EXAMPLE, onnx, question]))
            difference = compared(answer, plays, model, afterstates)
            best = answer[0]
            print(f"{name}: {best['play']} of {len(plays)}, equity {best['equity']:+.4f}, {difference:.1e} from NumPy")


def compared(answer: list[dict[str, object]], plays: list[str], model: gr.Model, afterstates: np.ndarray) -> float:
    """Return the most by which a number differs; a wrong order or a difference that is too large ends the program."""
    rows = [plays.index(one["play"]) for one in answer]
    opponent = model.probs(afterstates[rows])
    probs = np.column_stack([1 - opponent[:, 0], opponent[:, 3:], opponent[:, 1:3]])
    equity = -model.equity(afterstates[rows])
    difference = max(
        np.abs(probs - [one["probs"] for one in answer]).max(),
        np.abs(equity - [one["equity"] for one in answer]).max(),
    )
    if sorted(rows) != list(range(len(plays))) or (np.diff(equity) > TOLERANCE).any() or not difference <= TOLERANCE:
        sys.exit(f"the example answers otherwise than NumPy, by {difference:.2g}: {answer}")
    return float(difference)


if __name__ == "__main__":
    main()
