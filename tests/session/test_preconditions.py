"""What is refused before a model reads it."""

import pytest

from spark_tui.context.source import Region
from spark_tui.editing.text import Text
from spark_tui.errors import Abstained
from spark_tui.session.preconditions import refuse_uneditable

TORN = b"a = 1\n<<<<<<< ours\nb = 1\n=======\nb = 2\n>>>>>>> theirs\n\n\ndef f():\n    return 1\n"


def why(data: bytes, first: int, last: int, path: str = "a.py") -> str:
    try:
        refuse_uneditable(Region(path, first, last, None, None, "", "lines"), Text.from_bytes(data))
    except Abstained as e:
        return str(e)
    return ""


@pytest.mark.parametrize(("first", "last"), [(1, 2), (3, 3), (6, 9)])
@pytest.mark.parametrize("path", ["a.py", "notes.md"])
def test_lines_that_a_conflict_is_part_of_are_not_edited(first: int, last: int, path: str) -> None:
    assert why(TORN, first, last, path).endswith(f"({path}:2-6); settle that first: /keep ours, theirs or both")


def test_lines_beside_a_conflict_are_edited() -> None:
    assert not why(TORN, 9, 10)


def test_line_ends_that_only_python_sees_are_told_where_python_reads_them() -> None:
    assert "CRs without LF" in why(b"a = 1\rb = 2\r\n", 1, 1)
    assert not why(b"a = 1\rb = 2\r\n", 1, 1, "notes.md")
    assert not why(b"a = 1\r\nb = 2\r\n", 1, 2)
