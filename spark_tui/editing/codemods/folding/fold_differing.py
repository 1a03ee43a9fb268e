"""What neighbouring statements differ in, and names for it: shared by the rules that say the rest once."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from spark_tui.editing.code import end_of, splice, start_of
from spark_tui.editing.codemods.folding.fold_sources import last_row
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.told import names_told, names_used

Pair = tuple[ast.expr, ast.expr]
_MOST_NAMES = 4
_WORD = re.compile(r"[^\W\d_]{4,}s\b")


def differing(one: ast.AST, other: ast.AST) -> list[Pair] | None:
    """The smallest expressions that two statements differ in; None where more than expressions differ."""
    found: list[Pair] = []
    if type(one) is type(other):
        inner = _fields(one, other)
        if inner is not None and (len(inner) <= 1 or _alike(inner) or not isinstance(one, ast.expr)):
            return inner
    if isinstance(one, ast.expr) and isinstance(other, ast.expr):
        found.append((one, other))
        return found
    return None


def _fields(one: ast.AST, other: ast.AST) -> list[Pair] | None:
    found: list[Pair] = []
    for name in one._fields:
        a, b = getattr(one, name, None), getattr(other, name, None)
        rows = zip(a, b, strict=False) if isinstance(a, list) and isinstance(b, list) else [(a, b)]
        if isinstance(a, list) and isinstance(b, list) and len(a) != len(b):
            return None
        for left, right in rows:
            if isinstance(left, ast.AST) and isinstance(right, ast.AST):
                inner = differing(left, right)
                if inner is None:
                    return None
                found += inner
            elif left != right:
                return None
    return found


def _alike(pairs: list[Pair]) -> bool:
    """Whether all pairs are of the same two expressions."""
    return len({(ast.dump(one), ast.dump(other)) for one, other in pairs}) == 1


def single(one: ast.AST, other: ast.AST) -> list[Pair]:
    """The places of the one expression that two statements differ in; none where they differ in more."""
    pairs = differing(one, other) or []
    return pairs if pairs and _alike(pairs) and all(isinstance(part[0], ast.expr) for part in pairs) else []


def with_text(before: Snippet, node: ast.stmt, places: list[ast.expr], text: str, indent: str) -> list[str]:
    """The lines of a statement with expressions replaced, without an indentation."""
    lines = list(before.lines)
    count = len(lines)
    for one in sorted(places, key=lambda part: start_of(before, part), reverse=True):
        lines = splice(lines, start_of(before, one), end_of(before, one), text)
    end = last_row(node) + 1 - (count - len(lines))
    return [line.removeprefix(indent) for line in lines[node.lineno - 1 : end]]


def names_for(before: Snippet, words: str, values: list[ast.expr], statement: ast.stmt) -> list[str]:
    """Names for something that has one of the values: those told, what the values' names share, what they are for."""
    used = names_used(before)
    found = [*_keyword(statement, values[0]), *_shared(values), *_singular(words), *names_told(words, used)]
    return [one for one in dict.fromkeys(found) if one.isidentifier() and one not in used][:_MOST_NAMES]


def _keyword(statement: ast.stmt, value: ast.expr) -> Iterator[str]:
    for node in ast.walk(statement):
        match node:
            case ast.keyword(arg=str(name), value=given) if given is value:
                yield name


def _shared(values: list[ast.expr]) -> Iterator[str]:
    """What all the last names of some expressions begin or end with."""
    names = [ast.unparse(one).partition("(")[0].rpartition(".")[2].strip("'\"") for one in values]
    if all(name.isidentifier() for name in names):
        parts = [name.strip("_").lower().split("_") for name in names]
        first, last = _beginning(parts), _beginning([part[::-1] for part in parts])[::-1]
        yield from ("_".join(part) for part in (first, last) if part)
        start = "".join(_beginning(names)).strip("_").lower()
        if not (first or last) and len(start) > 2:
            yield start


def _beginning(rows: Sequence[Sequence[str]]) -> list[str]:
    """What all the rows begin with."""
    same = takewhile(lambda signs: len(set(signs)) == 1, zip(*rows, strict=False))
    return [signs[0] for signs in same]


def _singular(words: str) -> Iterator[str]:
    """The things that the words speak of in the plural, as one."""
    for match in _WORD.finditer(words):
        yield match[0].lower().removesuffix("s")
