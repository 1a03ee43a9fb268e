"""A loop that searches, counts, adds up or keeps the largest turned into any(), all(), sum() or max()."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import indentation, statement_lines, text_of
from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.codemods.common.flow import FlowCodemod, Site, blocks, moved, same, simple
from spark_tui.editing.codemods.common.negation import IF_ELSE, enclosed, negated
from spark_tui.editing.codemods.idioms.loop_folding import folded
from spark_tui.editing.codemods.idioms.looping import Clause, Loop, mentioned, read_later, read_loop
from spark_tui.editing.codemods.to_comprehension import through, written
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

Found = tuple[str, list[str], str]
"""A function, the parts of the generator it takes, and what follows it in the call."""


class AnyAll(FlowCodemod):
    """`for x in y: if x > 0: return True` and `return False` become `return any(x > 0 for x in y)`; likewise flags."""

    kind: ClassVar[str] = "any_all"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Where a loop is one as it stands; then where what it begins with can be inlined, or be a walrus."""
        yield from super().edits(before, request)
        yield from through(self, before, folded(before), request)

    def sites(self, before: Snippet, request: Request) -> Iterator[Site]:
        """In source order."""
        for block in blocks(before.tree):
            for index, node in enumerate(block):
                loop = read_loop(before, node)
                if loop is None:
                    continue
                yield from _raising(before, node, loop)
                yield from _at_the_end(before, node, loop)
                if index + 1 < len(block):
                    yield from _returning(before, node, block[index + 1], loop)
                if index:
                    yield from _assigning(before, block[index - 1], node, loop)


def _returning(before: Snippet, node: ast.stmt, following: ast.stmt, loop: Loop) -> Iterator[Site]:
    match loop.does, following:
        case [ast.Return(value=ast.Constant(value=bool() as hit))], ast.Return(
            value=ast.Constant(value=bool() as miss)
        ):
            found = _search(before, loop) if hit is not miss and simple(before, following) else None
        case _:
            return
    if found is not None:
        first, last = statement_lines(node)[0], statement_lines(following)[1]
        yield from _site(before, first, last, "return ", _searched(found, hit=hit), _over(loop))


def _at_the_end(before: Snippet, node: ast.stmt, loop: Loop) -> Iterator[Site]:
    """A search that ends an `if`, behind which the function only returns that nothing was found."""
    for function in before.functions:
        match function.body, loop.does:
            case (
                [*_, ast.If(orelse=[], end_lineno=end), ast.Return(value=ast.Constant(value=bool() as miss))],
                [ast.Return(value=ast.Constant(value=bool() as hit))],
            ) if end == node.end_lineno and hit is not miss and (found := _search(before, loop)):
                first, last = statement_lines(node)
                yield from _site(before, first, last, "return ", _searched(found, hit=hit), _over(loop))


def _raising(before: Snippet, node: ast.stmt, loop: Loop) -> Iterator[Site]:
    """A loop that raises at the first hit, without naming it: `if any(...): raise`."""
    match loop.does:
        case [ast.Raise() as raised]:
            names = {one.id for one in ast.walk(raised) if isinstance(one, ast.Name)}
            found = _search(before, loop) if not names & loop.names else None
        case _:
            return
    if found is not None:
        indent = indentation(before.lines[statement_lines(node)[0]])
        (first, last), (start, end) = statement_lines(node), statement_lines(raised)
        lines = written(before, indent, "if any", "()", _searched(found, hit=True)[1])
        old = indentation(before.lines[start])
        body = moved(before.lines[start : end + 1], old, indent + before.layout.unit)
        if lines and body:
            yield Site(first, last, (*lines[:-1], f"{lines[-1]}:", *body), _over(loop) | {"any": "", "call": "any"})


def _assigning(before: Snippet, start: ast.stmt, node: ast.stmt, loop: Loop) -> Iterator[Site]:
    match start:
        case ast.Assign(targets=[ast.Name() as target], value=value):
            pass
        case _:
            return
    first, last = statement_lines(start)[0], statement_lines(node)[1]
    if not simple(before, start) or read_later(before, loop.names, statement_lines(node)[0], last):
        return
    found = (
        _flag(before, loop, target, value)
        or _total(before, loop, target, value)
        or _extreme(before, loop, target, value)
    )
    if found is not None:
        yield from _site(before, first, last, f"{target.id} = ", found, {"name": target.id, **_over(loop)})


def _site(before: Snippet, first: int, last: int, head: str, found: Found, names: dict[str, str]) -> Iterator[Site]:
    function, parts, more = found
    if len(parts) == 1:
        lines: tuple[str, ...] = (f"{indentation(before.lines[first])}{head}{function}({parts[0]}{more})",)
    else:
        lines = written(before, indentation(before.lines[first]), f"{head}{function}", "()", parts)
    if lines:
        yield Site(first, last, lines, {**names, "call": function, function: ""})


