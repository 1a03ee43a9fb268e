"""Lists, sets and tuples in the place of each other."""

import pytest

from tests.editing.codemods.results import results

SEEN = "seen: list[int] = []\nfor n in ns:\n    seen.append(n)"


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        (SEEN, "only membership is tested, a set it is", "seen: set[int] = set()\nfor n in ns:\n    seen.add(n)"),
        ("__all__ = [\n    'a',\n    'b',\n]", "__all__ tuple", "__all__ = (\n    'a',\n    'b',\n)"),
        (
            "if a in [1, 2] or b in [3]:\n    go()",
            "sets instead of lists, both",
            "if a in {1, 2} or b in {3}:\n    go()",
        ),
    ],
)
def test_a_collection_of_another_kind(before: str, words: str, after: str) -> None:
    assert after in results("simplify", before, words)


def test_an_error_that_is_handed_over_gets_a_text() -> None:
    before = "future.set_exception(TimeoutError())"
    wanted = 'future.set_exception(TimeoutError("too late"))'
    assert results("change_message", before, 'the TimeoutError is empty, "too late" would be good') == [wanted]


def test_the_name_in_the_words_of_a_linter_is_taken_where_they_are_all_there_is() -> None:
    before = "try:\n    go()\nexcept KeyError:\n    raise E()"
    words = "B904 Within an `except` clause, raise exceptions with `raise ... from err`"
    assert results("raise_from", before, words)[0] == "try:\n    go()\nexcept KeyError as err:\n    raise E() from err"
