"""Defaults told in plain words or for several parameters at once: "default both to 100", "24 rows by 80 columns"."""

import re
from collections.abc import Container, Iterator, Sequence

from spark_tui.editing.code import Function, is_receiver, parameters, quote_of, text_of
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.common.said import is_expression, literal, plain_word, said, spans
from spark_tui.editing.codemods.signatures.defaults_told import without_errors
from spark_tui.editing.codemods.signatures.signature_pieces import (
    name_in,
    pieces_of,
    to_the_end,
    with_defaults,
    with_pieces,
)
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet

_ASKED = re.compile(
    r"\bdefault|\boptional\b|\bnormally\b|\b(?:omit|left out|leave out|leave off)|\bwithout\b|\bnot given\b",
    re.IGNORECASE,
)
_LAST = re.compile(r"\b(?:last|at the end|to the end|(?:put|move|goes?) (?:it )?(?:\w+ )?(?:after|behind|end|last))\b")
_SWAP = re.compile(
    r"\bswap\w*|\b(?:other|wrong) (?:way )?(?:a?round|order)|\bchange places|\border\b|\bfirst\b|\bbefore\b"
)
_EVERY = re.compile(r"\b(?:both|each|all)\b")
_NOUNS = {
    "none": "None",
    "nothing": "None",
    "true": "True",
    "on": "True",
    "false": "False",
    "off": "False",
    "zero": "0",
}
_EMPTY = {"list": "[]", "dict": "{}", "tuple": "()", "string": '""', "payload": 'b""', "bytes": 'b""', "set": "set()"}
_BYTES = {"kib": "1024", "mib": "1024 * 1024", "kb": "1000"}
_MINUTES = {"minutes": 60, "minute": 60, "min": 60, "hours": 3600, "hour": 3600}
_LITTLE = frozenset(
    [
        "default",
        "defaults",
        "optional",
        "a",
        "an",
        "the",
        "as",
        "for",
        "like",
        "please",
        "by",
        "be",
        "is",
        "let",
        "make",
        "give",
        "can",
    ]
)
_MOST = 3
Value = tuple[str, int]


def defaults_worded(before: Snippet, request: Request) -> Iterator[Ops]:
    """The defaults told, given to the parameters that stand beside them; then parameters moved as told."""
    words = without_errors(request.instruction)
    made: list[list[str] | None] = []
    names = {one.name for one in before.functions}
    for function in [one for one in before.functions if said(words, one.name)] or before.functions:
        own = [
            one.arg for one in parameters(function) if not is_receiver(function, one) and one not in _stars(function)
        ]
        parts = {part for one in own for part in one.split("_")}
        if _ASKED.search(words) and own:
            values = values_worded(words, {*own, *names, *parts, "optional", "missing"}, quote_of(before))
            for told in _matched(before, function, own, values, words):
                made += [with_defaults(before, function, told, last=_LAST.search(words) is not None)]
        if _SWAP.search(words) or _LAST.search(words):
            made.extend(_moved(before, function, own, words))
    yield from (between(before, lines) for lines in made if lines)


def _stars(function: Function) -> tuple[object, ...]:
    return (function.args.vararg, function.args.kwarg)


def values_worded(words: str, names: Container[str], quote: str) -> list[Value]:
    """The values told, with where they stand."""
    found: list[Value] = []
    every = sorted(spans(words), key=lambda one: one.start)
    for at, one in enumerate(every):
        after = every[at + 1].text.lower() if at + 1 < len(every) else ""
        source = _value(one.text, one.mark, after, quote)
        if source and one.text.removesuffix("()") not in names:
            found.append((source, one.start))
    return found


def _value(text: str, mark: str, after: str, quote: str) -> str:
    """The source of the value that a piece of the words tells, or ""; `after` is the word behind it."""
    lower = text.lower()
    if mark:
        return text if mark == "`" and is_expression(text) else literal(text, quote)
    if re.fullmatch(SIGNED, text):
        scaled = str(int(text) * _MINUTES[after]) if after in _MINUTES and text.isdigit() else text
        return f"{text} * {_BYTES[after]}" if after in _BYTES else scaled
    if lower == "empty" or lower in _NOUNS:
        return _NOUNS.get(lower) or _EMPTY.get(after, "")
    if plain_word(text) or lower in _LITTLE:
        return ""
    word = re.fullmatch(r"[^\W\d][\w-]*", text) is not None and not text.isupper()
    return literal(text, quote) if word else text if is_expression(text) else ""


