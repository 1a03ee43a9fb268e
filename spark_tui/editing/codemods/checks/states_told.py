"""States that words tell of a value, be it in a message or a symptom, and the tests that may be meant by them."""

import ast
import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from functools import lru_cache

from spark_tui.editing.codemods.checks.choices_told import choices_told
from spark_tui.editing.codemods.checks.conditions_meant import loosely
from spark_tui.editing.codemods.checks.pairs_told import pairs_told
from spark_tui.editing.codemods.checks.symptoms import State, symptoms
from spark_tui.editing.codemods.common.said import plain_word
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_N = rf"(?P<n>{SIGNED})"
_MUST = r"(?:must|has to|have to|should|needs to|need to|ought to) (?:always )?be"
_AMONG = r"in|between|from|outside(?: of)?|(?:must|has to|should) be|unless (?:it'?s|it is)|within"
_VALUES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        rf"(?:{_AMONG}) {_N}(?:\.\.\.?| and | to | ?- ?)(?P<m>{SIGNED})",
        ("not {n} <= {x} <= {m}",),
    ),
    (
        rf"{_MUST} (?:greater|more|larger|bigger|higher) than {_N}|{_MUST} > ?{_N.replace('<n>', '<n2>')}",
        ("{x} <= {n}",),
    ),
    (rf"{_MUST} (?:less|smaller|lower|fewer) than {_N}|{_MUST} < ?{_N.replace('<n>', '<n2>')}", ("{x} >= {n}",)),
    (
        rf"at least {_N}|(?:below|under|less than|smaller than|fewer than|shorter than) {_N.replace('<n>', '<n2>')}",
        ("{x} < {n}", "len({x}) < {n}"),
    ),
    (
        rf"at most {_N}|(?:above|over|more than|greater than|larger than|longer than) {_N.replace('<n>', '<n2>')}",
        ("{x} > {n}", "len({x}) > {n}"),
    ),
    (rf"(?P<sign>[<>]=?) ?{_N}", ("{x} {sign} {n}",)),
    (rf"{_MUST} positive|not positive|zero or (?:less|negative)|be (?:0|zero)|negative or zero", ("{x} <= 0",)),
    (r"(?:non-?)?negative|below (?:zero|0)", ("{x} < 0",)),
    (r"is (?:0|zero)|zero|equals? 0", ("{x} == 0",)),
    (
        r"(?:blank|empty) lines?|(?:only|nothing but) (?:of )?(?:blanks|whitespace|spaces)|whitespace[- ]only",
        ("not {x}.strip()", "not {x}"),
    ),
    (r"empty|blank|falsy|zero-length", ("not {x}",)),
    (r"more than one|several|multiple|two or more", ("len({x}) > 1",)),
    (r"exactly (?:one|a single)", ("len({x}) != 1",)),
    (r"private|underscored?|leading underscore", ('{x}.startswith("_")',)),
    (r"hidden|dot ?files?", ('{x}.startswith(".")',)),
    (r"nothing in|without(?: any| an?)?|required|at least one|needed|any|are none", ("not {x}", "{x} is None")),
    (r"missing|not given|not set|unset|no|lacks?|absent|omitted|left out", ("{x} is None", "not {x}")),
    (r"None|null|NoneType", ("{x} is None",)),
    (r"NotImplementedType|NotImplemented", ("{x} is NotImplemented",)),
    (
        r"there|cached|computed|known already|already (?:set|built|made|done|loaded)|given|present",
        ("{x} is not None", "{x}"),
    ),
    (r"(?:is|are) set|true|truthy|enabled", ("{x}", "{x} is not None")),
    (r"(?:is|are) false|disabled|off", ("not {x}",)),
    (r"ascii", ("{x}.isascii()",)),
    (r"callable", ("not callable({x})",)),
    (r"relative|absolute", ("not os.path.isabs({x})", "not {x}.is_absolute()")),
    (r"digits|numeric", ("not {x}.isdigit()",)),
    (r"nan", ("math.isnan({x})",)),
    (r"(?:starts?|starting|begins?|beginning) with [`'\"]?(?P<text>[^\s`'\",;]+)", ("{x}.startswith({q})",)),
    (r"(?:ends?|ending) (?:with|in) [`'\"]?(?P<text>[^\s`'\",;]+)", ("{x}.endswith({q})",)),
    (r"without (?:an? )?[`'\"](?P<text>[^`'\"]+)[`'\"]", ("{q} not in {x}",)),
    (r"(?:with|contain\w*|that ha(?:s|ve)) (?:an? )?[`'\"](?P<text>[^`'\"]+)[`'\"]", ("{q} in {x}",)),
    (r"(?:isn't|is not|aren't|are not|not|no) (?:an? )?(?:file|regular file)s?", ("not {x}.is_file()",)),
    (r"(?:is|are|skip|ignore|not|no|the) (?:an? )?(?:dir|folder|directory|directories|folders)", ("{x}.is_dir()",)),
    (r"(?:does not|doesn't|do not|don't|not) exist", ("not {x}.exists()", "not os.path.exists({x})")),
    (r"without (?P<attr>\w+)\(\)|no attribute '(?P<attr2>\w+)'", ('not hasattr({x}, "{attr}")',)),
)
_SIGNS = (
    (re.compile(r"(?<![\w.-])-[1-9]\d*(?![\w.])"), ("{x} < 0",)),
    (re.compile(r"\[\]|\{\}|(?<!\w)\(\)|(?<![\w\"])\"\"(?!\")|(?<![\w'])''(?!')"), ("not {x}",)),
)
_PATTERNS = [
    *((re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE), sources) for pattern, sources in _VALUES),
    *_SIGNS,
]
_HELD = r"already|twice|again|duplicate\w*|exists|second time|repeated|taken"
_LACKED = (
    r"unknown|unregistered|removed|(?:no|not|n't) (?:\w+ )?(?:known|exist|there|found|registered|in)|missing|no such"
    r"|invalid|unsupported|no longer|gone"
)
_TYPE = re.compile(
    r"\b(?P<sign>must be|has to be|should be|expected|expect|isn't|is not|not|anything but|other than|only|needs?)"
    r" (?:an? |the )?(?P<kinds>(?!be\b)[A-Za-z_][\w.]*(?:(?:, | or | nor |/)(?:an? )?(?!None)[A-Za-z_][\w.]*)*)"
)
BUILT_IN = {
    "string": "str",
    "strings": "str",
    "text": "str",
    "integer": "int",
    "number": "int",
    "dictionary": "dict",
    "boolean": "bool",
    "real number": "float",
    "ints": "int",
    "lists": "list",
    "dicts": "dict",
    "bools": "bool",
} | {one: one for one in "str bytes bytearray int float bool complex list tuple set frozenset dict range".split()}  # noqa: SIM905
_TYPED = "|".join(sorted(BUILT_IN))
_IS_TYPE = re.compile(rf"\b(?:an? |plain |for |skip |ignore |refuse )(?P<kind>{_TYPED})s?\b|\b(?P<many>{_TYPED})s\b")
_VOCABULARY = (
    "empty", "negative", "nothing", "unknown", "missing", "should", "without", "anything", "error", "already",
    "duplicate", "identical", "positive", "return", "raise", "skip", "ignore", "given", "identical", "early",
)  # fmt: skip
_FLAG = re.compile(
    r"\b(?:(?P<no>not|never|isn't|wasn't|before(?: it is)?|no longer)|already|is|was|once|after|when|while|an?|still)"
    r" (?:yet |been )?(?P<word>[a-z]\w+)",
    re.IGNORECASE,
)
_OF_OTHER = re.compile(r"(\w+)(?: is| are| was|'s| can be| may be)(?: not)? $")
_RESULT = re.compile(r"(?i)\b(?:return\w*|gives?|back|hand|answer|yields?|->)(?: (?:with|just|an?|the))* [`'\"]?$")
_WORD = re.compile(r"[A-Za-z]{4,}")
_NEAR = 60


