"""Pastes into plain lines: text and nothing else, one instruction however it comes."""

import sys
from pathlib import Path

import pytest

from tests.cli.conversation import END, PASTE, Begin, answer, only_pastes_are_asked_for
from tests.tui.pseudo import Terminal
from tests.tui.support import HUSH, SPLIT, STORE
from tests.tui.wire import left_on


@pytest.mark.parametrize(
    "keys",
    [
        f"{PASTE}y\ny\ny\n{END}",
        f"{PASTE}y\n{END}",
        f"{PASTE}a{END}\n",
        pytest.param("y\ny\ny\n", id="lines, not marked"),
        pytest.param("y\ny", id="a line and a begun one, not marked"),
    ],
)
def test_a_paste_answers_nothing(begin: Begin, tmp_path: Path, keys: str) -> None:
    terminal = begin()
    answer(terminal, "spark:", SPLIT)
    terminal.until(lambda: terminal.text.rstrip().endswith("[y/n/e/a/q/?; a: all 2]"))
    assert left_on(terminal.raw) == {"?2004"}
    terminal.do(keys, "pasted text is not an answer; type it")
    answer(
        terminal, "[1 of 2 open] accept this hunk? [y/n/e/a/q/?; a: all 2]", "q", "left undecided"
    )
    assert (tmp_path / "repo" / "store.py").read_text() == STORE
    assert only_pastes_are_asked_for(terminal)


def test_a_paste_that_comes_in_pieces_answers_nothing(begin: Begin, tmp_path: Path) -> None:
    terminal = begin()
    answer(terminal, "spark:", HUSH)
    terminal.until(lambda: terminal.text.rstrip().endswith("[y/n/e/a/q/?]"))
    for piece in (f"{PASTE}y", "y\n", "y\n\x1b[20"):
        terminal.press(piece)
        terminal.until_quiet(0.2)
    assert "pasted text is not an answer" not in terminal.text
    terminal.do("1~", "pasted text is not an answer")
    answer(terminal, "[y/n/e/a/q/?]", "n", "rejected")
    assert (tmp_path / "repo" / "store.py").read_text() == STORE


def test_a_paste_that_begins_while_the_turn_runs_answers_nothing_until_it_ended(
    begin: Begin, tmp_path: Path
) -> None:
    terminal = begin(0.02)
    answer(terminal, "spark:", HUSH, "editing store.py")
    terminal.press(f"{PASTE}y\r", until=lambda: terminal.text.rstrip().endswith("[y/n/e/a/q/?]"))
    for piece in ("a\r", "y\r\x1b[20"):
        terminal.press(piece)
        terminal.until_quiet(0.2)
    assert "paste" not in terminal.text
    terminal.do("1~", "pasted text is not an answer")
    answer(terminal, "[y/n/e/a/q/?]", "n", "rejected")
    assert (tmp_path / "repo" / "store.py").read_text() == STORE


@pytest.mark.parametrize(
    "pieces",
    [
        (
            f"{PASTE}/frobnicate\r",
            "a\ry\r\x1b[2",
            f"01~{PASTE}\r/log\r",
            f"{END}\x15{PASTE}/frob",
            f"\r/log{END}",
        ),
        (f"/lgo\x17{PASTE}/frob\r/log{END}x\x7f",),
        ("/frob\n/log",),
    ],
    ids=["stalled, the line emptied and pasted again", "marked, between keys", "not marked"],
)
def test_a_paste_of_several_lines_is_one_instruction_that_a_key_sends(
    begin: Begin, pieces: tuple[str, ...]
) -> None:
    terminal = begin()
    for piece in pieces:
        terminal.press(piece)
        terminal.until_quiet(0.2)
    assert "there is no" not in terminal.text
    terminal.do("\n", "there is no /frob /log here")
    terminal.until_quiet(0.2)
    assert terminal.text.count("there is no") == 1


def test_a_paste_that_is_too_long_is_refused(begin: Begin) -> None:
    terminal = begin()
    terminal.do(
        f"{PASTE}" + "x\r" * 6000 + f"{END}\n",
        "the instruction has 11,999 characters, the limit is 10,000",
    )
    terminal.do(f"{PASTE}{HUSH}{END}\n", "editing store.py")


def test_a_paste_that_never_ends_can_be_left_and_the_terminal_is_as_it_was(begin: Begin) -> None:
    terminal = begin()
    terminal.press(f"{PASTE}y\r")
    terminal.until_quiet()
    terminal.do("\x03", "Ctrl+C again quits")
    terminal.press("\x03", until=terminal.ended)
    terminal.until_quiet()
    assert (terminal.after, left_on(terminal.raw)) == (terminal.before, set())


def test_pastes_are_not_marked_while_it_is_suspended(tmp_path: Path) -> None:
    terminal = Terminal("bash", "--norc", "--noediting", "-i", size=(200, 120), shell=True)
    try:
        terminal.press(f"{sys.executable} -m tests.cli.plain_talk {tmp_path}\n")
        answer(terminal, "spark:", HUSH)
        terminal.until(lambda: terminal.text.rstrip().endswith("[y/n/e/a/q/?]"))
        terminal.do("\x1a", "Stopped")
        assert left_on(terminal.raw) == set()
        terminal.press("fg\n", until=lambda: left_on(terminal.raw) == {"?2004"})
        terminal.do("y\n", "accepted and written")
    finally:
        terminal.close()
