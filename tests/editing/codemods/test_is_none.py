import pytest

from spark_tui.editing.codemods.is_none import IsNone
from tests.editing.codemods.results import results
from tests.editing.codemods.table import afters

TWO = "def f(a):\n    return a.b == None\ndef g(name):\n    return None != name"
FIRST, SECOND = TWO.replace("a.b == None", "a.b is None"), TWO.replace("None != name", "name is not None")
BOTH = FIRST.replace("None != name", "name is not None")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = not a == None", ["x = a is not None"]),
        ("x = f(a)[0] != None or b", ["x = f(a)[0] is not None or b"]),
        ("x = a is None", []),
        ("x = a == b == None", []),
        ("x = f'{a == None}'", []),
    ],
)
def test_equality_with_none_becomes_identity(before: str, after: list[str]) -> None:
    assert afters(IsNone(), before) == after


@pytest.mark.parametrize(
    ("instruction", "selected", "after"),
    [
        ("use is for None", None, [BOTH, FIRST, SECOND]),
        ("use is for `a.b`", None, [FIRST]),
        ("fix the name check", None, [BOTH, FIRST, SECOND]),
        ("is None in f()", None, [FIRST]),
        ("fix this", (2, 3), [SECOND]),
    ],
)
def test_words_and_selection_narrow(instruction: str, selected: tuple[int, int] | None, after: list[str]) -> None:
    assert afters(IsNone(), TWO, instruction, selected) == after


def test_words_that_only_name_the_idiom_mean_every_comparison() -> None:
    code = "if x == None:\n    go()\nif y != None:\n    go()"
    assert results("is_none", code, "use is None") == ["if x is None:\n    go()\nif y is not None:\n    go()"]
    assert len(results("is_none", code, "use is None for y")) == 1
    assert "y != None" not in results("is_none", code, "use is None for y")[0]
