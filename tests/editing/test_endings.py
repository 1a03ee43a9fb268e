"""A version of a text in the endings of another: a difference in endings alone is none."""

from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.endings import in_endings_of, with_crlf, with_lf
from spark_tui.editing.text import Text

WORDS = st.sampled_from(["a", "b", "", "c\r", "\r"])
ENDINGS = st.sampled_from(["\n", "\r\n"])
LINES = st.lists(st.tuples(WORDS, ENDINGS), max_size=8)


def text_of(lines: list[tuple[str, str]], *, last: str = "") -> Text:
    return Text.from_bytes(("".join(map("".join, lines)) + last).encode())


@given(LINES, LINES, st.sampled_from(["", "end"]))
def test_only_endings_change(
    lines: list[tuple[str, str]], others: list[tuple[str, str]], last: str
) -> None:
    text = text_of(lines, last=last)
    other = text_of(others, last=last)
    assert with_lf(in_endings_of(text, other)) == with_lf(text)
    assert in_endings_of(with_crlf(other), other) == in_endings_of(other, other) == other


def test_lines_that_the_other_text_lacks_take_its_only_ending() -> None:
    text = text_of([("a", "\n"), ("gone", "\n"), ("b", "\n")])
    other = text_of([("a", "\r\n"), ("b", "\r\n")])
    assert in_endings_of(text, other).raw == ("a\r\n", "gone\r\n", "b\r\n")
