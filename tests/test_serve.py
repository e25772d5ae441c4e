"""The server: answers over HTTP, what it refuses, its limits, and the processes it is made of."""

import asyncio
import contextlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

import gammon_rl as gr
from gammon_rl.bots.bench import random_positions
from gammon_rl.cli.serve import TOKEN, _token
from gammon_rl.errors import GammonError
from gammon_rl.serve import messages as ms, openapi
from gammon_rl.serve.app import PAGES, QUESTIONS, Limits, make_app, new_counts
from gammon_rl.serve.counts import SECONDS, Counts
from gammon_rl.serve.desk import BusyError, Desk
from gammon_rl.serve.refusals import CODES
from gammon_rl.serve.roster import Roster
from tests.pages import run_page

ROOT = Path(__file__).parents[1]
START = gr.Position.start()
THREE_ONE = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
OVER = "XGID=-B------------------------:0:0:1:00:0:0:0:0:10"
DOUBLED = "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:0:10"


@pytest.fixture(scope="module")
def roster():
    return Roster()


@pytest.fixture(scope="module")
def client(roster):
    with TestClient(make_app(roster)) as client:
        yield client


def test_answers_are_those_of_the_bot(client):
    bot = gr.Bot("normal")
    made = client.post("/v1/play", json={"position": THREE_ONE}).json()
    play = bot.choose_play(START, (3, 1))
    assert made == {
        "text": play.text,
        "steps": [{"start": step.start, "end": step.end, "hit": step.hit} for step in play.steps],
        "afterstate": play.afterstate.tolist(),
    }
    cube = client.post("/v1/cube", json={"position": "start"}).json()
    expected = bot.cube_action(START)
    assert {name: cube[name] for name in ("action", "double", "take", "beaver", "mwc")} == {
        "action": "no double/take",
        "double": False,
        "take": True,
        "beaver": False,
        "mwc": None,
    }
    assert (cube["nd"], cube["dt"], cube["dp"]) == pytest.approx((expected.nd, expected.dt, expected.dp))
    easy = client.post("/v1/cube", json={"position": "start", "bot": "easy"}).json()
    assert (easy["action"], easy["nd"], easy["dt"], easy["dp"]) == ("no double/take", None, None, None)
    found = client.post("/v1/analyse", json={"position": "start", "dice": [3, 1], "most": 2}).json()
    best = bot.analyse(START, (3, 1))
    assert found["plays"] == len(best) == 16
    assert [one["text"] for one in found["candidates"]] == [one.play.text for one in best[:2]]
    assert found["candidates"][1]["loss"] == pytest.approx(best[1].loss)
    assert list(found["candidates"][0]["probs"].values()) == pytest.approx(best[0].probs)
    ahead = client.post("/v1/analyse", json={"position": "start", "dice": [6, 4], "bot": "hard@1", "most": 3}).json()
    deep = gr.Bot("hard@1").analyse(START, (6, 4))[:3]
    assert [one["equity"] for one in ahead["candidates"]] == pytest.approx([one.equity for one in deep], abs=1e-6)
    assert [one["ply"] for one in ahead["candidates"]] == [one.ply for one in deep]
    before = client.post("/v1/analyse", json={"position": "start"}).json()
    assert before["probs"]["win"] == pytest.approx(float(bot.probs(START)[0]))
    assert (before["cube"]["action"], before["candidates"]) == ("no double/take", None)


def test_a_position_is_the_same_in_every_form(client):
    asked = gr.Position.parse("XGID=-a-B--D-D---dC---d-c----B-:1:1:1:52:2:4:0:7:10")
    rest = {name: getattr(asked, name) for name in ms.BoardPosition.model_fields if name != "board"}
    forms = [asked.xgid, asked.gnubg_id, {"board": asked.board.tolist(), **rest}]
    answers = [client.post("/v1/analyse", json={"position": form}).json() for form in forms]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0]["candidates"][0]["text"] == gr.Bot("normal").choose_play(asked, (5, 2)).text


def test_every_legal_play_is_listed_and_a_dance_is_one(client):
    plays = client.post("/v1/legal", json={"position": "start", "dice": [3, 1]}).json()["plays"]
    assert len({play["text"] for play in plays}) == 16
    board = [0] * 26
    board[25], board[6] = 1, 14
    for point in range(19, 25):
        board[point] = -2
    closed = {"position": {"board": board}, "dice": [6, 5]}
    (dance,) = client.post("/v1/legal", json=closed).json()["plays"]
    assert dance == client.post("/v1/play", json=closed).json()
    assert (dance["text"], dance["steps"]) == ("dance", [])


