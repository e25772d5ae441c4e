"""Who a person meets at a table and what is said afterwards: bots, resignations, verdicts, and what was typed."""

from dataclasses import replace
from pathlib import Path

import pytest

from gammon_rl.bots.acting import bot_action
from gammon_rl.bots.bot import Bot
from gammon_rl.cli import saving, words
from gammon_rl.cli.entry import going_on, read_play
from gammon_rl.cli.players import Bots
from gammon_rl.cli.review import Review, reconsidered, review
from gammon_rl.cli.telling import Teller
from gammon_rl.errors import GammonError, TableError
from gammon_rl.rules.notation import Play
from gammon_rl.rules.position import Position
from gammon_rl.rules.variants import HYPERGAMMON, STANDARD, TAVLA
from gammon_rl.table import actions as ac, events as ev
from gammon_rl.table.dice import RecordedDice
from gammon_rl.table.options import Seat, TableOptions
from gammon_rl.table.table import Table

# Bots ------------------------------------------------------------------------------------------------------------


def test_bots_are_made_once_and_by_name() -> None:
    bots = Bots(STANDARD)
    assert bots.of("normal") is bots.of("normal")
    assert bots.of("hard@2").level.ply == 2
    released = Path(__file__).parents[1] / "checkpoints" / "standard.safetensors"
    assert bots.of(f"{released}@1").level.ply == 1
    assert bots.of(str(released)).level.ply == 0
    for wrong in ("godlike", "hard@9", "easy@1", f"{released}@7", "none.safetensors"):
        with pytest.raises(GammonError, match=wrong.partition("@")[0]):
            bots.of(wrong)


def test_the_adviser_is_the_opponent_or_normal_or_nobody() -> None:
    bots = Bots(STANDARD)
    assert bots.adviser("hard") is bots.of("hard")
    assert bots.adviser("easy") is bots.of("normal")
    assert bots.adviser() is bots.of("normal")
    assert Bots(TAVLA).adviser("easy") is None
    assert Bots(TAVLA).adviser("hard") is None


class Loser(Bot):
    """Has lost whatever it holds, and says so if it is asked."""

    def resignation(self, position: Position) -> int:
        return 2


def test_ruling_21_bots_resign_what_is_lost_and_easy_never() -> None:
    for level, jacoby, offered in (("normal", False, ac.Resign(2)), ("normal", True, None), ("easy", False, None)):
        options = TableOptions(jacoby=jacoby)
        table = Table(options, [Seat("A", level), Seat("B", level)], RecordedDice([(3, 1), (6, 5)]))
        table.apply(ac.Roll())
        table.apply(ac.Play("8/5 6/5"))
        action = bot_action(table, Loser(level))
        assert action == (offered or ac.Roll())
        if offered:
            table.apply(action)
            assert bot_action(table, Loser(level)) == ac.AcceptResignation()


def test_a_level_that_errs_gives_no_advice() -> None:
    bots = Bots(STANDARD)
    assert bots.adviser("novice") is bots.of("normal")


# The review ------------------------------------------------------------------------------------------------------


def played(options: TableOptions, rolls: list[tuple[int, int]], *actions: ac.Action) -> Table:
    table = Table(options, [Seat("You"), Seat("Bob")], RecordedDice(rolls))
    for action in actions:
        table.apply(action)
    return table


def test_a_blunder_is_found_with_its_position_and_the_better_play() -> None:
    table = played(TableOptions(), [(3, 1), (6, 5)], ac.Roll(), ac.Play("6/3 3/2"), ac.Roll(), ac.Play("24/13"))
    bot = Bots(STANDARD).of("normal")
    mine = review(table.record, 0, bot)
    (decision,) = mine.decisions
    assert (decision.game, decision.what, decision.done, decision.best) == (1, "3-1", "6/3 3/2", "8/5 6/5")
    assert 0.1 < decision.loss < 0.5
    assert decision.position.dice == (3, 1)
    assert mine.tally.rating == pytest.approx(500 * decision.loss)
    assert mine.tally.loss == decision.loss
    first, whose, second, third, fourth = mine.lines("You")
    assert "Normal's opinion" in whose
    assert (
        first
        == f"You: 1 decision, {1000 * decision.loss:.1f} milli-points lost a decision, PR {mine.tally.rating:.1f}."
    )
    assert second == f"  Game 1, 3-1: 6/3 3/2; better 8/5 6/5 (-{decision.loss:.3f})"
    assert Position.parse(third.strip()) == Position.parse(fourth.strip()) == decision.position
    theirs = review(table.record, 1, bot)
    assert theirs.tally.loss == 0
    assert theirs.worst == []
    assert [one.what for one in theirs.decisions] == ["6-5"]  # not doubling then was no decision


