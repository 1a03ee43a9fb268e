"""Numbers told by words for what they set: "bump the timeout to 5 seconds", "cache size 64", "allow 5 retries"."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from spark_tui.editing.code import start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.plain.plain_words import bare, called
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, spliced

_UP = r"bump|raise|increase|up|extend|lengthen"
_DOWN = r"lower|reduce|decrease|drop|cut|shorten|shrink"
_VALUE = (
    r"`?(?P<value>-?\d[\d_]*(?:\.\d+)?)`? ?(?P<unit>s|secs?|seconds?|ms|milliseconds?|min|minutes?|hours?|days?|lines?"
    r"|chars?|characters?|items?|entries|elements?|bytes?|times|columns?|spaces?|rows?|levels?)?"
)
_WHAT = (
    r"(?:the |a |an |our |its )?(?:default )?(?P<what>`?[a-z_][\w.]*`?(?:[ -][a-z_]\w*){0,4}?)(?: default)?(?: value)?"
)
_OLD = r"(?:,? (?:instead|(?:instead of|rather than|not|from|was) (?P<old>-?\d[\d_]*(?:\.\d+)?)(?: \w+)?))?"
_VERB = rf"(?P<verb>{_UP}|{_DOWN}|set|change|make|put|switch)"
_FROM = r"(?: up| down)?(?: from (?P<first>-?[\d_.]+))?"
_OUGHT = r"(?: (?:should|must|has to|needs to|ought to)(?: be)?| of|:)?"
_TOO = r"(?:is|seems|looks) (?:way |far |much |a bit )?too (?:short|long|low|high|small|big|large|much)[,;:]?"
_THEN = r"(?: (?:(?:make|let) it|should be|use|try|take|set it to|please use))?"
_USE = r"(?:(?:use|allow|keep|try|do|make it|make that) )?(?:an? |only |up to |just )?"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_VERB} {_WHAT}{_FROM} (?:to be|to|at) {_VALUE}{_OLD}",
        rf"(?:make |use )?{_WHAT}{_OUGHT} ?(?:=|to|is|->|=>)? {_VALUE}{_OLD}",
        rf"{_WHAT} {_TOO}{_THEN} {_VALUE}",
        rf"(?:use|take|set|put|give it|with) {_VALUE} (?:as|for) {_WHAT}{_OLD}",
        rf"{_VALUE} (?:as|for) {_WHAT}{_OLD}",
        rf"{_USE}{_VALUE}[ -]{_WHAT}{_OLD}",
    )
)
_IDLE = frozenset("the a an of for number count value limit default setting amount it that be to in on at".split())  # noqa: SIM905
_SAME = {"maximum": "max", "minimum": "min", "maximal": "max", "minimal": "min", "length": "len"}
_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?")
_TIMES = {
    "ms": 0, "milli": 0, "millis": 0, "millisecond": 0, "s": 1, "sec": 1, "second": 1, "min": 2, "minute": 2, "hour": 3,
    "day": 4,
}  # fmt: skip
"""Units of time; what has none of them in its name counts seconds."""
_LONG = 4


class _Role(Enum):
    """What a number is: the value of something, the one where nothing is found, or one passed or compared with."""

    VALUE = 0
    DEFAULT = 1
    OTHER = 2


@dataclass(frozen=True, slots=True)
class _Setting:
    """A number in the code. `own`: the words of what it sets; `near`: those of the call that it is an argument of."""

    node: ast.expr
    number: float
    role: _Role
    own: frozenset[str]
    near: frozenset[str]


def plain_settings(before: Snippet, request: Request) -> list[Ops]:
    """The one number that all the words tell of, as the one told; [] where they tell of several, or of something else.

    Higher or lower, where they say that; in the unit that the code counts in.
    """
    said = bare(before, request.instruction)
    for told in filter(None, (form.fullmatch(said) for form in _FORMS)):
        first, last = request.selected or (0, len(before.lines))
        left_out = _Role.OTHER if re.search(r"(?i)\bdefaults?\b", said) else _Role.DEFAULT
        near = [one for one in _settings(before) if first <= start_of(before, one.node)[0] <= last]
        found = [one for one in near if one.role is not left_out and _is_told(one, told)]
        if len(found) == 1 and _fits(found[0], told):
            return [between(before, spliced(before, [(found[0].node, told["value"])]))]
    return []


def _is_told(one: _Setting, told: re.Match[str]) -> bool:
    """Whether every word is one of a setting's, and one of its own."""
    groups = told.groupdict()
    words = _words(told["what"]) - _IDLE
    old = groups.get("old") or groups.get("first")
    if not words or (old and float(old.replace("_", "")) != one.number):
        return False
    own = {word for word in words if _stands_for(word, one.own)}
    return bool(own) and all(word in own or _stands_for(word, one.near) for word in words)


