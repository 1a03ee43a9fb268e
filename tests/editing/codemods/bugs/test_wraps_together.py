"""What is done to a value wherever it is read."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        ("if day not in days:\n    raise E\nreturn days.index(day)", "a day with a capital is refused",
         "if day.lower() not in days:\n    raise E\nreturn days.index(day.lower())"),
        ("return [f(a) for a in b]", "the same comes up several times", "return list(dict.fromkeys(f(a) for a in b))"),
    ],
)  # fmt: skip
def test_it_is_done_in_every_place(before: str, words: str, after: str) -> None:
    before, after = ("def f(day, days, b):\n    " + one.replace("\n", "\n    ") for one in (before, after))
    assert after in results("fix_call", before, words)
