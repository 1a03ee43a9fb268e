"""Add one more member to a collection, a type test or a chain of alternatives."""

import ast
import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Request, between
from spark_tui.editing.codemods.pieces.member_places import extended
from spark_tui.editing.codemods.pieces.member_words import candidates
from spark_tui.editing.codemods.pieces.members import Holder, holders
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.element_words import SKELETONS
from spark_tui.training.kinds.planting import function_at, touched

_TYPES = "str int float bool bytes list tuple set dict frozenset bytearray complex range".split()  # noqa: SIM905
_PLURAL = {"list": "lists", "tuple": "tuples", "set": "sets", "dict": "dicts", "str": "strings", "int": "integers"}


class AddElement(Kind):
    """`("a", "b")` becomes `("a", "b", "c")`.

    Slots: {element} a member in words, {literal} what a string holds, where quotes are needed; {many} and {one} two of them;
    {key} and {value} for a dict, {same} the key with the same value; {like} another member, {holder} the collection's
    name, {unsaid} when only one thing can get it; {types}, {items}, {keys}, {tests} tell what it is.
    """

    name: ClassVar[str] = "add_element"
    skeletons: ClassVar[str] = SKELETONS

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take the last member away."""
        found = [one for one in holders(snippet) if len(one.members) > 2 and one.shape in ("items", "pairs")]
        rng.shuffle(found)
        for holder in found[:3]:
            ends = holder.node.values if isinstance(holder.node, ast.Dict) else holder.members
            start, end = end_of(snippet, ends[-2]), end_of(snippet, ends[-1])
            text, key = text_of(snippet, ends[-1]), text_of(snippet, holder.members[-1])
            gap = _between(snippet, start, start_of(snippet, holder.members[-1]))
            if gap.strip() != "," or not text or not key:
                continue
            lines = splice(snippet.lines, start, end, "")
            edit = _edit(Snippet(tuple(lines)), start_of(snippet, holder.node), [key], text, rng)
            if edit:
                return Planted(Snippet(tuple(lines)), edit)
        return None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """A member made up for what can get one."""
        found = [one for one in holders(snippet) if one.members]
        if not found:
            return None
        holder = rng.choice(found)
        texts = [_invented(snippet, holder, rng) for _ in range(2 if rng.random() < 0.25 else 1)]
        if not all(texts) or len(set(texts)) < len(texts):
            return None
        last = text_of(snippet, holder.node.values[-1]) if isinstance(holder.node, ast.Dict) else ""
        return _edit(snippet, start_of(snippet, holder.node), texts, last, rng)

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """The codemod lists it for the members told."""
        if "key" in slots:
            said = f"{slots['key']} {slots['value']}" if "value" in slots else f"{slots['key']} same as {slots['same']}"
        else:
            said = slots.get("many") or slots.get("element") or ""
            said = f'"{slots["literal"]}"' if "literal" in slots else said
        return not codemods()[self.name].objection(before, after, Request(f"add {said}"))


def _between(snippet: Snippet, start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return snippet.lines[start[0]][start[1] : end[1]]
    middle = snippet.lines[start[0] + 1 : end[0]]
    return "\n".join([snippet.lines[start[0]][start[1] :], *middle, snippet.lines[end[0]][: end[1]]])


def _invented(snippet: Snippet, holder: Holder, rng: Random) -> str:
    like = rng.choice(holder.members)
    source = text_of(snippet, like)
    match like:
        case ast.Constant(value=str() as value) if source[:1] in ("'", '"') and "\\" not in source:
            sign = value[:1] if value[:1] in ("-", ".", "/") and len(value) > 1 else ""
            sign = "--" if value.startswith("--") else sign
            word = pools.variable_name(rng) if rng.random() < 0.3 else pools.noun(rng)
            return source[0] + sign + (word.upper() if value.isupper() else word) + source[0]
        case ast.Constant(value=int() | float()) if not isinstance(like.value, bool):
            return pools.number(rng)
        case ast.Name() | ast.Attribute() if source:
            return _named(source, rng)
    return ""


def _named(source: str, rng: Random) -> str:
    head, _, tail = source.rpartition(".")
    dot = f"{head}." if head else ""
    if source in _TYPES or re.match(r"[A-Z]\w*[a-z]", tail):
        return rng.choice(_TYPES) if not head and rng.random() < 0.6 else dot + pools.class_name(rng)
    if tail.isupper():
        return f"{dot}{pools.noun(rng)}_{pools.noun(rng)}".replace(dot, "").upper().join([dot, ""])
    return f"{dot}{pools.noun(rng)}_{pools.noun(rng)}"


def _edit(snippet: Snippet, place: tuple[int, int], texts: Sequence[str], value: str, rng: Random) -> Edit | None:
    among = list(holders(snippet))
    holder = next((one for one in among if start_of(snippet, one.node) == place and one.members), None)
    if holder is None or (len(texts) > 1 and holder.shape not in ("items", "lone")):
        return None
    slots = _said(texts)
    if not slots or not _heard(snippet, holder, slots, texts):
        return None
    members = list(texts)
    if holder.shape == "pairs":
        if not (pair := _paired(snippet, holder, value, rng)):
            return None
        slots = {"key": slots["element"], **pair} if "element" in slots else {}
        members = [f"{texts[0]}: {pair.get('value') or value}"]
    after = extended(snippet, holder, members)
    if after is None or not slots:
        return None
    return _placed(snippet, holder, after, slots | _sort(holder), among, rng)


def _said(texts: Sequence[str]) -> dict[str, str]:
    """The members in words."""
    bare = [text.strip("'\"") for text in texts]
    if any(not one or re.search(r"['\"\\{}]", one) for one in bare):
        return {}
    if len(texts) > 1:
        return {"many": " and ".join(bare), "one": "/".join(bare)}
    if texts[0][:1] in ("'", '"') and not re.fullmatch(r"[\w.-]*[_.\d-][\w.-]*|[A-Z]{2,}", bare[0]):
        return {"literal": bare[0], "element": bare[0]}
    return {"element": bare[0], "plural": _PLURAL[bare[0]]} if bare[0] in _PLURAL else {"element": bare[0]}


def _heard(snippet: Snippet, holder: Holder, slots: dict[str, str], texts: Sequence[str]) -> bool:
    """Whether the codemod knows the words again; those in quotes need not be certain."""
    words = slots.get("many") or slots["element"]
    heard = {text for _, text in candidates(snippet, holder, f"add {words}")}
    if set(texts) <= heard:
        return True
    slots.pop("element", None)
    return "literal" in slots and texts[0] in {text for _, text in candidates(snippet, holder, f'add "{words}"')}


def _paired(snippet: Snippet, holder: Holder, value: str, rng: Random) -> dict[str, str]:
    assert isinstance(holder.node, ast.Dict)
    values = [text_of(snippet, one) for one in holder.node.values]
    keys = [text_of(snippet, one).strip("'\"") for one in holder.members]
    same = [key for key, one in zip(keys, values, strict=True) if one == value and re.fullmatch(r"\w+", key)]
    if same and rng.random() < 0.7:
        return {"same": rng.choice(same)}
    return {"value": value} if value and re.fullmatch(r"-?[\d.]+|[\w.]*[_.][\w.]*", value) else {}


def _sort(holder: Holder) -> dict[str, str]:
    if holder.shape == "pairs":
        return {"keys": ""}
    if holder.shape in ("chain", "test"):
        return {"tests": ""}
    typed = all(isinstance(one, ast.Name | ast.Attribute) for one in holder.members)
    return {"types": ""} if typed and holder.shape == "lone" else {"items": ""}


def _placed(
    snippet: Snippet, holder: Holder, after: Sequence[str], slots: dict[str, str], among: Sequence[Holder], rng: Random
) -> Edit | None:
    ops = between(snippet, after)
    rows = touched(ops)
    names = [one for one in holder.near if sum(one in other.near for other in among) == 1 and len(one) > 2]
    members = [text_of(snippet, one).strip("'\"") for one in holder.members]
    likes = [one for one in members if one in names and re.fullmatch(r"[\w.-]+", one)]
    holding = [one for one in names if one not in members]
    if likes:
        slots["like"] = rng.choice(likes)
    if holding:
        slots["holder"] = rng.choice(holding[:2])
    alone = len([one for one in among if one.members]) == 1
    slots |= {"unsaid": ""} if alone else {}
    selected = rows if rng.random() < 0.25 or not (likes or holding or alone) else None
    where = function_at(snippet, rows[0])
    return Edit(ops, slots | ({"function": where.name} if where else {}), selected)
