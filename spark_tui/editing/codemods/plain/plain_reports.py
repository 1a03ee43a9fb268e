"""Crashes told with what is to be done instead: "TypeError: 'NoneType' ... for unknown ids. return None".

Where a look-up may have found nothing, what it gave is checked below it; a crash on what is empty is a check as told.
"""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, indentation, statement_lines, walk_scope
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.plain.plain_checks import check_at, plain_returns, the_function
from spark_tui.editing.codemods.plain.plain_words import value_told
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet

_VALUE = rf"(?:an? |the )?(?P<value>empty \w+|None|True|False|nothing|{SIGNED}|\"[^\"]*\"|'[^']*'|\[\]|\{{\}}|\(\))"
_GIVES = re.compile(
    r"(?i)(?:^|[,;.:]|\band|\bshould|\bjust|\bplease) *(?:it should |should |just |please |rather |simply )*"
    rf"(?:return|give|be|give back|hand back|use)s? (?:back )?(?:just )?{_VALUE}"
    r"(?: then| there| instead| back| in that case)*$"
)
_SKIPS = re.compile(r"(?i)(?:^|[,;.:]|\band|\bjust|\bplease) *(?:skip|ignore|leave out|pass over)(?: (?:over )?\w+)*$")
_WHEN = re.compile(rf"(?i)^(?:(?:it )?should (?:be|return|give) )?{_VALUE} (?:when|if) (?P<test>.+)$")
_RAISED = re.compile(
    r"(?:[,;.:] ?|\band |\bshould |\bjust )(?:please )?raise (?P<call>[A-Z]\w*(?:Error|Exception)\([^()]*\))"
    r"(?: then| there| instead)?$"
)
_RAISES = re.compile(
    r"^(?:raise |throw )?(?P<call>[A-Z]\w*(?:Error|Exception)\((?:\"[^\"]*\"|'[^']*')\))(?P<when>[ ,].+)$"
)
_NOTHING = re.compile(
    r"(?i)'?NoneType'?|\b(?:is|was|are|returns?|returned|gives?|gave|got|gets) None\b"
    r"|(?:doesn'?t|does not|don'?t|didn'?t) match|no match|not found|there(?: is|'s) no\b|\bunknown\b"
)
_USED_AS = re.compile(
    r"has no attribute '(?P<name>\w+)'|(?P<item>not subscriptable)|(?P<loop>not iterable|cannot unpack)"
)
_GIVEN_BY = re.compile(
    r"(?i)\b(?:when|if|as|because|since|where|in case) (?P<name>\w+)(?:\(\))? (?:returns?|returned|gives?|gave|is) None"
)
_MAY_FIND_NOTHING = frozenset(
    "match search fullmatch get fetchone find first getenv one_or_none scalar_one_or_none get_or_none which".split()  # noqa: SIM905
)
_ON_EMPTY = re.compile(
    r"(?i)^(?:\w*(?:Error|Exception)\b|(?:integer |float )?division by zero|crash\w*|fails?|blows up|breaks)"
    r"(?::[^.;]*?)?"
    r"(?: (?:for|on|with|when|if|given|because|as)(?: it(?:'s| is| gets)| there (?:is|are)| (?:the|an?))?)"
    r" (?P<empty>empty(?: \w+)?|\w+ (?:is|are) empty|no (?:\w+))[,;.:]+ ?"
    rf"(?:it should |should |just |please |must |and )*(?:return|give|be|give back)s? (?:back )?{_VALUE}"
    r"(?: then| there| instead)*$"
)


def plain_reports(before: Snippet, words: str) -> list[Ops]:
    """The check that a crash asks for, where the words tell what is to be done; [] where it is not plain."""
    said = words.strip(" .!")
    if empty := _ON_EMPTY.match(said):
        state = re.sub(r"(?i)^(?:empty|no)(?: \w+)?$", "it is empty", empty["empty"])
        return plain_returns(before, f"return {empty['value']} if {state}")
    if when := _WHEN.match(said):
        return plain_returns(before, f"return {when['value']} if {when['test']}")
    if not _NOTHING.search(said):
        return []
    for function in the_function(before, words):
        found = [one for one in _looked_up(function) if _is_told(function, one, said)]
        leaving = _leaving(before, function, said)
        if len(found) == 1 and leaving and (leaving != "continue" or _in_loop(function, found[0])):
            row, name = statement_lines(found[0])[1], ast.unparse(found[0].targets[0])
            indent = indentation(before.lines[statement_lines(found[0])[0]])
            return [check_at(before, (row, indent), f"{name} is None", leaving)]
    return []


def _leaving(before: Snippet, function: Function, said: str) -> str:
    """What is to be done where nothing was found, or ""."""
    if raised := _RAISED.search(said) or _RAISES.match(said):
        return f"raise {raised['call']}" if is_expression(raised["call"]) else ""
    if gives := _GIVES.search(said):
        value = value_told(before, function, gives["value"])
        return f"return {value}" if value else ""
    return "continue" if _SKIPS.search(said) else ""


def _looked_up(function: Function) -> Iterator[ast.Assign]:
    """What is kept of calls, in names that nothing tests."""
    tests = [one.test for one in walk_scope(function) if isinstance(one, ast.If | ast.IfExp | ast.While | ast.Assert)]
    tested = {one.id for test in tests for one in ast.walk(test) if isinstance(one, ast.Name)}
    for node in walk_scope(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() | ast.Await()) if name not in tested:
                yield node


def _is_told(function: Function, node: ast.Assign, said: str) -> bool:
    """Whether a look-up may be the one that is told to give None: by its call, by how the message says it is used."""
    value = node.value.value if isinstance(node.value, ast.Await) else node.value
    if by := _GIVEN_BY.search(said):
        return _last_name(value) == by["name"] or ast.unparse(node.targets[0]) == by["name"]
    used = _USED_AS.search(said)
    return _may_find_nothing(value) and (used is None or _is_used(function, ast.unparse(node.targets[0]), used))


def _may_find_nothing(node: ast.expr) -> bool:
    """Whether a call is of those that give None where there is nothing, and no default is handed to it."""
    name = _last_name(node)
    given = name in ("get", "getenv") and isinstance(node, ast.Call) and len(node.args) + len(node.keywords) > 1
    return name in _MAY_FIND_NOTHING and not given


def _last_name(node: ast.expr) -> str:
    """What a call is of, whatever that hangs on."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name
    return ""


def _is_used(function: Function, name: str, used: re.Match[str]) -> bool:
    for node in walk_scope(function):
        match node:
            case ast.Attribute(value=ast.Name(id=held), attr=attr) if held == name and attr == used["name"]:
                return True
            case ast.Subscript(value=ast.Name(id=held)) if held == name and used["item"]:
                return True
            case ast.For(iter=ast.Name(id=held)) | ast.Assign(targets=[ast.Tuple()], value=ast.Name(id=held)):
                if held == name and used["loop"]:
                    return True
    return False


def _in_loop(function: Function, node: ast.stmt) -> bool:
    loops = [one for one in walk_scope(function) if isinstance(one, ast.For | ast.AsyncFor | ast.While)]
    return any(inner is node for loop in loops for inner in ast.walk(loop))
