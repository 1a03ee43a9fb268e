"""Calls of os.path and os become those of pathlib."""

import ast
from collections.abc import Iterator, Mapping
from typing import ClassVar

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.occasions import Change, Occasion, Places, replaced
from spark_tui.editing.codemods.imports.import_lines import imported
from spark_tui.editing.snippet import Snippet

_TESTS: Mapping[str, str] = {
    "os.path.exists": ".exists()", "os.path.isfile": ".is_file()", "os.path.isdir": ".is_dir()",
    "os.path.islink": ".is_symlink()", "os.path.isabs": ".is_absolute()", "os.path.basename": ".name",
    "os.path.getsize": ".stat().st_size", "os.path.getmtime": ".stat().st_mtime", "os.stat": ".stat()",
    "os.remove": ".unlink()", "os.unlink": ".unlink()", "os.rmdir": ".rmdir()", "os.mkdir": ".mkdir()",
}  # fmt: skip
"""What gives no path, so that it can stand anywhere."""
_PATHS: Mapping[str, str] = {
    "os.path.dirname": ".parent", "os.path.abspath": ".resolve()", "os.path.realpath": ".resolve()",
    "os.path.expanduser": ".expanduser()",
}  # fmt: skip
_TWO: Mapping[str, str] = {"os.rename": "rename", "os.replace": "replace", "os.path.samefile": "samefile"}
_LOOSE = (ast.BinOp, ast.BoolOp, ast.IfExp, ast.Lambda, ast.Compare, ast.UnaryOp, ast.Await, ast.NamedExpr)


class UsePathlib(Places):
    """`os.path.join(a, b)` becomes `Path(a) / b`, `os.path.exists(p)` `Path(p).exists()`, `open(p)` `Path(p).open()`.

    A call that gives a path stays where a string is needed at once: in a sum, a comparison, or as an owner.
    """

    kind: ClassVar[str] = "pathlib"

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """Each outermost call, os and os.path before open; with the import where the region has imports."""
        whole = _whole_module(before)
        line = imported(before, "pathlib", "Path") if _imports_first(before) and not whole else None
        more: tuple[Change, ...] = (line,) if line else ()
        writer = _Writer(before, "pathlib.Path" if whole else "Path")
        later: list[Occasion] = []
        for node, parent in _calls(before.tree):
            text = writer.written(node, parent)
            if text:
                name = ast.unparse(node.func)
                one = Occasion(node.lineno - 1, (replaced(before, node, text), *more), (name, text_of(before, node)))
                later.append(one) if name == "open" else (yield one)
        yield from later


def _imports_first(before: Snippet) -> bool:
    body = [node for node in before.tree.body if not isinstance(node, ast.Expr)]
    return bool(body) and isinstance(body[0], ast.Import | ast.ImportFrom)


def _whole_module(before: Snippet) -> bool:
    return any("pathlib.Path" in line or line.strip() == "import pathlib" for line in before.lines)


def _calls(tree: ast.AST) -> Iterator[tuple[ast.Call, ast.AST]]:
    """Every call outside f-strings with its parent, outer ones first; what is within one that changes is left out."""
    waiting: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
    while waiting:
        node, parent = waiting.pop()
        if isinstance(node, ast.Call) and _known(node):
            yield node, parent
            if _convertible(node):
                continue
        if not isinstance(node, ast.JoinedStr):
            waiting.extend((child, node) for child in reversed(list(ast.iter_child_nodes(node))))


def _name(node: ast.Call) -> str:
    function: ast.expr = node.func
    parts = []
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    return ".".join(reversed([*parts, function.id])) if isinstance(function, ast.Name) else ""


def _known(node: ast.Call) -> bool:
    name = _name(node)
    return (
        name in _TESTS or name in _PATHS or name in _TWO or name in ("os.path.join", "os.makedirs", "os.getcwd", "open")
    )


def _convertible(node: ast.Call) -> bool:
    """Whether nothing about the arguments forbids it."""
    name, count = _name(node), len(node.args)
    if any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords):
        return False
    if name == "open":
        return count >= 1 and not (isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, int))
    if name == "os.makedirs":
        return count == 1 and all(one.arg == "exist_ok" for one in node.keywords)
    if node.keywords:
        return False
    return count >= 2 if name == "os.path.join" else count == {"os.getcwd": 0, **dict.fromkeys(_TWO, 2)}.get(name, 1)


def _takes_path(parent: ast.AST, node: ast.AST) -> bool:
    """Whether a path may stand where a string was."""
    match parent:
        case ast.Assign() | ast.AnnAssign() | ast.Return() | ast.keyword() | ast.withitem() | ast.Expr() | ast.List():
            return True
        case ast.Tuple() | ast.Dict() | ast.NamedExpr() | ast.Await() | ast.Yield():
            return True
        case ast.Call(func=function):
            return function is not node and not (isinstance(function, ast.Attribute) and function.attr in _OF_STRINGS)
    return False


_OF_STRINGS = frozenset(["startswith", "endswith", "join", "replace", "split", "index", "find", "count", "encode"])


class _Writer:
    """Writes a call with pathlib; `path` is what the class is called in the region."""

    def __init__(self, before: Snippet, path: str) -> None:
        self._before, self._path = before, path

    def written(self, node: ast.Call, parent: ast.AST) -> str | None:
        """The new source, or None where it would not do the same."""
        name = _name(node)
        if not _convertible(node) or not text_of(self._before, node):
            return None
        gives_path = name in _PATHS or name in ("os.path.join", "os.getcwd")
        if gives_path and not _takes_path(parent, node):
            return None
        return self._source(node)

    def _source(self, node: ast.Call) -> str:
        name = _name(node)
        if name == "os.getcwd":
            return f"{self._path}.cwd()"
        if name == "os.path.join":
            return " / ".join([self._as_path(node.args[0], joined=True), *map(self._part, node.args[1:])])
        return self._as_path(node.args[0]) + self._method(name, node)

    def _method(self, name: str, node: ast.Call) -> str:
        named = [f"{one.arg}={self._text(one.value)}" for one in node.keywords]
        rest = ", ".join([*map(self._text, node.args[1:]), *named])
        if name in _TWO:
            return f".{_TWO[name]}({rest})"
        if name == "os.makedirs":
            return f".mkdir({', '.join(['parents=True', *named])})"
        return f".open({rest})" if name == "open" else (_TESTS.get(name) or _PATHS[name])

    def _as_path(self, node: ast.expr, *, joined: bool = False) -> str:
        """A path made of an expression, as an owner unless it is `joined` to more."""
        if isinstance(node, ast.Call) and _known(node) and _convertible(node) and _name(node) not in (*_TESTS, "open"):
            text = self._source(node)
            return f"({text})" if " / " in text and not joined else text
        return f"{self._path}({self._text(node)})"

    def _part(self, node: ast.expr) -> str:
        return f"({self._text(node)})" if isinstance(node, _LOOSE) else self._text(node)

    def _text(self, node: ast.expr) -> str:
        return text_of(self._before, node)
