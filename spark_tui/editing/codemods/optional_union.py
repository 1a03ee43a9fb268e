"""`Optional[X]` and `Union[X, Y]` against `X | None` and `X | Y`."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import statement_lines, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.occasions import Change, Occasion, Places, replaced
from spark_tui.editing.codemods.imports.import_lines import imported
from spark_tui.editing.snippet import Snippet

_TYPING = r"(?:Optional|Union|typing)"
_AGAINST = (
    r"(?:instead of|rather than|no|no more|without|from|drop|remove|replace|over|rid of|away with)\s+(?:the\s+)?[`'\"]?"
)
_FOR = r"\b(?:to|into|use|(?<!away )with|by|as|be|prefer|want|import|need)\s+(?:an?\s+|the\s+)?[`'\"]?"
_TO_OLD = re.compile(
    rf"{_FOR}(?:typing\.)?(?:old|{_TYPING})|3\.[6789]\b|\bold(?:er)?\b|FA102|unsupported operand"
    rf"|{_AGAINST}(?:\||pipe|new|bar)",
    re.IGNORECASE,
)
_TO_NEW = re.compile(
    rf"\b(?:{_AGAINST}|not )(?:typing\.)?{_TYPING}|UP007|UP045|PEP ?604|3\.1\d"
    rf"|{_FOR}(?:[\w.]+\s)?(?:\||pipe|new|bar|modern)",
    re.IGNORECASE,
)

_GONE = re.compile(
    r"\b(?:drop\w*|no longer (?:need|support|on)|left) (?:support for )?(?:python ?)?3\.\d+"
    r"|\b3\.\d+ (?:support )?(?:is|was) (?:gone|dropped|eol|over)\b",
    re.IGNORECASE,
)
"""A version that does not matter any more."""
_NO_IMPORT = re.compile(r"n[o']t (?:have |need |want )(?:to )?import\b")


class OptionalUnion(Places):
    """Either way, over whole annotations; the words tell which."""

    kind: ClassVar[str] = "optional_union"

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """Both ways, the new one first, unless the words are clear."""
        words = _NO_IMPORT.sub("without", _GONE.sub("", request.instruction))
        new, old = (pattern.search(words) is not None for pattern in (_TO_NEW, _TO_OLD))
        if new or not old:
            yield from _outermost(before, before.tree, "new")
        if old or not new:
            yield from _outermost(before, before.tree, "old")


def _outermost(before: Snippet, tree: ast.AST, variant: str) -> Iterator[Occasion]:
    """Each place that is not within another one."""
    waiting: list[tuple[ast.AST, bool, str]] = [(tree, False, "")]
    while waiting:
        node, annotation, name = waiting.pop()
        text = _rewritten(before, node, annotation, variant)
        if text and isinstance(node, ast.expr):
            changes: tuple[Change, ...] = (replaced(before, node, text),)
            if variant == "old":
                changes += tuple(
                    filter(None, (_import(before, word) for word in ("Optional", "Union") if word in text))
                )
            yield Occasion(node.lineno - 1, changes, tuple(filter(None, (name, text_of(before, node)))), variant)
            continue
        if not isinstance(node, ast.JoinedStr):
            waiting.extend(reversed(_children(node, annotation, name)))


def _import(before: Snippet, name: str) -> Change | None:
    change = imported(before, "typing", name)
    return None if change is None or not isinstance(before.tree.body[0], ast.Import | ast.ImportFrom) else change


def _children(node: ast.AST, annotation: bool, name: str) -> list[tuple[ast.AST, bool, str]]:
    """What is within a node, in source order, and whether it is an annotation, of what."""
    match node:
        case ast.arg(arg=own, annotation=ast.expr() as hint):
            return [(hint, True, own)]
        case ast.AnnAssign(target=target, annotation=hint, value=value):
            own = ast.unparse(target)
            return [(hint, True, own), *([(value, False, "")] if value else [])]
        case ast.FunctionDef(returns=ast.expr() as hint) | ast.AsyncFunctionDef(returns=ast.expr() as hint):
            rest = [(child, False, "") for child in ast.iter_child_nodes(node) if child is not hint]
            return sorted([*rest, (hint, True, "return")], key=lambda one: _place(one[0]))
    return [(child, annotation, name) for child in ast.iter_child_nodes(node)]


def _place(node: ast.AST) -> tuple[int, int]:
    if isinstance(node, ast.arguments):
        inner = [one for one in ast.walk(node) if isinstance(one, ast.arg)]
        return _place(inner[0]) if inner else (0, 0)
    if isinstance(node, ast.stmt):
        return statement_lines(node)[0] + 1, node.col_offset
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _rewritten(before: Snippet, node: ast.AST, annotation: bool, variant: str) -> str | None:
    if variant == "new":
        parts = _typing_parts(node)
        return _joined(before, parts) if parts else None
    if not annotation or not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.BitOr):
        return None
    return _subscripted(before, node)


def _typing_parts(node: ast.AST) -> list[ast.expr] | None:
    """The alternatives in Optional or Union, None for None at the end."""
    match node:
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=index) if name in (
            "Optional",
            "Union",
        ):
            inner = list(index.elts) if isinstance(index, ast.Tuple) else [index]
            inner = [deep for one in inner for deep in (_typing_parts(one) or [one])]
            if name == "Union":
                return inner if len(inner) > 1 else None
            return [*inner, ast.Constant(None)]
    return None


def _joined(before: Snippet, parts: list[ast.expr]) -> str | None:
    none = [one for one in parts if isinstance(one, ast.Constant) and one.value is None]
    others = [one for one in parts if one not in none]
    if any(isinstance(one, ast.Constant | ast.Starred) for one in others):
        return _quoted(before, others, bool(none))
    texts = [_inner(before, one) for one in others]
    if not all(texts) or not texts:
        return None
    return " | ".join(dict.fromkeys([*texts, *(["None"] if none else [])]))


def _inner(before: Snippet, node: ast.expr) -> str:
    """The source of an alternative, with what is in it rewritten too."""
    text = text_of(before, node)
    if not re.search(r"\b(?:Optional|Union)\[", text):
        return text
    for inner in ast.walk(node):
        parts = _typing_parts(inner)
        if parts and isinstance(inner, ast.expr) and (new := _joined(before, parts)):
            text = text.replace(text_of(before, inner), new)
    return text


def _quoted(before: Snippet, others: list[ast.expr], none: bool) -> str | None:
    """A forward reference takes what is joined to it into its quotes."""
    texts = []
    for one in others:
        match one:
            case ast.Constant(value=str(text)) if "|" not in text and "'" not in text and '"' not in text:
                texts.append(text)
            case ast.Constant() | ast.Starred():
                return None
            case _ if '"' in (source := text_of(before, one)) or "'" in source or not source:
                return None
            case _:
                texts.append(source)
    mark = next((text_of(before, one)[:1] for one in others if isinstance(one, ast.Constant)), '"')
    return f"{mark}{' | '.join([*texts, *(['None'] if none else [])])}{mark}" if mark in "'\"" and mark else None


def _subscripted(before: Snippet, node: ast.BinOp) -> str | None:
    parts = _alternatives(node)
    others = [one for one in parts if not (isinstance(one, ast.Constant) and one.value is None)]
    texts = [text_of(before, one) for one in others]
    if not all(texts) or any(" | " in text for text in texts) or len(parts) - len(others) > 1:
        return None
    prefix = "typing." if any("typing." in line for line in before.lines) else ""
    if len(others) == len(parts):
        return f"{prefix}Union[{', '.join(texts)}]"
    inner = texts[0] if len(texts) == 1 else f"{prefix}Union[{', '.join(texts)}]"
    return f"{prefix}Optional[{inner}]"


def _alternatives(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*_alternatives(left), *_alternatives(right)]
    return [node]
