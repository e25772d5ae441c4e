"""A scalar of training runs as a picture: what the runs told TensorBoard, over games, seconds or steps."""

import argparse
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from gammon_rl.errors import RunError
from gammon_rl.writing import write_whole

AXES: Final = ("games", "seconds", "step")


def curve(run: Path, scalar: str, over: str) -> tuple[list[float], list[float]]:
    """Return the points of a scalar of a run: where they are on the axis, and their values.

    Parameters
    ----------
    run : Path
        The run's folder.
    scalar : str
        A TensorBoard tag, such as ``exact/milli_points_lost_a_turn``.
    over : str
        ``games`` (all that were played, also for labels), ``seconds`` of the run, or TensorBoard's own ``step``.

    Raises
    ------
    RunError
        If the run has no such scalar.
    """
    if not run.is_dir():
        raise RunError(f"{run}: no such run")
    events: Any = EventAccumulator(str(run), size_guidance={"scalars": 0})
    tags = events.Reload().Tags()["scalars"]
    if scalar not in tags:
        raise RunError(f"{run}: no scalar {scalar!r}; there are {', '.join(tags) or 'none'}")
    points = events.Scalars(scalar)
    values = [point.value for point in points]
    if over == "seconds":
        return [point.wall_time for point in points], values
    if over == "step":
        return [point.step for point in points], values
    # What a piece of the run told has one time.
    played = {one.wall_time: one.value for one in events.Scalars("games/played")}
    return [played[point.wall_time] for point in points], values


def draw(path: Path, scalar: str, runs: Sequence[tuple[Path, str]], over: str = "games", title: str = "") -> None:
    """Write a PNG of a scalar of several runs.

    Parameters
    ----------
    path : Path
        The PNG to write.
    scalar : str
        What to draw.
    runs : sequence of (Path, str)
        Folders of runs and what to call them.
    over : str
        The axis, see `curve`.
    title : str
        Stands above it; by default the scalar.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 5.4), dpi=120, layout="constrained")
    for run, name in runs:
        at, values = curve(run, scalar, over)
        axes.plot(at, values, marker=".", label=name)
    axes.set(xlabel=over, ylabel=scalar.rpartition("/")[2].replace("_", " "), yscale="log", title=title or scalar)
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    image = io.BytesIO()
    figure.savefig(image, format="png")
    pyplot.close(figure)
    write_whole(path, image.getvalue())


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    parser.add_argument("scalar")
    parser.add_argument("runs", nargs="+", metavar="RUN[=NAME]")
    parser.add_argument("--over", choices=AXES, default="games")
    parser.add_argument("--title", default="")
    asked = parser.parse_args()
    runs = [(Path(run), name or Path(run).name) for run, _, name in (one.partition("=") for one in asked.runs)]
    try:
        draw(asked.out, asked.scalar, runs, asked.over, asked.title)
    except RunError as error:
        parser.exit(2, f"{error}\n")


if __name__ == "__main__":
    _main()
