"""Matches read from GNU Backgammon's `.sgf` files: the same records as from `.mat` files, and nothing impossible.

``GAMMON_RL_TEST_SCALE=10`` has GNU Backgammon save 40 matches both ways; the default of 1 a tenth of that.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from gammon_rl.errors import MatFileError, SgfFileError, TableError
from gammon_rl.table import events as ev
from gammon_rl.table.mat import read_mat, to_mat
from gammon_rl.table.record import Record
from gammon_rl.table.sgf_reader import read_sgf
from gammon_rl.table.table import Table
from gammon_rl.table.transcript import FileMatch
from tests.test_mat import needs_gnubg, random_match, run_gnubg

SCALE = float(os.environ.get("GAMMON_RL_TEST_SCALE", "1"))
WRITTEN = max(2, round(3 * SCALE))  # matches of ours that GNU Backgammon reads and saves
PLAYED = max(1, round(SCALE))  # matches that it plays and saves
DATA = Path(__file__).parent / "data"


def tree(
    moves: str, rules: str = "Jacoby", length: int = 0, number: int = 0, score: tuple[int, int] = (0, 0), **more: str
) -> str:
    """Return a game as the program writes it; `more` has further properties of the first node."""
    about = "".join(f"{name}[{value}]" for name, value in more.items())
    info = f"MI[length:{length}][game:{number}][ws:{score[0]}][bs:{score[1]}]"
    head = f"(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]{info}PW[Ann]PB[Bob]RU[{rules}]{about}"
    return head + "".join(f"\n;{move}" for move in moves.split()) + ")\n"


def read_one(text: str | bytes) -> FileMatch:
    (match,) = read_sgf(text)
    return match


def told_alike(sgf: str | bytes, mat: str | bytes) -> Record:
    """Return the record of an `.sgf` text, which is that of a `.mat` text."""
    (expected,) = read_mat(mat)
    record = read_one(sgf).record
    assert record == expected.record
    record.check()
    return record


# The same as .mat ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gnubg_match", "gnubg_session", "gnubg_nackgammon"])
def test_a_match_is_the_same_in_both_formats(name: str) -> None:
    record = told_alike((DATA / f"{name}.sgf").read_bytes(), (DATA / f"{name}.mat").read_bytes())
    assert all(game.result for game in record.games)


def test_points_are_letters_from_the_one_point_of_white() -> None:
    told_alike(
        tree("W[62xrmk] B[61lrqr] W[63yvmg] B[55lqlqqvqv] W[66]"),
        """\
 0 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 62: 24/18 13/11             61: 13/7* 8/7
  2) 63: bar/22 13/7             55: 13/8(2) 8/3*(2)
  3) 66:
""",
    )


def test_doubles_beavers_and_drops() -> None:
    record = told_alike(
        tree("W[31hefe] B[double] W[double] B[take] B[65aggl] W[double] B[drop]", RE="W+4"),
        """\
 0 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 31: 8/5 6/5                 Doubles => 2
  2)  Beavers => 4               65: 24/13
  3)  Doubles => 8               Drops
      Wins 4 points
