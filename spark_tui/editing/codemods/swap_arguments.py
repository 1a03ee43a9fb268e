"""Every pair of neighbours that may be in the wrong order."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, end_of, is_receiver, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.mistaken import Slip, edits_of, plain_nodes
from spark_tui.editing.codemods.bugs.near_misses import parts_swapped
from spark_tui.editing.codemods.signatures.signature_told import told_here
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_LEFT_OUT = (ast.Starred, ast.GeneratorExp, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Lambda)
_PARAMETERS = re.compile(r"\bparam|\bsignature\b|\b(?:order|swap) (?:of )?(?:the )?arg|\bfirst\b")
_FIELD = re.compile(r"(?<!\{)\{[^{}]+\}(?!\})")
_ONE_SIDED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.MatMult)
_SIDED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)


class SwapArguments(Codemod):
    """Two arguments of a call, the operands of an operator, two elements of a tuple, the branches of a ternary."""

    kind: ClassVar[str] = "swap_arguments"
    repairs: ClassVar[bool] = True

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Neighbours swapped, where each stands on one line; arguments come first."""
        if told := told_here(before, request, self.kind):
            yield from told
            return
        if _PARAMETERS.search(request.instruction.lower()):
            yield from edits_of(before, request, _parameters(before))
        yield from edits_of(before, request, chain(swap_slips(before), parts_swapped(before)))


def _parameters(before: Snippet) -> Iterator[Slip]:
    """Neighbours in a signature, both with a default or both without."""
    for function in before.functions:
        spec, known = function.args, {id(one) for one in function.args.defaults}
        plain = [one for one in spec.args if not is_receiver(function, one)]
        bare = len(plain) - len(known)
        for left, right in [*pairwise(plain[:bare]), *pairwise(plain[max(bare, 0) :])]:
            ends = [default_of(function, one) or one for one in (left, right)]
            (row, start), middle = start_of(before, left), end_of(before, ends[0])
            again, (last, end) = start_of(before, right), end_of(before, ends[1])
            if row == middle[0] == again[0] == last:
                line = before.lines[row]
                one, glue, two = line[start : middle[1]], line[middle[1] : again[1]], line[again[1] : end]
                yield Slip((row, start), (row, end), f"{two}{glue}{one}", (left.arg, right.arg, function.name))


def swap_slips(before: Snippet) -> Iterator[Slip]:
    """Every pair of neighbours whose order matters, swapped."""
    nodes = list(plain_nodes(before.tree))
    for node in nodes:
        if isinstance(node, ast.Call):
            yield from _pairs(before, node.args, text_of(before, node.func))
            yield from _pairs(before, [one.value for one in node.keywords if one.arg], text_of(before, node.func))
    for node in nodes:
        yield from _elements(before, node)
        yield from _operands(before, node)


def _elements(before: Snippet, node: ast.AST) -> Iterator[Slip]:
    match node:
        case ast.For(target=ast.Tuple(elts=parts)) | ast.comprehension(target=ast.Tuple(elts=parts)):
            yield from _pairs(before, parts)
        case ast.Assign(targets=[ast.Tuple(elts=parts)]) | ast.Return(value=ast.Tuple(elts=parts)):
            yield from _pairs(before, parts)
        case ast.DictComp(key=key, value=value):
            yield from _pairs(before, [key, value])


def _operands(before: Snippet, node: ast.AST) -> Iterator[Slip]:
    match node:
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ONE_SIDED) or _joins(node):
            if not (isinstance(op, ast.Mod) and _is_text(left)):
                yield from _around_operator(before, node, left, right)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _SIDED):
            yield from _around_operator(before, node, left, right)
        case ast.IfExp(body=left, orelse=right) | ast.BoolOp(op=ast.Or(), values=[left, right]):
            if not isinstance(right, ast.Constant | ast.Compare | ast.List | ast.Dict | ast.Tuple):
                yield from _around_operator(before, node, left, right)
        case ast.Assign(targets=[ast.Name() as left], value=ast.Name() as right):
            names = (left.id, right.id)
            yield Slip(start_of(before, node), end_of(before, node), f"{right.id} = {left.id}", names)
        case ast.Call(func=ast.Name(id="min" | "max" as outer), args=[ast.Call() as inner, bound]):
            yield from _clamped(before, outer, inner, bound)
        case ast.JoinedStr():
            yield from _fields(before, node)


def _clamped(before: Snippet, outer: str, inner: ast.Call, bound: ast.expr) -> Iterator[Slip]:
    """The two bounds of `max(min(x, high), low)`."""
    match inner:
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=[_, other]) if name != outer:
            start, end = start_of(before, other), end_of(before, bound)
            one, two = text_of(before, other), text_of(before, bound)
            if start[0] == end[0] and one and two:
                glue = before.lines[start[0]][end_of(before, other)[1] : start_of(before, bound)[1]]
                yield Slip(start, end, f"{two}{glue}{one}", (one, two, name, outer))


