"""The OpenAPI 3.1 document of the server, made from the models of what comes in and goes out."""

from typing import Any, Final, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from gammon_rl import __version__
from gammon_rl.serve import messages as ms
from gammon_rl.serve.refusals import CODES

POSTS: Final[dict[str, tuple[str, type[ms.Question], type[ms.Answer]]]] = {
    "/v1/play": ("play", ms.PlayQuestion, ms.PlayAnswer),
    "/v1/cube": ("cube", ms.CubeQuestion, ms.CubeAnswer),
    "/v1/analyse": ("analyse", ms.AnalyseQuestion, ms.AnalyseAnswer),
    "/v1/resign": ("resign", ms.ResignQuestion, ms.ResignAnswer),
    "/v1/legal": ("legal", ms.LegalQuestion, ms.LegalAnswer),
    "/v1/table/new": ("newTable", ms.NewTableQuestion, ms.TableAnswer),
    "/v1/table/apply": ("applyAction", ms.ApplyQuestion, ms.TableAnswer),
}
"""The name of what is posted where, what it asks, and what is answered."""

_ABOUT: Final = """\
Backgammon bots over HTTP: plays, the cube, analysis, and tables that keep the rules.

A request that is not answered as it was meant has a status of 4xx or 5xx and a body with a code that stays the same:

| code | status | |
|---|---|---|
"""
_TEXT: Final = {"text/plain": {"schema": {"type": "string"}}}
_ANY: Final = (401, 500)  # statuses of every path; the others, but these, are of those to which something is posted
_OF_NO_PATH: Final = (404, 405)


def document(*, guarded: bool) -> dict[str, Any]:
    """Return the document as plain data.

    Parameters
    ----------
    guarded : bool
        Whether requests need a bearer token.
    """
    kinds: list[tuple[type[BaseModel], Literal["validation", "serialization"]]] = [
        (kind, "serialization") for kind in (ms.ErrorAnswer, ms.HealthAnswer, ms.ModelsAnswer)
    ]
    for _, question, answer in POSTS.values():
        kinds += [(question, "validation"), (answer, "serialization")]
    names, schemas = models_json_schema(kinds, ref_template="#/components/schemas/{model}")
    json = {kind: {"application/json": {"schema": names[kind, mode]}} for kind, mode in kinds}

    def door(name: str, about: str, content: dict[str, Any], said: str, *, is_open: bool = False) -> dict[str, Any]:
        needs_token = guarded and not is_open
        statuses = {status for status, _ in CODES.values()} if name in posted else set(_ANY)
        responses: dict[str, Any] = {"200": {"description": said, "content": content}}
        for status in sorted(statuses.difference(_OF_NO_PATH, () if needs_token else {401})):
            responses[str(status)] = _refusal(status, json[ms.ErrorAnswer]["application/json"]["schema"])
        security: dict[str, Any] = {"security": [{"token": []}]} if needs_token else {}
        return {"operationId": name, "summary": about, "responses": responses, **security}

    posted = {name for name, _, _ in POSTS.values()}
    paths: dict[str, Any] = {}
    for path, (name, question, answer) in POSTS.items():
        post = door(name, _first_line(question), json[answer], _first_line(answer))
        extra: Any = question.model_config["json_schema_extra"]
        examples = {f"example {at}": {"value": one} for at, one in enumerate(extra["examples"], start=1)}
        body = {**json[question]["application/json"], "examples": examples}
        post["requestBody"] = {"required": True, "content": {"application/json": body}}
        paths[path] = {"post": post}
    for path, get in {
        "/v1/health": door("health", "Ask whether a worker answers.", json[ms.HealthAnswer], "It does.", is_open=True),
        "/v1/models": door("models", "Ask who can be asked.", json[ms.ModelsAnswer], "The models and the levels."),
        "/metrics": door("metrics", "Read the counts of all workers.", _TEXT, "The text format of Prometheus."),
    }.items():
        paths[path] = {"get": get}
    components: dict[str, Any] = {"schemas": schemas["$defs"]}
    if guarded:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    codes = "\n".join(f"| `{code}` | {status} | {about} |" for code, (status, about) in CODES.items())
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "gammon-rl serve",
            "version": __version__,
            "description": _ABOUT + codes,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": components,
    }


def _refusal(status: int, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the response of a status that says what is wrong."""
    codes = {code: about for code, (own, about) in CODES.items() if own == status}
    examples = {code: {"value": {"error": {"code": code, "message": about}}} for code, about in codes.items()}
    refusal: dict[str, Any] = {
        "description": " ".join(codes.values()),
        "content": {"application/json": {"schema": schema, "examples": examples}},
    }
    if status == 503:
        refusal["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
    return refusal


def _first_line(kind: type[BaseModel]) -> str:
    return (kind.__doc__ or "").partition("\n")[0]
