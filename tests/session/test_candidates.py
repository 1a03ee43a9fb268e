"""Which of several answers is shown."""

import math

from spark_tui.editing.text import Text
from spark_tui.session.candidates import Candidate, Candidates

BASE, EDITED = Text.from_bytes(b"a = 1\n"), Text.from_bytes(b"a = 2\n")


def found(none: float, edit: float) -> Candidates:
    candidates = Candidates(BASE)
    candidates.add(Candidate("none", BASE, (), math.log(none), declined=True))
    candidates.add(Candidate("edit", EDITED, (), math.log(edit)))
    return candidates


def test_an_edit_is_shown_though_it_is_less_likely_than_that_nothing_is_to_change() -> None:
    candidates = found(none=0.15, edit=0.1)
    assert candidates.best().file == EDITED
    assert [each.file for each, _ in candidates.ranked()] == [EDITED, BASE]


def test_nothing_is_changed_where_that_is_likelier_than_all_edits_together() -> None:
    assert found(none=0.3, edit=0.1).best().file == BASE
