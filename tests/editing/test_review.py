from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.formats.quoted import QuotedDraft, write_quoted
from spark_tui.editing.hunks import Hunk, apply_hunks, diff
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.training.references import Operation, applied
from tests.editing.texts import edited, reviewed

Pair = tuple[Text, Text]
LINES = [f"    line{number} = old" for number in range(8)]
BASE = Text(tuple(line + "\n" for line in LINES))


new_lines = st.lists(
    st.sampled_from(["", "x", "<R>", "        y(é)", " z "]), min_size=1, max_size=3
)
names = st.sampled_from(["old", "line1", "line2", "naïve"])


@st.composite
def scripts(draw: st.DrawFn) -> list[Operation]:
    """Operations on `LINES` that do not overlap."""
    cuts = sorted(draw(st.sets(st.integers(0, len(LINES)), max_size=6)))
    ops = [draw(_ranged(first, stop - 1)) for first, stop in pairwise(cuts)]
    ops += [
        ["I", after, draw(new_lines)] for after in draw(st.sets(st.integers(-1, len(LINES) - 1)))
    ]
    ops += [["S", draw(names), draw(names)] for _ in range(draw(st.integers(0, 2)))]
    return draw(st.permutations(ops))


def _ranged(first: int, last: int) -> st.SearchStrategy[Operation]:
    moves = st.sampled_from([[code, first, last] for code in ("D", "IND", "DED")])
    return st.one_of(moves, new_lines.map(lambda lines: ["R", first, last, lines]))


def streamed(ops: list[Operation]) -> Iterator[Text]:
    """Every state of the file while a script that does the same is being written, a byte at a
    time.
    """
    draft = QuotedDraft(LINES)
    for line in write_quoted(LINES, applied(tuple(LINES), ops, ())):
        for byte in f"{line}\n".encode():
            draft.take(bytes([byte]))
            yield BASE.replace_lines(0, len(LINES), draft.lines())


def final(ops: list[Operation]) -> Text:
    *_, text = streamed(ops)
    return text


def sound(review: Review) -> bool:
    """The invariant, with ids that are all different."""
    ids = {hunk.id for hunk in review.hunks}
    return review.hunks == diff(review.base, review.proposed) and len(ids) == len(review.hunks)


def ids(review: Review) -> list[str]:
    return [hunk.id for hunk in review.hunks]


@given(edited(), st.randoms(use_true_random=False))
def test_any_order_of_decisions_splices_exactly_the_accepted_hunks_in(
    pair: Pair, rng: Random
) -> None:
    base, proposed = pair
    review = reviewed(base, proposed)
    hunks = list(review.hunks)
    accepted: list[Hunk] = []
    for hunk in rng.sample(hunks, len(hunks)):
        if rng.random() < 0.5:
            review.accept([hunk.id])
            accepted.append(hunk)
        else:
            review.reject([hunk.id])
        assert sound(review)
    assert review.base == review.proposed == apply_hunks(base, accepted)


@given(edited(), st.randoms(use_true_random=False))
def test_a_decision_leaves_every_other_hunk_as_it_was(pair: Pair, rng: Random) -> None:
    review = reviewed(*pair)
    while review.hunks:
        chosen = rng.choice(review.hunks)
        others = [(hunk.id, hunk.old, hunk.new) for hunk in review.hunks if hunk is not chosen]
        rng.choice([review.accept, review.reject])([chosen.id])
        assert [(hunk.id, hunk.old, hunk.new) for hunk in review.hunks] == others


@given(st.data())
def test_a_stream_with_accepted_parts_ends_in_the_whole_proposal(data: st.DataObject) -> None:
    ops = data.draw(scripts())
    rng = data.draw(st.randoms(use_true_random=False))
    review = Review(BASE)
    for proposal in streamed(ops):
        review.propose(proposal)
        assert review.proposed == proposal
        if review.hunks and rng.random() < 0.1:
            review.accept([rng.choice(review.hunks).id])
    review.accept(ids(review))
    assert review.base == final(ops)


@given(st.data())
def test_what_was_rejected_stays_rejected_however_the_stream_goes_on(data: st.DataObject) -> None:
    ops = data.draw(scripts())
    rng = data.draw(st.randoms(use_true_random=False))
    review = Review(BASE)
    kept: list[tuple[int, int]] = []
    for proposal in streamed(ops):
        review.propose(proposal)
        assert sound(review)
        assert not any(
            hunk.start < stop and start < hunk.stop for hunk in review.hunks for start, stop in kept
        )
        if review.hunks and rng.random() < 0.1:
            chosen = rng.choice(review.hunks)
            kept += [(chosen.start, chosen.stop)] if chosen.old else []
            review.reject([chosen.id])


