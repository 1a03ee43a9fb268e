"""Elements that a loop is plainly told to leave out: "skip hidden files", "rows without the key should be ignored"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, indentation, splice, statement_lines, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.idioms.element_loops import singular
from spark_tui.editing.codemods.plain.plain_checks import check_at, the_function
from spark_tui.editing.codemods.plain.plain_conditions import Conditions
from spark_tui.editing.codemods.plain.plain_words import bare, called, names_of
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote
from spark_tui.editing.trees import parse

_SKIP = r"(?:skip|ignore|leave out|exclude|filter out|drop|omit)(?: over)?"
_SKIPPED = r"(?:should|must|can|are to) be (?:skipped|ignored|left out|dropped)"
_STATES = {
    "none": "{x} is None", "null": "{x} is None", "empty": "not {x}", "blank": "not {x}.strip()", "missing": "not {x}",
    "falsy": "not {x}", "hidden": '{x}.startswith(".")', "negative": "{x} < 0", "zero": "{x} == 0", "odd": "{x} % 2",
    "commented": '{x}.startswith("#")', "comment": '{x}.startswith("#")', "non-string": "not isinstance({x}, str)",
}  # fmt: skip
_STATE = "|".join(_STATES)
_WHICH = r"(?:that|which|where|whose|with|without|shorter|longer|smaller|larger|less|more|below|above|starting|ending)"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_SKIP} (?:the |any |all |over )?(?P<state>{_STATE})(?: (?P<those>\w+))?",
        rf"(?:the |any |all )?(?P<state>{_STATE}) (?P<those>\w+) {_SKIPPED}",
        rf"{_SKIP} (?:the |any |all )?(?P<those>\w+) (?P<test>{_WHICH} .+|if .+|when .+)",
        rf"(?:the |any |all )?(?P<those>\w+) (?P<test>{_WHICH} .+) {_SKIPPED}",
    )
)
_LACKS = re.compile(
    r"(?:without|that lack|that don'?t have|with no|missing) (?:the |an? )?(?P<key>`?\w+`?|\"[^\"]*\"|'[^']*')"
)
_ENDS = re.compile(r"(?P<how>starting|ending) with (?P<rest>.+)")
_LETTERS = re.compile(r" (?:letters?|chars?|characters?)$")
_ANY = frozenset("them those ones elements items entries things files paths names lines".split())  # noqa: SIM905
_HEADER = re.compile(
    rf"(?i){_SKIP} (?:the )?(?:(?:csv )?header(?: (?:row|line))?|first (?:row|line))(?: (?:of|in) the (?:csv|file))?"
    rf"|the first (?:row|line) is (?:a|the) header,? (?:so )?{_SKIP} (?:it|that)"
)
_Loop = ast.For | ast.AsyncFor


def plain_skips(before: Snippet, words: str) -> list[Ops]:
    """The check that goes on with the next element, in the one loop whose elements are told; else []."""
    said = bare(before, words)
    if _HEADER.fullmatch(said):
        return _below_header(before, words)
    for told in filter(None, (form.fullmatch(said) for form in _FORMS)):
        found = list(_skips(before, words, told))
        if len(found) == 1:
            return found
    return []


def _below_header(before: Snippet, words: str) -> list[Ops]:
    """The first line taken off what the one loop over the lines of a file goes over, or off a list of them."""
    for function in the_function(before, words):
        files = dict(_files(function))
        over = [one for one in ast.walk(function) if isinstance(one, _Loop | ast.comprehension)]
        goes = [(loop, one) for loop in over for one in ast.walk(loop.iter) if isinstance(one, ast.expr)]
        named = [one for _, one in goes if isinstance(one, ast.Name) and one.id in files]
        read = [one for one in ast.walk(function) if isinstance(one, ast.Assign) and _is_lines(one.value)]
        kept = [ast.unparse(one.targets[0]) for one in read]
        lists = [loop.iter for loop in over if _is_lines(loop.iter) or ast.unparse(loop.iter) in kept]
        if any(called(one) == "next" for one in ast.walk(function)) or len(named) + len(lists) != 1:
            return []
        if lists:
            return [between(before, splice(before.lines, end_of(before, lists[0]), end_of(before, lists[0]), "[1:]"))]
        found = [one for one in ast.walk(function) if isinstance(one, ast.stmt) and named[0] in _own(one)]
        row = statement_lines(found[0])[0]
        return [(Insert(row - 1, (f"{indentation(before.lines[row])}next({named[0].id}, None)",)),)] if found else []
    return []


def _is_lines(node: ast.expr) -> bool:
    """Whether code gives all lines as a list."""
    match node:
        case ast.Call(func=ast.Attribute(attr="readlines" | "splitlines")):
            return True
    return False


def _own(stmt: ast.stmt) -> list[ast.AST]:
    """What a statement itself holds, without the statements in it."""
    if isinstance(stmt, _Loop):
        return list(ast.walk(stmt.iter))
    return [] if hasattr(stmt, "body") else list(ast.walk(stmt))


def _files(function: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The names under which a function reads line by line: open files, and readers of those that give lists."""
    for node in ast.walk(function):
        match node:
            case ast.withitem(context_expr=call, optional_vars=ast.Name(id=name)) if called(call) == "open":
                yield name, node
            case ast.Assign(targets=[ast.Name(id=name)], value=call) if called(call) in ("open", "reader"):
                yield name, node


