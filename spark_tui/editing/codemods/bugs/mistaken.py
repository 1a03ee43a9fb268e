"""What the codemods for wrong tokens share: a fix is one stretch of source that reads otherwise."""

import ast
import keyword
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from spark_tui.editing.code import Position, docstring_node, end_of, start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.script import Replace
from spark_tui.editing.snippet import Snippet

_TOKEN = re.compile(
    r"""`([^`]+)`|(?<!\w)'([^'\n]*)'|"([^"\n]*)"|([^\W\d]\w*)|(-?\d[\w.]*\w|-?\d)|([-+*/%<>=!&|^~@]+)"""
)
_WORD = re.compile(r"[^\W\d]\w*")
_COMMON = frozenset(
    [
        "and",
        "or",
        "in",
        "is",
        "not",
        "if",
        "else",
        "a",
        "i",
        "it",
        "the",
        "this",
        "that",
        "to",
        "of",
        "for",
        "with",
        "no",
    ]
)
_SUGGESTION = re.compile(r"(?:[Dd]id you mean:?|; maybe) ['`\"]?([^\W\d]\w*)")
_NO_NAME = re.compile(
    r"""\w+(?:Error|Exception)\b|(?:class|module|type|[Ii]nstance\ of|no\ attribute)\ ['"][\w.]+['"]
    |['"]\w+['"]\ (?=object|has)""",
    re.VERBOSE,
)
_UNDEFINED = re.compile(
    r"""(?:name|(?:local|free|undefined)\ variable|unresolved\ reference)\ ['`"]([^\W\d]\w*)['`"](?!\ is\ assigned)
    |["']([^\W\d]\w*)["']\ is\ (?:not\ defined|undefined|unbound|possibly\ unbound)""",
    re.VERBOSE | re.IGNORECASE,
)
_NO_ATTRIBUTE = re.compile(
    r"""(?:no\ attribute|unknown\ attribute|no\ member|access\ (?:member|attribute))\ ['"`]([^\W\d]\w*)['"`]
    |has\ no\ ['"`]([^\W\d]\w*)['"`]\ member""",
    re.VERBOSE,
)


class Slip(NamedTuple):
    """The stretch from `start` to `end` becomes `text`. `words`: what speaks for this one when it is said."""

    start: Position
    end: Position
    text: str
    words: tuple[str, ...] = ()


def edits_of(before: Snippet, request: Request, slips: Iterable[Slip]) -> Iterator[Ops]:
    """The slips as edits: those in a function that is named, and those that more of the words speak for, come first."""
    if request.selected:
        first, last = request.selected
        slips = (slip for slip in slips if slip.start[0] <= last and first <= slip.end[0])
    told = told_words(request.instruction)
    if told:
        named = _named_rows(before, told)
        slips = sorted(slips, key=lambda slip: -_score(slip, told, named))
    for slip in slips:
        yield ops_of(before, slip)


def ops_of(before: Snippet, slip: Slip) -> Ops:
    """The edit that a slip is."""
    (first, left), (last, right) = slip.start, slip.end
    text = before.lines[first][:left] + slip.text + before.lines[last][right:]
    return (Replace(first, last, tuple(text.split("\n"))),)


def source_of(before: Snippet, slip: Slip) -> str:
    """What stands where a slip changes something; the rest of the first line when that is not all."""
    (first, left), (last, right) = slip.start, slip.end
    return before.lines[first][left : right if first == last else None]


def _score(slip: Slip, told: frozenset[str], named: frozenset[int]) -> int:
    return 2 * sum(word in told for word in slip.words) + (slip.start[0] in named)


def _named_rows(before: Snippet, told: frozenset[str]) -> frozenset[int]:
    functions = (one for one in before.functions if one.name in told)
    return frozenset(row for one in functions for row in range(one.lineno - 1, one.end_lineno or one.lineno))


@lru_cache(64)
def told_words(instruction: str) -> frozenset[str]:
    """The names, numbers, operators and quoted texts in an instruction, without the commonest words of English."""
    found: set[str] = set()
    for token in _TOKEN.finditer(instruction):
        quoted = token[1] or token[2] or token[3]
        if quoted or token[0] not in _COMMON:
            found.add(quoted or token[0])
        found.update(_WORD.findall(quoted or ""))
    return frozenset(found)


@lru_cache(64)
def told_names(instruction: str) -> tuple[str, ...]:
    """The words of an instruction that cannot but be identifiers: quoted, or with an underscore or inner capitals.

    What error messages hold besides is left out: the error's own name, and those of classes and modules.
    """
    found: dict[str, None] = {}
    for token in _TOKEN.finditer(_NO_NAME.sub(" ", instruction)):
        quoted = token[1] or token[2] or token[3] or ""
        if quoted and re.fullmatch(r"[\w.]+(\(\))?", quoted):
            found.update(dict.fromkeys(_WORD.findall(quoted)))
        word = token[4] or ""
        if "_" in word.strip("_") or re.search(r"[a-z\d][A-Z]", word):
            found[word] = None
    return tuple(one for one in found if not keyword.iskeyword(one))


def suggested(message: str) -> str:
    """The name after "Did you mean", or ""."""
    found = _SUGGESTION.search(message)
    return found[1] if found else ""


def undefined(message: str) -> str:
    """The name that a message calls undefined, or ""."""
    found = _UNDEFINED.search(message)
    return (found[1] or found[2]) if found else ""


def no_attribute(message: str) -> str:
    """The attribute that a message says there is none of, or ""."""
    found = _NO_ATTRIBUTE.search(message)
    return (found[1] or found[2]) if found else ""


def operator_between(before: Snippet, left: ast.expr, right: ast.expr, symbol: str) -> tuple[Position, Position] | None:
    """Where the operator between two operands stands, or None when it is not on the line where the left one ends."""
    (row, start), (other, end) = end_of(before, left), start_of(before, right)
    line = before.lines[row]
    between = line[start : end if row == other else len(line)].partition("#")[0]
    words = symbol.split()
    pattern = r"\s+".join(map(re.escape, words))
    pattern = rf"\b{pattern}\b" if words[0].isalpha() else pattern
    found = list(re.finditer(pattern, between))
    if len(found) != 1:
        return None
    return (row, start + found[0].start()), (row, start + found[0].end())


def attribute_place(before: Snippet, node: ast.Attribute) -> tuple[Position, Position] | None:
    """Where the attribute's own name stands."""
    if (node.end_lineno or 0) > len(before.lines):
        return None
    row, end = end_of(before, node)
    start = end - len(node.attr)
    return ((row, start), (row, end)) if before.lines[row][start - 1 : end] == f".{node.attr}" else None


def name_place(before: Snippet, node: ast.Name) -> tuple[Position, Position] | None:
    """Where a name stands; None within strings where Python cannot tell."""
    if node.lineno > len(before.lines) or text_of(before, node) != node.id:
        return None
    return start_of(before, node), end_of(before, node)


def plain_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node in source order (nearly), but nothing in annotations and f-strings, and no docstrings."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.JoinedStr):
            continue
        skipped: list[ast.AST | None] = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            skipped.append(docstring_node(node))
        children = [child for child in ast.iter_child_nodes(node) if not any(child is one for one in skipped)]
        waiting.extend(reversed(children))
