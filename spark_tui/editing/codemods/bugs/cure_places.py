"""Where a value stands that a cure could be for: how well its place goes with a text, a list, a number, a path."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, parameters
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.bugs.call_changes import in_annotations
from spark_tui.editing.codemods.bugs.slips import Spot, spots
from spark_tui.editing.codemods.bugs.wraps_told import modules_of
from spark_tui.editing.snippet import Snippet

_READ = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.BoolOp, ast.ListComp, ast.GeneratorExp)
_BUILT = (ast.ListComp, ast.GeneratorExp)
_TEXTUAL = frozenset(
    """
    startswith endswith split rsplit find rfind index count replace encode lower upper strip lstrip rstrip partition
    rpartition format join isdigit isalpha isalnum casefold removeprefix removesuffix title splitlines translate
    """.split()  # noqa: SIM905 - a list of one word a line would be longer
)
_GIVES_TEXT = _TEXTUAL - {"startswith", "endswith", "find", "rfind", "index", "count", "isdigit", "encode"} | frozenset(
    "group get read readline readlines input str getenv decode parse dumps random_element hexdigest read_text".split()  # noqa: SIM905
)
_COLLECTS = frozenset("join sorted len sum set list tuple any all extend update chain zip map filter Counter".split())  # noqa: SIM905
_SEARCHES = frozenset("get pop setdefault index match search fullmatch split sub findall import_module".split())  # noqa: SIM905
_COUNTS = frozenset("min max abs round int float sqrt log range sleep format timedelta ljust rjust".split())  # noqa: SIM905
_NO_VALUES = frozenset("isinstance issubclass hasattr super type cast getattr setattr print".split())  # noqa: SIM905
_NEVER = re.compile(r"[A-Z]|cls$|is_|has_|exists|isfile|isdir")
_PATHS = ("path", "file", "dir", "folder", "root", "home", "base")


def cured_places(before: Snippet, request: Request) -> Iterator[Spot]:
    """Every value that is read within what is selected, also one that a method is called on."""
    first, last = request.selected or (0, len(before.lines))
    hints, modules = in_annotations(before), modules_of(before)
    for spot in spots(before.tree):
        node, parent = spot.node, spot.parent
        if id(node) in hints or not isinstance(node, _READ) or not first <= node.lineno - 1 <= last:
            continue
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del) or (node.end_lineno or 0) > len(before.lines):
            continue
        if isinstance(parent, ast.Call) and (parent.func is node or name_of(parent.func) in _NO_VALUES):
            continue
        if isinstance(
            parent, ast.Raise | Function | ast.ClassDef | ast.ExceptHandler | ast.With | ast.Expr | ast.Await
        ):
            continue
        if isinstance(parent, ast.Compare) and isinstance(parent.ops[0], ast.Is | ast.IsNot):
            continue
        if not (isinstance(node, ast.Name) and (node.id in {"self", "cls", *modules} or node.id[0].isupper())):
            yield spot


def fits(spot: Spot, sort: str) -> int:
    """How well the place of a value goes with a sort of value; below zero for none."""
    if (
        isinstance(spot.node, ast.Call)
        and _NEVER.match(name_of(spot.node.func))
        and (sort, name_of(spot.node.func)) != ("path", "Path")
    ):
        return -9
    match sort:
        case "text":
            return _as_text(spot) + _is_given(spot)
        case "many":
            return _as_many(spot) + _is_given(spot)
        case "number":
            return _as_number(spot)
        case "path":
            return _as_path(spot)
    return _as_any(spot) + _is_given(spot)


def _as_text(spot: Spot) -> int:
    node, parent = spot.node, spot.parent
    if isinstance(node, ast.BoolOp):
        return 3 if isinstance(parent, ast.Assign) else -9
    if isinstance(node, ast.BinOp | ast.ListComp | ast.GeneratorExp):
        return -9
    known = 4 * (isinstance(node, ast.Call) and name_of(node.func) in _GIVES_TEXT)
    match parent:
        case ast.Attribute(attr=attr):
            best = 6 if attr in _TEXTUAL else 0
        case ast.Call(func=func):
            best = 5 if name_of(func) in _SEARCHES else 1
        case ast.Subscript(slice=key):
            best = 5 * (key is node)
        case ast.Compare(ops=[ast.Eq() | ast.NotEq() | ast.In() | ast.NotIn()]):
            best = 5
        case ast.Lambda() | ast.Return():
            best = 6 if isinstance(parent, ast.Lambda) else 4
        case ast.Assign() | ast.keyword() | ast.BoolOp() | ast.DictComp() | ast.ListComp() | ast.Dict():
            best = 2
        case _:
            best = 0
    return best + known if best else -9


def _as_many(spot: Spot) -> int:
    node, parent = spot.node, spot.parent
    if isinstance(node, ast.BoolOp | ast.BinOp):
        return -9
    name = name_of(node.func if isinstance(node, ast.Call) else node)
    known = 3 * (name.endswith("s") and not name.endswith("ss")) + 3 * isinstance(node, _BUILT)
    match parent:
        case ast.Call(func=func):
            return known + (5 if name_of(func) in _COLLECTS else 1)
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return known + 5 if over is node else -9
        case ast.Return():
            return known + 3 + 2 * isinstance(node, ast.Attribute)
        case ast.Assign() | ast.AnnAssign() | ast.keyword() | ast.IfExp() | ast.Starred():
            return known + 3
    return -9


def _as_number(spot: Spot) -> int:
    node, parent = spot.node, spot.parent
    if isinstance(node, ast.BoolOp | ast.ListComp | ast.GeneratorExp):
        return -9
    known = 4 * (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div))
    match parent:
        case ast.Call(func=func):
            return known + (6 if name_of(func) in _COUNTS else 1)
        case ast.Assign() | ast.Return() | ast.keyword():
            return known + 2
        case ast.BinOp() | ast.Compare():
            return known + 3
        case ast.Subscript(slice=key) | ast.Slice(upper=key):
            return known if key is node else -9
    return -9


def _as_path(spot: Spot) -> int:
    node = spot.node
    name = name_of(node.func if isinstance(node, ast.Call) else node).lower()
    if isinstance(node, ast.BoolOp | ast.ListComp | ast.GeneratorExp):
        return -9
    if isinstance(spot.parent, ast.For | ast.If | ast.UnaryOp | ast.BoolOp | ast.comprehension):
        return -9
    built = 4 * (name == "path" and isinstance(node, ast.Call))
    return 3 * any(one in name for one in _PATHS) + built + 2 * isinstance(spot.parent, ast.Assign | ast.BinOp)


def _as_any(spot: Spot) -> int:
    node, parent = spot.node, spot.parent
    if isinstance(node, ast.BoolOp | ast.BinOp | ast.ListComp | ast.GeneratorExp):
        return -9
    known = 2 * (isinstance(node, ast.Call) and name_of(node.func) in ("get", "group", "pop", "getattr"))
    match parent:
        case ast.Assign() | ast.Return() | ast.keyword():
            return known + 3
        case ast.Call():
            return known + 1
    return -9


def _is_given(spot: Spot) -> int:
    """What a parameter, or an attribute set from one, is the likelier for."""
    if not isinstance(spot.node, ast.Name) or spot.function is None:
        return 0
    given = any(spot.node.id == one.arg for one in parameters(spot.function))
    return 2 * given + (given and isinstance(spot.parent, ast.Assign))


def name_of(node: ast.expr) -> str:
    """The last part of a dotted name, or ""."""
    return getattr(node, "id", getattr(node, "attr", ""))
