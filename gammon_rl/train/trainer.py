"""The training run: play a segment, compute its lambda-returns, learn them, and again.

The loop is `Trainer.run`, top to bottom. Everything random comes from one generator a rank, and all state that
outlives a segment is in the checkpoint, so a run that is stopped anywhere and resumed ends as if it never was.
"""

import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.tensorboard import SummaryWriter

from gammon_rl.errors import RunError
from gammon_rl.eval.network import nested
from gammon_rl.rules.variants import variant
from gammon_rl.train.checkpoint import Checkpoint, has_checkpoint, load_checkpoint, save_checkpoint
from gammon_rl.train.config import TrainConfig, value_at
from gammon_rl.train.network import FoldedNet, Net
from gammon_rl.train.ranks import Ranks
from gammon_rl.train.returns import lambda_returns
from gammon_rl.train.selfplay import Segment, SelfPlay

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

# Shares of the six outcomes before anything is learned: even, with gammons and backgammons as good players win them.
_BASE_RATES = (0.01, 0.12, 0.37, 0.37, 0.12, 0.01)


@dataclass(frozen=True)
class Status:
    """How a run stands after a segment.

    Attributes
    ----------
    games, wanted : int
        Finished games over all ranks, and the number to reach.
    games_per_second : float
        Since this process started or resumed.
    seconds : float
        Time spent on the run so far, over all its resumptions.
    loss : float
        Mean cross-entropy in this segment, in nats.
    step_size, trace, exploration : float
        Where their schedules stand.
    start_probs : tuple of float
        The net's nested chances at the start position, for the player on roll.
    gammons, plies : float
        Share of gammons and backgammons, and plies a game, in this segment.
    memory : float
        The most memory the first rank has held, in MiB.
    """

    games: int
    wanted: int
    games_per_second: float
    seconds: float
    loss: float
    step_size: float
    trace: float
    exploration: float
    start_probs: tuple[float, ...]
    gammons: float
    plies: float
    memory: float


