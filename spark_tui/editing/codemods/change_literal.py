"""Numbers, strings and flags changed to what the instruction says."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from keyword import iskeyword
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, Position, docstring_node, end_of, quote_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.bugs.numbers_near import unit_numbers
from spark_tui.editing.codemods.common.said import Span, literal, pairs, said, spans, values, word_said
from spark_tui.editing.codemods.pieces.same_values import same_values
from spark_tui.editing.codemods.plain.plain_amounts import plain_amounts
from spark_tui.editing.codemods.plain.plain_codes import plain_codes
from spark_tui.editing.codemods.plain.plain_defaults import plain_defaults
from spark_tui.editing.codemods.plain.plain_literals import plain_literals
from spark_tui.editing.codemods.plain.plain_returned import plain_returned
from spark_tui.editing.codemods.plain.plain_separators import plain_separators
from spark_tui.editing.codemods.plain.plain_settings import plain_settings
from spark_tui.editing.codemods.texts.text_edits import VALUES, text_edits
from spark_tui.editing.codemods.texts.texts import texts
from spark_tui.editing.snippet import Snippet

SIMPLE = re.compile(r"""-?(?:\d|\.\d)[\w.]*(?:(?<=[eE])[+-]\d+)?|'[^'\n]*'|"[^"\n]*\"|True|False|None""")
_TAIL = re.compile(r"(?:\b(?:to|say|says|read|reads|as|be|with|by|into)|[:>])\s+(?=(.+)$)")
_BY_ONE = re.compile(r"\b(?:off|wrong|out|incorrect)[ -]by[ -](?:1|one)\b")
_NO_F = re.compile(
    r"(?i)\bno f\b|\b(?:drop|lose|remove|without) (?:\w+ )?f\b|\bF541\b|\b(?:no|without) (?:any )?place ?hold\w*"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_MOST_WORDS = 12


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a string or a flag on one line, with the name and the call that stand nearest to it, or ""."""

    start: Position
    end: Position
    source: str
    name: str
    call: str

    @property
    def content(self) -> str:
        """What a string holds; of anything else its source."""
        return _content(self.source)

    @property
    def is_text(self) -> bool:
        """Whether it is a string."""
        return self.source[0] in "'\""


class ChangeLiteral(Codemod):
    """`timeout=10` becomes `timeout=30`; a string may also change in part."""

    kind: ClassVar[str] = "change_literal"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_returned`, `_defaults`, `_amounts`, `_settings`, `_separators`, `_literals` and `_codes`."""
        words = request.instruction
        found = plain_returned(before, words) or plain_defaults(before, words) or plain_amounts(before, words)
        found = found or plain_settings(before, request)
        found = found or plain_separators(before, words)
        return found or ([] if request.selected else plain_literals(before, words) or plain_codes(before, words))

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Every literal that may be meant with every value, text or word that is said for it."""
        yield from (between(before, lines) for lines in same_values(before, request))
        found = [] if _BY_ONE.search(request.instruction.lower()) else list(literals(before))
        if request.selected:
            first, last = request.selected
            found = [one for one in found if first <= one.start[0] <= last]
        told = _pairs(found, request.instruction)
        for one in _narrowed(found, request.instruction):
            for source in dict.fromkeys(_new(one, told, request.instruction, quote_of(before))):
                if source[0] not in "'\"" and before.lines[one.end[0]].startswith(".", one.end[1]):
                    continue
                after = splice(before.lines, one.start, one.end, source)
                if len(after[one.start[0]]) <= max(MAX_WIDTH, len(before.lines[one.start[0]])):
                    yield between(before, after)
        yield from text_edits(before, request, VALUES)
        yield from _unprefixed(before, request)


def _unprefixed(before: Snippet, request: Request) -> Iterator[Ops]:
    """Pieces of f-strings that have no field, without the f, where the words speak of that."""
    for one in texts(before) if _NO_F.search(request.instruction) else ():
        if one.formatted and not one.fields and not re.search(r"[{}]", one.content):
            at, line = one.start - 1 - len(one.prefix), before.lines[one.row]
            bare = line[:at] + re.sub("(?i)f", "", line[at : one.start - 1]) + line[one.start - 1 :]
            yield between(before, [*before.lines[: one.row], bare, *before.lines[one.row + 1 :]])


def literals(snippet: Snippet) -> Iterator[Literal]:
    """Every simple literal, but docstrings and what is within f-strings."""
    waiting: list[tuple[ast.AST, str, str]] = [(snippet.tree, "", "")]
    while waiting:
        node, name, call = waiting.pop(0)
        if isinstance(node, ast.JoinedStr):
            continue
        if _is_literal(node) and isinstance(node, ast.expr):
            source = text_of(snippet, node)
            if SIMPLE.fullmatch(source):
                yield Literal(start_of(snippet, node), end_of(snippet, node), source, name, call)
            continue
        if isinstance(node, ast.Dict):
            # A value goes by its key.
            keys = [
                key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else "" for key in node.keys
            ]
            waiting += [(key, "", "") for key in node.keys if key]
            waiting += [(value, key, "") for key, value in zip(keys, node.values, strict=True)]
            continue
        near, function = _near(node), getattr(node, "func", None)
        skipped = (function, *_skipped(node))
        children = [child for child in ast.iter_child_nodes(node) if child not in skipped]
        waiting += [(child, *near) for child in children] + ([(function, "", "")] if function else [])


def _skipped(node: ast.AST) -> Sequence[ast.AST | None]:
    """Docstrings, annotations, and what is compared by identity."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
        return node.comparators
    docstring = docstring_node(node) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) else None
    return docstring, getattr(node, "annotation", None), getattr(node, "returns", None)


