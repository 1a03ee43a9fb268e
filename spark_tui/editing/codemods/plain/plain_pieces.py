"""Small changes told plainly: "strip the title", "pass the priority to add too", "make X a ValueError"."""

import ast
import builtins
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import Function, end_of, splice, text_of, walk_scope
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.codemods.plain.plain_words import bare, called, names_of
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, top_of

_THE = r"(?:the |its |all )?[`'\"]?(?P<name>[^\W\d]\w*)[`'\"]?"
_VERBS = tuple(
    (re.compile(rf"(?i){words}"), made)
    for words, made in (
        (rf"(?:strip|trim)(?: (?:white ?space|spaces)(?: (?:from|off|around))?)? {_THE}", "{}.strip()"),
        (rf"lower[- ]?case {_THE}", "{}.lower()"),
        (rf"upper[- ]?case {_THE}", "{}.upper()"),
        (rf"(?:make|turn|convert) {_THE} (?:all )?(?:to |into )?lower[- ]?case", "{}.lower()"),
        (rf"(?:make|turn|convert) {_THE} (?:all )?(?:to |into )?upper[- ]?case", "{}.upper()"),
    )
)
_PASS = re.compile(rf"(?i)(?:pass|give|hand) {_THE} (?:on )?(?:to|into) (?P<call>[\w.]+)(?:\(\))?")
_BASE = re.compile(
    r"(?i)(?:make|let) (?P<name>[^\W\d]\w*) (?:be )?(?:an? )?"
    r"(?:subclass of |child of |inherit from |derive from |extend )?(?:an? )?(?P<base>[^\W\d]\w*)"
    r"|(?P<other>[^\W\d]\w*) should (?:be|inherit from|derive from|extend|subclass) (?:an? )?"
    r"(?P<new>[^\W\d]\w*)"
)
_FIRST = re.compile(r"(?i) (?:first|up front|beforehand|before (?:that|\w+ing(?: it)?))$")
_PRONOUNS = frozenset("it this that them these those everything all result value".split())  # noqa: SIM905
_SIMPLE = ast.Call | ast.Subscript | ast.Attribute | ast.Name


def plain_methods(before: Snippet, words: str) -> list[Ops]:
    """A variable set to what a method makes of its value, or a parameter first thing in the function; else []."""
    said = bare(before, words)
    for pattern, made in _VERBS:
        told = pattern.fullmatch(_FIRST.sub("", said))
        for function in the_function(before, words) if told else ():
            if told and (found := list(_made(before, function, told["name"], made))):
                return found[:1]
    return []


def _made(before: Snippet, function: Function, name: str, made: str) -> Iterator[Ops]:
    stored = [one for one in walk_scope(function) if isinstance(one, ast.Name) and one.id == name and _is_set(one)]
    if name in argument_names(function) and not stored and (top := top_of(before, function)):
        yield (Insert(top[0], (f"{top[1]}{name} = {made.format(name)}",)),)
    for node in walk_scope(function) if len(stored) == 1 and name not in argument_names(function) else ():
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name and isinstance(
                value, _SIMPLE
            ):
                source = text_of(before, value)
                if source and not source.endswith(made[2:]):
                    yield between(before, splice(before.lines, end_of(before, value), end_of(before, value), made[2:]))


def _is_set(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def plain_passed(before: Snippet, words: str) -> list[Ops]:
    """One more attribute of what the only call told passes one of; else []."""
    told = _PASS.fullmatch(bare(before, words))
    for function in the_function(before, words) if told else ():
        if told is None:
            break
        name = told["call"].rpartition(".")[2]
        calls = [one for one in before.nodes if isinstance(one, ast.Call) and called(one) == name]
        if len(calls) == 1 and (value := _value(before, function, calls[0].args, told["name"])):
            row, end = end_of(before, calls[0])
            had = [text_of(before, one) for one in calls[0].args]
            if value not in had and not calls[0].keywords and text_of(before, calls[0]):
                text = f"{', ' if had else ''}{value}"
                return [between(before, splice(before.lines, (row, end - 1), (row, end - 1), text))]
    return []


def _value(before: Snippet, function: Function, others: Sequence[ast.expr], name: str) -> str:
    """The attribute of that name of what the only argument is one of; names of the function are left to others."""
    if name in names_of(function) or name.lower() in _PRONOUNS:
        return ""
    owners = {text_of(before, one.value) for one in others if isinstance(one, ast.Attribute)}
    return f"{owners.pop()}.{name}" if len(owners) == 1 and len(others) == 1 else ""


def plain_bases(before: Snippet, words: str) -> list[Ops]:
    """A class with the base told in the place of `Exception`, `object` or none."""
    told = _BASE.fullmatch(bare(before, words))
    name, base = (told["name"] or told["other"], told["base"] or told["new"]) if told else ("", "")
    known = {one.name: one.lineno for one in before.nodes if isinstance(one, ast.ClassDef)}
    error = getattr(builtins, base or "", None)
    earlier = base in known and known[base] < known.get(name, 0)
    if not (earlier or (isinstance(error, type) and issubclass(error, BaseException))):
        return []
    for node in before.nodes:
        if isinstance(node, ast.ClassDef) and node.name == name and not node.keywords and base != name:
            row = node.lineno - 1
            old = rf"(\s*class {name})(?:\((?:Exception|object)?\))?:"
            line = re.sub(old, rf"\g<1>({base}):", before.lines[row])
            if line != before.lines[row]:
                return [between(before, [*before.lines[:row], line, *before.lines[row + 1 :]])]
    return []
