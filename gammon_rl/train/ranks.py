"""The processes of a run: one trains alone, several play their own games and average their gradients.

Started by `launch` on this machine, or by ``torchrun`` on any number of them. Each process computes with one thread.
"""

import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.synchronize import Event
from typing import Any, TypeVar

import torch
from torch import distributed

from gammon_rl.errors import ConfigError, GammonError, RunError
from gammon_rl.processes import deaf_to_interrupts

T = TypeVar("T")


@dataclass(frozen=True)
class Ranks:
    """One of `world` processes. Every method but `alone` is a meeting point: all of them must call it."""

    rank: int = 0
    world: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the process that reports and writes."""
        return self.rank == 0

    def device(self, kind: str) -> torch.device:
        """Return this rank's device of a kind: ``cpu``, ``mps``, or its own one of ``cuda``.

        Raises
        ------
        ConfigError
            If there is none here.
        """
        there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        if not there.get(kind):
            raise ConfigError(
                f"device {kind!r} is not to be had here; there is {', '.join(k for k in there if there[k])}"
            )
        if kind != "cuda":
            return torch.device(kind)
        own = torch.device("cuda", int(os.environ.get("LOCAL_RANK", self.rank)) % torch.cuda.device_count())
        torch.cuda.set_device(own)
        return own

    def average(self, parameters: list[torch.nn.Parameter]) -> None:
        """Replace gradients by their mean over the ranks."""
        if self.world == 1:
            return
        gradients = [one.grad for one in parameters if one.grad is not None]
        flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
        distributed.all_reduce(flat)
        flat /= self.world
        parts = torch.split(flat, [one.numel() for one in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))

    def total(self, values: list[float]) -> list[float]:
        """Return the sum of each value over the ranks."""
        if self.world == 1:
            return values
        tensor = torch.tensor(values, dtype=torch.float64)
        distributed.all_reduce(tensor)
        return [float(value) for value in tensor]

    def gather(self, value: T) -> list[T]:
        """Return the values of all ranks, first to last, on every rank."""
        if self.world == 1:
            return [value]
        values: list[Any] = [None] * self.world
        distributed.all_gather_object(values, value)
        return values


def launch(workers: int, work: Callable[[Ranks], T]) -> T:
    """Run `work` in this process and in `workers` - 1 others, and return what this one returns.

    Under ``torchrun`` the processes exist already and `workers` is not looked at.

    Raises
    ------
    RunError
        If another process ended before its work was done.
    """
    torch.set_num_threads(1)
    if "TORCHELASTIC_RUN_ID" in os.environ:
        distributed.init_process_group(_backend(), timeout=_TIMEOUT)
        try:
            return work(Ranks(distributed.get_rank(), distributed.get_world_size()))
        finally:
            distributed.destroy_process_group()
    if workers == 1:
        return work(Ranks())
    port = _free_port()
    context = torch.multiprocessing.get_context("spawn")
    ready = [context.Event() for _ in range(1, workers)]
    others = [
        context.Process(target=_other, args=(rank, workers, port, work, ready[rank - 1]), daemon=True)
        for rank in range(1, workers)
    ]
    try:
        with deaf_to_interrupts():  # Ctrl-C is for the first process to answer, and to pass on
            for process in others:
                process.start()
        # Once they meet, they wait for each other where Python hears no Ctrl-C; so they meet when all are there.
        for process, one in zip(others, ready, strict=True):
            while not one.wait(timeout=0.2):
                if not process.is_alive():
                    raise RunError(f"a worker process ended with exit code {process.exitcode} before it began")
        _join(0, workers, port)
        return work(Ranks(0, workers))
    except RuntimeError as error:
        deadline = time.monotonic() + 3  # one that has just broken the connection is about to end
        while all(process.is_alive() for process in others):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        raise RunError("a worker process ended before its work was done; --resume goes on from a checkpoint") from error
    finally:
        if distributed.is_initialized():
            distributed.destroy_process_group()
        for process in others:
            if process.pid is not None:
                process.join(timeout=5)
                process.kill()


_TIMEOUT = timedelta(minutes=10)


def _backend() -> str:
    return "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"


def _join(rank: int, world: int, port: int) -> None:
    address = f"tcp://127.0.0.1:{port}"
    distributed.init_process_group(_backend(), init_method=address, rank=rank, world_size=world, timeout=_TIMEOUT)


def _other(rank: int, world: int, port: int, work: Callable[[Ranks], Any], ready: Event) -> None:
    torch.set_num_threads(1)
    ready.set()
    try:
        _join(rank, world, port)
        work(Ranks(rank, world))
        distributed.destroy_process_group()
    except (RuntimeError, GammonError):
        # The first process has met the same and says it, or it is gone.
        os._exit(1)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
