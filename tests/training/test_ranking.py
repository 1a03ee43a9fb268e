"""What the weights of the choice among edits are learned from."""

from collections import defaultdict
from functools import cache

from spark_tui.editing.intents import FILE_NAME, Intents
from spark_tui.editing.sayings import shipped
from spark_tui.engine.library import find_model, load
from spark_tui.training.handwritten import Case
from spark_tui.training.ranking import Field, cases_of, field_of
from spark_tui.training.written import written

BEFORE = ("def total(rows):", "    found = 5", "    return found")
AFTER = ("def total(rows):", "    found = 30", "    return found")


@cache
def intents() -> Intents:
    return Intents.from_bytes((load(find_model(None)).path / FILE_NAME).read_bytes())


def field(instruction: str, *accept: tuple[str, ...], kind: str | None = None) -> Field:
    case = Case("", instruction, BEFORE, None, accept, bug=False)
    return field_of(case, kind, (intents(), shipped()), lambda *_: defaultdict(float))


def kinds_of_right(found: Field) -> set[str]:
    return {intents().kinds[number] for number in found.kinds[found.right]}


def test_every_listed_edit_that_makes_what_is_accepted_is_right_and_no_other() -> None:
    found = field("found should be 30, not 5", AFTER)
    assert "change_literal" in kinds_of_right(found)
    assert "none" not in kinds_of_right(found)
    assert 0 < found.right.sum() < len(found.right) / 4


def test_doing_nothing_is_right_where_no_edit_is_accepted() -> None:
    assert kinds_of_right(field("thanks, looks good")) == {"none"}


def test_a_kind_that_cannot_be_listed_is_right_when_it_was_wanted() -> None:
    assert kinds_of_right(field("do it", ("x = 1",), kind="add_eq")) <= {"add_eq"}


def test_what_is_known_of_an_edit_is_as_long_for_all_kinds() -> None:
    found = field("found should be 30", AFTER)
    assert found.known.shape == (len(found.kinds), found.known.shape[1])
    assert set(found.known[:, 2:4].sum(axis=1)) <= {0, 1}


def test_requests_name_the_kind_that_was_wanted() -> None:
    case, kind = next(cases_of(written(kept_back=True)[0]))
    assert kind in intents().kinds
    assert bool(case.accept) == (kind != "none")


def test_any_docstring_is_right_where_one_is_wanted_and_nothing_else() -> None:
    documented = (BEFORE[0], '    """Sum up what the rows are worth."""', *BEFORE[1:])
    assert kinds_of_right(field("add a docstring", documented)) == {"add_docstring"}
    assert "add_docstring" not in kinds_of_right(field("add a docstring", (*documented[:2], *AFTER[1:])))
