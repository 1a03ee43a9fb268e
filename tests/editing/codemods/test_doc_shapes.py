"""Docstrings and comments cut down, given other words or other quotes."""

import pytest

from tests.editing.codemods.results import results

SEAT = '''def seat(row):
    """Find a seat.

    Rows count from the stage. The first is free.

    .. versionadded:: 2.1
    """
    # the row as a number
    # of the plan
    # TODO: balconies
    # have none
    return plan[row]  # type: ignore[index]'''


@pytest.mark.parametrize(
    ("kind", "words", "old", "new"),
    [
        ("replace_text", "one-line docstring please", SEAT[SEAT.index("seat.\n") : SEAT.index('"""\n    #')], "seat."),
        ("replace_text", "drop the last paragraph", "\n    .. versionadded:: 2.1\n", ""),
        ("replace_text", "lose the versionadded", "\n    .. versionadded:: 2.1\n", ""),
        ("replace_text", '"Rows count" can go', "    Rows count from the stage. The first is free.\n\n", ""),
        ("docstring_style", "closing quotes up to the text", '2.1\n    """', '2.1"""'),
        ("docstring_style", "D301 Use r for backslashes", '"""Find', 'r"""Find'),
        ("remove_comments", "mypy is happy without the ignore", "  # type: ignore[index]", ""),
        ("remove_comments", "FIX002 delete the TODO", "    # TODO: balconies\n    # have none\n", ""),
    ],
)
def test_docstrings_and_comments_lose_what_is_told(kind: str, words: str, old: str, new: str) -> None:
    assert old in SEAT
    assert SEAT.replace(old, new) in results(kind, SEAT, words)


def test_what_is_quoted_takes_the_place_of_the_comment_selected() -> None:
    after = SEAT.replace("    # the row as a number\n    # of the plan\n", "    # by number\n")
    assert after in results("replace_text", SEAT, '"by number" will do, no essays', (7, 8))
