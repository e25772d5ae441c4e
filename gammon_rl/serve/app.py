"""The HTTP application of one worker: who may ask, what is read, who answers, and what is said when it goes wrong."""

import asyncio
import hmac
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from gammon_rl import __version__
from gammon_rl.bots.clock import Stop
from gammon_rl.serve import answers, messages as ms
from gammon_rl.serve.counts import CONTENT_TYPE, Counts
from gammon_rl.serve.desk import Desk
from gammon_rl.serve.openapi import document
from gammon_rl.serve.refusals import CODES, Refusal, refusal_of
from gammon_rl.serve.roster import Roster

JSON: Final = "application/json"

QUESTIONS: Final[dict[str, tuple[type[ms.Question], Callable[[Roster, Any, float, Stop], BaseModel]]]] = {
    "/v1/play": (ms.PlayQuestion, answers.play),
    "/v1/cube": (ms.CubeQuestion, answers.cube),
    "/v1/analyse": (ms.AnalyseQuestion, answers.analyse),
    "/v1/resign": (ms.ResignQuestion, answers.resign),
    "/v1/legal": (ms.LegalQuestion, answers.legal),
    "/v1/table/new": (ms.NewTableQuestion, answers.new_table),
    "/v1/table/apply": (ms.ApplyQuestion, answers.apply),
}
"""What is posted where, and who answers it; the busiest first."""

PAGES: Final = ("/v1/health", "/v1/models", "/metrics", "/openapi.json")
OPEN: Final = ("/v1/health", "/openapi.json")
"""What needs no token."""

_BODY_SECONDS: Final = 10.0  # for a body to come; it is no part of the time for an answer
_OTHER: Final = "other"  # paths that are none of ours, in the counts
_Headers = dict[bytes, bytes]
_T = TypeVar("_T")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """What a server allows.

    Attributes
    ----------
    seconds : float
        For a request, from when it is read to its answer; bots answer by what they know by then.
    body : int
        Bytes of a body.
    queue : int
        Questions that wait or are worked on in one worker.
    token : str
        What has to come as a bearer token; empty if everybody may ask.
    """

    seconds: float = 5.0
    body: int = 1 << 18
    queue: int = 256
    token: str = ""


class GoneError(Exception):
    """Whoever asked has closed the connection."""


class Content(NamedTuple):
    """What a request is answered with."""

    body: bytes
    media_type: str = JSON


def make_app(roster: Roster, limits: Limits | None = None, counts: Counts | None = None) -> Starlette:
    """Return the application.

    Parameters
    ----------
    roster : Roster
        Who can be asked.
    limits : Limits, optional
        What is allowed.
    counts : Counts, optional
        Where to count: `new_counts` that several workers share.
    """
    limits, counts, about = limits or Limits(), counts or new_counts(), roster.about
    service = _Service(roster, limits, counts)
    pages: list[Callable[[], Content]] = [
        lambda: _written(ms.HealthAnswer(version=__version__)),
        lambda: _written(about),
        lambda: Content(counts.text().encode(), CONTENT_TYPE),
        lambda: Content(openapi),
    ]
    openapi = json.dumps(document(guarded=bool(limits.token))).encode()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        service.desk.close()

    async def refuse(code: str, request: Request, error: Exception) -> Response:
        refusal = Refusal(code, headers=getattr(error, "headers", None) or {})
        counts.answered(_OTHER, refusal.status, 0)
        return Response(refusal.body, refusal.status, refusal.headers, JSON)

    asked = [Route(path, _Door(service, path, partial(service.ask, path)), methods=["POST"]) for path in QUESTIONS]
    shown = [
        Route(path, _Door(service, path, partial(service.show, page)), methods=["GET"])
        for path, page in zip(PAGES, pages, strict=True)
    ]
    app = Starlette(
        routes=[*asked, *shown],
        lifespan=lifespan,
        exception_handlers={404: partial(refuse, "not_found"), 405: partial(refuse, "method_not_allowed")},
    )
    app.router.redirect_slashes = False  # a redirect would lead out of the proxy's TLS
    return app


def new_counts(workers: int = 1) -> Counts:
    """Return counts for so many workers."""
    statuses = sorted({200, *(status for status, _ in CODES.values())})
    return Counts([*QUESTIONS, *PAGES, _OTHER], statuses, workers)


