"""Two bots at a table, for someone who looks on."""

from collections import deque
from collections.abc import Callable
from typing import Final

from gammon_rl.bots.acting import bot_action
from gammon_rl.cli.draw import UNICODE, paint
from gammon_rl.cli.looks import look, palette
from gammon_rl.cli.players import Bots
from gammon_rl.cli.session import picture
from gammon_rl.cli.telling import Teller
from gammon_rl.cli.terminal import Screen
from gammon_rl.table import actions as ac, events as ev
from gammon_rl.table.state import Phase
from gammon_rl.table.table import Table

_NEWS: Final = 6  # lines kept under the board


class Show:
    """Lets the bots at a table play to the end.

    On a terminal there is a board that changes; elsewhere a line for each action, and the board at the end of a game.

    Parameters
    ----------
    table : Table
        With a bot at each seat.
    bots : Bots
        Where they come from.
    screen : Screen
        Where it is shown.
    look_name : str
        The look of the board.
    pause : callable
        Waits between two actions.
    """

    def __init__(self, table: Table, bots: Bots, screen: Screen, look_name: str, pause: Callable[[], None]) -> None:
        self._table, self._bots, self._screen, self._pause = table, bots, screen, pause
        self._look = look(look_name)
        self._teller = Teller((table.seats[0].name, table.seats[1].name), table.options)
        self._news = deque[str](maxlen=_NEWS)

    def run(self) -> None:
        """Play to the end."""
        table = self._table
        while not table.is_over:
            notices = table.apply(self._next())
            lines = list(self._teller.tell(notices))
            self._news.extend(lines)
            over = any(isinstance(one, ev.GameEnded) for one in notices)
            if self._screen.style == UNICODE:
                self._draw()
            else:
                self._screen.write("".join(f"{line}\n" for line in lines))
                if over:
                    self._draw()
            if lines or table.dice:
                with self._screen.busy("", self._draw):
                    self._pause()
        self._screen.write(f"Score: {self._teller.score(table.score)}.\n")

    def _next(self) -> ac.Action:
        table = self._table
        if table.phase is Phase.OPENING:
            return ac.Roll()
        if table.phase is Phase.GAME_OVER:
            return ac.NextGame()
        seat = table.to_act
        assert seat is not None
        action = bot_action(table, self._bots.of(table.bot_at(seat)))
        if isinstance(action, ac.Action):
            return action
        return ac.Play(afterstate=tuple(action.afterstate.tolist()))

    def _draw(self) -> None:
        size = self._screen.size()
        drawing = picture(self._table, 0, self._table.to_act, self._screen, size)
        if self._screen.style != UNICODE:
            self._screen.write(f"\n{drawing}\n\n")
            return
        self._screen.clear()
        news = list(self._news)[-max(1, size.lines - len(drawing.splitlines()) - 1) :]
        painted = paint(drawing, palette(self._look, self._screen.colours))
        self._screen.write(f"{painted}\n" + "".join(f"{line}\n" for line in news))
