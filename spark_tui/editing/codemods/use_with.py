"""Files, sockets and locks that are closed by hand, or never, get a with statement."""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar

from spark_tui.editing.code import indentation, start_of, statement_lines, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.occasions import (
    Change,
    Occasion,
    Places,
    bare_line,
    blocks,
    gone,
    names_of,
    new_names,
    replaced,
    scope_at,
    shifted,
    solid,
)
from spark_tui.editing.snippet import Snippet

OPENERS = frozenset([
    "open", "fdopen", "urlopen", "socket", "create_connection", "TemporaryFile", "NamedTemporaryFile", "ZipFile",
    "SpooledTemporaryFile", "TarFile", "StringIO", "BytesIO", "FileIO", "Session", "ClientSession", "GzipFile",
    "BZ2File", "LZMAFile", "mmap", "scandir",
])  # fmt: skip
_READERS = frozenset(["read", "readlines", "readline", "write", "writelines"])
_CONSUMERS = frozenset(
    ["load", "safe_load", "dump", "list", "sum", "len", "sorted", "set", "tuple", "join", "max", "min"]
)
_LAZY = frozenset(["reader", "DictReader", "writer", "DictWriter", "enumerate", "iter", "map", "filter"])


class UseWith(Places):
    """`f = open(p)` with `f.close()`, `lock.acquire()` with `lock.release()`, and files that are never closed."""

    kind: ClassVar[str] = "use_with"

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """What is closed first, then what is not."""
        later: list[Occasion] = []
        for block in blocks(before.tree):
            for at, node in enumerate(block):
                if one := _closed(before, block, at):
                    yield one
                elif one := (
                    _never_closed(before, block, at)
                    or _never_released(before, block, at)
                    or _inline(before, node, request)
                ):
                    later.append(one)
        yield from later


