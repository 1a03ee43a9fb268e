import pytest

from spark_tui.editing.codemods.bugs.bounds_suspected import suspected
from spark_tui.editing.codemods.bugs.ways_told import way_told
from spark_tui.editing.codemods.off_by_one import OffByOne
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = b <= c", ["a = b < c"]),
        ("a = b < len(c)", ["a = b <= len(c)", "a = b < len(c) - 1"]),
        ("a = b[i + 1]", ["a = b[i]"]),
        ("a = b[i]", ["a = b[i - 1]", "a = b[i + 1]"]),
        ("a = b[len(b)]", ["a = b[len(b) - 1]"]),
        ("a = b[:c - 1]", ["a = b[:c]"]),
        ("a = b - c + 1", ["a = b - c"]),
        ("for i in range(n): pass", ["for i in range(n - 1): pass", "for i in range(n + 1): pass"]),
        ("for i in range(3, n + 1): pass", ["for i in range(3, n): pass"]),
        ("a = b[key]", []),
        ("a: dict[str, i] = b", []),
        ("a = b == c", []),
        ("a = b < c < d", ["a = b <= c < d", "a = b < c <= d"]),
    ],
)
def test_what_counts_is_moved_by_one(before: str, after: list[str]) -> None:
    assert sorted(one for one in afters(OffByOne(), before)) == sorted(after)


BEFORE = "for i in range(n):\n    if x[i] < limit:\n        y = z[i:n]"


@pytest.mark.parametrize(
    ("instruction", "selected", "after"),
    [
        ("the loop over i goes one too far", None, ["n - 1)"]),
        ("off by one in the check against limit", None, ["<= limit"]),
        ("`z[i:n]` misses one", None, ["z[i:n + 1]", "z[i - 1:n]", "z[i + 1:n]"]),
        ("IndexError: list index out of range", (1, 1), ["x[i - 1]"]),
        ("range(n) is off by one", None, ["(n - 1)", "(n + 1)", "(1, n)"]),
    ],
)
def test_places_and_directions_narrow(instruction: str, selected: tuple[int, int] | None, after: list[str]) -> None:
    found = afters(OffByOne(), BEFORE, instruction, selected)
    assert len(found) == len(after)
    assert all(any(one in text for text in found) for one in after)


def test_a_slice_may_leave_out_one_more_at_its_other_end() -> None:
    assert "a = b[1:-1]" in afters(OffByOne(), "a = b[1:]", "the closing quote is still there")
    assert "a = b[1:-1]" in afters(OffByOne(), "a = b[:-1]", "the opening quote is still there")
    assert "a = b[1:-1]" not in afters(OffByOne(), "a = b[1:]", "that is off by one")


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("off by one", "for i in range(0, len(x) - 1, size):\n    y.append(x[i:i + size])", "range(0, len(x), size)"),
        ("it skips the last item", "for i in range(len(x) - 1):\n    f(x[i])", "range(len(x))"),
        ("it misses the first", "for i in range(1, len(x)):\n    f(x[i])", "range(len(x))"),
        ("goes one too far", "for i in range(len(x)):\n    f(x[i], x[i + 1])", "range(len(x) - 1)"),
        ("IndexError: list index out of range", "i = 0\nwhile i <= len(x):\n    f(x[i])\n    i += 1", "i < len(x)"),
        ("there is an off by one error here", "def top(x, n):\n    return x[:n - 1]", "x[:n]"),
        ("one too few", "def last(x, n):\n    return x[-n + 1:]", "x[-n:]"),
        ("off by one", "def all_of(x, n):\n    return [x[i:i + n] for i in range(len(x) - n)]", "len(x) - n + 1)"),
        ("off by one", "a = x[random.randint(0, len(x))]", "len(x) - 1)"),
    ],
)
def test_a_bound_that_shows_to_be_wrong_is_the_only_one_meant(words: str, before: str, after: str) -> None:
    [found] = afters(OffByOne(), before, words)
    assert after in found


@pytest.mark.parametrize(
    "code",
    [
        "for i in range(len(x) - 1):\n    f(x[i], x[i + 1])",
        "for i in range(len(x) - 1):\n    f(x[i])\ng(x[-1])",
        "for i in range(1, len(x)):\n    f(x[i], x[i - 1])",
        "best = x[0]\nfor i in range(1, len(x)):\n    best = max(best, x[i])",
        "for i in range(len(x)):\n    if i + 1 < len(x):\n        f(x[i + 1])",
        "for i in range(len(x) + 1):\n    f(x[:i])",
        "while i <= len(x):\n    if i < len(x):\n        f(x[i])\n    i += 1",
        "def f(x, n):\n    return x[:n]",
    ],
)
def test_a_bound_that_may_be_meant_is_not_suspected(code: str) -> None:
    assert suspected(Snippet(tuple(code.split("\n")))) == []


@pytest.mark.parametrize("words", ["the last line says one", "use the first item", "add one to the last item"])
def test_words_that_tell_more_are_not_about_a_bound_alone(words: str) -> None:
    assert way_told(words) is None