def test_the_worst_are_looked_at_again_by_one_who_looks_further() -> None:
    table = played(TableOptions(), [(3, 1), (6, 5)], ac.Roll(), ac.Play("6/3 3/2"), ac.Roll(), ac.Play("24/13"))
    bots, known, again = Bots(STANDARD), {}, {}
    found = review(table.record, 0, bots.of("normal"), known)
    second = reconsidered(found, table.options, bots.of("hard@1"), known, again)
    _, _, _, opinion, _, _ = found.lines("You", "Hard", second)
    assert opinion == f"    Hard, which looks further: better {second[0].best} (-{second[0].loss:.3f})"
    assert second[0] is not found.worst[0]
    assert reconsidered(found, table.options, None, known, again) == second  # nothing is analysed twice
    right = [replace(second[0], loss=0.0)]
    assert "    Hard, which looks further: nothing better" in found.lines("You", "Hard", right)


def test_nothing_is_analysed_twice() -> None:
    table = played(TableOptions(), [(3, 1), (6, 5)], ac.Roll(), ac.Play("6/3 3/2"), ac.Roll())
    bot, known = Bots(STANDARD).of("normal"), {}
    first = review(table.record, 0, bot, known)
    table.apply(ac.Play("24/13"))
    bot.analyse = None  # type: ignore[assignment,method-assign]
    assert review(table.record, 0, bot, known) == first


def test_cube_decisions_are_judged() -> None:
    start = [ac.Roll(), ac.Play("8/5 6/5"), ac.Roll(), ac.Play("24/13")]
    bot = Bots(STANDARD).of("normal")
    for answer, done in ((ac.Drop(), "drop"), (ac.Take(), "take")):
        table = played(TableOptions(), [(3, 1), (6, 5)], *start, ac.Double(), answer)
        doubled = review(table.record, 0, bot).decisions[-1]
        assert (doubled.what, doubled.done, doubled.best) == ("cube", "double", "no double")
        assert doubled.loss > 0.1
        answered = review(table.record, 1, bot).decisions[-1]
        assert (answered.what, answered.done, answered.best) == ("doubled", done, "take")
        assert answered.position.doubled
        assert (answered.loss > 0.5) == (done == "drop")
    table = played(TableOptions(beavers=True), [(3, 1), (6, 5)], *start, ac.Double(), ac.Beaver())
    assert review(table.record, 1, bot).decisions[-1].done == "beaver"


def test_what_the_table_or_a_bot_did_is_nobodys_error() -> None:
    options = TableOptions(clock="fast")
    table = played(options, [(3, 1), (6, 5)], ac.Roll(), ac.TimeOut(0), ac.Play("6/3 3/2"))
    assert review(table.record, 0, Bots(STANDARD).of("normal")) == Review(())
    assert list(Review(()).lines("You")) == ["You: no decisions to review."]


# What is typed ---------------------------------------------------------------------------------------------------


def waiting(*rolls: tuple[int, int], rules: str = "standard") -> Table:
    table = Table(TableOptions(variant=rules), dice=RecordedDice(rolls))
    table.apply(ac.Roll())
    return table


