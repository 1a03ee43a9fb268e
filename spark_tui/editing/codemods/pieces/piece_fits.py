"""How well a piece of code that is told goes where another one stands, by what both are: names, types, tests."""

import ast
import builtins
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from types import EllipsisType, NoneType

from spark_tui.editing.codemods.pieces.code_pieces import Piece
from spark_tui.editing.codemods.pieces.piece_spots import Spot
from spark_tui.editing.codemods.pieces.siblings_told import alike

_TYPES = frozenset("str int float bool bytes list dict set tuple object None Any frozenset complex type".split())  # noqa: SIM905
_ERROR = re.compile(r"(?:Error|Exception|Exit|Interrupt|Warning|Iteration|Failure|Invalid\w*|Timeout)$")
_OF_NAMES = frozenset(["attribute", "parameter", "target", "owner", "import"])
_FIXED = ("string", "number", "flag", "constant")
_NEAR = 0.65
_QUITE_NEAR = 2.0
_WRAPS = 4.0
_SAME_NAME = 5.0
_LEVELS: dict[type[ast.expr], int] = {ast.NamedExpr: 0, ast.Lambda: 1, ast.IfExp: 1, ast.Compare: 5, ast.Await: 9}
_TIGHT = 10
_FLAGS = (bool, NoneType, EllipsisType)
_DISPLAYS = (ast.Tuple, ast.List, ast.Dict, ast.Set)
_STRONG = (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult)
_COMPARES = re.compile(r"(?:in|not in|is|is not) |[<>=!]=|[<>] ")


@dataclass(frozen=True, slots=True)
class Match:
    """A piece, with its tree and its words, and a spot it may be meant for. `known`: the region uses its name."""

    tree: ast.expr
    piece: Piece
    spot: Spot
    own: frozenset[str]
    known: bool

    @property
    def sorts(self) -> tuple[str, str]:
        """What sort of code the piece is, and what stands in the spot."""
        return _sort(self.tree), _sort(self.spot.node)

    @property
    def simple(self) -> bool:
        """Whether the piece is a name, a path of names or a literal."""
        return isinstance(self.tree, ast.Name | ast.Attribute | ast.Constant)


def fit(match: Match) -> float | None:
    """How well the piece goes there; None for not at all."""
    if isinstance(match.tree, ast.Constant) and isinstance(match.tree.value, str):
        return _text(match.spot)
    if match.piece.mark in ("'", '"') and match.spot.role not in _OF_NAMES:
        return None
    rule = _RULES.get(match.spot.role, _value if match.simple else _compound)
    return rule(match)


def _text(spot: Spot) -> float | None:
    """A text for what is none: a named constant, None, False."""
    return 1.0 if spot.role == "value" and _sort(spot.node) in ("constant", "flag") else None


def _hint(match: Match) -> float | None:
    parent = match.spot.parent
    if not _is_type(match.tree) or (isinstance(match.tree, ast.BinOp) and isinstance(parent, ast.BinOp)):
        return None
    part = re.search(rf"\b{re.escape(match.piece.source)}\b", match.spot.text) is not None
    return 2.0 - 0.5 * isinstance(parent, ast.expr) + part


def _class(match: Match) -> float | None:
    """A class for another one: an error where errors are caught and raised."""
    if not match.simple or match.sorts != ("class", "class"):
        return None
    fits = match.spot.role == "base" or _ERROR.search(match.piece.source)
    return 2.0 + likeness(match.piece.source, match.spot.text) if fits else None


def _named(match: Match) -> float | None:
    """A name for one that is spelt nearly like it."""
    spot, source = match.spot, match.piece.source
    if not isinstance(match.tree, ast.Name) or (spot.role == "target" and not isinstance(spot.node, ast.Name)):
        return None
    near = likeness(source, spot.text)
    if spot.role == "attribute" and source.startswith("__") and spot.text.startswith("__"):
        return 3.0 + near
    if spot.role == "attribute" and match.sorts == ("class", "class"):
        return 1.0 + 3 * near + 1.5 * _is_checked(spot)
    return 4 * near if near > _NEAR else None


def _imported(match: Match) -> float | None:
    """A name for one imported from the same module."""
    spot, source = match.spot, match.piece.source
    name = source.rpartition(".")[2]
    if not isinstance(spot.parent, ast.ImportFrom) or not isinstance(match.tree, ast.Name | ast.Attribute):
        return None
    if source not in (name, f"{spot.parent.module}.{name}"):
        return None
    near = likeness(name, spot.text)
    sure = near > _NEAR or bool(match.piece.mark) or name != source
    return 3.0 if spot.text == "*" else 1.0 + 3 * near if sure else None


