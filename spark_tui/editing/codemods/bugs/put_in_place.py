"""A value that the words speak of in the place of another one of the code: "the width, not the height", "use the base".

The value is one that the region has or a dotted name that is told; it stands in for what the words speak of as well,
for what shares a part of its name, and for what is of its sort.
"""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, end_of, start_of, text_of
from spark_tui.editing.codemods.bugs.call_changes import in_annotations
from spark_tui.editing.codemods.bugs.mistaken import Slip
from spark_tui.editing.codemods.bugs.slips import Spot, spots
from spark_tui.editing.codemods.common.said import is_expression, spans
from spark_tui.editing.codemods.common.values_told import paths_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_PART = re.compile(r"[a-z]{3,}|[A-Z][a-z]{2,}")
_MOST_VALUES, _MOST = 5, 12


def put_in_place(before: Snippet, instruction: str) -> Iterator[Slip]:
    """Each value that is spoken of, where it may be meant to stand; the likeliest first."""
    values = _values(before, instruction)
    if not values:
        return
    owned = {id(one): _names(one) for one in (None, *before.functions)}
    hints, said = in_annotations(before), frozenset(_PART.findall(instruction.lower()))
    found = [
        (_score(said, spot, text, value) - at, spot, value)
        for spot in spots(before.tree)
        if id(spot.node) not in hints and _is_held(spot) and (text := text_of(before, spot.node))
        for at, value in enumerate(values)
        if _can(spot, text, value, owned[id(spot.function)])
    ]
    found.sort(key=lambda one: -one[0])
    for score, spot, value in found[:_MOST]:
        if score > 0:
            start, end = start_of(before, spot.node), end_of(before, spot.node)
            yield Slip(start, end, value, (value, text_of(before, spot.node), value.rpartition(".")[2]))


def _values(before: Snippet, instruction: str) -> list[str]:
    """The values that the words name, those spelt as code first."""
    words = instruction.lower()
    surely = {span.text for span in spans(instruction) if span.solid}
    told = {one.removesuffix("s") for one in re.findall(r"[a-z]+", words)} | set(re.findall(r"[a-z]+", words))
    found: dict[str, int] = {}
    for span in spans(instruction):
        text = span.text.removesuffix("()") if not span.mark else span.text
        if "." in text and re.fullmatch(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+(?:\(\))?", text) and is_expression(text):
            found[text] = 2
    for name, path in paths_of(before).items():
        parts = [one for one in name.rpartition(".")[2].lower().strip("_").split("_") if one]
        if name in surely or path in surely:
            found.setdefault(path, 3)
        elif (
            len("".join(parts)) > 2
            and all(one in words for one in parts)
            and re.search(rf"(?<![\w.']){'[ _-]?'.join(map(re.escape, parts))}s?(?!\w)", words)
        ):
            found.setdefault(path, 1 + (len(parts) > 1))
        elif any(len(one) > 3 and one in told for one in parts):
            found.setdefault(path, 0)
    return sorted(found, key=lambda one: -found[one])[:_MOST_VALUES]


def _is_held(spot: Spot) -> bool:
    """Whether an expression is a value that another one could stand in for."""
    node, parent = spot.node, spot.parent
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Constant | ast.Call | ast.JoinedStr):
        return False
    if not isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load):
        return False
    if isinstance(node, ast.Constant) and (node.value is Ellipsis or isinstance(parent, ast.Expr)):
        return False
    called = isinstance(parent, ast.Call) and parent.func is node
    return not called and not isinstance(
        parent, ast.Expr | ast.Attribute | ast.JoinedStr | ast.FormattedValue | ast.Slice
    )


def _can(spot: Spot, text: str, value: str, names: frozenset[str]) -> bool:
    root = value.partition(".")[0]
    inside = re.search(rf"(?<![\w.]){re.escape(value)}(?!\w)", text) is not None
    assigned = isinstance(spot.parent, ast.Assign) and any(dotted(one) == value for one in spot.parent.targets)
    return not inside and not assigned and (root in ("self", "cls") or spot.function is None or root in names)


def _names(function: Function | None) -> frozenset[str]:
    """The names that a function has."""
    nodes = ast.walk(function) if function else ()
    return frozenset(_name(one) for one in nodes if isinstance(one, ast.Name | ast.arg))


def _name(node: ast.Name | ast.arg) -> str:
    return node.id if isinstance(node, ast.Name) else node.arg


def _score(said: frozenset[str], spot: Spot, text: str, value: str) -> int:
    """How likely a value is meant to stand there: by the words, by the names, by the sort."""
    node, own = spot.node, set(_PART.findall(text.lower()))
    shared = set(_PART.findall(value.lower())) & own
    alike = isinstance(node, ast.Name | ast.Attribute) and not isinstance(spot.parent, ast.Compare)
    score = 3 * len(shared) + 2 * alike + 2 * len(said & own) + 2 * len(said & set(_PART.findall(_owner(spot).lower())))
    if isinstance(node, ast.Constant):
        score += 2 * (node.value is None or isinstance(node.value, bool)) - 2
    return score - 3 * isinstance(node, ast.Call)


def _owner(spot: Spot) -> str:
    """What a value is given to."""
    match spot.parent:
        case ast.keyword(arg=str(name)):
            return name
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return (dotted(target) or "").rpartition(".")[2]
    return ""