@given(st.data())
def test_what_was_accepted_is_not_proposed_again(data: st.DataObject) -> None:
    ops = data.draw(scripts())
    review = Review(BASE)
    for proposal in streamed(ops):
        review.propose(proposal)
        review.accept(ids(review))
        review.propose(proposal)
        assert review.hunks == ()


def test_a_hunk_keeps_its_id_while_it_grows() -> None:
    review = Review(BASE)
    seen: set[str] = set()
    for proposal in streamed([["R", 2, 3, ["    line2 = old + 1", "    more", "    and more"]]]):
        review.propose(proposal)
        seen |= set(ids(review))
    assert len(seen) == 1


def test_a_hunk_keeps_its_id_while_later_ones_come_and_earlier_ones_are_decided() -> None:
    review = Review(BASE)
    ops: list[Operation] = [["I", 0, ["    a", "    b"]], ["R", 3, 3, ["    c"]], ["D", 6, 7]]
    review.propose(final(ops[:2]))
    first, second = ids(review)
    for proposal in list(streamed(ops))[-4:]:
        review.propose(proposal)
    assert ids(review)[:2] == [first, second]
    review.accept([first])
    assert ids(review)[0] == second
    review.reject([second])
    assert len(review.hunks) == 1


def test_a_rejected_hunk_stays_out_while_it_is_still_being_written() -> None:
    review = Review(BASE)
    states = list(
        streamed([["R", 2, 3, ["    line2 = old", "    x = 1", "    y = 2"]], ["D", 6, 6]])
    )
    middle = next(number for number, text in enumerate(states) if "    x = 1" in text.lines)
    review.propose(states[middle])
    review.reject(ids(review))
    for proposal in states[middle:]:
        review.propose(proposal)
    assert [(hunk.start, hunk.old_lines, hunk.new_lines) for hunk in review.hunks] == [
        (6, ("    line6 = old",), ())
    ]


def test_a_rejected_hunk_stays_out_even_when_it_equals_the_old_line_for_a_moment() -> None:
    review = Review(BASE)
    states = list(streamed([["R", 2, 2, [LINES[2] + " + 1"]]]))
    middle = next(number for number, text in enumerate(states) if "    line2" in text.lines)
    review.propose(states[middle])
    review.reject(ids(review))
    for proposal in states[middle:]:
        review.propose(proposal)
        assert review.hunks == ()


def test_a_renaming_passes_over_a_rejected_hunk_and_reaches_all_lines_around_it() -> None:
    review = Review(BASE)
    review.propose(final([["I", 3, ["    new = 1"]], ["R", 5, 5, ["    other"]]]))
    review.reject(ids(review))
    review.propose(
        final([["I", 3, ["    new = 1"]], ["R", 5, 5, ["    other"]], ["S", "old", "better"]])
    )
    review.accept(ids(review))
    assert list(review.base.lines) == [
        line if number == 5 else line.replace("old", "better") for number, line in enumerate(LINES)
    ]


def test_a_change_next_to_a_rejected_one_is_still_proposed() -> None:
    review = Review(BASE)
    review.propose(final([["I", 0, ["    doc"]]]))
    review.reject(ids(review))
    review.propose(final([["I", 0, ["    doc"]], ["R", 1, 1, ["    x", "    y"]]]))
    assert [(hunk.start, hunk.old_lines, hunk.new_lines) for hunk in review.hunks] == [
        (1, (LINES[1],), ("    x", "    y"))
    ]


def test_an_accepted_hunk_that_grows_is_proposed_only_for_what_came_since() -> None:
    review = Review(BASE)
    review.propose(final([["R", 2, 2, ["    x"]]]))
    review.accept(ids(review))
    review.propose(final([["R", 2, 2, ["    x", "    y"]]]))
    assert [(hunk.start, hunk.old, hunk.new) for hunk in review.hunks] == [(3, (), ("    y\n",))]


def test_equal_hunks_at_one_place_one_after_the_other_have_ids_of_their_own() -> None:
    review = Review(BASE)
    seen: list[str] = []
    for count in range(1, 4):
        review.propose(BASE.replace_lines(0, 0, [""] * count))
        seen += ids(review)
        review.accept(ids(review))
    assert len(set(seen)) == 3


@pytest.mark.parametrize("decide", [Review.accept, Review.reject])
def test_a_hunk_that_is_not_open_cannot_be_decided(
    decide: Callable[[Review, list[str]], object],
) -> None:
    review = reviewed(BASE, final([["D", 0, 0]]))
    before = review.hunks
    with pytest.raises(UsageError, match="hunk nonsense is not open"):
        decide(review, ["nonsense", before[0].id])
    assert review.hunks == before
