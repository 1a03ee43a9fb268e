"""The line-edit format: how a region, an instruction and a script are written for the model.

    <REG> <L1> <i0> def f(x): <E1> <L2> <i1> return x <E2> </REG> [<SEL> <L2> <L2>] <INS> words <OUT>
    <K:kind> op* <END>

    op   = <R> tag [tag] line+ | <I> (tag | <TOP>) line+ | <D> tag [tag] | <S> old <TO> new
         | <IND> tag [tag] | <DED> tag [tag]
    line = <iN> [text]                     tag = <L0> .. <L255>

Every <...> above is a Mark: one token of its own, never text, so nothing a file contains can be
mistaken for one. A line is written without its region's common indentation; the tags of a region count
up from a first tag, modulo 256, with one mark before and one after each line (what comes after a line
has seen it; what comes before it is where a copy of it starts).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

from spark_tui.editing.script import TOP, Dedent, Delete, Indent, Insert, LineOp, Replace, Substitute

TAGS = 256
MAX_LINES = TAGS - 1
MAX_LEVEL = 15


@dataclass(frozen=True, slots=True)
class Mark:
    """A control string of the format; `name` is how the tokenizer knows it."""

    name: str


Piece = Mark | str

REGION, END_REGION, SELECTED, INSTRUCTION, OUTPUT = map(Mark, ("<REG>", "</REG>", "<SEL>", "<INS>", "<OUT>"))
REPLACE, INSERT, DELETE, SUBSTITUTE, INDENT, DEDENT = map(Mark, ("<R>", "<I>", "<D>", "<S>", "<IND>", "<DED>"))
TO, TOP_MARK, END, PAD = map(Mark, ("<TO>", "<TOP>", "<END>", "<PAD>"))
CONTEXT, END_CONTEXT, ERROR = map(Mark, ("<CTX>", "</CTX>", "<ERR>"))
LINE_TAGS = tuple(Mark(f"<L{n}>") for n in range(TAGS))
END_TAGS = tuple(Mark(f"<E{n}>") for n in range(TAGS))
LEVELS = tuple(Mark(f"<i{n}>") for n in range(MAX_LEVEL + 1))
OP_MARKS = (REPLACE, INSERT, DELETE, SUBSTITUTE, INDENT, DEDENT)
NO_EDIT = "none"

FIXED_MARKS = (
    PAD, REGION, END_REGION, SELECTED, INSTRUCTION, OUTPUT, *OP_MARKS, TO, TOP_MARK, END,
    CONTEXT, END_CONTEXT, ERROR, *LEVELS, *LINE_TAGS, *END_TAGS,
)  # fmt: skip
"""Every mark but the kinds, in the order the tokenizer numbers them from 0."""


def kind_mark(kind: str) -> Mark:
    """The mark that opens a script of this kind."""
    return Mark(f"<K:{kind}>")


def kind_of(mark: Mark) -> str | None:
    """The kind a mark stands for, or None when it is not a kind's mark."""
    return mark.name[3:-1] if mark.name.startswith("<K:") else None


@dataclass(frozen=True, slots=True)
class Layout:
    """How a region's lines are indented: `base` units of `unit` are left off every line."""

    unit: str = "    "
    base: int = 0

    @classmethod
    def of(cls, lines: Sequence[str]) -> "Layout":
        """Read the indentation unit and the common level off a region's lines."""
        return _layout(tuple(lines))

    def split(self, line: str) -> tuple[int, str]:
        """A line as (level, rest); a blank line is (0, ""), one left of the common level is moved to it."""
        if not line.strip():
            return 0, ""
        own = _level(line, self.unit)
        level = min(max(own - self.base, 0), MAX_LEVEL)
        return level, line[len(self.unit) * min(own, level + self.base) :]

    def join(self, level: int, rest: str) -> str:
        """The inverse of `split`."""
        return self.unit * (level + self.base) + rest if rest else ""


@lru_cache(maxsize=16)
def _layout(lines: tuple[str, ...]) -> Layout:
    unit = _unit(lines)
    return Layout(unit, min((_level(line, unit) for line in lines if line.strip()), default=0))


def _level(line: str, unit: str) -> int:
    """How many units a line begins with. Args: unit: one or more of the same character."""
    return (len(line) - len(line.lstrip(unit[0]))) // len(unit)


