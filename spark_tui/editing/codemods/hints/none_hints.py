"""None in hints: one that lacks it or should not have it, where words speak of None and of types; bare generics."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between, parses
from spark_tui.editing.codemods.bugs.none_guards import none_defaults
from spark_tui.editing.snippet import Snippet

_NONE = re.compile(r"\b(?:None|NoneType|Optional|optional|nullable|implicit\w*)\b|\bRUF013\b|\bPEP ?484\b")
_CHECKER = re.compile(
    r"\b(?:mypy|pyright|pylance|ty|check(?:er|s)?|typ(?:e|es|ed|ing)|overl\w+|hint\w*|annotat\w+|signature|declar\w+)\b"
    r"|\[(?:arg-type|assignment|return-value|union-attr|override)\]"
    r"|\b(?:can|may|could|might|never)\b (?:\w+ )?None\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\bbare\b|\btype[ -](?:arg\w*|param\w*)|\bgenerics?\b|\bunparametri[sz]ed\b|\bstrict\b|\bof what\b|\bANN401\b"
)
_FULL = {
    "list": "list[Any]",
    "dict": "dict[str, Any]",
    "set": "set[Any]",
    "tuple": "tuple[Any, ...]",
    "type": "type[Any]",
}
_MOST = 8


def none_hints(
    before: Snippet, hints: Sequence[tuple[str, ast.expr]], named: Sequence[ast.expr], words: str
) -> Iterator[Ops]:
    """Hints that get None or lose it: those of None for a default first, then those that are named, then the rest.

    Args: hints: each with the name of what it is the hint of. named: those that the words name.
    """
    texts = islice(_texts(before, hints, named, words), _MOST)
    for node, text in texts:
        after = splice(before.lines, start_of(before, node), end_of(before, node), text)
        if text and len(after[node.lineno - 1]) <= MAX_WIDTH and parses(after):
            yield between(before, after)


def _texts(
    before: Snippet, hints: Sequence[tuple[str, ast.expr]], named: Sequence[ast.expr], words: str
) -> Iterator[tuple[ast.expr, str]]:
    nodes = [node for _, node in hints]
    if _BARE.search(words):
        yield from ((node, text) for node in nodes for text in _full(node, words))
    checked = _CHECKER.search(words)
    if not _NONE.search(words) or not checked:
        return
    implicit = _implicit(before)
    own = [node for node in nodes if node in named]
    first = [node for node in nodes if id(node) in implicit and not _allows(node)]
    for node in dict.fromkeys([*first, *own, *(nodes if not own else ())]):
        yield node, _without(before, node) if _allows(node) else with_none(before, text_of(before, node))
    for node in own:
        yield from _inside(before, node)


def _implicit(before: Snippet) -> set[int]:
    """The hints of parameters whose default is None."""
    found = set()
    for function in before.functions:
        names = none_defaults(function)
        spec = function.args
        every = (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)
        found |= {id(one.annotation) for one in every if one.arg in names and one.annotation}
    return found


def _allows(node: ast.expr) -> bool:
    """Whether a hint allows None as a whole."""
    match node:
        case ast.Constant(value=None) | ast.Name(id="None" | "Any" | "object"):
            return True
        case ast.BinOp(left=left, right=right):
            return _allows(left) or _allows(right)
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional")):
            return True
    return False


def _without(before: Snippet, node: ast.expr) -> str:
    match node:
        case ast.BinOp(left=left, right=ast.Constant(value=None)):
            return text_of(before, left)
        case ast.BinOp(left=ast.Constant(value=None), right=right):
            return text_of(before, right)
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
            return text_of(before, inner)
    return ""


def with_none(before: Snippet, source: str) -> str:
    """A hint that allows None too, as the region writes it."""
    lines = "\n".join(before.lines)
    return f"Optional[{source}]" if "Optional[" in lines and " | None" not in lines else f"{source} | None"


def _inside(before: Snippet, node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """Each type within a container with None as well."""
    for one in ast.walk(node):
        if isinstance(one, ast.Subscript) and not (isinstance(one.value, ast.Name) and one.value.id == "Literal"):
            parts = one.slice.elts if isinstance(one.slice, ast.Tuple) else [one.slice]
            for part in parts:
                if not _allows(part) and not isinstance(part, ast.List | ast.Constant):
                    yield part, with_none(before, text_of(before, part))


def _full(node: ast.expr, words: str) -> Iterator[str]:
    """A container's hint with what is in it; what a callable gives back as the words tell."""
    name = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
    if name.rpartition(".")[2] == "Callable":
        results = ("None", "Any") if re.search(r"\bNone\b|\bnothing\b", words) else ("Any", "None")
        yield from (f"{name}[..., {one}]" for one in results)
    elif name in _FULL:
        yield _FULL[name]
