"""What comes in over HTTP and what goes out, as pydantic models: they check, write, and make the OpenAPI document."""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from gammon_rl.rules.ids import LARGEST_CUBE, CubeOwner
from gammon_rl.rules.position import LONGEST_MATCH
from gammon_rl.table.actions import Action
from gammon_rl.table.data import type_name
from gammon_rl.table.dice import SystemDice
from gammon_rl.table.events import Notice
from gammon_rl.table.options import Seat, Settings, TableOptions
from gammon_rl.table.state import Phase
from gammon_rl.table.table import Table

NAME: Final = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""What models are called: no name can be a path."""

VariantName = Literal["standard", "nackgammon", "hypergammon", "longgammon", "tavla"]
Die = Annotated[int, Field(ge=1, le=6)]
Roll = Annotated[list[Die], Field(min_length=2, max_length=2)]
Checkers = Annotated[int, Field(ge=-15, le=15)]
Board = Annotated[list[Checkers], Field(min_length=26, max_length=26)]
Points = Annotated[int, Field(ge=0, le=LONGEST_MATCH)]
Score = Annotated[list[Points], Field(min_length=2, max_length=2)]
SeatNumber = Annotated[int, Field(ge=0, le=1)]

_XGID: Final = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
_CUBE: Final = "XGID=---BCCC-BB---bb----cccb---:0:0:1:00:2:4:0:7:10"
_OF_STEP: Final = {"$ref": "#/$defs/Step"}
_LOST: Final = "XGID=----EEE-----------------b-:1:-1:1:00:0:0:0:0:10"
_WON: Final = "XGID=-B-----------------eee----:1:1:1:00:0:0:0:0:10"  # the same, seen by the other player


def _opened(kind: type) -> dict[str, Any]:
    """Return the JSON schema of a record of the table as it goes out, to which more may come."""
    opened: dict[str, Any] = _without(_closed(kind), "additionalProperties")
    return opened


def _without(schema: Any, key: str) -> Any:
    """Return a schema without a key, at any depth."""
    if isinstance(schema, dict):
        return {name: _without(part, key) for name, part in schema.items() if name != key}
    return [_without(part, key) for part in schema] if isinstance(schema, list) else schema


def _filled_in(schema: Any, parts: dict[str, Any]) -> Any:
    """Return a schema with the parts themselves in the place of references to them, at any depth."""
    if isinstance(schema, dict):
        if schema == _OF_STEP or schema.get("items") == _OF_STEP:  # steps are said as text (see `table.data`)
            return {"type": "string", "description": "Such as `8/5`; several as `8/5 6/5`."}
        if "$ref" in schema:
            return _filled_in(parts[schema["$ref"]], parts)
        return {name: _filled_in(part, parts) for name, part in schema.items()}
    return [_filled_in(part, parts) for part in schema] if isinstance(schema, list) else schema


def _closed(kind: type) -> dict[str, Any]:
    """Return the JSON schema of a record of the table, in which nothing else may be."""
    schema: dict[str, Any] = TypeAdapter(kind).json_schema()
    parts = {f"#/$defs/{name}": part for name, part in schema.pop("$defs", {}).items()}
    for part in (schema, *parts.values()):
        part["description"] = part["description"].partition("\n\nAttributes")[0]
        part["additionalProperties"] = False
    closed: dict[str, Any] = _filled_in(schema, parts)
    return closed


def _named(kind: type, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a record that says by its type what it is."""
    properties = {"type": {"const": type_name(kind)}, **schema.get("properties", {})}
    return {**schema, "type": "object", "properties": properties}


def _action_schema() -> dict[str, Any]:
    """Return the JSON schema of what can be done at a table: its actions, and that the bot acts."""
    kinds = [{"title": "Bot", "properties": {"type": {"const": "bot"}}, "required": ["type"]}]
    for kind in get_args(Action):
        schema = _closed(kind)
        kinds.append({**_named(kind, schema), "required": ["type", *schema.get("required", [])]})
    return {"oneOf": [{"type": "object", "additionalProperties": False, **kind} for kind in kinds]}


def _event_schema() -> dict[str, Any]:
    """Return the JSON schema of what happens at a table."""
    return {"oneOf": [{**_named(kind, _opened(kind)), "required": ["type"]} for kind in get_args(Notice)]}


_ACTION: Final = _action_schema()
_EVENT: Final = _event_schema()


class Question(BaseModel):
    """What every request body is: nothing unknown in it, and nothing taken for what it is not."""

    model_config = ConfigDict(extra="forbid", strict=True)