def test_resignations(client):
    lost = "XGID=----EEE-----------------b-:1:-1:1:00:0:0:0:0:10"
    assert client.post("/v1/resign", json={"position": lost}).json() == {"offer": 1, "accept": None}
    other = gr.Position.parse(lost).turned().xgid
    for offered, accepted in ((1, gr.Bot("normal").accepts(gr.Position.parse(other), 1)), (3, True)):
        answer = client.post("/v1/resign", json={"position": other, "offered": offered}).json()
        assert answer == {"offer": None, "accept": accepted}


def test_other_variants_are_played_as_far_as_there_are_models(client):
    start = {"position": "start", "variant": "hypergammon", "dice": [6, 5]}
    legal = client.post("/v1/legal", json=start).json()["plays"]
    assert client.post("/v1/play", json={**start, "bot": "easy"}).json() in legal
    levels = {level["name"]: level["variants"] for level in client.get("/v1/models").json()["levels"]}
    assert levels["easy"] == list(gr.VARIANTS)
    assert {"standard", "nackgammon", "longgammon"} <= set(levels["normal"]) <= set(levels["hard"])
    for variant in gr.VARIANTS:
        answer = client.post("/v1/play", json={"position": "start", "variant": variant, "dice": [6, 5]})
        assert answer.status_code == (200 if variant in levels["normal"] else 422)
        assert "text" in answer.json() or answer.json()["error"]["code"] == "no_model"
    assert set(ms.VariantName.__args__) == set(gr.VARIANTS)


