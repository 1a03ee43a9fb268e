"""Conditions on the values of a function that words tell plainly and as a whole: "n is negative", "s is not a string".

What is not read to its last word is not read at all.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from spark_tui.editing.code import Function, walk_scope
from spark_tui.editing.codemods.common.negation import negated
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, dotted
from spark_tui.editing.trees import parse

TYPES = {
    "string": "str", "str": "str", "text": "str", "int": "int", "integer": "int", "float": "float", "list": "list",
    "dict": "dict", "dictionary": "dict", "bytes": "bytes", "tuple": "tuple", "bool": "bool", "boolean": "bool",
    "set": "set",
}  # fmt: skip
_NUMBERS = {"zero": "0", "one": "1", "two": "2", "three": "3", "none": "None", "null": "None", "true": "True",
            "false": "False"}  # fmt: skip
_SIGNS = (
    (r"(?:less|smaller|fewer|lower) than or equal to|at most|no more than|not more than", "<=", ">"),
    (r"(?:greater|more|larger|bigger|higher) than or equal to|at least|no less than|not less than", ">=", "<"),
    (r"(?:less|smaller|fewer|lower|shorter) than|below|under", "<", ">="),
    (r"(?:greater|more|larger|bigger|higher|longer) than|above|over", ">", "<="),
    (r"equal to|the same as", "==", "!="),
)
_STATES = (
    (r"None|null", "{x} is None", "{x} is not None"),
    (r"empty or None|None or empty|falsy", "not {x}", "{x}"),
    (r"empty|an empty (?:list|dict|string|tuple|set|text)", "not {x}", "{x}"),
    (r"non-?empty", "{x}", "not {x}"),
    (r"truthy|True", "{x}", "not {x}"),
    (r"False", "not {x}", "{x}"),
    (r"blank|(?:just |only )?white ?space", "not {x}.strip()", "{x}.strip()"),
    (r"zero or negative|negative or zero|non-?positive", "{x} <= 0", "{x} > 0"),
    (r"zero or positive|positive or zero|non-?negative", "{x} >= 0", "{x} < 0"),
    (r"(?:a )?negative(?: number| value)?", "{x} < 0", "{x} >= 0"),
    (r"(?:a )?(?:strictly )?positive(?: number| value)?", "{x} > 0", "{x} <= 0"),
    (r"non-?zero", "{x} != 0", "{x} == 0"),
    (r"odd|an odd number", "{x} % 2 != 0", "{x} % 2 == 0"),
    (r"even|an even number", "{x} % 2 == 0", "{x} % 2 != 0"),
    (r"callable", "callable({x})", "not callable({x})"),
)
_BE = r"(?:is|are|was|were|be|'s)"
_NOT = r"(?: ?n[o']t|n't| never| ever not)"
_IS = re.compile(rf"(?i){_BE}(?P<no>{_NOT})? (?P<what>.+)")
_DOES = re.compile(
    r"(?i)(?:(?P<no>(?:does|do)(?: not|n't)) )?(?P<verb>equals?|exceeds?|contains?|starts? with|ends? with"
    r"|has|have|matches|lacks?) (?P<what>.+)"
)
_COUNT = re.compile(
    r"(?i)(?P<how>no|less than|fewer than|more than|at least|at most|exactly|only)?(?P<number> \w+|\d+)? ?"
    r"(?:characters?|chars|items?|elements?|entries|values|words|rows|letters)"
)
_LONG = re.compile(r"(?i)(?P<how>longer|shorter) than (?P<number>\w+)(?: (?:characters?|chars|items|elements))?")
_BETWEEN = re.compile(
    r"(?i)(?P<out>outside(?: of)? (?:the range )?)?(?:between |within |in the range |from )?(?P<low>\S+)"
    r"(?: ?(?:and|to|-|\.\.) ?)(?P<high>\S+)"
)
_DIFFER = re.compile(
    r"(?i)(?:the lengths of )?(?P<a>[\w.`]+) and (?P<b>[\w.`]+) "
    r"(?:(?:have|are of) (?:different|unequal) (?:lengths?|sizes?)"
    r"|differ(?: in length)?|(?:are not|aren't|don't have|do not have) (?:of )?the same (?:length|size))"
)
_NONE = re.compile(r"(?i)there (?:is|are)(?: no|n't any| not any) (?P<name>.+)")
_PYTHON = re.compile(r"[=<>!]=|[<>]| (?:not )?in [\w.]+$| is (?:not )?None$")
_NAME = re.compile(
    r"(?:the |its |that |given )?[`'\"]?(?P<name>[^\W\d][\w.]*?)[`'\"]?(?: (?:argument|parameter|value))?"
)
_NAMES = re.compile(r"(?<![\w.\"'])[^\W\d]\w*(?:\.\w+)*")
_WORDS_OF_PYTHON = frozenset(["not", "in", "is", "and", "or", "None", "len", "True", "False"])
_TEXT = re.compile(r"\"[^\"]*\"|'[^']*'")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition as Python, its opposite, and the value that it is about."""

    source: str
    opposite: str
    about: str


