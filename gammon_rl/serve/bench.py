"""How much a server bears: `wrk` asks for plays without a pause, and every answer, memory and CPU are watched.

``scripts/load_test --seconds 300`` is the measurement, best on an otherwise idle machine with a core for `wrk` beside
those of the workers. `wrk` (https://github.com/wg/wrk) is a package of most systems.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np

from gammon_rl.bots.bot import Bot
from gammon_rl.rules.board import results
from gammon_rl.rules.dice import roll
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import STANDARD

_LUA: Final = """
local bodies, at = {{}}, 0
for line in io.lines("{file}") do bodies[#bodies + 1] = line end
wrk.method, wrk.path = "POST", "/v1/play"
wrk.headers["Content-Type"] = "application/json"
wrong = 0
function request()
  at = at % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[at])
end
local threads = {{}}
function setup(thread) threads[#threads + 1] = thread end
function response(status, headers, body)
  if status ~= 200 or not body:find('^{{"text":"[^"]+","steps":.*}}$') then wrong = wrong + 1 end
end
function done(summary, latency, requests)
  local all, e = 0, summary.errors
  for _, thread in ipairs(threads) do all = all + thread:get("wrong") end
  print(string.format("%d requests, %.0f a second", summary.requests, summary.requests / summary.duration * 1e6))
  print(string.format("latency: median %.1f ms, 99 %% %.1f ms, 99.9 %% %.1f ms, longest %.1f ms",
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency:percentile(99.9) / 1e3, latency.max / 1e3))
  print(string.format("%d wrong answers; errors: connect %d, read %d, write %d, status %d, timeout %d",
    all, e.connect, e.read, e.write, e.status, e.timeout))
end
"""


def bodies(number: int, bot: str, seed: int = 1) -> Iterator[str]:
    """Yield so many bodies of requests for plays, from games of Normal with itself, for money and at match scores."""
    rng = np.random.default_rng(seed)
    player, board = Bot("normal"), STANDARD.start()
    for at in range(number):
        first, second = roll(rng, 1)[0].tolist()
        length = (0, 7)[at % 2]
        position = Position(
            board, match_length=length, score=(at % 5, at % 7) if length else (0, 0), dice=(first, second)
        )
        yield f'{{"position":"{position.xgid}","bot":"{bot}"}}'
        board = player.choose_play(position, (first, second)).afterstate
        if results(board):
            board = STANDARD.start()


@contextmanager
def server(*flags: str) -> Iterator[tuple[int, str]]:
    """Run a server on a free port; yield its process and its address."""
    command = [sys.executable, "-m", "gammon_rl", "serve", "--port", "0", *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split()[0]
        yield process.pid, address
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _cpu(parent: int) -> float:
    """Return the CPU seconds of all workers, those that have ended included."""
    ticks = sum(map(int, _stat(parent)[13:15])) + sum(sum(map(int, _stat(pid)[11:13])) for pid in _workers(parent))
    return ticks / os.sysconf("SC_CLK_TCK")


def _memory(parent: int) -> float:
    """Return the megabytes that the workers have for themselves."""
    private = 0
    for pid in _workers(parent):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Private_"):
                private += int(line.split()[1])
    return private / 1024


def _workers(parent: int) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def _stat(pid: int) -> list[str]:
    """Return the fields of a process from its state on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()


def _main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--bot", default="normal")
    parser.add_argument("--kill", type=int, default=0, help="Kill a worker every so many seconds.")
    asked = parser.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("the load test needs wrk, which is a package of most systems")
    with tempfile.TemporaryDirectory() as folder, server("--workers", str(asked.workers)) as (parent, address):
        texts, script = Path(folder) / "bodies", Path(folder) / "plays.lua"
        texts.write_text("\n".join(bodies(2000, asked.bot)) + "\n")
        script.write_text(_LUA.format(file=texts))
        wrk = ["wrk", "-t1", f"-c{asked.connections}", f"-d{asked.seconds}s", "--timeout", "10s", "-s", str(script)]
        begin, cpu, memory = time.monotonic(), _cpu(parent), [_memory(parent)]
        with subprocess.Popen([*wrk, address], stdout=subprocess.PIPE, text=True) as running:
            while running.poll() is None:
                time.sleep(1)
                second = len(memory)
                if asked.kill and second % asked.kill == 0:
                    os.kill(_workers(parent)[0], signal.SIGKILL)
                    time.sleep(0.2)
                memory.append(_memory(parent))
            seconds, used = time.monotonic() - begin, _cpu(parent) - cpu
            assert running.stdout is not None
            said = running.stdout.read()
        requests = re.search(r"(\d+) requests, .*", said, flags=re.DOTALL)
        assert requests
        print(requests[0].strip())
        print(f"{used:.1f} CPU-seconds in {seconds:.1f} s: {int(requests[1]) / used:.0f} requests a CPU-second")
        print("memory of the workers' own, MB:", *(f"{memory[at]:.1f}" for at in range(0, len(memory), 10)))


if __name__ == "__main__":
    _main()
