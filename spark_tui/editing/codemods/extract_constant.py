"""A literal gets a name in capitals, above the code that uses it.

Where the constant goes, unless the words say "class", "local" or "module":
- in a region that begins with imports or constants, after them;
- else right above the function or class that uses it first, with two blank lines between;
- above a method that is a region by itself, as an attribute of its class, used as `self.NAME`.
A class constant goes below its class's docstring and fields; a local one to the top of its function. Every use of
the same value gets the name; with lines selected, also only those that are in them.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, Function, docstring_node, indentation, start_of, statement_lines
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.literals import Literal, literals
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import spliced, top_of
from spark_tui.editing.told import longest, names_told, names_used, says

_CLASS = re.compile(
    r"\bclass[- ](level|attribute|constant|variable|member|wide)|\b(in|on|of|to|into|inside) the class\b"
)
_LOCAL = re.compile(
    r"\blocal\b|\b(top|start|beginning) of (?!.*\b(file|module|class)\b)"
    r"|\b(within|inside) (the )?(function|method)\b|\bfirst line of (the )?(function|method|body)\b"
)
_MODULE = re.compile(r"\bmodule\b|\bglobal\b|\bfile\b|\b(outside|above|out) (of )?(the |this )?(function|class)")
_PLACES = ("module", "class constant", "local")
_DULL = ("0", "1", "-1", "2", "''", '""', "' '", '" "')


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a constant goes: `above` and `below` are blank lines around it. `prefix` comes before its uses."""

    after: int
    indent: str
    above: int = 0
    below: int = 0
    prefix: str = ""
    local: bool = False


class ExtractConstant(Codemod):
    """`sleep(30)` becomes `sleep(DELAY)`, with `DELAY = 30` above."""

    kind: ClassVar[str] = "extract_constant"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Literals that are told come alone; names are those told, else the name that the value goes to."""
        taken = names_used(before)
        for uses in meant(before, request):
            hint = uses[0].around.hint.upper()
            names = names_told(request.instruction.replace(uses[0].source, " "), (), [hint] if hint else [])
            for spot in spots(before, uses, request.instruction):
                for name in dict.fromkeys(name if spot.local else name.upper() for name in names):
                    after = with_constant(before, uses, name, spot) if name not in taken else None
                    if after:
                        yield between(before, after)

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It is none of the edits, in whatever place."""
        told = (replace(request, instruction=f"{place}: {request.instruction}") for place in _PLACES)
        return min((super(ExtractConstant, self).objection(before, after, one) for one in told), key=len)


def meant(snippet: Snippet, request: Request) -> Iterator[list[Literal]]:
    """The uses of each value that a request may mean."""
    found = sorted(literals(snippet), key=lambda one: one.key)
    groups = [list(group) for _, group in groupby(found, key=lambda one: one.key)]
    groups.sort(key=lambda group: (group[0].node.lineno, group[0].node.col_offset))
    said = longest({group[0].source for group in groups if _told(request.instruction, group[0])})
    for group in groups:
        dull = group[0].source in _DULL
        if group[0].source in said or (not said and not dull):
            yield group
            if request.selected:
                first, last = request.selected
                chosen = [one for one in group if first <= one.node.lineno - 1 <= last]
                if 0 < len(chosen) < len(group):
                    yield chosen


def _told(instruction: str, literal: Literal) -> bool:
    match literal.node:
        case ast.Constant(value=str(text)) if len(text) > 2 and says(instruction, text):
            return True
    return says(instruction, literal.source)


def spots(snippet: Snippet, uses: Sequence[Literal], instruction: str = "") -> Iterator[Spot]:
    """Where the constant for these uses may go, as far as the words leave it open."""
    words = instruction.lower()
    found = []
    if _CLASS.search(words):
        found = [class_spot(snippet, uses)]
    elif _LOCAL.search(words):
        found = [local_spot(snippet, uses)]
    elif _MODULE.search(words):
        found = [module_spot(snippet, uses)]
    if not any(found):
        found = [module_spot(snippet, uses), class_spot(snippet, uses)]
    yield from (one for one in found if one)


