"""The ONNX file: the same function as the model, a card that tells the truth about it, and an export that refuses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="ONNX files are written with the extra 'onnx'")
onnxruntime = pytest.importorskip("onnxruntime", reason="ONNX files are checked with the extra 'onnx'")

from onnx.reference import ReferenceEvaluator  # noqa: E402

import gammon_rl as gr  # noqa: E402
from gammon_rl import cli  # noqa: E402
from gammon_rl.eval import onnx_file  # noqa: E402
from gammon_rl.eval.encoder import ENCODERS, INPUTS, WITH_SHOTS  # noqa: E402
from gammon_rl.eval.model import Model  # noqa: E402
from gammon_rl.eval.onnx_card import onnx_card  # noqa: E402
from gammon_rl.eval.onnx_file import export_onnx  # noqa: E402
from gammon_rl.eval.onnx_graph import CHANCES, onnx_bytes  # noqa: E402
from gammon_rl.train.checkpoint import Checkpoint, save_checkpoint  # noqa: E402
from tests.positions import position, to_letters  # noqa: E402
from tests.test_eval import random_layers  # noqa: E402


def random_model(hidden=(8,), rules=gr.STANDARD, seed=1, inputs=INPUTS):
    info = {"games": 1234, "licence": "MIT"}
    return Model(random_layers([inputs, *hidden, 6], seed), rules, info, "folder/some.safetensors")


def scattered(rules, count, seed):
    """Return boards with any number of checkers anywhere, int8 (count, 26), some of them of finished games."""
    rng = np.random.default_rng(seed)
    boards = np.zeros((count, 26), dtype=np.int8)
    for board in boards:
        mine, theirs = rng.permutation([rng.integers(1, 20), rng.integers(-3, 20)]).clip(0, rules.checkers)
        points = rng.permutation(24) + 1
        for places, sign, checkers in (([25, *points[:12]], 1, mine), ([0, *points[12:]], -1, theirs)):
            board[places] = sign * rng.multinomial(checkers, rng.dirichlet(np.full(13, 0.3)))
    return boards


def answers(file, boards):
    """Return probs and equity of an ONNX file, given as its bytes or by its path."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    return session.run(["probs", "equity"], {"boards": boards})


# The graph


@pytest.mark.parametrize("hidden", [(8,), (232,), (24, 12), (16, 12, 8)])
@pytest.mark.parametrize("inputs", ENCODERS)
@pytest.mark.parametrize("rules", [gr.STANDARD, gr.HYPERGAMMON])
def test_the_graph_is_the_model(hidden, rules, inputs):
    model = random_model(hidden, rules, inputs=inputs)
    boards = np.concatenate([scattered(rules, 1500, 3), gr.legal_plays(rules.start()[None], (3, 1), rules)[1]])
    probs, equity = answers(onnx_bytes(model, {}), boards)
    np.testing.assert_allclose(probs, model.probs(boards), atol=1e-5)
    np.testing.assert_allclose(equity, model.equity(boards), atol=1e-5)
    assert probs.dtype == equity.dtype == np.float32
    finished = gr.results(boards, rules)
    assert set(finished.tolist()) == {-3, -2, -1, 0, 1, 2, 3}
    assert (equity[finished != 0] == finished[finished != 0]).all()
    assert (probs[finished != 0] == model.probs(boards[finished != 0])).all()


@pytest.mark.parametrize(
    ("board", "probs"),
    [
        (position("6x14"), [0, 0, 0, 0, 0]),
        (position("6x14 18"), [0, 0, 0, 1, 0]),
        (position("6x14 19"), [0, 0, 0, 1, 1]),
        (position("bar 6x14"), [0, 0, 0, 1, 1]),
        (position("bar 6x13"), [0, 0, 0, 0, 0]),
        (position("", "7 19x14"), [1, 1, 0, 0, 0]),
        (position("", "6 19x14"), [1, 1, 1, 0, 0]),
        (position("", "bar 19x14"), [1, 1, 1, 0, 0]),
        (position("", "bar 19x13"), [1, 0, 0, 0, 0]),
    ],
)
def test_finished_games_have_their_result(board, probs):
    assert answers(onnx_bytes(random_model(), {}), board[None])[0].tolist() == [probs]


@pytest.mark.parametrize("inputs", ENCODERS)
def test_another_runtime_gives_the_same(inputs):
    model, boards = random_model((24, 12), inputs=inputs), scattered(gr.STANDARD, 100, 5)
    probs, equity = ReferenceEvaluator(onnx_bytes(model, {})).run(["probs", "equity"], {"boards": boards})
    np.testing.assert_allclose(probs, model.probs(boards), atol=1e-5)
    np.testing.assert_allclose(equity, model.equity(boards), atol=1e-5)


