import pytest

from spark_tui.editing.codemods.fix_name import FixName
from tests.editing.codemods.helper_slips import fixes

SUM = "def f(items):\n    total = 0\n    for item in items:\n        total += items\n    return total"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (SUM, SUM.replace("+= items", "+= item")),
        (SUM, SUM.replace("return total", "return item")),
        ("def f(a):\n    return g(a), h(a)", "def f(a):\n    return h(a), h(a)"),
        ("def f(a):\n    x = a.lower()\n    return x.strip()", "def f(a):\n    x = a.strip()\n    return x.strip()"),
        ("rows.append(more)", "rows.extend(more)"),
        ("raise TypeError(ValueError)", "raise ValueError(ValueError)"),
        ("def f(x, y):\n    return f'{x} {y}'", "def f(x, y):\n    return f'{y} {y}'"),
        ("def f(a, b):\n    return a - b", "def f(a, b):\n    return a - b"),
        ("class A:\n    def f(self): return self", "class A:\n    def f(self): return self"),
    ],
)
def test_a_name_can_become_another_one_that_is_there(before: str, after: str) -> None:
    found = fixes(FixName(), before)
    assert found == [] if before == after else after in found


def test_an_error_message_says_which_name_and_perhaps_what_it_should_be() -> None:
    code = "def f(count):\n    other = cuont\n    return other"
    right = code.replace("cuont", "count")
    assert right in fixes(FixName(), code, "NameError: name 'cuont' is not defined")
    assert fixes(FixName(), code, "NameError: name 'cuont' is not defined. Did you mean: 'count'?") == [right]
    assert fixes(FixName(), code, "name 'nowhere' is not defined") == []
    assert right in fixes(FixName(), code, "F841 Local variable `other` is assigned to but never used")


def test_a_name_may_be_told_that_is_not_in_the_region() -> None:
    assert fixes(FixName(), "x = load(row_id)", "row_id should be user_id")[0] == "x = load(user_id)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = queue.pop()", "x = queue.popleft()"),
        ("x = text.split('.', 1)", "x = text.rsplit('.', 1)"),
        ("x = md5(text).digest()", "x = md5(text).hexdigest()"),
        ("found.add(x)", "found.append(x)"),
    ],
)
def test_methods_that_are_easily_confused_stand_for_each_other(before: str, after: str) -> None:
    assert after in fixes(FixName(), before)
