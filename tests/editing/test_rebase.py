"""A change made to one version of a file, brought into another."""

from collections import Counter
from itertools import compress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.hunks import apply_hunks, diff
from spark_tui.editing.rebase import is_partly_made, same_words, transplant
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict


def text(words: str, ending: str = "\n") -> Text:
    """A text of one-word lines; a last word "." means that there is no ending before it."""
    whole = "".join(word + ending for word in words.split())
    return Text.from_bytes(whole.removesuffix("." + ending).encode())


@pytest.mark.parametrize(
    ("before", "after", "target", "expected"),
    [
        ("a b c", "a B c", "a b c", "a B c"),
        ("a u b c", "a u B c", "a b c", "a B c"),
        ("a b c d", "a b c D", "A b c d", "A b c D"),
        ("a b c d", "a b c D", "x a b b2 c d y", "x a b b2 c D y"),
        ("a u b", "a u s b", "a b", "a s b"),
        ("a u b", "a s u b", "a b", "a s b"),
        ("a u b", "a u s b", "a v b", "a v s b"),
        ("a u b", "a s u b", "a v b", "a s v b"),
        ("a b c", "a c", "a b c d", "a c d"),
        ("a b c", "a B c", "a B c", "a B c"),
        ("a b c", "a c", "a c", "a c"),
        ("a b", "a s b", "a s b", "a s b"),
        ("a u b", "a u s b", "a s b", "a s b"),
        ("a u b c", "a u B c", "a B c", "a B c"),
        ("a b", "a B", "a B b", "a B B"),
        ("a b c d e f", "A b c d e F", "A b c x d e f", "A b c x d e F"),
        ("", "a b", "", "a b"),
        ("a b", "", "a b", ""),
    ],
)
def test_a_change_goes_where_both_versions_agree(
    before: str, after: str, target: str, expected: str
) -> None:
    assert transplant(text(before), text(after), text(target)) == text(expected)


@pytest.mark.parametrize(
    ("before", "after", "target"),
    [
        ("a b c", "a B c", "a x c"),
        ("a b c d", "a B C d", "a b x c d"),
        ("a b c", "a c", "a x c"),
        ("a b", "a s b", "a x b"),
        ("a u v b", "a u s v b", "a b"),
        ("a b", "a B", ""),
    ],
)
def test_a_change_that_belongs_to_other_lines_is_refused(
    before: str, after: str, target: str
) -> None:
    with pytest.raises(Conflict, match=r"other lines of x\.py .* by hand"):
        transplant(text(before), text(after), text(target), "x.py")


@pytest.mark.parametrize(
    ("before", "after", "target", "expected"),
    [
        (b"a\r\nb\r\n", b"a\r\nB\r\nC\r\n", b"a\nb\n", b"a\nB\nC\n"),
        (b"a\nb\n", b"a\nB\nC\n", b"a\r\nb\r\n", b"a\r\nB\r\nC\r\n"),
        (b"a\r\nb\nc\r\n", b"a\r\nb\nx\ny\r\nc\r\n", b"a\nb\r\nc\n", b"a\nb\r\nx\r\ny\nc\n"),
        (b"a\r\nb\r\n", b"a\nb\r\n", b"a\nb\n", b"a\nb\n"),
        (b"a\nb", b"a\nB", b"a\nb\nc\n", b"a\nB\nc\n"),
        (b"a\n", b"a\nb\n", b"a", b"a\nb"),
        (b"a", b"a\nb", b"a\nz\n", b"a\nb\nz\n"),
        (b"a\r\nb", b"a\r\nb\r\nc", b"a\nb", b"a\nb\nc"),
        (
            b"\xef\xbb\xbfa\r\nb\r\n",
            b"\xef\xbb\xbfa\r\nB\r\n",
            b"\xef\xbb\xbfa\nb\n",
            b"\xef\xbb\xbfa\nB\n",
        ),
        (b"a\r\nb\r\n", b"a\r\n\xe9\r\nb\r\n", b"a\nb\nc\n", b"a\n\xe9\nb\nc\n"),
    ],
)
def test_what_is_brought_in_takes_the_endings_of_where_it_goes(
    before: bytes, after: bytes, target: bytes, expected: bytes
) -> None:
    moved = transplant(Text.from_bytes(before), Text.from_bytes(after), Text.from_bytes(target))
    assert moved.to_bytes() == expected


