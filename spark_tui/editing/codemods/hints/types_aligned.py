"""Types told without much ado, put to the parameters and the return they belong to: "int to str", "both bytes"."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from spark_tui.editing.code import Function
from spark_tui.editing.codemods.hints.type_prose import without_messages
from spark_tui.editing.codemods.hints.typing_words import TypeReader, names_used
from spark_tui.editing.snippet import Snippet

_ASKED = re.compile(
    r"\b(?:annotat\w*|hint\w*|typ(?:es?|ed|ing)|signature|mypy|returns?|returning|returned|rtype|both|all)\b|->|→",
    re.IGNORECASE,
)
_RESULT = frozenset(["return", "returns", "returning", "returned", "gives", "result", "back", "->", "→", "out", "=>"])
_ALL = frozenset(
    ["all", "both", "everywhere", "everything", "throughout", "each", "every", "they", "they're", "always"]
)
_ONLY = frozenset(["arg", "argument", "param", "parameter", "input"])
_LITTLE = frozenset([
    "a", "an", "the", "is", "are", "as", "of", "type", "be", "should", "optional", "it", ":", "(", "=", "and", "/", ",",
    "to", "just", "plain", "bare", "value", "gets", "has", "s", "'", "takes", "take", "must", "with",
])  # fmt: skip
_MOST = 4


@dataclass(frozen=True, slots=True)
class _Told:
    """A type told; `names`: those right before it; `result`: the words around it say that it is returned."""

    type_: str
    names: list[str]
    result: bool


def types_aligned(before: Snippet, function: Function, names: Sequence[str], words: str) -> Iterator[dict[str, str]]:
    """What the words may give as types to these names and to `return`, the likeliest first."""
    if not _ASKED.search(words):
        return
    told = [
        replace(one, type_=_as_here(before, one.type_)) for one in _read(words, names_used(before.tree), set(names))
    ]
    if not told:
        return
    given = [one for one in names if one not in _starred(function)]
    seen: list[Mapping[str, str]] = []
    for found in islice(_alignments(function, given, list(names), told, words), _MOST):
        free = {name: type_ for name, type_ in found.items() if name != "return" or function.returns is None}
        if free and free not in seen:
            seen.append(free)
            yield free


def _alignments(
    function: Function, names: list[str], every: list[str], told: Sequence[_Told], words: str
) -> Iterator[dict[str, str]]:
    by_name = {name: one.type_ for one in told for name in one.names}
    result = dict([("return", one.type_) for one in told if one.result and not one.names][-1:])
    free = [one.type_ for one in told if not one.names and not one.result]
    rest = [one for one in names if one not in by_name]
    if not free or not every:
        result = result or ({"return": free[-1]} if free else {})
        yield {**by_name, **result}
        if by_name and not result and function.name == "__init__":
            yield {**by_name, "return": "None"}
        return
    if rest:
        yield from ({**by_name, **one} for one in _dealt(free, rest, result, words))
    if len(free) == 1 and not by_name:
        yield dict.fromkeys([*every, "return"], free[0])
        yield {"return": free[0]}


def _dealt(free: list[str], rest: list[str], result: dict[str, str], words: str) -> Iterator[dict[str, str]]:
    """Types that are told without names, put to the names in order; one to all of them, where the words say so."""
    if len(free) == 1 and (len(rest) == 1 or _ALL.intersection(re.findall(r"[\w']+", words.lower()))):
        yield {**dict.fromkeys(rest, free[0]), **result}
        if not result:
            yield dict.fromkeys([*rest, "return"], free[0])
    elif len(free) == len(rest) or result:
        yield {**dict(zip(rest, free, strict=False)), **result}
    elif len(free) == len(rest) + 1:
        yield {**dict(zip(rest, free, strict=False)), "return": free[-1]}


def _starred(function: Function) -> list[str]:
    return [one.arg for one in (function.args.vararg, function.args.kwarg) if one]


def _read(words: str, known: frozenset[str], names: set[str]) -> Iterator[_Told]:
    """Each type told, with what stands before it."""
    reader = TypeReader(without_messages(words), known)
    own: list[str] = []
    at, result, optional = 0, False, False
    while at < len(reader.tokens):
        if read := _type_at(reader, at, names, own):
            type_, end = read
            out = end < len(reader.tokens) and reader.tokens[end].lower() in ("out", "back")
            if optional and "None" not in type_:
                type_ += " | None"
            to = at > 1 and not own and reader.tokens[at - 1].lower() == "to"
            yield _Told(type_, own, result or out or to)
            at, own, result, optional = end + out, [], False, False
            continue
        token = reader.tokens[at]
        if token in names:
            own = [*own, token]
        elif token.lower() in _ONLY and len(names) == 1:
            own = list(names)
        elif token.lower() in _RESULT:
            own, result = [], True
        elif token.lower() not in _LITTLE:
            own = []
        optional = optional or token.lower() == "optional"
        at += 1


def _type_at(reader: TypeReader, at: int, names: set[str], own: list[str]) -> tuple[str, int] | None:
    if reader.tokens[at] == "type" and own and reader.tokens[at - 1] in (":", "a", "as"):
        return "type", at + 1
    return None if reader.tokens[at] in names and not own else reader.union(at)


def _as_here(before: Snippet, type_: str) -> str:
    """A type spelled as the region spells it: `typing.Any` where it says so."""
    for node in before.nodes:
        match node:
            case ast.Attribute(value=ast.Name(id="typing" | "t" as module), attr=attr) if attr[:1].isupper():
                type_ = re.sub(rf"(?<![\w.]){attr}\b", f"{module}.{attr}", type_)
    return type_
