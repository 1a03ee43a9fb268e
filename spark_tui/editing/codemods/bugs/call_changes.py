"""Calls put around an expression or taken off it, and parentheses that make a call or no call: what fix_call lists."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from spark_tui.editing.code import Function, parameters, text_of
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.bugs.slips import Spot, replaced, spots
from spark_tui.editing.snippet import Snippet

WRAPPERS = frozenset("str int float len list tuple set dict bool sorted repr range enumerate".split())  # noqa: SIM905
METHODS = frozenset("strip lower upper split items keys values encode decode copy splitlines isoformat".split())  # noqa: SIM905
_KNOWN = """
read readline readlines close strip rstrip lstrip lower upper split keys values items copy sort reverse clear
pop popitem isdigit isalpha isalnum isspace isupper islower exists is_file is_dir resolve absolute now utcnow
today cwd getcwd home commit rollback start stop flush encode decode title capitalize splitlines total_seconds
isoformat timestamp mean std tolist numpy cpu detach numel backward zero_grad fetchone fetchall cursor acquire
release is_alive is_set cancel done raise_for_status group groups groupdict hexdigest digest getvalue tell
fileno get_event_loop uuid4 monotonic perf_counter getpid nonzero any all conjugate as_posix expanduser stat
iterdir poll communicate cancelled exception result bit_length squeeze flatten ravel
"""
_METHODS = frozenset(_KNOWN.split())
_LAZY = frozenset({"map", "filter", "zip", "range", "reversed", "keys", "values", "items"})
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_DOING = (ast.Expr, ast.Await, ast.Raise)
_TIGHT = (ast.BinOp, ast.Compare, ast.UnaryOp, ast.Attribute, ast.Subscript, ast.BoolOp)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_WRAPPABLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


@dataclass(frozen=True, slots=True)
class Change:
    """An edit that puts in (or takes out) a wrapper, a method call, or the parentheses "()"."""

    spot: Spot
    word: str
    adds: bool
    text: str

    def ops(self, before: Snippet) -> Ops | None:
        """The edit, or None where the line would get too long."""
        return replaced(before, self.spot.node, self.text)


def changes(before: Snippet, wanted: frozenset[str] = frozenset()) -> Iterator[Change]:
    """Every change that its surroundings suggest; those of the wanted words wherever an expression can be wrapped."""
    called = _called_without_arguments(before)
    hints = in_annotations(before)
    for spot in spots(before.tree):
        source = "" if id(spot.node) in hints else text_of(before, spot.node)
        if not source or isinstance(getattr(spot.node, "ctx", None), ast.Store | ast.Del):
            continue
        if isinstance(spot.node, _WRAPPABLE):
            words = dict.fromkeys([*_fitting(spot), *(sorted(wanted) if is_value(spot) else ())])
            for word in words:
                yield Change(spot, word, True, f"{source}.{word}()" if word in METHODS else f"{word}({source})")
        if _lacks_parentheses(spot, called):
            yield Change(spot, "()", True, f"{source}()")
        yield from _taken_off(before, spot, source)


def in_annotations(before: Snippet) -> frozenset[int]:
    """The ids of the expressions in type annotations, where nothing is called."""
    found: list[ast.expr | None] = []
    for node in before.nodes:
        if isinstance(node, ast.AnnAssign | ast.arg):
            found.append(node.annotation)
        elif isinstance(node, Function):
            found.append(node.returns)
    return frozenset(id(inner) for root in found if root for inner in ast.walk(root))


def _fitting(spot: Spot) -> Iterator[str]:
    """The words that the place of an expression suggests."""
    node, parent = spot.node, spot.parent
    match parent:
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
            other = right if left is node else left
            if isinstance(op, ast.Add) and is_text(other) and not is_text(node):
                yield "str"
            elif is_number(other) and not is_number(node):
                yield from ("int", "float", "len")
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            other = right if left is node else left
            yield from _compared(op, node, other)
        case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over) if over is node:
            yield from _iterated(node, target)
        case ast.Call(func=ast.Name(id="range")) if not is_number(node):
            yield from ("len", "int")
        case ast.Call(func=ast.Attribute(attr="write"), args=[only]) if only is node:
            yield from ("str", "encode")
        case ast.Subscript(slice=index) if index is node and isinstance(node, ast.Name | ast.Call | ast.Subscript):
            yield "int"
        case ast.Assign() | ast.Return() | ast.keyword():
            yield from _assigned(node)


def _compared(op: ast.cmpop, node: ast.expr, other: ast.expr) -> Iterator[str]:
    if (
        is_number(other)
        and not is_number(node)
        and isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.Eq | ast.NotEq)
    ):
        yield from ("len", "int")
    if is_text(other) and not is_text(node) and isinstance(op, ast.Eq | ast.NotEq):
        yield from ("strip", "lower", "str")


def _iterated(node: ast.expr, target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Tuple) and len(target.elts) == 2 and not isinstance(node, ast.Call):
        yield from ("items", "enumerate")
    elif isinstance(target, ast.Name) and (not isinstance(node, ast.Call) or _name(node) == "len"):
        yield "range"
    if not isinstance(node, ast.Call) or _name(node) in ("keys", "values", "items"):
        yield "list"


def _assigned(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Call) and _name(node) in _LAZY:
        yield "list"
    if isinstance(node, ast.Call) and _name(node) in ("input", "readline", "read", "group"):
        yield from ("int", "strip")


def is_text(node: ast.expr) -> bool:
    """Whether an expression is a string for certain."""
    match node:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
            return is_text(left) or is_text(right)
        case ast.Call():
            return _name(node) in ("str", "repr", "format", "join")
    return False


def is_number(node: ast.expr) -> bool:
    """Whether an expression is a number for certain."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return not isinstance(value, bool)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return is_number(inner)
        case ast.Call(func=ast.Name(id="len" | "int" | "float" | "round" | "abs")):
            return True
    return False


