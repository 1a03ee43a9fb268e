"""Statements move into a function of their own, above the one they are in.

What may be meant: the lines selected; without a selection any loop, `if`, `try` or `with` as a whole, or its body. In a
method the new function is a method too. Its parameters are the names that the statements read, it returns those that
they set and that are used later. Left out is what leaves the statements: return, yield, break of a loop around them.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Codemod, Ops, Request, applied, between
from spark_tui.editing.codemods.rewording.other_forms import defined
from spark_tui.editing.extraction import Interface, Run, interface_of, runs
from spark_tui.editing.script import Insert, Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import movable
from spark_tui.editing.told import names_told, names_used

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BLOCKS = (*_LOOPS, ast.If, ast.With, ast.AsyncWith, ast.Try)
_SEEING = ("locals", "vars", "eval", "exec", "__class__")
_SORTS: dict[str, tuple[type[ast.stmt], ...]] = {
    r"\bloop|\biterat": _LOOPS, r"\btry\b.{0,8}(block|except|statement)": (ast.Try,),
    r"\bwith (block|statement)|context manager": (ast.With, ast.AsyncWith),
    r"\bif (block|statement|branch)|\bif/else|\bcondition": (ast.If,),
}  # fmt: skip


class ExtractFunction(Codemod):
    """`for x in y: ...` becomes `add_up(y)`, with `def add_up(y): for x in y: ...` above."""

    kind: ClassVar[str] = "extract_function"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """What is selected, else every block, those of the sort that is told first."""
        yield from (between(before, lines) for lines in defined(before, request))
        used = names_used(before) | {node.attr for node in before.nodes if isinstance(node, ast.Attribute)}
        for run in meant(before, request):
            names = names_told(request.instruction, used, ["helper" if run.owner is None else "_helper"])
            for name in names:
                ops = extracted(before, run, name)
                if ops:
                    yield ops

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """No run of statements that ends where the change ends makes this."""
        same = 0
        while same < min(len(before.lines), len(after)) and before.lines[-1 - same] == after[-1 - same]:
            same += 1
        made = re.findall(r"^\s*(?:async )?def (\w+)\(", "\n".join(after), re.MULTILINE)
        for name in dict.fromkeys(made):
            if name in request.instruction or name in ("helper", "_helper"):
                for run in runs(before):
                    ops = extracted(before, run, name) if run.lines[1] == len(before.lines) - same - 1 else None
                    if ops and applied(before, ops) == list(after):
                        return ""
        return "this does not move statements into a function"


def meant(snippet: Snippet, request: Request) -> list[Run]:
    """The runs that a request may mean."""
    found = list(runs(snippet))
    if request.selected:
        exact = [run for run in found if _is_selected(snippet, run, request.selected)]
        return exact or [run for run in found if _is_nearly(run, request.selected)]
    blocks = [run for run in found if run.header is not None or isinstance(run.statements[0], _BLOCKS)]
    blocks = [run for run in blocks if run.header is not None or len(run.statements) == 1]
    blocks = [run for run in blocks if run.lines[1] > run.lines[0]]
    for words, sorts in _SORTS.items():
        told = [run for run in blocks if isinstance(run.header or run.statements[0], sorts)]
        if told and re.search(words, request.instruction, re.IGNORECASE):
            return told
    return blocks


def _is_nearly(run: Run, selected: tuple[int, int]) -> bool:
    """Whether the lines selected are those of the run and at most one more or less at either end."""
    return all(abs(one - other) <= 1 for one, other in zip(run.lines, selected, strict=True))


def _is_selected(snippet: Snippet, run: Run, selected: tuple[int, int]) -> bool:
    """Whether the lines selected are those of the run, blank lines and comments aside, or just its only header."""
    first, last = run.lines
    rows = [row for row in range(selected[0], selected[1] + 1) if row < len(snippet.lines)]
    filled = [row for row in rows if snippet.lines[row].strip() and not snippet.lines[row].lstrip().startswith("#")]
    if not filled:
        return False
    header = filled[0] == filled[-1] == first and len(run.statements) == 1 and isinstance(run.statements[0], _BLOCKS)
    return header or (filled[0] == first and filled[-1] == last)


def extracted(snippet: Snippet, run: Run, name: str) -> Ops | None:
    """The edit that moves the statements into a function of that name, or None where that is not sound."""
    first, last = run.lines
    indent = indentation(snippet.lines[first])
    alone = stands_alone(snippet, run.statements[0]) and stands_alone(snippet, run.statements[-1])
    elif_branch = snippet.lines[first].lstrip().startswith("elif")
    interface = interface_of(run) if alone and not elif_branch else None
    if interface is None:
        return None
    outer = indentation(snippet.lines[run.function.lineno - 1])
    inner = outer + snippet.layout.unit
    lines = snippet.lines[first : last + 1]
    if inner != indent and not all(map(movable, run.statements)):
        return None
    if not all(line.startswith(indent) for line in lines if line.strip()):
        return None
    body = [inner + line[len(indent) :] if line.strip() else "" for line in lines]
    new = [*_head(interface, outer, name), *body]
    if interface.returns:
        new.append(f"{inner}return {', '.join(interface.returns)}")
    call = indent + _call(interface, name)
    if max(map(len, [call, *new])) > MAX_WIDTH:
        return None
    row = statement_lines(run.function)[0]
    while row and snippet.lines[row - 1].startswith(f"{outer}#"):
        row -= 1
    return Insert(row - 1, (*new, *([""] if outer else ["", ""]))), Replace(first, last, (call,))


def _head(interface: Interface, outer: str, name: str) -> list[str]:
    given = [*([interface.receiver] if interface.receiver else []), *interface.parameters]
    word = "async def" if interface.is_async else "def"
    decorator = [f"{outer}@classmethod"] if interface.receiver == "cls" else []
    return [*decorator, f"{outer}{word} {name}({', '.join(given)}):"]


def _call(interface: Interface, name: str) -> str:
    owner = f"{interface.receiver}." if interface.receiver else ""
    call = f"{owner}{name}({', '.join(interface.parameters)})"
    call = f"await {call}" if interface.is_async else call
    return f"{', '.join(interface.returns)} = {call}" if interface.returns else call
