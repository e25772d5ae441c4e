"""The layers of the package: imports point down only, and the heavy libraries stay where they belong.

Most of it reads the modules with `ast`, so an import counts wherever it stands: inside a function, under
TYPE_CHECKING, or as a literal handed to `import_module`. The end imports the real thing in a fresh process.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

PACKAGE: Final = "gammon_rl"
ROOT: Final = Path(__file__).parents[1] / PACKAGE
FILES: Final = sorted(ROOT.rglob("*.py"))

# From the top down; modules on one line do not know each other.
LAYERS: Final = (
    ("cli",),
    ("serve",),
    ("train",),
    ("bots",),
    ("table",),
    ("eval", "stakes"),
    ("exact",),
    ("rules",),
    ("errors", "processes", "writing"),
)
HEIGHT: Final = {layer: -depth for depth, layers in enumerate(LAYERS) for layer in layers}

# What each layer may use beyond the standard library.
LIBRARIES: Final = {
    "cli": {"numpy", "rich", "typer"},
    "serve": {"numpy", "pydantic", "starlette", "uvicorn"},
    "train": {"matplotlib", "numpy", "safetensors", "tensorboard", "torch"},
    "bots": {"numpy"},
    "table": {"numpy"},
    "eval": {"numpy", "onnx", "onnxruntime", "safetensors"},
    "stakes": {"numpy"},
    "exact": {"numpy"},
    "rules": {"numpy"},
    "errors": set[str](),
    "processes": set[str](),
    "writing": set[str](),
}


def module_name(path: Path) -> str:
    """Return the dotted name of a file of the package; `__init__` stays as a last part of its own."""
    return ".".join((PACKAGE, *path.relative_to(ROOT).with_suffix("").parts))


def imports(module: str, source: str) -> Iterator[tuple[int, str, bool]]:
    """Yield (line, dotted target, whether it happens while the module is being loaded) for every import."""
    package = module.split(".")[:-1]

    def walk(node: ast.AST, loading: bool) -> Iterator[tuple[int, str, bool]]:
        match node:
            case ast.Import():
                for alias in node.names:
                    yield node.lineno, alias.name, loading
            case ast.ImportFrom():
                above = package[: len(package) + 1 - node.level] if node.level else []
                base = [*above, *(node.module or "").split(".")] if node.module else above
                for alias in node.names:
                    yield node.lineno, ".".join([*base, alias.name]), loading
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, name, loading
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        never = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for child in ast.iter_child_nodes(node):
            yield from walk(child, loading and not later and not never)

    return walk(ast.parse(source), True)


def faults(module: str, source: str) -> list[str]:
    """Return every import of the module that the layers forbid, in words."""
    layer = module.split(".")[1]
    if layer == "__init__":  # the front door: lazy, and free to name anything
        return []
    if layer == "__main__":
        layer = "cli"
    if layer not in HEIGHT:
        return [f"{module}: has no layer; give it one in LAYERS"]
    found = []
    for line, target, loading in imports(module, source):
        top, _, rest = target.partition(".")
        other = rest.partition(".")[0]
        where = f"{module}:{line}: {layer} imports {target}"
        if top != PACKAGE:
            if top not in sys.stdlib_module_names and top not in LIBRARIES[layer]:
                found.append(f"{where}, a library that is not for this layer")
        elif other not in HEIGHT:
            # Everything can be reached through the front door, so below the top only its own number is to be had.
            if layer != "cli" and other != "__version__":
                found.append(f"{where}, which is the front door, not a layer")
        elif other != layer and HEIGHT[other] >= HEIGHT[layer]:
            found.append(f"{where}, which is not below it")
        elif layer == "cli" and other == "train" and loading:
            found.append(f"{where} while loading; torch comes with it, so import it inside the command")
    return found


def loaded_after(code: str) -> set[str]:
    """Return the top-level modules a fresh Python has loaded once it ran the code."""
    program = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT.parent, stdout=subprocess.PIPE, check=True)
    return {name.partition(".")[0] for name in done.stdout.decode().split()}


def test_every_layer_is_placed_once_and_has_its_libraries() -> None:
    placed = [layer for layers in LAYERS for layer in layers]
    assert len(placed) == len(set(placed))
    assert set(placed) == set(LIBRARIES)


def test_the_files_are_found() -> None:
    assert {"gammon_rl.errors", "gammon_rl.rules.board"} <= {module_name(path) for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_imports_point_down(path: Path) -> None:
    assert faults(module_name(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        # upwards, in every way an import can be written
        ("gammon_rl.rules.board", "from gammon_rl.eval import model"),
        ("gammon_rl.rules.board", "from gammon_rl import bots"),
        ("gammon_rl.rules.board", "import gammon_rl.bots.search as search"),
        ("gammon_rl.rules.board", "from ..eval import model"),
        ("gammon_rl.rules.board", "from .. import eval"),
        ("gammon_rl.rules.__init__", "from ..eval import model"),
        ("gammon_rl.errors", "from gammon_rl.rules.board import turn"),
        ("gammon_rl.errors", "from .rules import board"),
        ("gammon_rl.bots.search", "def f():\n    from gammon_rl.train import loop"),
        ("gammon_rl.bots.search", "if TYPE_CHECKING:\n    from gammon_rl.train import loop"),
        ("gammon_rl.bots.search", "import importlib\nimportlib.import_module('gammon_rl.train')"),
        ("gammon_rl.table.core", "from gammon_rl.bots import Bot"),
        ("gammon_rl.exact.bearoff", "from gammon_rl.stakes import equity"),
        ("gammon_rl.train.loop", "from gammon_rl.cli import main"),
        # sideways
        ("gammon_rl.eval.model", "from gammon_rl.stakes import equity"),
        ("gammon_rl.stakes.cube", "from gammon_rl.eval import model"),
        # through the front door
        ("gammon_rl.bots.search", "import gammon_rl as gr"),
        ("gammon_rl.bots.search", "from gammon_rl import Bot"),
        # libraries
        ("gammon_rl.eval.model", "import torch"),
        ("gammon_rl.eval.model", "def f():\n    from torch import nn"),
        ("gammon_rl.bots.search", "from torch.utils.tensorboard import SummaryWriter"),
        ("gammon_rl.cli.train", "def command():\n    import torch"),
        ("gammon_rl.rules.board", "import safetensors.numpy"),
        ("gammon_rl.bots.search", "from safetensors import safe_open"),
        ("gammon_rl.table.core", "import rich"),
        ("gammon_rl.errors", "import numpy as np"),
        # the command line waits with the heavy part
        ("gammon_rl.cli.train", "from gammon_rl.train import loop"),
        ("gammon_rl.__main__", "from gammon_rl.train import loop"),
        ("gammon_rl.cli.train", "class C:\n    from gammon_rl import train"),
        # a new module has to be given its place
        ("gammon_rl.helpers", "x = 1"),
    ],
)
def test_a_planted_fault_is_found(module: str, source: str) -> None:
    assert len(faults(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("gammon_rl.rules.board", "import numpy as np\nfrom gammon_rl.errors import GammonError"),
        ("gammon_rl.rules.board", "from collections.abc import Iterator\nfrom .variants import STANDARD"),
        ("gammon_rl.rules.__init__", "from .board import turn\nfrom ..errors import GammonError"),
        ("gammon_rl.eval.model", "import safetensors.numpy\nfrom gammon_rl.exact import bearoff"),
        ("gammon_rl.bots.search", "from gammon_rl.eval import model\nfrom gammon_rl.stakes import equity"),
        ("gammon_rl.table.table", "from gammon_rl.rules.position import Position\nfrom gammon_rl.stakes import worth"),
        ("gammon_rl.bots.search", "from gammon_rl.table.table import Table"),
        ("gammon_rl.bots.search", "text = 'import torch'  # import torch"),
        ("gammon_rl.train.loop", "import torch\nfrom torch.utils.tensorboard import SummaryWriter"),
        ("gammon_rl.cli.train", "def command():\n    from gammon_rl.train import loop"),
        ("gammon_rl.train.loop", "from gammon_rl import __version__"),
        ("gammon_rl.cli.train", "if TYPE_CHECKING:\n    from gammon_rl.train import loop"),
        ("gammon_rl.__main__", "from gammon_rl.cli import main"),
        ("gammon_rl.cli.app", "import typer\nfrom gammon_rl import __version__"),
        ("gammon_rl.__init__", "def __getattr__(name):\n    from gammon_rl.train import loop"),
    ],
)
def test_a_good_import_passes(module: str, source: str) -> None:
    assert faults(module, source) == []


def test_the_front_door_is_light() -> None:
    assert not loaded_after("import gammon_rl") & {"torch", "tensorboard", "rich", "typer"}


def test_every_name_of_the_front_door_works_without_the_training_libraries() -> None:
    code = "import gammon_rl as gr\nassert gr.__all__\nfor name in gr.__all__: getattr(gr, name)"
    assert not loaded_after(code) & {"torch", "tensorboard", "rich", "typer"}


def test_the_command_line_loads_without_the_training_libraries() -> None:
    assert not loaded_after("import gammon_rl.cli") & {"torch", "tensorboard"}
