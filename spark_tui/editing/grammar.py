"""Which tokens may come next, so that whatever a model writes is a script that applies to its region.

Beyond the order of marks this keeps operations in the order of their lines and off lines that are not UTF-8, lets
Dedent only near lines that are indented, and renames only a name that the region uses to one that the instruction
says. Knows token ids, but no model and no sampling.
"""

import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from spark_tui.editing.format import (
    DEDENT,
    END,
    INDENT,
    INSERT,
    LEVELS,
    OP_MARKS,
    SUBSTITUTE,
    TO,
    Frame,
    Mark,
    Vocabulary,
)
from spark_tui.editing.identifiers import names_in
from spark_tui.editing.lexicon import Lexicon
from spark_tui.editing.parser import Expect, ScriptParser
from spark_tui.editing.script import TOP, Insert, LineOp, Substitute
from spark_tui.editing.text import undecodable
from spark_tui.editing.tokens import token_classes

_NAME = re.compile(r"[^\W\d]\w*")
_LITTLE_WORDS = frozenset(
    ["rename", "to", "into", "the", "of", "it", "this", "that", "please", "should", "be", "use", "change", "call"]
)
"""Words of a request that are not meant as a new name."""
IntArray = npt.NDArray[np.int32]


class Grammar:
    """The tokens allowed next in a script for one region.

    Args: vocabulary: the model's. vocab_size: V, how many ids the model scores. frame, lines: the region's.
        instruction: when it says a name of the region, a renaming takes both names from its words.
        free_words: what a line may say that neither region nor instruction say; without any, everything.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        vocab_size: int,
        frame: Frame,
        lines: Sequence[str],
        instruction: str = "",
        *,
        free_words: Iterable[str] = (),
    ) -> None:
        self._tokens = token_classes(vocabulary, vocab_size)
        self._room = _Room(lines, frame.layout.unit)
        self._frame, self._lines, self._instruction, self._free_words = frame, lines, instruction, free_words
        self._allowed: dict[tuple[object, ...], IntArray] = {}

    @cached_property
    def _told_words(self) -> frozenset[str]:
        """The words of the instruction that can be spelled."""
        return frozenset(filter(self._tokens.can_spell, _NAME.findall(self._instruction)))

    @cached_property
    def _every_name(self) -> frozenset[str]:
        return frozenset(filter(self._tokens.can_spell, _renamable(self._lines)))

    @cached_property
    def _said(self) -> frozenset[str]:
        """The names of the region that the instruction says."""
        return frozenset(name for name in self._every_name if name.removeprefix(".") in self._told_words)

    @property
    def _names(self) -> frozenset[str]:
        """What may be renamed: nothing in the place of a name that is told and cannot be."""
        return frozenset() if self._says_locked else self._said or self._every_name

    @cached_property
    def _says_locked(self) -> bool:
        """Whether the instruction says a name of a line that is not UTF-8."""
        return any(name.removeprefix(".") in self._told_words for name in _locked(self._lines))

    @cached_property
    def _told(self) -> frozenset[str] | None:
        """What it may be renamed to; None for any name."""
        return frozenset(filter(_is_name, self._told_words - _LITTLE_WORDS)) if self._said else None

    @cached_property
    def _lexicon(self) -> Lexicon:
        return Lexicon(self._tokens, [*self._lines, self._instruction], self._free_words)

    def allowed(self, parser: ScriptParser) -> IntArray:
        """The tokens that may follow what the parser has read.

        Returns: their ids, ascending, read-only; where nothing is allowed, the end is.
        """
        taken = _Taken(parser.ops)
        texts = parser.texts if parser.op_mark == SUBSTITUTE else parser.texts[-1:]
        key = (parser.expects, parser.op_mark, parser.lines, texts, *taken.key)
        if key not in self._allowed:
            self._allowed[key] = self._computed(parser, taken)
        return self._allowed[key]

    def _computed(self, parser: ScriptParser, taken: "_Taken") -> IntArray:
        ids = [self._ids(expect, parser, taken) for expect in parser.expects]
        if not any(map(len, ids)):
            ids = [self._tokens.ids([END])]
        allowed = np.zeros(self._tokens.size, np.bool_)
        for some in ids:
            allowed[np.asarray(some, np.int32)] = True
        found = np.flatnonzero(allowed).astype(np.int32)
        found.flags.writeable = False
        return found

    def _ids(self, expect: Expect, parser: ScriptParser, taken: "_Taken") -> Sequence[int] | IntArray:
        """The tokens of one class that keep the script applicable."""
        if expect is Expect.KIND:
            return self._tokens.kinds
        if parser.op_mark == SUBSTITUTE:
            return self._renaming_ids(expect, parser, taken)
        if expect is Expect.TEXT:
            return self._lexicon.following(parser.texts[-1])
        if not self._lexicon.ends("".join(parser.texts[-1:])):
            return []
        return self._tokens.ids(self._marks(expect, parser, taken))

    def _renaming_ids(self, expect: Expect, parser: ScriptParser, taken: "_Taken") -> Sequence[int]:
        names = self._names - taken.names
        if expect is Expect.TEXT:
            return self._name_tokens(parser.texts, names)
        if expect is Expect.TO:
            return self._tokens.ids([TO] if parser.texts[0] in names else ())
        return self._tokens.ids(self._marks(expect, parser, taken) if self._is_new(*parser.texts) else ())

    def _marks(self, expect: Expect, parser: ScriptParser, taken: "_Taken") -> Iterable[Mark]:
        match expect:
            case Expect.LEVEL:
                return LEVELS
            case Expect.END:
                return (END,)
            case Expect.OP:
                return self._openable(_Taken([*parser.ops, parser.partial]))
            case _:
                return map(self._frame.tag, self._room.lines(expect, parser, taken))

    def _openable(self, taken: "_Taken") -> Iterator[Mark]:
        """The operations there is room for."""
        for mark in OP_MARKS:
            if self._names - taken.names if mark == SUBSTITUTE else self._room.places(mark, taken):
                yield mark

    def _name_tokens(self, texts: Sequence[str], names: Iterable[str]) -> Sequence[int]:
        old, *new = texts
        if not new:
            return self._tokens.towards(old, names)
        if self._told is not None:
            return self._tokens.towards(new[0], self._new_names(old))
        if new[0].removeprefix("."):
            return self._tokens.name_parts
        return self._tokens.attribute_starts if old.startswith(".") and not new[0] else self._tokens.name_starts

    def _new_names(self, old: str) -> set[str]:
        """What the instruction says `old` may become; an attribute's name begins with a point."""
        point = "." if old.startswith(".") else ""
        return {point + name for name in self._told or ()} - {old}

    def _is_new(self, old: str, new: str) -> bool:
        return new in self._new_names(old) if self._told is not None else _is_name(new)