class BoardPosition(Question):
    """A position as numbers, from the side of the player who has to act."""

    board: Board = Field(
        description="Checkers on each place: the index is the point, positive are mine, negative theirs; "
        "[25] my bar, [0] their bar (negative). What is missing is off."
    )
    dice: Roll | None = Field(default=None, description="The roll to be played.")
    cube_value: Annotated[int, Field(ge=1, le=LARGEST_CUBE)] = Field(1, description="A power of two.")
    cube_owner: CubeOwner = "centre"
    match_length: Points = Field(0, description="Points the match goes to; 0 is money play.")
    score: Score = Field([0, 0], description="Points in the match, mine first.")
    crawford: bool = Field(False, description="Whether this is the Crawford game.")
    jacoby: bool = Field(False, description="In money play: gammons count only once the cube was turned.")
    beavers: bool = Field(False, description="In money play: a player who is doubled may redouble at once.")
    doubled: bool = Field(False, description="Whether the opponent has doubled and I must answer.")


class PositionQuestion(Question):
    """A question about a position."""

    position: Annotated[str, Field(max_length=200)] | BoardPosition = Field(
        description="An XGID, a GNU Backgammon position ID, with or without `:` and a match ID, `start`, or an object. "
        "It is seen by the player who has to act."
    )
    variant: VariantName = "standard"


class BotQuestion(PositionQuestion):
    """A question about a position to a bot."""

    bot: str = Field(
        "normal",
        max_length=80,
        description="A level (`easy`, `novice`, `casual`, `normal`, `hard`) or a model of this server; `normal`, "
        "`hard` and models take a depth, as in `hard@1`.",
    )
    model: str | None = Field(
        None, pattern=f"^{NAME}$", description="The model that a level plays by; by default the released one."
    )
    time_limit: float | None = Field(
        None, gt=0, le=3600, allow_inf_nan=False, description="Seconds it may take; never more than the server allows."
    )


class PlayQuestion(BotQuestion):
    """Ask which play a bot makes."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"position": _XGID},
                {"position": "4HPwATDgc/ABMA", "dice": [6, 4], "bot": "hard", "time_limit": 0.5},
            ]
        }
    )

    dice: Roll | None = Field(default=None, description="The roll; left out, it is the one in the position.")


class CubeQuestion(BotQuestion):
    """Ask what to do with the cube, before the roll or when doubled."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"position": _CUBE, "bot": "hard"}]})


class AnalyseQuestion(BotQuestion):
    """Ask what the plays are worth; before the roll, the position and the cube."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"position": _XGID, "bot": "hard", "most": 3}, {"position": _CUBE, "bot": "hard"}]
        }
    )

    dice: Roll | None = Field(
        None, description="The roll; without one, here or in the position, it is before the roll."
    )
    most: int = Field(10, ge=1, le=100, description="The most candidates to be listed.")


class ResignQuestion(BotQuestion):
    """Ask what is surely lost, so that it may be offered, or whether an offer is accepted."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"position": _LOST}, {"position": _WON, "offered": 2, "bot": "hard"}]}
    )

    offered: int | None = Field(
        default=None,
        ge=1,
        le=3,
        description="What the other player, who is on roll, offers: a single game, a gammon or a backgammon; the "
        "position is then seen by the player who answers. Left out: what may the player on roll offer?",
    )


class LegalQuestion(PositionQuestion):
    """Ask which plays are legal."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"position": "start", "dice": [3, 1]}]})

    dice: Roll | None = Field(default=None, description="The roll; left out, it is the one in the position.")


class NewTableQuestion(Question):
    """Set up a table."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"options": {"match_length": 5}, "seats": [{"name": "Ann"}, {"name": "Robot", "bot": "normal"}]}
            ]
        }
    )

    options: dict[str, Any] = Field(default_factory=dict, json_schema_extra=_closed(TableOptions))
    seats: Annotated[list[dict[str, Any]], Field(min_length=2, max_length=2)] = Field(
        [{"name": "Player 1"}, {"name": "Player 2"}],
        description="Who plays; seat 0 is the host's. `bot` is a bot as in `/v1/play`, or missing for a person.",
        json_schema_extra={"items": _closed(Seat)},
    )
    dice: Literal["system", "hand", "seeded"] = Field(
        "system",
        description="`system`: drawn by this server when they are rolled, and nothing is stored. `hand`: every `roll` "
        "says what was thrown. `seeded`: a generator whose state is in the table, so that whoever sees the table "
        "can foresee the dice.",
    )
    seed: int | None = Field(
        default=None, ge=0, lt=1 << 63, description="Of seeded dice; by default one that nobody knows."
    )
    light: SeatNumber | None = Field(
        default=None, description="The seat with the light checkers, if not by the options."
    )
    views: bool = Field(False, description="Whether to return what each player and a spectator may see.")


