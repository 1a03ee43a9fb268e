"""Regions and scripts for property tests, and the tiny vocabulary they can be spelled in."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hypothesis import strategies as st

from spark_tui.editing.format import FIXED_MARKS, Frame, Mark, Piece, kind_mark
from spark_tui.editing.parser import EditEvent, ScriptParser
from spark_tui.editing.script import TOP, Dedent, Delete, Indent, Insert, LineOp, Replace, Substitute

KINDS = ("bug", "rename", "none")
region_lines = st.sampled_from(
    ["", "a = b", "    a = b.c", "    é(a)", "        return a", "\tx", "  odd", "def f(a):"]
)
regions = st.lists(region_lines, min_size=1, max_size=9)
new_lines = st.lists(st.sampled_from(["", "x", "<R>", "        y(é)", "    <L1> <END>", " z "]), min_size=1, max_size=3)
names = st.sampled_from(["a", ".c", "b", "naïve"])


class Words:
    """A vocabulary of the marks and a few pieces of text, some of them no whole characters."""

    def __init__(self, texts: Sequence[bytes] = ()) -> None:
        marks = [mark.name for mark in (*FIXED_MARKS, *map(kind_mark, KINDS))]
        single = [bytes([byte]) for byte in range(256)]
        self.pieces: list[str | bytes] = [*marks, *single, *texts, b""]
        self.ids = {piece: number for number, piece in enumerate(self.pieces)}

    def encode(self, text: str) -> list[int]:
        """One token a byte."""
        return [self.ids[bytes([byte])] for byte in text.encode()]

    def special(self, name: str) -> int:
        """The id of a mark."""
        return self.ids[name]

    def piece(self, token_id: int) -> str | bytes:
        """What an id stands for."""
        return self.pieces[token_id]


def frames(lines: Sequence[str]) -> st.SearchStrategy[Frame]:
    """Frames of a region with any first tag."""
    return st.integers(0, 255).map(lambda tag: Frame.of(lines, first_tag=tag))


@st.composite
def scripts(draw: st.DrawFn, lines: Sequence[str]) -> list[LineOp]:
    """Operations that do not overlap; they need not apply (a Dedent may find nothing to remove)."""
    cuts = sorted(draw(st.sets(st.integers(0, len(lines)), max_size=6)))
    ops = [draw(_ranged(first, stop - 1)) for first, stop in pairwise(cuts)]
    ops += [Insert(after, tuple(draw(new_lines))) for after in draw(st.sets(st.integers(TOP, len(lines) - 1)))]
    ops += draw(st.lists(st.builds(Substitute, names, names), max_size=2))
    return draw(st.permutations(ops))


def _ranged(first: int, last: int) -> st.SearchStrategy[LineOp]:
    moves = st.sampled_from([Delete(first, last), Indent(first, last), Dedent(first, last)])
    return st.one_of(moves, st.builds(Replace, st.just(first), st.just(last), new_lines.map(tuple)))


@st.composite
def chunked(draw: st.DrawFn, pieces: Sequence[Piece]) -> list[Piece]:
    """The same pieces with their text cut anywhere."""
    result: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Mark):
            result.append(piece)
            continue
        cuts = sorted({0, len(piece), *draw(st.lists(st.integers(0, len(piece)), max_size=4))})
        result += [piece[start:stop] for start, stop in pairwise(cuts)]
    return result


def read(pieces: Sequence[Piece], frame: Frame) -> tuple[ScriptParser, list[EditEvent]]:
    """A parser that has read the pieces, and its events."""
    parser = ScriptParser(frame)
    return parser, list(_events(parser, pieces))


def _events(parser: ScriptParser, pieces: Sequence[Piece]) -> Iterator[EditEvent]:
    for piece in pieces:
        yield from parser.feed(piece)
