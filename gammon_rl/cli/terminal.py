"""The terminal: what it can show, how large it is, and reading a line with editing, completion and a clock."""

import contextlib
import io
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, Protocol

from gammon_rl.cli.draw import PLAIN, UNICODE, Size, Style
from gammon_rl.errors import TableError

_CLEAR: Final = "\033[2J\033[H"
_SET_BY_PYTHON: Final = ("C.UTF-8", "C.utf8", "UTF-8")  # what it puts into LC_CTYPE where the locale is C
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
        """How boards are drawn; `UNICODE` only where `clear` works."""
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

    def busy(self, note: str, redraw: Callable[[], None]) -> AbstractContextManager[None]:
        """Show a note while something takes time; what is typed meanwhile is kept for the next question, unseen."""
        ...


class Terminal:
    """The terminal at standard input and output, or whatever stands for it.

    Parameters
    ----------
    plain : bool
        Whether to draw with plain characters and no colours, whatever the terminal can do.

    Raises
    ------
    TableError
        If standard output is closed.
    """

    def __init__(self, plain: bool = False) -> None:
        if sys.stdout is None:
            raise TableError("standard output is closed: there is nowhere to show the board")
        for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=errors)  # whatever is typed is an answer, and can be shown
        self.live = sys.stdout.isatty()
        fancy = self.live and not plain and _can_show("".join(vars(UNICODE).values()))
        self.style = UNICODE if fancy else PLAIN
        self.colours = _colours() if fancy and not os.environ.get("NO_COLOR") else 0
        self._editor: Any = None
        self._redraw: Callable[[], None] | None = None
        self._last_line: Callable[[], str] = str
        if self.live and _typed_by_hand():
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
        typed = self._editor.get_line_buffer if self._editor else str
        try:
            with _alarm(seconds), self._redrawn(redraw, lambda: question + typed()):
                line = input(question)
        except RuntimeError:  # standard input was closed before we were started
            raise EOFError from None
        if not _typed_by_hand():
            self.write(f"{line}\n")  # so that a transcript is whole
        return line

    @contextmanager
    def busy(self, note: str, redraw: Callable[[], None]) -> Iterator[None]:
        """Show a note while something takes time; see `Screen`."""
        note = note if self.live else ""
        self.write(note)
        try:
            with _without_echo(), self._redrawn(redraw, lambda: note):
                yield
        finally:
            self.write(f"\r{' ' * len(note)}\r" if note else "")

    @contextmanager
    def _redrawn(self, redraw: Callable[[], None], last_line: Callable[[], str]) -> Iterator[None]:
        """Let everything be drawn again meanwhile if the size changes, and the last line after it."""
        self._redraw, self._last_line = redraw, last_line
        try:
            yield
        finally:
            self._redraw = None

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
            self.write(self._last_line())


def _typed_by_hand() -> bool:
    """Return whether answers come from a terminal; standard input may be closed."""
    return sys.stdin is not None and sys.stdin.isatty()


def _can_show(characters: str) -> bool:
    """Return whether the terminal can be drawn on, and shows these characters."""
    if os.environ.get("TERM", "") in ("dumb", ""):
        return sys.platform == "win32" and bool(os.environ.get("WT_SESSION"))
    try:
        characters.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return _locale_has_unicode()


def _locale_has_unicode() -> bool:
    """Return whether the locale that the user has set has all characters; one that is not set may.

    Python takes UTF-8 for the C locale, so that the encoding of its output says nothing about the terminal.
    """
    get = os.environ.get
    chosen = get("LC_CTYPE", "")
    if chosen in _SET_BY_PYTHON:
        chosen = get("LANG") or chosen
    chosen = get("LC_ALL") or chosen or get("LANG") or "UTF-8"
    return "utf8" in chosen.casefold().replace("-", "")


@contextmanager
def _without_echo() -> Iterator[None]:
    """Keep what is typed off the screen, where the system can do that."""
    if sys.platform == "win32" or not _typed_by_hand():
        yield
        return
    import termios

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    silent = list(before)
    silent[3] &= ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSANOW, silent)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


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
