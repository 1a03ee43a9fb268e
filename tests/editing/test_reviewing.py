"""Reviews with parts and single lines: cut, taken out, edited and decided in any order while
the text grows.
"""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from spark_tui.editing.hunks import HunkPart, diff
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from tests.editing.texts import edited, reviewed

NORMAL, LONG = 150, 3000
OWN = ("mine", "    mine too", "")


def text(*lines: str) -> Text:
    return Text(tuple(f"{line}\n" for line in lines))


def out_lines(parts: Sequence[HunkPart]) -> Counter[str]:
    """The lines that are out, with their signs."""
    return Counter(line for part in parts for line in part.out_lines)


def in_lines(parts: Sequence[HunkPart]) -> Counter[str]:
    """The lines that are in, with their signs."""
    return Counter(line for part in parts for line in part.signed) - out_lines(parts)


class Reviewing(RuleBasedStateMachine):
    """Whatever is done: the hunks are the difference, and nobody's lines are touched but those
    that were chosen.
    """

    @initialize(pair=edited(), growth=st.lists(edited(), max_size=3))
    def begin(self, pair: tuple[Text, Text], growth: list[tuple[Text, Text]]) -> None:
        self.states = [pair[1], *(later for _, later in growth)]
        self.review = reviewed(*pair)
        self.bases = [pair[0]]

    def pick(self, data: st.DataObject) -> HunkPart:
        return data.draw(st.sampled_from(self.review.parts))

    def others(self, part: HunkPart) -> list[HunkPart]:
        return [each for each in self.review.parts if each.hunk.id != part.hunk.id]

    @precondition(lambda self: self.review.parts)
    @rule(data=st.data())
    def split(self, data: st.DataObject) -> None:
        part, review = self.pick(data), self.review
        before = review.base, review.proposed, review.hunks, out_lines(review.parts)
        whole = part.hunk.id.partition(".")[0]
        count = review.split(part.hunk.id)
        assert (review.base, review.proposed, review.hunks, out_lines(review.parts)) == before
        assert sum(each.hunk.id.partition(".")[0] == whole for each in review.parts) == count

    @precondition(lambda self: self.review.parts)
    @rule(data=st.data())
    def toggle(self, data: st.DataObject) -> None:
        part, review = self.pick(data), self.review
        before = review.base, review.proposed, review.hunks
        row = data.draw(st.integers(0, len(part.hunk.old) + len(part.hunk.new) - 1))
        review.toggle(part.hunk.id, row)
        (now,) = [each for each in review.parts if each.hunk.id == part.hunk.id]
        assert now.out == part.out ^ {row}
        assert (review.base, review.proposed, review.hunks) == before

    @precondition(lambda self: self.review.parts)
    @rule(data=st.data())
    def accept(self, data: st.DataObject) -> None:
        part, review = self.pick(data), self.review
        before, proposed, others = review.base, review.proposed, in_lines(self.others(part))
        expected = Text(
            (*before.raw[: part.hunk.start], *part.taken, *before.raw[part.hunk.stop :])
        )
        if part.taken == part.hunk.old:
            with pytest.raises(UsageError, match="every line is out"):
                review.accept([part.hunk.id])
            return
        assert review.would_accept([part.hunk.id]) == review.accept([part.hunk.id]) == expected
        assert review.proposed == proposed
        assert in_lines(review.parts) <= others, "what was out stays out"
        self.bases.append(expected)

    @precondition(lambda self: self.review.parts)
    @rule(data=st.data())
    def reject(self, data: st.DataObject) -> None:
        part, review = self.pick(data), self.review
        base, before, out = review.base, review.proposed, out_lines(self.others(part))
        review.reject([part.hunk.id])
        end = part.at + len(part.hunk.new)
        assert review.base == base
        assert review.proposed == Text((*before.raw[: part.at], *part.hunk.old, *before.raw[end:]))
        assert out_lines(review.parts) <= out

    @precondition(lambda self: self.review.parts)
    @rule(data=st.data(), lines=st.lists(st.sampled_from(OWN), max_size=3))
    def edit(self, data: st.DataObject, lines: list[str]) -> None:
        part, review = self.pick(data), self.review
        base, before = review.base, review.proposed
        review.edit(part.hunk.id, lines)
        assert review.base == base
        assert review.proposed == before.replace_lines(part.at, part.at + len(part.hunk.new), lines)

    @precondition(lambda self: self.review.parts)
    @rule()
    def accept_all(self) -> None:
        review = self.review
        chosen = [part.hunk.id for part in review.parts if part.taken != part.hunk.old]
        if chosen:
            self.bases.append(review.accept(chosen))
            assert not in_lines(review.parts)

    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        proposed = self.review.proposed
        self.review.rebase(data.draw(st.sampled_from(self.bases)))
        assert self.review.proposed == proposed

    @rule(data=st.data())
    def grow(self, data: st.DataObject) -> None:
        base = self.review.base
        self.review.propose(data.draw(st.sampled_from(self.states)))
        assert self.review.base == base

    @invariant()
    def is_sound(self) -> None:
        if not hasattr(self, "review"):
            return
        review = self.review
        assert review.hunks == diff(review.base, review.proposed)
        assert len({part.hunk.id for part in review.parts}) == len(review.parts)
        assert [line for part in review.parts for line in part.hunk.old] == [
            x for h in review.hunks for x in h.old
        ]
        assert [line for part in review.parts for line in part.hunk.new] == [
            x for h in review.hunks for x in h.new
        ]
        for part in review.parts:
            hunk = part.hunk
            assert review.base.raw[hunk.start : hunk.stop] == hunk.old
            assert review.proposed.raw[part.at : part.at + len(hunk.new)] == hunk.new


