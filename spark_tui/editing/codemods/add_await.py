"""Every call in async code that could be awaited, and every await that could go."""

import ast
import builtins
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import end_of, start_of, text_of, walk_scope
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.slips import Spot, meant, replaced, respelled, spots
from spark_tui.editing.codemods.bugs.wraps_told import modules_of
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_SYNC = """
append extend items keys values strip lstrip rstrip split rsplit splitlines join format lower upper title startswith
endswith encode decode info debug warning error exception critical log add discard setdefault isoformat total_seconds
create_task ensure_future run_coroutine_threadsafe call_soon call_later get_event_loop get_running_loop super partial
deepcopy copy getLogger field cast strftime as_completed iscoroutinefunction iscoroutine
remove_done_callback add_done_callback
"""
_SYNC_METHODS = frozenset(_SYNC.split())
_NEVER = _SYNC_METHODS | frozenset(dir(builtins))
_TAKING = """
create_task ensure_future gather wait wait_for shield run run_until_complete run_coroutine_threadsafe Task timeout
iscoroutine start_soon as_completed add_task
"""
_HANDED_OVER = frozenset(_TAKING.split())
_ARTICLE = r"(?: the| this| an| a)? [`'\"]?await\b"
_MISSING = re.compile(
    rf"never awaited|not awaited|\b(?:add|missing|forgot|forgotten|insert|without){_ARTICLE}", re.IGNORECASE
)
_TOO_MUCH = re.compile(
    r"used in 'await' expression|\b(?:remove|drop|delete|superfluous|unneeded|unnecessary|needless|redundant|pointless)"
    + _ARTICLE,
    re.IGNORECASE,
)
_ASYNC_BLOCK = re.compile(
    r"object is not iterable|requires an object with __iter__|context manager protocol|__a?enter__|__iter__"
    r"|async (?:iter|context)|\basync[ -](?:for|with|loop|iterat\w+|context)\b|\b(?:for|with|loop)\b.{0,20}\basync\b"
)
_SILENT_PARENTS = (ast.Await, ast.Raise, ast.withitem, ast.GeneratorExp, ast.Starred)
_LACKING = re.compile(
    r"(?i)(?:(?:there is |there's )?an? )?missing(?: an?)? await|forgot(?: (?:the|an?|to))? await"
    r"|add(?: the| an?)?(?: missing)? await|await (?:is )?missing|(?:needs|lacks)(?: an)? await"
)
_NEVER_AWAITED = re.compile(r"coroutine '(?:[\w.]+\.)?(?P<name>\w+)' was never awaited")


class AddAwait(Codemod):
    """`fetch(x)` becomes `await fetch(x)` in an async function, or the reverse."""

    kind: ClassVar[str] = "add_await"
    repairs: ClassVar[bool] = True

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """The one call that may lack an await, those of plain files and of modules left out: "missing await"."""
        if told := _NEVER_AWAITED.search(request.instruction):
            return [] if request.selected else _awaited(before, told["name"])
        if request.selected or not _LACKING.fullmatch(bare(before, request.instruction)):
            return []
        never, plain = unsuited(before), {*modules_of(before), *_opened(before)}
        found = [
            with_await(before, spot)
            for spot in spots(before.tree)
            if isinstance(spot.function, ast.AsyncFunctionDef) and id(spot.node) not in never and may_be_awaited(spot)
            if isinstance(spot.node, ast.Call) and (dotted(spot.node.func) or ".").partition(".")[0] not in plain
        ]
        return [ops for ops in found if ops] if len(found) == 1 else []

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """What lacks an await comes before what has one too many."""
        add = not _TOO_MUCH.search(request.instruction)
        drop = not _MISSING.search(request.instruction)
        every = [spot for spot in spots(before.tree) if isinstance(spot.function, ast.AsyncFunctionDef)]
        never = unsuited(before)
        called = [spot for spot in every if add and id(spot.node) not in never and may_be_awaited(spot)]
        awaited = [spot for spot in every if drop and isinstance(spot.node, ast.Await)]
        if add and _ASYNC_BLOCK.search(request.instruction):
            loops = ((one, made_async(before, node)) for one, node in plain_loops(before))
            yield from meant(before, request.instruction, loops)
            return
        found = [(spot.function, with_await(before, spot)) for spot in called]
        found += [(spot.function, without_await(before, spot)) for spot in awaited]
        yield from meant(before, request.instruction, found)


