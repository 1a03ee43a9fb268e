"""One part of a review written anew: whatever was decided, cut, toggled or written elsewhere
stays to the byte.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.hunks import HunkPart, diff
from spark_tui.editing.renewed_hunk import renewed
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from tests.editing.texts import edited, reviewed, texts

BASE = Text(tuple(f"line {number}\n" for number in range(9)))


Changed = tuple[int, int, tuple[str, ...]]


def numbered(*changes: Changed) -> Text:
    """The base with lines [start, stop) replaced; given from top to bottom."""
    text = BASE
    for start, stop, lines in reversed(changes):
        text = text.replace_lines(start, stop, lines)
    return text


@st.composite
def answers(draw: st.DrawFn, name: str) -> Text:
    """What a few replacements make of the base; no line is like one of another answer."""
    text = BASE
    for number in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text.raw)))
        stop = draw(st.integers(start, min(start + 2, len(text.raw))))
        count = draw(st.integers(0, 3))
        text = text.replace_lines(
            start, stop, [f"line of {name} {number} {each}" for each in range(count)]
        )
    return text


def worked_on(data: st.DataObject, review: Review) -> None:
    """Some parts cut, toggled, edited, rejected and accepted."""
    for number in range(data.draw(st.integers(0, 6))):
        if not review.parts:
            return
        hunk = data.draw(st.sampled_from(review.parts)).hunk
        rows = st.integers(0, len(hunk.old) + len(hunk.new) - 1)
        own = st.lists(st.just(f"my own {number}"), max_size=2)
        try:
            match data.draw(st.sampled_from("cttera")):
                case "c":
                    review.split(hunk.id)
                case "t":
                    review.toggle(hunk.id, data.draw(rows))
                case "e":
                    review.edit(hunk.id, data.draw(own))
                case "r":
                    review.reject([hunk.id])
                case _:
                    review.accept([hunk.id])
        except UsageError:
            pass  # all of its lines are out


def but(part: HunkPart, review: Review) -> set[object]:
    """What all other parts are and what of them is out."""
    return {
        (each.hunk.start, each.hunk.old, each.hunk.new, each.out)
        for each in review.parts
        if each is not part
    }


def kept(part: HunkPart, review: Review) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of a proposal up to the part above another one, and from the one below."""
    at, lines = review.parts.index(part), review.proposed.raw
    above = max((each.at + len(each.hunk.new) for each in review.parts[:at]), default=0)
    below = min((each.at for each in review.parts[at + 1 :]), default=len(lines))
    return lines[:above], lines[below:]


@given(st.data())
def test_every_other_part_stays_as_it_is_cut_toggled_edited_and_decided(
    data: st.DataObject,
) -> None:
    review = reviewed(BASE, data.draw(answers("one")))
    worked_on(data, review)
    if not review.parts:
        return
    part = data.draw(st.sampled_from(review.parts))
    before = review.base, review.proposed, review.parts
    other = renewed(review, part.hunk.id, BASE, data.draw(answers("two")))
    above, below = kept(part, review)
    assert other.proposed.raw[: len(above)] == above
    assert other.proposed.raw[len(other.proposed.raw) - len(below) :] == below
    assert {
        (each.hunk.start, each.hunk.old, each.hunk.new, each.out) for each in other.parts
    } >= but(part, review)
    assert other.hunks == diff(other.base, other.proposed)
    assert (review.base, review.proposed, review.parts) == before


@given(edited(), st.data())
def test_lines_that_are_alike_are_not_mixed_up(
    pair: tuple[Text, Text], data: st.DataObject
) -> None:
    review = reviewed(*pair)
    if not review.parts:
        return
    part = data.draw(st.sampled_from(review.parts))
    other = renewed(review, part.hunk.id, pair[0], data.draw(texts))
    above, below = kept(part, review)
    bare = Text(other.proposed.raw).lines
    assert bare[: len(above)] == Text(above).lines
    assert not below or bare[-len(below) :] == Text(below).lines


@pytest.mark.parametrize(
    ("two", "middle"),
    [
        (numbered((1, 2, ("A",)), (4, 5, ("B",)), (7, 8, ("C",))), [(4, 5, ("B",))]),
        (numbered((4, 5, ("B", "more"))), [(4, 5, ("B", "more"))]),
        (numbered((3, 6, ("B",))), [(3, 6, ("B",))]),
        (BASE, []),
        (numbered((1, 8, ("line 1, A", "line 4, B", "line 7, C"))), [(3, 6, ("line 4, B",))]),
    ],
    ids=[
        "the same lines",
        "lines more",
        "lines around it",
        "no change there",
        "of one change only what is there",
    ],
)
def test_the_answer_counts_where_nothing_else_was_proposed(
    two: Text, middle: list[Changed]
) -> None:
    above, below = (1, 2, ("a",)), (7, 8, ("c",))
    review = reviewed(BASE, numbered(above, (4, 5, ("b",)), below))
    assert renewed(review, review.parts[1].hunk.id, BASE, two).proposed == numbered(
        above, *middle, below
    )


def test_what_was_accepted_or_rejected_is_not_proposed_again() -> None:
    review = reviewed(BASE, numbered((1, 2, ("a", "aa")), (4, 5, ("b",)), (7, 8, ("c",))))
    first, second, third = (part.hunk.id for part in review.parts)
    review.accept([first])
    review.reject([third])
    other = renewed(review, second, BASE, numbered((1, 2, ("A",)), (4, 5, ("B",)), (6, 8, ("C",))))
    assert [(hunk.old_lines, hunk.new_lines) for hunk in other.hunks] == [(("line 4",), ("B",))]
    assert other.base == review.base


def test_the_same_hunk_can_be_written_anew_again_and_a_later_proposal_takes_its_place() -> None:
    review = reviewed(BASE, numbered((1, 2, ("a",)), (4, 5, ("b",))))
    review.edit(review.parts[0].hunk.id, ["mine"])
    for lines in (("B",), ("C", "D")):
        review = renewed(review, review.parts[1].hunk.id, BASE, numbered((4, 5, lines)))
        assert review.proposed == numbered((1, 2, ("mine",)), (4, 5, lines))
    review.propose(numbered((4, 5, ("later",))))
    assert review.proposed == numbered((1, 2, ("mine",)), (4, 5, ("later",)))
