"""Walruses in loops and conditions, and generators that are returned rather than yielded."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.common.flow import is_elif
from spark_tui.editing.codemods.folding.fold_differing import with_text
from spark_tui.editing.codemods.folding.fold_sources import (
    New,
    ToldRule,
    body_lines,
    following,
    last_row,
    opposite,
    same,
    source_of,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, is_generator
from spark_tui.editing.told import names_told, names_used

_LIST = re.compile(r"\blists?\b", re.IGNORECASE)
_GENERATOR = re.compile(r"\bgen", re.IGNORECASE)


def _loop(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """`while True` with a value that ends it as a loop over that value."""
    match place.node:
        case ast.While(
            test=ast.Constant(),
            body=[
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value),
                ast.If(test=test) as check,
                *rest,
            ],
            orelse=[],
        ):
            match check.body, check.orelse, rest:
                case [ast.Break()], [], _:
                    body = _rows(before, place, last_row(check) + 1, place.last)
                    yield from _while(before, place, opposite(before, test), (name, value), body)
                case [ast.Break()], [ast.If() as other], _ if is_elif(before, other):
                    body = _rows(before, place, other.lineno - 1, place.last)
                    body[0] = body[0].replace("elif", "if", 1)
                    yield from _while(before, place, opposite(before, test), (name, value), body)
                case [_, *_] as inner, [ast.Break()], []:
                    unit = before.layout.unit
                    rows = _rows(before, place, check.lineno, last_row(inner[-1]))
                    body = [row.removeprefix(unit) for row in rows]
                    yield from _while(before, place, source_of(before, test), (name, value), body)


def _begun(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """A name set so that a loop over it begins, and set again first in it, as a walrus in the loop's head."""
    match place.node, following(place):
        case ast.Assign(targets=[ast.Name(id=name)]), [
            ast.While(test=test, body=[ast.Assign(targets=[ast.Name(id=again)], value=value) as first, _, *_]) as loop
        ] if name == again:  # fmt: skip
            body = _rows(before, place, last_row(first) + 1, last_row(loop))
            for *_span, lines in _while(before, place, source_of(before, test), (name, value), body):
                yield place.first, last_row(loop), lines


def _while(before: Snippet, place: Place, said: str, setting: tuple[str, ast.expr], body: list[str]) -> Iterator[New]:
    """The loop with the value set in its condition; and without the name where only the condition needs it."""
    name, value = setting
    taken = f"{name} := {source_of(before, value)}"
    pattern = rf"(?<![\w.\"']){name}(?![\w\"'])"
    rows = body or [f"{before.layout.unit}pass"]
    head = re.sub(pattern, lambda _: taken if said == name else f"({taken})", said, count=1)
    yield place.first, place.last, [f"while {head}:", *rows]
    if not re.search(pattern, "\n".join(body)):
        yield (
            place.first,
            place.last,
            [f"while {re.sub(pattern, lambda _: source_of(before, value), said, count=1)}:", *rows],
        )


def _rows(before: Snippet, place: Place, first: int, last: int) -> list[str]:
    """Lines without those that are empty at their beginning."""
    rows = [line.removeprefix(place.indent) for line in before.lines[first : last + 1]]
    while rows and not rows[0].strip():
        rows = rows[1:]
    return rows


def _repeated(before: Snippet, place: Place, words: str) -> Iterator[New]:
    """What a condition asks for and its block uses again, as a walrus in the condition."""
    if not isinstance(place.node, ast.If):
        return
    test = place.node.test
    parts = [one for one in ast.walk(test) if isinstance(one, ast.Call | ast.Attribute | ast.Subscript)]
    for part in parts[:4]:
        uses = [one for one in ast.walk(place.node) if type(one) is type(part) and same(one, part)]
        spots = [one for one in uses if text_of(before, one)]
        if len(spots) < 2 or len(spots) != len(uses) or any(_stored(one) for one in spots):
            continue
        for name in _names(before, words, part):
            first = min(spots, key=lambda one: (one.lineno, one.col_offset))
            taken = f"{name} := {source_of(before, part)}"
            lines = with_text(before, place.node, [one for one in spots if one is not first], name, place.indent)
            text = taken if first is test else f"({taken})"
            yield place.first, place.last, [lines[0].replace(source_of(before, part), text, 1), *lines[1:]]


def _stored(node: ast.expr) -> bool:
    return not isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load)


