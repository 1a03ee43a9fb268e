import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.format import (
    DEDENT,
    DELETE,
    END,
    INSERT,
    LEVELS,
    LINE_TAGS,
    REPLACE,
    SUBSTITUTE,
    TO,
    TOP_MARK,
    Frame,
    Mark,
    Piece,
    encode_pieces,
    kind_mark,
    render_script,
)
from spark_tui.editing.parser import OpClosed, OpOpened
from spark_tui.editing.script import ScriptError, Substitute, apply_script, write_script
from spark_tui.editing.streaming import Draft, PieceDecoder
from tests.editing.scripts import Words, chunked, frames, regions

LINES = ["def f(x):", "    if x:", "        return x", "    return 0"]
L = LINE_TAGS


def draft_of(*pieces: Piece, lines: list[str] = LINES) -> Draft:
    draft = Draft(lines, Frame.of(lines))
    for piece in (kind_mark("bug"), *pieces):
        draft.feed(piece)
    return draft


@given(st.data())
def test_the_finished_draft_is_the_applied_script(data: st.DataObject) -> None:
    before, after = data.draw(regions), data.draw(regions)
    frame = data.draw(frames(before))
    unit = frame.layout.unit
    ops = [*write_script(before, after, unit=unit), Substitute("a", "renamed")]
    draft = Draft(before, frame)
    for piece in data.draw(chunked(list(render_script("bug", ops, frame)))):
        draft.feed(piece)
    assert draft.lines == draft.closed_lines == apply_script(before, draft.parser.ops, unit=unit)
    assert draft.ops == tuple(draft.parser.ops)


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        ([], LINES),
        ([REPLACE, L[3]], LINES),
        ([REPLACE, L[3], LEVELS[2]], [*LINES[:2], LINES[3]]),
        ([REPLACE, L[3], LEVELS[2], "a", LEVELS[0]], [*LINES[:2], "        a", LINES[3]]),
        ([REPLACE, L[3], LEVELS[2], "a", LEVELS[0], LEVELS[0]], [*LINES[:2], "        a", "", LINES[3]]),
        ([REPLACE, L[3], LEVELS[2], "a", LEVELS[0], DELETE], [*LINES[:2], "        a", "", LINES[3]]),
        ([INSERT, L[3], LEVELS[2]], LINES),
        ([REPLACE, L[3], LEVELS[2], "ret"], [*LINES[:2], "        ret", LINES[3]]),
        ([INSERT, TOP_MARK, LEVELS[0], "@"], ["@", *LINES]),
        ([DELETE, L[2]], [LINES[0], *LINES[2:]]),
        ([DELETE, L[2], L[3]], [LINES[0], LINES[3]]),
        ([SUBSTITUTE, "x", TO], LINES),
        ([SUBSTITUTE, "x", TO, "v"], ["def f(v):", "    if v:", "        return v", "    return 0"]),
        ([SUBSTITUTE, ".x", TO, "."], LINES),
        ([SUBSTITUTE, "x", TO, "val", DELETE], ["def f(val):", "    if val:", "        return val", "    return 0"]),
        ([DEDENT, L[3]], [*LINES[:2], "    return x", LINES[3]]),
        ([DEDENT, L[1]], LINES),
        ([DEDENT, L[3], INSERT, L[3], LEVELS[1], "y"], [*LINES[:2], "    return x", "    y", LINES[3]]),
    ],
)
def test_the_lines_grow_with_every_piece(pieces: list[Piece], lines: list[str]) -> None:
    assert draft_of(*pieces).lines == lines


def test_closed_lines_leave_the_operation_in_progress_out() -> None:
    draft = draft_of(DELETE, L[4], INSERT, L[1], LEVELS[1], "y = 1")
    assert draft.closed_lines == LINES[:3]
    assert draft.lines == [LINES[0], "    y = 1", *LINES[1:3]]


def test_the_events_are_those_of_the_parser() -> None:
    draft = draft_of(DELETE, L[4])
    closed, opened = draft.feed(DELETE)
    assert isinstance(closed, OpClosed)
    assert opened == OpOpened(DELETE)


@pytest.mark.parametrize(
    ("pieces", "message"),
    [([DEDENT, L[1]], "no indentation"), ([DELETE, L[4], REPLACE, L[4], LEVELS[0], "x"], "two operations")],
)
def test_an_operation_that_does_not_fit_is_left_out_and_reading_goes_on(pieces: list[Piece], message: str) -> None:
    draft = draft_of(*pieces)
    good = draft.closed_lines
    with pytest.raises(ScriptError, match=message):
        draft.feed(INSERT)
    for piece in (L[1], LEVELS[1], "more", END):
        draft.feed(piece)
    assert draft.lines == [good[0], "    more", *good[1:]]
    assert draft.parser.finished


@pytest.mark.parametrize("pieces", [[SUBSTITUTE, "x", TO, "y"], [DELETE, L[1], L[2]], [REPLACE, L[2], LEVELS[0], "y"]])
def test_a_line_that_is_not_utf8_is_never_edited(pieces: list[Piece]) -> None:
    lines = ["x = 1", "x = 'caf\udce9'"]
    draft = draft_of(*pieces, lines=lines)
    assert draft.lines == lines
    with pytest.raises(ScriptError, match="not UTF-8"):
        draft.feed(END)
    assert draft.lines == lines


def test_lines_around_one_that_is_not_utf8_can_be_edited() -> None:
    lines = ["y = 1", "x = 'caf\udce9'"]
    assert draft_of(SUBSTITUTE, "y", TO, "z", INSERT, L[2], LEVELS[0], "é", END, lines=lines).lines == [
        "z = 1", "x = 'caf\udce9'", "é"]  # fmt: skip


@given(st.lists(st.one_of(st.text(min_size=1), st.sampled_from([END, L[3]])), max_size=8))
def test_decoding_tokens_gives_the_text_and_marks_that_were_encoded(pieces: list[Piece]) -> None:
    words = Words()
    decoder = PieceDecoder(words)
    pieces = [p.encode("utf-8", "replace").decode() if isinstance(p, str) else p for p in pieces]
    decoded = [piece for token_id in encode_pieces([*pieces, END], words) for piece in decoder.feed(token_id)]
    assert joined(decoded) == joined([*pieces, END])


def joined(pieces: list[Piece]) -> list[Piece]:
    """Neighbouring texts as one."""
    result: list[Piece] = []
    for piece in pieces:
        if result and isinstance(piece, str) and isinstance(last := result[-1], str):
            result[-1] = last + piece
        else:
            result.append(piece)
    return result


@pytest.mark.parametrize("then", [b"e", "é".encode()[:1], END])
def test_bytes_that_make_no_character_are_refused_and_reading_can_go_on(then: bytes | Mark) -> None:
    words = Words()
    decoder = PieceDecoder(words)
    assert decoder.feed(words.ids["é".encode()[:1]]) == []
    with pytest.raises(ScriptError, match="no character"):
        decoder.feed(words.special(then.name) if isinstance(then, Mark) else words.ids[then])
    assert decoder.feed(words.special(END.name)) == [END]