def _callee(match: Match) -> float | None:
    """A function or a class for another one that is called."""
    spot, name = match.spot, match.piece.source.rpartition(".")[2]
    if not match.simple:
        return None
    if match.sorts in (("class", "class"), ("function", "function")):
        return 1.0 + 2 * likeness(match.piece.source, spot.text) + 2 * alike(spot.text.rpartition(".")[2], name)
    if hasattr(builtins, name) and hasattr(builtins, spot.text):
        return 3.0 if alike(spot.text, name) else None
    return _named(match)


def _value(match: Match) -> float | None:
    """A name or a literal for another one."""
    spot, source, (new, old) = match.spot, match.piece.source, match.sorts
    if old in _FIXED and new in ("name", "constant") and spot.name.strip("_") == source.strip("_"):
        return _SAME_NAME
    if new == old == "class":
        return 1.0 + 3 * likeness(source, spot.text) + 1.5 * _is_checked(spot)
    if not match.piece.told or new == "string" or (spot.role == "test" and new != "constant"):
        return None
    if source.startswith("__"):
        return 1.5 if old == "string" else None
    return _literal(match) if new in ("number", "flag") else _name(match)


def _literal(match: Match) -> float | None:
    """A number or a flag for a named one, or for a value that has a name."""
    old = match.sorts[1]
    if old in ("flag", "constant"):
        return 1.0 if match.sorts[0] != old or match.piece.source == "..." else None
    return 0.0 if old == "name" or (old == "string" and match.spot.name) else None


def _name(match: Match) -> float | None:
    spot, (new, old) = match.spot, match.sorts
    if new == old:
        near = 3 * likeness(match.piece.source, spot.text)
        return 1.0 + near if match.known or near > _QUITE_NEAR or new == "constant" else None
    if new not in ("name", "constant", "class"):
        return None
    if old in _FIXED:
        return 1.5 if match.known or new == "constant" else 0.5
    return _for_whole(spot, match.own)


def _for_whole(spot: Spot, own: frozenset[str]) -> float | None:
    """A name for something worked out from it, or that says the same."""
    shared = len(own & spot.words)
    if _sort(spot.node) == "compound" and isinstance(spot.node, ast.Lambda):
        return 1.5
    return 1.0 + shared / len(spot.words) if _sort(spot.node) == "compound" and shared else None


def _is_checked(spot: Spot) -> bool:
    """Whether a class is what isinstance looks for."""
    return isinstance(spot.parent, ast.Call) and ast.unparse(spot.parent.func) in ("isinstance", "issubclass")


def _compound(match: Match) -> float | None:
    """Code of several parts for what has parts in common with it, or for a plain value."""
    tree, spot, (new, old) = match.tree, match.spot, match.sorts
    if _is_type(tree) and not _is_type(spot.node):
        return None
    if spot.text in match.piece.source:
        return _around(match)
    if isinstance(tree, _DISPLAYS) and type(tree) is type(spot.node) and not _has_names(tree, spot.node):
        return 2.0
    shared = len(match.own & spot.words)
    like = 3 * shared / max(1, len(match.own)) + 2 * shared / max(1, len(spot.words)) + len(spot.text) / 100
    if new == "test":
        return like + 1 if old == "test" or spot.role == "test" else None
    if not shared:
        return 1.0 if old in _FIXED else None
    whole = isinstance(spot.parent, ast.stmt | ast.keyword)
    like -= old == "test" and spot.role == "test"
    return like + (type(tree) is type(spot.node)) + (old in ("compound", "test")) + 0.5 * whole


def _around(match: Match) -> float | None:
    """Code for a part of it: `limit or 0` for `limit`, where it is no part of that already."""
    spot, parts = match.spot, ast.walk(match.tree)
    inner = any(ast.dump(one) == ast.dump(spot.node) for one in parts if type(one) is type(spot.node))
    single = isinstance(spot.node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    return _WRAPS if inner and single and not isinstance(match.tree, ast.Compare) else None


def _has_names(*trees: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) for tree in trees for node in ast.walk(tree))


_RULES: dict[str, Callable[[Match], float | None]] = {
    "hint": _hint, "base": _class, "except": _class, "raise": _class, "import": _imported, "func": _callee,
    "attribute": _named, "parameter": _named, "target": _named, "owner": _named,
}  # fmt: skip


