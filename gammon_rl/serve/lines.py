"""Lines of text from whoever is on the other side: never too long, always text, and refused in one line."""

from collections.abc import Iterator
from typing import Final, Protocol

LONGEST: Final = 4096
"""Bytes of a line that are looked at; the rest of a longer one is dropped."""
_SHOWN: Final = 200

_DROPPED: Final = "\0 \t\r\n"


class ByteLines(Protocol):
    """What lines are read from, such as `sys.stdin.buffer`."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line with its end, at most `size` bytes of it, and nothing at the end of the stream."""
        ...


def read_lines(stream: ByteLines) -> Iterator[str]:
    r"""Yield the lines of a stream until it ends, without blanks and zero bytes around them.

    Bytes that are no UTF-8 become replacement characters. A last line without an end counts as one, unless nothing is
    left of it.

    Examples
    --------
    >>> import io
    >>> list(read_lines(io.BytesIO(b"one\n\0two\r\n\n" + b"x" * 9000 + b"\nthree\n\0"))) == [
    ...     "one", "two", "", "x" * LONGEST, "three"
    ... ]
    True
    """
    while line := stream.readline(LONGEST):
        ended = line.endswith(b"\n")
        text = line.decode("utf-8", "replace").strip(_DROPPED)
        while not ended and (rest := stream.readline(LONGEST)):
            ended = rest.endswith(b"\n")
        if ended or text:
            yield text


def one_line(text: object) -> str:
    r"""Return a message as one line of printable text, shortened where it is long.

    Examples
    --------
    >>> one_line(ValueError("no\n  good\x07"))
    'no good?'
    """
    plain = " ".join(str(text).split())
    printable = "".join(character if character.isprintable() else "?" for character in plain)
    return printable if len(printable) <= _SHOWN else f"{printable[: _SHOWN - 4]} ..."
