"""``gammon-rl analyse``: what every decision of a match lost, and how lucky the players were."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gammon_rl.errors import InvalidNotationError, TableError

if TYPE_CHECKING:
    from gammon_rl.table.record import Record


def analyse(
    file: Annotated[Path, typer.Argument(help=".mat, GNU Backgammon's .sgf, or a game or record of ours as JSON.")],
    level: Annotated[str, typer.Option(help="Whose opinion: normal, or hard, with a depth as in hard@1.")] = "hard",
    ply: Annotated[
        int | None, typer.Option(min=0, max=3, help="How far to look ahead.", show_default="that of the level")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Model file or released name.", show_default="the strongest here"),
    ] = None,
    number: Annotated[int, typer.Option(min=1, help="Which match of a file that holds several.")] = 1,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 uses every core.")] = 0,
    worst: Annotated[int, typer.Option(min=0, help="Most blunders to list.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with boards to this file, too.")] = None,
) -> int:
    """Say what every play, double and answer of a match lost, each player's error rate (PR), and the luck of the dice.

    Ctrl-C gives what was found so far. docs/analyse.md says how to read it.
    """
    from gammon_rl.bots.analysis import analyse as analysed
    from gammon_rl.bots.bot import Bot
    from gammon_rl.cli import report
    from gammon_rl.cli.page import page
    from gammon_rl.cli.progress import ProgressDisplay
    from gammon_rl.table.options import clean_name
    from gammon_rl.writing import write_whole

    if html is not None and (html.suffix.casefold() not in (".html", ".htm") or not html.parent.is_dir()):
        raise TableError(f"{html}: expected a name that ends in .html, in a folder that exists")
    records = _records(file)
    if number > len(records):
        raise TableError(f"{file} has no match number {number}: it holds {len(records)}")
    if len(records) > 1:
        typer.echo(f"{file} holds {len(records)} matches; this is number {number} (--number)", err=True)
    record, notes = records[number - 1]
    for note in notes:
        typer.echo(f"{file}, {note}", err=True)
    bot = Bot(level, model, rules=record.options.rules)
    if not bot.has_opinions or bot.level.noise:
        raise InvalidNotationError(f"level {level!r} has no opinion, or errs on purpose; expected normal or hard")
    if ply is not None:
        bot = Bot(bot.level.at(ply), bot.evaluator, rules=bot.rules, bearoff=False)
    with ProgressDisplay("analyse", len(record.events)) as display:
        found = analysed(
            record,
            bot,
            processes=workers or os.cpu_count() or 1,
            progress=lambda done, total, game: display.update(done, f"game {game}"),
        )
    source, used = (clean_name(text, "a file") for text in (file.name, Path(model or "").name))
    by = f"{bot.level.name} at {bot.level.ply} plies" + (f" with {used}" if model else "")
    if html is not None:
        write_whole(html, page(found, source, by, notes).encode())
    if as_json:
        opinion = {"level": bot.level.name, "ply": bot.level.ply, "model": model}
        typer.echo(json.dumps(report.data(found, source, opinion, notes)))
    else:
        for line in report.lines(found, by, worst):
            typer.echo(line)
    return 0 if found.complete else 130


def _records(path: Path) -> "list[tuple[Record, tuple[str, ...]]]":
    """Return the matches that a file holds, whatever its name, each with what could not be taken as it stands there.

    Raises
    ------
    GammonError
        If it is none of the formats, or impossible; the message has the file.
    """
    from gammon_rl.cli import saving
    from gammon_rl.table.mat import read_mat
    from gammon_rl.table.record import Record
    from gammon_rl.table.sgf_reader import read_sgf

    path = saving.kept(str(path))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror or error}") from None
    begins = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    try:
        if begins == b"(":
            return [(match.record, match.notes) for match in read_sgf(content)]
        if begins != b"{":
            return [(match.record, match.notes) for match in read_mat(content)]
        data = json.loads(content)
        if "events" in data:
            record = Record.from_data(data)
            record.check()
            return [(record, ())]
    except TableError as error:
        raise TableError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise TableError(f"{path} is no JSON ({error})") from None
    return [(saving.read(path).table.record, ())]
