"""The rules of a table as pure functions: what may follow in a state, and what each event makes of it.

`objection` is the one judge of what may happen next, for actions as well as for a record that is read; `advance` the
one place where anything changes. Whether a play is among the legal ones is asked elsewhere, many at a time.
"""

from enum import StrEnum
from typing import Final, NamedTuple, TypeVar, get_args

import numpy as np

from gammon_rl.errors import TableError
from gammon_rl.rules.board import MY_BAR, OFF, THEIR_BAR
from gammon_rl.rules.ids import CubeOwner
from gammon_rl.rules.position import Position
from gammon_rl.rules.steps import HOME, Step
from gammon_rl.rules.variants import Variant
from gammon_rl.stakes.worth import CUBE_LIMIT
from gammon_rl.table import events as ev
from gammon_rl.table.data import short
from gammon_rl.table.options import Seat, TableOptions

SINGLE: Final = 1
GAMMON: Final = 2
BACKGAMMON: Final = 3

Board = tuple[int, ...]

_T = TypeVar("_T")


class Phase(StrEnum):
    """What the table waits for."""

    OPENING = "opening roll"
    TO_ROLL = "to roll or double"
    CLOSED_BOARD = "closed board: double or pass the turn"
    DOUBLED = "doubled"
    RESIGNING = "resignation offered"
    TO_PLAY = "to play"
    GAME_OVER = "game over"
    MATCH_OVER = "match over"


class State(NamedTuple):
    """Everything that follows from the record, and nothing else.

    Attributes
    ----------
    phase : Phase
        What the table waits for.
    turn : int
        Whose turn it is; while a double or resignation waits for its answer, the seat that offered it. Means nothing
        before the opening roll.
    board : tuple of 26 int
        The checkers as the seat on turn sees them.
    dice : (int, int) or None
        The roll to be played.
    cube : int
        The value of the cube; while a double is on offer, that before it.
    owner : int or None
        Who may turn the cube; None while it is in the centre.
    score : (int, int)
        Seat 0 first.
    game : int
        The number of the game, from 1.
    crawford : bool
        Whether it is the Crawford game.
    crawford_over : bool
        Whether the Crawford game has been, or is being, played.
    ties : int
        Ties in this opening roll that have doubled the cube.
    declined : bool
        Whether a resignation was declined in this turn.
    level : int
        What is offered by a resignation.
    stand_ins : (str, str)
        The level of the bot that finishes the turn or gives the answer of each seat, since its time was up; empty if
        none does.
    handed_back : (bool, bool)
        Whether an early record may go on with the person of a seat that has a stand-in, see `as_written`.
    bots : (str, str)
        The level of the bot that has each seat, its own or a substitute; empty for a person.
    people : (bool, bool)
        Which seats belong to persons, whoever plays for them now.
    due : Event or None
        What follows by itself, before anything else can.
    result : GameEnded or None
        How the last game ended.
    """

    phase: Phase
    turn: int
    board: Board
    bots: tuple[str, str]
    people: tuple[bool, bool]
    dice: tuple[int, int] | None = None
    cube: int = 1
    owner: int | None = None
    score: tuple[int, int] = (0, 0)
    game: int = 0
    crawford: bool = False
    crawford_over: bool = False
    ties: int = 0
    declined: bool = False
    level: int = 0
    stand_ins: tuple[str, str] = ("", "")
    handed_back: tuple[bool, bool] = (False, False)
    due: ev.Event | None = None
    result: ev.GameEnded | None = None


def with_seat(both: tuple[_T, _T], seat: int, new: _T) -> tuple[_T, _T]:
    """Return what both seats have, with something new for one of them."""
    return (new, both[1]) if seat == 0 else (both[0], new)


def checked_seat(seat: object, what: str = "", error: type[TableError] = TableError) -> int:
    """Return a seat from outside, or refuse it; `what` begins the message."""
    if type(seat) is int and seat in (0, 1):
        return seat
    raise error(f"{what}the seats are 0 and 1, got {short(seat)}")


def first_state(options: TableOptions, seats: tuple[Seat, Seat]) -> State:
    """Return the state before the first event; the first game is due to start."""
    first, second = seats
    board = tuple(options.rules.start().tolist())
    state = State(Phase.GAME_OVER, 0, board, (first.bot, second.bot), (first.is_person, second.is_person))
    return state._replace(due=next_game(state, options))


