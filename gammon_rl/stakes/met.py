"""Match equity tables: the chance of winning a match at every score, read from files and looked up."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gammon_rl.errors import MatchTableError

Floats = NDArray[np.float64]

FORMAT: Final = "gammon_rl match equity table 1"
OWN_TABLE: Final = Path(__file__).with_name("match_equity.json")
"""The table computed here, by `scripts/make_met`."""


@dataclass(frozen=True, eq=False, repr=False)
class MatchEquityTable:
    """The chance of winning a match at every score, by the points that both players still need.

    Attributes
    ----------
    name : str
        What it is called.
    before : float64 (L, L)
        Before a game, until the Crawford game: row `a - 1`, column `b - 1` for a player who needs `a` points against
        one who needs `b`. The first row and the first column are the Crawford game.
    after : float64 (L,)
        Before a game after the Crawford game: entry `b - 1` for a player who needs `b` points against one who needs 1.
    about : dict
        Where it comes from, in JSON's types.

    Raises
    ------
    MatchTableError
        If the numbers cannot be such a table: not chances, not the same seen from both sides, or falling where a
        player needs fewer points.

    Examples
    --------
    >>> table = own_table()
    >>> table.length, float(table.before[4, 4])
    (25, 0.5)
    """

    name: str
    before: Floats
    after: Floats
    about: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("before", "after"):
            values = np.array(getattr(self, name), dtype=np.float64)
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        for fault in self._faults():
            raise MatchTableError(f"no match equity table: {self.name!r}: {fault}")
        # By phase, my points and theirs, 0 for nothing more to win; phase 1 is after the Crawford game.
        values = np.full((2, self.length + 1, self.length + 1), np.nan)
        values[:, 1:, 1:] = self.before
        values[1, 1:, 1], values[1, 1, 1:] = self.after, 1 - self.after
        values[:, :, 0], values[:, 0, :] = 0, 1
        object.__setattr__(self, "_values", values)

    @property
    def length(self) -> int:
        """The longest match it knows."""
        return len(self.after)

    def mwc(self, mine: ArrayLike, theirs: ArrayLike, after_crawford: ArrayLike = False) -> Floats:
        """Return the chance of winning the match before a game, float64 (...).

        Parameters
        ----------
        mine, theirs : int (...)
            The points that I need and that the opponent needs, up to `length`; who needs 0 or fewer has won.
        after_crawford : bool (...)
            Whether the Crawford game has been played; it matters where a player needs one point.

        Examples
        --------
        >>> own_table().mwc([3, 3, 0], [3, -1, 7]).tolist()
        [0.5, 0.0, 1.0]
        """
        values: Floats = self._values  # type: ignore[attr-defined]  # set when made
        return np.asarray(values[np.asarray(after_crawford, np.int64), np.maximum(mine, 0), np.maximum(theirs, 0)])

    def __repr__(self) -> str:
        return f"MatchEquityTable({self.name!r}, length={self.length})"

    def _faults(self) -> list[str]:
        length = self.after.size
        if self.after.shape != (length,) or self.before.shape != (length, length) or not length:
            return [f"expected L rows of L and L after Crawford, got {self.before.shape} and {self.after.shape}"]
        faults = []
        for values in (self.before, self.after):
            if not ((values >= 0) & (values <= 1)).all():  # which NaN is not
                faults.append("a chance is from 0 to 1")
        if faults:
            return faults
        if not np.allclose(self.before + self.before.T, 1, atol=1e-6) or abs(self.after[0] - 0.5) > 1e-6:
            faults.append("what one player has the other has not: the two of a score must add up to 1")
        if (np.diff(self.before, axis=0) > 1e-9).any() or (np.diff(self.after) > 1e-9).any():
            faults.append("a player who needs more points must not have the better chance")
        return faults

    def to_json(self) -> str:
        """Return the text of a file that `load_table` reads; numbers are kept to six decimals."""
        rows = [json.dumps([round(x, 6) for x in row]) for row in self.before.tolist()]
        return (
            f'{{\n"format": {json.dumps(FORMAT)},\n"name": {json.dumps(self.name)},\n'
            f'"about": {json.dumps(self.about, indent=1)},\n"before": [\n' + ",\n".join(rows) + "\n],\n"
            f'"after": {json.dumps([round(x, 6) for x in self.after.tolist()])}\n}}\n'
        )


def load_table(path: str | Path) -> MatchEquityTable:
    """Return a match equity table from a file.

    Parameters
    ----------
    path : str or Path
        Our JSON (`MatchEquityTable.to_json`), or the XML of GNU Backgammon (a name ending in ``.xml``) where its
        numbers are written out.

    Raises
    ------
    MatchTableError
        If it cannot be read or is no table.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
        return _from_xml(text) if file.suffix.lower() == ".xml" else _from_json(text)
    except OSError as error:
        raise MatchTableError(f"cannot read the match equity table {str(path)!r}: {error.strerror}") from None
    except MatchTableError as error:
        raise MatchTableError(f"{path}: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, ElementTree.ParseError) as error:
        raise MatchTableError(f"{str(path)!r} is no match equity table: {error!r}") from None


@cache
def own_table() -> MatchEquityTable:
    """Return the table that comes with the package, for matches up to 25 points."""
    return load_table(OWN_TABLE)


def _from_json(text: str) -> MatchEquityTable:
    content = json.loads(text)
    if content["format"] != FORMAT:
        raise MatchTableError(f"the format is {content['format']!r}, expected {FORMAT!r}")
    return MatchEquityTable(str(content["name"]), content["before"], content["after"], dict(content["about"]))


def _from_xml(text: str) -> MatchEquityTable:
    root = ElementTree.fromstring(text)
    for name in ("pre-crawford-table", "post-crawford-table"):
        for part in root.findall(name):
            if part.get("type") != "explicit":
                raise MatchTableError(f"its {name} is of the type {part.get('type')!r}; only explicit ones are read")
    after = {part.get("player", "both"): _numbers(part)[0] for part in root.findall("post-crawford-table")}
    if len({tuple(row) for row in after.values()}) != 1:
        raise MatchTableError("it has to have one post-Crawford table, the same for both players")
    return MatchEquityTable(
        root.findtext("info/name", "").strip(),
        np.array(_numbers(root.find("pre-crawford-table"))),
        np.array(next(iter(after.values()))),
        {"description": " ".join(root.findtext("info/description", "").split())},
    )


def _numbers(part: Any) -> Sequence[list[float]]:
    return [[float(cell.text) for cell in row.findall("me")] for row in part.findall("row")]
