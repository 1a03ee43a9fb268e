import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"a" + x', ['"a" + str(x)']),
        ("for i in n:\n    pass", ["for i in range(n):\n    pass", "for i in list(n):\n    pass"]),
        ("for k, v in d:\n    pass", ["for k, v in d.items():\n    pass", "for k, v in enumerate(d):\n    pass"]),
        ("y = map(f, x)", ["y = list(map(f, x))"]),
        ("y = x.strip", ["y = x.strip()"]),
        ("x.run", ["x.run()"]),
        ("y = x.size()", ["y = x.size"]),
        ("y = str(x) + 1", ["y = int(str(x)) + 1", "y = x + 1"]),
        ("y = (a + b).lower()", ["y = (a + b)"]),
        ("y = len(a + b) * c", ["y = (a + b) * c", "y = len(a + b) * int(c)"]),
        ("f(x)\ny = z", []),
    ],
)
def test_calls_are_put_in_and_taken_off(before: str, after: list[str]) -> None:
    assert set(after) <= set(results("fix_call", before))
    assert after or not results("fix_call", before)


@pytest.mark.parametrize(
    ("said", "after"),
    [
        ('TypeError: can only concatenate str (not "int") to str', ['f("a" + str(x), y.size())']),
        ("TypeError: 'int' object is not callable", ['f("a" + x, y.size)']),
        ("wrap x in repr()", ['f("a" + repr(x), y.size())']),
        ("no parentheses please", ['f("a" + x, y.size)']),
    ],
)
def test_the_request_tells_which(said: str, after: list[str]) -> None:
    assert set(after) <= set(results("fix_call", 'f("a" + x, y.size())', said))
    assert not {'f("a" + int(x), y.size())'} & set(results("fix_call", 'f("a" + x, y.size())', said))


def test_a_result_thrown_away_is_assigned_back() -> None:
    assert results("fix_call", "a.b(c)\nd()\ne = f(g)", "return value is thrown away") == [
        "a = a.b(c)\nd()\ne = f(g)",
        "c = a.b(c)\nd()\ne = f(g)",
    ]