def _names(before: Snippet, words: str, part: ast.expr) -> list[str]:
    used = names_used(before)
    own: list[str] = []
    match part:
        case ast.Attribute(attr=attr) | ast.Call(func=ast.Attribute(attr=attr), args=[]):
            own = [attr.removeprefix("get_").strip("_")]
        case (
            ast.Subscript(slice=ast.Constant(value=str(key)))
            | ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(key)), *_])
        ):
            own = [key]
        case ast.Call(args=[_, ast.Constant(value=str(key)), *_]):
            own = [key.strip("_")]
    found = [*names_told(words, used), *own]
    return [one for one in dict.fromkeys(found) if one.isidentifier() and one not in used and one != "walrus"][:3]


def _yielded(before: Snippet, place: Place, words: str) -> Iterator[New]:
    """A loop at the end of a function that yields, as an expression that is returned; and the way back."""
    match place.node:
        case ast.For(target=target, iter=over, body=[inner], orelse=[]) if (
            place.function and place.function.body[-1] is place.node and is_generator(place.function)
        ):
            test = inner.test if isinstance(inner, ast.If) and len(inner.body) == 1 and not inner.orelse else None
            one = inner.body[0] if isinstance(inner, ast.If) and test else inner
            match one:
                case ast.Expr(value=ast.Yield(value=ast.expr() as value)) if _yields(place.function) == 1:
                    clause = f"for {source_of(before, target)} in {source_of(before, over)}"
                    clause += f" if {source_of(before, test)}" if test else ""
                    text = f"{source_of(before, value)} {clause}"
                    if not _LIST.search(words) or _GENERATOR.search(words):
                        yield place.first, place.last, [f"return ({text})"]
                    else:
                        yield place.first, place.last, [f"return [{text}]"]


def _yields(function: ast.AST) -> int:
    return sum(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(function))


def _flattened(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """An empty list extended in a loop as a comprehension of two loops; a search in a search as `any`."""
    above = place.block[place.index - 1] if place.index else None
    match above, place.node:
        case (
            ast.Assign(targets=[name], value=ast.List(elts=[])) | ast.AnnAssign(target=name, value=ast.List(elts=[])),
            ast.For(
                target=target, iter=over,
                body=[ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="extend"), args=[given]))
                      | ast.AugAssign(target=owner, op=ast.Add(), value=given)],
                orelse=[],
            ),
        ) if same(name, owner) and above is not None:  # fmt: skip
            yield from _chained(before, place, above, (name, target, over, given))
    match place.node:
        case ast.For(
            target=target, iter=over,
            body=[ast.If(test=test, body=[ast.Return() | ast.Continue() | ast.Raise()] as end, orelse=[])], orelse=[],
        ) if not place.in_loop or not isinstance(end[0], ast.Continue):  # fmt: skip
            names = {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
            if not names & {one.id for one in ast.walk(end[0]) if isinstance(one, ast.Name)}:
                clause = f"for {source_of(before, target)} in {source_of(before, over)}"
                body = [line.removeprefix(before.layout.unit) for line in body_lines(before, place, end)]
                yield place.first, place.last, [f"if any({source_of(before, test)} {clause}):", *body]
                said = opposite(before, test)
                yield place.first, place.last, [f"if not all({said} {clause}):", *body]


def _chained(
    before: Snippet, place: Place, above: ast.stmt, parts: tuple[ast.expr, ast.expr, ast.expr, ast.expr]
) -> Iterator[New]:
    name, target, over, given = parts
    clause = f"for {source_of(before, target)} in {source_of(before, over)}"
    match given:
        case ast.ListComp(elt=elt, generators=[one]) | ast.GeneratorExp(elt=elt, generators=[one]):
            tail = source_of(before, given)[1:-1].removeprefix(source_of(before, elt)).strip()
            text = f"[{source_of(before, elt)} {clause} {tail}]"
            del one
        case _:
            plural = ast.unparse(name)
            item = plural.rpartition(".")[2].removesuffix("s") if plural.endswith("s") else "item"
            text = f"[{item} {clause} for {item} in {source_of(before, given)}]"
    after = place.block[place.index + 1 : place.index + 2]
    match after:
        case [ast.Return(value=back) as end] if same(back, name):
            yield above.lineno - 1, last_row(end), [f"return {text}"]
    yield above.lineno - 1, place.last, [f"{source_of(before, name)} = {text}"]


WALRUSES: tuple[tuple[str, ToldRule], ...] = (
    (r"\bwalrus|:=|\bassignment expression|\bwhile\b|\bloop\b.*\bshort|\bshort\w*\b.*\bloop\b", _loop),
    (r"\bwalrus|:=|\bassignment expression", _begun),
    (r"\bwalrus|:=|\bassignment expression|\btwice\b", _repeated),
    (r"\bgenerator|\bgen\b|\bgen ?exp|\blist\b|\byield", _yielded),
    (r"\bcompr\w*|\bany\b|\ball\(|\bone expression\b|\bflat", _flattened),
)