def _matched(
    before: Snippet, function: Function, own: Sequence[str], values: Sequence[Value], words: str
) -> Iterator[dict[str, str]]:
    """Which parameter gets which value: the same to all, one to each in order, or the one beside it."""
    named = parameters_named(own, words)
    surely = [one for one in values if re.match(r"-?\d|True|False|None|[\[({'\"b]", one[0])]
    plain = [one for one in surely if one[0][:1] not in "'\"" or words[one[1]] in "'\"`"]
    bare = [one for one in parameters(function) if one.arg in own and default_of(function, one) is None]
    if not values and named and re.search(r"\boptional\b|\bwithout\b|\bomit|\bleft out\b", words):
        lacking = [name for name in named if name in {one.arg for one in bare}]
        yield from [dict.fromkeys(lacking, "None")] if lacking else []
    if len(plain) == 1 and (len(named) > 1 or _EVERY.search(words)):
        group = named or [one.arg for one in bare]
        if len(group) > 1:
            yield dict.fromkeys(group, plain[0][0])
    if len(plain) > 1:
        for group in ([named] if len(named) == len(plain) else []) or _pairs(before, function, own, plain):
            yield dict(zip(group, (value for value, _ in plain), strict=True))
    if len(named) == 1 or (not named and len(own) == 1):
        name = (named or list(own))[0]
        at = words.find(name)
        near = sorted(values, key=lambda one: (one not in plain, abs(one[1] - at)))
        yield from ({name: value} for value, _ in near[:_MOST])


def parameters_named(own: Sequence[str], words: str) -> list[str]:
    """The parameters that are named, in the order of the words; else those that a part of their name is said of."""
    found = {one: match.start() for one in own if (match := re.search(rf"(?<![\w.]){re.escape(one)}(?!\w)", words))}
    if not found:
        for one in own:
            parts = [part for part in one.split("_") if len(part) > 2]
            starts = [match.start() for part in parts if (match := re.search(rf"\b{re.escape(part)}s?\b", words))]
            found.update({one: min(starts)} if starts else {})
    return sorted(found, key=lambda one: found[one])


def _pairs(before: Snippet, function: Function, own: Sequence[str], values: Sequence[Value]) -> Iterator[list[str]]:
    """For numbers: the first parameters that have numbers or None for defaults, then the last that have none."""
    args = {one.arg: one for one in parameters(function)}
    defaults = [(name, default_of(function, args[name])) for name in own]
    number = re.compile(rf"{SIGNED}|None")
    counted = [name for name, node in defaults if node is not None and number.fullmatch(text_of(before, node))]
    bare = [name for name, node in defaults if node is None]
    many = len(values)
    fits = all(number.fullmatch(value) for value, _ in values)
    for group in (counted[:many], bare[-many:]) if fits else ():
        if len(group) == many:
            yield list(group)


def _moved(before: Snippet, function: Function, own: Sequence[str], words: str) -> Iterator[list[str] | None]:
    """Two parameters that are named in each other's place; one of them at the start or the end."""
    pieces, named = pieces_of(before, function), parameters_named(own, words)
    if not pieces or not named:
        return
    at = {name_in(one): place for place, one in enumerate(pieces)}
    if len(named) == 2 and _SWAP.search(words):
        one, other = (at[name] for name in named)
        new = list(pieces)
        new[one], new[other] = new[other], new[one]
        yield with_pieces(before, function, new)
    if re.search(r"\bfirst\b", words):
        receiver = len(pieces) - len([one for one in pieces if name_in(one) not in ("self", "cls")])
        rest = [one for one in pieces if name_in(one) != named[0]]
        yield with_pieces(before, function, [*rest[:receiver], pieces[at[named[0]]], *rest[receiver:]])
    if _LAST.search(words):
        yield with_pieces(before, function, to_the_end(pieces, {named[0]: ""}))