class _Door:
    """The way in at one path: an ASGI application that asks who is there, counts, and tells what went wrong."""

    def __init__(
        self, service: "_Service", path: str, answer: Callable[[_Headers, Receive], Awaitable[Content]]
    ) -> None:
        self._service, self._path, self._answer = service, path, answer
        self._guarded = bool(service.limits.token) and path not in OPEN

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begin, status = time.perf_counter(), 200
        own: Mapping[str, str] = {}
        try:
            body, media_type = await self._answered(dict(scope["headers"]), receive)
        except Refusal as refusal:
            body, media_type, status, own = refusal.body, JSON, refusal.status, refusal.headers
        except GoneError:
            return
        self._service.counts.answered(self._path, status, time.perf_counter() - begin)
        headers = [(b"content-type", media_type.encode()), (b"content-length", str(len(body)).encode())]
        headers += [(name.encode(), value.encode()) for name, value in own.items()]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _answered(self, headers: _Headers, receive: Receive) -> Content:
        """Return the content; whatever goes wrong is a `Refusal`, and what should not have is in the log."""
        try:
            if self._guarded:
                self._service.check_token(headers)
            return await self._answer(headers, receive)
        except (GoneError, asyncio.CancelledError):
            raise
        except Exception as error:
            refusal = refusal_of(error)
            if refusal is None:
                _log.exception("a request to %s failed", self._path)
                refusal = Refusal("internal_error")
            raise refusal from None


class _Service:
    """What the doors of one worker share."""

    def __init__(self, roster: Roster, limits: Limits, counts: Counts) -> None:
        self.roster, self.limits, self.counts = roster, limits, counts
        self.desk = Desk(limits.queue, counts.waiting)

    def check_token(self, headers: _Headers) -> None:
        """Refuse a request without the token."""
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(token.strip(), self.limits.token.encode()):
            raise Refusal("unauthorized", headers={"www-authenticate": "Bearer"})

    async def show(self, page: Callable[[], Content], headers: _Headers, receive: Receive) -> Content:
        """Return a page."""
        return page()

    async def ask(self, path: str, headers: _Headers, receive: Receive) -> Content:
        """Return the answer to a question."""
        kind, work = QUESTIONS[path]
        question = kind.model_validate_json(await self._body(headers, receive))
        if isinstance(question, ms.PlayQuestion):
            bot = answers.bot_of(question, self.roster)
            if bot.level.ply == 0:
                position = answers.position_of(question)
                dice = answers.roll_of(question, position)
                return _written(answers.play_answer(await self.desk.choose(bot, position, dice)))

        def worked(seconds: float, stop: Stop) -> Content:
            return _written(work(self.roster, question, seconds, stop))

        wished: float | None = getattr(question, "time_limit", None)
        seconds = min(wished or self.limits.seconds, self.limits.seconds)
        return await _unless_gone(receive, self.desk.answer(worked, seconds))

    async def _body(self, headers: _Headers, receive: Receive) -> bytes:
        """Return the body of a request, or refuse it."""
        media_type = headers.get(b"content-type", b"application/json").partition(b";")[0].strip().lower()
        if media_type != b"application/json":
            raise Refusal("unsupported_media_type", "the body is JSON, so its Content-Type is application/json")
        length, most = headers.get(b"content-length", b""), self.limits.body
        # What is still to come of a body that is too large or too slow is not waited for.
        too_large = Refusal("body_too_large", f"a body has at most {most} bytes", {"connection": "close"})
        if len(length) > 15 or (length.isdigit() and int(length) > most):
            raise too_large
        body = b""
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise GoneError
                    body += bytes(message.get("body", b""))
                    if len(body) > most:
                        raise too_large
                    if not message.get("more_body"):
                        return body
        except TimeoutError:
            raise Refusal("body_timeout", headers={"connection": "close"}) from None


def _written(answer: BaseModel) -> Content:
    return Content(answer.model_dump_json(warnings=False).encode())  # plain data may stand for the model it becomes


async def _unless_gone(receive: Receive, work: Coroutine[Any, Any, _T]) -> _T:
    """Return what some work returns, or cancel it when whoever asked has gone."""
    working, gone = asyncio.ensure_future(work), asyncio.ensure_future(receive())
    try:
        await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise GoneError
        return working.result()
    finally:
        working.cancel()
        gone.cancel()
