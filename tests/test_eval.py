import json
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from safetensors.numpy import save_file

import gammon_rl as gr
from gammon_rl.bots.bench import random_positions
from gammon_rl.eval import network
from gammon_rl.eval.encoder import ENCODERS, INPUTS, WITH_SHOTS, encode, fold
from gammon_rl.eval.model import METADATA_KEY, Model
from gammon_rl.rules.board import results


def random_layers(sizes, seed=1):
    rng = np.random.default_rng(seed)
    return tuple(
        (rng.normal(0, 0.3, (outputs, inputs)).astype(np.float32), rng.normal(0, 0.3, outputs).astype(np.float32))
        for inputs, outputs in pairwise(sizes)
    )


@pytest.fixture(scope="module")
def boards():
    return random_positions(3000, seed=5)[0]


@pytest.fixture
def model():
    return Model(random_layers([INPUTS, 16, 6]), gr.STANDARD, {"games": 7})


def test_start_board_is_encoded_as_its_counts():
    inputs = encode(gr.STANDARD.start()[None], 15)[0]
    places = inputs[:-2].reshape(26, 8)
    assert places[24].tolist() == [1, 1, 0, 0, 0, 0, 0, 0]  # two of mine
    assert places[13].tolist() == [1, 1, 1, 1, 0, 0, 0, 0]  # five of mine: (5 - 3) / 2
    assert places[17].tolist() == [0, 0, 0, 0, 1, 1, 1, 0]  # three of theirs
    assert places[[0, 2, 25]].any() == False  # noqa: E712
    assert inputs[-2:].tolist() == [0, 0]


def test_folded_layer_is_the_dense_one(boards):
    (weight, bias), *_ = random_layers([INPUTS, 32, 6])
    table, whole = fold(weight, bias, 15)
    folded = table[np.arange(26), boards.astype(int) + 15].sum(axis=1) + whole
    np.testing.assert_allclose(folded, encode(boards, 15) @ weight.T + bias, atol=2e-5)


@pytest.mark.parametrize("hidden", [(8,), (24, 12), (network._FOLD_UP_TO + 8,), (160, 24, 8)])
@pytest.mark.parametrize("inputs", ENCODERS)
@pytest.mark.parametrize("rules", [gr.STANDARD, gr.HYPERGAMMON])
def test_numpy_evaluator_is_the_plain_computation(hidden, inputs, rules):
    layers = random_layers([inputs, *hidden, 6])
    boards = np.repeat(rules.start()[None], 50, axis=0)
    rng = np.random.default_rng(3)
    for _ in range(5):
        parents, afterstates = gr.legal_plays(boards, rng.integers(1, 7, (50, 2)), rules)
        pick = {int(parent): at for at, parent in enumerate(parents)}
        boards = np.array([afterstates[pick[i]] if i in pick else gr.turn(boards[i]) for i in range(50)])
    units = encode(boards, rules.checkers, inputs)
    assert (inputs == INPUTS) or (units[:, INPUTS:] > 0).any()
    for weight, bias in layers[:-1]:
        units = np.maximum(units @ weight.T + bias, 0)
    logits = units @ layers[-1][0].T + layers[-1][1]
    plain = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert (results(boards, rules) == 0).all()
    np.testing.assert_allclose(Model(layers, rules).outcomes(boards), plain, atol=1e-5)


def test_probs_are_nested_and_rows_do_not_affect_each_other(model, boards):
    probs = model.probs(boards)
    win, gammon, backgammon, lost_gammon, lost_backgammon = probs.T
    assert probs.dtype == np.float32
    assert (win >= gammon).all()
    assert (gammon >= backgammon).all()
    assert (1 - win >= lost_gammon - 1e-6).all()
    assert (lost_gammon >= lost_backgammon).all()
    np.testing.assert_allclose(model.probs(boards[1000:1100]), probs[1000:1100], atol=1e-6)
    np.testing.assert_allclose(model.probs(boards[::-1])[::-1], probs, atol=1e-6)
    np.testing.assert_allclose(model.probs(boards[0]), probs[0], atol=1e-6)
    assert model.probs(boards.reshape(30, 100, 26)).shape == (30, 100, 5)


def test_no_gammon_is_lost_with_a_checker_off(model):
    board = np.zeros(26, dtype=np.int8)
    board[[6, 3]] = 14, 0
    board[[19, 24]] = -10, -5
    probs = model.probs(board)
    assert probs[3] == probs[4] == 0
    assert probs[1] > 0


@pytest.mark.parametrize(
    ("loser", "probs"),
    [
        ({6: 14}, [0, 0, 0, 0, 0]),
        ({6: 15}, [0, 0, 0, 1, 0]),
        ({18: 1, 6: 14}, [0, 0, 0, 1, 0]),
        ({19: 1, 6: 14}, [0, 0, 0, 1, 1]),
        ({25: 1, 6: 14}, [0, 0, 0, 1, 1]),
        ({25: 1, 6: 13}, [0, 0, 0, 0, 0]),
    ],
)
def test_a_finished_game_has_its_result(model, loser, probs):
    board = np.zeros(26, dtype=np.int8)
    for point, count in loser.items():
        board[point] = count
    assert model.probs(board).tolist() == probs
    win, gammon, backgammon, lost_gammon, lost_backgammon = model.probs(gr.turn(board))
    assert [1 - win, lost_gammon, lost_backgammon] == [0, 0, 0]
    assert [gammon, backgammon] == probs[3:]


