import pytest

from spark_tui.editing.codemods.quotes import Quotes, target
from tests.editing.codemods.results import results
from tests.editing.codemods.tables import listed


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("f('a', \"b\", 'c')", "make the quotes consistent", "f('a', 'b', 'c')"),
        ("f('a', \"b\")", "use double quotes", 'f("a", "b")'),
        ("f(rb'a', f'{x}')", "double quotes please", 'f(rb"a", f"{x}")'),
        ("x = 'one' + 'it is'", 'double quotes around "it is"', "x = 'one' + \"it is\""),
        ("x = ('a'\n     'b')", "double quotes", 'x = ("a"\n     "b")'),
    ],
)
def test_the_marks_change(before: str, instruction: str, after: str) -> None:
    assert listed(Quotes(), before, instruction)[0] == after


@pytest.mark.parametrize("before", ["'a\"b'", "'it\\'s'", "'''doc'''", "f'{x[\"a\"]}'", "1 + x"])
def test_strings_that_would_need_an_escape_stay(before: str) -> None:
    assert listed(Quotes(), before, "double quotes") == []


@pytest.mark.parametrize(
    ("instruction", "mark"),
    [
        ("replace single quotes with double quotes", '"'),
        ("no single quotes please", '"'),
        ("why `single` quotes?", '"'),
        ("the single quotes here", ""),
        ("Q000 Single quotes found but double quotes preferred", '"'),
        ("double quotes", '"'),
        ("make the quotes consistent", ""),
    ],
)
def test_which_marks_are_asked_for(instruction: str, mark: str) -> None:
    assert target(instruction) == mark


def test_a_name_to_be_quoted_changes_no_marks() -> None:
    code = "def f(name):\n    return [name or 'x']"
    assert not results("quotes", code, "quote name")
    assert results("quotes", code, "use double quotes")
