"""What is asked and what is answered: each question over HTTP as a function of the library."""

import time
from typing import Any

from gammon_rl.bots.acting import bot_action
from gammon_rl.bots.bot import Bot, Candidate
from gammon_rl.bots.clock import Stop
from gammon_rl.errors import IllegalActionError, InvalidPositionError, TableError
from gammon_rl.rules.notation import Play, play_of
from gammon_rl.rules.plays import legal_plays
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import VARIANTS
from gammon_rl.serve import messages as ms
from gammon_rl.serve.roster import Roster
from gammon_rl.stakes.cube import CubeDecision
from gammon_rl.table import actions as ac, events as ev
from gammon_rl.table.data import Data, built
from gammon_rl.table.dice import DiceSource, HandDice, SeededDice, SystemDice
from gammon_rl.table.options import Seat, TableOptions
from gammon_rl.table.table import Table


class NoDiceError(InvalidPositionError):
    """A roll is missing."""


def position_of(question: ms.PositionQuestion) -> Position:
    """Return the position that a request is about.

    Raises
    ------
    InvalidNotationError, InvalidPositionError
        If it says none, or an impossible one, or the game is over.
    """
    rules, said = VARIANTS[question.variant], question.position
    position = Position.parse(said, rules) if isinstance(said, str) else Position(rules=rules, **dict(said))
    counts = position.board.tolist()
    if not min(counts) < 0 < max(counts):
        raise InvalidPositionError("the game is over: a player has all checkers off")
    return position


def roll_of(question: ms.PlayQuestion | ms.AnalyseQuestion | ms.LegalQuestion, position: Position) -> tuple[int, int]:
    """Return the roll to be played.

    Raises
    ------
    NoDiceError
        If neither the question nor the position has one.
    InvalidPositionError
        If a double is on offer.
    """
    if position.doubled:
        raise InvalidPositionError("a double is on offer: it is answered before anything is played")
    if question.dice:
        first, second = question.dice
        if position.dice not in (None, (first, second), (second, first)):
            raise InvalidPositionError(f"dice are {first} and {second}, but the position has the roll {position.dice}")
        return first, second
    if position.dice is None:
        raise NoDiceError("there is no roll: give dice, or a position that has them")
    return position.dice


def bot_of(question: ms.BotQuestion, roster: Roster) -> Bot:
    """Return the bot that is asked."""
    return roster.bot(question.bot, question.model, VARIANTS[question.variant])


def play(roster: Roster, question: ms.PlayQuestion, time_limit: float, stop: Stop) -> ms.PlayAnswer:
    """Answer with the play a bot makes."""
    bot, position = bot_of(question, roster), position_of(question)
    return play_answer(bot.choose_play(position, roll_of(question, position), time_limit, stop))


def cube(roster: Roster, question: ms.CubeQuestion, time_limit: float, stop: Stop) -> ms.CubeAnswer:
    """Answer with a cube decision."""
    bot = bot_of(question, roster)
    return _cube_answer(bot.cube_action(position_of(question), time_limit, stop), bot.has_opinions)


def analyse(roster: Roster, question: ms.AnalyseQuestion, time_limit: float, stop: Stop) -> ms.AnalyseAnswer:
    """Answer with candidates, or before the roll with chances and the cube."""
    begin = time.monotonic()
    bot, position = bot_of(question, roster), position_of(question)
    if question.dice or position.dice:
        dice = roll_of(question, position)
        candidates = bot.analyse(position, dice, time_limit, stop)
        return ms.AnalyseAnswer(
            plays=len(candidates), candidates=[_candidate_answer(one) for one in candidates[: question.most]]
        )
    probs = bot.probs(position, time_limit / 2, stop)
    decision = bot.cube_action(position, time_limit - (time.monotonic() - begin), stop)
    return ms.AnalyseAnswer(probs=_probs_answer(tuple(probs.tolist())), cube=_cube_answer(decision))


def resign(roster: Roster, question: ms.ResignQuestion, time_limit: float, stop: Stop) -> ms.ResignAnswer:
    """Answer what may be offered, or whether an offer is accepted."""
    bot, position = bot_of(question, roster), position_of(question)
    if question.offered is None:
        return ms.ResignAnswer(offer=bot.resignation(position))
    return ms.ResignAnswer(accept=bot.accepts(position, question.offered, time_limit, stop))


def legal(roster: Roster, question: ms.LegalQuestion, time_limit: float, stop: Stop) -> ms.LegalAnswer:
    """Answer with all legal plays."""
    position = position_of(question)
    board, dice, rules = position.board, roll_of(question, position), position.rules
    afterstates = legal_plays(board[None], dice, rules)[1]
    plays = [play_of(board, dice, after, rules) for after in afterstates] or [_dance(position, dice)]
    return ms.LegalAnswer(plays=[play_answer(one) for one in plays])