def test_any_order_of_reviewing_keeps_the_invariant_and_loses_nothing() -> None:
    run_state_machine_as_test(
        Reviewing, settings=settings(max_examples=NORMAL, stateful_step_count=20)
    )


@pytest.mark.exhaustive
def test_any_order_of_reviewing_keeps_the_invariant_for_long() -> None:
    run_state_machine_as_test(
        Reviewing, settings=settings(max_examples=LONG, stateful_step_count=40)
    )


BASE = text("top", "a = 1", "b = 1", "c = 1", "end")
CHANGED = text("top", "a = 2", "b = 2", "c = 2", "end")


def shown(review: Review) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(part.hunk.old_lines, part.hunk.new_lines) for part in review.parts]


def test_a_hunk_is_split_into_its_changes_and_made_whole_again() -> None:
    review = reviewed(BASE, CHANGED)
    assert review.split(review.parts[0].hunk.id) == 3
    assert shown(review) == [((f"{name} = 1",), (f"{name} = 2",)) for name in "abc"]
    assert review.split(review.parts[1].hunk.id) == 1
    assert shown(review) == [(("a = 1", "b = 1", "c = 1"), ("a = 2", "b = 2", "c = 2"))]


def test_the_other_parts_stay_apart_with_their_lines_out_when_one_is_decided() -> None:
    review = reviewed(BASE, CHANGED)
    review.split(review.parts[0].hunk.id)
    _, middle, last = review.parts
    review.toggle(last.hunk.id, 1)
    review.accept([middle.hunk.id])
    assert review.base == text("top", "a = 1", "b = 2", "c = 1", "end")
    assert shown(review) == [(("a = 1",), ("a = 2",)), (("c = 1",), ("c = 2",))]
    assert [part.out for part in review.parts] == [frozenset(), frozenset({1})]
    review.reject([review.parts[0].hunk.id])
    assert [part.out for part in review.parts] == [frozenset({1})]


def test_what_is_accepted_holds_only_the_lines_that_are_in_and_in_their_places() -> None:
    review = reviewed(BASE, CHANGED)
    (part,) = review.parts
    review.toggle(part.hunk.id, 1)
    review.toggle(part.hunk.id, 4)
    review.accept([part.hunk.id])
    assert review.base == text("top", "a = 2", "b = 1", "c = 2", "end")
    assert shown(review) == [(("b = 1",), ("b = 2",))]
    assert [part.out for part in review.parts] == [frozenset({0, 1})], (
        "what was out is not proposed anew"
    )


def test_of_equal_lines_the_one_that_is_left_is_still_out() -> None:
    review = reviewed(text("x", "y"), text("x", "mine", "mine", "y"))
    review.split(review.parts[0].hunk.id)
    review.toggle(review.parts[0].hunk.id, 0)
    review.accept([review.parts[1].hunk.id])
    assert review.base == text("x", "mine", "y")
    assert [part.out for part in review.parts] == [frozenset({0})]


