"""Debug prints and breakpoints taken out."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.tidy import Spot, blocks, choices, taken_out
from spark_tui.editing.snippet import Snippet

PRINTS = ("print", "pprint", "pp", "pprint.pprint", "pprint.pp", "ic", "rich.print", "rprint")
BREAKPOINTS = (
    "breakpoint", "pdb.set_trace", "ipdb.set_trace", "pudb.set_trace", "set_trace", "IPython.embed", "embed",
    "debugpy.breakpoint", "pdb.post_mortem", "code.interact", "pdb.Pdb", "wdb.set_trace",
)  # fmt: skip
_DEBUGGERS = ("pdb", "ipdb", "pudb", "wdb", "debugpy")
_TELLS_BREAKPOINT = re.compile(
    r"\b(breakpoints?|break points?|i?pdb|pudb|set_trace|debugger|embed|T100|W1515)\b", re.IGNORECASE
)
_TELLS_PRINT = re.compile(r"\b(p?prints?|print(ing|ed)|T20[13])\b", re.IGNORECASE)


class RemovePrints(Codemod):
    """Calls that only print, and those that stop in a debugger, go with their lines."""

    kind: ClassVar[str] = "remove_prints"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """All, those of a sort or a function, each alone. A block keeps a `pass`; an `if` with nothing left goes."""
        return choices(before, meant(before, spots(before), request.instruction), request)


def meant(before: Snippet, found: Sequence[Spot], instruction: str) -> Sequence[Spot]:
    """Those whose source is in the instruction, else those of the sort it names, else all."""
    squeezed = re.sub(r"[\s`]+", "", instruction)
    told = [one for one in found if not (text := _source(before, one)).endswith("()") and text in squeezed]
    if told:
        return told
    sorts = [
        sort
        for sort, pattern in (("print", _TELLS_PRINT), ("breakpoint", _TELLS_BREAKPOINT))
        if pattern.search(instruction)
    ]
    return [one for one in found if one.sort in sorts] or found


def _source(before: Snippet, spot: Spot) -> str:
    first, last = spot.rows
    return re.sub(r"\s+", "", "".join(before.lines[first : last + 1]))


def spots(before: Snippet) -> list[Spot]:
    """Every print and breakpoint that has its lines to itself, in source order."""
    found = [spot for parent, block in blocks(before.tree) for spot in _in_block(before, parent, block)]
    return sorted(found, key=lambda one: one.rows)


def _in_block(before: Snippet, parent: ast.AST, block: list[ast.stmt]) -> Iterator[Spot]:
    sorts = [sort_of(node) for node in block]
    runs = list(_runs(before, block, sorts))
    whole = bool(runs) and all(sorts)
    if whole and _pointless_without_body(parent):
        return
    for first, last, sort in runs:
        held = whole and (first, last, sort) == runs[0]
        spot = taken_out(before, first, last, sort, f"{indentation(before.lines[first])}pass" if held else "")
        if spot:
            yield spot
    for node in block:
        if _pointless_without_body(node) and isinstance(node, ast.If) and stands_alone(before, node):
            kinds = [sort_of(inner) for inner in node.body]
            first, last = statement_lines(node)
            if all(kinds) and not before.lines[first].lstrip().startswith("elif"):
                alone = f"{indentation(before.lines[first])}pass" if len(block) == 1 else ""
                if spot := taken_out(before, first, last, kinds[0], alone):
                    yield spot


def _runs(before: Snippet, block: list[ast.stmt], sorts: list[str]) -> Iterator[tuple[int, int, str]]:
    """The lines of each print; statements that share a line only together."""
    for index, (node, sort) in enumerate(zip(block, sorts, strict=True)):
        first, last = statement_lines(node)
        if not sort or (index and statement_lines(block[index - 1])[1] == first):
            continue
        until = index
        while until + 1 < len(block) and statement_lines(block[until + 1])[0] == last:
            until, last = until + 1, statement_lines(block[until + 1])[1]
        if all(sorts[index : until + 1]) and stands_alone(before, block[until]) | (until > index):
            starts = indentation(before.lines[first]) == before.lines[first][: len(before.margin) + node.col_offset]
            if starts:
                yield first, last, sort


def _pointless_without_body(node: ast.AST) -> bool:
    """Whether it is an `if` without else whose test does nothing but look."""
    if not isinstance(node, ast.If) or node.orelse or not all(map(sort_of, node.body)):
        return False
    return not any(isinstance(part, ast.Call | ast.Await | ast.NamedExpr | ast.Yield) for part in ast.walk(node.test))


def sort_of(node: ast.stmt) -> str:
    """`print`, `breakpoint` or "" for any other statement."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name() | ast.Attribute() as func)):
            name = ast.unparse(func)
            return "print" if name in PRINTS else "breakpoint" if name in BREAKPOINTS else ""
        case ast.Import(names=[ast.alias(name=name, asname=None)]) if name in _DEBUGGERS:
            return "breakpoint"
    return ""
