"""Kinds that change places of one sort: a place alone, those of one function or name, or all of them."""

import ast
import keyword
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, Function, Position, end_of, indentation, splice, start_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.snippet import Snippet

Change = tuple[Position, Position, str]
_MOST = 40
_PLURAL = re.compile(r"\b(?:all|every|everywhere|each|any|both|these|those|throughout|s)\b|\w\ws\b")
_QUOTED = re.compile(r"`([^`]+)`|(?<!\w)'([^']+)'(?!\w)|\"([^\"]+)\"")
_CODELIKE = re.compile(r"[\w.]*(?:\w_\w|[a-z][A-Z]|\w\.\w)[\w.]*(?:\[[^\s]*\])?|[\w.]+(?=\(\))")
_NOUNS = r"(?:items?|values?|elements?|variable|var|names?|entry|exception|error|file|handle|one)"
_NAMING = re.compile(
    rf"\b(?:(?:calling|call|name|naming)\s+(?:(?:it|them|that|this|each|the)\s+(?:{_NOUNS}\s+)*|{_NOUNS}\s+)"
    rf"|(?:called|named)\s+(?:(?:the\s+)?{_NOUNS}\s+)*)[`'\"]?([A-Za-z_]\w*)"
    r"|\b([A-Za-z_]\w*)[`'\"]? as (?:the|a|its?)\b",
    re.IGNORECASE,
)
_NO_NAMES = re.compile(
    r"well|it|the|self|please|part|variable|that|this|then|of|also|instead|items|values|keys|zip|enumerate|should|must"
    r"|could|can|may|shall|will|would|has|needs|ought|had"
)


@dataclass(frozen=True, slots=True)
class Occasion:
    """A place and its changes. `line`: 0-based, where it is; `names`: what it may be told by.

    Only places of one `variant` are changed together.
    """

    line: int
    changes: tuple[Change, ...]
    names: tuple[str, ...] = ()
    variant: str = ""

    def touches(self, first: int, last: int) -> bool:
        """Whether any of it is in these lines."""
        return first <= self.line <= last or any(first <= end[0] and start[0] <= last for start, end, _ in self.changes)


class Places(Codemod):
    """A codemod of such a kind; it sees to the selection itself, as a place may begin before its first change."""

    local: ClassVar[bool] = False

    @abstractmethod
    def occasions(self, before: Snippet, request: Request) -> Iterable[Occasion]:
        """Every place and way to change it, the likeliest first."""

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Each place alone, those of a function or name, those selected, all of them."""
        found = tuple(self.occasions(before, request))
        for group in _groups(before, _narrowed(before, found, request), request):
            after = rewritten(before, group)
            if after is not None:
                yield between(before, after)


def rewritten(before: Snippet, group: Iterable[Occasion]) -> list[str] | None:
    """The lines after the places are changed, or None: they overlap or a line gets too long."""
    changes = sorted(dict.fromkeys(change for one in group for change in one.changes), key=lambda c: (c[0], c[1]))
    if any(one[1] > two[0] or one[:2] == two[:2] for one, two in pairwise(changes)):
        return None
    after: Sequence[str] = before.lines
    for start, end, text in reversed(changes):
        if _breaks_alignment(before, end):
            return None
        after = splice(after, start, end, text)
    old = set(before.lines)
    limit = max(
        [MAX_WIDTH, *(len(before.lines[start[0]]) + len(text) for start, _, text in changes if _long(before, start))]
    )
    return None if any(len(line) > limit for line in after if line not in old) else list(after)


def _long(before: Snippet, place: Position) -> bool:
    """Whether a line was too long before."""
    return len(before.lines[place[0]]) > MAX_WIDTH


def _breaks_alignment(before: Snippet, end: Position) -> bool:
    """Whether the next line is aligned with a bracket after this position."""
    tail = before.lines[end[0]][end[1] :].rstrip()
    opened = sum(map(tail.count, "([{")) > sum(map(tail.count, ")]}"))
    return opened and tail[-1] not in "([{"


def new_names(before: Snippet, request: Request) -> list[str]:
    """The names the words give to something new: identifiers that the region does not know."""
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(request.instruction)]
    told = [*quoted, *(next(filter(None, groups)) for groups in _NAMING.findall(request.instruction))]
    known = names_of(before.tree)
    return [name for name in dict.fromkeys(told) if name.isidentifier() and name not in known and fit_name(name)]


def fit_name(name: str) -> bool:
    """Whether a word may be a variable."""
    return name.isidentifier() and not keyword.iskeyword(name) and not _NO_NAMES.fullmatch(name)


def names_of(tree: ast.AST) -> set[str]:
    """Every name that the code binds or uses."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)):
                found.add(name)
    return found


