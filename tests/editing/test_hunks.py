from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.hunks import Hunk, apply_hunks, diff
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict
from tests.editing.texts import edited

Pair = tuple[Text, Text]


def spliced(base: Text, proposed: Text, chosen: set[int]) -> bytes:
    """The base with some hunks in it, put together line by line by hand."""
    result: list[str] = []
    at = 0
    for number, hunk in enumerate(diff(base, proposed)):
        result += base.raw[at : hunk.start]
        result += hunk.new if number in chosen else hunk.old
        at = hunk.start + len(hunk.old)
    return "".join([*result, *base.raw[at:]]).encode("utf-8", "surrogateescape")


@given(edited())
def test_all_hunks_together_give_the_proposal(pair: Pair) -> None:
    base, proposed = pair
    assert apply_hunks(base, diff(base, proposed)) == proposed
    assert apply_hunks(base, []) == base


@given(edited(), st.randoms(use_true_random=False))
def test_any_subset_in_any_order_is_the_line_splice(pair: Pair, rng: Random) -> None:
    base, proposed = pair
    hunks = list(enumerate(diff(base, proposed)))
    chosen = rng.sample(hunks, rng.randint(0, len(hunks)))
    expected = spliced(base, proposed, {number for number, _ in chosen})
    assert apply_hunks(base, [hunk for _, hunk in chosen]).to_bytes() == expected


@given(edited())
def test_between_two_hunks_at_least_one_line_is_kept(pair: Pair) -> None:
    hunks = diff(*pair)
    assert all(first.stop < second.start for first, second in pairwise(hunks))
    assert all(hunk.old != hunk.new for hunk in hunks)


@pytest.mark.parametrize(
    ("base", "proposed", "hunks"),
    [
        (b"a\nb\n", b"x\na\nb\n", [(0, (), ("x\n",))]),
        (b"a\nb\n", b"a\nb\nx\n", [(2, (), ("x\n",))]),
        (b"a\nb\n", b"b\n", [(0, ("a\n",), ())]),
        (b"a\nb\n", b"a\n", [(1, ("b\n",), ())]),
        (b"a\nb", b"a\nb\nx", [(1, ("b",), ("b\n", "x"))]),
        (b"a\r\n", b"a\n", [(0, ("a\r\n",), ("a\n",))]),
        (b"", b"a\n", [(0, (), ("a\n",))]),
        (b"a\n", b"", [(0, ("a\n",), ())]),
        (b"a\nb\nc\n", b"x\nb\ny\n", [(0, ("a\n",), ("x\n",)), (2, ("c\n",), ("y\n",))]),
    ],
)
def test_literal_hunks(
    base: bytes, proposed: bytes, hunks: list[tuple[int, tuple[str, ...], tuple[str, ...]]]
) -> None:
    found = diff(Text.from_bytes(base), Text.from_bytes(proposed))
    assert [(hunk.start, hunk.old, hunk.new) for hunk in found] == hunks


def test_hunks_show_their_lines_without_endings() -> None:
    (hunk,) = diff(Text.from_bytes(b"a\r\n"), Text.from_bytes(b"b\r\nc"))
    assert (hunk.old_lines, hunk.new_lines, hunk.growth) == (("a",), ("b", "c"), 1)


def test_ids_depend_on_content_and_place_alone() -> None:
    base, proposed = Text.from_bytes(b"a\nb\na\n"), Text.from_bytes(b"x\nb\nx\n")
    ids = [hunk.id for hunk in diff(base, proposed)]
    assert ids == [hunk.id for hunk in diff(base, proposed)]
    assert len(set(ids)) == 2


@pytest.mark.parametrize(
    "hunks",
    [
        [Hunk("1", 0, ("other\n",), ())],
        [Hunk("1", 5, ("a\n",), ())],
        [Hunk("1", 0, ("a\n", "b\n"), ()), Hunk("2", 1, ("b\n",), ())],
        [Hunk("1", 1, (), ("x\n",)), Hunk("1", 1, (), ("x\n",))],
    ],
)
def test_hunks_that_do_not_fit_are_a_conflict(hunks: list[Hunk]) -> None:
    with pytest.raises(Conflict, match="no longer fits"):
        apply_hunks(Text.from_bytes(b"a\nb\n"), hunks)
