from textwrap import indent

import pytest

from tests.editing.codemods.results import results


def test_a_parameter_gets_a_default_or_a_check() -> None:
    assert results("fix_default_none", "def f(x=None):\n    x.append(1)") == [
        "def f(x=None):\n    if x is None:\n        x = []\n    x.append(1)",
        "def f(x=None):\n    x = x or []\n    x.append(1)",
        "def f(x=None):\n    if x is None:\n        return\n    x.append(1)",
        'def f(x=None):\n    if x is None:\n        raise ValueError("x must not be None")\n    x.append(1)',
        "def f(x=None):\n    if x is not None:\n        x.append(1)",
    ]


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("m = g()\nreturn m.a", "m = g()\nif m is None:\n    return None\nreturn m.a"),
        ("m = g()\nfor x in m:\n    h(x)", "m = g() or []\nfor x in m:\n    h(x)"),
        (
            "for x in xs:\n    m = g(x)\n    h(m.a)",
            "for x in xs:\n    m = g(x)\n    if m is None:\n        continue\n    h(m.a)",
        ),
    ],
)
def test_a_result_is_checked_where_it_is_set(body: str, after: str) -> None:
    def function(text: str) -> str:
        return "def f(xs):\n" + indent(text, "    ")

    assert function(after) in results("fix_default_none", function(body))


@pytest.mark.parametrize(
    "before",
    [
        "def f(x=None):\n    if x is None:\n        x = []\n    x.append(1)",
        "def f(x=None):\n    return g(x)",
        "def f(x=None):\n    return x and x.a",
        "def f():\n    m = Match()\n    return m.a",
        "def f(x=1):\n    return x.a",
    ],
)
def test_nothing_is_unchecked(before: str) -> None:
    assert results("fix_default_none", before) == []


def test_the_request_tells_the_name_and_the_value() -> None:
    before = "def f(x=None, y=None):\n    return x.a, y[0]"
    found = results("fix_default_none", before, "TypeError: 'NoneType' object is not subscriptable, default to 7")
    assert found[1].split("\n")[1] == "    y = y or []"
    assert "def f(x=None, y=None):\n    if y is None:\n        y = 7\n    return x.a, y[0]" in found
    assert not any("if x" in one for one in found)