# What may be done ------------------------------------------------------------------------------------------------


def to_act(state: State) -> int | None:
    """Return the seat that has to act; None where either may, or nobody."""
    if state.phase in (Phase.TO_ROLL, Phase.TO_PLAY, Phase.CLOSED_BOARD):
        return state.turn
    if state.phase in (Phase.DOUBLED, Phase.RESIGNING):
        return 1 - state.turn
    return None


def bot_at(state: State, seat: int) -> str:
    """Return the level of the bot that acts for a seat now; empty if its person does."""
    return state.bots[seat] or state.stand_ins[seat]


def position_for(state: State, seat: int, options: TableOptions) -> Position:
    """Return what a seat sees in a state: the position, for a bot or for analysis.

    `Record.states` yields the states of a record, and `Table.position` is this for the player who has to act.

    Parameters
    ----------
    state : State
        A state of a game.
    seat : int
        Who looks; mostly `to_act(state)`. For the other one the position is that of a player who waits.
    options : TableOptions
        The rules of the table.

    Returns
    -------
    Position
        Without the steps of an unfinished turn. It cannot say that there is no cube.

    Raises
    ------
    TableError
        If there is no such seat.

    Examples
    --------
    >>> options = TableOptions(match_length=3)
    >>> state = first_state(options, (Seat("Ann"), Seat("Bob")))
    >>> position_for(state, 1, options).match_length
    3
    """
    checked_seat(seat)
    owner: CubeOwner = "centre" if state.owner is None else "mine" if state.owner == seat else "theirs"
    money = options.money and options.cube
    return Position(
        np.array(state.board if seat == state.turn else turned(state.board), dtype=np.int8),
        dice=state.dice,
        cube_value=state.cube,
        cube_owner=owner,
        match_length=options.match_length,
        score=(0, 0) if options.money else state.score if seat == 0 else state.score[::-1],
        crawford=state.crawford,
        jacoby=money and options.jacoby,
        beavers=money and options.beavers,
        doubled=state.phase is Phase.DOUBLED,
        rules=options.rules,
    )


def decided_by(state: State, seat: int) -> ev.By:
    """Return who decides for a seat: its own player, or a bot in a person's place."""
    return "bot" if state.people[seat] and bot_at(state, seat) else "player"


def jacoby_counts(state: State, options: TableOptions) -> bool:
    """Return whether the Jacoby rule holds gammons back: a money game with the cube still in the centre."""
    return options.money and options.cube and options.jacoby and state.owner is None


def why_no_double(state: State, options: TableOptions) -> str:
    """Return why the player on turn may not double, empty if they may."""
    if not options.cube:
        return "there is no cube"
    if state.owner == 1 - state.turn:
        return "the opponent owns the cube"
    if 2 * state.cube > CUBE_LIMIT:
        return f"the cube goes no higher than {CUBE_LIMIT}"
    if state.crawford:
        return "there is no doubling in the Crawford game"
    if options.match_length and state.score[state.turn] + state.cube >= options.match_length:
        return f"the cube is dead: its value of {state.cube} already wins the match"
    return ""


def why_no_beaver(state: State, options: TableOptions) -> str:
    """Return why the player who is doubled may not beaver, empty if they may."""
    if not (options.beavers and options.money):
        return "beavers are played for money only, where they are allowed"
    if 4 * state.cube > CUBE_LIMIT:
        return f"the cube goes no higher than {CUBE_LIMIT}"
    return ""


def why_no_resignation(state: State, options: TableOptions, level: int) -> str:
    """Return why the player on turn may not resign at that level, empty if they may."""
    if state.declined:
        return "a resignation was declined in this turn"
    if not SINGLE <= level <= BACKGAMMON:
        return f"a resignation is 1, 2 or 3, got {level}"
    if level > SINGLE and jacoby_counts(state, options):
        return "under the Jacoby rule only a single game counts while the cube is in the centre"
    return ""


