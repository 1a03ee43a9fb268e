"""The same written in another form: a def for a lambda, no walrus, a line of its own for each statement, a guard."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, indentation, splice, stands_alone, start_of, statement_lines, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.snippet import Snippet

_DEF = re.compile(r"\bE731\b|\bdefs?\b|\b(?:real|proper|named|plain|ordinary|normal|nested|inner) function\b")
_SIGNATURE = re.compile(r"\((?P<spec>[^()]*)\)(?P<result> ?-> ?[\w.]+(?:\[[\w., |]*\])?)?")
_NO_WALRUS = re.compile(
    r"\b(?:undo|no|without|drop|remove|lose|not|instead|rid of|unroll|expand|before|above|first|plain|own line|avoid)\b"
    r"|n't\b"
)
_WALRUS = re.compile(r"\bwalrus|:=|\bassignment expression|\bnamed expression")
_OWN_LINE = re.compile(
    r"\b(?:own|separate|next|new|different|several|two|three) lines?\b|\bE70[1-4]\b|\bsemi-?colons?\b"
    r"|\bone[- ]liners?\b|\bone statement (?:per|a) line\b"
    r"|\b(?:on|in|onto) (?:a|the) (?:line|row) (?:of its own|below)\b"
    r"|\bbreak the line\b|\bmultiple statements\b|\bsplit\w*|\bapart\b"
)
_GUARD = re.compile(r"__main__|\bmain guard\b|\bif __name__|\bon import\b|\bwhen imported\b")


def defined(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines with a def for a lambda that a name is given to."""
    if not _DEF.search(request.instruction):
        return
    for node in before.nodes:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Lambda() as value)
            ) if stands_alone(before, node):
                first, last = statement_lines(node)
                indent, unit = indentation(before.lines[first]), before.layout.unit
                body = text_of(before, value.body)
                spec = ast.unparse(value.args)
                for told in dict.fromkeys([_told(value, request.instruction), f"({spec})"]):
                    lines = [f"{indent}def {name}{told}:", f"{indent}{unit}return {body}"]
                    yield [*before.lines[:first], *lines, *before.lines[last + 1 :]]


def _told(value: ast.Lambda, instruction: str) -> str:
    """The signature that the words tell for its parameters, else its own."""
    own = [one.arg for one in value.args.args]
    for match in _SIGNATURE.finditer(instruction):
        if own and [one.partition(":")[0].strip() for one in match["spec"].split(",")] == own:
            return match[0]
    return f"({ast.unparse(value.args)})"


def without_walrus(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines with an assignment above the `if` or statement whose first value is a walrus, one after the other."""
    asked = _WALRUS.search(request.instruction) and _NO_WALRUS.search(request.instruction.lower())
    for node in before.nodes if asked else ():
        whole = node.test if isinstance(node, ast.If) else getattr(node, "value", None)
        if not isinstance(node, ast.stmt) or not isinstance(whole, ast.expr) or _is_elif(before, node):
            continue
        inner = _first(whole)
        if isinstance(inner, ast.NamedExpr) and (source := text_of(before, inner.value)):
            first = statement_lines(node)[0]
            start, end = start_of(before, inner), end_of(before, inner)
            line = before.lines[start[0]]
            inside = isinstance(whole, ast.Call) and inner in whole.args
            if line[start[1] - 1 : start[1]] == "(" and line[end[1] : end[1] + 1] == ")" and not inside:
                start, end = (start[0], start[1] - 1), (end[0], end[1] + 1)
            lines = splice(before.lines, start, end, inner.target.id)
            above = f"{indentation(before.lines[first])}{inner.target.id} = {source}"
            yield [*lines[:first], *above.split("\n"), *lines[first:]]


def _is_elif(before: Snippet, node: ast.stmt) -> bool:
    return before.lines[node.lineno - 1].lstrip().startswith("elif")


def _first(node: ast.expr) -> ast.expr:
    """What is evaluated first in an expression, as far as that is plain."""
    match node:
        case ast.Compare(left=inner) | ast.BinOp(left=inner) | ast.UnaryOp(operand=inner) | ast.Await(value=inner):
            return _first(inner)
        case ast.BoolOp(values=[inner, *_]) | ast.Subscript(value=inner) | ast.Attribute(value=inner):
            return _first(inner)
        case ast.IfExp(test=inner) | ast.Call(func=ast.Name(), args=[inner, *_]):
            return _first(inner)
        case ast.Call(func=ast.Attribute(value=inner)):
            return _first(inner)
    return node


def on_own_lines(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines with one that holds several statements parted, a comment at its end going with the last one."""
    if not _OWN_LINE.search(request.instruction):
        return
    first, last = request.selected or (0, len(before.lines))
    rows = dict.fromkeys(one.lineno - 1 for one in before.nodes if isinstance(one, ast.stmt) and _shares(before, one))
    for row in [row for row in rows if first <= row <= last]:
        yield _parted(before, row)


def _shares(before: Snippet, node: ast.stmt) -> bool:
    """Whether a statement of one line begins behind another one."""
    head = before.lines[node.lineno - 1][: start_of(before, node)[1]].strip()
    return node.lineno == node.end_lineno and head.endswith((";", ":"))


def _parted(before: Snippet, row: int) -> list[str]:
    line = before.lines[row]
    starts = {
        start_of(before, one)[1]
        for one in before.nodes
        if isinstance(one, ast.stmt) and one.lineno - 1 == row and one.end_lineno == one.lineno
    }
    cuts = sorted(starts)
    pieces = [line[one:two].rstrip() for one, two in zip(cuts, [*cuts[1:], len(line)], strict=True)]
    indent, made = indentation(line), [line[: cuts[0]] + pieces[0]]
    for piece in pieces[1:]:
        indent += before.layout.unit if made[-1].endswith(":") else ""
        made.append(indent + piece)
    return [*before.lines[:row], *(one.rstrip("; ") for one in made), *before.lines[row + 1 :]]


def guarded(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines with the calls at the end of a module, or what is selected, under `if __name__ == "__main__":`."""
    body = before.tree.body
    if not _GUARD.search(request.instruction) or before.margin or any(isinstance(one, ast.If) for one in body[-1:]):
        return
    first, last = request.selected or (0, len(before.lines))
    run = [one for one in body if first <= one.lineno - 1 <= last]
    while run and not request.selected and not _runs(run[0]):
        run = run[1:]
    if run and all(stands_alone(before, one) for one in run):
        start, end = statement_lines(run[0])[0], statement_lines(run[-1])[1]
        inner = [before.layout.unit + line if line.strip() else line for line in before.lines[start : end + 1]]
        yield [*before.lines[:start], 'if __name__ == "__main__":', *inner, *before.lines[end + 1 :]]


def _runs(node: ast.stmt) -> bool:
    """Whether a statement of a module does something, so that an import would."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await)
