"""An attribute further along or one step back: `key.curve` for `key`, `self._alias` for `self`, `.parent.parent`."""

import ast
import re
from collections.abc import Iterator
from itertools import islice

from spark_tui.editing.code import end_of, text_of
from spark_tui.editing.codemods.bugs.call_changes import in_annotations
from spark_tui.editing.codemods.bugs.mistaken import Slip, no_attribute, suggested, told_names
from spark_tui.editing.codemods.bugs.slips import Spot, spots
from spark_tui.editing.codemods.common.expression_places import spoken_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_USUAL = ("value", "name", "id")
_AGAIN = {"parent": "parent", "tb_frame": "f_back", "frame": "f_back", "f_back": "f_back"}
"""What is taken of a thing that has another one of its sort."""
_OWN = ("self", "cls")
_WRONG_THING = re.compile(r"'\w+' object has no attribute")
_ITSELF = re.compile(r"\b(?:itself|whole|without|drop|remove|lose|no|not|instead|away|rid|directly)\b", re.IGNORECASE)
_MOST, _MOST_UNSAID = 14, 8
_Known = dict[str, dict[str, None]]


def further_slips(before: Snippet, instruction: str) -> Iterator[Slip]:
    """Values with an attribute more, or without theirs: those spoken of first, then what the region takes of them."""
    if not instruction or suggested(instruction):
        return
    known, hints = _known(before), in_annotations(before)
    if any(no_attribute(instruction) in names for names in known.values()):
        yield from islice(_between(before, known, no_attribute(instruction)), _MOST)
        return
    every = [spot for spot in spots(before.tree) if id(spot.node) not in hints and _stands_whole(spot)]
    yield from islice(_again(before, every), _MOST_UNSAID)
    yield from islice(_told(before, every, known, instruction), _MOST)
    yield from islice(_seen(before, every, known), _MOST_UNSAID)
    yield from islice(_back(before, every, instruction), _MOST_UNSAID)


def _known(before: Snippet) -> _Known:
    """The attributes that the region takes of each thing that has a name, without what it calls."""
    called = {id(node.func) for node in before.nodes if isinstance(node, ast.Call)}
    found: _Known = {}
    for node in before.nodes:
        if isinstance(node, ast.Attribute) and id(node) not in called and (owner := dotted(node.value)):
            found.setdefault(owner, {})[node.attr] = None
    return found


def _stands_whole(spot: Spot) -> bool:
    """Whether a value is read for itself: passed on, given back, kept or compared."""
    node, parent = spot.node, spot.parent
    if not isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load):
        return False
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript) or _last(node)[:1].isupper():
        return False
    match parent:
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[first, *_]):
            return first is node
        case ast.Call(func=func):
            return func is not node
        case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.Return(value=value):
            return value is node
    return isinstance(parent, ast.keyword | ast.Compare | ast.BinOp | ast.Dict | ast.Tuple)


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _with(before: Snippet, spot: Spot, name: str) -> Iterator[Slip]:
    if source := text_of(before, spot.node):
        end = end_of(before, spot.node)
        yield Slip(end, end, f".{name}", (name, name.strip("_"), *re.findall(r"\w+", source)))


def _told(before: Snippet, every: list[Spot], known: _Known, instruction: str) -> Iterator[Slip]:
    """With an attribute that the words speak of: one of the region, one written as code, one that is usual."""
    of_region = dict.fromkeys(name for owner in known.values() for name in owner)
    mine = {one.name for one in before.functions}
    usual = [one for one in _USUAL if re.search(rf"\b{one}\b", instruction)]
    usual += ["value"] if _WRONG_THING.search(instruction) else []
    names = [name for name in of_region if spoken_of(instruction, name)]
    told = told_names(instruction)
    names += [one for one in told if one not in known and one not in mine]
    for spot in every:
        own, last = dotted(spot.node), _last(spot.node)
        fits = usual if isinstance(spot.parent, ast.Assign | ast.Return | ast.Compare) else []
        if own in _OWN:
            fits = [*(one for one in known.get(own, ()) if spoken_of(instruction, one)), *_like(known, instruction)]
        elif isinstance(spot.node, ast.Call) or (last and spoken_of(instruction, last)):
            fits = [*(one for one in names if last not in told or one not in told), *usual]
        for name in dict.fromkeys(fits):
            if name != last:
                yield from _with(before, spot, name)


def _like(known: _Known, instruction: str) -> list[str]:
    """The members that `self` would have, were the words named as other attributes end: `_alias` for "alias"."""
    ends = {name.rpartition("_")[2] for names in known.values() for name in names if "_" in name.strip("_")}
    return [f"_{one}" for one in re.findall(r"\b[a-z]{3,}\b", instruction) if one in ends]


def _seen(before: Snippet, every: list[Spot], known: _Known) -> Iterator[Slip]:
    """With what the region takes of the same thing elsewhere."""
    for spot in every:
        source = dotted(spot.node) or ""
        if (source not in _OWN) or isinstance(spot.parent, ast.Assign):
            for name in known.get(source, ()):
                yield from _with(before, spot, name)


def _between(before: Snippet, known: _Known, missing: str) -> Iterator[Slip]:
    """Of a thing that is said to have no such attribute: another part of it, which has attributes, before that."""
    for node in before.nodes:
        if not isinstance(node, ast.Attribute) or node.attr != missing or not isinstance(node.ctx, ast.Load):
            continue
        source = dotted(node.value) or ""
        others = [one for one in known.get(source, {}) if one != missing and f"{source}.{one}" in known]
        if source and source not in _OWN and text_of(before, node.value) == source:
            end = end_of(before, node.value)
            for one in others:
                yield Slip(end, end, f".{one}", (one, source))


def _again(before: Snippet, every: list[Spot]) -> Iterator[Slip]:
    for spot in every:
        if name := _AGAIN.get(_last(spot.node)):
            yield from _with(before, spot, name)


def _back(before: Snippet, every: list[Spot], instruction: str) -> Iterator[Slip]:
    """Without an attribute that the words name, or where they say `self` itself."""
    for spot in every:
        if not isinstance(spot.node, ast.Attribute) or not (source := text_of(before, spot.node.value)):
            continue
        told = source if source in _OWN else spot.node.attr
        if (source in _OWN or _ITSELF.search(instruction)) and re.search(rf"\b{re.escape(told)}\b", instruction):
            end = end_of(before, spot.node)
            yield Slip((end[0], end[1] - len(spot.node.attr) - 1), end, "", (spot.node.attr, source))
