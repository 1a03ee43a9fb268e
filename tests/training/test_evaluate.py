"""How answers are held against references."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from spark_tui.editing.script import Replace
from spark_tui.errors import UsageError
from spark_tui.training.baselines import by_words, copy
from spark_tui.training.evaluate import Lines, by_hand, compare, frozen_cases, outcomes, reference, report
from spark_tui.training.examples import Example, Group
from spark_tui.training.handwritten import Case, is_right, read_cases
from tests.blind_cases import blind_cases, own_cases

BEFORE = ("def f(a):", "    return a + 1")
AFTER = ("def f(a):", "    return a - 1")
EXAMPLE = Example("fix_operator", (Replace(1, 1, ("    return a - 1",)),), "minus", None, "x", held_out=True)
NOTHING = Example("none", (), "hello", None, "y", held_out=False)


@dataclass(frozen=True)
class _Said:
    lines: Lines | None
    first: Lines | None = None
    kind: str | None = "fix_operator"
    confidence: float = 0.5
    milliseconds: float = 2.0


def test_an_answer_is_exact_only_when_every_line_is() -> None:
    right = compare(BEFORE, EXAMPLE, _Said(AFTER, AFTER))
    assert (right.exact, right.same_tree, right.parses, right.answered, right.extra) == (True, True, True, True, 0)
    spaced = compare(BEFORE, EXAMPLE, _Said((AFTER[0], "    return a  - 1")))
    assert (spaced.exact, spaced.same_tree) == (False, True)
    broken = compare(BEFORE, EXAMPLE, _Said((AFTER[0], "    return a -")))
    assert (broken.same_tree, broken.parses) == (False, False)


def test_lines_changed_beyond_the_reference_are_counted() -> None:
    assert compare(BEFORE, EXAMPLE, _Said(("def g(a):", "    return a - 1"))).extra == 1


def test_no_edit_is_right_only_where_none_was_wanted() -> None:
    assert not compare(BEFORE, EXAMPLE, _Said(None)).exact
    left = compare(BEFORE, NOTHING, _Said(None, AFTER))
    assert (left.exact, left.answered, left.first_exact) == (True, False, False)


def test_the_report_tells_precision_from_coverage() -> None:
    group = Group(BEFORE, (EXAMPLE, EXAMPLE, NOTHING, NOTHING))
    said = iter([_Said(AFTER, AFTER), _Said(None), _Said(None), _Said(AFTER)])
    body = report("tiny", list(outcomes(lambda *_: next(said), [group])))
    assert (body["exact_match"], body["coverage"], body["precision_when_answering"]) == (0.5, 0.5, 0.5)
    assert (body["no_edit_left_alone"], body["abstained"]) == (0.5, 0.5)
    assert body["splits"]["held_out_phrasing"]["kinds"]["fix_operator"]["cases"] == 2


def test_answers_by_hand_may_be_laid_out_differently_but_not_commented_differently() -> None:
    case = Case("a", "minus", BEFORE, None, (AFTER,), bug=True)
    assert is_right(case, (AFTER[0], "", "    return (a - 1)"))
    assert not is_right(case, (AFTER[0], "    # less", AFTER[1]))
    assert not is_right(case, None)
    assert is_right(Case("b", "hello", BEFORE, None, (), bug=False), None)
    body = by_hand("tiny", lambda *_: _Said(AFTER), [case, Case("b", "hello", BEFORE, None, (), bug=False)])
    assert (body["right"], body["wrong_shown"], body["right_bugs"]) == (0.5, 0.5, 1.0)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"id": 1}\n')
    with pytest.raises(UsageError, match=r"x\.jsonl"):
        read_cases([tmp_path / "x.jsonl"], tmp_path)


@pytest.mark.parametrize(("written", "count"), [(own_cases, 22), (blind_cases, 500)])
def test_the_cases_written_by_hand_can_be_read_and_answered(written: Callable[[], Sequence[Case]], count: int) -> None:
    cases = written()
    assert len({case.name for case in cases}) == len(cases) == count
    assert all(is_right(case, case.accept[0]) and not is_right(case, case.before) for case in cases if case.accept)


def test_the_baselines_answer_or_abstain_on_every_case() -> None:
    groups = frozen_cases(20)
    for group in groups:
        for example in group.examples:
            assert copy(group.before, example.instruction, example.selected) is None
            after = by_words(group.before, example.instruction, example.selected)
            assert after is None or after != group.before
            assert reference(group.before, example) == group.before or example.ops