def module_spot(snippet: Snippet, uses: Sequence[Literal]) -> Spot | None:
    """Above the code that uses it, after imports and constants that come first; only in code of the top level."""
    if snippet.margin:
        nested = not any(one.around.receiver for one in uses) and isinstance(snippet.tree.body[0], Function)
        static = nested and getattr(snippet.tree.body[0], "decorator_list", [])
        return Spot(-1, snippet.margin, below=1) if nested and not static else None
    first = min(one.node.lineno for one in uses)
    lead = _lead(snippet.tree.body)
    if lead and (lead[-1].end_lineno or 0) < first:
        last = statement_lines(lead[-1])[1]
        return _below(snippet, last, "", close=isinstance(lead[-1], ast.Assign | ast.AnnAssign))
    user = next(one for one in snippet.tree.body if (one.end_lineno or 0) >= first)
    row = statement_lines(user)[0]
    while row and snippet.lines[row - 1].startswith("#"):
        row -= 1
    apart = isinstance(user, Function | ast.ClassDef)
    return Spot(row - 1, "", below=2 if apart else 0)


def class_spot(snippet: Snippet, uses: Sequence[Literal]) -> Spot | None:
    """In the class that all the uses are in; above a method that is a region by itself."""
    receivers, owners = {one.around.receiver for one in uses}, {one.around.owner for one in uses}
    if len(receivers) != 1 or len(owners) != 1:
        return None
    receiver, owner = receivers.pop(), owners.pop()
    in_body = owner is not None and all(one.around.scope is owner for one in uses)
    if not receiver and not in_body:
        return None
    prefix = f"{receiver}." if receiver else ""
    if owner is None:
        return (
            Spot(-1, snippet.margin, below=1, prefix=prefix) if snippet.margin and _is_method(snippet, uses) else None
        )
    lead = _lead(owner.body)
    if lead and (lead[-1].end_lineno or 0) < min(one.node.lineno for one in uses):
        close = isinstance(lead[-1], ast.Assign | ast.AnnAssign)
        spot = _below(snippet, statement_lines(lead[-1])[1], _indent(snippet, owner), close=close)
        return Spot(spot.after, spot.indent, spot.above, spot.below, prefix)
    row = statement_lines(owner.body[0])[0]
    apart = isinstance(owner.body[0], Function | ast.ClassDef)
    alone = row > owner.lineno - 1 and not docstring_node(owner)
    return Spot(row - 1, _indent(snippet, owner), below=int(apart), prefix=prefix) if alone else None


def _is_method(snippet: Snippet, uses: Sequence[Literal]) -> bool:
    """Whether the uses are in the body of a function that is all of the snippet."""
    top = snippet.tree.body
    if len(top) != 1 or not isinstance(top[0], Function) or any(one.around.scope is snippet.tree for one in uses):
        return False
    return bool(top[0].args.args) and top[0].args.args[0].arg == uses[0].around.receiver


def local_spot(snippet: Snippet, uses: Sequence[Literal]) -> Spot | None:
    """The top of the function that all the uses are in."""
    scope = uses[0].around.scope
    if not isinstance(scope, Function) or any(one.around.scope is not scope for one in uses):
        return None
    top = top_of(snippet, scope)
    return Spot(*top, local=True) if top and top[0] < min(one.node.lineno for one in uses) - 1 else None


def _lead(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The docstring, imports and constants that a body begins with."""
    found: list[ast.stmt] = []
    for node in body:
        plain = isinstance(node, ast.Import | ast.ImportFrom | ast.AnnAssign) or (
            isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        )
        text = not found and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (plain or text):
            break
        found.append(node)
    return found


def _below(snippet: Snippet, last: int, indent: str, *, close: bool) -> Spot:
    following = snippet.lines[last + 1] if last + 1 < len(snippet.lines) else ""
    return Spot(last, indent, above=0 if close else 1, below=int(bool(following.strip()) and not close))


def _indent(snippet: Snippet, owner: ast.ClassDef) -> str:
    return indentation(snippet.lines[owner.body[0].lineno - 1])


def with_constant(snippet: Snippet, uses: Sequence[Literal], name: str, spot: Spot) -> list[str] | None:
    """The lines with the constant and its uses, or None where they do not fit."""
    for use in uses:
        row, column = start_of(snippet, use.node)
        line = snippet.lines[row]
        around = line[max(column - 1, 0) : column] + line[column + len(use.source) :][:1]
        if any(sign.isalnum() or sign == "_" for sign in around):
            return None
    lines = spliced(snippet, [(use.node, spot.prefix + name) for use in uses])
    source = uses[0].source
    new = [""] * spot.above + [f"{spot.indent}{name} = {source}"] + [""] * spot.below
    changed = [lines[use.node.lineno - 1] for use in uses]
    if max(map(len, [*changed, *new])) > MAX_WIDTH:
        return None
    return [*lines[: spot.after + 1], *new, *lines[spot.after + 1 :]]
