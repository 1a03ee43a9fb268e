"""Conditions that the words only hint at: "negative sizes", "an empty body", "only one row"."""

import ast
import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import Function, indentation, walk_scope
from spark_tui.editing.codemods.common.said import word_said
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, calls_of, dotted, places

_STATES = (
    (r"(?:zero|0) or (?:negative|less|below)|negative or (?:zero|0)", ("{0} <= 0",)),
    (r"negative|below (?:zero|0)", ("{0} < 0",)),
    (r"only one|just one|only a single|a single", ("len({0}) == 1",)),
    (r"empty|blank", ("not {0}",)),
    (r"none", ("{0} is None",)),
    (r"without(?: any| an?)?|no", ("{0} is None", "not {0}")),
    (r"zero", ("{0} == 0",)),
)
"""What is said of a value before its name, or of something that is none, and the tests that may be meant."""
_SURELY = _STATES[:5]
_SAID_OF = re.compile(r"(?:\b(?:is|isn't|are|was|be|not|returns?|gives?|back|to|with|as)|->)(?: an?)? $", re.IGNORECASE)
"""Before a state that is said of what stands before it, or is a value."""
_TEXT = re.compile(r"\"[^\"]*\s[^\"]*\"|(?<!\w)'[^']*\s[^']*'(?!\w)")
_AFTER = re.compile(
    r"\b(?:right |directly |just )?(?:after|below(?! (?:zero|\d))|behind) (?:the |that |it is )?(?P<what>.{2,60})",
    re.IGNORECASE,
)
_FLAGGED = re.compile(
    r"\b(?:marked|flagged|declared)(?: as)? [`'\"]?([^\W\d]\w+)|\b(\w+ed|hidden) \w+s (?:are |is )?(?:still|also)\b"
)
_MOST = 4
_BUILTINS = ("str", "int", "float", "list", "dict", "bytes", "tuple", "bool", "set")
_LONG = {"string": "str", "strings": "str", "integer": "int", "integers": "int", "number": "int", "text": "str"}
_KINDS = r"(?P<kinds>(?:an? )?\w+(?:(?:, | or |/)(?:an? )?\w+)*)"
_NO_OTHER = re.compile(
    rf"\b(?:any(?:thing|one|body)?|everything|all|whatever|other) ?(?:else )?(?:but|other than|except(?: for)?|than"
    rf"|that is(?: not|n't)|that's not|isn't|is not|not) {_KINDS}",
    re.IGNORECASE,
)
_TOO_SMALL = re.compile(
    r"\b(?:any(?:thing)?|everything|all|values?) (?P<how>below|under|less than|smaller than|above|over|more than"
    rf"|greater than|larger than) (?P<number>{SIGNED})(?![\w.])"
)
_NUMBERS = ("{0} == 0", "{0} <= 0", "{0} < 1", "not {0}")
_PASSED = re.compile(r"(?<![\w.])(?P<name>\w+) ?= ?(?:(?P<number>0|-\d+)|\"\"|''|\[\]|\{\}|\(\))(?![\w.])")
_CALLED = re.compile(rf"(?<![\w.])(?P<name>\w+)\((?:(?P<number>{SIGNED})|\"\"|''|\[\]|\{{\}}|\(\))\)")


@dataclass(frozen=True, slots=True)
class Meant:
    """A test, what it is about, and where the instruction hints at it."""

    source: str
    about: str
    start: int
    end: int


def conditions_meant(function: Function, instruction: str) -> list[Meant]:
    """The tests that may be meant of a function's values; of those whose names the words hold, if they hold any."""
    whole, instruction = instruction, prose(instruction)
    about = _values(function)
    got = [name for name in _got(function) if word_said(instruction, name)]
    named = [one for name in got for one in _of_name(instruction, name) if not one.source.startswith("len(")]
    named = named or [one for name in about for one in _of_name(instruction, name)]
    told = named or [one for name in about[:_MOST] for one in _of_any(instruction, name)]
    told = (
        list(_others(function, instruction))
        or list(_called_with(function, whole))
        or told
        or list(_flagged(function, instruction))
    )
    return list({one.source: one for one in reversed(told)}.values())[::-1]


def _others(function: Function, instruction: str) -> Iterator[Meant]:
    """A parameter that is of no type told: "anything but a Box"; one that is too small: "anything below 1"."""
    known = argument_names(function)
    names = [name for name in known if word_said(instruction, name)] or known
    if told := _NO_OTHER.search(instruction):
        kinds = [
            _LONG.get(one, one) for one in re.findall(r"\w+", told["kinds"]) if one not in ("a", "an", "or", "and")
        ]
        kinds = [one for one in kinds if one[0].isupper() or one.strip("_")[:1].isupper() or one in _BUILTINS]
        kind = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
        if kinds:
            yield from (Meant(f"not isinstance({name}, {kind})", name, *told.span()) for name in names[:2])
    elif told := _TOO_SMALL.search(instruction):
        sign = "<" if told["how"] in ("below", "under", "less than", "smaller than") else ">"
        yield from (Meant(f"{name} {sign} {told['number']}", name, *told.span()) for name in names[:2])


