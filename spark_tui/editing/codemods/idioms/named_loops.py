"""Loops by what they are made with: yields for a list that is filled, `for` for `while`, enumerate from 1, a zip."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from spark_tui.editing.code import Function, walk_scope
from spark_tui.editing.codemods.common.tidy import Spot
from spark_tui.editing.codemods.folding.fold_sources import following, last_row, same, source_of
from spark_tui.editing.codemods.idioms.element_loops import singular
from spark_tui.editing.codemods.idioms.named_parts import Fold, Rule, folded, lines_of, said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, is_changed, places


def _yielding(before: Snippet, _: str) -> Iterator[Fold]:
    """A function that fills a list and returns it as one that yields what it would hold."""
    every = places(before)
    for place in every:
        match place.node, place.function:
            case (
                (
                    ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[]))
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.List(elts=[]))
                ),
                ast.FunctionDef() as function,
            ) if place.block is function.body:
                spots = [spot for one in every if one.function is function if (spot := _given(before, one, name))]
                uses = sum(isinstance(one, ast.Name) and one.id == name for one in ast.walk(function))
                returns = [one for one in walk_scope(function) if isinstance(one, ast.Return)]
                if len(spots) > 1 and uses == len(spots) + 1 and len(returns) == 1 and not _hinted(function):
                    whole = folded(before, place, place.last)
                    yield replace(whole, spots=(lines_of(before, place, place.last), *spots))


def _hinted(function: Function) -> bool:
    return function.returns is not None and "list" in ast.unparse(function.returns).lower()


def _given(before: Snippet, place: Place, name: str) -> Spot | None:
    """What a statement that fills or returns a list is where it yields, or None for another statement."""
    match place.node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=held), attr=verb), args=[given])) if (
            held == name and verb in ("append", "extend")
        ):
            more = " from" if verb == "extend" else ""
            return lines_of(before, place, place.last, f"yield{more} {source_of(before, given)}")
        case ast.Return(value=ast.Name(id=held)) if held == name and place.block is getattr(place.function, "body", 0):
            return lines_of(before, place, place.last)
    return None


def _for_while(before: Snippet, _: str) -> Iterator[Fold]:
    """A counter that goes up by one to a limit as `for i in range(...)`."""
    for place in places(before):
        match place.node, following(place):
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int(start))), [
                ast.While(
                    test=ast.Compare(left=ast.Name(id=tested), ops=[ast.Lt()], comparators=[limit]),
                    body=[
                        _,
                        *_,
                        ast.AugAssign(target=ast.Name(id=raised), op=ast.Add(), value=ast.Constant(value=1)),
                    ] as body,
                    orelse=[],
                ) as loop
            ] if name == tested == raised and _steady(body, name, limit) and not _read_below(place, name, 2):
                until = source_of(before, limit)
                head = f"for {name} in range({until if start == 0 else f'{start}, {until}'}):"
                rows = before.lines[loop.lineno : body[-1].lineno - 1]
                yield folded(before, place, last_row(loop), head, *(row.removeprefix(place.indent) for row in rows))


def _steady(body: Sequence[ast.stmt], name: str, limit: ast.expr) -> bool:
    """Whether a loop sets its counter only at its end, never skips that, and leaves its limit as it is."""
    nodes = [one for part in body[:-1] for one in ast.walk(part)]
    known = {name, *(one.id for one in ast.walk(limit) if isinstance(one, ast.Name))}
    stored = any(isinstance(one, ast.Name) and one.id in known and is_changed(one) for one in nodes)
    changed = any(isinstance(one, ast.Attribute) and one.attr in ("append", "pop", "remove", "insert") for one in nodes)
    return not (stored or changed or any(isinstance(one, ast.Continue) for one in nodes))


def _read_below(place: Place, name: str, past: int) -> bool:
    rest = place.block[place.index + past :]
    return any(isinstance(one, ast.Name) and one.id == name for part in rest for one in ast.walk(part))


def _counted_from_one(before: Snippet, _: str) -> Iterator[Fold]:
    """`enumerate(xs)` whose counter is only used as `i + 1`, from 1."""
    for node in before.nodes:
        match node:
            case ast.For(
                target=ast.Tuple(elts=[ast.Name(id=name), _]),
                iter=ast.Call(func=ast.Name(id="enumerate"), args=[over], keywords=[]) as call,
                body=body,
            ):
                inside = [one for part in body for one in ast.walk(part)]
                sums = [one for one in inside if isinstance(one, ast.BinOp) and ast.unparse(one) == f"{name} + 1"]
                uses = sum(isinstance(one, ast.Name) and one.id == name for one in inside)
                texts = any(isinstance(one, ast.JoinedStr) and name in ast.unparse(one) for one in inside)
                if sums and len(sums) == uses and not texts:
                    whole = said(before, call, f"enumerate({source_of(before, over)}, start=1)")
                    yield replace(whole, spots=(*whole.spots, *(said(before, one, name).spots[0] for one in sums)))


def _zipped(before: Snippet, _: str) -> Iterator[Fold]:
    """A dict that is filled from two sequences side by side as `dict(zip(keys, values))`."""
    for place in places(before):
        match place.node, following(place, 2):
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=[])), [
                ast.For(
                    target=target,
                    iter=over,
                    body=[ast.Assign(targets=[ast.Subscript(value=ast.Name(id=held), slice=key)], value=value)],
                    orelse=[],
                ) as loop,
                *rest,
            ] if name == held and (pair := _pair(target, over, key, value)):
                call = f"dict(zip({source_of(before, pair[0])}, {source_of(before, pair[1])}))"
                match rest:
                    case [ast.Return(value=ast.Name(id=again)) as end] if again == name:
                        yield folded(before, place, last_row(end), f"return {call}")
                    case _:
                        yield folded(before, place, last_row(loop), f"{name} = {call}")


def _pair(target: ast.expr, over: ast.expr, key: ast.expr, value: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    match target, over, key, value:
        case ast.Name(id=index), ast.Call(func=ast.Name(id="range")), ast.Subscript(), ast.Subscript():
            if {ast.unparse(key.slice), ast.unparse(value.slice)} == {index}:
                return key.value, value.value
        case ast.Tuple(elts=[a, b]), ast.Call(func=ast.Name(id="zip"), args=[one, other], keywords=[]), _, _:
            if same(a, key) and same(b, value):
                return one, other
    return None


def _mapped(before: Snippet, _: str) -> Iterator[Fold]:
    """Every element of a list changed at its place, as a comprehension: of the same list where callers may hold it."""
    for place in places(before):
        match place.node:
            case ast.For(
                target=ast.Name(id=index),
                iter=ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[held])]),
                body=[ast.Assign(targets=[ast.Subscript(value=owner, slice=ast.Name(id=at))], value=value)],
                orelse=[],
            ) if at == index and same(owner, held) and place.function and not _read_below(place, index, 1):
                name = ast.unparse(held)
                taken = [one for one in ast.walk(value) if ast.unparse(one) == f"{name}[{index}]"]
                used = [one for one in ast.walk(value) if isinstance(one, ast.Name) and one.id in (index, name)]
                known = {one.id for one in ast.walk(place.function) if isinstance(one, ast.Name)}
                each = next((one for one in (*singular(name), "item", "element") if one not in known), "")
                if taken and each and len(used) == (2 if isinstance(held, ast.Name) else 1) * len(taken):
                    text = source_of(before, value).replace(f"{name}[{index}]", each)
                    own = name if _is_own(place, held) else f"{name}[:]"
                    yield folded(before, place, place.last, f"{own} = [{text} for {each} in {name}]")


def _is_own(place: Place, held: ast.expr) -> bool:
    """Whether a variable was given a list that is made right there, so that nobody else holds it."""
    for node in ast.walk(place.function) if place.function else ():
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                ast.unparse(held) == name and node.lineno <= place.first
            ):
                made = ast.unparse(value.func).rpartition(".")[2] if isinstance(value, ast.Call) else ""
                if not isinstance(value, ast.ListComp | ast.List) and made not in ("split", "list", "sorted"):
                    return False
    stored = [one for one in ast.walk(place.function or held) if isinstance(one, ast.Name) and is_changed(one)]
    return any(one.id == ast.unparse(held) for one in stored)


LOOPS_NAMED: tuple[tuple[str, Rule], ...] = (
    (r"\bgenerators?\b(?! exp)|\byield\w*\b", _yielding),
    (r"\bfor\b.*\bwhile\b|\bwhile\b.*\b(?:for|range)\b|\brange\b.*\bwhile\b", _for_while),
    (r"\benumerate\b.*\b(?:1|one)\b|\bstart(?:ing)?\b.*\b(?:1|one)\b", _counted_from_one),
    (r"\bdict\W*zip|\bzip\b.*\bdict|\bdict\b.*\bzip\b", _zipped),
    (r"\bcompr\w+", _mapped),
)
"""What names a rule, and the rule."""
