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


LOAN = '''def lend(book, days):
    """Lend a book.

    Holidays are not counted.

    :param book: what is lent
        to the reader
    :param days: for how long

    .. versionadded:: 1.2
    .. versionchanged:: 2.0
       Days may be a float.

    """
    return book, days'''


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("the book parameter is documented twice, out with it here", LOAN.split("\n")[5:7]),
        ("who reads the 2.0 note? remove it", LOAN.split("\n")[10:12]),
        ("drop the remark about holidays", ["    Holidays are not counted.", ""]),
    ],
)
def test_a_part_of_a_docstring_goes_with_what_is_set_in_below_it(words: str, gone: list[str]) -> None:
    assert LOAN.replace("\n".join(["", *gone, ""]), "\n") in results("replace_text", LOAN, words)


def test_a_blank_line_at_the_end_of_a_docstring_goes() -> None:
    assert LOAN.replace('float.\n\n    """', 'float.\n    """') in results("delete_line", LOAN, "no trailing blank")
