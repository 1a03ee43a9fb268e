"""Entries of a dict told plainly: "add an updated field, None for now", "leave out the cache control header"."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.pieces.member_places import inserted
from spark_tui.editing.codemods.pieces.members import Holder, holders
from spark_tui.editing.codemods.pieces.pieces_gone import without_member
from spark_tui.editing.codemods.plain.plain_words import bare, names_of, value_told
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_NOUN = r"(?:field|key|entry|item|header|column|value|member)"
_WORD = r"[`'\"]?[^\W\d]\w*[`'\"]?"
_KEY = rf"(?:(?P<key>{_WORD})(?: {_NOUN})?|{_NOUN} (?P<other>{_WORD}))"
_TO = r"(?: (?:to|in|into) (?:the |each |every )?(?P<to>[\w.]+)(?: dict(?:ionary)?)?)?"
_SET = r"(?:,| with(?: value)?| set to| as| being| =|:)"
_VALUE = rf"(?:{_SET} (?P<value>[^,]+?)(?: (?:by default|as (?:the )?default|at first))?)?"
_ADDED = re.compile(rf"(?i)(?:add|include|put|insert|store) (?:an? |the )?(?:new )?{_KEY}{_TO}{_VALUE}")
_DROPPED = re.compile(
    rf"(?i)(?:remove|drop|delete|leave out|take out|omit|skip|lose|don'?t (?:include|return|have|add)"
    rf"|do not (?:include|return|have)|without|no) (?:the )?(?:number of |{_NOUN} )?(?P<key>[\w '\"-]+?)"
    rf"(?P<noun> {_NOUN})?(?: from (?:the |each )?(?P<to>[\w.]+)(?: dict(?:ionary)?)?)?"
)
_WHOLES = frozenset(
    ["dict", "dictionary", "response", "result", "entry", "row", "item", "output", "json", "it", "record"]
)


def plain_added(before: Snippet, words: str) -> list[Ops]:
    """The entry told, with the value told or the one of that name, at the end of the only dict that is meant."""
    told = _ADDED.fullmatch(bare(before, words))
    if told is None:
        return []
    key = (told["key"] or told["other"]).strip("`'\"")
    found = [one for one in _dicts(before, told["to"]) if key not in _keys(one)]
    if len(found) == 1 and (value := _value(before, found[0], key, told["value"] or "")):
        lines = inserted(before, found[0], (f"{quote(before, key)}: {value}",), len(found[0].members))
        return [between(before, lines)] if lines else []
    return []


def plain_dropped(before: Snippet, words: str) -> list[Ops]:
    """The only entry of a dict that has the key told, gone, or []."""
    told = _DROPPED.fullmatch(bare(before, words))
    if told is None:
        return []
    meant = {_letters(told["key"]), _letters(told["key"] + (told["noun"] or ""))} - {""}
    found = [
        lines
        for holder in _dicts(before, told["to"])
        for at, key in enumerate(_keys(holder))
        if _letters(key) in meant and len(holder.members) > 1
        for lines in without_member(before, list(holder.members), at, _values(holder))
    ]
    return [between(before, found[0])] if len(found) == 1 and _speaks_of_entry(before, told, words) else []


def _speaks_of_entry(before: Snippet, told: re.Match[str], words: str) -> bool:
    """Whether the key is nothing else in the code that could go, or the words say that an entry is meant."""
    name = told["key"].strip("'\"")
    names = {
        one.id if isinstance(one, ast.Name) else one.attr
        for one in before.nodes
        if isinstance(one, ast.Name | ast.Attribute)
    }
    plain = told["noun"] or told["to"] or re.search(r"(?i)\b(?:includ|number of|return)", words)
    return bool(plain) or name not in names


def _letters(words: str) -> str:
    return re.sub(r"[\W_]", "", words.lower())


def _keys(holder: Holder) -> Sequence[str]:
    return [str(one.value) if isinstance(one, ast.Constant) else "" for one in holder.members]


def _dicts(before: Snippet, name: str | None) -> Iterator[Holder]:
    """The dicts with text keys of a name, all where it only says that it is one; none of those in other dicts."""
    found = [one for one in holders(before) if one.shape == "pairs" and all(_keys(one))]
    named = [one for one in found if name in one.near]
    if named or name is None or name.lower() in _WHOLES:
        yield from named or found


def _value(before: Snippet, holder: Holder, key: str, told: str) -> str:
    """The value told, else the variable of that name, or the attribute where all others are such."""
    function = next(iter(before.functions), None)
    if function is None:
        return told if re.fullmatch(rf"{SIGNED}|\"[^\"]*\"|'[^']*'|None|True|False|\[\]|\{{\}}", told) else ""
    if told:
        return value_told(before, function, told)
    if key in names_of(function) - {"self", "cls"}:
        return key
    sources = [text_of(before, one).rpartition(".") for one in _values(holder)]
    owners = [owner for (owner, _, name), key in zip(sources, _keys(holder), strict=True) if owner and name == key]
    return f"{owners[0]}.{key}" if len({*owners}) == 1 and 2 * len(owners) > len(sources) else ""


def _values(holder: Holder) -> list[ast.expr]:
    return holder.node.values if isinstance(holder.node, ast.Dict) else []