class ApplyQuestion(Question):
    """Do something at a table."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"table": Table(dice=SystemDice()).to_data(), "action": {"type": "roll"}}]}
    )

    table: dict[str, Any] = Field(description="The table, as this server returned it.")
    action: dict[str, Any] = Field(
        description='An action, or `{"type": "bot"}`: the bot acts that has to.', json_schema_extra=_ACTION
    )
    seat: SeatNumber | None = Field(
        None, description="Who asks for it, to be held against who may. Left out it is the host, who may do anything."
    )
    model: str | None = Field(
        default=None, pattern=f"^{NAME}$", description="The model that the level of a bot plays by."
    )
    time_limit: float | None = Field(
        default=None, gt=0, le=3600, allow_inf_nan=False, description="Seconds a bot may take."
    )
    views: bool = Field(False, description="Whether to return what each player and a spectator may see.")


class Answer(BaseModel):
    """What every answer is; a client does not stop at fields it does not know, for more may come."""


class StepAnswer(Answer):
    """One checker moved by one die, in the numbers of the player who moves it."""

    start: int = Field(description="25 is the bar.")
    end: int = Field(description="0 is off.")
    hit: bool


class PlayAnswer(Answer):
    """A play."""

    text: str = Field(description="Such as `8/5 6/5`; `dance` if nothing can be played.")
    steps: list[StepAnswer] = Field(description="In an order in which they can be made; none for a dance.")
    afterstate: Board = Field(description="The board after the play, turned: the other side is on roll.")


class LegalAnswer(Answer):
    """All legal plays, one for each result; only a dance if nothing can be played."""

    plays: list[PlayAnswer]


class ProbsAnswer(Answer):
    """Nested chances."""

    win: float
    win_gammon: float = Field(description="A gammon or a backgammon.")
    win_backgammon: float
    lose_gammon: float = Field(description="A gammon or a backgammon.")
    lose_backgammon: float


class CandidateAnswer(PlayAnswer):
    """A play and what the bot thinks of it."""

    probs: ProbsAnswer = Field(description="Of the player who makes it.")
    equity: float = Field(description="With the cube and at the score: points by the present cube, EMG in a match.")
    loss: float = Field(description="How far it is behind the best play.")
    ply: int = Field(description="How deep it was looked at.")


class CubeAnswer(Answer):
    """A cube decision; for a player who has been doubled it is that of the doubler, and `take` is the answer."""

    action: str = Field(description="Both sides' right choice in words, such as `double/take` or `not available`.")
    double: bool = Field(description="Whether to double.")
    take: bool = Field(description="Whether a double is rightly taken.")
    beaver: bool = Field(description="Whether it is rightly beavered.")
    nd: float | None = Field(
        description="Equity of the player on roll without a double. `easy` has none: it decides by pips alone."
    )
    dt: float | None = Field(description="After double and take, or beaver where `beaver` is true.")
    dp: float | None = Field(description="After double and pass.")
    costs: dict[str, float] = Field(description="What each choice gives away.")
    mwc: Annotated[list[float], Field(min_length=3, max_length=3)] | None = Field(
        description="`nd`, `dt` and `dp` as chances of winning the match; null in money play."
    )


class AnalyseAnswer(Answer):
    """With a roll `plays` and `candidates`; before the roll `probs` and `cube`; null for the others."""

    plays: int | None = Field(default=None, description="How many legal plays there are.")
    candidates: list[CandidateAnswer] | None = Field(default=None, description="Best first; none for a dance.")
    probs: ProbsAnswer | None = Field(default=None, description="Of the player who has to act.")
    cube: CubeAnswer | None = None


class ResignAnswer(Answer):
    """What may be offered, or whether what is offered is accepted; null for the other."""

    offer: int | None = Field(default=None, description="What no dice can save any more; 0 is nothing yet.")
    accept: bool | None = None


class RunningTime(Answer):
    """Whose time runs."""

    seat: SeatNumber
    seconds: float = Field(description="What is left of it.")


class Situation(Answer):
    """How a table stands, as everybody may see it. Seats are numbers; nobody's seat is null."""

    phase: Literal[tuple(phase.value for phase in Phase)] = Field(description="What is to be done.")  # type: ignore[valid-type]
    turn: SeatNumber | None = Field(description="Whose turn it is.")
    to_act: SeatNumber | None = Field(description="Who has to act; null where either may, or nobody.")
    board: Board = Field(
        description="The board at the beginning of the turn, always as seat 0 sees it, whoever looks: positive are "
        "checkers of seat 0. To draw it for seat 1, turn it: `-board[25 - i]` at every `i`."
    )
    dice: Roll | None = Field(description="The roll to be played.")
    cube: int | None = Field(description="Its value; null where there is none.")
    cube_owner: SeatNumber | None = Field(description="Who owns it; null in the centre.")
    resignation: int = Field(description="What is offered: 0 nothing, 1 a single game, 2 a gammon, 3 a backgammon.")
    score: Score = Field(description="Points of seat 0 and of seat 1.")
    game: int = Field(description="The number of the game, from 1.")
    crawford: bool
    running_time: RunningTime | None


