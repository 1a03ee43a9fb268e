import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from spark_tui.safe_text import is_plain, visible
from spark_tui.tui.widgets.highlight import Ink, changed_words, colored, inked, shortened, skipped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\x00b\x7f", "a␀b␡"),
        ("\u202eevil\u2066", "<U+202E>evil<U+2066>"),
        ("zero\u200bwidth", "zero<U+200B>width"),
        ("\x9b31m", "<U+009B>31m"),
        ("caf\udce9", "caf<0xE9>"),
        ("hard\xa0space", "hard<U+00A0>space"),
        ("tag \U000e0041", "tag <U+E0041>"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
        ("heart \u2764\ufe0f", "heart \u2764<U+FE0F>"),
        ("filler\u3164", "filler<U+3164>"),
        ("日本 é", "日本 é"),
    ],
)
def test_what_does_not_print_is_shown_by_name(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_every_control_format_and_surrogate_character_has_a_mark_that_shows() -> None:
    odd = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    ]
    assert len([char for char in odd if unicodedata.category(char) == "Cc"]) == 65
    assert all(is_plain(visible(char)) for char in odd)
    assert len({visible(char) for char in odd}) == len(odd)


@given(st.text())
def test_nothing_that_controls_a_terminal_is_ever_drawn(text: str) -> None:
    drawn = "".join(piece for piece, _ in inked(text))
    assert all(
        unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in drawn
    )
    assert is_plain(visible(text))


def test_tabs_reach_the_next_stop_and_show() -> None:
    assert list(inked("ab\tc")) == [("ab", Ink.PLAIN), ("→ ", Ink.MARK), ("c", Ink.PLAIN)]


def test_words_that_changed_are_set_apart_and_odd_characters_in_them_stay_marks() -> None:
    assert list(inked("x = a\x1bb", [(4, 7)])) == [
        ("x = ", Ink.PLAIN),
        ("a", Ink.WORD),
        ("␛", Ink.MARK),
        ("b", Ink.WORD),
    ]


def test_changed_words_are_found_in_both_lines() -> None:
    old, new = "with open(path) as f:", "with path.open() as handle:"
    before, after = changed_words(old, new)
    assert [old[start:end] for start, end in before] == ["path", "f"]
    assert [new[start:end] for start, end in after] == ["path.", "handle"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_what_is_not_marked_as_changed_is_equal(old: str, new: str) -> None:
    before, after = changed_words(old, new)
    if not (before or after):
        return
    assert _without(old, before) == _without(new, after)


def test_lines_with_little_in_common_get_no_marks() -> None:
    assert changed_words("import os", "def f(self, value): return 1") == ((), ())


def _without(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    kept, at = "", 0
    for start, end in spans:
        kept += text[at:start]
        at = end
    return kept + text[at:]


@given(st.lists(st.text("ab \t日é\x1b\u202e", max_size=40), max_size=4), st.integers(0, 4000))
def test_a_line_is_drawn_alike_from_wherever_it_is_looked_at(
    pieces: list[str], columns: int
) -> None:
    text = "".join(piece * 40 for piece in pieces)
    at, column = skipped(text, columns)
    head = "".join(shown for shown, _ in inked(text[:at]))
    tail = "".join(shown for shown, _, _ in colored(text[at:], (), (), column))
    assert head + tail == "".join(shown for shown, _ in inked(text))
    assert cell_len(head) == column <= columns
    assert len(text) - at < 256 or columns - column < 8 * 256


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (60, "no block after 'for' statement, on line 3"),
        (41, "no block after 'for' statement, on line 3"),
        (40, "no block after 'for' statement, on line…"),
        (34, "no block after 'for' statement…"),
        (29, "no block after 'for'…"),
        (9, "no block…"),
        (2, "n…"),
        (0, "…"),
    ],
)
def test_words_without_room_end_at_a_word_with_a_sign(columns: int, shown: str) -> None:
    assert shortened("no block after 'for' statement, on line 3", columns) == shown


def test_a_word_wider_than_the_line_is_cut_by_its_columns() -> None:
    assert shortened("edits src/some/long/path.py", 15) == "edits src/some…"
    assert [shortened(words, 4) for words in ("日本語日本語", "xxxxxx")] == ["日…", "xxx…"]