_PHASES: Final[dict[type, tuple[Phase, ...]]] = {
    ev.OpeningRolled: (Phase.OPENING,),
    ev.Rolled: (Phase.TO_ROLL,),
    ev.Doubled: (Phase.TO_ROLL, Phase.CLOSED_BOARD),
    ev.ResignationOffered: (Phase.TO_ROLL,),
    ev.TurnSkipped: (Phase.CLOSED_BOARD,),
    ev.Taken: (Phase.DOUBLED,),
    ev.Beavered: (Phase.DOUBLED,),
    ev.Dropped: (Phase.DOUBLED,),
    ev.ResignationAccepted: (Phase.RESIGNING,),
    ev.ResignationDeclined: (Phase.RESIGNING,),
    ev.Played: (Phase.TO_PLAY,),
    ev.GameStarted: (Phase.GAME_OVER,),
    ev.MatchEnded: (Phase.GAME_OVER,),
}
_DECISIONS: Final = get_args(ev.Decision)
_BY_THE_TABLE: Final = (ev.Rolled, ev.Played)
"""What the table may decide for a person who lets it."""


def objection(state: State, event: ev.Event, options: TableOptions) -> str:
    """Return why an event cannot come next, empty if it can. Of a play only its dice and steps are looked at."""
    if state.due is not None:
        return "" if event == state.due else f"{state.due} has to come first"
    if isinstance(event, (ev.TimedOut, ev.SeatTakenOver, ev.SeatGivenBack)):
        return _objection_to_host(state, event, options)
    phases = _PHASES.get(type(event), ())
    if state.phase not in phases:
        return f"the table is at: {state.phase}"
    if isinstance(event, _DECISIONS) and (reason := _objection_to_who(state, event, options)):
        return reason
    match event:
        case ev.OpeningRolled(dice=dice, cube=cube):
            expected = _opening_cube(state, dice, options)
            return _bad_dice(dice) or ("" if cube == expected else f"the cube is at {expected}, not at {cube}")
        case ev.Rolled(dice=dice):
            return _bad_dice(dice)
        case ev.Doubled(cube=cube):
            return why_no_double(state, options) or _wrong_cube(cube, 2 * state.cube)
        case ev.Taken(cube=cube):
            return _wrong_cube(cube, 2 * state.cube)
        case ev.Beavered(cube=cube):
            return why_no_beaver(state, options) or _wrong_cube(cube, 4 * state.cube)
        case ev.ResignationOffered(level=level):
            return why_no_resignation(state, options, level)
        case ev.Played(dice=dice, steps=steps):
            if dice != state.dice:
                return f"the roll is {state.dice}, not {dice}"
            return "" if _fit(steps, dice) else f"the steps do not fit the roll {dice}"
        case ev.GameStarted():
            return "" if event == next_game(state, options) else "another game comes next"
        case ev.MatchEnded():
            if not (options.money and options.session):
                return "only a session is ended between two games"
            return "" if event == match_ended(state.score) else "the score is another one"
    return ""


def _objection_to_who(state: State, event: ev.Decision, options: TableOptions) -> str:
    seat = to_act(state)
    if event.seat != seat:
        return f"seat {seat} has to act, not seat {event.seat}"
    if event.by == "table" and isinstance(event, _BY_THE_TABLE) and not bot_at(state, seat):
        may_choose = isinstance(event, ev.Rolled) and not why_no_double(state, options)
        return f"seat {seat} may double, so the table does not roll for it" if may_choose else ""
    by = decided_by(state, seat)
    return "" if event.by == by else f"for seat {seat} it is the {by} who decides, not the {event.by}"


def _objection_to_host(
    state: State, event: ev.TimedOut | ev.SeatTakenOver | ev.SeatGivenBack, options: TableOptions
) -> str:
    seat = event.seat
    if seat not in (0, 1):  # a record may say anything
        return f"the seats are 0 and 1, got {seat}"
    match event:
        case ev.TimedOut():
            if options.seconds is None:
                return "there is no clock at this table"
            if seat != to_act(state) or bot_at(state, seat):
                return f"the time of seat {seat} is not running"
            if bool(event.bot) != (options.on_timeout == "bot"):
                return f"on a time-out the options say {options.on_timeout}"
        case ev.SeatTakenOver():
            if state.phase is Phase.MATCH_OVER:
                return "the match is over"
            if state.bots[seat] or not event.bot:
                return f"seat {seat} has a bot already" if state.bots[seat] else "the bot has no level"
        case ev.SeatGivenBack():
            if not (state.people[seat] and state.bots[seat]):
                return f"no bot has taken seat {seat} over"
    return ""


def _bad_dice(dice: tuple[int, int]) -> str:
    return "" if all(1 <= die <= 6 for die in dice) else f"a die shows 1 to 6, got {dice}"


