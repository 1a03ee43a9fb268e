import ast

import pytest

from spark_tui.editing.dataflow import Flow, local_names


@pytest.mark.parametrize(
    ("source", "needed", "certain"),
    [
        ("x = a\ny = x", ["a"], {"x", "y"}),
        ("x += 1", ["x"], {"x"}),
        ("if a:\n    x = 1\nelse:\n    x = y = 2", ["a"], {"x"}),
        ("if a:\n    x = 1\nelse:\n    raise b", ["a", "b"], {"x"}),
        ("for i in a:\n    x = i\nprint(x)", ["a", "print", "x"], set()),
        ("while (x := a()):\n    y = x", ["a"], {"x"}),
        ("with a as b:\n    c = b", ["a"], {"b", "c"}),
        ("try:\n    x = a\nexcept E as e:\n    x = e\nfinally:\n    y = 1", ["a", "E"], {"x", "y"}),
        ("x = [i for i in a if i]\nf = lambda b: b + x", ["a"], {"x", "f"}),
        ("match a:\n    case [b, *c] if b:\n        d = c", ["a"], set()),
        ("x: int", ["int"], set()),
    ],
)
def test_names_are_needed_until_they_are_set_for_certain(source: str, needed: list[str], certain: set[str]) -> None:
    flow = Flow(ast.parse(source).body)
    assert list(flow.needed) == needed
    assert flow.set_for_certain == frozenset(certain)


def test_locals_are_parameters_and_what_is_bound() -> None:
    source = "def f(a, *b, c=1, **d):\n    global g\n    g = e = 1\n    import x.y\n    return [z for z in a]"
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert local_names(function) == {"a", "b", "c", "d", "e", "x"}
