"""Names imported as well, from elsewhere, or for type checkers only: changes of imports that name no whole line."""

import ast
import re
from collections.abc import Iterator, Sequence
from keyword import iskeyword

from spark_tui.editing import code
from spark_tui.editing.codemods.base import Request, applied
from spark_tui.editing.codemods.common.taking_out import without
from spark_tui.editing.codemods.imports.import_blocks import Import
from spark_tui.editing.codemods.imports.import_places import put_among, put_in
from spark_tui.editing.codemods.imports.usual_imports import is_module
from spark_tui.editing.snippet import Snippet

_NAME = r"[`'\"]?(?P<name>[^\W\d]\w*)[`'\"]?"
_TOO = (
    re.compile(rf"\b(?:also|plus|and) (?:import |need |add )?{_NAME}\W*(?:please\W*)?$"),
    re.compile(rf"(?:^|\bimport |\badd |\bneed ){_NAME},? (?:as well|too|also)\b"),
    re.compile(rf"^(?:please |pls )?(?:import|add) {_NAME}\W*$"),
    re.compile(rf"\b{_NAME} is (?:a NameError|undefined|not (?:defined|imported)|missing)"),
    re.compile(rf"(?:name |variable ){_NAME} is not defined|F821 [Uu]ndefined name {_NAME.replace('name', 'other')}"),
)
_PLACED = re.compile(rf"\b{_NAME} import,? (?:goes |belongs |is missing )?(?:above|below|before|after|at the top)\b")
_MODULE = re.compile(r"(?<![\w.])[`'\"]?([a-z_]\w*(?:\.[a-z_]\w*)*)[`'\"]?(?![\w(])")
_COMES = re.compile(
    r"\b(?:from|in|out of|lives?|moved|comes?|has|since|belongs?|deprecated|instead|of|import\w*|offers|provides"
    r"|UP035|minimum|stdlib|standard library)\b"
)
_CHECKING = re.compile(
    r"\bTYPE_CHECKING\b|\b(?:only|just|merely) (?:needed |used |here |there |it |be )*(?:for|in|by|as) (?:the )?"
    r"(?:annotat\w+|type|typing|hints?|mypy|pyright)|\btype[- ]check(?:ing|ers?)\b|\bTCH?00\d\b|\bcircular import"
)
_NEAR = 4
_MOST = 2