def _fit(steps: tuple[Step, ...], dice: tuple[int, int]) -> bool:
    """Return whether each step has a die of its own. Which die bears a checker off is for the rules to say."""
    left = [*dice, *dice] if dice[0] == dice[1] else list(dice)
    for step in sorted(steps, key=lambda step: (step.end == OFF, step.start)):
        need = step.start - step.end
        die = min((die for die in left if die == need or (step.end == OFF and die > need)), default=0)
        if not die:
            return False
        left.remove(die)
    return True


def _wrong_cube(cube: int, expected: int) -> str:
    return "" if cube == expected else f"the cube would be at {expected}, not at {cube}"


def _opening_cube(state: State, dice: tuple[int, int], options: TableOptions) -> int:
    """Return the value of the cube after an opening roll: a tie may double it."""
    tie = dice[0] == dice[1]
    doubles = tie and options.money and options.cube and state.ties < options.automatic_doubles
    return 2 * state.cube if doubles and 2 * state.cube <= CUBE_LIMIT else state.cube


# What an event makes of it ---------------------------------------------------------------------------------------


def advance(state: State, event: ev.Event, options: TableOptions) -> State:
    """Return the state after an event that `objection` has nothing against.

    Raises
    ------
    TableError
        If the steps of a play cannot be made at all.
    """
    state = as_written(state, event)
    match event:
        case ev.Rolled(dice=dice):
            return state._replace(phase=Phase.TO_PLAY, dice=dice)
        case ev.Played(seat=seat, steps=steps):
            board = moved(state.board, steps)
            state = state._replace(board=board, dice=None)
            if not any(count > 0 for count in board):
                return _ended(state, "bear-off", seat, _level(board, options.rules), options)
            return _passed(state, options)
        case ev.TurnSkipped():
            return _passed(state, options)
        case ev.Doubled():
            return state._replace(phase=Phase.DOUBLED)
        case ev.Taken(seat=seat, cube=cube) | ev.Beavered(seat=seat, cube=cube):
            state = _answered(state)._replace(cube=cube, owner=seat)
            if is_shut_out(state.board):
                return state._replace(due=ev.TurnSkipped(state.turn))
            return state
        case ev.Dropped():
            return _ended(state, "drop", state.turn, SINGLE, options)
        case ev.ResignationOffered(level=level):
            return state._replace(phase=Phase.RESIGNING, level=level)
        case ev.ResignationDeclined():
            return _answered(state)._replace(declined=True)
        case ev.ResignationAccepted(seat=seat):
            return _ended(state, "resignation", seat, state.level, options)
        case ev.OpeningRolled(dice=dice, cube=cube):
            if dice[0] == dice[1]:
                return state._replace(cube=cube, ties=state.ties + 1)
            first = 0 if dice[0] > dice[1] else 1
            return state._replace(phase=Phase.TO_PLAY, turn=first, dice=(max(dice), min(dice)))
        case ev.TimedOut(seat=seat, bot=bot):
            if bot:
                state = state._replace(stand_ins=with_seat(state.stand_ins, seat, bot))
                return _handed_back(state, 1 - seat)
            return _ended(state, "forfeit", 1 - seat, SINGLE, options)
        case ev.SeatTakenOver(seat=seat, bot=bot):
            return _handed_back(state, seat)._replace(bots=with_seat(state.bots, seat, bot))
        case ev.SeatGivenBack(seat=seat):
            return state._replace(bots=with_seat(state.bots, seat, ""))
        case ev.GameEnded(score=score):
            over = not options.session if options.money else max(score) >= options.match_length
            return state._replace(score=score, result=event, due=match_ended(score) if over else None)
        case ev.MatchEnded():
            return state._replace(phase=Phase.MATCH_OVER, due=None)
        case ev.GameStarted():
            return State(
                Phase.OPENING,
                0,
                tuple(options.rules.start().tolist()),
                state.bots,
                state.people,
                score=state.score,
                game=event.number,
                crawford=event.crawford,
                crawford_over=state.crawford_over or event.crawford,
                result=state.result,
            )