def test_any_number_of_boards_at_once():
    content, boards = onnx_bytes(random_model(inputs=WITH_SHOTS), {}), scattered(gr.STANDARD, 400, 7)
    probs, _ = answers(content, boards)
    for rows in (slice(0), slice(7, 8), slice(100, 250)):
        some, values = answers(content, boards[rows])
        assert some.shape == (len(boards[rows]), 5)
        assert values.shape == (len(boards[rows]),)
        np.testing.assert_allclose(some, probs[rows], atol=1e-6)
    many = answers(content, np.tile(boards, (150, 1)))[0]
    np.testing.assert_allclose(many, np.tile(probs, (150, 1)), atol=1e-6)


def test_what_is_no_board_is_refused():
    content = onnx_bytes(random_model(), {})
    for boards in (np.zeros((1, 26), dtype=np.float32), np.zeros((1, 25), dtype=np.int8)):
        with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument):
            answers(content, boards)


def test_the_file_is_valid_and_says_what_it_is(tmp_path):
    path = tmp_path / "a.onnx"
    written = export_onnx(random_model((24, 12)), path)
    file = onnx.load(path)
    onnx.checker.check_model(file, full_check=True)
    assert (file.ir_version, [(one.domain, one.version) for one in file.opset_import]) == (7, [("", 13)])
    properties = {one.key: one.value for one in file.metadata_props}
    assert properties.pop("model_card") == written.card.read_text()
    assert json.loads(properties.pop("info")) == {"games": 1234, "layers": [210, 24, 12, 6], "licence": "MIT"}
    assert properties == {
        "checkers": "15",
        "encoder": "thermometer 1",
        "licence": "MIT",
        "outputs": "win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon",
        "perspective": "player on roll, dice not rolled",
        "variant": "standard",
    }
    assert written.path == path
    assert written.size == path.stat().st_size
    assert 0 < written.difference < 1e-5
    again = export_onnx(random_model((24, 12)), tmp_path / "sub" / "a.onnx")
    assert again.path.read_bytes() == path.read_bytes()


# The card


@pytest.mark.parametrize("rules", gr.VARIANTS.values(), ids=lambda rules: rules.name)
def test_the_numbers_of_the_card_are_those_of_the_file(rules):
    model = random_model(rules=rules)
    file, card = onnx_bytes(model, {}), onnx_card(model, "a.onnx")
    found = re.findall(r"boards +(\[.*\])\nprobs +(\[.*\])\nequity +(.*)\n", card)
    assert len(found) == 4
    boards = np.array([json.loads(board) for board, _, _ in found], dtype=np.int8)
    for board in boards[:3]:
        gr.checked_board(board, rules)
    probs, equity = answers(file, boards)
    np.testing.assert_allclose(probs, [json.loads(one) for _, one, _ in found], atol=6e-5)
    np.testing.assert_allclose(equity, [float(one) for _, _, one in found], atol=6e-5)
    assert (boards[0] == rules.start()).all()
    (after,) = re.findall(r"after the play +(\[.*\])", card)
    assert (gr.turn(np.array(json.loads(after))) == boards[1]).all()
    assert answers(file, gr.legal_plays(rules.start()[None], (3, 1), rules)[1])[1].min() == equity[1]
    assert equity[3] == -3
    assert "| made from | some.safetensors |" in card
    for column, name in enumerate(CHANCES):
        assert f"| {column} | {name} |" in card


def test_a_board_from_an_xgid_as_the_card_says():
    board = scattered(gr.STANDARD, 1, 11)[0]
    letters = to_letters(board).replace(".", "-")
    for turn, expected in (("1", board), ("-1", gr.turn(board))):
        assert (gr.Position.parse(f"XGID={letters}:0:0:{turn}:00:0:0:0:0:10").board == expected).all()


# The export


def test_nothing_is_written_where_the_answers_differ(monkeypatch, tmp_path):
    path = tmp_path / "a.onnx"
    path.write_bytes(b"before")
    model = random_model()
    (weight, bias), last = model.layers
    bias = bias.copy()
    bias[0] += 1e-3
    off = onnx_bytes(Model(((weight, bias), last), gr.STANDARD), {})
    monkeypatch.setattr(onnx_file, "onnx_bytes", lambda *_: off)
    with pytest.raises(gr.ModelFileError, match=r"not written.* expected at most 1e-05"):
        export_onnx(model, path)
    assert [file.name for file in tmp_path.iterdir()] == ["a.onnx"]
    assert path.read_bytes() == b"before"
    monkeypatch.undo()
    assert export_onnx(model, path).size == path.stat().st_size  # one that was there is replaced


