"""What can be wrong with a request: a code that stays the same, a status, and a message for people."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pydantic import ValidationError

from gammon_rl.errors import (
    GammonError,
    IllegalActionError,
    IllegalPlayError,
    InvalidNotationError,
    InvalidPositionError,
    ModelFileError,
    TableError,
)
from gammon_rl.serve.answers import NoDiceError
from gammon_rl.serve.desk import BusyError

CODES: Final = {
    "invalid_json": (400, "The body is not JSON."),
    "unauthorized": (401, "The bearer token is missing or wrong."),
    "not_found": (404, "There is no such path."),
    "method_not_allowed": (405, "The path has another method."),
    "body_timeout": (408, "The body did not come in time."),
    "body_too_large": (413, "The body is larger than the server allows."),
    "unsupported_media_type": (415, "The body is said to be something other than JSON."),
    "invalid_request": (422, "A field is missing, unknown, or of another kind than it has to be."),
    "invalid_position": (422, "A position that cannot occur, or in which there is nothing to decide."),
    "invalid_notation": (422, "A text that is no position, or a bot or model that this server does not have."),
    "no_dice": (422, "A play is asked for without a roll."),
    "no_model": (422, "There is no model for the variant."),
    "no_opinion": (422, "The bot plays at random and cannot analyse."),
    "invalid_table": (422, "A table or action that cannot be, or that is damaged."),
    "illegal_action": (422, "An action that is understood but not allowed at the table now."),
    "internal_error": (500, "A fault of the server, which it has written to its log."),
    "overloaded": (503, "The queue is full; the header Retry-After says when to try again."),
}
"""Every code, with its status and what it means."""

_OF_ERRORS: Final[tuple[tuple[type[GammonError], str], ...]] = (
    (NoDiceError, "no_dice"),
    (InvalidPositionError, "invalid_position"),
    (InvalidNotationError, "invalid_notation"),
    (IllegalPlayError, "no_opinion"),
    (ModelFileError, "no_model"),
    (IllegalActionError, "illegal_action"),
    (TableError, "invalid_table"),
)
"""Codes of the errors of the library, the first that fits."""

_SHOWN: Final = 3  # faults of a body that are told
_LONGEST: Final = 500  # letters of a message


@dataclass
class Refusal(Exception):  # noqa: N818  # not always somebody's error
    """A request that is not answered as it was meant.

    Attributes
    ----------
    code : str
        One of `CODES`.
    message : str
        What is wrong, for people; by default what the code means.
    headers : mapping of str to str
        Of the response.
    """

    code: str
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The status of the response."""
        return CODES[self.code][0]

    @property
    def body(self) -> bytes:
        """The body of the response."""
        message = self.message or CODES[self.code][1]
        short = message if len(message) <= _LONGEST else f"{message[: _LONGEST - 4]} ..."
        return json.dumps({"error": {"code": self.code, "message": short}}).encode()


def refusal_of(error: Exception) -> Refusal | None:
    """Return how a request is refused for an error; None if the error is a fault of the server."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, BusyError):
        return Refusal("overloaded", headers={"retry-after": "1"})
    if isinstance(error, ValidationError):
        return _of_body(error)
    code = next((code for kind, code in _OF_ERRORS if isinstance(error, kind)), None)
    return Refusal(code, str(error)) if code else None


def _of_body(error: ValidationError) -> Refusal:
    """Return the refusal of a body by the first things that are wrong with it."""
    faults = error.errors(include_url=False, include_context=False)
    # Of a position that is an object it is no news that it is no text, and the other way round.
    faults = [
        fault for fault in faults if fault["loc"][-1:] not in (("constrained-str",), ("BoardPosition",))
    ] or faults
    if faults[0]["type"] == "json_invalid":
        return Refusal("invalid_json", faults[0]["msg"])
    told = []
    for fault in faults[:_SHOWN]:
        where = ".".join(map(str, fault["loc"])) or "the body"
        got = repr(fault["input"])
        shown = "" if fault["type"] == "missing" else f", got {got if len(got) <= 60 else got[:57] + '...'}"
        told.append(f"{where}: {fault['msg']}{shown}")
    more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return Refusal("invalid_request", "; ".join(told) + more)
