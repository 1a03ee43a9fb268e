"""Requests written one by one for real edits."""

from collections import Counter

from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.format import NO_EDIT, Frame
from spark_tui.editing.script import apply_script
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.registry import KIND_NAMES
from spark_tui.training.leaks import leaks
from spark_tui.training.written import FOLDS, asked, fold_of, wished, written

TRAINED, KEPT = written(), written(kept_back=True)
WISHED = wished()


def test_every_edit_applies_and_changes_something() -> None:
    for group in (*TRAINED, *KEPT):
        for one in group.examples:
            after = apply_script(group.before, one.ops, unit=Frame.of(group.before).layout.unit)
            assert (after == list(group.before)) == (one.kind == NO_EDIT)


def test_there_are_requests_of_every_kind_and_words_in_all() -> None:
    found = [one for group in TRAINED for one in group.examples]
    assert {one.kind for one in found} == set(KIND_NAMES)
    assert all(one.instruction.strip() for one in found)


def test_every_wish_changes_something_or_wants_no_edit() -> None:
    for group in WISHED:
        for one in group.examples:
            after = apply_script(group.before, one.ops, unit=Frame.of(group.before).layout.unit)
            assert (after == list(group.before)) == (one.kind == NO_EDIT)
            assert one.instruction.strip()
            assert one.kind in {*KIND_NAMES, ""}


def test_the_kind_of_a_wish_is_one_that_lists_it() -> None:
    for group in wished()[::100]:
        before = Snippet(group.before)
        for one in group.examples:
            if one.kind not in {"", NO_EDIT}:
                after = applied(before, one.ops)
                edits = listed(codemods()[one.kind], before, Request(one.instruction, one.selected)) or ()
                assert any(_plain(applied(before, ops)) == _plain(after) for ops in edits), one.instruction


def _plain(lines: list[str]) -> str:
    """Without layout and signs that mean the same."""
    return "".join("".join(lines).split()).replace("'", '"').replace(",", "").replace("(", "").replace(")", "")


def test_no_code_is_that_of_the_evaluation() -> None:
    assert not [group.before for group in (*TRAINED, *KEPT, *WISHED) if leaks(group.before)]


def test_a_part_is_kept_back_and_none_of_its_code_is_trained_on() -> None:
    assert 0.08 < len(KEPT) / (len(TRAINED) + len(KEPT)) < 0.12
    assert {group.before for group in TRAINED}.isdisjoint(group.before for group in KEPT)


def test_each_fold_holds_about_as_many_wishes() -> None:
    sizes = Counter(map(fold_of, WISHED))
    assert sorted(sizes) == list(range(FOLDS))
    assert max(sizes.values()) < 1.2 * min(sizes.values())


def test_a_fold_left_out_is_not_learned_from() -> None:
    there, left = ({group.before for group in WISHED if (fold_of(group) == 1) == out} for out in (False, True))
    learned_from = {lines for _, _, lines in asked(without=1)}
    assert learned_from.isdisjoint(left - {group.before for group in TRAINED})
    assert learned_from & there