def _over(loop: Loop) -> dict[str, str]:
    return {"over": loop.clauses[0].text.rpartition(" in ")[2]}


def _search(before: Snippet, loop: Loop) -> tuple[tuple[Clause, ...], str, str] | None:
    """The clauses but for the last condition, that condition, and its opposite."""
    test = loop.clauses[-1].test
    if test is None:
        return None
    said, opposite = enclosed(before, test, IF_ELSE), negated(before, test)
    return (loop.clauses[:-1], said, opposite) if said and opposite else None


def _searched(found: tuple[tuple[Clause, ...], str, str], *, hit: bool) -> Found:
    clauses, said, opposite = found
    return ("any" if hit else "all"), [said if hit else opposite, *map(str, clauses)], ""


def _flag(before: Snippet, loop: Loop, target: ast.Name, value: ast.expr) -> Found | None:
    match loop.does, value:
        case (
            [ast.Assign(targets=[one], value=ast.Constant(value=bool() as hit)), *rest],
            ast.Constant(value=bool() as miss),
        ) if hit is not miss and same(one, target):
            found = _search(before, loop)
            stops = not rest or (len(rest) == 1 and isinstance(rest[0], ast.Break))
            if found and stops and not _reads(loop, target):
                return _searched(found, hit=hit)
    return None


def _reads(loop: Loop, target: ast.Name) -> bool:
    texts = " ".join(map(str, loop.clauses))
    try:
        return mentioned(parse(f"[0 {texts}]"), target)
    except SyntaxError:
        return True


def _total(before: Snippet, loop: Loop, target: ast.Name, value: ast.expr) -> Found | None:
    match loop.does, value:
        case (
            [
                ast.AugAssign(target=one, op=ast.Add(), value=added)
                | ast.Assign(targets=[one], value=ast.BinOp(left=ast.Name(), op=ast.Add(), right=added))
            ],
            ast.Constant(value=0 as zero),
        ) if same(one, target) and _adds_to(loop.does[0], target):
            text = enclosed(before, added, IF_ELSE)
            whole = type(zero) is int
            if text and whole and not mentioned(added, target) and not _reads(loop, target):
                single = (
                    len(loop.clauses) == 1 and loop.clauses[0].text.startswith(f"{text} in ") and text.isidentifier()
                )
                source = loop.clauses[0].text.partition(" in ")[2]
                return "sum", [source] if single else [text, *map(str, loop.clauses)], ""
    return None


def _adds_to(statement: ast.stmt, target: ast.Name) -> bool:
    """Whether a statement adds to what is there: not to something else."""
    match statement:
        case ast.Assign(value=ast.BinOp(left=ast.Name() as left)):
            return left.id == target.id
    return True


def _extreme(before: Snippet, loop: Loop, target: ast.Name, value: ast.expr) -> Found | None:
    """`best = xs[0]` or None and a loop that keeps what is larger or smaller; over the things themselves only."""
    match loop.does, loop.clauses:
        case [ast.Assign(targets=[one], value=ast.Name(id=name))], [Clause(text=text), Clause(test=ast.expr() as test)]:
            source = text.partition(" in ")[2]
            if not same(one, target) or text != f"{name} in {source}":
                return None
            first = text_of(before, value)
            unset = isinstance(value, ast.Constant) and value.value is None
            function, key = _comparing(_without_none(test, target) if unset else test, name, target.id)
            if function and unset:
                return function, [source], f"{key}, default=None"
            if function and first == f"{source.removesuffix('[1:]')}[0]":
                return function, [source.removesuffix("[1:]")], key
    return None


def _without_none(test: ast.expr, target: ast.Name) -> ast.expr | None:
    """What else a test asks that begins `target is None or`."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=[ast.Compare(left=left, ops=[ast.Is()], comparators=[none]), other]):
            return other if ast.unparse(left) == target.id and ast.unparse(none) == "None" else None
        case ast.BoolOp(op=ast.Or(), values=[ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=held)), other]):
            return other if held == target.id else None
    return None


def _comparing(test: ast.expr | None, name: str, best: str) -> tuple[str, str]:
    """The function that keeps what a test asks for, and its key as it follows what it is given; "" where none does."""
    match test:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.Gt() as sign], comparators=[right]) if name != best:
            own, other = (left, right) if _holds(left, name) else (right, left)
            said, kept = ast.unparse(own), re.sub(rf"\b{best}\b", name, ast.unparse(other))
            if said == kept and _holds(other, best) and not (_holds(own, best) or _holds(other, name)):
                return "max" if isinstance(sign, ast.Gt) == (own is left) else "min", _key(own, name)
    return "", ""


def _holds(node: ast.expr, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))


def _key(own: ast.expr, name: str) -> str:
    match own:
        case ast.Name():
            return ""
        case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=given)], keywords=[]) if given == name:
            return f", key={function}"
    return f", key=lambda {name}: {ast.unparse(own)}"
