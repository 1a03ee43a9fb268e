"""Texts by what they are made with: startswith and endswith for slices, removeprefix for a check and a cut, join."""

import ast
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import ATOM, IF_ELSE
from spark_tui.editing.codemods.folding.fold_sources import (
    enclosed_source,
    following,
    head_of,
    last_row,
    same,
    source_of,
)
from spark_tui.editing.codemods.idioms.named_parts import Fold, Rule, folded, said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, outside_fstrings, places

_ENDS = {"startswith": "removeprefix", "endswith": "removesuffix"}


def _ends(before: Snippet, words: str) -> Iterator[Fold]:
    """`x[:2] == "ab"` as `x.startswith("ab")`, with its likes, where the text is as long as what is cut out."""
    words = words.lower()
    asked = [how for how in _ENDS if how in words] or list(_ENDS)
    found = [one for how in asked for one in _compared(before, how)]
    only = "slic" in words and any(sliced for sliced, _ in found)
    yield from (fold for sliced, fold in found if sliced or not only)


def _compared(before: Snippet, how: str) -> Iterator[tuple[bool, Fold]]:
    """What compares an end of a text, and whether it cuts out a slice. Args: how: startswith or endswith."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Compare(
                left=ast.Subscript(value=owner, slice=at),
                ops=[ast.Eq() | ast.NotEq() | ast.In() | ast.NotIn() as op],
                comparators=[text],
            ):
                one = isinstance(op, ast.Eq | ast.NotEq)
                if given := _given(before, text, at, how, one=one):
                    no = "not " * isinstance(op, ast.NotEq | ast.NotIn)
                    call = f"{no}{enclosed_source(before, owner, ATOM)}.{how}({given})"
                    yield isinstance(at, ast.Slice), said(before, node, call)
            case ast.Compare(
                left=ast.Call(func=ast.Attribute(value=owner, attr="find" | "index"), args=[text], keywords=[]),
                ops=[ast.Eq() | ast.NotEq() as op],
                comparators=[ast.Constant(value=0)],
            ) if how == "startswith":
                no = "not " * isinstance(op, ast.NotEq)
                yield False, said(before, node, f"{no}{source_of(before, owner)}.{how}({source_of(before, text)})")


def _given(before: Snippet, text: ast.expr, at: ast.expr, how: str, *, one: bool) -> str:
    """What the call is given; "" where the sizes differ. Args: one: whether it is compared with one text."""
    if one:
        return source_of(before, text) if _size(text) and _size(text) == _cut(at, how) else ""
    size = _cut(at, how)
    match text:
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts) if {_size(each) for each in elts} == {
            size
        }:
            return f"({', '.join(source_of(before, each) for each in elts)}{',' * (len(elts) == 1)})"
        case ast.Constant(value=str(signs)) if size == "1" and len(signs) > 1:
            mark = source_of(before, text)[0]
            return "(" + ", ".join(f"{mark}{sign}{mark}" for sign in signs) + ")" if signs.isprintable() else ""
    return ""


def _size(text: ast.expr) -> str:
    """How long a text is, as it would be written."""
    match text:
        case ast.Constant(value=str() | bytes() as value):
            return str(len(value))
        case ast.Name() | ast.Attribute():
            return f"len({ast.unparse(text)})"
    return ""


def _cut(at: ast.expr, how: str) -> str:
    """How much of an end an index or a slice takes, as it would be written; "" for another one."""
    start = how == "startswith"
    match at:
        case ast.Constant(value=0) if start:
            return "1"
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)) if not start:
            return "1"
        case ast.Slice(lower=None | ast.Constant(value=0), upper=ast.expr() as size, step=None) if start:
            return ast.unparse(size)
        case ast.Slice(lower=ast.UnaryOp(op=ast.USub(), operand=size), upper=None, step=None) if not start:
            return ast.unparse(size)
    return ""


def _without_end(before: Snippet, _: str) -> Iterator[Fold]:
    """`if x.startswith(p): x = x[len(p):]` as `x = x.removeprefix(p)`, in its forms."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.IfExp(test=test, body=cut, orelse=whole) if call := _trimmed(before, test, cut, whole):
                yield said(before, node, call)
    for place in places(before):
        match place.node, following(place):
            case ast.If(test=test, body=[ast.Return(value=ast.expr() as cut)], orelse=[]), [
                ast.Return(value=ast.expr() as whole) as end
            ] if call := _trimmed(before, test, cut, whole):
                yield folded(before, place, last_row(end), f"return {call}")
            case ast.If(
                test=test,
                body=[ast.Return(value=ast.expr() as cut)],
                orelse=[ast.Return(value=ast.expr() as whole)],
            ), _ if call := _trimmed(before, test, cut, whole):
                yield folded(before, place, place.last, f"return {call}")
            case ast.If(test=test, body=[ast.Assign(targets=[target], value=cut) as one], orelse=rest), _:
                yield from _assigned(before, place, test, (target, cut, one), rest)


