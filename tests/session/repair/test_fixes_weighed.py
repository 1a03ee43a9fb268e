"""Which small changes are likelier to be the fix and which only make a test pass."""

import pytest

from spark_tui.editing.mutation_source import Snippet
from spark_tui.session.repair.search import FixesWeighed

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


def test_what_is_blamed_is_likelier_and_what_may_pass_for_no_good_reason_less_likely() -> None:
    weighed = FixesWeighed(Snippet(tuple(CODE)), output=SAID, blamed=[5])
    blamed, other, doubtful = (
        weighed.weight(_with(*each)) for each in (("> 2", ">= 2"), ("<= 0", "< 0"), ("> 2", "> 37"))
    )
    assert blamed > other > doubtful


@pytest.mark.parametrize(
    ("old", "new", "doubtful"),
    [
        ("return found", "return 37", True),
        ("> 2", "> 37", True),
        ("> 2", "> 41", False),
        ("- width)", "* 1)", True),
        ("[start:start + width]", "", True),
        ("> 2", ">= 2", False),
        ("- width)", "- width + 1)", False),
        ("return found", "return sorted(found)", False),
    ],
)
def test_what_leaves_something_out_or_says_what_a_test_expects_is_doubted(
    old: str, new: str, doubtful: bool
) -> None:
    assert FixesWeighed(Snippet(tuple(CODE)), output=SAID).is_doubtful(_with(old, new)) is doubtful