@lru_cache(maxsize=64)
def respelt(words: str) -> str:
    """An instruction with the usual words of it put right where letters are swapped or missing."""
    return _WORD.sub(lambda match: _right(match[0]), words)


@lru_cache(maxsize=4096)
def _right(word: str) -> str:
    if plain_word(word) or word.lower() != word:
        return word
    return next(iter(get_close_matches(word, _VOCABULARY, 1, 0.78)), word) if word not in _VOCABULARY else word


def states(before: Snippet, words: str, about: list[str], quote: str, favoured: Collection[str] = ()) -> list[State]:
    """The tests of values that the words tell, those first whose value and state are told near one another.

    Args: about: the values. favoured: those that may be meant though nothing names them.
    """
    text = respelt(words)
    found = [
        *_plain(text, about, quote, favoured),
        *_typed(before, text, about), *_held(before, text, about),
        *pairs_told(before, text, about, costs := _costs(text, about)),
        *choices_told(text, about, quote, costs),
        *_flags(before, text), *symptoms(before, text),
    ]  # fmt: skip
    unique: dict[str, State] = {}
    for one in sorted(found, key=lambda one: one.distance):
        unique.setdefault(one.source, one)
    return list(unique.values())


def _nearest(text: str, at: int, about: list[str], favoured: Collection[str] = ()) -> list[tuple[int, str]]:
    """How far each value is named from a place; only those nearest where one is named as it is."""
    far = [
        (min(distance(text, at, name), 24 if name in favoured else 2 * _NEAR) + rank, name)
        for rank, name in enumerate(about)
    ]
    best = min((one for one, _ in far), default=0)
    return [one for one in far if one[0] <= best + 8] if best < 25 else far


