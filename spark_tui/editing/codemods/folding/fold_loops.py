"""Loops as one call, or with less around them."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.folding.fold_sources import New, Rule, following, head_of, last_row, same, source_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place


def _loop(before: Snippet, place: Place) -> Iterator[New]:
    match place.node:
        case ast.For(target=target, iter=over, body=[inner], orelse=[]):
            test = inner.test if isinstance(inner, ast.If) and len(inner.body) == 1 and not inner.orelse else None
            one = inner.body[0] if test is not None and isinstance(inner, ast.If) else inner
            clause = f"for {source_of(before, target)} in {source_of(before, over)}"
            clause += f" if {source_of(before, test)}" if test is not None else ""
            for line in _gathered(before, target, over, one, clause, test is None):
                yield place.first, place.last, [line]
            yield from _listed(before, place, target, over, one, test)


def _gathered(
    before: Snippet, target: ast.expr, over: ast.expr, one: ast.stmt, clause: str, plain: bool
) -> Iterator[str]:
    match one:
        case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)], value=value) if not _is_sequence(owner, over):
            held, name = source_of(before, owner), source_of(before, key)
            match target, over:
                case ast.Tuple(elts=[a, b]), ast.Call(func=ast.Attribute(value=source, attr="items"), args=[]):
                    if plain and same(a, key) and same(b, value):
                        yield f"{held}.update({source_of(before, source)})"
            names = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
            fixed = not names & {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
            if plain and fixed and same(target, key):
                yield f"{held}.update(dict.fromkeys({source_of(before, over)}, {source_of(before, value)}))"
            yield f"{held}.update({{{name}: {source_of(before, value)} {clause}}})"
        case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
            match target, over:
                case ast.Tuple(elts=[a, b]), ast.Call(func=ast.Attribute(value=source, attr="items"), args=[]) if plain:
                    if same(b, value) or same(a, value):
                        end = ".values()" if same(b, value) else ""
                        yield f"yield from {source_of(before, source)}{end}"
            if plain and same(target, value):
                yield f"yield from {source_of(before, over)}"
            else:
                yield f"yield from ({source_of(before, value)} {clause})"
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=owner, attr="append" | "add" as verb), args=[value], keywords=[])
        ):
            more = "extend" if verb == "append" else "update"
            given = source_of(before, over) if plain and same(target, value) else f"{source_of(before, value)} {clause}"
            yield f"{source_of(before, owner)}.{more}({given})"


def _is_sequence(held: ast.expr, over: ast.expr) -> bool:
    """Whether a loop goes over the places of what it fills, as only a sequence has them."""
    match over:
        case (
            ast.Call(func=ast.Name(id="range"), args=[*_, ast.Call(func=ast.Name(id="len"), args=[one])])
            | ast.Call(func=ast.Name(id="enumerate"), args=[one, *_])
        ):
            return same(one, held)
    return False


def _listed(
    before: Snippet, place: Place, target: ast.expr, over: ast.expr, one: ast.stmt, test: ast.expr | None
) -> Iterator[New]:
    """A list begun right above and filled with all of what is looped over."""
    above = place.block[place.index - 1] if place.index else None
    match above, one:
        case (
            ast.Assign(targets=[name], value=ast.List(elts=[])) | ast.AnnAssign(target=name, value=ast.List(elts=[])),
            ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[value])),
        ) if same(name, owner) and same(target, value) and test is None and above is not None:
            yield above.lineno - 1, place.last, [f"{head_of(before, above)}list({source_of(before, over)})"]


def _reversed(before: Snippet, place: Place) -> Iterator[New]:
    match place.node, following(place):
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="sort"), args=[], keywords=named)), [
            ast.Return(value=ast.expr() as given) as end
        ] if same(owner, given):
            rest = "".join(f", {one.arg}={source_of(before, one.value)}" for one in named)
            yield place.first, last_row(end), [f"return sorted({source_of(before, owner)}{rest})"]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="reverse"), args=[])), [ast.For() as loop]:
            if same(owner, loop.iter):
                head = f"for {source_of(before, loop.target)} in reversed({source_of(before, owner)}):"
                yield place.first, loop.lineno - 1, [head]
        case ast.Assign(targets=[name], value=value), [
            ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="sort"), args=[], keywords=named)) as end
        ] if same(name, owner):
            rest = "".join(f", {one.arg}={source_of(before, one.value)}" for one in named)
            match value:
                case ast.Call(func=ast.Name(id="list"), args=[inner]):
                    value = inner
            bare = [value]
            match value:
                case ast.Call(func=ast.Attribute(value=keyed, attr="keys"), args=[]):
                    bare = [keyed, value]
            for one in bare:
                yield (
                    place.first,
                    last_row(end),
                    [f"{source_of(before, name)} = sorted({source_of(before, one)}{rest})"],
                )


def _parts(before: Snippet, place: Place) -> Iterator[New]:
    """A text that grows as a list of parts that is joined where the text was read."""
    match place.node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value="")) if place.function:
            lines = list(before.lines)
            for node in ast.walk(place.function):
                match node:
                    case ast.AugAssign(target=ast.Name(id=grown), op=ast.Add(), value=value) if grown == name:
                        row = node.lineno - 1
                        if text_of(before, value):
                            column = len(lines[row]) - len(lines[row].lstrip())
                            lines[row] = f"{lines[row][:column]}parts.append({text_of(before, value)})"
            last = last_row(place.function)
            mark = source_of(before, place.node.value)
            for row in range(place.last + 1, last + 1):
                lines[row] = re.sub(rf"(?<![\w.\"']){name}(?![\w\"'(])", f"{mark}.join(parts)", lines[row])
            body = [line.removeprefix(place.indent) for line in lines[place.last + 1 : last + 1]]
            yield place.first, last, ["parts = []", *body]


LOOPS: tuple[tuple[str, Rule], ...] = (
    (r"\bupdate\b|\bextend\b|\bloop|fromkeys|compr\w+|yie?ld|yeild|\blist\(|generator|\bgen ex", _loop),
    (r"revers|sort", _reversed),
    (r"\bjoin", _parts),
)