def opened(statement: ast.stmt) -> tuple[str, str, str] | None:
    """What a statement opens: the name that is closed, by which method, and the head of the with statement."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function) as call):
            if callee(function) in OPENERS:
                return name, "close", f"with {ast.unparse(call)} as {name}:"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=lock, attr="acquire"), args=[], keywords=[])) if (
            ast.unparse(lock) != "self"
        ):
            return ast.unparse(lock), "release", f"with {ast.unparse(lock)}:"
        case ast.Expr(value=ast.Await(value=ast.Call(func=ast.Attribute(value=lock, attr="acquire"), args=[]))):
            return ast.unparse(lock), "release", f"async with {ast.unparse(lock)}:"
    return None


def callee(function: ast.expr) -> str:
    """The last part of what is called."""
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _closes(statement: ast.stmt, name: str, method: str) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=attr), args=[], keywords=[])) if (
            attr == method
        ):
            return ast.unparse(owner) == name
    return False


def _head(before: Snippet, statement: ast.stmt, head: str) -> Change:
    """The change of the statement that opens; with the call as it is written."""
    if isinstance(statement, ast.Assign):
        head = f"with {text_of(before, statement.value)} as {text_of(before, statement.targets[0])}:"
    return replaced(before, statement, head)


def _closed(before: Snippet, block: Sequence[ast.stmt], at: int) -> Occasion | None:
    found = opened(block[at])
    if found is None or not bare_line(before, block[at]) or at + 1 == len(block):
        return None
    name, method, head = found
    names = (name, head.split()[1].partition("(")[0].rstrip(":"))
    following = block[at + 1]
    match following:
        case ast.Try(handlers=[], orelse=[], finalbody=[last]) if _closes(last, name, method):
            change = _without_try(before, following, last)
            if change is None or _used(block[at + 2 :], name, method):
                return None
            return Occasion(block[at].lineno - 1, (_head(before, block[at], head), *change), names)
    end = next((n for n in range(at + 1, len(block)) if _closes(block[n], name, method)), 0)
    if end <= at + 1 or _used(block[end + 1 :], name, method) or not _movable(block[at], block[at + 1 : end]):
        return None
    if not bare_line(before, block[end]):
        return None
    first, last_line = statement_lines(block[at])[1] + 1, block[end].lineno - 2
    changes = (
        _head(before, block[at], head),
        *shifted(before, first, last_line),
        gone(before, last_line + 1, last_line + 1),
    )
    return Occasion(block[at].lineno - 1, changes, names)


def _without_try(before: Snippet, node: ast.Try, last: ast.stmt) -> list[Change] | None:
    """The changes that take away try, finally and what that does; the body keeps its place."""
    first, body_end = statement_lines(node.body[0])[0], statement_lines(node.body[-1])[1]
    rest = [at for at in range(body_end + 1, last.lineno - 1) if before.lines[at].strip()]
    if before.lines[node.lineno - 1].strip() != "try:" or not bare_line(before, last) or first <= node.lineno - 1:
        return None
    if [before.lines[at].strip() for at in rest] != ["finally:"]:
        return None
    return [gone(before, node.lineno - 1, node.lineno - 1), gone(before, body_end + 1, last.lineno - 1)]


def _used(rest: Sequence[ast.stmt], name: str, method: str) -> bool:
    """Whether what was closed is used again, before it is opened anew."""
    if method == "release":
        return False
    for statement in rest:
        found = opened(statement)
        if found and found[0] == name:
            return False
        if name in names_of(statement):
            return True
    return False


def _movable(head: ast.stmt, body: Sequence[ast.stmt]) -> bool:
    lines = [statement_lines(one) for one in body]
    own = statement_lines(head)[1] < lines[0][0] and all(one[1] < two[0] for one, two in pairwise(lines))
    return own and all(map(solid, body)) and not any(isinstance(one, ast.FunctionDef | ast.ClassDef) for one in body)


def _never_closed(before: Snippet, block: Sequence[ast.stmt], at: int) -> Occasion | None:
    """A file that only the statements right after it use."""
    found = opened(block[at])
    if (
        found is None
        or found[1] != "close"
        or not found[2].startswith("with open(")
        or not bare_line(before, block[at])
    ):
        return None
    name = found[0]
    names = {name}
    end = at
    for number, statement in enumerate(block[at + 1 :], at + 1):
        if names & names_of(statement):
            end = number
            if name in names_of(statement) and not _only_consumed(statement, name):
                return None
            names |= _lazy_names(statement, name)
    body = block[at + 1 : end + 1]
    whole = [n for n in ast.walk(scope_at(before, block[at].lineno - 1)) if isinstance(n, ast.Name) and n.id == name]
    inside = [n for one in block[at : end + 1] for n in ast.walk(one) if isinstance(n, ast.Name) and n.id == name]
    if not body or len(whole) != len(inside) or not _movable(block[at], body) or before.tree.body is block:
        return None
    last = statement_lines(body[-1])[1]
    changes = (_head(before, block[at], found[2]), *shifted(before, statement_lines(block[at])[1] + 1, last))
    return Occasion(block[at].lineno - 1, changes, (name, "open"))


def _never_released(before: Snippet, block: Sequence[ast.stmt], at: int) -> Occasion | None:
    """A lock that nothing lets go, held for the rest of its block."""
    found = opened(block[at])
    if found is None or found[1] != "release" or not bare_line(before, block[at]) or at + 1 == len(block):
        return None
    scope = scope_at(before, block[at].lineno - 1)
    if any(_closes(one, found[0], "release") for one in ast.walk(scope) if isinstance(one, ast.stmt)):
        return None
    if not all(map(solid, block[at + 1 :])):
        return None
    last = statement_lines(block[-1])[1]
    changes = (_head(before, block[at], found[2]), *shifted(before, statement_lines(block[at])[1] + 1, last))
    return Occasion(block[at].lineno - 1, changes, (found[0], "lock"))


def _only_consumed(statement: ast.stmt, name: str) -> bool:
    """Whether a file is only read and written, never kept, returned or closed."""
    fine: set[int] = set()
    for node in ast.walk(statement):
        match node:
            case ast.Attribute(value=ast.Name(id=own) as file, attr=attr) if own == name and attr != "close":
                fine.add(id(file))
            case ast.For(iter=ast.Name(id=own) as file) | ast.comprehension(iter=ast.Name(id=own) as file) if (
                own == name
            ):
                fine.add(id(file))
            case ast.Call(func=function, args=arguments) if callee(function) in _CONSUMERS | _LAZY:
                fine.update(id(one) for one in arguments)
    uses = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name]
    return all(id(node) in fine for node in uses) and not any(
        isinstance(node, ast.Yield | ast.Lambda | ast.FunctionDef) for node in ast.walk(statement)
    )


def _lazy_names(statement: ast.stmt, name: str) -> set[str]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=new)], value=ast.Call(func=function)) if callee(function) in _LAZY:
            return {new} if name in names_of(statement.value) else set()
    return set()


def _inline(before: Snippet, node: ast.stmt, request: Request) -> Occasion | None:
    """`open(p).read()` within a statement of one line, or `for line in open(p)`."""
    if not isinstance(node, ast.Assign | ast.Return | ast.Expr | ast.For | ast.AugAssign):
        return None
    call = _read_call(node)
    first, last = statement_lines(node)
    if call is None or not solid(node) or not text_of(before, call) or call.lineno - 1 != first:
        return None
    if indentation(before.lines[first]) != before.lines[first][: start_of(before, node)[1]]:
        return None
    name = _file_name(before, first, request)
    head = f"{indentation(before.lines[first])}with {text_of(before, call)} as {name}:\n"
    moved = shifted(before, first + 1, last)
    unit = before.layout.unit
    start = ((first, 0), (first, 0), head + unit)
    return Occasion(first, (start, replaced(before, call, name), *moved), ("open", callee(call.func)))


def _read_call(node: ast.stmt) -> ast.Call | None:
    """The only call of open in a statement, when what it opens is used up there."""
    if isinstance(node, ast.For):
        return node.iter if isinstance(node.iter, ast.Call) and _opens(node.iter) else None
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    found = [one for one in calls if _opens(one)]
    if len(found) != 1:
        return None
    for call in calls:
        match call:
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if owner is found[0] and attr in _READERS:
                return found[0]
            case ast.Call(func=function, args=[*arguments]) if found[0] in arguments and callee(function) in _CONSUMERS:
                return found[0]
    return None


def _opens(call: ast.Call) -> bool:
    return ast.unparse(call.func) in ("open", "io.open", "gzip.open", "codecs.open", "bz2.open", "lzma.open")


def _file_name(before: Snippet, line: int, request: Request) -> str:
    known = names_of(scope_at(before, line))
    return next(
        name for name in [*new_names(before, request), "f", "file", "fh", "handle", "file_"] if name not in known
    )