def _is_name(new: str) -> bool:
    bare = new.removeprefix(".")
    return bare.isidentifier() and not keyword.iskeyword(bare)


def _renamable(lines: Sequence[str]) -> set[str]:
    """The names a renaming may start from: spelled in ASCII, and on no line that is not UTF-8."""
    return {name for name in names_in("\n".join(lines)) - _locked(lines) if name.isascii()}


def _locked(lines: Sequence[str]) -> set[str]:
    """The names on lines that are not UTF-8."""
    return names_in("\n".join(line for line in lines if undecodable(line)))


class _Taken:
    """What operations have used up: bit n of `lines` is line n, bit n + 1 of `places` is the place after line n.

    An operation uses up all that comes before it: scripts are written in the order of their lines.
    """

    def __init__(self, ops: Iterable[LineOp | None]) -> None:
        self.lines, self.places, self.names = 0, 0, frozenset[str]()
        for op in ops:
            if isinstance(op, Substitute):
                self.names |= {op.old}
            elif isinstance(op, Insert):
                self._use(op.after + 1, op.after + 2)
            elif op is not None:
                self._use(op.last + 1, op.last + 1)

    def _use(self, lines: int, places: int) -> None:
        self.lines |= (1 << lines) - 1
        self.places |= (1 << places) - 1

    @property
    def key(self) -> tuple[object, ...]:
        """Equal where the same is used up."""
        return self.lines, self.places, self.names


def _bit(after: int) -> int:
    return 1 << (after - TOP)


class _Room:
    """Where on a region's lines an operation can go, in bits as in _Taken."""

    def __init__(self, lines: Sequence[str], unit: str) -> None:
        self._editable = _bits(not undecodable(line) for line in lines)
        self._filled = _bits(bool(line.strip()) for line in lines)
        self._movable = _bits(not line.strip() or line.startswith(unit) for line in lines)
        self._every_place = (2 << len(lines)) - 1

    def places(self, mark: Mark, taken: _Taken) -> int:
        """The lines an operation can start on; for an Insert, the places it can go to."""
        if mark == INSERT:
            return self._every_place & ~taken.places
        free = self._free(mark, taken)
        return free & self._filled if mark in (INDENT, DEDENT) else free

    def lines(self, expect: Expect, parser: ScriptParser, taken: _Taken) -> Iterator[int]:
        """The lines whose tag may come next."""
        mark = parser.op_mark
        assert mark is not None
        if expect is Expect.LATER_TAG:
            return self._further(parser.lines[0], self._free(mark, taken))
        places = self.places(mark, taken)
        if mark == INSERT:
            top, places = places & _bit(TOP), places >> 1
            return _positions(places) if expect is Expect.TAG else iter([TOP] if top else [])
        return _positions(places)

    def _free(self, mark: Mark, taken: _Taken) -> int:
        free = self._editable & ~taken.lines
        return free & self._movable if mark == DEDENT else free

    def _further(self, first: int, free: int) -> Iterator[int]:
        while free >> (first + 1) & 1:
            first += 1
            yield first


def _bits(flags: Iterable[bool]) -> int:
    return sum(flag << number for number, flag in enumerate(flags))


def _positions(bits: int) -> Iterator[int]:
    return (number for number in range(bits.bit_length()) if bits >> number & 1)