class StateAnswer(Situation):
    """How a table stands and what may be done, for the host."""

    bot: str = Field(description="The bot that has to act; empty for a person, or where nobody has to.")
    position: str | None = Field(
        description="The position as an XGID, seen by the player who has to act, as `/v1/play` and `/v1/cube` take it."
    )
    is_over: bool
    steps: list[str] = Field(description="Steps taken so far in this turn, such as `8/5`.")
    next_steps: list[str] = Field(description="Steps that may be taken now, each as `take_step` with start and end.")
    legal: list[dict[str, Any]] = Field(
        description="The legal actions, as they can be sent; whole plays as texts.",
        json_schema_extra={"items": _ACTION},
    )
    undoable: int = Field(description="How many decisions can be taken back.")
    redoable: int = Field(description="How many of those taken back can be done again.")


class ViewAnswer(Situation):
    """What one person may see: how the table stands, its options and record, and what is theirs alone."""

    options: dict[str, Any] = Field(json_schema_extra=_opened(TableOptions))
    seats: list[dict[str, Any]] = Field(json_schema_extra={"items": _opened(Seat)})
    events: list[dict[str, Any]] = Field(
        description="Everything that has happened.", json_schema_extra={"items": _EVENT}
    )
    bots: Annotated[list[str], Field(min_length=2, max_length=2)] = Field(
        description="The bot at each seat, now; empty for a person."
    )
    seat: SeatNumber | None = Field(None, description="Who looks; missing for a spectator, as all that follows.")
    settings: dict[str, Any] | None = Field(None, json_schema_extra=_opened(Settings))
    undoable: int | None = None
    redoable: int | None = None
    steps: list[str] | None = Field(None, description="As in `state`; missing while it is the other player's turn.")
    next_steps: list[str] | None = None
    legal: list[dict[str, Any]] | None = Field(default=None, json_schema_extra={"items": _ACTION})


class Views(Answer):
    """What each player and a spectator may see."""

    seat_0: ViewAnswer = Field(alias="0")
    seat_1: ViewAnswer = Field(alias="1")
    spectator: ViewAnswer | None = Field(description="Null if nobody may watch.")


class TableAnswer(Answer):
    """A table after what was done."""

    table: dict[str, Any] = Field(description="The table, to be kept by the host alone and sent with the next action.")
    events: list[dict[str, Any]] = Field(
        description="What was done and what followed by itself.", json_schema_extra={"items": _EVENT}
    )
    state: StateAnswer
    views: Views | None = Field(None, description="Only if they were asked for.")


class HealthAnswer(Answer):
    """Says that a worker answers."""

    status: Literal["ok"] = "ok"
    version: str


class ModelAnswer(Answer):
    """A model that can be named in a request."""

    name: str
    variants: list[str] = Field(description="What it can play.")
    layers: list[int] | None
    games: int | None = Field(description="Games it was trained for, where the file says so.")
    licence: str | None


class LevelAnswer(Answer):
    """A level that can be named in a request."""

    name: str
    ply: int = Field(description="How far it looks; -1 plays at random.")
    noise: float = Field(description="Standard deviation of its errors, in points.")
    variants: list[str] = Field(description="What it can play here without naming a model.")


class ModelsAnswer(Answer):
    """Who can be asked."""

    models: list[ModelAnswer]
    levels: list[LevelAnswer]


class Fault(Answer):
    """What is wrong."""

    code: str
    message: str


class ErrorAnswer(Answer):
    """Every answer that is none."""

    error: Fault
