"""Runs the Python of a page as written; a comment with an arrow is what a line gives."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def run_page(name: str) -> int:
    """Run the blocks of a page one after the other, with the same names, and return how many promises were kept."""
    names: dict[str, object] = {}
    kept = 0
    for code in re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), flags=re.DOTALL):
        block = []
        for line in code.splitlines():
            promise = re.search(r"  # -> (.*)$", line)
            if not promise:
                block.append(line)
                continue
            exec("\n".join(block), names)
            block = []
            assert repr(eval(line.partition("  # ->")[0], names)) == promise[1], line
            kept += 1
        exec("\n".join(block), names)
    return kept
