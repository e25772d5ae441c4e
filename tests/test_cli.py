"""The command line as a user meets it: whole commands in another process, or `main` with its arguments set."""

import json
import re
import sys

import pytest

import gammon_rl as gr
from gammon_rl import cli
from gammon_rl.eval.encoder import INPUTS
from gammon_rl.eval.model import Model
from tests.test_eval import random_layers


@pytest.fixture
def run(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["gammon-rl", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        shown = capsys.readouterr()
        return ended.value.code, shown.out, shown.err

    return run


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.safetensors"
    Model(random_layers([INPUTS, 8, 6]), gr.STANDARD).save(path)
    return path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frobnicate"], "No such command 'frobnicate'"),
        (["arena", "hard"], "Missing argument 'B'"),
        (["arena", "random", "random", "--games", "x"], "--games"),
        (["arena", "random", "random", "--games", "0"], "--games"),
        (["arena", "random", "nobody.safetensors"], "nobody.safetensors: no such model file"),
        (["arena", "random", "hard@9"], "plies after @ are 0, 1, 2 or 3"),
        (["arena", "random", "random", "--variant", "chess"], "unknown variant 'chess'"),
        (["train", "none.toml"], "none.toml: cannot be read"),
        (["export", "no-such-run", "x.safetensors"], "no-such-run: holds no checkpoint"),
        (["bench", "everything"], "'everything' is not one of plays, eval, learn"),
        (["eval", "XGID=zzz", "--model", "MODEL"], "XGID"),
        (["eval", "4HPwATDgc/ABM", "--model", "MODEL"], "14"),
        (["eval", "start", "--dice", "77", "--model", "MODEL"], "'77' is not a roll such as 31"),
        (["eval", "start", "--ply", "9", "--model", "MODEL"], "--ply"),
        (["eval", "start", "--variant", "hypergammon", "--model", "MODEL"], "made for standard, not for hypergammon"),
        (["eval", "start", "--model", "TRUNCATED"], "not a readable model file"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run, model, tmp_path, arguments, said):
    truncated = tmp_path / "t.safetensors"
    truncated.write_bytes(model.read_bytes()[:-10])
    files = {"MODEL": model, "TRUNCATED": truncated}
    code, out, err = run(*(files.get(one, one) for one in arguments))
    assert code == 2
    assert out == ""
    assert err.startswith("gammon-rl: ")
    assert err.count("\n") == 1
    assert said in err


def test_an_unknown_config_key_names_the_nearest(run, tmp_path):
    (tmp_path / "c.toml").write_text("gmaes = 5\n")
    code, _, err = run("train", tmp_path / "c.toml", "--run", tmp_path / "run")
    assert code == 2
    assert "unknown key 'gmaes'; the nearest known key is 'games'" in err
    assert not (tmp_path / "run").exists()


def test_arena_prints_points_with_an_interval_and_json(run, model):
    code, out, _ = run("arena", model, "random", "--games", 50, "--seed", 2**70)
    assert code == 0
    assert "points a game for" in out
    assert "95 % interval ±" in out
    code, out, _ = run("arena", "normal", "hard@0", "--model", model, "--games", 50, "--json")
    found = json.loads(out)
    assert (found["points"], found["games"], found["variant"], found["seed"]) == (0, 50, "standard", 1)


def test_eval_prints_chances_plays_and_json(run, model):
    code, out, _ = run("eval", "start", "--model", model)
    assert code == 0
    assert "pips 167 to 167" in out
    assert "best: " in out
    code, out, _ = run("eval", "start", "--dice", "3-1", "--model", model, "--json", "--plays", 3)
    found = json.loads(out)
    assert len(found["plays"]) == 3
    assert found["plays"][0]["loss"] == 0
    assert "8/5 6/5" in run("eval", "start", "--dice", "31", "--plays", 16, "--model", model)[1]


def test_eval_says_the_dice_what_is_no_decision_and_what_was_clear(run, model):
    assert ":31:" in run("eval", "start", "--dice", "31", "--model", model)[1].splitlines()[0]
    for cube, why in (("1:-1:1:00:0:0:0:0:10", "the opponent owns"), ("0:0:1:00:2:0:0:3:10", "the cube is dead"),
                      ("0:0:1:00:2:0:1:3:10", "Crawford"), ("6:1:1:00:0:0:0:0:10", "no higher than 64")):  # fmt: skip
        out = run("eval", f"XGID=-b----E-C---eE---c-e----B-:{cube}", "--model", model)[1]
        assert re.search(r"^equity [+-]\d\.\d{3} with the cube   \(1-ply\)\nno cube decision: ", out, re.MULTILINE)
        assert why in out
        assert "double/" not in out
    out = run("eval", "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:0:0:0:0:10", "--model", model)[1]
    assert re.search(r"^no redouble .*   redouble/take .*   redouble/pass ", out, re.MULTILINE)
    only = gr.Position([-1, 0, 0, 0, 0, 0, 1, *[0] * 19], dice=(6, 5)).xgid
    out = run("eval", only, "--model", model, "--ply", 3)[1]
    assert "the only play: nothing else comes near enough to look 3 plies ahead" in out


def test_eval_of_a_dance_says_so(run, model):
    board = [-3, 0, 0, 0, 0, 0, 14, *[0] * 12, *[-2] * 6, 1]
    code, out, _ = run("eval", gr.Position(board, dice=(6, 5)).xgid, "--model", model)
    assert code == 0
    assert "6-5: no legal play" in out


def test_train_export_and_play_the_result(run, tmp_path):
    pytest.importorskip("torch")
    config = tmp_path / "c.toml"
    config.write_text("games = 60\nparallel_games = 16\nsegment = 4\nminibatch = 32\nhidden = [4]\n")
    code, out, _ = run("train", config, "--run", tmp_path / "run", "--set", "seed=3")
    assert (code, out.split(".")[0]) == (0, "Done")
    code, _, err = run("train", config, "--run", tmp_path / "run", "--set", "seed=3")
    assert code == 2
    assert "already holds a run; --resume continues it" in err
    code, out, _ = run("export", tmp_path / "run", tmp_path / "m.safetensors")
    assert "layers [210, 4, 6]" in out
    assert run("arena", tmp_path / "m.safetensors", "random", "--games", 20)[0] == 0
    code, _, err = run("export", tmp_path / "run", "/proc/nowhere/m.safetensors")
    assert code == 2
    assert "cannot be written" in err


def test_bench_checks_and_times(run):
    code, out, _ = run("bench", "plays", "eval", "--seconds", 0.1, "--units", 16, "--json")
    assert code == 0
    assert [one["unit"] for one in json.loads(out)] == ["positions", "boards"]
    assert all(one["best"] >= one["typical"] > 0 for one in json.loads(out))


@pytest.mark.parametrize("command", ["play", "watch"])
def test_help_fits_80_columns_and_is_not_cut(run, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(command, "--help")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out
    assert "--automatic-doubles " in out
    assert "--dice-seed,--seed " in out
    if command == "play":
        assert "--continue goes on with it; --games" in " ".join(out.split())
        assert "every action, and --continue goes on with it; --games lists" in out  # no break in the middle


def test_eval_calls_a_beaver_a_beaver(run, model):
    gone = "XGID=-CBBBBB-----------aabbbc--:0:0:1:00:0:0:3:0:10"
    out = run("eval", gone, "--model", model, "--json")[1]
    found = json.loads(out)
    assert list(found["choices"]) == ["no double", "double/beaver", "double/take", "double/pass"]
    answer = "double/beaver" if found["action"].endswith("beaver") else "double/take"
    assert found["choices"][answer] == pytest.approx(found["dt"])
    assert "double/beaver " in run("eval", gone, "--model", model)[1]


def test_version_and_help(run):
    assert run("--version")[1].strip() == gr.__version__
    for command in ("", "train", "arena", "eval", "bench", "export", "play"):
        code, out, _ = run(*([command] if command else []), "--help")
        assert code == 0
        assert "Usage" in out