def function_at(before: Snippet, line: int) -> Function | None:
    """The innermost function around a 0-based line."""
    around = [one for one in before.functions if one.lineno - 1 <= line < (one.end_lineno or 0)]
    return around[-1] if around else None


def scope_at(before: Snippet, line: int) -> Function | ast.Module:
    """The innermost function around a 0-based line, else the whole region."""
    return function_at(before, line) or before.tree


def gone(before: Snippet, first: int, last: int) -> Change:
    """The change that deletes whole lines; never the region's first."""
    return (first - 1, len(before.lines[first - 1])), (last, len(before.lines[last])), ""


def inserted(before: Snippet, after: int, lines: Iterable[str]) -> Change:
    """The change that adds lines after a 0-based line."""
    at = (after, len(before.lines[after]))
    return at, at, "".join("\n" + line for line in lines)


def replaced(before: Snippet, node: ast.expr | ast.stmt, text: str) -> Change:
    """The change of a node's source."""
    return start_of(before, node), end_of(before, node), text


def shifted(before: Snippet, first: int, last: int) -> list[Change]:
    """The changes that move lines one level to the right."""
    unit = before.layout.unit
    return [((at, 0), (at, 0), unit) for at in range(first, last + 1) if before.lines[at].strip()]


def solid(node: ast.AST) -> bool:
    """Whether no string in it goes over several lines, so that its lines can be moved sideways."""
    return not any(
        isinstance(part, ast.JoinedStr | ast.Constant) and part.lineno != part.end_lineno for part in ast.walk(node)
    )


def bare_line(before: Snippet, statement: ast.stmt) -> bool:
    """Whether a statement has one line to itself, without a comment."""
    line = before.lines[statement.lineno - 1]
    start, end = start_of(before, statement), end_of(before, statement)
    return start[0] == end[0] and len(indentation(line)) == start[1] and not line[end[1] :].strip()


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield block


def mentioned(word: str, instruction: str) -> bool:
    """Whether an instruction holds a word or a piece of code."""
    return word in instruction and re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", instruction) is not None


def _narrowed(before: Snippet, found: tuple[Occasion, ...], request: Request) -> tuple[Occasion, ...]:
    """Only the places told by code, and those selected, where there are such."""
    if request.selected:
        found = tuple(one for one in found if one.touches(*request.selected))
    if not request.instruction:
        return found
    words = request.instruction
    literal = {name for one in found for name in one.names if not name.isidentifier() and name in words}
    if longest := max(sorted(literal), key=len, default=""):
        found = tuple(one for one in found if longest in one.names)
    told = {next(filter(None, groups)).removesuffix("()") for groups in _QUOTED.findall(request.instruction)}
    told |= set(_CODELIKE.findall(request.instruction))
    for word in sorted(told):
        found = tuple(one for one in found if word in _known_by(before, one)) or found
    return found


def _known_by(before: Snippet, one: Occasion) -> set[str]:
    return {*one.names, *(f.name for f in before.functions if f.lineno - 1 <= one.line < (f.end_lineno or 0))}


def _groups(before: Snippet, found: tuple[Occasion, ...], request: Request) -> list[tuple[Occasion, ...]]:
    words = request.instruction
    singles = [(one,) for one in found[:_MOST]]
    known = {one: sum(mentioned(name, words) for name in _known_by(before, one)) for one in found} if words else {}
    singles.sort(key=lambda group: -known.get(group[0], 0))
    several = [
        group for variant in dict.fromkeys(o.variant for o in found) for group in _several(before, found, variant)
    ]
    first = not words or _PLURAL.search(words) is not None
    return [group for group in dict.fromkeys([*several, *singles] if first else [*singles, *several]) if group]


def _several(before: Snippet, found: tuple[Occasion, ...], variant: str) -> Iterator[tuple[Occasion, ...]]:
    """All of them, by function, and by name."""
    alike = tuple(one for one in found if one.variant == variant)
    yield alike
    for function in before.functions:
        yield tuple(one for one in alike if function.lineno - 1 <= one.line < (function.end_lineno or 0))
    for name in sorted({name for one in alike for name in one.names}):
        yield tuple(one for one in alike if name in one.names)