def bases(fragment: str, spot: Spot) -> Iterator[str]:
    """What a fragment is put behind, for it to stand in a spot."""
    node = spot.node
    if not isinstance(node, ast.expr) or spot.role in ("target", "attribute", "func"):
        return
    if spot.role == "hint" or fragment.startswith("|"):
        if spot.role == "hint" and fragment.startswith("| ") and not isinstance(spot.parent, ast.expr):
            yield spot.text
    elif fragment[0] in ".[":
        match node:
            case ast.Call(func=ast.Attribute(value=owner)) | ast.Subscript(value=owner):
                yield ast.unparse(owner)
        yield spot.text
    elif _COMPARES.match(fragment):
        yield from filter(None, [_left(node)])
    elif fragment.startswith("and "):
        yield from [_enclosed(node, spot.text, ast.And)] if spot.role == "test" else []
    elif spot.role in ("value", "owner") and not isinstance(spot.parent, ast.BoolOp):
        yield _enclosed(node, spot.text, ast.Or if fragment.startswith("or ") else None)


def _enclosed(node: ast.expr, text: str, joined: type[ast.boolop] | None) -> str:
    """The source of an expression to be put before an operator, in parentheses where it needs them."""
    same = joined and isinstance(node, ast.BoolOp) and isinstance(node.op, joined)
    weak = isinstance(node, ast.BoolOp) or _level(node) < (_LEVELS[ast.Compare] if joined else _TIGHT)
    return f"({text})" if weak and not same else text


def _left(node: ast.expr) -> str:
    """What a comparison, or each of several, has on its left; "" where there is none or not one."""
    if isinstance(node, ast.BoolOp):
        lefts = {_left(one) for one in node.values}
        return lefts.pop() if len(lefts) == 1 else ""
    return ast.unparse(node.left) if isinstance(node, ast.Compare) and len(node.ops) == 1 else ""


def written(tree: ast.expr, source: str, spot: Spot) -> str:
    """A piece with the parentheses that it needs where a spot is."""
    least, parent = 0, spot.parent
    if spot.role in ("owner", "func"):
        least = _TIGHT
    elif isinstance(parent, ast.BoolOp | ast.UnaryOp | ast.BinOp | ast.Compare):
        right = isinstance(parent, ast.BinOp) and parent.right is spot.node
        least = _level(parent) + (right or isinstance(parent, ast.Compare))
    return f"({source})" if _level(tree) < least else source


def _level(node: ast.expr) -> int:
    match node:
        case ast.BoolOp(op=op):
            return 2 if isinstance(op, ast.Or) else 3
        case ast.UnaryOp(op=op):
            return 4 if isinstance(op, ast.Not) else 8
        case ast.BinOp(op=op):
            return 7 if isinstance(op, _STRONG) else 6
    return _LEVELS.get(type(node), _TIGHT)


@lru_cache(maxsize=8192)
def likeness(one: str, other: str) -> float:
    """How alike two names are spelt, 1 for the same."""
    return SequenceMatcher(None, one, other).ratio()


def _is_type(tree: ast.AST) -> bool:
    match tree:
        case ast.Name(id=name):
            return name in _TYPES or bool(re.match(r"_*[A-Z]+[a-z]|[A-Z]$", name))
        case ast.Attribute(attr=name):
            return bool(re.match(r"_*[A-Z]+[a-z]", name))
        case ast.Subscript(value=value):
            return _is_type(value)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _is_type(left) and _is_type(right)
    return isinstance(tree, ast.Constant) and tree.value is None


def _sort(tree: ast.AST) -> str:
    match tree:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _sort_of_name(name)
        case ast.Constant(value=value):
            return "string" if isinstance(value, str) else "flag" if isinstance(value, _FLAGS) else "number"
        case ast.UnaryOp(operand=ast.Constant()):
            return "number"
        case ast.BoolOp(op=ast.Or(), values=[*_, ast.Constant() | ast.List() | ast.Dict() | ast.Tuple()]):
            return "compound"
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp():
            return "test"
    return "compound"


def _sort_of_name(name: str) -> str:
    bare = name.strip("_")
    if name in _TYPES or re.match(r"[A-Z]+[a-z]", bare):
        return "class"
    if hasattr(builtins, name) and not name.startswith("__"):
        return "function"
    return "constant" if bare.isupper() and len(bare) > 1 else "name"
