from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.format import (
    DEDENT,
    DELETE,
    END,
    INDENT,
    INSERT,
    LEVELS,
    LINE_TAGS,
    OP_MARKS,
    REPLACE,
    SUBSTITUTE,
    TO,
    TOP_MARK,
    Frame,
    Mark,
    Piece,
    kind_mark,
)
from spark_tui.editing.grammar import Grammar
from spark_tui.editing.parser import Expect, ScriptParser
from spark_tui.editing.script import ScriptError, apply_script
from spark_tui.editing.streaming import Draft, PieceDecoder
from tests.editing.scripts import KINDS, Words, frames, read, regions

TEXTS = [
    b"ab",
    b"x = ",
    b"a\nb",
    b"c\r",
    b"\0",
    b"\x1b[",
    b".c",
    b"ount",
    b"co",
    b"in",
    b"  ",
    b"\xc3",
    b"\xa9",
    "né".encode(),
]
WORDS = Words(TEXTS)
LINES = ["def f(count):", "    if count:", "", "    caf\udce9 = self.old", "return"]
FRAME = Frame.of(LINES)
GRAMMAR = Grammar(WORDS, len(WORDS.pieces), FRAME, LINES)
L = LINE_TAGS


def allowed(pieces: list[Piece]) -> set[str | bytes]:
    parser, _ = read([kind_mark("bug"), *pieces], FRAME)
    return {WORDS.piece(int(token_id)) for token_id in GRAMMAR.allowed(parser)}


def marks(*expected: Mark) -> set[str]:
    return {mark.name for mark in expected}


def text_tokens(tokens: set[str | bytes]) -> set[bytes]:
    return {token for token in tokens if isinstance(token, bytes)}


def fed(decoder: PieceDecoder, token_id: int) -> list[Piece]:
    """What a token makes complete; one that leaves a character broken would end the script, and is left out."""
    try:
        return decoder.feed(token_id)
    except ScriptError:
        return []


def walk(lines: list[str], frame: Frame, rng: Random) -> tuple[ScriptParser, list[str]]:
    """A random script out of allowed tokens alone, by classes first; a long one hurries to its end."""
    grammar = Grammar(WORDS, len(WORDS.pieces), frame, lines)
    draft, decoder, steps = Draft(lines, frame), PieceDecoder(WORDS), 0
    while not draft.parser.finished:
        ids = [int(token_id) for token_id in grammar.allowed(draft.parser)]
        named = [token_id for token_id in ids if isinstance(WORDS.piece(token_id), str)]
        end = WORDS.special(END.name)
        pool = [end] if end in ids and (steps > 40 or rng.random() < 0.05) else rng.choice([ids, named or ids])
        for piece in fed(decoder, rng.choice(pool)):
            draft.feed(piece)
        steps += 1
        assert steps < 400
    return draft.parser, draft.lines


@given(st.data())
def test_any_walk_through_the_mask_ends_in_a_script_that_applies(data: st.DataObject) -> None:
    lines = data.draw(regions.map(lambda lines: [line.replace("é", "\udce9") for line in lines]) | regions)
    frame = data.draw(frames(lines))
    parser, shown = walk(lines, frame, data.draw(st.randoms(use_true_random=False)))
    assert apply_script(lines, parser.ops, unit=frame.layout.unit) == shown
    assert not any({"\n", "\r", "\0", "\x1b"} & set(line) for line in shown)
    assert [line for line in shown if "\udce9" in line] == [line for line in lines if "\udce9" in line]


@given(st.data())
def test_everything_the_mask_allows_is_accepted(data: st.DataObject) -> None:
    rng = data.draw(st.randoms(use_true_random=False))
    parser, decoder, pieces = ScriptParser(FRAME), PieceDecoder(WORDS), list[Piece]()
    for _ in range(data.draw(st.integers(0, 12))):
        ids = [int(token_id) for token_id in GRAMMAR.allowed(parser)]
        pieces += fed(decoder, rng.choice(ids))
        parser, _ = read(pieces, FRAME)
        if parser.finished:
            return
    for token_id in GRAMMAR.allowed(parser):
        piece = WORDS.piece(int(token_id))
        read([*pieces, Mark(piece) if isinstance(piece, str) else piece.decode("utf-8", "replace")], FRAME)