@pytest.mark.parametrize(
    ("path", "body", "status", "code", "said"),
    [
        ("/v1/play", {}, 422, "invalid_request", "position: Field required"),
        ("/v1/play", {"position": "start"}, 422, "no_dice", "no roll"),
        ("/v1/play", {"position": THREE_ONE, "plies": 2}, 422, "invalid_request", "plies: Extra inputs"),
        ("/v1/play", {"position": THREE_ONE, "dice": [3, 7]}, 422, "invalid_request", "got 7"),
        ("/v1/play", {"position": THREE_ONE, "dice": [3, True]}, 422, "invalid_request", "got True"),
        ("/v1/play", {"position": THREE_ONE, "time_limit": 0}, 422, "invalid_request", "greater than 0"),
        ("/v1/play", {"position": "nonsense"}, 422, "invalid_notation", "not a position: 'nonsense'"),
        ("/v1/play", {"position": {"board": [1] * 26}, "dice": [3, 1]}, 422, "invalid_position", "26 checkers"),
        ("/v1/play", {"position": OVER, "dice": [3, 1]}, 422, "invalid_position", "the game is over"),
        ("/v1/play", {"position": DOUBLED, "dice": [3, 1]}, 422, "invalid_position", "a double is on offer"),
        ("/v1/analyse", {"position": DOUBLED, "dice": [3, 1]}, 422, "invalid_position", "a double is on offer"),
        (
            "/v1/play",
            {"position": THREE_ONE, "bot": "../../etc/passwd"},
            422,
            "invalid_notation",
            "no bot is called '../../etc/passwd'",
        ),
        ("/v1/play", {"position": THREE_ONE, "bot": "hard@4"}, 422, "invalid_notation", "with @0 to @3"),
        ("/v1/play", {"position": THREE_ONE, "dice": [6, 5]}, 422, "invalid_position", "dice are 6 and 5"),
        ("/v1/play", {"position": {"board": 3}}, 422, "invalid_request", "position.BoardPosition.board: Input should"),
        ("/v1/table/new", {"seed": 3}, 422, "invalid_table", "a seed is for seeded dice"),
        ("/v1/table/new", {"seats": [{"name": "A"}, {"name": "B", "bot": "gnu"}]}, 422, "invalid_notation", "'gnu'"),
        (
            "/v1/table/new",
            {"options": {"variant": "tavla"}, "seats": [{"name": "A"}, {"name": "B", "bot": "hard"}]},
            422,
            "no_model",
            "tavla",
        ),
        ("/v1/play/", {"position": THREE_ONE}, 404, "not_found", ""),
        ("/v1/play", {"position": THREE_ONE, "bot": "nobody"}, 422, "invalid_notation", "no bot is called 'nobody'"),
        ("/v1/play", {"position": THREE_ONE, "bot": "easy@1"}, 422, "invalid_notation", "easy@1"),
        ("/v1/play", {"position": THREE_ONE, "model": "x.safetensors"}, 422, "invalid_notation", "no model is called"),
        ("/v1/play", {"position": THREE_ONE, "bot": "standard", "model": "standard"}, 422, "invalid_notation", "by it"),
        ("/v1/analyse", {"position": THREE_ONE, "bot": "easy"}, 422, "no_opinion", "no opinion"),
        ("/v1/table/new", {"options": {"match_length": 99}}, 422, "invalid_table", "from 0 (money) to 25"),
        ("/v1/table/new", {"seats": [{"name": ""}, {"name": "b"}]}, 422, "invalid_table", "1 to 40 printable"),
        ("/v1/table/apply", {"table": {}, "action": {"type": "roll"}}, 422, "invalid_table", "not a table"),
        ("/v1/nothing", {}, 404, "not_found", "no such path"),
        ("/v1/health", {}, 405, "method_not_allowed", "another method"),
    ],
)
def test_what_is_wrong_has_a_code_and_a_message(client, path, body, status, code, said):
    answer = client.post(path, json=body)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}
    assert answer.json()["error"]["code"] == code
    assert said in answer.json()["error"]["message"]
    assert CODES[code][0] == status


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"position": "\\ud800"}', b"[" * 5000, b"[1e999]"])
def test_a_body_that_is_no_json_is_refused(client, body):
    answer = client.post("/v1/play", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["code"] in ("invalid_json", "invalid_request")


def test_bodies_have_a_type_and_a_size(roster):
    with TestClient(make_app(roster, Limits(body=2000))) as client:
        form = client.post("/v1/play", content="position=start", headers={"Content-Type": "text/plain"})
        assert (form.status_code, form.json()["error"]["code"]) == (415, "unsupported_media_type")
        assert client.post("/v1/play", content=json.dumps({"position": THREE_ONE})).status_code == 200
        padded = json.dumps({"position": THREE_ONE}).encode() + b" " * 2000
        for content in (padded, iter([padded[:1000], padded[1000:]])):
            large = client.post("/v1/play", content=content, headers={"Content-Type": "application/json"})
            assert (large.status_code, large.json()["error"]["code"]) == (413, "body_too_large")
            assert large.headers["connection"] == "close"


def test_a_token_opens_all_but_what_is_open(roster):
    with TestClient(make_app(roster, Limits(token="secret"))) as client:
        for headers in (
            {},
            {"Authorization": "Bearer wrong"},
            {"Authorization": "secret"},
            {"Authorization": "Bearer"},
        ):
            refused = client.post("/v1/play", json={"position": THREE_ONE}, headers=headers)
            assert (refused.status_code, refused.json()["error"]["code"]) == (401, "unauthorized")
            assert refused.headers["www-authenticate"] == "Bearer"
            assert client.get("/metrics", headers=headers).status_code == 401
        for path in ("/v1/health", "/openapi.json"):
            assert client.get(path).status_code == 200
        key = {"Authorization": "bearer secret"}
        assert client.post("/v1/play", json={"position": THREE_ONE}, headers=key).status_code == 200
        assert client.get("/v1/models", headers=key).json()["models"][0]["name"] == "standard"


def test_a_fault_of_ours_is_told_to_the_log_alone(roster, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("something of /our/own")

    monkeypatch.setitem(QUESTIONS, "/v1/cube", (ms.CubeQuestion, broken))
    with TestClient(make_app(roster)) as client:
        answer = client.post("/v1/cube", json={"position": "start"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal_error")
    assert "own" not in answer.text
    assert "something of /our/own" in caplog.text


# Time and queues


def test_a_bot_is_given_the_time_that_is_left(roster, monkeypatch):
    given = []
    cube_action = gr.Bot.cube_action

    def noted(self, position, time_limit=None, stop=None):
        given.append(time_limit)
        return cube_action(self, position, time_limit, stop)

    monkeypatch.setattr(gr.Bot, "cube_action", noted)
    with TestClient(make_app(roster, Limits(seconds=2))) as client:
        for wished in (None, 0.5, 100):
            asked = {"position": "start", "bot": "hard", "time_limit": wished}
            assert client.post("/v1/cube", json=asked).status_code == 200
    assert 1 < given[0] <= 2
    assert 0 < given[1] <= 0.5
    assert 1 < given[2] <= 2


def test_a_full_queue_sends_away_and_says_when_to_come_back(roster):
    async def ask():
        desk = Desk(2)
        free = threading.Event()
        slow = [asyncio.ensure_future(desk.answer(lambda seconds, stop: free.wait(), 5)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await desk.answer(lambda seconds, stop: None, 5)
        free.set()
        assert await asyncio.gather(*slow) == [True, True]
        assert await desk.answer(lambda seconds, stop: "again", 5) == "again"
        desk.close()

    asyncio.run(ask())
    with TestClient(make_app(roster, Limits(queue=0))) as client:
        refused = client.post("/v1/play", json={"position": THREE_ONE})
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "overloaded")
        assert refused.headers["retry-after"] == "1"


def test_a_search_is_stopped_when_nobody_waits_for_it():
    async def ask():
        desk = Desk(5)
        stopped = threading.Event()

        def search(seconds, stop):
            while not stop.is_set():
                time.sleep(0.001)
            stopped.set()

        task = asyncio.ensure_future(desk.answer(search, 5))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(stopped.wait, 5)
        desk.close()

    asyncio.run(ask())


def test_plays_chosen_together_are_those_chosen_alone(roster):
    boards, dice = random_positions(40, seed=4)
    rolls = [(int(one), int(other)) for one, other in dice]
    positions = [
        gr.Position(board, match_length=7 * (at % 2), score=(at % 7 * (at % 2), 0), jacoby=at % 3 == 0)
        for at, board in enumerate(boards)
    ]
    bots = [roster.bot("normal"), roster.bot("easy")]

    async def ask():
        desk = Desk(100)
        over = gr.Position.parse(OVER)
        asked = [desk.choose(bots[0], *one) for one in zip(positions, rolls, strict=True)]
        asked += [desk.choose(bots[0], over, (3, 1)), desk.choose(bots[1], START, (3, 1))]
        found = await asyncio.gather(*asked, return_exceptions=True)
        desk.close()
        return found

    *plays, refused, easy = asyncio.run(ask())
    assert isinstance(refused, gr.InvalidPositionError)
    assert any((easy.afterstate == after).all() for after in gr.legal_plays(START.board[None], (3, 1))[1])
    for position, roll, play in zip(positions, rolls, plays, strict=True):
        candidates = bots[0].analyse(position, roll)
        if candidates:
            lost = {one.play: one.loss for one in candidates}
            assert lost[play] == pytest.approx(0, abs=1e-5)
        else:
            assert play.steps == ()


# The table


def test_a_match_is_played_to_its_end_over_http(client):
    options = {"match_length": 1, "variant": "hypergammon"}
    seats = [{"name": "Ann"}, {"name": "Robot", "bot": "easy"}]
    document = client.get("/openapi.json").json()
    as_said = Draft202012Validator({**document, "$ref": "#/components/schemas/TableAnswer"})
    answer = client.post("/v1/table/new", json={"options": options, "seats": seats, "views": True})
    for _ in range(500):
        assert answer.status_code == 200
        at = answer.json()
        as_said.validate(at)
        told = ms.TableAnswer.model_validate(at)  # each field is there and of the type that the document says
        assert told.views
        mine = told.views.seat_0.model_fields_set
        assert ("legal" in mine) == (at["state"]["to_act"] in (0, None))
        assert told.views.seat_0.board == told.views.seat_1.board == told.state.board
        if at["state"]["is_over"]:
            break
        action = {"type": "bot"} if at["state"]["bot"] else at["state"]["legal"][-1]
        if action["type"] == "resign":
            action = {"type": "roll"}
        answer = client.post("/v1/table/apply", json={"table": at["table"], "action": action, "views": True})
    assert max(at["state"]["score"]) >= 1
    assert at["events"][-1]["type"] == "match_ended"
    gr.Table.from_data(at["table"]).record.check()


def test_the_table_refuses_what_its_rules_do_not_allow(client):
    new = client.post("/v1/table/new", json={"dice": "hand"}).json()
    rolled = client.post("/v1/table/apply", json={"table": new["table"], "action": {"type": "roll", "dice": [3, 1]}})
    at = rolled.json()
    assert at["events"] == [{"type": "opening_rolled", "dice": [3, 1]}]
    assert (at["state"]["phase"], at["state"]["to_act"], len(at["state"]["legal"])) == ("to play", 0, 16)
    assert at["state"]["position"] == THREE_ONE[: -len("0:10")].replace(":31:0:0:0:", ":31:0:0:1:") + "0:10"
    for action, seat, code, said in (
        ({"type": "play", "text": "8/2"}, 0, "illegal_action", "not legal"),
        ({"type": "play", "text": "8/5 6/5"}, 1, "illegal_action", "seat 0 has to act"),
        ({"type": "bot"}, None, "illegal_action", "the person at seat 0"),
        ({"type": "jump"}, None, "invalid_table", "not an action"),
        ({"type": "time_out", "seat": 0}, 0, "illegal_action", "only the host"),
    ):
        body = {"table": at["table"], "action": action, "seat": seat}
        refused = client.post("/v1/table/apply", json=body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, code), refused.text
        assert said in refused.json()["error"]["message"]
    played = {"table": at["table"], "action": {"type": "play", "text": "8/5 6/5"}, "seat": 0}
    assert client.post("/v1/table/apply", json=played).json()["state"]["turn"] == 1


def test_the_dice_are_known_only_where_that_was_asked_for(client):
    secret = client.post("/v1/table/new", json={"views": True}).json()
    assert secret["table"]["dice"] == {"type": "system"}
    seeded = client.post("/v1/table/new", json={"dice": "seeded", "seed": 7, "views": True}).json()
    assert seeded["table"]["dice"]["type"] == "seeded"
    assert "dice" in seeded["views"]["0"]
    for view in (*secret["views"].values(), *seeded["views"].values()):
        assert view["dice"] is None  # those of the present turn
        assert seeded["table"]["dice"]["state"] not in json.dumps(view)
    hidden = client.post("/v1/table/new", json={"options": {"watching": False}, "views": True}).json()
    assert hidden["views"]["spectator"] is None


def test_what_was_undone_cannot_be_nothing():
    data = gr.Table(gr.TableOptions(), [gr.Seat("Ann"), gr.Seat("Robot", bot="easy")], 3).to_data()
    with pytest.raises(gr.TableError, match="what was undone is damaged"):
        gr.Table.from_data({**data, "undone": [{"events": [], "steps": ""}]})


# The roster


def test_models_go_by_names_that_are_no_paths(tmp_path):
    gr.load_model("standard").save(tmp_path / "mine.safetensors")
    roster = Roster([str(tmp_path / "mine.safetensors"), f"other={tmp_path / 'mine.safetensors'}"])
    names = [model.name for model in roster.about.models]
    assert (names[0], names[-2:]) == ("standard", ["mine", "other"])
    assert roster.bot("mine@1").level.ply == 1
    assert roster.bot("casual", "other").level.noise > 0
    assert roster.bot("mine") is roster.bot("mine")
    for source in ("normal=standard", "a/b=standard", f"standard={tmp_path / 'mine.safetensors'}"):
        with pytest.raises(gr.InvalidNotationError, match="say NAME=FILE"):
            Roster([source])
    with pytest.raises(gr.ModelFileError):
        Roster([str(tmp_path / "none.safetensors")])
    for name in ("mine.safetensors", "mine@9", "mine@", "hard@x"):
        with pytest.raises(GammonError):
            roster.bot(name)


# What there is to read


def test_the_page_of_the_python_api_runs_as_written():
    assert run_page("python-api.md") >= 10


def test_the_page_of_the_python_api_has_every_public_name():
    page = (ROOT / "docs" / "python-api.md").read_text()
    for name in gr.__all__:
        assert name == "__version__" or f"`{name}`" in page or issubclass(getattr(gr, name), GammonError), name


def test_the_document_has_every_door_and_its_examples_work(client):
    document = client.get("/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    assert set(document["paths"]) == {*QUESTIONS, *PAGES} - {"/openapi.json"}
    answers = {path: answer for path, (_, _, answer) in openapi.POSTS.items()}
    tried = 0
    for path, answer in answers.items():
        examples = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["examples"]
        for example in examples.values():
            response = client.post(path, json=example["value"])
            assert response.status_code == 200, response.text
            answer.model_validate_json(response.content, strict=True)
            tried += 1
    assert tried >= 10
    ms.ModelsAnswer.model_validate_json(client.get("/v1/models").content, strict=True)
    assert client.get("/v1/health").json() == {"status": "ok", "version": gr.__version__}


def test_every_reference_of_the_document_leads_somewhere(client):
    document = client.get("/openapi.json").json()
    seen, waiting = 0, [document]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if isinstance(part.get("$ref"), str):
                found = document
                for name in part["$ref"].removeprefix("#/").split("/"):
                    found = found[name]
                seen += 1
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    assert seen > 20


def test_the_page_names_every_code_and_door():
    page = (ROOT / "docs" / "serving.md").read_text()
    for word in (*CODES, *QUESTIONS, *PAGES):
        assert f"`{word}`" in page, word


def test_counts_of_all_workers_are_told_by_any():
    counts = Counts(["/a", "/b"], [200, 404], workers=2)
    counts.of_worker(0)
    counts.answered("/a", 200, 0.003)
    counts.waiting(3)
    counts.of_worker(1)
    counts.answered("/a", 200, 99)
    counts.answered("/b", 404, 0)
    counts.waiting(2)
    counts.died(0)
    lines = counts.text().splitlines()
    for line in (
        'gammon_rl_requests_total{path="/a",status="200"} 2',
        'gammon_rl_requests_total{path="/b",status="404"} 1',
        'gammon_rl_request_seconds_bucket{path="/a",le="0.002"} 0',
        'gammon_rl_request_seconds_bucket{path="/a",le="0.005"} 1',
        f'gammon_rl_request_seconds_bucket{{path="/a",le="{SECONDS[-1]}"}} 1',
        'gammon_rl_request_seconds_bucket{path="/a",le="+Inf"} 2',
        'gammon_rl_request_seconds_count{path="/a"} 2',
        'gammon_rl_request_seconds_sum{path="/a"} 99.003000',
        "gammon_rl_waiting 5",
        "gammon_rl_worker_deaths_total 1",
    ):
        assert line in lines
    counts.of_worker(0)  # a successor waits for nothing yet
    assert "gammon_rl_waiting 2" in counts.text()


def test_requests_are_counted(roster):
    counts = new_counts()
    with TestClient(make_app(roster, counts=counts)) as client:
        client.post("/v1/play", json={"position": THREE_ONE})
        client.post("/v1/play", json={})
        client.get("/nothing")
        text = client.get("/metrics").text
    assert 'gammon_rl_requests_total{path="/v1/play",status="200"} 1' in text
    assert 'gammon_rl_requests_total{path="/v1/play",status="422"} 1' in text
    assert 'gammon_rl_requests_total{path="other",status="404"} 1' in text
    pattern = r'(#.*|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.]+)'
    assert all(re.fullmatch(pattern, line) for line in text.splitlines())


# The real thing


def _ask(address, path, body=None, seconds=60):
    request = urllib.request.Request(
        f"{address}{path}",
        None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=seconds) as answer:
        return answer.status, answer.read()


@contextlib.contextmanager
def _served(seconds, errors):
    """Start a server whose requests take so many seconds at most; its standard error goes where `errors` says."""
    command = [sys.executable, "-m", "gammon_rl", "serve", "--port", "0", "--time-limit", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as server:
        try:
            assert server.stdout is not None
            yield server, server.stdout.readline().split()[0]
        finally:
            server.kill()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")
def test_a_server_starts_outlives_its_worker_and_finishes_what_was_begun():
    with _served(1.5, subprocess.DEVNULL) as (server, address):
        assert _ask(address, "/v1/play", {"position": THREE_ONE})[1].startswith(b'{"text":"8/5 6/5"')

        killed = _worker_of(server.pid)
        os.kill(killed, signal.SIGKILL)
        assert _until_it_answers(address) == 200
        assert _worker_of(server.pid) != killed
        told = _ask(address, "/metrics")[1].decode()
        assert "gammon_rl_worker_deaths_total 1" in told
        assert 'gammon_rl_requests_total{path="/v1/play",status="200"} 1' in told

        answers = []
        slow = {"position": THREE_ONE.replace(":31:", ":43:"), "bot": "hard@3"}  # many good plays
        asking = threading.Thread(target=lambda: answers.append(_ask(address, "/v1/analyse", slow)))
        asking.start()
        while "gammon_rl_waiting 1" not in _ask(address, "/metrics")[1].decode():
            assert asking.is_alive()
            time.sleep(0.01)
        server.send_signal(signal.SIGTERM)
        asking.join()
        assert answers[0][0] == 200
        assert server.wait(60) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")
def test_a_worker_that_hangs_is_replaced():
    with _served(0.1, subprocess.PIPE) as (server, address):
        assert server.stderr is not None
        assert _until_it_answers(address) == 200
        hanging = _worker_of(server.pid)
        os.kill(hanging, signal.SIGSTOP)
        assert f"worker {hanging} hangs" in server.stderr.readline()
        assert _until_it_answers(address) == 200
        assert "gammon_rl_worker_deaths_total 1" in _ask(address, "/metrics")[1].decode()
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")
def test_a_server_that_says_it_is_there_may_be_told_to_end():
    with _served(0.1, subprocess.DEVNULL) as (server, _):
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")
def test_no_alarm_is_left_behind():
    script = """if True:
        import os, signal, threading
        from gammon_rl.serve.counts import Counts
        from gammon_rl.serve.workers import Workers, listen
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
        Workers(None, listen("127.0.0.1", 0), Counts(["/"], [200], 1), 1, 0.1).run()
        print(signal.getitimer(signal.ITIMER_REAL))
    """
    command = [sys.executable, "-c", script]
    assert subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout == "(0.0, 0.0)\n"


def _worker_of(pid):
    found = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], stdout=subprocess.PIPE, text=True, check=True).stdout
    (worker,) = (int(line.split()[0]) for line in found.splitlines() if int(line.split()[1]) == pid)
    return worker


def _until_it_answers(address):
    for _ in range(600):
        try:
            return _ask(address, "/v1/health")[0]
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.05)
    raise AssertionError("no answer for half a minute")


def test_the_command_refuses_on_one_line(tmp_path):
    def tokens(content):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.txt"
        path.write_bytes(content)
        return str(path)

    for flags, said in (
        (["--host", "256.1.1.1"], "cannot listen at 256.1.1.1"),
        (["--token-file", str(tmp_path / "none")], "No such file"),
        (["--token-file", tokens(b"\xff\xfea\n")], "expected a token in UTF-8"),
        (["--token-file", tokens(b"a\nb\n")], "expected a token of visible ASCII letters on one line"),
        (["--token-file", tokens(b"\n")], "expected a token of visible ASCII letters on one line"),
    ):
        command = [sys.executable, "-m", "gammon_rl", "serve", "--port", "0", *flags]
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.count("\n") == 1
        assert said in refused.stderr


def test_a_token_is_that_of_the_file_or_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv(TOKEN, raising=False)
    assert _token(None) == ""
    monkeypatch.setenv(TOKEN, "word")
    assert _token(None) == "word"
    file = tmp_path / "token"
    file.write_bytes(b"\xef\xbb\xbfabc\r\n")
    assert _token(file) == "abc"
    monkeypatch.setenv(TOKEN, " ")  # a slip is no open server
    with pytest.raises(GammonError, match=f"{TOKEN}: expected a token"):
        _token(None)


def test_the_example_hosts_a_table_with_a_bot():
    path = ROOT / "docs" / "examples" / "table_server.py"
    assert len(path.read_text().splitlines()) <= 60
    spec = importlib.util.spec_from_file_location("table_server", path)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    server = example.ThreadingHTTPServer(("127.0.0.1", 0), example.Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        new = json.loads(_ask(address, "/tables", {})[1])
        table = f"/tables/{new['id']}"
        at = json.loads(_ask(address, table, {"type": "roll"})[1])
        for _ in range(20):
            assert at["to_act"] in (0, None) or at["phase"] == "match over"
            if at["phase"] == "match over":
                break
            at = json.loads(_ask(address, table, at["legal"][0] if "legal" in at else {"type": "next_game"})[1])
        assert {event["seat"] for event in at["events"] if event["type"] == "played"} == {0, 1}
        assert json.loads(_ask(address, table)[1])["events"] == at["events"]
        for path, body, status in ((table, {"type": "jump"}, 400), ("/tables/none", None, 404)):
            with pytest.raises(urllib.error.HTTPError) as refused:
                _ask(address, path, body)
            assert refused.value.code == status
            refused.value.close()
    finally:
        server.shutdown()
        server.server_close()


def test_wrong_bodies_are_answered_as_wrong():
    done = subprocess.run(
        [sys.executable, "scripts/fuzz", "--bodies", "400", "--longest", "20"],
        cwd=ROOT, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "400 answers" in done.stdout
    assert "422 invalid_request" in done.stdout
    assert "200 answered" in done.stdout