def test_every_beginning_of_every_play_is_understood() -> None:
    for roll in ((3, 1), (6, 4), (6, 5), (2, 1)):
        table = waiting(roll)
        for play in table.plays:
            assert read_play(play.text, table) == play
            assert read_play(play.text.replace("*", "").replace("/", "-"), table) == play
        for step in table.next_steps():
            after = Table.from_json(table.to_json())
            after.apply(ac.TakeStep(step.start, step.end))
            for play, rest in going_on(after).items():
                other = Table.from_json(after.to_json())
                for one in rest:
                    other.apply(ac.TakeStep(one.start, one.end))
                other.apply(ac.EndTurn())
                assert other.board(1) == tuple(play.afterstate.tolist())


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("8/3", "does not fit the dice"),
        ("7/4", "there is no checker on the 7 point"),
        ("13 13", "begins no legal play"),
        ("nonsense", "is not a play"),
        ("8/5 6/5 6/5 6/5 6/5", "there are more steps than dice"),
    ],
)
def test_what_is_no_play_is_explained(text: str, fault: str) -> None:
    with pytest.raises(GammonError, match=fault) as refused:
        read_play(text, waiting((3, 1)))
    assert str(refused.value).startswith(repr(text))


def test_a_beginning_that_leaves_one_play_is_that_play() -> None:
    table = waiting((3, 1))
    for text, play in (("6/5 8", "8/5 6/5"), ("24/23 6/", "24/23 6/3"), ("24/20", "24/21 21/20")):
        meant = read_play(text, table)
        assert isinstance(meant, Play)
        assert meant.text == play


def test_words_mean_what_fits_the_question_first() -> None:
    assert words.meaning("d", words.BEFORE_ROLL, words.ALWAYS) == "double"
    assert words.meaning("d", words.DOUBLED, words.ALWAYS) == "drop"
    assert words.meaning("p", words.DOUBLED, words.ALWAYS) == "pips"
    assert words.meaning("P", words.CLOSED, words.ALWAYS) == "pips"
    assert words.meaning("pa", words.DOUBLED, words.ALWAYS) == "drop"
    assert words.meaning("n", words.GAME_OVER) == "stop"
    assert words.meaning("b", words.DOUBLED, words.ALWAYS) == "board"
    assert words.meaning("", words.DOUBLED, words.ALWAYS) == ""
    assert max(map(len, words.HELP.splitlines())) < 80
    for place in (words.DOUBLED, words.BEAVER, words.RESIGNED, words.PLAYING):
        assert "" not in place  # Enter never decides these
    assert words.meaning("r", words.PLAYING, words.ALWAYS) == ""
    assert words.meaning("d", words.PLAYING, words.ALWAYS) == ""


# What is said ----------------------------------------------------------------------------------------------------


def test_every_event_has_its_words() -> None:
    teller = Teller(("You", "Hard"), TableOptions(session=True))
    told = list(
        teller.tell(
            [
                ev.OpeningRolled((3, 3), 2),
                ev.OpeningRolled((3, 1), 2),
                ev.Doubled(0, 4),
                ev.Beavered(1, 8),
                ev.TurnSkipped(0),
                ev.TurnSkipped(1, by="player"),
                ev.Played(1, (2, 2), ()),
                ev.ResignationOffered(1, 2),
                ev.ResignationDeclined(0),
                ev.TimedOut(1, ""),
                ev.GameEnded(1, "bear-off", 3, 24, (0, 24)),
                ev.GameEnded(0, "bear-off", 2, 1, (1, 24)),
                ev.GameStarted(2, (1, 24), crawford=True),
                ev.MatchEnded(1, (1, 24)),
            ]
        )
    )
    assert told == [
        "Opening roll: you 3, Hard 3, again with the cube at 2.",
        "Opening roll: you 3, Hard 1. You begin.",
        "You double to 4.",
        "Hard beavers: Hard owns the cube at 8.",
        "You are on the bar against a closed board: nothing is rolled.",
        "Hard passes.",
        "Hard rolls 2-2 and cannot move.",
        "Hard offers to resign a gammon.",
        "You decline. The game goes on.",
        "Hard's time is up: the game is forfeit.",
        "Hard wins a backgammon with the cube at 8: 24 points.",
        "You win a gammon, which counts as a single game before a double: 1 point.",
        "Game 2. This is the Crawford game: no doubling.",
        "The end: you 1, Hard 24.",
    ]


