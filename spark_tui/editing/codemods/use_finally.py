"""What has to happen in any case moves into a finally."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import docstring_node, indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.checks.finally_told import finally_told
from spark_tui.editing.codemods.common.occasions import Change, Occasion, Places, blocks, inserted, shifted, solid
from spark_tui.editing.snippet import Snippet

Block = Sequence[ast.stmt]
_CLOSING = re.compile(
    r"_*(?:close\w*|aclose|release\w*|shutdown\w*|stop\w*|cleanup\w*|clean_up\w*|unlock\w*|disconnect\w*|terminate|quit"
    r"|dispose\w*|free\w*|exit\w*|end\w*|finish\w*|teardown\w*|tear_down\w*|unlink|remove|rmtree|reset\w*|restore\w*"
    r"|pop\w*|chdir|disable\w*|kill|logout|rollback|detach|unregister\w*|resume\w*|cancel\w*|join|clear|flush|delete\w*)"
)
_SURE = re.compile(r"_*(?:a?close|release|clean|restore|shutdown|tear)")
_OPENING = re.compile(r"_*(?:open|start|acquire|lock|connect|begin|enter|setup|push|enable|pause)")
_FAR = 12
_JUMPS = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom)


class UseFinally(Places):
    """The statements before the clean-up go into a try, the clean-up into its finally."""

    kind: ClassVar[str] = "use_finally"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """As everywhere; then what the words speak of, behind less or more than is usual."""
        yield from super().edits(before, request)
        yield from (between(before, lines) for lines in finally_told(before, request))

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """What follows a yield, what undoes an earlier statement, what follows a try; then calls selected or named."""
        for block in blocks(before.tree):
            if len(block) > 1 and all(stands_alone(before, one) for one in block):
                yield from _in_block(before, block, request)


def _in_block(before: Snippet, block: Block, request: Request) -> Iterator[Occasion]:
    for at in range(1, len(block)):
        one = _at(before, block, at, request) if _may_end(block[at]) else None
        if one is not None:
            yield one


def _at(before: Snippet, block: Block, at: int, request: Request) -> Occasion | None:
    """The finally that begins with a statement of a block."""
    above, start = block[at - 1], _undoes(block, at)
    if _is_yield(above):
        return _wrapped(before, block, at - 1, at, len(block) - 1) if all(map(_may_end, block[at:])) else None
    if isinstance(above, ast.Try) and not above.finalbody:
        return _appended(before, above, block[at : _run_end(block, at) + 1]) if start is not None else None
    if start is None and _asked(before, block[at], request):
        start = 1 if docstring_node_of(block) else 0
    return _wrapped(before, block, start, at, _run_end(block, at)) if start is not None and start < at else None


def docstring_node_of(block: Block) -> bool:
    """Whether a block begins with a docstring."""
    return docstring_node(ast.Module(body=list(block), type_ignores=[])) is not None


def _is_yield(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr | ast.Assign) else None
    return isinstance(value, ast.Yield)


def _may_end(node: ast.stmt) -> bool:
    """Whether a statement may be clean-up."""
    simple = isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.Delete) or (
        isinstance(node, ast.If) and not node.orelse and all(map(_may_end, node.body))
    )
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return simple and not text and not any(isinstance(one, _JUMPS) for one in ast.walk(node))


def _run_end(block: Block, at: int) -> int:
    """The last of the clean-up statements in a row."""
    while at + 1 < len(block) and _may_end(block[at + 1]) and _undoes(block, at + 1) is not None:
        at += 1
    return at


def _undoes(block: Block, at: int) -> int | None:
    """After which statement a clean-up has to be sure to happen, if it undoes or closes something."""
    node = block[at]
    if isinstance(node, ast.If):
        return _undoes([*block[:at], node.body[0]], at) if len(node.body) == 1 else None
    match node:
        case ast.Expr(value=ast.Call() as call) | ast.Expr(value=ast.Await(value=ast.Call() as call)):
            holder, name = _called(call)
            if not _CLOSING.fullmatch(name):
                return None
            about = {holder, *(ast.unparse(one) for one in call.args)} - {""}
        case ast.Assign(targets=[ast.Attribute() | ast.Name() as target]):
            about = {ast.unparse(target)}
            return next((n + 1 for n in _earlier(at) if n + 1 < at and _sets(block[n], about)), None)
        case ast.Delete(targets=[target]):
            about = {ast.unparse(target)}
        case _:
            return None
    twin = ast.unparse(node.value.func) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else ""
    for n in _earlier(at):
        if _sets(block[n], about) or _opens(block[n], about) or (twin and _calls(block[n], twin)):
            return n + 1
    return 0 if _sure(node) else None


def _earlier(at: int) -> range:
    return range(at - 1, max(at - _FAR, -1), -1)


def _calls(node: ast.stmt, function: str) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == function


def _sure(node: ast.stmt) -> bool:
    """Whether it is clean-up even where nothing tells since when."""
    call = node.value if isinstance(node, ast.Expr) else None
    call = call.value if isinstance(call, ast.Await) else call
    return isinstance(call, ast.Call) and bool(_SURE.match(_called(call)[1]))


def _called(call: ast.Call) -> tuple[str, str]:
    match call.func:
        case ast.Attribute(value=value, attr=name):
            return ast.unparse(value), name
        case ast.Name(id=name):
            return "", name
    return "", ""


def _sets(node: ast.stmt, about: set[str]) -> bool:
    match node:
        case ast.Assign(targets=targets):
            return any(ast.unparse(one) in about for target in targets for one in getattr(target, "elts", [target]))
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return ast.unparse(target) in about
    return False


def _opens(node: ast.stmt, about: set[str]) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    call = call.value if isinstance(call, ast.Await) else call
    if not isinstance(call, ast.Call):
        return False
    holder, name = _called(call)
    return holder in about and bool(_OPENING.match(name))


def _asked(before: Snippet, node: ast.stmt, request: Request) -> bool:
    """Whether the lines selected begin with a statement, or the words name what it calls or sets."""
    first, _ = statement_lines(node)
    if request.selected:
        return request.selected[0] == first
    text = before.lines[first].strip()
    return bool(text) and len(text) > 3 and text in request.instruction


def _wrapped(before: Snippet, block: Block, start: int, at: int, last: int) -> Occasion | None:
    """A try around the statements from `start` up to `at`, and a finally with those from there to `last`."""
    body, end = block[start:at], block[at : last + 1]
    if not all(map(solid, [*body, *end])):
        return None
    first, stop = statement_lines(body[0])[0], statement_lines(body[-1])[1]
    begin, close = stop + 1, statement_lines(end[-1])[1]
    while not before.lines[begin].strip():
        begin += 1
    if first == 0 or before.lines[first - 1].rstrip().endswith("\\"):
        return None
    indent = indentation(before.lines[first])
    head: Change = ((stop, len(before.lines[stop])), (begin - 1, len(before.lines[begin - 1])), f"\n{indent}finally:")
    changes = (inserted(before, first - 1, [f"{indent}try:"]), *shifted(before, first, stop), head)
    return Occasion(begin, (*changes, *shifted(before, begin, close)), _names(before, end), str(begin))


def _appended(before: Snippet, above: ast.Try, end: Block) -> Occasion | None:
    """A finally for a try that has none."""
    stop, close = statement_lines(above)[1], statement_lines(end[-1])[1]
    begin = stop + 1
    while not before.lines[begin].strip():
        begin += 1
    if not all(map(solid, end)):
        return None
    indent = indentation(before.lines[above.lineno - 1])
    head: Change = ((stop, len(before.lines[stop])), (begin - 1, len(before.lines[begin - 1])), f"\n{indent}finally:")
    return Occasion(begin, (head, *shifted(before, begin, close)), _names(before, end), str(begin))


def _names(before: Snippet, end: Block) -> tuple[str, ...]:
    found: list[str] = []
    for node in end:
        first, last = statement_lines(node)
        text = before.lines[first].strip()
        found += [text] if first == last and len(text) <= 40 else []
        for one in ast.walk(node):
            if isinstance(one, ast.Call):
                found += [f"{ast.unparse(one.func)}()", *filter(None, _called(one))]
            elif isinstance(one, ast.Attribute | ast.Name) and isinstance(one.ctx, ast.Store):
                found.append(ast.unparse(one))
    return tuple(dict.fromkeys(name for name in found if len(name) <= 40))