def test_a_script_begins_with_any_kind() -> None:
    mask = GRAMMAR.allowed(ScriptParser(FRAME))
    assert {WORDS.piece(int(n)) for n in mask} == marks(*map(kind_mark, KINDS))


def test_the_mask_is_shared_and_cannot_be_changed() -> None:
    parser = ScriptParser(FRAME)
    assert GRAMMAR.allowed(parser) is GRAMMAR.allowed(parser)
    with pytest.raises(ValueError, match="read-only"):
        GRAMMAR.allowed(parser)[0] = True


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([], {*OP_MARKS, END}),
        ([REPLACE], {L[1], L[2], L[3], L[5]}),
        ([INDENT], {L[1], L[2], L[5]}),
        ([DEDENT], {L[2]}),
        ([DEDENT, L[2]], {*OP_MARKS, END, L[3]} - {DEDENT}),
        ([DELETE, L[1]], {*OP_MARKS, END, L[2], L[3]}),
        ([DELETE, L[1], L[2], REPLACE], {L[3], L[5]}),
        ([DELETE, L[1], DELETE, L[3]], {*OP_MARKS, END} - {DEDENT}),
        ([DELETE, L[1], L[3], DELETE, L[5]], {INSERT, SUBSTITUTE, END}),
        ([INSERT], {TOP_MARK, L[1], L[2], L[3], L[4], L[5]}),
        ([INSERT, L[2], LEVELS[0], REPLACE], {L[3], L[5]}),
        ([REPLACE, L[2], LEVELS[0], INSERT], {L[2], L[3], L[4], L[5]}),
        ([INSERT, TOP_MARK, LEVELS[0], INSERT, L[4], LEVELS[0], INSERT], {L[5]}),
        ([REPLACE, L[1]], {*LEVELS, L[2], L[3]}),
        ([INSERT, L[1]], {*LEVELS}),
    ],
)
def test_only_tags_with_room_for_the_operation_are_allowed(pieces: list[Piece], expected: set[Mark]) -> None:
    assert allowed(pieces) == marks(*expected)


def test_a_line_is_any_text_without_control_characters() -> None:
    tokens = allowed([REPLACE, L[1], LEVELS[0], "x"])
    assert tokens >= marks(*LEVELS, END, REPLACE) | {b"x = ", b"\xc3", b"\t", b" "}
    assert not text_tokens(tokens) & {b"\n", b"\r", b"a\nb", b"c\r", b"\0", b"\x1b", b"\x1b[", b""}


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([], {b"c", b"co", b"f"}),
        (["c"], {b"o", b"ount"}),
        (["co"], {b"u"}),
        (["cou"], {b"n"}),
        (["count"], set()),
    ],
)
def test_a_renaming_can_only_spell_a_name_of_the_region(pieces: list[Piece], expected: set[bytes]) -> None:
    tokens = allowed([SUBSTITUTE, *pieces])
    assert text_tokens(tokens) == expected
    assert (TO.name in tokens) == (pieces == ["count"])


def test_a_name_is_renamed_once() -> None:
    assert text_tokens(allowed([SUBSTITUTE, "count", TO, "n", SUBSTITUTE])) == {b"f"}
    assert SUBSTITUTE.name not in allowed([SUBSTITUTE, "count", TO, "n", SUBSTITUTE, "f", TO, "g"])


def test_the_new_name_is_an_identifier() -> None:
    assert {b"ab", b"_", "né".encode()} <= text_tokens(start := allowed([SUBSTITUTE, "count", TO]))
    assert not start & {END.name, b"1", b" ", b".", b".c", b"-", b"\xc3"}
    assert {b"1", b"a", END.name} <= (more := allowed([SUBSTITUTE, "count", TO, "a"]))
    assert not more & {b" ", b".", b"x = ", b".c"}
    assert END.name not in allowed([SUBSTITUTE, "count", TO, "in"])


