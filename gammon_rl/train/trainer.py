"""The training run: play a segment, compute its lambda-returns, learn them, and again.

The loop is `Trainer.run`, top to bottom. Everything random comes from one generator a rank, and all state that
outlives a segment is in the checkpoint, so a run that is stopped anywhere and resumed ends as if it never was.
"""

import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional
from torch.utils.tensorboard import SummaryWriter

from gammon_rl.errors import RunError
from gammon_rl.eval.evaluator import Evaluator
from gammon_rl.eval.exactly import WithBearoff
from gammon_rl.eval.model import Model, load_model
from gammon_rl.eval.network import POINTS, nested
from gammon_rl.exact.bearoff import load_bearoff
from gammon_rl.exact.hypergammon import load_solved
from gammon_rl.rules.variants import Boards, variant
from gammon_rl.train.checkpoint import (
    Checkpoint,
    load_seconds,
    locked,
    refuse_to_overwrite,
    resumed,
    save_checkpoint,
    save_seconds,
)
from gammon_rl.train.config import SOLVED, TrainConfig, value_at
from gammon_rl.train.labels import Replay, label, remove_labels
from gammon_rl.train.meter import Meter
from gammon_rl.train.network import Judge, Net, precision
from gammon_rl.train.ranks import Ranks
from gammon_rl.train.returns import lambda_returns
from gammon_rl.train.selfplay import SelfPlay

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

Floats = NDArray[np.float32]

_HELD_OUT_OF = 32  # of so many segments of labels one is not learned from

# Shares of the six outcomes before anything is learned: even, with gammons and backgammons as good players win them.
_BASE_RATES = (0.01, 0.12, 0.37, 0.37, 0.12, 0.01)


@dataclass(frozen=True)
class Status:
    """How a run stands after a piece of it.

    Attributes
    ----------
    stage : str
        What it is doing: ``self-play``, or ``labels`` or ``fit`` with the generation.
    done, wanted : int
        How far that is: games, labels or passes, over all ranks.
    games : int
        Finished games of self-play over all ranks.
    loss : float or None
        Mean cross-entropy of what was learned in this piece, in nats.
    scalars : mapping
        All that TensorBoard is told, by name.
    """

    stage: str
    done: int
    wanted: int
    games: int
    loss: float | None
    scalars: Mapping[str, float]