class Trainer:
    """One rank's part of a run.

    Parameters
    ----------
    config : TrainConfig
        What to do.
    directory : Path
        Where the run's state and its TensorBoard events live; the first rank writes there.
    ranks : Ranks
        This process among those of the run.
    resume : bool
        Continue the run that the directory holds; otherwise it must hold none.

    Raises
    ------
    RunError
        If there is nothing to resume, something in the way, or a checkpoint of another configuration.
    """

    def __init__(self, config: TrainConfig, directory: Path, ranks: Ranks | None = None, *, resume: bool = False):
        self.config = config
        self.directory = directory
        self.ranks = ranks or Ranks()
        if has_checkpoint(directory) and not resume:
            raise RunError(f"{directory}: already holds a run; --resume continues it, --run names another place")
        self.rules = variant(config.variant)
        # One generator for the first weights, the same on every rank, and one for each rank's dice.
        weights, *dice = np.random.SeedSequence(config.seed).spawn(1 + self.ranks.world)
        torch.manual_seed(int(weights.generate_state(1, np.uint64)[0] >> 1))
        self.net = Net(config.hidden, self.rules)
        self.net.start_at(_BASE_RATES)
        self.parameters = list(self.net.parameters())
        self.optimiser = torch.optim.Adam(self.parameters, lr=1.0)
        self.play = SelfPlay(self.rules, config.parallel_games, np.random.default_rng(dice[self.ranks.rank]))
        self.games = self.segments = 0
        self.seconds = 0.0
        if resume:
            self._restore(load_checkpoint(directory))

    def run(self, report: Callable[[Status], None] = lambda status: None) -> bool:
        """Train until the wanted games are played; return whether they were, or the run was interrupted.

        An interrupt (Ctrl-C) ends the run after the present segment, with a checkpoint.

        Raises
        ------
        RunError
            If the loss is no longer a number; the last checkpoint is kept.
        """
        writer = self._writer()
        started, first_games = time.monotonic(), self.games
        seconds_before, saved = self.seconds, time.monotonic()
        with _Interrupt() as interrupt, closing(writer) if writer else nullcontext():
            while self.games < self.config.games:
                share = self.games / self.config.games
                trace = value_at(self.config.trace, share)
                step_size = value_at(self.config.step_size, share)
                exploration = value_at(self.config.exploration, share)

                folded = FoldedNet(self.net)
                segment = self.play.play(folded, self.config.segment, exploration)
                targets = self._targets(folded, segment, trace)
                loss = self._learn(segment, targets, step_size)

                # What the ranks must agree on: how far the run is, whether it goes on, and whether it is time to save.
                elapsed = time.monotonic() - started
                due = self.ranks.first and time.monotonic() - saved > 60 * self.config.checkpoint_minutes
                results = segment.results
                totals = self.ranks.total(
                    [len(results), float((results > 1).sum()), loss / self.ranks.world, interrupt.asked, due]
                )
                games, gammons, loss, stop, save_now = totals
                self.games += int(games)
                self.segments += 1
                self.seconds = seconds_before + elapsed
                if not np.isfinite(loss):
                    raise RunError(
                        f"the loss became {loss} after {self.games} games (step size {step_size:g}); "
                        f"a smaller step_size may help; {self.directory} keeps the last checkpoint"
                    )
                if self.ranks.first:
                    start = nested(folded.outcomes(self.rules.start()[None]).numpy())[0]
                    plies = self.config.parallel_games * self.config.segment * self.ranks.world / max(games, 1)
                    status = Status(
                        self.games, self.config.games, (self.games - first_games) / elapsed, self.seconds,
                        loss, step_size, trace, exploration, tuple(map(float, start)),
                        gammons / max(games, 1), plies, _peak_memory(),
                    )  # fmt: skip
                    _log(writer, status)
                    report(status)
                if save_now or stop or self.games >= self.config.games:
                    self._save()
                    saved = time.monotonic()
                if stop:
                    break
        return self.games >= self.config.games

    def _targets(self, folded: FoldedNet, segment: Segment, trace: float) -> Tensor:
        plies, games = segment.points.shape
        values = folded.outcomes(segment.next_boards.reshape(-1, 26)).numpy().reshape(plies, games, 6)
        return torch.from_numpy(lambda_returns(values, segment.points, segment.explored, trace)).flatten(0, 1)

    def _learn(self, segment: Segment, targets: Tensor, step_size: float) -> float:
        """Take one pass over a segment in random order; return the mean loss."""
        for group in self.optimiser.param_groups:
            group["lr"] = step_size
        boards = torch.from_numpy(segment.boards).flatten(0, 1)
        losses = []
        order = torch.from_numpy(self.play.rng.permutation(len(boards)))
        for batch in order.split(self.config.minibatch):  # type: ignore[no-untyped-call]
            logits = self.net(boards[batch])
            loss = functional.cross_entropy(logits, targets[batch])
            self.optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.ranks.average(self.parameters)
            torch.nn.utils.clip_grad_norm_(self.parameters, self.config.gradient_limit)
            self.optimiser.step()
            losses.append(float(loss.detach()))
        return float(np.mean(losses))

    def _save(self) -> None:
        """Write a checkpoint; a meeting point of the ranks."""
        rng_states = self.ranks.gather(self.play.rng.bit_generator.state)
        plays = self.ranks.gather((self.play.boards, self.play.opening))
        if not self.ranks.first:
            return
        tensors: dict[str, Any] = {}
        for number, parameter in enumerate(self.parameters):
            tensors[f"weights.{number}"] = parameter.detach().numpy()
            for name, value in self.optimiser.state[parameter].items():
                tensors[f"adam.{number}.{name}"] = value.numpy()
        for rank, (boards, opening) in enumerate(plays):
            tensors[f"boards.{rank}"], tensors[f"opening.{rank}"] = boards, opening
        about = {
            "config": self.config.as_dict(),
            "games": self.games,
            "segments": self.segments,
            "seconds": self.seconds,
            "rng": rng_states,
        }
        save_checkpoint(self.directory, Checkpoint(tensors, about))

    def _restore(self, checkpoint: Checkpoint) -> None:
        about, tensors = checkpoint.about, checkpoint.tensors
        now = self.config.as_dict()
        changed = [
            f"{name} was {about['config'].get(name)!r} and is {now[name]!r}"
            for name in now
            if about["config"].get(name) != now[name] and name != "checkpoint_minutes"
        ]
        if changed:
            raise RunError(f"{self.directory}: the run has another configuration: {'; '.join(changed)}")
        if len(about["rng"]) != self.ranks.world:
            raise RunError(f"{self.directory}: the run has {len(about['rng'])} ranks, this is {self.ranks.world}")
        self.games, self.segments, self.seconds = about["games"], about["segments"], about["seconds"]
        self.play.boards = tensors[f"boards.{self.ranks.rank}"]
        self.play.opening = tensors[f"opening.{self.ranks.rank}"]
        self.play.rng.bit_generator.state = about["rng"][self.ranks.rank]
        with torch.no_grad():
            for number, parameter in enumerate(self.parameters):
                parameter.copy_(torch.from_numpy(tensors[f"weights.{number}"]))
                prefix = f"adam.{number}."
                self.optimiser.state[parameter] = {
                    name.removeprefix(prefix): torch.from_numpy(tensor)
                    for name, tensor in tensors.items()
                    if name.startswith(prefix)
                }

    def _writer(self) -> SummaryWriter | None:
        if not self.ranks.first:
            return None
        self.directory.mkdir(parents=True, exist_ok=True)
        writer = SummaryWriter(str(self.directory), purge_step=self.games or None)
        if self.games == 0:
            values = {name: str(value) for name, value in self.config.as_dict().items()}
            writer.add_hparams(values, {"hparam/games": self.config.games}, run_name=".")
        return writer


def _log(writer: SummaryWriter | None, status: Status) -> None:
    """Write the scalars of a segment, over games."""
    if writer is None:
        return
    win, gammon, _, lost_gammon, _ = status.start_probs
    scalars = {
        "learning/loss": status.loss,
        "learning/step_size": status.step_size,
        "learning/lambda": status.trace,
        "learning/exploration": status.exploration,
        "speed/games_per_second": status.games_per_second,
        "speed/seconds": status.seconds,
        "start/win": win,
        "start/gammon": gammon,
        "start/lost_gammon": lost_gammon,
        "games/gammons": status.gammons,
        "games/plies": status.plies,
        "speed/memory_mib": status.memory,
    }
    for name, value in scalars.items():
        writer.add_scalar(name, value, status.games)


def _peak_memory() -> float:
    """Return the most memory this process has held, in MiB; 0 where the system does not say."""
    if resource is None:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB, but bytes on macOS
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


class _Interrupt:
    """Notes the first Ctrl-C instead of stopping at once; a second one stops at once."""

    asked = False

    def __enter__(self) -> "_Interrupt":
        try:
            self._before = signal.signal(signal.SIGINT, self._note)
        except ValueError:  # not the main thread: whoever owns it handles Ctrl-C
            self._before = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, *_: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