def test_an_instruction_that_says_a_name_of_the_region_says_both_names() -> None:
    lines = ["ab = c + a1"]
    grammar = Grammar(WORDS, len(WORDS.pieces), Frame.of(lines), lines, "ab to c1")

    def texts(*pieces: Piece) -> set[str | bytes]:
        parser, _ = read([kind_mark("bug"), SUBSTITUTE, *pieces], Frame.of(lines))
        return {WORDS.piece(int(n)) for n in grammar.allowed(parser)}

    assert texts() == {b"a", b"ab"}
    assert b"1" not in texts("a")
    assert b"c" in texts("ab", TO)
    assert b"a" not in texts("ab", TO)
    assert texts("ab", TO, "c") == {b"1"}
    assert END.name in texts("ab", TO, "c1")


def test_little_words_of_an_instruction_are_no_new_names() -> None:
    lines = ["ab = c"]
    grammar = Grammar(WORDS, len(WORDS.pieces), Frame.of(lines), lines, "rename ab to class")
    parser, _ = read([kind_mark("bug"), SUBSTITUTE, "ab", TO], Frame.of(lines))
    assert not text_tokens({WORDS.piece(int(n)) for n in grammar.allowed(parser)})


@pytest.mark.parametrize(
    ("words", "renames"), [("rename ab to c1", False), ("c1 for ab in co", False), ("co to c1", True)]
)
def test_nothing_is_renamed_in_the_place_of_a_name_on_a_line_that_is_not_utf_8(words: str, renames: bool) -> None:
    lines = ["def co(c):", "    ab = '\udcfc'", "    return ab"]
    grammar = Grammar(WORDS, len(WORDS.pieces), Frame.of(lines), lines, words)
    parser, _ = read([kind_mark("bug")], Frame.of(lines))
    assert (SUBSTITUTE.name in {WORDS.piece(int(n)) for n in grammar.allowed(parser)}) is renames


def test_a_line_is_written_in_the_words_of_region_and_instruction_and_the_free_ones() -> None:
    lines = ["ab = c"]
    grammar = Grammar(WORDS, len(WORDS.pieces), Frame.of(lines), lines, "a1", free_words=["x"])

    def texts(written: str) -> set[str | bytes]:
        parser, _ = read([kind_mark("bug"), REPLACE, LINE_TAGS[1], LEVELS[0], written], Frame.of(lines))
        return {WORDS.piece(int(n)) for n in grammar.allowed(parser)}

    assert {b"a", b"ab", b"c", b"1", b"-", b" ", END.name} <= texts("")
    assert b"1" in (after := texts("a"))
    assert not after & {b"c", b"-", b" ", END.name}
    assert {b"-", END.name} <= texts("ab")
    assert b"c" not in texts("ab")
    assert {b"1", b" ", END.name} <= texts("4")


def test_an_attribute_is_renamed_to_an_attribute() -> None:
    lines = ["self.old"]
    grammar = Grammar(WORDS, len(WORDS.pieces), Frame.of(lines), lines)

    def texts(*pieces: Piece) -> set[bytes]:
        parser, _ = read([kind_mark("bug"), SUBSTITUTE, *pieces], Frame.of(lines))
        return text_tokens({WORDS.piece(int(n)) for n in grammar.allowed(parser)})

    assert texts() == {b".", b"s"}
    assert texts(".old", TO) == {b".", b".c"}
    assert b"a" in texts(".old", TO, ".")
    assert not texts(".old", TO, ".") & {b".", b".c", b"1"}
    assert b"1" in texts(".old", TO, ".c")


def test_where_nothing_is_left_to_write_the_end_is_allowed() -> None:
    parser, _ = read([kind_mark("bug"), END], FRAME)
    assert parser.expects == frozenset[Expect]()
    assert allowed([END]) == {END.name}
