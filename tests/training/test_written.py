"""Requests written one by one for real edits."""

from spark_tui.editing.format import NO_EDIT, Frame
from spark_tui.editing.script import apply_script
from spark_tui.training.kinds.registry import KIND_NAMES
from spark_tui.training.leaks import leaks
from spark_tui.training.written import written

TRAINED, KEPT = written(), written(kept_back=True)


def test_every_edit_applies_and_changes_something() -> None:
    for group in (*TRAINED, *KEPT):
        for one in group.examples:
            after = apply_script(group.before, one.ops, unit=Frame.of(group.before).layout.unit)
            assert (after == list(group.before)) == (one.kind == NO_EDIT)


def test_there_are_requests_of_every_kind_and_words_in_all() -> None:
    found = [one for group in TRAINED for one in group.examples]
    assert {one.kind for one in found} == set(KIND_NAMES)
    assert all(one.instruction.strip() for one in found)


def test_no_code_is_that_of_the_evaluation() -> None:
    assert not [group.before for group in (*TRAINED, *KEPT) if leaks(group.before)]


def test_a_tenth_is_kept_back_and_none_of_its_code_is_trained_on() -> None:
    assert 0.08 < len(KEPT) / (len(TRAINED) + len(KEPT)) < 0.12
    assert {group.before for group in TRAINED}.isdisjoint(group.before for group in KEPT)