def import_moves(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The region after each change of its imports that the words may ask for."""
    imports = [one for one in before.nodes if isinstance(one, Import) and code.stands_alone(before, one)]
    first, last = request.selected or (0, len(before.lines))
    there = [one for one in imports if first <= one.lineno - 1 <= last] or imports
    if told := _PLACED.search(request.instruction):
        yield from filter(None, [_put(before, f"import {told['name']}")])
    yield from _as_well(before, there, request)
    yield from _from_elsewhere(before, imports, request.instruction)
    yield from _for_checking(before, there, request)


def _as_well(before: Snippet, imports: Sequence[Import], request: Request) -> Iterator[list[str]]:
    """One name more from a module that others come from: that which is selected, the only one, or one with its like."""
    found = [pattern.search(request.instruction) for pattern in _TOO]
    names = [one["name"] for one in found if one and one["name"] and not iskeyword(one["name"])]
    sources = [one for one in imports if isinstance(one, ast.ImportFrom) and one.module != "__future__"]
    known = {alias.asname or alias.name for one in imports for alias in one.names}
    for name in dict.fromkeys(names):
        near = [one for one in sources if any(_alike(name, alias.name) for alias in one.names) or one.module == name]
        only = sources if (len(sources) == 1 or request.selected) and not is_module(name) else []
        for node in (near or only)[:_MOST] if name not in known else ():
            line = f"from {'.' * node.level}{node.module or ''} import {name}"
            if ops := put_in(before, line):
                yield applied(before, ops)


def _alike(name: str, other: str) -> bool:
    """Whether two names begin or end alike."""
    return name[:_NEAR] == other[:_NEAR] or name[-_NEAR:] == other[-_NEAR:]


def _from_elsewhere(before: Snippet, imports: Sequence[Import], instruction: str) -> Iterator[list[str]]:
    """A name that is told along with another module than its own."""
    if not _COMES.search(instruction):
        return
    for node in imports:
        own = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        here = {getattr(one, "module", None) for one in imports}
        told = [
            one
            for one in _MODULE.findall(instruction)
            if one != own and (one in here or is_module(one.partition(".")[0]))
        ]
        named = [alias for alias in node.names if re.search(rf"(?<![\w.]){alias.name}(?![\w.])", instruction)]
        for module in dict.fromkeys(told) if named and own else ():
            if module not in {alias.name for alias in named}:
                yield from _moved(before, node, named, module)


def _moved(before: Snippet, node: Import, named: Sequence[ast.alias], module: str) -> Iterator[list[str]]:
    first, last = code.statement_lines(node)
    names = ", ".join(map(ast.unparse, named))
    rest = [alias for alias in node.names if alias not in named]
    margin = code.indentation(before.lines[first])
    new = f"from {module} import {names}"
    if not rest:
        put = _put(Snippet(tuple(_without_remark(before, node, names))), new)
        if put and module in {getattr(one, "module", None) for one in before.tree.body}:
            yield put
        yield [*before.lines[:first], margin + new, *before.lines[last + 1 :]]
        return
    if first != last or not isinstance(node, ast.ImportFrom):
        return
    left = f"from {'.' * node.level}{node.module} import {', '.join(map(ast.unparse, rest))}"
    lines = [*before.lines[:first], margin + left, *before.lines[last + 1 :]]
    if not margin and (put := _put(Snippet(tuple(lines)), new)):
        yield put
    yield [*lines[:first], *sorted([margin + new, margin + left]), *lines[first + 1 :]]


def _without_remark(before: Snippet, node: Import, names: str) -> list[str]:
    """The lines without an import, and without the comment above that speaks of what it brings."""
    first, last = code.statement_lines(node)
    above = before.lines[first - 1].strip() if first else ""
    first -= above.startswith("#") and any(name in above for name in names.split(", "))
    return without(before.lines, first, last)


def _put(rest: Snippet, line: str) -> list[str] | None:
    try:
        ops = put_in(rest, line) or put_among(rest, line)
    except SyntaxError:
        return None
    return applied(rest, ops) if ops else None


def _for_checking(before: Snippet, imports: Sequence[Import], request: Request) -> Iterator[list[str]]:
    """An import at the top that goes under `if TYPE_CHECKING:`, with that if need be."""
    words = request.instruction
    if not _CHECKING.search(words) or before.margin:
        return
    top = [one for one in imports if one in before.tree.body]
    named = [one for one in top if any(re.search(rf"(?<!\w){alias.name}(?!\w)", words) for alias in one.names)]
    for node in named or (top if request.selected else []):
        yield _checked(before, node)


def _checked(before: Snippet, node: Import) -> list[str]:
    first, last = code.statement_lines(node)
    moved = [before.layout.unit + line for line in before.lines[first : last + 1]]
    block = next((one for one in before.tree.body if isinstance(one, ast.If) and "TYPE_CHECKING" in _test(one)), None)
    if block:
        lines = [*before.lines[: block.body[0].lineno - 1], *moved, *before.lines[block.body[0].lineno - 1 :]]
        gone = first if node.lineno < block.lineno else first + len(moved)
        return without(lines, gone, gone + last - first)
    ends = [code.statement_lines(one)[1] for one in before.tree.body if isinstance(one, Import)]
    end = max(ends)
    head = ["if TYPE_CHECKING:", *moved]
    if end == last:
        lines = [*before.lines[:first], *head, *before.lines[last + 1 :]]
    else:
        lines = [*without(before.lines[: end + 1], first, last), "", *head, *before.lines[end + 1 :]]
    rest = Snippet(tuple(lines))
    return _put(rest, "from typing import TYPE_CHECKING") or lines


def _test(block: ast.If) -> str:
    return ast.unparse(block.test)
