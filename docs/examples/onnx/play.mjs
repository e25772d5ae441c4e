// Chooses the best of some backgammon plays with an exported evaluator.
//
//   npm install --ignore-scripts
//   node play.mjs standard.onnx opening.json
//
// The JSON file has {"plays": [{"play": "8/5 6/5", "board": [26 numbers]}, ...]}: for each legal play the board after it,
// as the player who made it sees it. Index p is that player's point p, their checkers are positive and the opponent's
// negative, 25 is their bar and 0 the opponent's. What is printed is the same list, best first, with equity and chances.

import { readFile } from "node:fs/promises";
import ort from "onnxruntime-node";

// After a play the other player is on roll, and the evaluator looks at a board as the player on roll sees it.
const turned = (board) => board.map((_, place) => -board[25 - place]);

async function judged(session, plays) {
  const counts = Int8Array.from(plays.flatMap(({ board }) => turned(board)));
  const answer = await session.run({ boards: new ort.Tensor("int8", counts, [plays.length, 26]) });
  return plays.map(({ play }, row) => {
    const [win, winGammon, winBackgammon, loseGammon, loseBackgammon] = answer.probs.data.slice(5 * row, 5 * row + 5);
    // These are the opponent's; the player who made the play wins what the opponent loses.
    return {
      play,
      equity: -answer.equity.data[row],
      probs: [1 - win, loseGammon, loseBackgammon, winGammon, winBackgammon],
    };
  });
}

const [model, question] = process.argv.slice(2);
if (!question) {
  console.error("usage: node play.mjs MODEL.onnx QUESTION.json");
  process.exit(2);
}
const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 });
const { plays } = JSON.parse(await readFile(question, "utf8"));
const best = (await judged(session, plays)).sort((a, b) => b.equity - a.equity);
console.log(JSON.stringify(best, null, 1));
