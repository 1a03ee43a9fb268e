"""The grammar: what edits need is allowed, and whatever is allowed makes a script that applies."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.formats.quoted import (
    NONE,
    RENAME,
    QuotingError,
    apply_quoted,
    script_pieces,
    write_quoted,
)
from spark_tui.editing.formats.quoted_grammar import Allowed, Grammar, Vocabulary

WORDS = [
    b"rename",
    b"none",
    b"    ",
    b" a",
    b" b",
    b" path",
    b"path",
    b"return",
    b" return",
    b"):\n",
    "é".encode(),
    b"\n\n",
    b"x\r",
]
PIECES: list[bytes | None] = [*(bytes([byte]) for byte in range(256)), *WORDS, None]
END = len(PIECES) - 1
LINES = st.lists(
    st.sampled_from(["a = b", "    return a", "", "é = a", "def f(path):", "    b = path"]),
    min_size=1,
    max_size=7,
)


def spell(text: str) -> list[int]:
    """The longest token at each place."""
    data, found = text.encode(), list[int]()
    while data:
        best = max((piece for piece in PIECES if piece and data.startswith(piece)), key=len)
        found.append(PIECES.index(best))
        data = data[len(best) :]
    return found


WORDS_KNOWN = Vocabulary.of(spell, PIECES, END, len(PIECES) + 3)


def is_allowed(allowed: Allowed, token: int) -> bool:
    return bool(allowed[token]) if allowed.dtype == np.bool_ else token in allowed


def write(grammar: Grammar, token: int) -> None:
    grammar.draft.take(grammar.take(token))


def spelled(script: Sequence[str]) -> list[int]:
    return [token for piece in script_pieces(script) for token in spell(piece)] + [END]


@given(LINES, LINES)
def test_the_canonical_script_of_every_edit_is_allowed(before: list[str], after: list[str]) -> None:
    script = write_quoted(before, after)
    grammar = Grammar(before, WORDS_KNOWN)
    for token in spelled(script):
        assert is_allowed(grammar.allowed(), token), (script, grammar.draft.open, token)
        write(grammar, token)
    assert grammar.ended
    assert grammar.draft.script == script
    assert grammar.draft.lines() == grammar.draft.applied.result() == after


@given(LINES, st.integers(0, 10_000))
def test_whatever_is_allowed_makes_a_script_that_applies(lines: list[str], seed: int) -> None:
    rng = Random(seed)
    grammar = Grammar(lines, WORDS_KNOWN)
    for _ in range(300):
        allowed = grammar.allowed()
        ids = np.flatnonzero(allowed) if allowed.dtype == np.bool_ else allowed
        assert len(ids)
        ending = [PIECES.index(b"\n"), END]
        token = next(
            (one for one in ending if one in ids and rng.random() < 0.3), int(rng.choice(list(ids)))
        )
        closed, was_open = list(grammar.draft.applied.closed), grammar.draft.open
        write(grammar, token)
        if not (grammar.draft.script and grammar.draft.script[-1].startswith(RENAME)):
            assert grammar.draft.applied.closed[: len(closed)] == closed, (
                "what is closed is never revised"
            )
        assert (
            was_open == b"" or grammar.draft.open.startswith(was_open) or grammar.draft.open == b""
        )
        if grammar.ended:
            break
    else:
        return
    if b"\xff" not in b"".join(map(str.encode, grammar.draft.script)) and "\ufffd" not in "".join(
        grammar.draft.script
    ):
        assert apply_quoted(lines, grammar.draft.script) == grammar.draft.applied.result()


def test_no_edit_is_said_alone() -> None:
    grammar = Grammar(["a"], WORDS_KNOWN)
    for token in spell(NONE + "\n"):
        write(grammar, token)
    assert list(grammar.allowed()) == [END]
    assert grammar.draft.applied.result() == ["a"]


def test_after_a_renaming_the_new_name_is_the_one_that_stands_there() -> None:
    grammar = Grammar(["a = b"], WORDS_KNOWN)
    for token in spell("rename a path") + spell("\n"):
        assert is_allowed(grammar.allowed(), token)
        write(grammar, token)
    assert grammar.draft.applied.result() == ["path = b"]
    for token in spell("rename"):
        write(grammar, token)
    assert is_allowed(grammar.allowed(), PIECES.index(b" path"))
    assert not is_allowed(grammar.allowed(), PIECES.index(b" a"))


def test_a_token_without_text_is_refused() -> None:
    words = Vocabulary.of(spell, [*PIECES[:-1], None, None], END, len(PIECES) + 3)
    with pytest.raises(QuotingError):
        Grammar(["a"], words).take(END + 1)


@given(LINES, LINES, st.data())
def test_what_may_come_depends_on_the_tokens_alone_and_not_on_when_it_was_asked(
    before: list[str], after: list[str], data: st.DataObject
) -> None:
    tokens = spelled(write_quoted(before, after))
    cut = data.draw(st.integers(0, len(tokens) - 1))
    asked, unasked = Grammar(before, WORDS_KNOWN), Grammar(before, WORDS_KNOWN)
    for token in tokens[:cut]:
        asked.allowed()
        write(asked, token)
        write(unasked, token)
    assert np.array_equal(asked.allowed(), unasked.allowed())


def test_a_line_that_was_taken_out_is_not_written_again_as_it_was() -> None:
    grammar = Grammar(["def f(path):", "    return a"], WORDS_KNOWN)
    for token in spelled(["-def f(path):"])[:-1]:
        write(grammar, token)
    for token in [*spell("+"), *spell("def f(path")]:
        write(grammar, token)
    colon, closed, newline = PIECES.index(b")"), PIECES.index(b"):\n"), PIECES.index(b"\n")
    assert is_allowed(grammar.allowed(), colon)
    assert not is_allowed(grammar.allowed(), closed)
    for token in (PIECES.index(b")"), PIECES.index(b":")):
        write(grammar, token)
    assert not is_allowed(grammar.allowed(), newline)
    write(grammar, PIECES.index(b" a"))
    assert is_allowed(grammar.allowed(), newline)


def test_what_is_being_written_is_shown_with_it_and_a_line_just_begun_is_no_blank_one() -> None:
    grammar, shown = Grammar(["a", "b"], WORDS_KNOWN), list[list[str]]()
    for token in spelled(["-a", "+path"]):
        write(grammar, token)
        shown.append(grammar.draft.lines())
    assert all("" not in lines for lines in shown)
    assert ["path", "b"] in shown


def test_a_new_name_is_shown_while_it_is_written() -> None:
    grammar = Grammar(["a = a"], WORDS_KNOWN)
    for token in spell("rename a path")[:-1]:
        write(grammar, token)
        assert grammar.draft.lines() == ["a = a"]
    write(grammar, spell("rename a path")[-1])
    assert grammar.draft.lines() == ["path = path"]
    assert grammar.draft.applied.result() == ["a = a"]
