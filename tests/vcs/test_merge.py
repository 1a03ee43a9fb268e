import pytest

from spark_tui.errors import Conflict
from spark_tui.vcs.patch import merge

BASE = b"".join(b"line %d\n" % number for number in range(12))


def changed(**lines: str) -> bytes:
    """BASE with some lines, named as l1, replaced."""
    result = BASE.decode().splitlines(keepends=True)
    for name, text in lines.items():
        result[int(name[1:])] = text
    return "".join(result).encode()


def conflict(base: bytes, ours: bytes, theirs: bytes) -> Conflict:
    with pytest.raises(Conflict) as caught:
        merge(base, ours, theirs, "a.py")
    return caught.value


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_changes_of_different_lines_come_together(ending: bytes) -> None:
    base, ours, theirs = (
        data.replace(b"\n", ending)
        for data in (BASE, changed(l1="mine\n"), changed(l8="theirs\n", l9=""))
    )

    assert merge(base, ours, theirs, "a.py") == changed(l1="mine\n", l8="theirs\n", l9="").replace(
        b"\n", ending
    )


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    same = changed(l4="same\n")

    assert merge(BASE, same, same, "a.py") == same


def test_of_a_change_that_is_there_in_part_the_rest_comes_without_a_line_more() -> None:
    base = b"b\n\n\n\n\nx = 1\n"
    theirs = b"b\n\n\ndef f():\n\ndef f():\n}\n\n\nx = 1\n"
    there = b"b\n\n\n\n\n\nx = 1\n"

    assert merge(base, there, theirs, "a.py") == theirs


def test_a_conflict_names_the_hunk_and_shows_all_versions_where_they_are_now() -> None:
    error = conflict(
        BASE, changed(l0="one\nmore\n", l8="mine\n"), changed(l3="fine\n", l8="theirs\nand more\n")
    )

    assert str(error).startswith(
        "the same lines of a.py were edited since (the hunk at line 10); nothing was written"
    )
    assert error.detail.split("\n") == [
        "a.py:10: - is there now, + is what would take its place, = is what both come from",
        "-mine",
        "+theirs",
        "+and more",
        "=line 8",
    ]


def test_lines_that_only_touch_are_shown_together() -> None:
    error = conflict(BASE, changed(l4="mine\n"), changed(l5="theirs\n"))

    assert error.detail.split("\n")[1:] == [
        "-mine",
        "-line 5",
        "+line 4",
        "+theirs",
        "=line 4",
        "=line 5",
    ]


def test_every_conflict_is_shown() -> None:
    error = conflict(BASE, changed(l1="a\n", l6="b\n"), changed(l1="c\n", l6="d\n", l10="e\n"))

    assert "(the hunks at lines 2, 7)" in str(error)
    assert [line for line in error.detail.split("\n") if line[0] in "+-"] == [
        "-a",
        "+c",
        "-b",
        "+d",
    ]


def test_conflict_marks_in_the_text_confuse_nobody() -> None:
    marks = "<<<<<<< ours\n=======\n>>>>>>> theirs\n"
    assert merge(BASE, changed(l1=marks), changed(l8=marks), "a.py") == changed(l1=marks, l8=marks)
    error = conflict(BASE, changed(l1=marks), changed(l1="theirs\n"))

    assert error.detail.split("\n")[1:] == [
        "-<<<<<<< ours",
        "-=======",
        "->>>>>>> theirs",
        "+theirs",
        "=line 1",
    ]


def test_a_long_conflict_is_cut() -> None:
    error = conflict(BASE, changed(l1="mine\n" * 100), changed(l1="theirs\n"))

    *_, last, more, other, before = error.detail.split("\n")
    assert (last, more.partition(" (")[0], other, before) == (
        "-mine",
        "  and 60 more lines",
        "+theirs",
        "=line 1",
    )


def test_conflicts_that_differ_beyond_what_is_shown_are_told_apart() -> None:
    one, two = (
        conflict(BASE, changed(l1="mine\n" * 99 + end), changed(l1="theirs\n"))
        for end in ("a\n", "b\n")
    )

    assert one.detail != two.detail


def test_what_is_not_text_is_not_merged() -> None:
    error = conflict(b"a\0\n", b"b\0\n", b"c\0\n")

    assert "is not text" in str(error)
    assert error.detail == ""