""",
    )
    assert record.options.beavers
    assert record.games[0].result == ev.GameEnded(0, "drop", 1, 4, (4, 0))


def test_games_follow_each_other_to_the_end_of_a_match() -> None:
    start = "W[31hefe] B[65aggl]"
    text = tree(start, "Crawford", 3, RE="W+2R")
    text += tree(start, "Crawford:CrawfordGame", 3, 1, (2, 0), RE="B+1R")
    text += tree("B[31qtst] W[65xrrm] B[double] W[take]", "Crawford", 3, 2, (2, 1))
    match = read_one(text)
    games = match.record.games
    assert [(game.score, game.crawford) for game in games] == [((0, 0), False), ((2, 0), True), ((2, 1), False)]
    assert games[1].result == ev.GameEnded(1, "resignation", 1, 1, (2, 1))
    assert games[2].result is None
    assert Table.replay(match.record).cube == 2


def test_automatic_doubles_are_the_cube_of_the_first_node() -> None:
    match = read_one(tree("W[31hefe] B[double] W[drop]", CV="4", RE="B+4"))
    assert match.record.options.automatic_doubles == 2
    assert match.record.games[0].events[:3] == (
        ev.OpeningRolled((1, 1), 2),
        ev.OpeningRolled((1, 1), 4),
        ev.OpeningRolled((3, 1), 4),
    )
    assert "2 for it" in match.notes[0]


def test_a_roll_that_waits_for_its_play() -> None:
    assert read_one(tree("PL[B]DI[63]")).record.events[-1] == ev.OpeningRolled((3, 6))
    assert read_one(tree("W[31hefe] PL[B]DI[63]")).record.events[-1] == ev.Rolled(1, (6, 3))
    played = read_one(tree("W[31hefe] DI[63] B[63aggj]")).record  # it was played after all
    assert played == read_one(tree("W[31hefe] B[63aggj]")).record


@pytest.mark.parametrize(
    ("rules", "length", "expected"),
    [
        ("Jacoby", 0, {"jacoby": True}),
        ("", 0, {"jacoby": False}),
        ("NoCube:Jacoby", 0, {"jacoby": True, "cube": False}),
        ("Crawford", 3, {"crawford": True}),
        ("", 3, {"crawford": False}),
        ("Crawford:Nackgammon", 3, {"variant": "nackgammon"}),
        ("Crawford:Hypergammon3", 3, {"variant": "hypergammon"}),
    ],
)
def test_the_rules_are_those_the_program_names(rules: str, length: int, expected: dict[str, object]) -> None:
    options = read_one(tree("", rules, length)).record.options
    assert {name: getattr(options, name) for name in expected} == expected


def test_another_program_need_not_name_the_usual_rules() -> None:
    record = read_one("(;GM[6]MI[length:3]PW[Ann]PB[Bob];W[31hefe])").record
    assert record.options.crawford
    assert record.options.match_length == 3
    assert read_one("(;GM[6])").record.options.jacoby


def test_what_was_won_is_believed_before_the_rules() -> None:
    match = read_one(tree("W[31hefe] B[65aggl]", RE="B+2R"))
    assert not match.record.options.jacoby
    assert match.record.games[0].result == ev.GameEnded(1, "resignation", 2, 2, (0, 2))
    assert match.notes == ("line 1: the Jacoby rule is said to be on; what was won fits only if it is off",)


def test_analysis_comments_and_side_branches_are_passed_over() -> None:
    text = tree("W[31hefe]C[a\\]b;(]A[0][hefe E 0.5]LU[-0.01] B[65aggl]DA[E ver 3]MR[]")
    plain = tree("W[31hefe] B[65aggl]")
    assert read_one(text).record == read_one(plain).record
    branched = plain.rstrip(")\n") + "\n(;W[double];B[drop])\n(;W[11fefehghg](;B[66])(;B[55])))"
    assert read_one(branched).record == read_one(tree("W[31hefe] B[65aggl] W[double] B[drop]")).record


def test_several_matches_in_one_text() -> None:
    text = "words before\n" + tree("W[31hefe]", "Crawford", 3) + "\n\nand between\n" + tree("W[21hffe]", "Crawford", 3)
    assert [match.record.options.match_length for match in read_sgf(text)] == [3, 3]
    assert len(read_sgf(tree("W[31hefe]") + tree("W[31hefe]", "Crawford", 5))) == 2


# Text ------------------------------------------------------------------------------------------------------------


def test_names_are_unescaped_and_made_fit_for_a_seat() -> None:
    text = tree("W[31hefe]").replace("PW[Ann]PB[Bob]", "PW[A\\]b\\\\ \\\nc:[x]PB[<b>\x07\t" + 90 * "x" + "]")
    one, other = read_one(text).record.seats
    assert one.name == "A]b\\ c:[x"
    assert other.name == "<b>  " + 35 * "x"
    assert [seat.name for seat in read_one("(;GM[6])").record.seats] == ["Player 1", "Player 2"]


def test_encodings_and_line_ends() -> None:
    text = tree("W[31hefe] B[65aggl]").replace("Bob", "Zoë")
    expected = read_one(text).record
    assert expected.seats[1].name == "Zoë"
    for content in (
        text.encode(),
        text.encode("latin-1"),
        b"\xef\xbb\xbf" + text.encode(),
        text.replace("\n", "\r\n").encode(),
        text.replace("\n", "\r").encode("cp1252"),
        text.replace("\n", "").encode(),
    ):
        assert read_one(content).record == expected
    assert read_one(text.replace("\n", "\r\n")).record == expected


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "line 1: there is no game here; expected a text that begins with '(;'"),
        ("\n\n 7 point match\n", "line 1: there is no game here"),
        ("\x00\xff(", "line 1: there is no game here"),
        ("(;FF[4]GM[1]SZ[19];B[aa])", "line 1: game 1 of SGF is not backgammon; expected GM[6]"),
        ("(;B[aa])", "line 1: game 1 of SGF is not backgammon"),
        ("(;GM[6]\n;W[31hefe]", "line 2: the text ends in the middle of a game; expected ')'"),
        ("(;GM[6]\n;W[31he", "line 2: the text ends within '[31he'; expected ']'"),
        ("(;GM[6]\n\n;W[31hefe] 31: 8/5)", "line 3: '31: 8/5)' is not understood"),
        ("(;GM[6]\n;W[31hc])", "line 2: '8/3' is not legal with 3-1"),
        ("(;GM[6]\n;W[31hefez])", "line 2: 'W[31hefez]' is not understood; expected a roll with its play"),
        ("(;GM[6]\n;W[])", "line 2: 'W[]' is not understood"),
        ("(;GM[6]\n;W[31hefe]\n;W[31hefe])", "line 3: Player 2 has to act"),
        ("(;GM[6]\n;W[11hghg])", "line 2: a game does not begin with a tie"),
        ("(;GM[6]\n;W[take])", "line 2: the table is at: opening roll"),
        ("(;GM[6]\n;DI[71])", "line 2: DI[71] is no roll"),
        ("(;GM[6]RE[W+x];W[31hefe])", "line 1: RE[W+x] is not understood"),
        ("(;GM[6]RE[W+3]\n;W[31hefe];B[65aggl]\n;W[double];B[drop])", "line 3: Player 1 has won 1 by the rules, not 3"),
        ("(;GM[6]MI[length:x])", "line 1: MI[length:x] is not understood; expected a number"),
        ("(;GM[6]MI[length:99])", "line 1: a match goes to 25 points at most"),
        ("(;GM[6]CV[3])", "line 1: CV[3] is no cube to begin with"),
        ("(;GM[6]MI[length:3]CV[2])", "line 1: CV[2] is no cube to begin with"),
        ("(;GM[6]\n;CV[2])", "line 2: CV sets up a position"),
        ("(;GM[6]\n;PL[B]AE[a:y]AW[f][f])", "line 2: AE sets up a position; expected a game from its start"),
        ("(;GM[6]RU[Hypergammon1])", "line 1: the variation 'Hypergammon1' is not known"),
        ("(;GM[6]MI[length:5][game:2][ws:1][bs:3])", "line 1: the match begins at 1-3"),
        ("(;GM[6]\n;W[31hefe])\n(;GM[6])", "line 3: a game begins before the one before it is over"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_that_says_where(text: str, fault: str) -> None:
    with pytest.raises(SgfFileError) as refused:
        read_sgf(text)
    assert isinstance(refused.value, TableError)
    assert str(refused.value).startswith(fault)
    assert "\n" not in str(refused.value)


def test_every_truncation_is_read_or_refused() -> None:
    text = (DATA / "gnubg_session.sgf").read_text()
    whole = read_one(text).record
    for length in range(0, len(text), 11):
        try:
            record = read_one(text[:length]).record
        except SgfFileError:
            continue
        assert record.events == whole.events[: len(record.events)]


def test_every_changed_letter_is_read_or_refused() -> None:
    text = tree("W[31hefe] B[65aggl] W[double] B[take] PL[W]DI[63]", "Crawford", 3, RE="B+2R")
    for at in range(len(text)):
        for letter in "()[];\\a9":
            try:
                for match in read_sgf(text[:at] + letter + text[at + 1 :]):
                    match.record.check()
            except SgfFileError:
                continue


def test_deep_nesting_and_long_values_end() -> None:
    for text in ("(;GM[6]" + 100_000 * "(;", "(;GM[6]" + 100_000 * "(" + 100_000 * ")", "(;GM[6]C[" + 200_000 * "\\"):
        with pytest.raises(SgfFileError):
            read_sgf(text)
    assert read_one("(;GM[6]C[" + 300_000 * "x\n" + "]" + 100_000 * "(;)" + ")").record.events[0] == ev.GameStarted(
        1, (0, 0)
    )


# The real program ------------------------------------------------------------------------------------------------


@needs_gnubg
def test_matches_that_the_program_has_read_and_saved(tmp_path: Path) -> None:
    names, commands = [], ["set beavers 3"]
    seed = 0
    while len(names) < WRITTEN:
        seed += 1
        record = random_match(seed).record
        (expected,) = read_mat(to_mat(record))
        if record.options.cube and record.games[-1].result and not expected.notes:
            name = f"m{len(names)}"
            (tmp_path / f"{name}.mat").write_text(to_mat(record), encoding="utf-8")
            jacoby = "on" if expected.record.options.jacoby else "off"
            commands += [f"set jacoby {jacoby}", f"import mat {name}.mat", f"save match {name}.sgf"]
            names.append((name, expected.record))
    run_gnubg(commands, tmp_path)
    for name, record in names:
        found = read_one((tmp_path / f"{name}.sgf").read_bytes()).record
        assert found.events == record.events, name
        known = {"crawford": found.options.crawford, "jacoby": found.options.jacoby, "beavers": found.options.beavers}
        assert found.options == replace(record.options, **known)


@needs_gnubg
def test_matches_that_the_program_has_played_and_saved(tmp_path: Path) -> None:
    commands = ["set automatic game off", "set beavers 1"]
    for player in (0, 1):
        commands += [f"set player {player} {words}" for words in (f"name P{player}", "gnubg")]
        commands += [f"set player {player} {kind} evaluation plies 0" for kind in ("chequerplay", "cubedecision")]
    for number in range(PLAYED):
        length = (1, 0, 3, 5)[number % 4]
        commands += [f"set seed {number}", f"new match {length}" if length else "new session"]
        commands += (2 * max(1, length)) * ["new game"] if length != 1 else []
        commands += [f"save match p{number}.sgf", f"export match mat p{number}.mat"]
    run_gnubg(commands, tmp_path)
    for number in range(PLAYED):
        told_alike((tmp_path / f"p{number}.sgf").read_bytes(), (tmp_path / f"p{number}.mat").read_bytes())


def test_the_two_errors_are_told_apart() -> None:
    with pytest.raises(MatFileError):
        read_mat("(;GM[6])")
    assert not issubclass(SgfFileError, MatFileError)