def _assigned(
    before: Snippet, place: Place, test: ast.expr, one: tuple[ast.expr, ast.expr, ast.Assign], rest: list[ast.stmt]
) -> Iterator[Fold]:
    target, cut, statement = one
    match rest:
        case []:
            whole = target
        case [ast.Assign(targets=[other], value=given)] if same(other, target):
            whole = given
        case _:
            return
    if call := _trimmed(before, test, cut, whole):
        yield folded(before, place, place.last, f"{head_of(before, statement)}{call}")


def _trimmed(before: Snippet, test: ast.expr, cut: ast.expr, whole: ast.expr) -> str:
    """The call for a text without an end that it is asked for, or ""."""
    match test, cut:
        case ast.Call(func=ast.Attribute(value=owner, attr=how), args=[end], keywords=[]), ast.Subscript(
            value=held, slice=ast.Slice(lower=lower, upper=upper, step=None)
        ) if how in _ENDS and same(owner, held) and same(owner, whole):
            if how == "startswith":
                size = ast.unparse(lower) if lower and not upper else ""
            else:
                size = ast.unparse(upper) if upper and not lower else ""
                size = size.removeprefix(f"len({ast.unparse(owner)}) ").lstrip("- ") if "-" in size else ""
            sizes = {_size(end), f"len({ast.unparse(end)})"} - {""}
            if size in sizes:
                return f"{source_of(before, owner)}.{_ENDS[how]}({source_of(before, end)})"
    return ""


def _join(before: Snippet, _: str) -> Iterator[Fold]:
    """A loop that only adds to a text, and a sum with one sign between its parts, as a join."""
    for place in places(before):
        match place.node, following(place, 2):
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value="") as empty), [
                ast.For(
                    target=target,
                    iter=over,
                    body=[ast.AugAssign(target=ast.Name(id=grown), op=ast.Add(), value=added)],
                    orelse=[],
                ) as loop,
                *rest,
            ] if name == grown and name not in ast.unparse(added) + ast.unparse(over):
                each, source = source_of(before, target), source_of(before, over)
                given = source if same(target, added) else f"{source_of(before, added)} for {each} in {source}"
                last, head = last_row(loop), f"{name} ="
                match rest:
                    case [ast.Return(value=ast.Name(id=again)) as end] if again == name:
                        last, head = last_row(end), "return"
                yield folded(before, place, last, f"{head} {source_of(before, empty)}.join({given})")
    for node in outside_fstrings(before.tree):
        if isinstance(node, ast.BinOp) and (call := _joined(before, node)):
            yield said(before, node, call)


def _joined(before: Snippet, node: ast.BinOp) -> str:
    """`a + "/" + b + "/" + c` by its sign, or ""."""
    parts: list[ast.expr] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
        parts.append(left.right)
        left = left.left
    parts = [left, *reversed(parts)]
    signs = [ast.unparse(one) if isinstance(one, ast.Constant) and isinstance(one.value, str) else "" for one in parts]
    if len(parts) < 3 or len(parts) % 2 == 0 or len(set(signs[1::2])) != 1 or not signs[1] or any(signs[::2]):
        return ""
    given = ", ".join(enclosed_source(before, one, IF_ELSE) for one in parts[::2])
    return f"{source_of(before, parts[1])}.join([{given}])"


TEXTS: tuple[tuple[str, Rule], ...] = (
    (r"\b(?:starts|ends)with\b|\bslic", _ends),
    (r"\bremove(?:prefix|suffix)\b", _without_end),
    (
        r"\b(?:use|with|via|by|into|to)\W+(?:the |a |str|string|single |one )*\W?\.?join\b|\bjoin instead",
        _join,
    ),
)
"""What names a rule, and the rule."""