def test_model_file_round_trips_to_the_same_bytes(model, boards, tmp_path):
    path = tmp_path / "a.safetensors"
    model.save(path)
    loaded = gr.load_model(path)
    assert loaded.info["games"] == 7
    assert loaded.rules is gr.STANDARD
    assert (loaded.probs(boards) == model.probs(boards)).all()
    loaded.save(tmp_path / "b.safetensors")
    assert path.read_bytes() == (tmp_path / "b.safetensors").read_bytes()
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".tmp"] == []


def test_model_loads_and_plays_without_torch(model, tmp_path):
    model.save(tmp_path / "m.safetensors")
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import gammon_rl as gr\n"
        f"model = gr.load_model({str(tmp_path / 'm.safetensors')!r})\n"
        "print(gr.Bot('hard', model).choose_play(gr.Position.start(), (3, 1)).text)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "/" in shown.stdout


def damaged(model, tmp_path, **changes):
    """Write a model whose description differs."""
    path = tmp_path / "odd.safetensors"
    model.save(path)
    tensors = {}
    for number, (weight, bias) in enumerate(model.layers):
        tensors |= {f"layers.{number}.weight": weight, f"layers.{number}.bias": bias}
    about = {**gr.load_model(path).info, **changes}
    tensors |= {name: about.pop(name) for name in list(about) if name.startswith("layers.")}
    save_file({k: v for k, v in tensors.items() if v is not None}, path, {METADATA_KEY: json.dumps(about)})
    return path


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": 99}, "model format 99, this version reads 1"),
        ({"encoder": {"name": "other", "version": 1}}, "made for encoder"),
        ({"variant": "chess"}, "unknown variant 'chess'"),
        ({"outputs": ["win"]}, "outputs differ"),
        ({"layers": [210, 16]}, "layer sizes [210, 16]"),
        ({"layers": [260, 16, 6]}, "expected [210, ..., 6]"),
        ({"encoder": ENCODERS[WITH_SHOTS]}, "expected [260, ..., 6]"),
        ({"layers": [210, 17, 6]}, "shapes of layers"),
        ({"layers.0.bias": None}, "shapes of layers"),
        ({"layers.0.bias": np.full(16, np.nan, np.float32)}, "not float32 of sensible size"),
        ({"layers.0.bias": np.full(16, 3e38, np.float32)}, "not float32 of sensible size"),
        ({"layers.0.bias": np.zeros(16, np.float64)}, "not float32 of sensible size"),
    ],
)
def test_a_wrong_model_file_says_what_is_wrong(model, tmp_path, changes, said):
    with pytest.raises(gr.ModelFileError) as refused:
        gr.load_model(damaged(model, tmp_path, **changes))
    assert said in str(refused.value)


def test_a_file_that_is_no_model_is_refused(model, tmp_path):
    path = tmp_path / "m.safetensors"
    model.save(path)
    whole = path.read_bytes()
    for content in (b"", b"hello", whole[:40], whole[:-5], whole + b"x", b"\xff" * 100):
        path.write_bytes(content)
        with pytest.raises(gr.ModelFileError, match=r"m\.safetensors: not a readable model file"):
            gr.load_model(path)
    save_file({"x": np.zeros(3, np.float32)}, path)
    with pytest.raises(gr.ModelFileError, match="without the 'gammon_rl' description"):
        gr.load_model(path)
    with pytest.raises(gr.ModelFileError, match="is a directory"):
        gr.load_model(tmp_path)
    with pytest.raises(gr.ModelFileError, match="no such model file"):
        gr.load_model(tmp_path / "none.safetensors")
    with pytest.raises(gr.ModelFileError, match="no such model file; released models here"):
        gr.load_model("nobody")


def test_names_that_cannot_be_files_and_descriptions_without_end_are_refused(model, tmp_path):
    for name in ("a" * 5000, "a" * 300, "nul\0byte"):
        with pytest.raises(gr.ModelFileError, match=r"no name for a model file|no such model file"):
            gr.load_model(name)
    path = tmp_path / "deep.safetensors"
    save_file({"x": np.zeros(3, np.float32)}, path, {METADATA_KEY: "[" * 200_000})
    with pytest.raises(gr.ModelFileError, match="not JSON"):
        gr.load_model(path)
    header = json.dumps({"x": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 4)
    # NumPy knows bfloat16 only where another library, such as onnx, was imported.
    with pytest.raises(gr.ModelFileError, match=r"not a readable model file|without the 'gammon_rl' description"):
        gr.load_model(path)


@pytest.mark.parametrize(
    "boards",
    [
        np.zeros(25, dtype=np.int8),
        np.zeros((2, 13), dtype=np.int8),
        gr.STANDARD.start() + 0.6,
        np.full(26, 16),
        np.full(26, 300),
    ],
    ids=["25 places", "13 places", "fractions", "16 on a place", "300 on a place"],
)
def test_what_is_no_board_is_not_evaluated(model, boards):
    with pytest.raises(gr.InvalidPositionError):
        model.probs(boards)


def test_probs_never_leave_0_to_1(model):
    boards = random_positions(2000, seed=8, plies=90)[0]
    probs = model.probs(boards)
    assert probs.min() >= 0
    assert probs.max() <= 1


def test_a_model_for_another_variant_is_refused(model, tmp_path):
    model.save(tmp_path / "m.safetensors")
    with pytest.raises(gr.ModelFileError, match="made for standard, not for hypergammon"):
        gr.load_model(tmp_path / "m.safetensors", gr.HYPERGAMMON)


def test_a_failed_save_leaves_the_old_file(model, tmp_path, monkeypatch):
    path = tmp_path / "m.safetensors"
    model.save(path)
    before = path.read_bytes()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk gone")))
    with pytest.raises(OSError, match="disk gone"):
        Model(random_layers([INPUTS, 8, 6]), gr.STANDARD).save(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["m.safetensors"]
