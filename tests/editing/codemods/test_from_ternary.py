import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1 if a else b", ["if a:\n    x = 1\nelse:\n    x = b"]),
        ("return 1 if a else b", ["if a:\n    return 1\nreturn b"]),
        ("x: int = 1 if a else b", ["if a:\n    x: int = 1\nelse:\n    x = b"]),
        ("x = (\n    1\n    if a\n    else b\n)", ["if a:\n    x = 1\nelse:\n    x = b"]),
        ("x = 1 if a else 2 if b else 3", ["if a:\n    x = 1\nelif b:\n    x = 2\nelse:\n    x = 3"]),
        ("f(x, y=1 if a else 2)", ["if a:\n    f(x, y=1)\nelse:\n    f(x, y=2)"]),
        ("x = 1 if a else b  # why", []),
        ("x = f(1 if a else b)", []),
        ("if c: x = 1 if a else b", []),
    ],
)
def test_a_choice_is_written_out(before: str, after: list[str]) -> None:
    assert results("from_ternary", before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = a if b else x", "if b:\n    x = a"),
        ("self.n = self.n if self.n is not None else 1", "if self.n is None:\n    self.n = 1"),
    ],
)
def test_what_a_variable_has_already_is_not_set_again(before: str, after: str) -> None:
    assert results("from_ternary", before)[0] == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return self.a or self.b", "if self.a is None:\n    return self.b\nreturn self.a"),
        ("x = x or 3", "if x is None:\n    x = 3"),
        ("return f(n or MAX)", "if n is None:\n    n = MAX\nreturn f(n)"),
    ],
)
def test_an_or_is_written_out_as_a_test_against_none(before: str, after: str) -> None:
    assert results("fix_default_none", before, "0 is legal, `or` eats it; test for None")[0] == after
    assert after not in results("fix_default_none", before, "test it or return")
