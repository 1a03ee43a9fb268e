"""Statements told plainly and as a whole: "if page is below 1 use 1", "sort the rows by total, biggest first"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, indentation, statement_lines, text_of, walk_scope
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.plain.plain_checks import check_at, spots_of, the_function
from spark_tui.editing.codemods.plain.plain_conditions import Condition, Conditions
from spark_tui.editing.codemods.plain.plain_words import bare, value_told
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import is_generator, quote

_TAKE = r"(?:use|take|set it to|make it|fall back to|default to|it (?:should be|becomes|is)|treat it as|clamp it to)"
_VALUE = r"(?P<value>[^,]+?)(?: instead)?"
_SET = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:if|when|whenever) (?P<test>.+?),? (?:then )?(?:just )?{_TAKE} {_VALUE}",
        rf"(?:if|when|whenever) (?P<test>.+?),? (?:then )?set (?P<name>[\w.]+) to {_VALUE}",
        rf"(?:use|take|fall back to|default to) {_VALUE},? (?:if|when|whenever) (?P<test>.+)",
        rf"set (?P<name>[\w.]+) to {_VALUE},? (?:if|when|whenever) (?P<test>.+)",
        rf"(?P<state>negative|empty|missing|blank) (?P<those>\w+) (?:become|should be|are|count as|turn into) {_VALUE}",
    )
)
_FIRST = (
    r"(?P<down>(?:biggest|largest|highest|newest|latest|longest|greatest|best|most) first|descending|in reverse"
    r"|in descending order|from high to low)"
)
_SORT = re.compile(
    r"(?i)(?:sort|order) (?:the )?(?P<what>\w+)(?: by (?:the |their |its )?[`'\"]?(?P<key>\w+)[`'\"]?)"
    rf"(?:,? (?:and )?(?:{_FIRST}|(?:smallest|lowest|oldest|shortest|least) first|ascending|in ascending order))?"
)
_THEM = frozenset(["them", "it", "these", "result", "results", "list", "output"])


def plain_settings(before: Snippet, words: str) -> list[Ops]:
    """The value told given to a variable where what is told of it holds, below where it is set; else []."""
    said = bare(before, words)
    for function in the_function(before, words):
        for told in filter(None, (pattern.fullmatch(said) for pattern in _SET)):
            test, value = _test(function, told), value_told(before, function, told["value"])
            name = told.groupdict().get("name") or (test.about if test else "")
            if test and value and value != name and name == test.about and name.isidentifier():
                spots = spots_of(before, function, test)[-1:]
                return [check_at(before, spot, test.source, f"{name} = {value}") for spot in spots]
    return []


def _test(function: Function, told: re.Match[str]) -> Condition | None:
    groups = told.groupdict()
    if groups.get("test"):
        return Conditions(function).read(groups["test"])
    those = groups["those"]
    singular = [re.sub(ending, new, those) for ending, new in (("s$", ""), ("ies$", "y"), ("es$", ""))]
    known = Conditions(function).values
    name = next((one for one in (those, *singular) if one in known), "")
    state = groups["state"].lower().replace("missing", "None")
    return Conditions(function).read(f"{name} is {state}") if name else None


def plain_sorts(before: Snippet, words: str) -> list[Ops]:
    """The list that a function gives back put in the order told before that; else []."""
    told = _SORT.fullmatch(bare(before, words))
    for function in the_function(before, words) if told else ():
        last = function.body[-1]
        if not (told and isinstance(last, ast.Return) and isinstance(last.value, ast.Name)) or is_generator(function):
            continue
        name = last.value.id
        key = _key(before, function, name, told["key"])
        if key and told["what"] in (name, *_THEM):
            down = ", reverse=True" if told["down"] else ""
            row = statement_lines(last)[0]
            return [(Insert(row - 1, (f"{indentation(before.lines[row])}{name}.sort(key={key}{down})",)),)]
    return []


def _key(before: Snippet, function: Function, name: str, part: str) -> str:
    """What to order the members of a list by: an entry or an attribute that they are seen to have; "" for none."""
    for member in _members(function, name):
        if isinstance(member, ast.Dict):
            keys = [one.value for one in member.keys if isinstance(one, ast.Constant)]
            return f"lambda item: item[{quote(before, part)}]" if part in keys else ""
        if isinstance(member, ast.Name):
            return _access(before, function, member.id, part)
    return ""


def _access(before: Snippet, function: Function, name: str, part: str) -> str:
    for node in walk_scope(function):
        match node:
            case ast.Subscript(value=ast.Name(id=owner), slice=ast.Constant(value=key)) if (owner, key) == (name, part):
                return f"lambda {name}: {text_of(before, node)}"
            case ast.Attribute(value=ast.Name(id=owner), attr=attr) if (owner, attr) == (name, part):
                return f"lambda {name}: {name}.{attr}"
    return ""


def _members(function: Function, name: str) -> Iterator[ast.expr]:
    for node in walk_scope(function):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append"), args=[member]) if owner == name:
                yield member