# Keeping ---------------------------------------------------------------------------------------------------------


def test_a_keeper_writes_whole_files_and_keeps_the_one_before(tmp_path: Path) -> None:
    table = waiting((3, 1), (6, 5))
    keeper = saving.Keeper(tmp_path / "deep" / "game.json", "my.safetensors")
    keeper.keep(table)
    first = keeper.path.read_bytes()
    keeper.keep(table)
    assert not saving.previous(keeper.path).exists()  # nothing has happened
    table.apply(ac.TakeStep(8, 5))
    keeper.keep(table)
    assert saving.previous(keeper.path).read_bytes() == first
    saved = saving.read(keeper.path)
    assert (saved.table, saved.model, saved.remark) == (table, "my.safetensors", "")
    assert sorted(path.name for path in keeper.path.parent.iterdir()) == ["game.json", "game.json.previous"]
    left = keeper.path.with_name(".game.json.previous.123.tmp")  # by a kill in the middle of writing
    left.write_bytes(b"{")
    keeper = saving.Keeper(keeper.path, "my.safetensors", saved.content)
    assert not left.exists()
    keeper.path.unlink()  # as if killed between two files
    assert saving.read(keeper.path).table.steps == ()
    assert not keeper.forget()  # it was not begun here
    assert saving.previous(keeper.path).exists()
    keeper = saving.Keeper(tmp_path / "other.json")
    keeper.keep(table)
    assert keeper.forget()
    assert not keeper.path.exists()


def test_every_truncation_is_refused_and_the_one_before_it_used(tmp_path: Path) -> None:
    table = waiting((3, 1), (6, 5))
    keeper = saving.Keeper(tmp_path / "game.json")
    keeper.keep(table)
    table.apply(ac.Play("8/5 6/5"))
    keeper.keep(table)
    content, before = keeper.path.read_bytes(), saving.previous(keeper.path).read_bytes()
    for length in range(0, len(content) - 1, 7):
        keeper.path.write_bytes(content[:length])
        saved = saving.read(keeper.path)
        assert "is damaged or no saved game" in saved.remark
        assert saved.content == before
        assert saving.previous(keeper.path).read_bytes() == before


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "is damaged or no saved game"),
        ("[1, 2]", "not a table"),
        ('{"format": "gammon_rl game", "version": 99}', "has version 99; version 1 can be read"),
        ('{"format": "gammon_rl game", "version": 1, "model": 3}', "its model should be a name, got 3"),
        ('{"format": "gammon_rl game", "version": 1, "table": {}}', "not a table"),
        ("[" * 100_000, "is damaged or no saved game"),
        ("\x00\xff", "is damaged or no saved game"),
    ],
)
def test_what_is_no_saved_game_is_refused_with_the_reason(tmp_path: Path, content: str, fault: str) -> None:
    file = tmp_path / "game.json"
    file.write_text(content, encoding="latin-1")
    with pytest.raises(TableError, match=fault):
        saving.read(file)


def test_the_last_unfinished_game_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(saving.FOLDER_VARIABLE, str(tmp_path))
    assert saving.folder() == tmp_path
    assert saving.unfinished() is None
    with saving.fresh() as first:
        saving.Keeper(first).keep(waiting((3, 1)))
    assert saving.unfinished() == first
    over = Table(TableOptions(variant="hypergammon"), [Seat("A", "easy"), Seat("B", "easy")], 1)
    over.apply(ac.Roll())
    bot = Bot("easy", seed=1, rules=HYPERGAMMON)
    while not over.is_over:
        over.apply(bot_action(over, bot))
    with saving.fresh() as second:
        saving.Keeper(second).keep(over)
    assert second != first
    assert saving.unfinished() == first
    first.unlink()
    assert saving.unfinished() is None
    monkeypatch.delenv(saving.FOLDER_VARIABLE)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr("sys.platform", "linux")
    assert saving.folder() == tmp_path / "xdg" / "gammon-rl"
