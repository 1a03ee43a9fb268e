import pytest

from tests.editing.codemods.results import results

KNOWN = "def g(a, b):\n    pass\n\ndef f(b):\n    {}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("g(1)", "g(1, b)"),
        ("g(a=1)", "g(a=1, b=b)"),
        ("g(1, c=2)", "g(1, b=2)"),
        ("g(1, 2, 3)", "g(1, 2)"),
    ],
)
def test_a_signature_in_the_snippet_tells(before: str, after: str) -> None:
    assert KNOWN.format(after) in results("fix_arguments", KNOWN.format(before))


@pytest.mark.parametrize(
    ("before", "said", "after"),
    [
        ("h(x)", "pass y to h", {"h(x, y)", "h(y, x)", "h(x, y=y)"}),
        ("h(x, y=1)", "unexpected keyword argument 'y'", {"h(x)"}),
        ("h(old=x)", "rename the keyword old to new", {"h(new=x)", "h()"}),
        ("h(x, 1)", "TypeError: h() takes 1 positional argument but 2 were given", {"h(1)", "h(x)"}),
        ("h(\n        x,\n        1,\n    )", "too many", {"h(\n        1,\n    )", "h(\n        x,\n    )"}),
        ("h(*x)", "", set()),
        ("h", "", set()),
    ],
)  # fmt: skip
def test_the_request_tells(before: str, said: str, after: set[str]) -> None:
    place = "def f(x, y):\n    {}\n    return x, y"
    found = set(results("fix_arguments", place.format(before), said))
    assert {place.format(one) for one in after} <= found
    assert found or not after


def test_a_parameter_that_nothing_uses_may_be_missing_in_a_call() -> None:
    assert results("fix_arguments", "def f(x, y):\n    h(x)")[0] == "def f(x, y):\n    h(x, y)"


def test_a_split_may_be_meant_at_the_first_place_only() -> None:
    words = "ValueError: too many values to unpack when the value contains a colon"
    assert results("fix_arguments", "k, v = line.split(':')", words)[0] == "k, v = line.split(':', 1)"
    assert "k, v = line.split(':', 1)" not in results("fix_arguments", "k, v = line.split(':')", "that is wrong")