def _awaited(before: Snippet, name: str) -> list[Ops]:
    """The one call of a coroutine by its name that nothing waits for, awaited."""
    found = [
        with_await(before, spot)
        for spot in spots(before.tree)
        if isinstance(spot.function, ast.AsyncFunctionDef) and id(spot.node) not in unsuited(before)
        if may_be_awaited(spot) and isinstance(spot.node, ast.Call) and called_name(spot.node) == name
    ]
    return [ops for ops in found if ops] if len(found) == 1 else []


def plain_loops(before: Snippet) -> Iterator[tuple[ast.AsyncFunctionDef, ast.For | ast.With]]:
    """The loops and with statements of async functions that could be async ones, in source order."""
    for function in before.functions:
        if isinstance(function, ast.AsyncFunctionDef):
            for node in walk_scope(function):
                if (isinstance(node, ast.For) and not _is_plain(node.iter)) or isinstance(node, ast.With):
                    yield function, node


def _is_plain(node: ast.expr) -> bool:
    """Whether one surely loops over it without waiting."""
    called = called_name(node) if isinstance(node, ast.Call) else ""
    return called in _NEVER or isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict | ast.Constant | ast.ListComp)


def made_async(before: Snippet, node: ast.stmt) -> Ops | None:
    """The `async` put before a statement."""
    start = start_of(before, node)
    return respelled(before, start, start, "async ")


def unsuited(before: Snippet) -> set[int]:
    """The ids of expressions that take no await: decorators, defaults, lambdas, generators, calls handed over."""
    roots: list[ast.AST] = []
    for node in before.nodes:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                roots += [*node.decorator_list, node.args, *filter(None, [node.returns])]
            case ast.Lambda() | ast.GeneratorExp():
                roots.append(node)
            case ast.AnnAssign():
                roots.append(node.annotation)
            case ast.AsyncFor():
                roots.append(node.iter)
            case ast.Call() if called_name(node) in _HANDED_OVER:
                roots += node.args
    return {id(inner) for root in roots for inner in ast.walk(root)}


def _opened(before: Snippet) -> set[str]:
    """The names that plain `with` statements give to what they open."""
    items = [item for node in before.nodes if isinstance(node, ast.With) for item in node.items]
    return {one.optional_vars.id for one in items if isinstance(one.optional_vars, ast.Name)}


def called_name(node: ast.Call) -> str:
    """The last part of what is called, or "" when it is no name."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def may_be_awaited(spot: Spot) -> bool:
    """Whether the expression is a call that is not awaited, of something that could be a coroutine function."""
    if not isinstance(spot.node, ast.Call) or isinstance(spot.parent, _SILENT_PARENTS):
        return False
    name = called_name(spot.node)
    never = _NEVER if isinstance(spot.node.func, ast.Name) else _SYNC_METHODS
    return bool(name) and not name[0].isupper() and name not in never and not name.startswith("__")


def with_await(before: Snippet, spot: Spot) -> Ops | None:
    """The await put in, with parentheses where it would not bind to the call."""
    start = start_of(before, spot.node)
    if not binds(spot):
        return respelled(before, start, start, "await ")
    text = text_of(before, spot.node)
    return replaced(before, spot.node, f"(await {text})") if text else None


def binds(spot: Spot) -> bool:
    """Whether what the expression stands in binds tighter than an await would."""
    parent = spot.parent
    if isinstance(parent, ast.Attribute | ast.Subscript):
        return parent.value is spot.node
    return isinstance(parent, ast.Call) and parent.func is spot.node


def without_await(before: Snippet, spot: Spot) -> Ops | None:
    """The await taken out, with the parentheses it needed."""
    assert isinstance(spot.node, ast.Await)
    start, inner = start_of(before, spot.node), start_of(before, spot.node.value)
    if start[0] != inner[0]:
        return None
    if not binds(spot):
        return respelled(before, start, inner, "")
    row, end = end_of(before, spot.node)
    line = before.lines[row]
    if row != start[0] or line[start[1] - 1 : start[1]] != "(" or line[end : end + 1] != ")":
        return None
    return respelled(before, (row, start[1] - 1), (row, end + 1), line[inner[1] : end])