class Trainer:
    """One rank's part of a run.

    A run plays `games` with TD(lambda), then makes and fits `generations` of luck-adjusted labels. Its pieces, between
    which it can be stopped, are a segment of self-play, a segment of labels, and a pass over the labels.

    Parameters
    ----------
    config : TrainConfig
        What to do.
    directory : Path
        Where the run's state and its TensorBoard events live; the first rank writes there, and each rank its labels.
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
        checkpoint = resumed(directory, config) if resume else None
        if checkpoint is None:
            refuse_to_overwrite(directory)
        self.rules = variant(config.variant)
        # One generator for the first weights, the same on every rank, and one for each rank's dice.
        weights, *dice = np.random.SeedSequence(config.seed).spawn(1 + self.ranks.world)
        torch.manual_seed(int(weights.generate_state(1, np.uint64)[0] >> 1))
        self.net = Net(config.hidden, self.rules, with_shots=config.shots)
        self.net.start_at(_BASE_RATES)
        if config.start and not checkpoint:
            self.net.grow_from(_model_for(config, "start").layers)
        self.nets = [self.net]
        if config.companion:
            self.nets.append(Net(config.companion, self.rules))
            self.nets[1].start_at(_BASE_RATES)
        for net in self.nets:
            net.to(self.ranks.device(config.device))
        self.precision = precision(config.precision, self.net.device)
        self.bearoff = load_bearoff(self.rules) if config.bearoff else None
        self.teacher = self._teacher() if config.teacher else None
        self.parameters = [parameter for net in self.nets for parameter in net.parameters()]
        self.optimiser = self._fresh_optimiser()
        self.rng = np.random.default_rng(dice[self.ranks.rank])
        quick = _model_for(config, "quick") if config.quick else None
        starts = [variant(name).start() for name in config.other_starts]
        self.play = SelfPlay(self.rules, config.parallel_games, self.rng, quick, starts)
        self.replay = Replay()
        self.games = self.segments = self.generation = self.epoch = 0
        self.held_out = math.inf  # loss on the labels not learned from, after the last pass
        self.seconds = 0.0
        if checkpoint:
            self._restore(checkpoint)

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do."""
        return self.games >= self.config.games and self.generation >= self.config.generations

    def run(self, report: Callable[[Status], None] = lambda status: None) -> bool:
        """Train to the end of the run; return whether that was reached, or the run was interrupted.

        An interrupt (Ctrl-C) ends the run after the present piece, with a checkpoint.

        Raises
        ------
        RunError
            If the loss is no longer a number, the directory cannot be written, or another process trains in it. The
            last checkpoint is kept.
        """
        if not self.ranks.first:
            return self._run(None, report)
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            with locked(self.directory), closing(self._writer()) as writer:
                return self._run(writer, report)
        except OSError as error:
            raise RunError(f"{self.directory}: the run cannot be kept there ({error.strerror or error})") from error

    def _run(self, writer: SummaryWriter | None, report: Callable[[Status], None]) -> bool:
        started = saved = measured = time.monotonic()
        meter = Meter(self.rules, self.config.meter_games) if writer and self.config.meter_minutes else None
        seconds_before = self.seconds
        with _Interrupt() as interrupt:
            while not self.finished:
                if self.games < self.config.games:
                    status = self._self_play()
                elif self.replay.size(self.generation) < self._labels_wanted():
                    status = self._label()
                else:
                    status = self._fit()
                (played,) = self.ranks.total([self.play.ended])
                now = time.monotonic()
                self.seconds = seconds_before + now - started
                if writer:
                    # Self-play is shown over games, what comes after over pieces of the run.
                    at = status.games if status.stage == "self-play" else self.segments
                    scalars = {
                        **status.scalars,
                        "games/played": played,
                        "speed/seconds": self.seconds,
                        "speed/memory_mib": _peak_memory(),
                    }
                    # What was measured on the way is measured at the end as well.
                    if meter and (
                        now - measured > 60 * self.config.meter_minutes or (self.finished and measured > started)
                    ):
                        scalars |= meter(self.net)
                        measured = time.monotonic()
                    for name, value in scalars.items():
                        # Over time, TensorBoard is to show the seconds of the run, however often it was stopped.
                        writer.add_scalar(name, value, at, walltime=self.seconds)
                    report(status)
                # The ranks must agree on when to save and when to stop.
                due = self.ranks.first and now - saved > 60 * self.config.checkpoint_minutes
                stop, save = self.ranks.total([interrupt.asked, due])
                if save or stop or self.finished:
                    self._save()
                    saved = time.monotonic()
                if stop:
                    break
        return self.finished

    def _self_play(self) -> Status:
        """Play a segment, and learn its lambda-returns in one pass."""
        config, began = self.config, time.monotonic()
        share = self.games / config.games
        trace, step_size = value_at(config.trace, share), value_at(config.step_size, share)
        exploration = value_at(config.exploration, share)
        judge = self._judge()
        segment = self.play.play(judge, config.segment, exploration)
        plies, games = segment.points.shape
        values = judge.outcomes(segment.next_boards.reshape(-1, 26)).reshape(plies, games, 6)
        targets = lambda_returns(values, segment.points, segment.explored, trace)
        boards = segment.boards.reshape(-1, 26)
        order = self.rng.permutation(len(boards))
        loss = self._learn(boards, targets.reshape(-1, 6), order, config.minibatch, lambda done: step_size)
        ended, big, loss = self.ranks.total(
            [len(segment.results), float((segment.results > 1).sum()), loss / self.ranks.world]
        )
        self.games += int(ended)
        self.segments += 1
        self._check(loss, step_size)
        win, gammon, _, lost_gammon, _ = nested(judge.outcomes(self.rules.start()[None]))[0]
        scalars = {
            "learning/loss": loss,
            "learning/step_size": step_size,
            "learning/lambda": trace,
            "learning/exploration": exploration,
            "start/win": float(win),
            "start/gammon": float(gammon),
            "start/lost_gammon": float(lost_gammon),
            "speed/games_per_second": ended / (time.monotonic() - began),
        }
        if ended:
            scalars |= {"games/gammons": big / ended, "games/plies": plies * games * self.ranks.world / ended}
        return self._status("self-play", self.games, config.games, loss, scalars)

    def _labels_wanted(self) -> int:
        """Return how many labels each rank makes in a generation: whole segments of them."""
        segment = self.config.label_games * self.config.label_segment
        return segment * -(-self.config.labels // (segment * self.ranks.world))

    def _label(self) -> Status:
        """Label a segment of play."""
        config, began = self.config, time.monotonic()
        if len(self.play.boards) != config.label_games:
            # The games go on as they are, with copies or without some of them to make the number.
            wanted = np.arange(config.label_games) % len(self.play.boards)
            self.play.boards, self.play.opening = self.play.boards[wanted], self.play.opening[wanted]
        trace = value_at(config.label_trace, self.generation / config.generations)
        if self.teacher:
            segment = self.play.play(self._judge(), config.label_segment, value_at(config.exploration, 1.0))
            boards = segment.boards.reshape(-1, 26)
            targets = self.teacher.outcomes(boards)
        else:
            boards, targets = label(self.play, self._judge(), config.label_segment, trace)
        self.replay.add(self.generation, boards, targets)
        self.segments += 1
        scalars = {
            "labels/lambda": trace,
            "labels/per_second": len(boards) * self.ranks.world / (time.monotonic() - began),
            "labels/spread": float((targets @ POINTS).std()),
        }
        done = self.replay.size(self.generation) * self.ranks.world
        wanted_labels = self._labels_wanted() * self.ranks.world
        return self._status("labels", done, wanted_labels, None, scalars)

    def _fit(self) -> Status:
        """Take a pass over the labels of the last generations; the last pass ends the generation."""
        config, began = self.config, time.monotonic()
        last = self.generation + 1 == config.generations
        epochs = (config.last_epochs if last else 0) or config.epochs
        if self.epoch == 0:
            self.replay.keep_from(self.generation - config.replay + 1)
            self.optimiser = self._fresh_optimiser()
            self.held_out = math.inf
        boards, targets = self.replay.arrays()
        # Whole segments are held out: neighbours in a game are too much alike to judge one by the other.
        segment = config.label_games * config.label_segment
        held = np.arange(len(boards)) // segment % _HELD_OUT_OF == 0
        if held.all():
            held[:] = False
        order = self.rng.permutation(np.flatnonzero(~held))
        loss = self._learn(
            boards, targets, order, config.fit_minibatch,
            lambda done: value_at(config.fit_step_size, (self.epoch + done) / epochs),
        )  # fmt: skip
        loss, held_out = (
            total / self.ranks.world for total in self.ranks.total([loss, self._loss(boards[held], targets[held])])
        )
        self._check(loss, value_at(config.fit_step_size, self.epoch / epochs))
        worse, self.held_out = held_out > self.held_out, held_out
        self.epoch += 1
        self.segments += 1
        scalars = {
            "fit/loss": loss,
            "fit/held_out": held_out,
            "fit/positions_per_second": len(order) * self.ranks.world / (time.monotonic() - began),
        }
        status = self._status("fit", self.epoch, epochs, held_out, scalars)
        if self.epoch == epochs or (worse and 2 * self.epoch > epochs):  # a large step size may make it worse at first
            self.generation, self.epoch = self.generation + 1, 0
        return status

    def _teacher(self) -> Evaluator:
        """Return whose values the labels are."""
        if self.config.teacher == SOLVED:
            return load_solved(self.rules)
        model = _model_for(self.config, "teacher")
        return WithBearoff(model, self.bearoff) if self.bearoff else model

    def _judge(self) -> Judge:
        """Return the net as it is now, with its companion as it is now beside it."""
        for companion in self.nets[1:]:
            self.play.quick = Judge(companion)
        return Judge(self.net, self.precision, self.bearoff)

    def _fresh_optimiser(self) -> torch.optim.Adam:
        return torch.optim.Adam(self.parameters, lr=1.0, fused=self.net.device.type != "mps")

    def _learn(
        self,
        boards: Boards,
        targets: Floats,
        order: NDArray[np.int64],
        minibatch: int,
        step_size: Callable[[float], float],
    ) -> float:
        """Take a pass over positions in an order; return the net's mean loss. `step_size` is asked by share done."""
        losses = []
        device = self.net.device
        boards_tensor, targets_tensor = torch.from_numpy(boards), torch.from_numpy(targets)
        batches = torch.from_numpy(order).split(minibatch)  # type: ignore[no-untyped-call]
        for number, batch in enumerate(batches):
            for group in self.optimiser.param_groups:
                group["lr"] = step_size(number / len(batches))
            here, wanted = boards_tensor[batch].to(device), targets_tensor[batch].to(device)
            self.optimiser.zero_grad()
            each = [functional.cross_entropy(net(here, self.precision), wanted) for net in self.nets]
            for loss in each:
                loss.backward()  # type: ignore[no-untyped-call]
            self.ranks.average(self.parameters)
            for net in self.nets:
                torch.nn.utils.clip_grad_norm_(net.parameters(), self.config.gradient_limit)
            self.optimiser.step()
            losses.append(float(each[0].detach()))
        return float(np.mean(losses))

    def _loss(self, boards: Boards, targets: Floats) -> float:
        """Return the mean loss on positions without learning from them."""
        if not len(boards):
            return 0.0
        with torch.no_grad():
            logits = self.net(torch.from_numpy(boards).to(self.net.device)).cpu()
            return float(functional.cross_entropy(logits, torch.from_numpy(targets)))

    def _check(self, loss: float, step_size: float) -> None:
        if not np.isfinite(loss):
            raise RunError(
                f"the loss became {loss} after {self.games} games (step size {step_size:g}); "
                f"a smaller step size may help; {self.directory} keeps the last checkpoint, if there was one"
            )

    def _status(self, stage: str, done: int, wanted: int, loss: float | None, scalars: Mapping[str, float]) -> Status:
        if stage != "self-play":
            stage = f"{stage} {self.generation + 1} of {self.config.generations}"
        return Status(stage, done, wanted, self.games, loss, scalars)

    def _save(self) -> None:
        """Write a checkpoint; a meeting point of the ranks."""
        if self.finished:
            # More generations may learn from them yet. The files are to be the same however often the run was stopped.
            self.replay.keep_from(self.generation - self.config.replay + 1)
            self.replay.write_anew()
        files = self.ranks.gather(
            self.replay.save(self.directory, f"labels-{self.ranks.rank}-{self.segments}") if self.replay.chunks else []
        )
        rng_states = self.ranks.gather(self.rng.bit_generator.state)
        plays = self.ranks.gather((self.play.boards, self.play.opening))
        ended = self.ranks.gather(self.play.ended)
        if not self.ranks.first:
            return
        tensors: dict[str, Any] = {}
        for number, parameter in enumerate(self.parameters):
            tensors[f"weights.{number}"] = parameter.detach().cpu().numpy()
            for name, value in self.optimiser.state[parameter].items():
                tensors[f"adam.{number}.{name}"] = value.cpu().numpy()
        for rank, (boards, opening) in enumerate(plays):
            tensors[f"boards.{rank}"], tensors[f"opening.{rank}"] = boards, opening
        about = {
            "config": self.config.as_dict(),
            "games": self.games,
            "segments": self.segments,
            "generation": self.generation,
            "epoch": self.epoch,
            "held_out": self.held_out if math.isfinite(self.held_out) else None,
            "labels": files,
            "ended": ended,
            "rng": rng_states,
        }
        save_checkpoint(self.directory, Checkpoint(tensors, about))
        save_seconds(self.directory, self.seconds)
        # The previous checkpoint may look back one generation more.
        kept = [file for each in files for file in each] if self.finished else None
        remove_labels(self.directory, self.generation - self.config.replay - 1, kept)

    def _restore(self, checkpoint: Checkpoint) -> None:
        about, tensors = checkpoint.about, checkpoint.tensors
        if len(about["rng"]) != self.ranks.world:
            raise RunError(f"{self.directory}: the run has {len(about['rng'])} ranks, this is {self.ranks.world}")
        self.games, self.segments, self.seconds = about["games"], about["segments"], load_seconds(self.directory)
        self.generation, self.epoch = about["generation"], about["epoch"]
        self.held_out = math.inf if about["held_out"] is None else about["held_out"]
        self.replay = Replay.load(self.directory, about["labels"][self.ranks.rank])
        self.play.boards = tensors[f"boards.{self.ranks.rank}"]
        self.play.opening = tensors[f"opening.{self.ranks.rank}"]
        self.play.ended = about["ended"][self.ranks.rank]
        self.rng.bit_generator.state = about["rng"][self.ranks.rank]
        held = [tensors[f"weights.{number}"] for number in range(len(self.parameters))]
        own = len(list(self.net.parameters()))
        same = held[0].shape == tuple(self.parameters[0].shape)  # else shots are shown from now on
        self.net.grow_from(list(zip(held[:own:2], held[1:own:2], strict=True)))
        with torch.no_grad():
            for parameter, array in zip(self.parameters[own:], held[own:], strict=True):
                parameter.copy_(torch.from_numpy(array))
        for number, parameter in enumerate(self.parameters if same else ()):  # a grown net begins with a fresh one
            prefix = f"adam.{number}."
            self.optimiser.state[parameter] = {
                name.removeprefix(prefix): torch.from_numpy(tensor).to(self.net.device)
                for name, tensor in tensors.items()
                if name.startswith(prefix)
            }

    def _writer(self) -> SummaryWriter:
        # What was written after the last checkpoint is written again.
        again = self.games if 0 < self.games < self.config.games else None
        writer = SummaryWriter(str(self.directory), purge_step=again)
        if self.segments == 0:
            values = {name: str(value) for name, value in self.config.as_dict().items()}
            writer.add_hparams(values, {"hparam/games": self.config.games}, run_name=".")
        return writer


def _model_for(config: TrainConfig, key: str) -> Model:
    """Return the model that a key names, if it is one for the variant."""
    return load_model(getattr(config, key), variant(config.variant))


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
        self._before = None
        mine = threading.current_thread() is threading.main_thread()  # else whoever owns it handles Ctrl-C
        if mine and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # another rank answers it
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, *_: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
