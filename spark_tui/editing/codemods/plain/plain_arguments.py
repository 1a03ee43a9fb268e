"""Arguments that plain words add to a call or take from it: "pass argv to parse_args", "add newline=''", "no shell"."""

import ast
import builtins
import inspect
import re
import sys
from collections.abc import Iterator

from spark_tui.editing.code import end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.plain.plain_words import bare, called, names_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings

_PASS = re.compile(
    r"(?:pass|give|hand|forward|thread)(?: on| along| through| down)? (?:the )?`?(?P<name>[^\W\d]\w*)`?"
    r"(?: argument| parameter| value)?(?: on| along| through| down)*"
    r"(?: (?:in|to|into) (?:the )?(?:(?P<own>recursive|recursion)|`?(?P<call>[\w.]+)`?(?:\(\))?)(?: call)?)"
)
_GIVEN = re.compile(
    r"(?:(?:add|pass|set|use|with|give it|call it with|put|specify)(?: the)? )?"
    r"`?(?P<name>[^\W\d]\w*) ?= ?(?P<value>\S+?)`?"
    r"(?: (?:to|on|in|for|when calling) (?:the )?`?(?P<call>[\w.]+)`?(?:\(\))?(?: call)?)?"
)
_WITHOUT = re.compile(
    r"(?:don'?t|do not|never) (?:use|pass|set|need) (?:the |an? )?`?(?P<name>[^\W\d]\w*)`?(?: here| argument)?"
    r"|(?:drop|remove|lose|no need for|without) (?:the )?`?(?P<gone>[^\W\d]\w*)`?"
    r"(?: argument| keyword| option| flag| kwarg)?"
)
_ERRORS = r"(?:the |that |this |all )?(?:error |failure )?(?:errors?|messages?|failures?|it|that|them)"
_STDERR = re.compile(
    rf"(?:print|write|send|put)(?: {_ERRORS})? to (?:sys\.)?stderr"
    rf"|{_ERRORS} (?:(?:should|must|ought to) )?(?:be printed|go|goes|belongs?) to (?:sys\.)?stderr"
)


def plain_arguments(before: Snippet, words: str) -> list[Ops]:
    """The one call that is meant with one argument more or less; else []."""
    said = bare(before, words)
    found = (
        list(_passed(before, said))
        or list(_given(before, said))
        or list(_without(before, said))
        or list(_to_stderr(before, said))
    )
    return [between(before, found[0])] if len(found) == 1 else []


def _calls(before: Snippet) -> list[ast.Call]:
    return [one for one in outside_fstrings(before.tree) if isinstance(one, ast.Call)]


def _passed(before: Snippet, said: str) -> Iterator[list[str]]:
    """A name that the function has, passed on under its own name, or first where nothing is passed."""
    told = _PASS.fullmatch(said)
    if told is None:
        return
    for function in before.functions:
        if told["name"] not in names_of(function):
            continue
        inside = {id(one) for one in ast.walk(function)}
        name = function.name if told["own"] else told["call"].rpartition(".")[2]
        for call in _calls(before):
            if id(call) in inside and _is_of(call, name) and not _passes(call, told["name"]):
                argument = _by_signature(before, call, name, told["name"])
                yield from _added(before, call, argument)


def _is_of(call: ast.Call, name: str) -> bool:
    """Whether a function by that name is called; a method of what is above for "super"."""
    if name != "super":
        return called(call) == name
    return isinstance(call.func, ast.Attribute) and called(call.func.value) == "super"


def _passes(call: ast.Call, name: str) -> bool:
    given = [*call.args, *(one.value for one in call.keywords)]
    return any(isinstance(one, ast.Name) and one.id == name for one in given)


def _by_signature(before: Snippet, call: ast.Call, function: str, name: str) -> str:
    """The argument as the function has it: where it is next, as it is; else by its name; "" where that is open."""
    own = next((one for one in before.functions if one.name == function), None)
    if own is None:
        return f"{name}={name}" if call.keywords else name if not call.args else ""
    known = [one.arg for one in own.args.args if one.arg not in ("self", "cls")]
    next_one = len(call.args) < len(known) and known[len(call.args)] == name and not call.keywords
    return name if next_one else f"{name}={name}"


def _added(before: Snippet, call: ast.Call, argument: str) -> Iterator[list[str]]:
    row, end = end_of(before, call)
    starred = any(one.arg is None for one in call.keywords)
    if argument and not starred and text_of(before, call) and before.lines[row][end - 2 : end - 1] != ",":
        comma = ", " if call.args or call.keywords else ""
        yield splice(before.lines, (row, end - 1), (row, end - 1), comma + argument)


def _given(before: Snippet, said: str) -> Iterator[list[str]]:
    """A keyword with its value, for the one call that takes it."""
    told = _GIVEN.fullmatch(said)
    if told is None or not is_expression(told["value"]) or not (told["call"] or _is_fresh(before, told["name"])):
        return
    name = (told["call"] or "").rpartition(".")[2]
    if told[0].rpartition(" for ")[2].strip("`") == name and not any(called(one) == name for one in _calls(before)):
        name = ""  # what it is for, as in "newline='' for csv"
    among = [one for one in _calls(before) if (called(one) == name if name else _takes(one, told["name"]))]
    for call in among:
        if not any(one.arg == told["name"] for one in call.keywords):
            yield from _added(before, call, f"{told['name']}={told['value']}")


def _is_fresh(before: Snippet, name: str) -> bool:
    """Whether no variable or parameter may be meant by a name."""
    return not any(name in names_of(function) for function in before.functions)


def _takes(call: ast.Call, keyword: str) -> bool:
    """Whether a function of the library is called that is known to have a keyword."""
    module, _, name = (dotted(call.func) or "").rpartition(".")
    if module == "subprocess":
        return name in _RUNS and keyword in _OF_RUNS
    owner = sys.modules.get(module) if module else builtins
    function = getattr(owner, name, None)
    try:
        return keyword in inspect.signature(function).parameters if callable(function) else False
    except (ValueError, TypeError):
        return False


_RUNS = frozenset(["run", "call", "check_call", "check_output"])
_OF_RUNS = frozenset(
    ["cwd", "env", "timeout", "encoding", "errors", "input", "stdin", "stdout", "stderr", "shell", "text"]
)


def _without(before: Snippet, said: str) -> Iterator[list[str]]:
    """The one keyword of that name taken out of its call."""
    told = _WITHOUT.fullmatch(said)
    name = (told["name"] or told["gone"]) if told else ""
    for call in _calls(before) if name and _is_fresh(before, name) else ():
        for at, keyword in enumerate(call.keywords):
            if keyword.arg == name and text_of(before, call):
                ahead = _before(call, at)
                start = end_of(before, ahead) if ahead else start_of(before, keyword)
                yield splice(before.lines, start, end_of(before, keyword), "")


def _before(call: ast.Call, at: int) -> ast.expr | ast.keyword | None:
    """The argument in front of a keyword."""
    return call.keywords[at - 1] if at else call.args[-1] if call.args else None


def _to_stderr(before: Snippet, said: str) -> Iterator[list[str]]:
    """The one print there is, or the one of an error: in a handler, or right before leaving."""
    if not _STDERR.fullmatch(said):
        return
    prints = [one for one in _calls(before) if called(one) == "print" and "file" not in {k.arg for k in one.keywords}]
    handlers = [one for one in before.nodes if isinstance(one, ast.ExceptHandler)]
    caught = {id(part) for one in handlers for part in ast.walk(one)}
    failing = [one for one in prints if id(one) in caught]
    for call in failing or prints:
        yield from _added(before, call, "file=sys.stderr")
