"""What leaves for the terminal, and what happens when there is none any more."""

import os
import pty
import re
from base64 import b64encode
from functools import partial
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.errors import UsageError
from spark_tui.tui.output_filter import OutputFilter, allowed
from tests.tui.wire import violations

FRAME = "\x1b[?2026h\x1b[1;1H\x1b[38;2;1;2;3;48;5;7mdéf 漢\x1b[0m\n\x1b[2;1H  \x1b[?2026l"
PIECES = [
    "\x1b",
    "[",
    "]52;c;",
    "\x07",
    "\x9b",
    "31m",
    "?1049h",
    "?6h",
    "2J",
    "5;5H",
    "\u202e",
    "\ufe0f",
    "text",
    "\n",
]


@pytest.mark.parametrize(
    "text",
    [
        "\x1b]0;title\x07",
        "\x1b]52;c;eA==\x1b\\",
        "\x1b]8;;http://x\x1b\\",
        "\x1bP1$r\x1b\\",
        "\x1b[2J",
        "\x1b[5n",
        "\x1b[?6h",
        "\x1b[3 q",
        "\x1b[8;9;9t",
        "\x9b2J",
        "\x9d0;x\x9c",
        "\x00",
        "\x08",
        "\r",
        "\t",
        "\x7f",
        "\u202e",
        "\u200b",
        "\U000e0041",
        "\ud800",
        "\x1bc",
        "\u2028",
        "\ufe0f",
        "\u3164",
        "\x1b[",
        "\x1b[38;2",
        "\x1b[?25",
    ],
)
def test_nothing_else_does_whatever_is_around_it(text: str) -> None:
    shown = allowed(FRAME + text + FRAME)
    assert violations(shown.replace("\n", "\r\n").encode()) == []
    assert shown.count(FRAME) == 2


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3)).map("".join))
def test_of_any_text_only_what_is_allowed_leaves_and_what_shows_stays(text: str) -> None:
    shown = allowed(text)
    assert violations(shown.replace("\n", "\r\n").encode()) == []
    assert allowed(shown) == shown
    assert len(shown) == len(text)
    assert re.sub("[^ -~]", "", text) == re.sub("[^ -~]", "", shown)


def test_what_is_written_to_a_terminal_that_was_closed_is_lost_and_told_once() -> None:
    gone: list[bool] = []
    master, slave = pty.openpty()
    output_filter = OutputFilter(slave, "utf-8", lambda: gone.append(True))
    output_filter.write("é")
    output_filter.flush()
    assert os.read(master, 10) == "é".encode()
    os.close(master)
    for _ in range(3):
        output_filter.write("x")
        output_filter.flush()
    os.close(slave)
    assert gone == [True]


def test_a_terminal_that_takes_only_a_little_at_a_time_gets_everything() -> None:
    end, start = os.pipe()
    os.set_blocking(start, False)
    got: list[bytes] = []
    reader = Thread(target=lambda: got.extend(iter(partial(os.read, end, 4096), b"")))
    reader.start()
    output_filter = OutputFilter(start, "ascii", lambda: None)
    output_filter.write("é" + "x" * 1_000_000)
    output_filter.flush()
    os.close(start)
    reader.join()
    os.close(end)
    assert b"".join(got) == b"\\xe9" + b"x" * 1_000_000


def test_a_copy_the_user_asked_for_leaves_whole_after_the_frame_and_once() -> None:
    end, start = os.pipe()
    output_filter = OutputFilter(start, "utf-8", lambda: None)
    output_filter.write(FRAME)
    output_filter.copy(b"\x1b]0;evil\x07\n")
    output_filter.write("x")
    output_filter.flush()
    output_filter.write("y")
    output_filter.flush()
    os.close(start)
    assert (
        os.read(end, 9999)
        == FRAME.encode() + b"x\x1b]52;c;" + b64encode(b"\x1b]0;evil\x07\n") + b"\x1b\\y"
    )
    os.close(end)


def test_more_than_terminals_take_is_not_copied() -> None:
    output_filter = OutputFilter(0, "utf-8", lambda: None)
    with pytest.raises(UsageError, match="75,001 bytes are too much"):
        output_filter.copy(b"x" * 75_001)


@given(st.lists(st.sampled_from([*PIECES, "\x9c", "9;4;1;50", "\x1b\\"]) | st.text(max_size=3)))
def test_an_alert_is_one_sequence_with_plain_words_and_the_bell(parts: list[str]) -> None:
    sent = alerted("".join(parts), "xterm-256color")
    assert sent.startswith(b"\a\x1b]9;spark: ")
    assert sent.endswith(b"\x1b\\")
    words = sent.removeprefix(b"\a\x1b]9;").removesuffix(b"\x1b\\").decode()
    assert allowed(words) == words
    assert "\n" not in words
    assert len(words) < 250


@pytest.mark.parametrize("terminal", ["", "dumb", "linux"])
def test_a_terminal_that_would_show_an_alert_only_rings(terminal: str) -> None:
    assert alerted("done", terminal) == b"\a"


def alerted(words: str, terminal: str) -> bytes:
    """What an alert sends to a terminal of this kind."""
    receiver, sender = os.pipe()
    try:
        output = OutputFilter(sender, "utf-8", lambda: None)
        output.alert(words, terminal)
        output.flush()
        return os.read(receiver, 4096)
    finally:
        os.close(receiver)
        os.close(sender)
