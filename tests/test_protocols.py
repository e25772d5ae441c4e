"""The sessions of docs/protocols.md are replayed: what is said there is what is said."""

import doctest
import queue
import re
from pathlib import Path

import pytest

from gammon_rl.bots.bot import Bot
from gammon_rl.serve.external import Session
from gammon_rl.serve.ubgi import Engine

PAGE = (Path(__file__).parents[1] / "docs" / "protocols.md").read_text(encoding="utf-8")


def sessions(protocol: str) -> list[list[tuple[str, list[str]]]]:
    """Return the sessions of a protocol, each a list of what is sent and what comes back."""
    found = []
    for block in re.findall(rf"^```{protocol}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        session: list[tuple[str, list[str]]] = []
        for line in block.splitlines():
            side, _, text = line.partition(" ")
            assert side in ("<", ">"), line
            if side == ">":
                session.append((text, []))
            else:
                session[-1][1].append(text)
        found.append(session)
    return found


def assert_said(sent: str, expected: list[str], got: list[str]) -> None:
    want, have = ("\n".join([*lines, ""]) for lines in (expected, got))
    assert doctest.OutputChecker().check_output(want, have, doctest.ELLIPSIS), f"{sent!r} gave {got}, not {expected}"


def test_the_page_has_sessions() -> None:
    assert (len(sessions("ubgi")), len(sessions("external"))) == (3, 2)


@pytest.mark.parametrize("session", sessions("ubgi"))
def test_ubgi(session: list[tuple[str, list[str]]]) -> None:
    said: queue.Queue[str] = queue.Queue()
    engine = Engine(said.put)
    for sent, expected in session:
        engine.take(sent)
        # a search answers from its own thread
        got = [said.get(timeout=60) for _ in expected]
        assert_said(sent, expected, got)
    engine.finish()
    assert said.empty()


@pytest.mark.parametrize("session", sessions("external"))
def test_external(session: list[tuple[str, list[str]]]) -> None:
    player = Session(Bot("hard"))
    for sent, expected in session:
        answer = player.answer(sent)
        assert_said(sent, expected, [] if answer is None else answer.split("\n"))


def test_every_option_and_command_is_on_the_page() -> None:
    engine = Engine(lambda line: None, "easy")
    for name in [*engine._settings.told(), *engine._commands]:
        assert f"`{name}" in PAGE, name