def _unit(lines: Sequence[str]) -> str:
    """The step from a line that ends in a colon to the next one, else four spaces."""
    if any(line.startswith("\t") for line in lines):
        return "\t"
    filled = [line for line in lines if line.strip()]
    for head, body in pairwise(filled):
        step = _width(body) - _width(head)
        if head.rstrip().endswith(":") and step > 0:
            return " " * step
    return "    "


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


@dataclass(frozen=True, slots=True)
class Frame:
    """What ties a region's line numbers and indentation to marks: shared by prompt, writer and parser."""

    count: int
    layout: Layout = Layout()
    first_tag: int = 1

    @classmethod
    def of(cls, lines: Sequence[str], *, first_tag: int = 1) -> "Frame":
        """The frame of a region of at most MAX_LINES lines."""
        return cls(len(lines), Layout.of(lines), first_tag)

    def tag(self, number: int) -> Mark:
        """The mark before line `number` (0-based); TOP gives <TOP>."""
        return TOP_MARK if number == TOP else LINE_TAGS[(self.first_tag + number) % TAGS]

    def end_tag(self, number: int) -> Mark:
        """The mark after line `number` (0-based)."""
        return END_TAGS[(self.first_tag + number) % TAGS]

    def number(self, mark: Mark) -> int | None:
        """The 0-based line a tag stands for; None when it is no tag of this region."""
        if mark == TOP_MARK:
            return TOP
        if not mark.name.startswith("<L"):
            return None
        number = (int(mark.name[2:-1]) - self.first_tag) % TAGS
        return number if number < self.count else None


def render_region(lines: Sequence[str], frame: Frame) -> Iterator[Piece]:
    """The region's part of the prompt; the same for every instruction, so that it can be cached."""
    yield REGION
    for number, line in enumerate(lines):
        yield frame.tag(number)
        yield from _render_line(line, frame.layout)
        yield frame.end_tag(number)
    yield END_REGION


def render_request(instruction: str, frame: Frame, selected: tuple[int, int] | None = None) -> Iterator[Piece]:
    """The part of the prompt after the region. `selected`: 0-based first and last line, or None."""
    if selected is not None:
        yield SELECTED
        yield frame.tag(selected[0])
        yield frame.tag(selected[1])
    yield INSTRUCTION
    yield " ".join(instruction.split())
    yield OUTPUT


def render_script(kind: str, ops: Iterable[LineOp], frame: Frame) -> Iterator[Piece]:
    """A script as the model is to write it; what `ScriptParser` reads back."""
    yield kind_mark(kind)
    for op in ops:
        yield from _render_op(op, frame)
    yield END


def _render_op(op: LineOp, frame: Frame) -> Iterator[Piece]:
    match op:
        case Replace(first, last, lines):
            yield REPLACE
            yield from _render_range(first, last, frame)
            yield from render_lines(lines, frame.layout)
        case Insert(after, lines):
            yield INSERT
            yield frame.tag(after)
            yield from render_lines(lines, frame.layout)
        case Substitute(old, new):
            yield from (SUBSTITUTE, old, TO, new)
        case Delete(first, last) | Indent(first, last) | Dedent(first, last):
            yield {Delete: DELETE, Indent: INDENT, Dedent: DEDENT}[type(op)]
            yield from _render_range(first, last, frame)


def _render_range(first: int, last: int, frame: Frame) -> Iterator[Mark]:
    yield frame.tag(first)
    if last != first:
        yield frame.tag(last)


def render_lines(lines: Iterable[str], layout: Layout) -> Iterator[Piece]:
    """Lines as a script writes them."""
    for line in lines:
        yield from _render_line(line, layout)


def _render_line(line: str, layout: Layout) -> Iterator[Piece]:
    level, rest = layout.split(line)
    yield LEVELS[level]
    if rest:
        yield rest


class Vocabulary(Protocol):
    """What the format needs of a tokenizer."""

    def encode(self, text: str) -> list[int]:
        """Text to token ids; text that looks like a mark stays text."""
        ...

    def special(self, name: str) -> int:
        """The id of a mark."""
        ...

    def piece(self, token_id: int) -> str | bytes:
        """A mark's name as str, or the bytes of a text token."""
        ...


def encode_pieces(pieces: Iterable[Piece], vocabulary: Vocabulary) -> list[int]:
    """Pieces to token ids."""
    ids: list[int] = []
    for piece in pieces:
        if isinstance(piece, Mark):
            ids.append(vocabulary.special(piece.name))
        else:
            ids.extend(vocabulary.encode(piece))
    return ids