def new_table(roster: Roster, question: ms.NewTableQuestion, time_limit: float, stop: Stop) -> ms.TableAnswer:
    """Answer with a new table."""
    options = built(TableOptions, question.options, "options")
    seats = [built(Seat, seat, f"seat {number}") for number, seat in enumerate(question.seats)]
    for seat in seats:
        if seat.bot:
            roster.bot(seat.bot, rules=options.rules)
    if question.seed is not None and question.dice != "seeded":
        raise TableError(f"a seed is for seeded dice, and dice are {question.dice!r}")
    dice: dict[str, DiceSource] = {"system": SystemDice(), "hand": HandDice()}
    source = dice.get(question.dice) or SeededDice(question.seed)
    return _table_answer(Table(options, seats, source, light=question.light), (), question.views)


def apply(roster: Roster, question: ms.ApplyQuestion, time_limit: float, stop: Stop) -> ms.TableAnswer:
    """Answer with a table after an action."""
    begin = time.monotonic()
    table = Table.from_data(question.table)
    action: ac.Action | Play
    if question.action == {"type": "bot"}:
        left = time_limit - (time.monotonic() - begin)
        action = _what_the_bot_does(roster, table, question.model, left, stop)
    else:
        action = ac.action_from_data(question.action)
    notices = table.apply(action, question.seat)
    return _table_answer(table, notices, question.views)


def _what_the_bot_does(
    roster: Roster, table: Table, model: str | None, time_limit: float, stop: Stop
) -> ac.Action | Play:
    seat = table.to_act
    name = "" if seat is None else table.bot_at(seat)
    if not name:
        who = "nobody has" if seat is None else f"the person at seat {seat} has"
        raise IllegalActionError(f"no bot has to act: the table is at: {table.phase}, and {who} to act")
    return bot_action(table, roster.bot(name, model, table.options.rules), time_limit, stop)


def _table_answer(table: Table, notices: tuple[ev.Notice, ...], views: bool) -> ms.TableAnswer:
    return ms.TableAnswer.model_construct(
        table=table.to_data(),
        events=[ev.event_to_data(notice) for notice in notices],
        state=_state(table),
        views=_views(table) if views else None,
    )


def _state(table: Table) -> Data:
    """Return what the host needs to go on, without the record."""
    seat, running = table.to_act, table.running_time
    position = None if seat is None else table.position
    return {
        "phase": table.phase.value,
        "turn": table.turn,
        "to_act": seat,
        "bot": "" if seat is None else table.bot_at(seat),
        "position": position and position.xgid,
        "board": list(table.board(0, steps=False)),
        "dice": table.dice,
        "cube": table.cube if table.options.cube else None,
        "cube_owner": table.cube_owner,
        "resignation": table.resignation,
        "score": table.score,
        "game": table.game,
        "crawford": table.crawford,
        "is_over": table.is_over,
        **table.choices(),
        "undoable": table.undoable,
        "redoable": table.redoable,
        "running_time": running and {"seat": running.seat, "seconds": running.seconds},
    }


def _views(table: Table) -> dict[str, Any]:
    spectator = table.view() if table.options.watching else None
    return {"0": table.view(0), "1": table.view(1), "spectator": spectator}


def _dance(position: Position, dice: tuple[int, int]) -> Play:
    return play_of(position.board, dice, position.turned().board, position.rules)


def play_answer(made: Play) -> ms.PlayAnswer:
    """Return a play as it goes out."""
    return ms.PlayAnswer.model_construct(**_play_fields(made))


def _play_fields(made: Play) -> Data:
    steps = [ms.StepAnswer.model_construct(start=step.start, end=step.end, hit=step.hit) for step in made.steps]
    return {"text": made.text, "steps": steps, "afterstate": made.afterstate.tolist()}


def _candidate_answer(candidate: Candidate) -> ms.CandidateAnswer:
    return ms.CandidateAnswer.model_construct(
        **_play_fields(candidate.play),
        probs=_probs_answer(candidate.probs),
        equity=candidate.equity,
        loss=candidate.loss,
        ply=candidate.ply,
    )


def _probs_answer(probs: tuple[float, ...]) -> ms.ProbsAnswer:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = probs
    return ms.ProbsAnswer(
        win=win,
        win_gammon=win_gammon,
        win_backgammon=win_backgammon,
        lose_gammon=lose_gammon,
        lose_backgammon=lose_backgammon,
    )


def _cube_answer(decision: CubeDecision, opinions: bool = True) -> ms.CubeAnswer:
    fields = {name: getattr(decision, name) for name in ms.CubeAnswer.model_fields}
    if not opinions:
        fields |= dict.fromkeys(("nd", "dt", "dp"))
    return ms.CubeAnswer.model_construct(**{**fields, "mwc": decision.mwc and list(decision.mwc)})
