"""Check a gammon_rl installed from its wheel, without the training libraries and away from the sources."""

import importlib.util
import subprocess
import sys
from pathlib import Path

LIMIT = 1.0  # seconds; NumPy is the larger part of what it really takes, about a tenth of this

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

import gammon_rl as gr  # noqa: E402

where = Path(gr.__file__)
assert "site-packages" in where.parts, f"not the installed package: {where}"
for name in gr.__all__:
    getattr(gr, name)
parents, _ = gr.legal_plays(gr.STANDARD.start()[None], (3, 1))
assert len(parents) == 16, f"3-1 from the start has 16 plays, got {len(parents)}"

print(f"import gammon_rl: {seconds:.3f} s; every name of the front door works without torch")
