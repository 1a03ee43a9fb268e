"""Words for pieces of code, and how many of these a node of a syntax tree is."""

import ast
from collections.abc import Callable

Count = Callable[[ast.AST], int]


def _are(*kinds: type[ast.AST]) -> Count:
    return lambda node: isinstance(node, kinds)


def _hints(node: ast.AST) -> int:
    return any(getattr(node, field, None) is not None for field in ("annotation", "returns"))


def _decorators(node: ast.AST) -> int:
    return len(getattr(node, "decorator_list", ()))


PIECES: tuple[tuple[str, Count], ...] = (
    (r"f-?strings?", _are(ast.JoinedStr)),
    (r"lambdas?", _are(ast.Lambda)),
    (r"(?:hints?|annotations?)", _hints),
    (r"async", _are(ast.AsyncFunctionDef)),
    (r"await", _are(ast.Await)),
    (r"try", _are(ast.Try)),
    (r"(?:with|context managers?|(?<=^ )open)", _are(ast.With, ast.AsyncWith)),
    (r"imports?", _are(ast.Import, ast.ImportFrom)),
    (r"comprehensions?", _are(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)),
    (r"(?:ternary|ternaries|conditional expressions?)", _are(ast.IfExp)),
    (r"walrus(?:es)?", _are(ast.NamedExpr)),
    (r"assert(?:ion)?s?", _are(ast.Assert)),
    (r"decorators?", _decorators),
)
"""Words for pieces of code, and how many of these there are."""


def _documented(node: ast.AST) -> int:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module
    return isinstance(node, kinds) and ast.get_docstring(node) is not None


def _caused(node: ast.AST) -> int:
    return isinstance(node, ast.Raise) and node.cause is not None


def _calls_print(node: ast.AST) -> int:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"


def _otherwise(node: ast.AST) -> int:
    return isinstance(node, ast.If | ast.For | ast.While | ast.Try) and bool(node.orelse)


def _mutable(node: ast.AST) -> int:
    defaults = (*node.defaults, *node.kw_defaults) if isinstance(node, ast.arguments) else ()
    return sum(isinstance(one, ast.List | ast.Dict | ast.Set) for one in defaults)


def _percent(node: ast.AST) -> int:
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant)):
        return 0
    return isinstance(node.left.value, str)


ALL_PIECES: tuple[tuple[str, Count], ...] = (
    *PIECES,
    (r"docstrings?", _documented),
    (r"(?:raise from|raising from|from \w+)", _caused),
    (r"prints?", _calls_print),
    (r"else(?:: ?\w+)?", _otherwise),
    (r"mutable (?:default|argument)s?", _mutable),
    (r"(?:%|percent)[ -]formatting", _percent),
    (r"(?:for )?loops?", _are(ast.For, ast.While)),
    (r"(?:unused )?variables?", lambda node: isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)),
    (r"(?:descending|reversed?|reverse order)", lambda node: isinstance(node, ast.keyword) and node.arg == "reverse"),
)
"""The same, with those that people speak of as often where another one is to come or to go."""