def _stands_for(word: str, parts: frozenset[str]) -> bool:
    return word in parts or (len(word) >= _LONG and any(part.endswith(word) or part.startswith(word) for part in parts))


def _words(text: str) -> frozenset[str]:
    """The words of a name or of prose, each in one form: `maxRetries` and "maximum retry" have both of theirs alike."""
    found = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text)
    return frozenset(_SAME.get(low, _singular(low)) for low in map(str.lower, found))


def _singular(word: str) -> str:
    return word[:-3] + "y" if word.endswith("ies") else word[:-1] if re.search(r"\w\w[^s]s$", word) else word


def _fits(one: _Setting, told: re.Match[str]) -> bool:
    """Whether the number goes the way told, and counts what the words count."""
    verb, new = told.groupdict().get("verb") or "", float(told["value"].replace("_", ""))
    higher, lower = (re.fullmatch(way, verb, re.IGNORECASE) for way in (_UP, _DOWN))
    unit = told["unit"] and _unit(told["unit"].lower())
    counted = next((_TIMES[part] for part in sorted(one.own) if part in _TIMES and part != "min"), 1)
    return not (higher and new < one.number) and not (lower and new > one.number) and unit in (None, counted)


def _unit(said: str) -> int | None:
    return _TIMES[said] if said in _TIMES else _TIMES.get(_singular(said))


def _settings(before: Snippet) -> Iterator[_Setting]:
    """Every number that goes by a name."""
    for node in outside_fstrings(before.tree):
        for value, role, own, near in (*_held(node), *_given(node)):
            text = text_of(before, value)
            if own and _NUMBER.fullmatch(text):
                yield _Setting(value, float(text.replace("_", "")), role, _words(own), _words(near))


Named = tuple[ast.expr, _Role, str, str]


def _held(node: ast.AST) -> Iterator[Named]:
    """What something is set to, has by a key, or is compared with."""
    match node:
        case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
            yield value, _Role.VALUE, _name(target), ""
        case ast.Compare(left=left, comparators=[value]):
            yield value, _Role.OTHER, _name(left), ""
        case ast.Dict(keys=keys, values=values):
            yield from ((one, _Role.VALUE, _name(key), "") for key, one in zip(keys, values, strict=True))


def _given(node: ast.AST) -> Iterator[Named]:
    """What is passed to a function, and what its parameters are by default."""
    match node:
        case ast.Call(args=args, keywords=keywords):
            near, key = called(node), _name(args[0]) if len(args) > 1 and isinstance(args[0], ast.Constant) else ""
            yield from ((one.value, _Role.OTHER, one.arg or "", near) for one in keywords)
            yield from ((one, _Role.DEFAULT if key else _Role.OTHER, f"{near} {key}", "") for one in args)
        case ast.arguments(posonlyargs=first, args=rest, defaults=defaults, kwonlyargs=only, kw_defaults=others):
            named = [*[*first, *rest][len(first) + len(rest) - len(defaults) :], *only]
            pairs = zip(named, [*defaults, *others], strict=True)
            yield from ((one, _Role.VALUE, arg.arg, "") for arg, one in pairs if one)


def _name(node: ast.AST | None) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return name
    return ""
