"""More words for a statement: `x = x + y` for `x += y`, `x.sort()` for `x = sorted(x)`, no `return` before a call."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import OR
from spark_tui.editing.codemods.rewording.said_otherwise import Rule, source_of, summands, within
from spark_tui.editing.snippet import Snippet

_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitOr: "|", ast.BitAnd: "&",
}  # fmt: skip
_FIRST_FIELD = re.compile(r"[fF](['\"])\{([^{}]+)\}(?P<rest>[^'\"]+)\1")


def _unreturned(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """A call for its own sake."""
    match node:
        case ast.Return(value=ast.Call() | ast.Await() as value):
            yield source_of(before, value)


def _unassigned(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    match node:
        case ast.Assign(targets=[ast.Name(id="_")], value=value):
            yield source_of(before, value)


def _anew(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x += y` as `x = x + y`, so that who holds the same list sees none of it."""
    match node:
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in _SIGNS:
            name = source_of(before, target)
            yield f"{name} = {name} {_SIGNS[type(op)]} {_operand(before, value, op)}"


def _operand(before: Snippet, value: ast.expr, op: ast.operator) -> str:
    """The right side of an operator, in parentheses where it holds less than that."""
    loose = isinstance(value, ast.BinOp) and not (isinstance(op, ast.Add) and not isinstance(value.op, ast.Add))
    return f"({source_of(before, value)})" if loose else within(before, value, OR + 4)


def _added(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x = x + y + z` as `x += y + z`, `x = f"{x}s"` as `x += "s"`."""
    match node:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.BinOp() as value):
            name, rest = source_of(before, target), source_of(before, value)
            first, *more = (source_of(before, one) for one in summands(value))
            if first == name and more and rest.removeprefix(name).lstrip().startswith("+"):
                yield f"{name} += {rest.removeprefix(name).lstrip()[1:].lstrip()}"
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.JoinedStr() as value):
            name = source_of(before, target)
            if (match := _FIRST_FIELD.fullmatch(source_of(before, value))) and match[2] == name:
                yield f"{name} += {'f' * ('{' in match['rest'])}{match[1]}{match['rest']}{match[1]}"


def _in_place(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x = sorted(x, ...)` as `x.sort(...)`, and the reverse."""
    match node:
        case ast.Assign(
            targets=[ast.Name() | ast.Attribute() as target],
            value=ast.Call(func=ast.Name(id="sorted"), args=[given], keywords=words),
        ) if source_of(before, target) == source_of(before, given):
            yield f"{source_of(before, target)}.sort({_keywords(before, words)})"
        case ast.Assign(
            targets=[ast.Name() | ast.Attribute() as target],
            value=ast.Call(func=ast.Name(id="list"), args=[ast.Call(func=ast.Name(id="reversed"), args=[given])]),
        ) if source_of(before, target) == source_of(before, given):
            yield f"{source_of(before, target)}.reverse()"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="sort"), args=[], keywords=words)):
            name = source_of(before, owner)
            yield f"{name} = sorted({', '.join(filter(None, (name, _keywords(before, words))))})"


def _keywords(before: Snippet, words: list[ast.keyword]) -> str:
    return ", ".join(f"{one.arg}={source_of(before, one.value)}" for one in words if one.arg)


def _backwards(before: Snippet, node: ast.AST, parent: ast.AST, __: str) -> Iterator[str]:
    """`list(reversed(sorted(x)))` and `sorted(x)[::-1]` as `sorted(x, reverse=True)`."""
    inner: ast.AST | None = None
    match node:
        case ast.Call(func=ast.Name(id="list"), args=[ast.Call(func=ast.Name(id="reversed"), args=[ordered])]):
            inner = ordered
        case ast.Call(func=ast.Name(id="reversed"), args=[ordered]) if not _is_list(parent):
            inner = ordered
        case ast.Subscript(value=ordered, slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp())):
            inner = ordered
    match inner:
        case ast.Call(func=ast.Name(id="sorted"), args=[given], keywords=words):
            more = _keywords(before, [one for one in words if one.arg != "reverse"])
            if len(words) == more.count("=") or not words:
                yield f"sorted({', '.join(filter(None, (source_of(before, given), more, 'reverse=True')))})"


def _is_list(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "list"


def _quiet(_: Snippet, node: ast.AST, __: ast.AST, words: str) -> Iterator[str]:
    """A raise as a bare way out."""
    if isinstance(node, ast.Raise) and node.exc:
        yield from ("return", "pass") if "ignor" in words or "silent" in words else ("return",)


STATED: tuple[tuple[str, Rule], ...] = (
    (
        (
            r"\bno (?:need (?:to|for a) )?return|\breturns? (?:is|isn't|value|nothing|none|not|anyway)"
            r"|n't (?:need to )?return|\bwithout (?:a |the )?return|\bneedless return"
            r"|\b(?:drop|remove|lose|cut) (?:the |that |this )?return"
            r"|\bnothing to return|\breturn\b.*\b(?:needed|useless|pointless|needless|odd|go)\b"
        ),
        _unreturned,
    ),
    (r"\bassign|\b_\b|\bunderscore|\bunused|\bthrow", _unassigned),
    (r"\+=|[-|&*]=|\bmutat|\bin[- ]place|\bnew (?:one|list|tuple|set|object|string)|\baugmented", _anew),
    (r"\+=|\baugmented|\bappend\b", _added),
    (r"\bin[- ]place|\.sort\b|\bsort\(|\bsorted\b|\.reverse\b|\bmutat", _in_place),
    (r"\brevers", _backwards),
    (r"n't (?:raise|throw|fail|crash)|\b(?:not|no|never) (?:raise|error|exception)|\bignor|\bsilent", _quiet),
)
"""What names a rule in lower case, and the rule."""
