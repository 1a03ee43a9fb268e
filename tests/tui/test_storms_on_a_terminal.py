"""Pastes in every state, storms of sizes, and suspending in mid-stream, on a real terminal."""

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.keyboards import ENCODINGS
from tests.tui.support import STORE
from tests.tui.test_every_key import ENDED, PAUSES, STATES, TABLE, enter, marked_as
from tests.tui.walking import SIZE, Seen, User, changed

FEW, MANY = 1, 10
START, END = b"\x1b[200~", b"\x1b[201~"
PASTES = (
    b"ay\rA\x01\x12u\r",
    b"a",
    b"\r",
    b"\x1b",
    b"\x1b[A\x1bOBa\ra",
    b"!touch owned\r",
    b"/undo\r",
    b"a\x1b[200~y\r\x1b[201",
    b"\x1b[97;;97u\x1b[13u" + b"any\r" * 20,
    b"\x03\x03\x1a",
    "ä日本\u202e".encode() + b"\x00a",
)
"""Each holds keys that would decide, send, run or leave, had they been pressed."""
LARGEST = (120, 400)
SIZES = 20


def paste(user: User, text: bytes, cut: int) -> None:
    """Paste in two pieces, so far apart that Esc alone would be a key in between."""
    whole = START + text + END
    user.terminal.send(whole[:cut])
    user.terminal.until_quiet(0.05)
    user.terminal.send(whole[cut:])


def try_paste(user: User, state: str, text: bytes, cut: int) -> None:
    """Paste in a state: it is text in the prompt, and that is all.

    Where it is cut behind Esc, or behind Esc and [, these are keys: a hand presses them as well.
    """
    enter(user, state)
    before, written = STATES[state], user.seen().prompt
    ends = cut in {1, 2} and TABLE[state].get("Esc") is ENDED
    change: Mapping[str, object] = {}
    if ends:
        change = ENDED
    elif before.phase == "writing":
        change = PAUSES
    paste(user, text, cut)
    user.terminal.until(lambda: user.seen().prompt != written)
    user.press("Ctrl+P")  # also where the list of files is open
    user.until_screen("palette")
    user.close_screen()
    user.terminal.until_quiet()
    if ends:
        user.stream("open")  # the token that is under way has its end
    wanted = changed(before, change)
    user.terminal.until(lambda: len(user.seen().hunks) == len(wanted.hunks))
    seen = user.seen()
    user.until(replace(wanted, focus=seen.focus, prompt=seen.prompt, hunks=marked_as(seen, wanted)))
    assert not (user.file.parent / "owned").exists()


@pytest.mark.parametrize("state", ["writing, in the diff", "review"])
def test_a_paste_is_only_ever_text(user: User, state: str) -> None:
    for number, text in enumerate(PASTES[:4]):
        try_paste(user, state, text, len(START) + number % len(text))


@pytest.mark.exhaustive
@pytest.mark.parametrize("state", STATES)
def test_a_paste_is_only_ever_text_in_every_state_and_wherever_it_is_cut(
    user: User, state: str
) -> None:
    for text in PASTES:
        for cut in range(1, len(START + text + END), 1 if len(text) < 20 else 7):
            try_paste(user, state, text, cut)


@pytest.mark.parametrize(
    ("encoding", "rounds"),
    [
        ("kitty", FEW),
        *(pytest.param(each, MANY, marks=pytest.mark.exhaustive) for each in ("legacy", "kitty")),
    ],
)
def test_a_storm_of_sizes_in_mid_stream_leaves_the_picture_as_it_would_be(
    tmp_path: Path, encoding: str, rounds: int
) -> None:
    user, chance = User(tmp_path / "f", ENCODINGS[encoding]), random.Random(rounds)
    user.until(Seen())
    for _ in range(rounds):
        enter(user, "review")
        expected = _steady(user.terminal.text)
        user.go_home()
        user.begin()
        for number in range(SIZES):
            user.terminal.resize(chance.randint(1, LARGEST[0]), chance.randint(1, LARGEST[1]))
            user.stream("let 1" if number % 2 else "later 1")
            user.terminal.until_quiet(0.005 * (number % 3))
        user.terminal.resize(*SIZE)
        user.stream("open")
        user.until(STATES["review"], "after the storm")
        user.terminal.until_quiet()
        assert _steady(user.terminal.text) == expected
    assert user.file.read_text() == STORE
    user.close()


def _steady(text: str) -> list[str]:
    """A picture without what is measured."""
    return text.split("\n")[:-1]


@pytest.mark.parametrize(
    "rounds",
    [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.exhaustive)],
)
def test_suspending_in_mid_stream_gives_the_terminal_back_and_goes_on(
    user: User, rounds: int
) -> None:
    chance = random.Random(rounds)
    enter(user, "review")
    expected = _steady(user.terminal.text)
    for _ in range(rounds):
        user.go_home()
        user.begin()
        user.stream("open 0.005")
        user.terminal.until_quiet(chance.uniform(0, 0.01))
        user.suspend_and_resume()
        user.until(STATES["review"], "after being suspended")
        user.terminal.until(lambda: _steady(user.terminal.text) == expected)
    user.go_home()