def _called_with(function: Function, instruction: str) -> Iterator[Meant]:
    """A parameter that is empty or a number in a call told, or a parameter told with a number: `f("")`, `size=0`."""
    names = argument_names(function)
    for told in _CALLED.finditer(instruction):
        if names and told["name"] == function.name:
            tests = _NUMBERS if told["number"] == "0" else ("{0} < 0",) if told["number"] else ("not {0}",)
            yield from (Meant(one.format(names[0]), names[0], *told.span()) for one in tests)
    for told in _PASSED.finditer(instruction):
        if told["name"] in names:
            tests = _NUMBERS if told["number"] == "0" else ("{0} < 0",) if told["number"] else ("not {0}",)
            yield from (Meant(one.format(told["name"]), told["name"], *told.span()) for one in tests)


def _flagged(function: Function, instruction: str) -> Iterator[Meant]:
    """A flag of the object, where the words tell of objects that have it."""
    if [one.arg for one in function.args.args[:1]] == ["self"] and (told := _FLAGGED.search(instruction)):
        word = told[1] or told[2]
        flag = f"self.{word}"
        if not keyword.iskeyword(word):
            yield Meant(flag, flag, *told.span())


def prose(instruction: str) -> str:
    """An instruction with blanks for its quoted texts of several words."""
    return _TEXT.sub(lambda match: " " * len(match[0]), instruction)


def _values(function: Function) -> list[str]:
    """The parameters, then the attributes of self that are no methods called."""
    called = {dotted(call.func) for statement in function.body for call in calls_of(statement)}
    paths = [dotted(node) or "" for node in walk_scope(function) if isinstance(node, ast.Attribute)]
    owned = [path for path in dict.fromkeys(paths) if re.fullmatch(r"self\.\w+", path) and path not in called]
    return [*argument_names(function), *owned]


def _got(function: Function) -> list[str]:
    """What the function gets from calls in its own block."""
    assigned = [node for node in function.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    return [one.id for node in assigned for one in node.targets if isinstance(one, ast.Name)]


def _of_name(instruction: str, name: str) -> Iterator[Meant]:
    for match in re.finditer(rf"(?<![\w.]){loosely(name)}(?!\w)", instruction, re.IGNORECASE):
        for states, sources in _STATES:
            if before := re.search(rf"\b(?:{states}) (?:\w+ )?[`'\"]?$", instruction[: match.start()], re.IGNORECASE):
                yield from (Meant(one.format(name), name, before.start(), match.end()) for one in sources)
                break


def loosely(name: str) -> str:
    """A name in words: one or many of it, without what marks an attribute."""
    word = re.escape(name.removeprefix("self.").strip("_"))
    one = word.removesuffix("s") if len(word) > 3 else word
    return (
        rf"(?:self\._*)?(?:{one[:-1]}(?:y|ies)|{one}(?:s|es)?)"
        if one.endswith("y")
        else rf"(?:self\._*)?{one}(?:s|es)?"
    )


def _of_any(instruction: str, name: str) -> Iterator[Meant]:
    """By the first state that is told of anything."""
    found = [
        (match, sources)
        for states, sources in _SURELY
        for match in re.finditer(rf"(?<![\w-])(?:{states})(?![\w-])", instruction, re.IGNORECASE)
        if not _SAID_OF.search(instruction[: match.start()])
    ]
    for match, sources in sorted(found, key=lambda one: one[0].start())[:1]:
        yield from (Meant(one.format(name), name, *match.span()) for one in sources)
    if not found and (without := re.search(r"\bwithout any\b", instruction)):
        yield Meant(f"not {name}", name, *without.span())


def place_told(before: Snippet, function: Function, words: str) -> tuple[int, str] | None:
    """Below which line, and how deep, where the words put something after a statement of the function's own block."""
    told = _AFTER.search(words)
    if told is None:
        return None
    said = set(re.findall(r"[^\W\d]\w+", told["what"].lower()))
    found = [place for place in places(before) if place.block is function.body]
    common = [len(said & _parts(before.lines[place.first])) for place in found]
    most = max(common, default=0)
    if not most:
        return None
    place = found[common.index(most)]
    return place.last, indentation(before.lines[place.first])


def _parts(line: str) -> set[str]:
    """The words of a line and of its names, in their -ing form too."""
    words: Sequence[str] = re.findall(r"[^\W\d]\w+", line.lower())
    parts = {part for word in words for part in (word, *word.split("_"))}
    return parts | {f"{part}ing" for part in parts} | {f"{part}{part[-1]}ing" for part in parts if len(part) > 2}