class Conditions:
    """Reads what is said of the values of one function."""

    def __init__(self, function: Function) -> None:
        self._function = function

    @cached_property
    def values(self) -> dict[str, str]:
        """How each value is named in words: parameters, local variables, attributes of self by their own name too."""
        known = {path: path for path in self._paths}
        known |= {path.partition(".")[2]: path for path in self._paths if path.startswith("self.")}
        names = [*argument_names(self._function), *self._local]
        return known | {name: name for name in names if name not in ("self", "cls")}

    @property
    def _paths(self) -> list[str]:
        found = [node for node in walk_scope(self._function) if isinstance(node, ast.Attribute)]
        called = {id(node.func) for node in walk_scope(self._function) if isinstance(node, ast.Call)}
        return [path for node in found if id(node) not in called and (path := dotted(node))]

    @property
    def _local(self) -> list[str]:
        nodes = walk_scope(self._function)
        return [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]

    def read(self, words: str) -> Condition | None:
        """The condition that words tell from their first to their last; None for all else."""
        words = words.strip(" .,")
        return self._one(words) or self._python(words) or self._joined(words)

    def _python(self, words: str) -> Condition | None:
        source = words.strip("`")
        if not _PYTHON.search(source) or not is_expression(source):
            return None
        names = _NAMES.findall(_TEXT.sub("", source))
        found = [name for name in names if name in self.values]
        if not found or not all(self._is_known(name) for name in names):
            return None
        opposite = negated(code := Snippet((source,)), parse(source, mode="eval").body)
        return Condition(code.lines[0], opposite or f"not ({source})", self.values[found[0]])

    def _is_known(self, name: str) -> bool:
        return (
            name in self.values
            or name.isupper()
            or name in ("not", "in", "is", "and", "or", "None", "len", "True", "False")
        )

    def _one(self, words: str) -> Condition | None:
        if (none := _NONE.fullmatch(words)) and (name := self.subject(none["name"])):
            return Condition(f"not {name}", name, name)
        if differ := _DIFFER.fullmatch(words):
            a, b = (self.values.get(differ[name].strip("`")) for name in "ab")
            return Condition(f"len({a}) != len({b})", f"len({a}) == len({b})", str(b)) if a and b else None
        for at in (match.start() for match in re.finditer(r" |'s |n't ", words)):
            subject = self.subject(words[:at])
            told = subject and self.said_of(subject, words[at:].strip())
            if told:
                return told
        return None

    def subject(self, words: str) -> str:
        """The value that some words name, as Python, or ""."""
        if length := re.fullmatch(r"(?:the )?(?:length|size|number) of (.+)|len\((.+)\)", words):
            inner = self.subject(length[1] or length[2])
            return f"len({inner})" if inner else ""
        name = _NAME.fullmatch(words)
        return self.values.get(name["name"], "") if name else ""

    def said_of(self, x: str, words: str) -> Condition | None:
        """The condition that is said of a value: "is not a string", "exceeds 3"."""
        if told := _IS.fullmatch(words):
            found = next(self._states(x, told["what"]), None)
            negated = bool(told["no"])
        elif told := _DOES.fullmatch(words):
            found = next(self._doings(x, told["verb"].lower(), told["what"]), None)
            negated = bool(told["no"]) != told["verb"].lower().startswith("lack")
        else:
            return None
        if found is None:
            return None
        about = re.sub(r"^len\((.+)\)$", r"\1", x)
        return Condition(found[negated], found[not negated], about)

    def _states(self, x: str, what: str) -> Iterator[tuple[str, str]]:
        for pattern, yes, no in _STATES:
            if re.fullmatch(rf"(?i:{pattern})", what):
                yield yes.format(x=x), no.format(x=x)
        if long := _LONG.fullmatch(what):
            yield from self._compared(f"len({x})", f"{long['how']} than {long['number']}")
        yield from self._compared(x, what)
        yield from self._typed(x, what)
        if one_of := re.fullmatch(r"(?:either |one of |in |among )+(.+)", what):
            if choices := self._choices(one_of[1]):
                yield f"{x} in {choices}", f"{x} not in {choices}"
        elif (between := _BETWEEN.fullmatch(what)) and re.match(r"between|within|in the|outside|from", what):
            low, high = self.value(between["low"]), self.value(between["high"])
            if low and high:
                inside, outside = f"{low} <= {x} <= {high}", f"not {low} <= {x} <= {high}"
                yield (outside, inside) if between["out"] else (inside, outside)
        if value := self.value(what):
            yield f"{x} == {value}", f"{x} != {value}"

    def _compared(self, x: str, what: str) -> Iterator[tuple[str, str]]:
        for pattern, sign, opposite in _SIGNS:
            if (told := re.fullmatch(rf"(?i)(?:{pattern}) (.+)", what)) and (value := self.value(told[1])):
                yield f"{x} {sign} {value}", f"{x} {opposite} {value}"

    def _typed(self, x: str, what: str) -> Iterator[tuple[str, str]]:
        told = re.fullmatch(r"(?:an? |instances? of |of type |the type )+(.+)", what)
        names = re.split(r",? or (?:an? )?|, (?:an? )?", told[1]) if told else []
        kinds = [TYPES.get(name.strip("`"), name.strip("`")) for name in names]
        kinds = ["(int, float)" if one == "number" else one for one in kinds]
        if kinds and all(one in TYPES.values() or re.fullmatch(r"[A-Z]\w+|\(int, float\)", one) for one in kinds):
            kind = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
            yield f"isinstance({x}, {kind})", f"not isinstance({x}, {kind})"

    def _choices(self, what: str) -> str:
        """A collection that is named, or made of the values that are listed."""
        if named := self.subject(what):
            return named
        listed = [self.value(one) for one in re.split(r",? (?:or|and) |, ", what.strip("[](){}"))]
        return f"({', '.join(listed)})" if len(listed) > 1 and all(listed) else what if what.isupper() else ""

    def _doings(self, x: str, verb: str, what: str) -> Iterator[tuple[str, str]]:
        value = self.value(what)
        if verb.startswith(("has", "have", "contain", "lack")) and (count := _COUNT.fullmatch(what)):
            how, number = (count["how"] or "").lower(), self.value((count["number"] or "").strip())
            if how == "no" and not number:
                yield f"not {x}", x
            elif number:
                yield from self._compared(
                    f"len({x})", f"{how.replace('exactly', '').replace('only', '') or 'equal to'} {number}"
                )
        elif value and verb.startswith("equal"):
            yield f"{x} == {value}", f"{x} != {value}"
        elif value and verb.startswith("exceed"):
            yield f"{x} > {value}", f"{x} <= {value}"
        elif value and verb.startswith(("contain", "lack")):
            yield f"{value} in {x}", f"{value} not in {x}"
        elif value and verb.endswith(" with") and value[0] in "\"'":
            method = "startswith" if verb.startswith("start") else "endswith"
            yield f"{x}.{method}({value})", f"not {x}.{method}({value})"

    def value(self, words: str) -> str:
        """What some words tell to compare with, as Python, or ""."""
        words = words.strip()
        if words.lower() in _NUMBERS:
            return _NUMBERS[words.lower()]
        if _TEXT.fullmatch(words) or re.fullmatch(rf"{SIGNED}|[A-Z][A-Z\d_]+", words):
            return words
        if named := self.subject(words):
            return named
        source = words[1:-1] if words[:1] == words[-1:] == "`" else ""
        return source if source and is_expression(source) else ""

    def _joined(self, words: str) -> Condition | None:
        """Two conditions, or two things that are said of one value, or one of two values."""
        for joint in re.finditer(r",? (or|and) ", words):
            left, right, word = words[: joint.start()], words[joint.end() :], joint[1]
            one = self._one(left)
            two = self.read(right) or self._again(left, right) if one else None
            if not one and (subject := self.subject(left)) and (two := self._one(right)):
                rest = right[right.index(" ") :].strip()
                one = self.said_of(subject, rest)
            if one and two:
                other = {"or": "and", "and": "or"}[word]
                return Condition(
                    f"{one.source} {word} {two.source}", f"{one.opposite} {other} {two.opposite}", one.about
                )
        return None

    def _again(self, left: str, right: str) -> Condition | None:
        """What is said of the value of `left` once more: "is less than 0 or greater than 9"."""
        for at in (match.start() for match in re.finditer(" ", left)):
            if subject := self.subject(left[:at]):
                return self.said_of(subject, right) or self.said_of(subject, f"is {right}")
        return None
