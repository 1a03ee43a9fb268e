from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.format import (
    DEDENT,
    DELETE,
    END,
    END_TAGS,
    INSERT,
    LEVELS,
    LINE_TAGS,
    OP_MARKS,
    REGION,
    REPLACE,
    SUBSTITUTE,
    TO,
    TOP_MARK,
    Frame,
    Layout,
    Piece,
    kind_mark,
    kind_of,
    render_script,
)
from spark_tui.editing.parser import Ended, Expect, KindChosen, OpClosed, OpOpened, ScriptParser
from spark_tui.editing.script import Delete, Insert, LineOp, Replace, ScriptError, Substitute
from tests.editing.scripts import chunked, frames, read, regions, scripts

FRAME = Frame.of(["a", "    b", "c", "d"], first_tag=10)
L = LINE_TAGS


@given(st.data())
def test_a_written_script_is_read_back_whatever_the_chunking(data: st.DataObject) -> None:
    lines = data.draw(regions)
    frame = data.draw(frames(lines))
    ops = data.draw(scripts(lines))
    pieces = list(render_script("bug", ops, frame))
    parser, events = read(data.draw(chunked(pieces)), frame)
    assert parser.ops == [_as_rendered(op, frame.layout) for op in ops]
    assert events == read(pieces, frame)[1]
    assert [event.op for event in events if isinstance(event, OpClosed)] == parser.ops
    assert parser.finished


def _as_rendered(op: LineOp, layout: Layout) -> LineOp:
    """New lines as the format can tell them: never left of the region's own margin."""
    if not isinstance(op, Replace | Insert):
        return op
    return replace(op, lines=tuple(layout.join(*layout.split(line)) for line in op.lines))


@given(st.data())
def test_what_was_emitted_is_never_revised(data: st.DataObject) -> None:
    lines = data.draw(regions)
    frame = data.draw(frames(lines))
    parser = ScriptParser(frame)
    seen: list[LineOp] = []
    for piece in data.draw(chunked(list(render_script("bug", data.draw(scripts(lines)), frame)))):
        seen += [event.op for event in parser.feed(piece) if isinstance(event, OpClosed)]
        assert parser.ops == seen


def _class_of(piece: Piece, parser: ScriptParser) -> Expect | None:
    """The class a piece belongs to in this state; None for a piece of no class."""
    if isinstance(piece, str):
        return Expect.TEXT
    number = parser.frame.number(piece)
    if piece in LINE_TAGS and number is not None:
        if not parser.lines:
            return Expect.TAG
        return Expect.LATER_TAG if number > parser.lines[0] else None
    single = {TOP_MARK: Expect.TOP, TO: Expect.TO, END: Expect.END}
    if kind_of(piece) is not None:
        return Expect.KIND
    return Expect.OP if piece in OP_MARKS else Expect.LEVEL if piece in LEVELS else single.get(piece)


def _accepts(before: list[Piece], piece: Piece, frame: Frame) -> bool:
    try:
        read([*before, piece], frame)
    except ScriptError:
        return False
    return True


@given(st.data())
def test_expects_says_exactly_what_is_accepted(data: st.DataObject) -> None:
    lines = data.draw(regions)
    frame = data.draw(frames(lines))
    pieces = data.draw(chunked(list(render_script("bug", data.draw(scripts(lines)), frame))))
    before = pieces[: data.draw(st.integers(0, len(pieces)))]
    parser, _ = read(before, frame)
    near = [LINE_TAGS[(frame.first_tag + number) % 256] for number in range(-1, frame.count + 1)]
    others = (TO, TOP_MARK, END, REGION, END_TAGS[frame.first_tag], LEVELS[3], kind_mark("b"))
    candidates: list[Piece] = [*OP_MARKS, *near, *others, "x"]
    for piece in candidates:
        assert _accepts(before, piece, frame) == (_class_of(piece, parser) in parser.expects), piece


@pytest.mark.parametrize(
    ("pieces", "partial"),
    [
        ([REPLACE], None),
        ([REPLACE, L[11]], None),
        ([REPLACE, L[11], L[12]], None),
        ([REPLACE, L[11], LEVELS[1]], Replace(1, 1, ("",))),
        ([REPLACE, L[11], L[12], LEVELS[1], "x", " y"], Replace(1, 2, ("    x y",))),
        ([REPLACE, L[11], LEVELS[1], "x", LEVELS[0]], Replace(1, 1, ("    x", ""))),
        ([INSERT, TOP_MARK, LEVELS[0], "x"], Insert(-1, ("x",))),
        ([DELETE, L[10]], Delete(0, 0)),
        ([DELETE, L[10], L[13]], Delete(0, 3)),
        ([SUBSTITUTE, "ab"], None),
        ([SUBSTITUTE, "ab", TO], None),
        ([SUBSTITUTE, "ab", TO, "c"], Substitute("ab", "c")),
    ],
)
def test_an_unfinished_operation_is_shown_once_it_means_something(pieces: list[Piece], partial: LineOp | None) -> None:
    parser, _ = read([kind_mark("bug"), *pieces], FRAME)
    assert parser.partial == partial
    assert parser.ops == []


def test_the_events_tell_the_kind_and_every_operation() -> None:
    parser, events = read([kind_mark("bug"), DELETE, L[10], DEDENT, L[11], END], FRAME)
    opened = [KindChosen("bug"), OpOpened(DELETE), OpClosed(Delete(0, 0)), OpOpened(DEDENT)]
    assert events[:4] == opened
    assert isinstance(events[-1], Ended)
    assert parser.kind == "bug"


@pytest.mark.parametrize(
    "pieces",
    [
        ["x"],
        [DELETE],
        [kind_mark("none"), DELETE],
        [kind_mark("bug"), kind_mark("bug")],
        [kind_mark("bug"), DELETE, END],
        [kind_mark("bug"), DELETE, L[9]],
        [kind_mark("bug"), DELETE, L[14]],
        [kind_mark("bug"), DELETE, L[12], L[12]],
        [kind_mark("bug"), DELETE, L[12], L[11]],
        [kind_mark("bug"), DELETE, TOP_MARK],
        [kind_mark("bug"), DELETE, END_TAGS[11]],
        [kind_mark("bug"), REPLACE, L[11], END],
        [kind_mark("bug"), REPLACE, L[11], "x"],
        [kind_mark("bug"), INSERT, L[11], L[12]],
        [kind_mark("bug"), INSERT, L[11], LEVELS[0], "a\nb"],
        [kind_mark("bug"), SUBSTITUTE, TO],
        [kind_mark("bug"), SUBSTITUTE, "a", END],
        [kind_mark("bug"), SUBSTITUTE, "a", TO, END],
        [kind_mark("bug"), END, END],
        [kind_mark("bug"), END, "x"],
    ],
)
def test_what_the_grammar_does_not_allow_is_a_script_error(pieces: list[Piece]) -> None:
    read(pieces[:-1], FRAME)
    with pytest.raises(ScriptError):
        read(pieces, FRAME)
