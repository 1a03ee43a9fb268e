import pytest

from spark_tui.editing.codemods.off_by_one import OffByOne
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
