"""The terminal: what it can show, how large it is, and reading a line with editing, completion and a clock."""

import contextlib
import io
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Protocol

from gammon_rl.cli.draw import PLAIN, UNICODE, Size, Style

_CLEAR: Final = "\033[2J\033[H"
_FULL_COLOURS: Final = ("256color", "truecolor", "24bit", "kitty", "alacritty", "ghostty", "direct")


class TimeUpError(Exception):
    """The time to answer is up."""


class Screen(Protocol):
    """What a person sees and types on."""

    @property
    def live(self) -> bool:
        """Whether a line that was begun can be taken back, as on any terminal."""
        ...

    @property
    def style(self) -> Style:
        """How boards are drawn; `UNICODE` only where `clear` and colours work."""
        ...

    @property
    def colours(self) -> int:
        """How many colours there are; 0 for none."""
        ...

    def size(self) -> Size:
        """Return how large it is now."""
        ...

    def write(self, text: str) -> None:
        """Show text, which has its own line ends."""
        ...

    def clear(self) -> None:
        """Empty the screen, where that can be done."""
        ...

    def read(
        self,
        question: str,
        words: Callable[[], Sequence[str]],
        redraw: Callable[[], None],
        seconds: float | None = None,
    ) -> str:
        """Show a question and return the line that was typed.

        Parameters
        ----------
        question : str
            What to ask.
        words : callable
            Returns lines that a Tab can complete.
        redraw : callable
            Shows everything above the question again, when the terminal has another size.
        seconds : float or None
            How long to wait; None is for ever.

        Raises
        ------
        EOFError
            If there is none.
        TimeUpError
            If nothing was entered in time.
        """
        ...


class Terminal:
    """The terminal at standard input and output, or whatever stands for it.

    Parameters
    ----------
    plain : bool
        Whether to draw with plain characters and no colours, whatever the terminal can do.
    """

    def __init__(self, plain: bool = False) -> None:
        for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=errors)  # whatever is typed is an answer, and can be shown
        self.live = sys.stdout.isatty()
        fancy = self.live and not plain and _can_show("".join(vars(UNICODE).values()))
        self.style = UNICODE if fancy else PLAIN
        self.colours = _colours() if fancy else 0
        self._editor: Any = None
        self._redraw: Callable[[], None] | None = None
        self._question = ""
        if self.live and sys.stdin.isatty():
            self._edit_lines()

    def size(self) -> Size:
        """Return how large the terminal is now; what is no terminal counts as 80 by 24."""
        columns, lines = shutil.get_terminal_size((80, 24)) if self.live else (80, 24)
        return Size(columns, lines)

    def write(self, text: str) -> None:
        """Show text, which has its own line ends."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def clear(self) -> None:
        """Empty the screen, where that can be done."""
        if self.style == UNICODE:
            self.write(_CLEAR)

    def read(
        self,
        question: str,
        words: Callable[[], Sequence[str]],
        redraw: Callable[[], None],
        seconds: float | None = None,
    ) -> str:
        """Show a question and return the line that was typed; see `Screen`."""
        if self._editor:
            self._editor.set_completer(_completer(words))
        self._question, self._redraw = question, redraw
        try:
            with _alarm(seconds):
                line = input(question)
        except RuntimeError:  # standard input was closed before we were started
            raise EOFError from None
        finally:
            self._redraw = None
        if not sys.stdin.isatty():
            self.write(f"{line}\n")  # so that a transcript is whole
        return line

    def _edit_lines(self) -> None:
        """Let `input` edit lines, remember and complete them, where that is to be had."""
        with contextlib.suppress(AttributeError, ValueError):  # no such signal here, or not the main thread
            signal.signal(signal.SIGWINCH, self._resized)  # before readline, which calls it from its own handler
        with contextlib.suppress(ImportError):
            import readline

            readline.parse_and_bind("set enable-bracketed-paste off")  # it would write escapes to plain terminals
            readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")
            readline.set_completer_delims("")
            self._editor = readline

    def _resized(self, *_: object) -> None:
        """Draw everything for the new size; what was typed so far stays."""
        if self._redraw and self.style == UNICODE:
            redraw, self._redraw = self._redraw, None  # not again while it draws
            redraw()
            self._redraw = redraw
            self.write(self._question + (self._editor.get_line_buffer() if self._editor else ""))


def _can_show(characters: str) -> bool:
    """Return whether the terminal shows colours and these characters."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "") in ("dumb", ""):
        return sys.platform == "win32" and not os.environ.get("NO_COLOR") and bool(os.environ.get("WT_SESSION"))
    try:
        characters.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


def _colours() -> int:
    known = f"{os.environ.get('TERM', '')} {os.environ.get('COLORTERM', '')}"
    return 256 if any(name in known for name in _FULL_COLOURS) or os.environ.get("WT_SESSION") else 16


def _completer(words: Callable[[], Sequence[str]]) -> Callable[[str, int], str | None]:
    """Return what a line editor asks for the lines that begin with what was typed, one after the other."""

    def complete(text: str, number: int) -> str | None:
        found = [word for word in words() if word.startswith(text.casefold())]
        return found[number] if number < len(found) else None

    return complete


@contextmanager
def _alarm(seconds: float | None) -> Iterator[None]:
    """Raise `TimeUpError` after so many seconds, where the system can do that."""
    if seconds is None or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: object) -> None:
        raise TimeUpError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
