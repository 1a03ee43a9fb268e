"""More words for expressions: `x // n * n` for `x - x % n`, flags without one, a condition told in its head."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import ATOM
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.rewording.said_otherwise import Rule, same, source_of, within
from spark_tui.editing.snippet import Snippet

_HEAD = re.compile(r"`?\b(while|elif|if|return|assert)\s+(?=[\w(\"'\[{-])", re.IGNORECASE)
_CODE = re.compile(r"[._(\[=<>]|\bnot \w|\bis \w")
_PAIRS = {"list": "[]", "tuple": "()", "set": "{}"}


def _floored(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x - x % n` as `x // n * n`."""
    match node:
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.BinOp(left=again, op=ast.Mod(), right=step)) if same(
            left, again
        ):
            yield f"{source_of(before, left)} // {within(before, step, ATOM)} * {within(before, step, ATOM)}"
        case ast.AugAssign(target=target, op=ast.Sub(), value=ast.BinOp(left=again, op=ast.Mod(), right=step)):
            name = source_of(before, target)
            if source_of(before, again) == name:
                yield f"{name} = {name} // {source_of(before, step)} * {source_of(before, step)}"


def _fewer_flags(before: Snippet, node: ast.AST, parent: ast.AST, words: str) -> Iterator[str]:
    """`a | b | c` without the one that is named."""
    flags = _ored(node)
    if len(flags) > 1 and len(_ored(parent)) < 2:
        said = set(re.findall(r"\w+", words))
        gone = [one for one in flags if source_of(before, one).rpartition(".")[2] in said]
        if len(gone) == 1:
            yield " | ".join(source_of(before, one) for one in flags if one is not gone[0])


def _ored(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*(_ored(node.left) or [node.left]), node.right]
    return []


def _disjoint(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`not x & y` as `x.isdisjoint(y)`, `not x - y` as `x.issubset(y)`."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=test):
            pass
        case ast.Compare(left=ast.Call(func=ast.Name(id="len"), args=[test]), ops=[ast.Eq()]):
            pass
        case _:
            return
    match test:
        case (
            ast.Call(func=ast.Attribute(value=one, attr="intersection"), args=[other])
            | ast.BinOp(left=one, op=ast.BitAnd(), right=other)
        ):
            yield f"{within(before, one, ATOM)}.isdisjoint({_bare(before, other)})"
        case (
            ast.Call(func=ast.Attribute(value=one, attr="difference"), args=[other])
            | ast.BinOp(left=one, op=ast.Sub(), right=other)
        ):
            yield f"{within(before, one, ATOM)}.issubset({_bare(before, other)})"


def _bare(before: Snippet, node: ast.expr) -> str:
    """What a set is made of, as a method of sets takes anything."""
    match node:
        case ast.Call(func=ast.Name(id="set"), args=[inner], keywords=[]):
            return source_of(before, inner)
    return source_of(before, node)


def _emptied(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`del x.a` as `x.a = None`; a key that is set to None taken out, where that is told."""
    match node:
        case ast.Delete(targets=[target]):
            yield f"{source_of(before, target)} = None"
        case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)], value=ast.Constant(value=None)):
            if re.search(r"\bout\b|\bdrop|\bremove|\bpop|\bdel", words):
                yield f"{source_of(before, owner)}.pop({source_of(before, key)}, None)"
                yield f"del {source_of(before, owner)}[{source_of(before, key)}]"


def _one_of_a_kind(before: Snippet, node: ast.AST, parent: ast.AST, words: str) -> Iterator[str]:
    """A value alone as a list, a tuple or a set of one."""
    given = isinstance(parent, ast.Assign | ast.Return | ast.keyword | ast.AnnAssign) and parent.value is node
    if not given or not isinstance(node, ast.Constant | ast.Name | ast.Attribute):
        return
    for name in re.findall(r"\b(?:an?|one|single)[- ](?:one-element |single |)(list|tuple|set)\b", words.lower()):
        comma = "," if name == "tuple" else ""
        yield f"{_PAIRS[name][0]}{source_of(before, node)}{comma}{_PAIRS[name][1]}"


def _own_class(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """A class made by its name as `cls(...)` or `type(self)(...)`."""
    match node:
        case ast.Call(func=ast.Name(id=name) as func) if name[:1].isupper() and not name.endswith(
            ("Error", "Exception")
        ):
            rest = source_of(before, node)[len(source_of(before, func)) :]
            yield f"cls{rest}" if re.search(r"\bcls\b", words) else f"type(self){rest}"


def _unreversed(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Name(id="reversed"), args=[given]):
            yield source_of(before, given)


def _tested(_: Snippet, node: ast.AST, parent: ast.AST, words: str) -> Iterator[str]:
    """The condition or the value of a statement, by one told with its keyword: "while self.is_running"."""
    keyword = _keyword(node, parent)
    if not keyword:
        return
    for match in _HEAD.finditer(words):
        rest = re.split(r"[`;]|: |:$|, (?=\w+ \w+)", words[match.end() :])[0].rstrip(" .:!?")
        if match[1].lower() in keyword and is_expression(rest) and _CODE.search(rest) and len(rest) > 2:
            yield rest


def _keyword(node: ast.AST, parent: ast.AST) -> tuple[str, ...]:
    match parent:
        case ast.While(test=test) if test is node:
            return ("while",)
        case ast.If(test=test) if test is node:
            return ("if", "elif")
        case ast.Assert(test=test) if test is node:
            return ("assert",)
        case ast.Return(value=value) if value is node:
            return ("return",)
    return ()


WRITTEN: tuple[tuple[str, Rule], ...] = (
    (r"//|\bfloor|\bmodulo|\binteger div", _floored),
    (
        r"\bdefault\b|\bneedless|\bredundant|\bno need|\bn't need|\bdrop|\bremove|\bwithout|\bobsolete|\bflag",
        _fewer_flags,
    ),
    (r"\bisdisjoint|\bissubset|\bdisjoint|\bsubset", _disjoint),
    (r"\bnone\b|\bleave .*\bout\b|\bdel\b|\bpop\b", _emptied),
    (r"\b(?:list|tuple|set)\b", _one_of_a_kind),
    (r"\bcls\b|\bsubclass|type\(self\)", _own_class),
    (r"\brevers", _unreversed),
    (r"\bwhile\b|\bif\b|\breturn\b|\bassert\b", _tested),
)
"""What names a rule in lower case, and the rule."""
