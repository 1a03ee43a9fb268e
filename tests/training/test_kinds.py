from random import Random

import pytest

from spark_tui.editing.script import apply_script
from spark_tui.editing.snippet import Snippet
from spark_tui.training.data import reads_back
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.registry import EDIT_KINDS, KIND_NAMES, kinds
from spark_tui.training.phrasing import Phrasebook

each_kind = pytest.mark.parametrize("kind", EDIT_KINDS, ids=lambda kind: kind.name)


def occasions(kind: Kind, snippets: list[Snippet]) -> list[tuple[Snippet, Edit]]:
    found = []
    for number, snippet in enumerate(snippets):
        rng = Random(number)
        planted = kind.plant(snippet, rng)
        place = planted.snippet if planted else snippet
        edit = (planted.edit if planted else None) or kind.propose(place, rng)
        if edit is not None:
            found.append((place, edit))
    return found


def test_kinds_are_found_by_themselves_and_sorted() -> None:
    assert {"rename", "add_docstring", "none"} <= set(KIND_NAMES)
    assert list(KIND_NAMES) == sorted(set(KIND_NAMES))


@each_kind
def test_every_proposed_edit_applies_changes_something_and_reads_back(kind: Kind, real_snippets: list[Snippet]) -> None:
    found = occasions(kind, real_snippets)
    assert found, "no occasion in 400 real snippets"
    for place, edit in found:
        assert edit.apply(place) != list(place.lines)
        assert reads_back(place, edit.ops)
    accepted = [edit for place, edit in found if kind.accepts(place, edit.apply(place), edit.slots)]
    assert len(accepted) >= 0.9 * len(found)


@each_kind
def test_every_kind_refuses_a_wrong_edit(kind: Kind, real_snippets: list[Snippet]) -> None:
    for place, edit in occasions(kind, real_snippets[:100]):
        after = apply_script(place.lines, edit.ops, unit=place.layout.unit)
        more = [place.margin + "unasked = 1", *after]
        assert not any(kind.accepts(place, wrong, edit.slots) for wrong in (place.lines, more)), edit


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.name)
def test_a_kind_can_be_asked_for_in_many_ways(kind: Kind) -> None:
    families = Phrasebook(kind.skeletons).families
    assert len(families) >= 40
    assert any(family.held_out for family in families)


@each_kind
def test_every_edit_can_be_put_in_words_known_and_held_out(kind: Kind, real_snippets: list[Snippet]) -> None:
    book = Phrasebook(kind.skeletons)
    for place, edit in occasions(kind, real_snippets[:150]):
        phrase = book.phrase(edit.slots, Random(1), selected=edit.selected is not None)
        assert phrase, (place.lines, edit)
    used = {
        phrase.family
        for number, (_, edit) in enumerate(occasions(kind, real_snippets))
        if (phrase := book.phrase(edit.slots, Random(number), held_out=True, selected=edit.selected is not None))
    }
    assert used