def is_value(spot: Spot) -> bool:
    """Whether an expression stands where any other could, so that the words of the request may wrap it."""
    parent, node = spot.parent, spot.node
    if isinstance(parent, ast.Call):
        return parent.func is not node
    if isinstance(parent, ast.Subscript):
        return parent.slice is node
    return isinstance(
        parent,
        ast.keyword | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.BinOp | ast.Compare | ast.BoolOp
        | ast.For | ast.comprehension | ast.If | ast.While | ast.Tuple | ast.List | ast.Dict | ast.ListComp,
    )  # fmt: skip


def _lacks_parentheses(spot: Spot, called: frozenset[str]) -> bool:
    node, parent = spot.node, spot.parent
    if isinstance(parent, ast.Call) and parent.func is node:
        return False
    if isinstance(parent, Function | ast.ClassDef | ast.ExceptHandler | ast.arg | ast.AnnAssign | ast.Import):
        return False
    alone = isinstance(parent, ast.Expr) or (isinstance(parent, ast.While) and node is parent.test)
    match node:
        case ast.Attribute(attr=name):
            return alone or name in called or name in _METHODS
        case ast.Name(id=name):
            return (alone or name in called) and not name[0].isupper()
    return False


def uncalled(before: Snippet) -> Iterator[Change]:
    """Parentheses after each name and attribute that is returned, kept or tested as a whole."""
    for spot in spots(before.tree):
        match spot.parent:
            case ast.Return(value=whole) | ast.Assign(value=whole) | ast.AnnAssign(value=ast.expr() as whole):
                pass
            case ast.Tuple(ctx=ast.Load()):
                whole = spot.node
            case ast.While(test=whole) | ast.If(test=whole) | ast.UnaryOp(op=ast.Not(), operand=whole):
                pass
            case _:
                continue
        source = text_of(before, spot.node) if isinstance(spot.node, ast.Name | ast.Attribute) else ""
        if whole is spot.node and source not in ("", "self"):
            yield Change(spot, "()", True, f"{source}()")
            own = parameters(spot.function) if spot.function else []
            if len(own) == 2 and own[0].arg in ("self", "cls") and isinstance(spot.node, ast.Attribute):
                yield Change(spot, "()", True, f"{source}({own[1].arg})")
        made = (
            spot.node.func if isinstance(spot.node, ast.Call) and not (spot.node.args or spot.node.keywords) else None
        )
        if whole is spot.node and made and (name := text_of(before, made)).rpartition(".")[2][:1].isupper():
            yield Change(spot, "()", False, name)


def _called_without_arguments(before: Snippet) -> frozenset[str]:
    """The names that the snippet calls, or lets be called, without arguments."""
    calls = {_name(one) for one in before.nodes if isinstance(one, ast.Call) and not one.args and not one.keywords}
    plain = {one.name for one in before.functions if not _is_property(one) and _needs_nothing(one)}
    return frozenset(name for name in calls | plain if name)


def _needs_nothing(function: Function) -> bool:
    return all(one.arg in ("self", "cls") for one in parameters(function))


def _is_property(function: Function) -> bool:
    names = [one.id for one in function.decorator_list if isinstance(one, ast.Name)]
    return len(names) < len(function.decorator_list) or any("property" in name for name in names)


def _taken_off(before: Snippet, spot: Spot, source: str) -> Iterator[Change]:
    match spot.node:
        case ast.Call(func=ast.Name(id=word), args=[inner], keywords=[]) if word in WRAPPERS:
            if not isinstance(inner, ast.Starred | ast.GeneratorExp) and (text := text_of(before, inner)):
                loose = isinstance(spot.parent, _TIGHT) and not isinstance(inner, (*_WRAPPABLE, ast.Constant))
                yield Change(spot, word, False, f"({text})" if loose else text)
        case ast.Call(func=ast.Attribute(value=inner, attr=word), args=[], keywords=[]) if word in METHODS:
            if text := text_of(before, inner):
                yield Change(spot, word, False, f"({text})" if source.startswith("(") else text)
        case ast.Call(func=ast.Attribute(attr=word) | ast.Name(id=word) as function, args=[], keywords=[]):
            text = text_of(before, function)
            if text and word not in _METHODS | {"super"} and word[0].islower() and not isinstance(spot.parent, _DOING):
                yield Change(spot, "()", False, text)


def _name(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
