"""Where the hunks of several files stand, once somebody edited the files beside the review."""

import pytest

from spark_tui.editing.hunks import diff
from spark_tui.editing.multi_file import Files, joined
from spark_tui.editing.text import Text
from spark_tui.session.hunk_items import OutsideEdit, place_now

A = "1\n2\n3\n"
B = "x\ny\nz\n"


def text(lines: str) -> Text:
    return Text.from_bytes(lines.encode())


@pytest.mark.parametrize(
    ("a", "b", "line"),
    [
        (A, B, 2),
        ("0\n0\n1\n2\n3\n", B, 2),
        ("1\n2\n3\n4\n", B, 2),
        ("1\n", B, 2),
        (A, "w\nx\ny\nz\n", 3),
        ("0\n0\n1\n2\n3\n", "v\nw\nx\ny\nz\n", 4),
    ],
)
def test_an_edit_of_an_earlier_file_shifts_no_line_of_a_later_one(
    a: str, b: str, line: int
) -> None:
    base = joined({"a": text(A), "b": text(B)})
    (hunk,) = diff(base, joined({"a": text(A), "b": text("x\nY\nz\n")}))
    edits = [
        OutsideEdit(edit.start, edit.stop, edit.growth)
        for edit in diff(base, joined({"a": text(a), "b": text(b)}))
    ]
    place = place_now(Files(base.raw), edits, hunk, hunk.start)
    assert (place.path, place.line + 1) == ("b", line)


def test_a_new_file_begins_at_its_first_line_whatever_was_edited_before_it() -> None:
    base = joined({"a": text(A)})
    (hunk,) = diff(base, joined({"a": text(A), "b": text(B)}))
    (edit,) = diff(base, joined({"a": text(f"{A}4\n")}))
    edits = [OutsideEdit(edit.start, edit.stop, edit.growth)]
    assert place_now(Files(base.raw), edits, hunk, hunk.start) == ("b", 0)
