"""Which small changes are likelier to be the fix and which only make a test pass."""

import pytest

from spark_tui.editing.snippet import Snippet
from spark_tui.session.fixing.fixes_weighed import FixesWeighed

CODE = [
    "def runs(values, width):",
    "    if width <= 0:",
    '        raise ValueError("width")',
    "    found = []",
    "    for start in range(len(values) - width):",
    "        found.append(sum(values[start:start + width]) > 2)",
    "    return found",
]
SAID = """\
>   assert runs([1, 3], 2) == [False, 37]
E   assert [False] == [False, 37]

tests/test_runs.py:41: AssertionError
"""


def _with(old: str, new: str) -> list[str]:
    assert any(old in line for line in CODE)
    return [line.replace(old, new) for line in CODE]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (("> 2", ">= 2"), ("> 2", "== 2")),
        (("> 2", ">= 2"), (" > 2", "")),
        (("len(values) - width", "len(values) - 1"), ("len(values) - width", "len(values) * 1")),
        ((" - width)", " - 4)"), (" - width)", " - 37)")),
        (("> 2", "> 1"), ("len(values) - width", "len(values) + 1")),
    ],
)
def test_what_is_told_by_the_code_or_common_is_likelier(better: tuple[str, str], worse: tuple[str, str]) -> None:
    weighed = FixesWeighed(Snippet(tuple(CODE)), said=SAID)
    assert weighed.weight(_with(*better)) > weighed.weight(_with(*worse))


@pytest.mark.parametrize(("old", "new", "doubtful"), [
    ("return found", "return 37", True), ("> 2", "> 37", True), ("> 2", "> 41", False), ("- width)", "* 1)", True),
    ("[start:start + width]", "", True), ("> 2", ">= 2", False), ("- width)", "- width + 1)", False),
    ("return found", "return sorted(found)", False),
])  # fmt: skip
def test_what_leaves_something_out_or_says_what_a_test_expects_is_doubted(old: str, new: str, doubtful: bool) -> None:
    assert FixesWeighed(Snippet(tuple(CODE)), said=SAID).is_doubtful(_with(old, new)) is doubtful


@pytest.mark.parametrize("step", ["2", "size", "1 * 1"])
def test_a_step_that_a_test_gives_is_less_likely_than_the_name_it_gives_it_to(step: str) -> None:
    before = ("def chunks(items, size):", "    start = 0", "    while start < len(items):", "        start += 1")
    after = (*before[:3], f"        start += {step}")
    said = ">       assert chunks([1, 2, 3], 2) == [[1, 2], [3]]\n"
    assert FixesWeighed(Snippet(before), said=said).is_doubtful(after) is (step != "size")
