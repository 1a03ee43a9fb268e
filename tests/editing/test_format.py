import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.format import (
    END_TAGS,
    FIXED_MARKS,
    LEVELS,
    LINE_TAGS,
    MAX_LINES,
    TOP_MARK,
    Frame,
    Layout,
    Mark,
    encode_pieces,
    kind_mark,
    kind_of,
    render_region,
    render_request,
    render_script,
)
from spark_tui.editing.script import TOP, Delete, Insert, LineOp, Replace, Substitute
from tests.editing.scripts import Words, frames, region_lines, regions

LINES = ["    def f(x):", "        return x", "", "    y = 1"]


def shown(pieces: object) -> str:
    """Pieces as one readable string; text in quotes."""
    assert isinstance(pieces, list | tuple)
    return " ".join(piece.name if isinstance(piece, Mark) else repr(piece) for piece in pieces)


def test_a_region_is_written_with_a_tag_on_both_ends_of_each_line() -> None:
    written = shown(list(render_region(LINES, Frame.of(LINES, first_tag=254))))
    assert written == (
        "<REG> <L254> <i0> 'def f(x):' <E254> <L255> <i1> 'return x' <E255> "
        "<L0> <i0> <E0> <L1> <i0> 'y = 1' <E1> </REG>"
    )


def test_a_request_is_one_line_of_words_after_the_selection() -> None:
    frame = Frame.of(LINES)
    assert shown(list(render_request(" a\n  b ", frame))) == "<INS> 'a b' <OUT>"
    assert shown(list(render_request("x", frame, (1, 3)))) == "<SEL> <L2> <L4> <INS> 'x' <OUT>"


def test_a_script_is_written_in_marks_and_text() -> None:
    ops: list[LineOp] = [
        Replace(0, 1, ("    def g():", "")),
        Insert(TOP, ("    @h",)),
        Delete(2, 2),
        Substitute("y", "z"),
    ]
    assert shown(list(render_script("bug", ops, Frame.of(LINES)))) == (
        "<K:bug> <R> <L1> <L2> <i0> 'def g():' <i0> <I> <TOP> <i0> '@h' <D> <L3> <S> 'y' <TO> 'z' <END>"
    )


def test_every_mark_is_there_once() -> None:
    assert len(set(FIXED_MARKS)) == len(FIXED_MARKS)
    assert set(FIXED_MARKS) >= {*LINE_TAGS, *END_TAGS, *LEVELS, TOP_MARK}
    assert [kind_of(kind_mark("a")), kind_of(TOP_MARK)] == ["a", None]


@pytest.mark.parametrize(
    ("lines", "unit", "base"),
    [
        ([], "    ", 0),
        (["x"], "    ", 0),
        (["def f():", "  return 1"], "  ", 0),
        (["    def f():", "        return 1", "", "    x"], "    ", 1),
        (["\tdef f():", "\t\treturn 1"], "\t", 1),
        (["f(a,", "  b)"], "    ", 0),
        (["if x:  ", "   y"], "   ", 0),
    ],
)
def test_the_layout_is_read_off_the_lines(lines: list[str], unit: str, base: int) -> None:
    assert Layout.of(lines) == Layout(unit, base)


@given(regions)
def test_a_line_survives_split_and_join(lines: list[str]) -> None:
    layout = Layout.of(lines)
    assert [layout.join(*layout.split(line)) for line in lines] == lines


def test_a_line_deeper_than_the_deepest_mark_keeps_its_indentation() -> None:
    line = "    " * 20 + "x"
    level, rest = Layout().split(line)
    assert level == len(LEVELS) - 1
    assert Layout().join(level, rest) == line


def test_a_line_left_of_the_region_is_moved_to_its_margin() -> None:
    assert Layout(base=2).split("    x") == (0, "x")
    assert Layout(base=1).split("  x") == (0, "  x")


@given(st.lists(region_lines, min_size=1, max_size=MAX_LINES).flatmap(frames))
def test_a_tag_stands_for_its_line_and_no_other(frame: Frame) -> None:
    tags = [frame.tag(number) for number in range(frame.count)]
    assert [frame.number(tag) for tag in tags] == list(range(frame.count))
    assert all(frame.number(tag) is None for tag in set(LINE_TAGS) - set(tags))
    assert frame.number(frame.tag(TOP)) == TOP


def test_what_looks_like_a_mark_in_a_file_stays_text() -> None:
    lines = ["<END> = '<L1>'"]
    ids = encode_pieces(render_region(lines, Frame.of(lines)), words := Words())
    marks = [piece for token_id in ids if isinstance(piece := words.piece(token_id), str)]
    assert marks == ["<REG>", "<L1>", "<i0>", "<E1>", "</REG>"]