def test_a_place_that_cannot_be_written_is_refused(monkeypatch, tmp_path):
    (tmp_path / "folder.onnx").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "taken.onnx.md").mkdir()
    for name, said in (
        ("a.safetensors", "ends in .onnx"),
        ("onnx", "ends in .onnx"),
        ("folder.onnx", "is a directory"),
        ("file/a.onnx", "cannot be written"),
        ("taken.onnx", "cannot be written"),
    ):
        with pytest.raises(gr.ModelFileError, match=said):
            export_onnx(random_model(), tmp_path / name)
    monkeypatch.setattr(onnx_file, "find_spec", lambda name: None if name == "onnxruntime" else "there")
    with pytest.raises(gr.ModelFileError, match=r"the extra 'onnx'"):
        export_onnx(random_model(), tmp_path / "a.onnx")
    assert {file.name for file in tmp_path.iterdir()} == {"folder.onnx", "file", "taken.onnx.md"}


# The command


@pytest.fixture
def run(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["gammon-rl", "export", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        shown = capsys.readouterr()
        return ended.value.code, shown.out, shown.err

    return run


def test_a_released_model_is_exported_without_torch(tmp_path):
    code = "import sys; sys.modules['torch'] = None; from gammon_rl import cli; cli.main()"
    command = [sys.executable, "-c", code, "export", "standard", tmp_path / "x.onnx"]
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    assert re.search(r"standard, \d\.\d\d MB; at most \d\.\de-0[67] from NumPy on 10,000 boards", printed)
    model, boards = gr.load_model("standard"), scattered(gr.STANDARD, 500, 13)
    np.testing.assert_allclose(answers(tmp_path / "x.onnx", boards)[0], model.probs(boards), atol=1e-5)
    assert "against GNU Backgammon" in (tmp_path / "x.onnx.md").read_text()  # the model's own card is in it


@pytest.mark.parametrize("flag", [[], ["--onnx"]])
def test_a_run_is_exported(run, tmp_path, flag):
    model = random_model((8,), gr.HYPERGAMMON)
    tensors = {f"weights.{number}": tensor for number, tensor in enumerate(sum(model.layers, ()))}
    config = {"hidden": [8], "variant": "hypergammon"}
    about = {"config": config, "games": 77, "segments": 1, "rng": [], "ended": []}
    save_checkpoint(tmp_path / "run", Checkpoint(tensors, about))
    code, out, _ = run(tmp_path / "run", tmp_path / "x.ONNX", *flag)
    assert code == 0
    assert "hypergammon" in out
    boards = scattered(gr.HYPERGAMMON, 500, 17)
    np.testing.assert_allclose(answers(tmp_path / "x.ONNX", boards)[0], model.probs(boards), atol=1e-5)
    assert "3 checkers a side" in (tmp_path / "x.ONNX.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["standard", "x.safetensors", "--onnx"], "'x.safetensors' is no name for an ONNX file"),
        (["standard", "x.safetensors"], "standard: is a model already"),
        (["standrad", "x.onnx"], "standrad: no such model file; released models here: "),
        (["truncated.safetensors", "x.onnx"], "not a readable model file"),
        (["empty", "x.onnx"], "empty: holds no checkpoint"),
        (["standard", "there/x.onnx"], "there/x.onnx: cannot be written"),
        (["standard", ""], "no name"),
    ],
)
def test_what_cannot_be_exported_is_refused_in_a_line(run, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    random_model().save("whole.safetensors")
    (tmp_path / "truncated.safetensors").write_bytes((tmp_path / "whole.safetensors").read_bytes()[:-10])
    (tmp_path / "there").touch()
    (tmp_path / "empty").mkdir()
    before = sorted(tmp_path.iterdir())
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("gammon-rl: ")
    assert said in err
    assert len(err.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


def test_the_python_of_the_document_runs_as_written(tmp_path, monkeypatch, capsys):
    document = (Path(__file__).parents[1] / "docs" / "onnx.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", document, flags=re.DOTALL)
    (tmp_path / "standard.onnx").write_bytes(onnx_bytes(gr.load_model("standard"), {}))
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    printed = capsys.readouterr().out.strip()
    assert re.fullmatch(r"\+0\.\d{3}", printed)
    assert f"# {printed}:" in code