def distance(text: str, at: int, name: str) -> int:
    """How far from a place in the words a value is named; more than `_NEAR` where it is not, or in part alone."""
    owner = name.partition(".")[0]
    wider = [(one, cost + 9) for one, cost in named(owner, text)] if owner not in (name, "self") else []
    for pattern, cost in (*named(name, text), *wider):
        if found := [abs(match.start() - at) for match in pattern.finditer(text)]:
            return min(_NEAR, *found) + cost
    return 2 * _NEAR


@lru_cache(maxsize=256)
def named(name: str, text: str) -> tuple[tuple[re.Pattern[str], int], ...]:
    """How a text may name a value: as it is, as one or many of it, or by one of the last words of its name."""
    path, small = name.rpartition(".")[2].strip("_"), text.lower()
    parts = [part[:-1].lower() for part in re.split(r"_|(?<=[a-z])(?=[A-Z])", path) if len(part) > 2][-2:]
    parts = [part for part in parts if part in small]
    found = []
    if path in text:
        found.append((re.compile(rf"(?<![\w.])(?:{re.escape(name)}|{path})(?!\w)"), 0))
        found.append((re.compile(rf"(?<!\w){path}s(?!\w)"), 5))
    if path[:-1].lower() in small:
        found.append((re.compile(rf"(?<!\w){loosely(name)}(?!\w)", re.IGNORECASE), 15))
    return (*found, *([(re.compile(rf"\b(?:{'|'.join(parts)})", re.IGNORECASE), 20)] if parts else ()))


def _plain(text: str, about: list[str], quote: str, favoured: Collection[str]) -> Iterator[State]:
    for pattern, sources in _PATTERNS:
        for match in pattern.finditer(text):
            told = match.groupdict()
            if plain_word(told.get("text") or "") and match[0][-1:] not in "`'\"":
                continue
            fields = {
                "n": told.get("n") or told.get("n2"), "m": told.get("m"), "attr": told.get("attr") or told.get("attr2"),
                "sign": told.get("sign"),
                "q": f"{quote}{told.get('text')}{quote}",
            }  # fmt: skip
            if _RESULT.search(text[: match.start()]):
                continue
            other = _OF_OTHER.search(text[: match.start()])
            for far, name in _nearest(text, match.start(), about, favoured):
                if far >= 2 * _NEAR and other and not plain_word(other[1]):
                    continue
                yield from (State(one.format(x=name, **fields), name, far + at) for at, one in enumerate(sources))