def moved(board: Board, steps: tuple[Step, ...]) -> Board:
    """Return the board after steps, still as the player who makes them sees it.

    The order of the steps makes no difference. Raises TableError where one cannot be made.
    """
    after = list(board)
    for step in steps:
        if not OFF <= step.end < step.start <= MY_BAR or (step.end != OFF and board[step.end] < -1):
            raise TableError(f"no checker can move from {step.start} to {step.end}")
        if step.hit != (step.end != OFF and after[step.end] < 0):
            raise TableError(f"the step from {step.start} to {step.end} {'hits nothing' if step.hit else 'hits'}")
        if step.end == OFF:
            continue
        if step.hit:
            after[step.end] = 0
            after[THEIR_BAR] -= 1
        after[step.end] += 1
    for step in steps:
        after[step.start] -= 1
        if after[step.start] < 0:
            raise TableError(f"there is no checker to move from {step.start}")
    return tuple(after)


def turned(board: Board) -> Board:
    """Return the board as the other player sees it."""
    return tuple([-count for count in reversed(board)])


def is_shut_out(board: Board) -> bool:
    """Return whether the player is on the bar against a closed board."""
    return board[MY_BAR] > 0 and max(board[MY_BAR - HOME : MY_BAR]) <= -2


def _level(board: Board, rules: Variant) -> int:
    """Return what the player has won by whose last checker is off."""
    if -sum(board) < rules.checkers:
        return SINGLE
    return BACKGAMMON if any(board[: HOME + 1]) else GAMMON


def _passed(state: State, options: TableOptions) -> State:
    """Return the state at the start of the other player's turn."""
    state = state._replace(
        phase=Phase.TO_ROLL,
        turn=1 - state.turn,
        board=turned(state.board),
        declined=False,
        stand_ins=("", ""),
        handed_back=(False, False),
        due=None,
    )
    if not is_shut_out(state.board):
        return state
    if why_no_double(state, options):
        return state._replace(due=ev.TurnSkipped(state.turn))
    return state._replace(phase=Phase.CLOSED_BOARD)


def _answered(state: State) -> State:
    """Return the state after an answer: the player on turn goes on, and a bot that answered in time's stead goes."""
    return _without_stand_in(state._replace(phase=Phase.TO_ROLL, level=0), 1 - state.turn)


def _without_stand_in(state: State, seat: int) -> State:
    return state._replace(
        stand_ins=with_seat(state.stand_ins, seat, ""), handed_back=with_seat(state.handed_back, seat, False)
    )


def _handed_back(state: State, seat: int) -> State:
    """Return the state after an event after which an early record may have lost the stand-in of a seat."""
    return state._replace(handed_back=with_seat(state.handed_back, seat, bool(state.stand_ins[seat])))


def as_written(state: State, event: ev.Event) -> State:
    """Return the state as a record means it in which an event follows.

    In early records a bot that finished a turn left it when the time of the other player was up too, or when the seat
    was taken over. Where a record shows that, by what the person does there, the bot has left.
    """
    if True not in state.handed_back or not isinstance(event, ev.TimedOut | ev.Decision) or event.seat not in (0, 1):
        return state
    by_person = isinstance(event, ev.TimedOut) or event.by != "bot"
    left = by_person and state.handed_back[event.seat] and not state.bots[event.seat]
    return _without_stand_in(state, event.seat) if left else state


def _ended(state: State, how: ev.How, winner: int, level: int, options: TableOptions) -> State:
    """Return the state in which the end of the game is due: the one place that knows what a game is worth."""
    points = state.cube * (SINGLE if jacoby_counts(state, options) else level)
    mine, theirs = state.score
    score = (mine + points, theirs) if winner == 0 else (mine, theirs + points)
    due = ev.GameEnded(winner, how, level, points, score)
    return state._replace(
        phase=Phase.GAME_OVER, dice=None, level=0, stand_ins=("", ""), handed_back=(False, False), due=due
    )


def next_game(state: State, options: TableOptions) -> ev.GameStarted:
    """Return the start of the game that comes next."""
    length = options.match_length
    at_match_point = max(state.score) == length - 1
    crawford = options.crawford and options.cube and length > 1 and at_match_point and not state.crawford_over
    return ev.GameStarted(state.game + 1, state.score, crawford)


def match_ended(score: tuple[int, int]) -> ev.MatchEnded:
    """Return the end of the match or session at this score."""
    winner = None if score[0] == score[1] else int(score[1] > score[0])
    return ev.MatchEnded(winner, score)


def opening(state: State, dice: tuple[int, int], options: TableOptions) -> ev.OpeningRolled:
    """Return the opening roll with these dice."""
    return ev.OpeningRolled(dice, _opening_cube(state, dice, options))
