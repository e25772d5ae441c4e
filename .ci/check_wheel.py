"""Check a gammon_rl installed from its wheel, without torch and away from the sources.

The arguments are the folder of the sources with the released models, all of which must have come along, and a page
whose first Python has to run as written.
"""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

LIMIT = 0.3  # seconds; the front door is lazy, so that this is many times what it takes
LARGEST = 40  # megabytes of what is installed beside NumPy
NOT_OURS = ("numpy", "pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")

PROGRAM = """
import sys, time
begin = time.perf_counter()
import gammon_rl
print(time.perf_counter() - begin)
assert not {"torch", "rich"} & set(sys.modules), "import gammon_rl loads torch or rich"
"""

assert importlib.util.find_spec("torch") is None, "torch came with the wheel"

# The best of three: the first one also compiles, and the machine may be busy.
seconds = min(float(subprocess.check_output([sys.executable, "-c", PROGRAM])) for _ in range(3))
assert seconds < LIMIT, f"import gammon_rl took {seconds:.2f} s"
print(f"import gammon_rl takes {seconds:.3f} s")

import gammon_rl as gr  # noqa: E402

assert "site-packages" in Path(gr.__file__).parts, f"not the installed package: {gr.__file__}"
for name in gr.__all__:
    getattr(gr, name)
parents, _ = gr.legal_plays(gr.STANDARD.start()[None], (3, 1))
assert len(parents) == 16, f"3-1 from the start has 16 plays, got {len(parents)}"
print(f"{len(gr.__all__)} names of the front door work without torch")

for file in sorted(Path(sys.argv[1]).glob("*.safetensors")):
    model = gr.load_model(file.stem)
    win = float(model.probs(model.rules.start())[0])
    assert 0.4 < win < 0.7, f"{file.stem} gives the player on roll {win:.3f} at the start"
    print(f"the released model {file.stem} loads by name and wins {win:.3f} at the start")

code = re.findall(r"```python\n(.*?)```", Path(sys.argv[2]).read_text(), flags=re.DOTALL)[0]
names: dict[str, object] = {}
for line in code.splitlines():
    statement, arrow, promise = line.partition("  # -> ")
    if arrow:
        assert repr(eval(statement, names)) == promise, line
    else:
        exec(statement, names)
print(f"the first {len(code.splitlines())} lines of {Path(sys.argv[2]).name} run as written")

root = Path(gr.__file__).parent
assert (root / "py.typed").is_file(), "py.typed did not come along"
installed = [path for path in root.parent.iterdir() if not path.name.startswith(NOT_OURS)]
files = [file for path in installed for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file()]
megabytes = sum(file.stat().st_size for file in files) / 1e6
assert megabytes < LARGEST, f"{megabytes:.1f} MB are installed beside NumPy"
print(f"{megabytes:.1f} MB are installed beside NumPy, with types")