def _costs(text: str, about: list[str]) -> dict[str, int]:
    """How well a text names each value."""
    return {name: min((cost for one, cost in named(name, text) if one.search(text)), default=99) for name in about}


def kinds_known(before: Snippet, about: Collection[str]) -> dict[str, str]:
    """How types that a region names are told: by the last of their names, in small letters."""
    found = dict(BUILT_IN)
    for node in before.nodes:
        if isinstance(node, ast.Name | ast.Attribute) and (path := dotted(node)):
            last = path.rpartition(".")[2]
            if last in about:
                continue
            if last[:1].isupper() or last in ("datetime", "date", "timedelta", "tzinfo", "time") or "_tzinfo" in last:
                found.setdefault(last.lower().removeprefix("dt_"), path)
    return found


def _typed(before: Snippet, text: str, about: list[str]) -> Iterator[State]:
    known = kinds_known(before, about)
    for match in _TYPE.finditer(text):
        told = [word for word in re.split(r", | or | nor |/", match["kinds"]) if word]
        told = [word.removeprefix("a ").removeprefix("an ") for word in told]
        kinds = [known.get(word.lower(), word if word[:1].isupper() and len(word) > 1 else "") for word in told]
        kinds = list(dict.fromkeys(kinds))
        if not all(kinds) or any(kind.endswith(("Error", "Exception")) or kind == "None" for kind in kinds):
            continue
        forms = [kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})", *(reversed(kinds) if len(kinds) > 1 else ())]
        for far, name in _nearest(text, match.start(), about):
            yield from (State(f"not isinstance({name}, {form})", name, far - 30 + at) for at, form in enumerate(forms))
    for match in _IS_TYPE.finditer(text):
        kind = BUILT_IN[match["kind"] or match["many"]]
        for rank, name in enumerate(about):
            yield State(f"isinstance({name}, {kind})", name, distance(text, match.start(), name) + rank + 10)


def holders(before: Snippet, name: str) -> list[str]:
    """The collections of a region in which a value is looked up, put or removed."""
    found: dict[str, None] = {}
    for node in before.nodes:
        match node:
            case ast.Subscript(value=owner, slice=key) if dotted(key) == name and (path := dotted(owner)):
                found[path] = None
            case ast.Call(
                func=ast.Attribute(value=owner, attr="index" | "remove" | "pop" | "add" | "append" | "get"),
                args=[key, *_],
            ) if dotted(key) == name and (path := dotted(owner)):
                found[path] = None
    return list(found)


def _held(before: Snippet, text: str, about: list[str]) -> Iterator[State]:
    for words, form in ((_HELD, "{0} in {1}"), (_LACKED, "{0} not in {1}")):
        for match in re.finditer(rf"\b(?:{words})\b", text):
            for rank, name in enumerate(about):
                far = min(distance(text, match.start(), name), _NEAR) + rank - 20
                yield from (State(form.format(name, one), name, far) for one in holders(before, name))
            if form == "{0} not in {1}":
                yield from (State(f"not hasattr({one}, {name})", name, 0) for one, name in _attributes_set(before))
            break


def _attributes_set(before: Snippet) -> Iterator[tuple[str, str]]:
    for node in before.nodes:
        match node:
            case ast.Call(func=ast.Name(id="setattr" | "getattr"), args=[owner, ast.Name(id=name), *rest]):
                if (path := dotted(owner)) and (len(rest) == 1) == (node.func.id == "setattr"):  # type: ignore[attr-defined]
                    yield path, name


def _flags(before: Snippet, text: str) -> Iterator[State]:
    """Attributes of self that are told as what an object is: "already started", "not connected"."""
    known = {node.attr for node in before.nodes if isinstance(node, ast.Attribute) and dotted(node.value) == "self"}
    bare = {name.strip("_").removeprefix("is_").lower(): f"self.{name}" for name in sorted(known)}
    for match in _FLAG.finditer(text):
        if flag := bare.get(match["word"].lower()):
            yield State(f"not {flag}" if match["no"] else flag, flag, -10)