def test_texts_with_other_endings_have_the_same_words() -> None:
    assert same_words(text("a b", "\r\n"), text("a b"))
    assert not same_words(text("a b"), text("a b b"))


Edits = list[tuple[int, int, str]]


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, Edits]]]:
    """A file of lines that all differ, and three sets of edits of it, each edit a few lines
    from any other.
    """
    blocks = draw(
        st.lists(
            st.tuples(st.integers(0, 3), st.sampled_from("nsau"), st.integers(0, 2)), max_size=8
        )
    )
    lines, places = [], list[tuple[str, int, int, int]]()
    for number, (old, who, new) in enumerate(blocks):
        lines += [f"keep {number}.{each}" for each in range(2)]
        places.append((who, len(lines), len(lines) + old, new))
        lines += [f"old {number}.{each}" for each in range(old)]
    lines += ["end"]
    sets = [
        (who, [(a, b, f"{who}{a}" * n) for w, a, b, n in places if w == who and (n or a < b)])
        for who in "sau"
    ]
    return lines, sets


def _with(lines: list[str], *sets: Edits) -> list[str]:
    result = list(lines)
    for start, stop, word in sorted((edit for each in sets for edit in each), reverse=True):
        result[start:stop] = [word] if word else []
    return result


@given(edits(), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["\n", "\r\n"]))
def test_staged_edits_stay_accepted_ones_come_and_unstaged_ones_stay_out(
    drawn: tuple[list[str], list[tuple[str, Edits]]], here: str, there: str
) -> None:
    lines, sets = drawn
    staged, accepted, unstaged = (edits for _, edits in sets)

    def made(ending: str, *chosen: Edits) -> Text:
        return Text(tuple(line + ending for line in _with(lines, *chosen)))

    before, after = made(here, staged, unstaged), made(here, staged, unstaged, accepted)
    moved = transplant(before, after, made(there, staged))
    assert moved == made(there, staged, accepted)
    assert transplant(before, after, moved) == moved


_WORDS = st.lists(st.sampled_from("abc"), max_size=7)


@given(_WORDS, _WORDS, _WORDS)
def test_whatever_the_versions_nothing_comes_or_goes_but_what_the_change_says(
    one: list[str], two: list[str], three: list[str]
) -> None:
    before, after, target = (text(" ".join(words)) for words in (one, two, three))
    try:
        moved = transplant(before, after, target)
    except Conflict:
        return
    hunks = diff(before, after)
    come, gone = Counter(moved.raw) - Counter(target.raw), Counter(target.raw) - Counter(moved.raw)
    assert come <= Counter(line for hunk in hunks for line in hunk.new)
    assert gone <= Counter(line for hunk in hunks for line in hunk.old)


few_lines = st.lists(st.sampled_from(["\n", "\n", "a\n", "}\n"]), max_size=8).map(
    lambda lines: Text(tuple(lines))
)


@given(few_lines, few_lines, st.lists(st.booleans(), min_size=8, max_size=8))
def test_a_change_of_which_any_hunks_are_there_is_partly_made(
    before: Text, after: Text, there: list[bool]
) -> None:
    now = apply_hunks(before, compress(diff(before, after), there))
    assert is_partly_made(before, after, now)


@given(few_lines, few_lines)
def test_what_lacks_a_line_of_each_version_is_not_partly_made(before: Text, after: Text) -> None:
    longest = max(before, after, key=lambda version: len(version.raw))
    assert not is_partly_made(before, after, Text((*longest.raw, "other\n")))