def _fields(before: Snippet, node: ast.JoinedStr) -> Iterator[Slip]:
    """Two neighbouring fields of an f-string on one line."""
    text, (row, column) = text_of(before, node), start_of(before, node)
    for left, right in pairwise(_FIELD.finditer(text)):
        if left[0] != right[0]:
            swapped = right[0] + text[left.end() : right.start()] + left[0]
            names = (left[0].strip("{}"), right[0].strip("{}"))
            yield Slip((row, column + left.start()), (row, column + right.end()), swapped, names)


def _joins(node: ast.BinOp) -> bool:
    return isinstance(node.op, ast.Add) and any(
        _is_text(one) or isinstance(one, ast.List | ast.Tuple | ast.ListComp) for one in (node.left, node.right)
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _pairs(before: Snippet, parts: Sequence[ast.expr], callee: str = "") -> Iterator[Slip]:
    for left, right in pairwise(parts):
        one, two = text_of(before, left), text_of(before, right)
        if not one or not two or one == two or isinstance(left, _LEFT_OUT) or isinstance(right, _LEFT_OUT):
            continue
        start, end = start_of(before, left), end_of(before, right)
        middle = _middle(before, left, right)
        apart = start[0] != end[0]
        if middle is None or not (_bounded(before, left, apart) and _bounded(before, right, apart)):
            continue
        slip = Slip(start, end, f"{two}{middle}{one}", (one, two, callee, callee.rpartition(".")[2]))
        if _narrow(before, slip):
            yield slip


def _middle(before: Snippet, left: ast.expr, right: ast.expr) -> str | None:
    """What stands between two neighbours; None when that is more than a comma (a name, `=`) and white space."""
    (first, start), (last, end) = end_of(before, left), start_of(before, right)
    if last - first > 1:
        return None
    lines = before.lines[first : last + 1]
    text = lines[0][start:end] if first == last else f"{lines[0][start:]}\n{lines[1][:end]}"
    return text if re.fullmatch(r"\s*[,:]\s*(\w+\s*=\s*)?", text) else None


def _bounded(before: Snippet, node: ast.expr, apart: bool) -> bool:
    """Whether an argument has no parentheses of its own around it, and no comment after it that could be its own.

    Args: apart: whether the arguments stand on several lines.
    """
    (row, start), (last, end) = start_of(before, node), end_of(before, node)
    left, right = before.lines[row][:start].rstrip(), before.lines[last][end:]
    doubled = left.endswith("(") and right.lstrip().startswith(")") and left[:-1].endswith(("(", ",", "="))
    return not doubled and not (apart and "#" in right)


def _around_operator(before: Snippet, node: ast.expr, left: ast.expr, right: ast.expr) -> Iterator[Slip]:
    """The operands with the parentheses they have, swapped; only where that is what the new text means."""
    text = text_of(before, node)
    if not text or not text.isascii() or text_of(before, left) == text_of(before, right):
        return
    shift = start_of(before, node)[1]
    middle = text[end_of(before, left)[1] - shift : start_of(before, right)[1] - shift]
    inner = middle.lstrip(" )").rstrip(" (") if not isinstance(node, ast.IfExp) else middle.strip()
    at = text.index(inner, end_of(before, left)[1] - shift) if inner else 0
    one, two = text[:at].rstrip(), text[at + len(inner) :].lstrip()
    swapped = f"{two}{text[len(one) : at]}{inner}{text[at + len(inner) : len(text) - len(two)]}{one}"
    if inner and _means(swapped, node, left, right):
        slip = Slip(start_of(before, node), end_of(before, node), swapped, (one, two, text))
        if _narrow(before, slip):
            yield slip


def _means(text: str, node: ast.expr, left: ast.expr, right: ast.expr) -> bool:
    try:
        new = parse(text, mode="eval").body
    except SyntaxError:
        return False
    match new:
        case (
            ast.BinOp(left=one, right=two)
            | ast.IfExp(body=one, orelse=two)
            | ast.BoolOp(op=ast.Or(), values=[one, two])
        ):
            same_sort = type(new) is type(node)
        case ast.Compare(left=one, comparators=[two]):
            same_sort = isinstance(node, ast.Compare)
        case _:
            return False
    return same_sort and ast.dump(one) == ast.dump(right) and ast.dump(two) == ast.dump(left)


def _narrow(before: Snippet, slip: Slip) -> bool:
    (first, start), (last, end) = slip.start, slip.end
    lines = slip.text.split("\n")
    lines[0] = before.lines[first][:start] + lines[0]
    lines[-1] += before.lines[last][end:]
    return all(len(line) <= max(MAX_WIDTH, len(before.lines[first])) for line in lines)