def _is_literal(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, ast.Constant)


def _near(parent: ast.AST) -> tuple[str, str]:
    match parent:
        case (
            ast.keyword(arg=str(name))
            | ast.Assign(targets=[ast.Name(id=name)])
            | ast.AnnAssign(target=ast.Name(id=name))
        ):
            return name, ""
        case (
            ast.Assign(targets=[ast.Attribute(attr=name)])
            | ast.Compare(left=ast.Name(id=name) | ast.Attribute(attr=name))
        ):
            return name, ""
        case ast.AugAssign(target=ast.Name(id=name)):
            return name, ""
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return "", name
    return "", ""


def _narrowed(found: Sequence[Literal], instruction: str) -> Sequence[Literal]:
    """The literals that are said or whose names are; both where they are not the same; all where none is."""
    named = [one for one in found if said(instruction, one.name) or said(instruction, one.call)]
    olds = {old for old, _ in _pairs(found, instruction)}
    words = [span.text for span in spans(instruction) if _is_piece(span)]
    sure = [span.text for span in spans(instruction) if span.solid]
    for fits in (
        [one for one in found if one.source in olds or one.content in olds],
        [one for one in found if _said(one, instruction)],
        [one for one in found if one.is_text and any(_part(old, one.content) for old in sure)],
        [one for one in found if one.is_text and not named and any(_part(old, one.content) for old in words)],
    ):
        if fits:
            return [one for one in fits if one in named] or [*named, *fits]
    return named or [one for one in found if word_said(instruction, one.name)] or found


def _said(one: Literal, instruction: str) -> bool:
    if not one.is_text and one.source not in instruction:
        return False
    if not one.is_text:
        return bool(re.search(rf"(?<![\w.]){re.escape(one.source)}(?!\w|\.\w)", instruction))
    return said(instruction, one.source) or (len(one.content) > 1 and _part(one.content, instruction))


def _pairs(found: Iterable[Literal], instruction: str) -> tuple[tuple[str, str], ...]:
    """What is to become what; the names that tell where are neither."""
    beside = {name for one in found for name in (one.name, one.call, f"{one.call}()")}
    beside -= {one.content for one in found}
    return pairs(instruction, lambda span: span.solid and span.text not in beside)


def _part(piece: str, text: str) -> bool:
    return bool(piece) and piece in text and bool(re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", text))


def _new(one: Literal, told: Sequence[tuple[str, str]], instruction: str, quote: str) -> Iterator[str]:
    """The sources that a literal may become."""
    mark = one.source[0] if one.is_text else quote
    some = [value for value in values(instruction, mark) if SIMPLE.fullmatch(value)]
    if one.is_text:
        told_texts = [span.text for span in spans(instruction) if span.mark and not iskeyword(span.text)]
        some += [literal(text, mark) for text in told_texts if text[:1] not in "'\""]
        if _NUMBER.fullmatch(one.content):
            some = [mark + value + mark if _NUMBER.fullmatch(value) else value for value in some]
    else:
        some += [
            f"{int(number):_}" if "_" in one.source and "." not in number else number
            for number in unit_numbers(instruction)
        ]
    fit = [value for value in some if value != one.source and _content(value) not in (one.name, one.call)]
    paired = {new for old, new in told if old in (one.source, one.content)}
    sure = [value for value in fit if value in paired or _content(value) in paired]
    within = any(_part(old, one.content) for old, _ in told if old != one.content)
    if sure or not within or _said(one, instruction):
        yield from sorted(sure or fit, key=lambda value: (value[0] in "'\"") != one.is_text)
    if one.is_text:
        if not sure and _said(one, instruction):
            yield from _tails(one, instruction, mark)
        yield from _reworded(one, told, instruction, mark)


def _content(source: str) -> str:
    return source[1:-1] if source[0] in "'\"" else source


def _tails(one: Literal, instruction: str, mark: str) -> Iterator[str]:
    """What is said last, without quotes, as the new text."""
    behind = instruction.find(one.content) + len(one.content)
    for tail in _TAIL.finditer(instruction, behind):
        text = tail[1]
        if text.strip() and not re.search(r"[`'\"]", text):
            yield literal(text, mark)


def _reworded(one: Literal, told: Sequence[tuple[str, str]], instruction: str, mark: str) -> Iterator[str]:
    """The string with one of its words replaced by another one that is said."""
    words = [span for span in spans(instruction) if _is_piece(span)][:_MOST_WORDS]
    inside = [span.text for span in words if _part(span.text, one.content) and span.text != one.content]
    solid = [span.text for span in words if span.solid]
    sure = [pair for pair in told if pair[0] in inside]
    for old, new in sure or permutations(dict.fromkeys([*inside, *solid]), 2):
        parts = re.split(rf"(?<!\w){re.escape(old)}(?!\w)", one.content) if old in inside else [one.content]
        source = mark + new.join(parts) + mark
        if len(parts) > 1 and SIMPLE.fullmatch(source):
            yield source


def _is_piece(span: Span) -> bool:
    return span.solid or (span.text.isalpha() and len(span.text) > 2)