def _skips(before: Snippet, words: str, told: re.Match[str]) -> Iterator[Ops]:
    for function in functions_named(before, words) or before.functions:
        loops = [one for one in ast.walk(function) if isinstance(one, _Loop)]
        for loop in loops:
            for name in _elements(loop, told["those"], len(loops) == 1):
                thing = _thing(before, loop, name, told)
                if thing and (test := _test(before, Conditions(function), names_of(function), thing, told)):
                    yield from _checked(before, loop, name, test)


def _elements(loop: _Loop, those: str | None, alone: bool) -> Iterator[str]:
    """The variables of a loop that may be meant: by their name, or the only one of the only loop."""
    names = [one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)]
    called = [those, those.removesuffix("s"), *singular(those)] if those else []
    named = [name for name in names if name in called or name.rpartition("_")[2] in called]
    if named:
        yield named[0]
    elif (
        len(names) == 1 and alone and (not those or those in _ANY or re.search(rf"\b{those}\b", ast.unparse(loop.iter)))
    ):
        yield names[0]


def _thing(before: Snippet, loop: _Loop, name: str, told: re.Match[str]) -> str:
    """What a test is about: the variable of the loop; what it is the number of, where a key is looked for; or ""."""
    lacking = _LACKS.fullmatch(told.groupdict().get("test") or "")
    if lacking is None:
        return name
    key = lacking["key"].strip("`'\"")
    parts = [one for node in loop.body for one in ast.walk(node)]
    keyed = [one for one in parts if isinstance(one, ast.Subscript)]
    held = {text_of(before, one.value) for one in keyed if ast.unparse(one.slice) == repr(key)}
    if len(held) == 1 and re.search(rf"\b{name}\b", "".join(held)):
        return held.pop()
    bare = called(loop.iter) == "range" or any(_holds_no_key(one, name, key) for one in parts)
    return "" if bare else name


def _holds_no_key(node: ast.AST, name: str, key: str) -> bool:
    """Whether code takes a variable for a number, or for what has an attribute where the key would be."""
    match node:
        case ast.Subscript(slice=used) | ast.AugAssign(value=used):
            among = [used]
        case ast.BinOp(left=left, right=right):
            among = [left, right]
        case ast.Compare(left=left, comparators=others) if any(isinstance(one, ast.Constant) for one in others):
            among = [left]
        case ast.Attribute(attr=attr, value=used) if attr == key:
            among = [used]
        case _:
            return False
    return any(isinstance(one, ast.Name) and one.id == name for one in among)


def _test(before: Snippet, conditions: Conditions, known: set[str], x: str, told: re.Match[str]) -> str:
    groups = told.groupdict()
    if state := groups.get("state"):
        if state.lower() == "hidden" and "name" not in x:
            return ""
        ended = state.lower() == "empty" and x == "line" and "splitlines" not in "".join(before.lines)
        return _quoted(before, _STATES["blank" if ended else state.lower()].format(x=x))
    test = _LETTERS.sub(" characters", groups["test"])
    if lacks := _LACKS.fullmatch(test):
        key = lacks["key"].strip("`")
        return f"{key} not in {x}" if key in known or key[0] in "\"'" else f"{quote(before, key)} not in {x}"
    if ends := _ENDS.fullmatch(test):
        test = f"{ends['how'].removesuffix('ing')}s with {ends['rest']}"
    test = re.sub(r"^are\b", "is", re.sub(r"^(?:that|which|if|when|where) (?:it |they )?", "", test))
    found = conditions.said_of(x, test) or conditions.said_of(x, f"is {test}")
    return found.source if found else ""


def _quoted(before: Snippet, test: str) -> str:
    return re.sub(r'"([^"]*)"', lambda text: quote(before, text[1]), test)


def _checked(before: Snippet, loop: _Loop, name: str, test: str) -> Iterator[Ops]:
    """The check at the top of a loop, below what sets the element anew and the checks that are there."""
    if any(isinstance(one, ast.If) and ast.unparse(one.test) == ast.unparse(parse(test)) for one in ast.walk(loop)):
        return
    row = loop.body[0].lineno - 2
    for node in loop.body[:-1]:
        if not _is_check(node) and not _sets(node, name):
            break
        row = statement_lines(node)[1]
    yield check_at(before, (row, indentation(before.lines[loop.body[0].lineno - 1])), test, "continue")


def _is_check(node: ast.stmt) -> bool:
    match node:
        case ast.If(body=[ast.Continue()], orelse=[]):
            return True
    return False


def _sets(node: ast.stmt, name: str) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(id=target)]):
            return target == name
    return False
