import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = [f(a) for a in b if a if c]", ["x = []\nfor a in b:\n    if a and c:\n        x.append(f(a))"]),
        ("return {a: c for a, c in b}", ["result = {}\nfor a, c in b:\n    result[a] = c\nreturn result"]),
        (
            "x = {\n    a\n    for b in c\n    for a in b\n}",
            ["x = set()\nfor b in c:\n    for a in b:\n        x.add(a)"],
        ),
        ("result = f([a for a in b])", ["results = []\nfor a in b:\n    results.append(a)\nresult = f(results)"]),
        ("x = [f(a) for a in x]", ["result = []\nfor a in x:\n    result.append(f(a))\nx = result"]),
        ("class A:\n    x = [a for a in b]", []),
        ("x = [a for a in b]  # why", []),
        ("x = c and [a for a in b]", []),
        ("x = [a for a in b]\nprint(a)", []),
    ],
)
def test_a_comprehension_becomes_a_loop_that_fills(before: str, after: list[str]) -> None:
    assert results("from_comprehension", before) == after


def test_the_name_asked_for_is_taken() -> None:
    found = results("from_comprehension", "return [a for a in b]", "use a loop and a list called rows")
    assert found == ["rows = []\nfor a in b:\n    rows.append(a)\nreturn rows"]