def test_what_is_taken_back_is_cut_and_out_as_it_was_and_what_was_done_elsewhere_since_stays() -> (
    None
):
    apart = text("top", "a = 1", "b = 1", "mid", "c = 1", "end")
    review = reviewed(apart, text("top", "a = 2", "b = 2", "mid", "c = 2", "end"))
    review.split(review.parts[0].hunk.id)
    review.toggle(review.parts[1].hunk.id, 1)
    before, out = review.marks, [part.out for part in review.parts]
    review.accept([part.hunk.id for part in review.parts[:2]])
    review.toggle(review.parts[-1].hunk.id, 0)
    review.rebase(apart, before)
    assert [part.out for part in review.parts] == [*out[:2], frozenset({0})]


def test_a_rejection_gives_up_what_is_out_too_and_makes_no_change_of_it() -> None:
    review = reviewed(BASE, CHANGED)
    (part,) = review.parts
    for row in (1, 4):
        review.toggle(part.hunk.id, row)
    assert review.would_reject([part.hunk.id]) == CHANGED
    review.reject([part.hunk.id])
    assert (review.proposed, review.parts) == (BASE, ())


def test_an_edit_stays_however_the_text_goes_on() -> None:
    review = reviewed(BASE, text("top", "a = 2", "b = 1", "c = 1", "end"))
    review.edit(review.parts[0].hunk.id, ["a = 3"])
    review.propose(text("top", "a = 2", "b = 1", "c = 2", "end"))
    assert review.proposed == text("top", "a = 3", "b = 1", "c = 2", "end")


def test_an_edit_tells_the_parts_there_are_in_its_place_and_no_others() -> None:
    review = reviewed(text("a = 1", "b = 1", "end"), text("a = 2", "b = 2", "end"))
    review.split(review.parts[0].hunk.id)
    first, second = review.parts
    review.toggle(first.hunk.id, 0)
    (mine,) = review.edit(first.hunk.id, ["a = 3"])
    assert (mine.hunk.new_lines, mine.out, review.parts) == (
        ("a = 3",),
        frozenset({0}),
        (mine, second),
    )
    assert review.edit(mine.hunk.id, ["a = 1"]) == []
    assert [part.hunk.new_lines for part in review.parts] == [("b = 2",)]


def test_insertions_at_one_place_are_parts_of_their_own() -> None:
    review = reviewed(text("x", "y"), text("x", "1", "2", "3", "y"))
    review.split(review.parts[0].hunk.id)
    one, two, three = review.parts
    review.accept([two.hunk.id])
    assert review.base == text("x", "2", "y")
    review.accept([part.hunk.id for part in review.parts])
    assert review.base == text("x", "1", "2", "3", "y")
    assert len({part.hunk.id for part in (one, two, three)}) == 3


@pytest.mark.parametrize("do", ["split", "edit", "toggle"])
def test_only_an_open_hunk_can_be_worked_on(do: str) -> None:
    review = reviewed(BASE, CHANGED)
    more = {"split": (), "edit": ([],), "toggle": (0,)}[do]
    with pytest.raises(UsageError, match="hunk nonsense is not open"):
        getattr(review, do)("nonsense", *more)


@pytest.mark.parametrize("chosen", range(8))
def test_what_is_left_without_hunks_is_what_a_rejection_leaves(chosen: int) -> None:
    base = Text.from_bytes(b"".join(b"line %d\n" % number for number in range(12)))
    text = Text.from_bytes(base.to_bytes().replace(b"line 1\n", b"").replace(b"line 5", b"five"))
    review = Review(base)
    review.propose(Text((*text.raw, "more\n")))
    ids = [hunk.id for number, hunk in enumerate(review.hunks) if chosen >> number & 1]
    left = review.without(ids)
    review.reject(ids)
    assert left == review.proposed


def test_a_text_that_is_read_anew_keeps_the_hunks_that_stay_and_forgets_rejections() -> None:
    base = Text.from_bytes(b"".join(b"line %d\n" % number for number in range(12)))
    review = Review(base)
    review.propose(Text.from_bytes(base.to_bytes().replace(b" 1\n", b" I\n").replace(b"5", b"V")))
    first, second = review.hunks
    review.reject([first.id])
    review.reread(Text.from_bytes(b"new\n" + base.to_bytes().replace(b"5", b"V")))
    assert [hunk.new for hunk in review.hunks] == [("new\n",), second.new]
    assert review.hunks[1].id == second.id
    review.reread(Text.from_bytes(base.to_bytes().replace(b" 1\n", b" I\n")))
    assert [hunk.new for hunk in review.hunks] == [first.new]
