"""Values that a message is plainly told to show: "log the port as well", "include the text in the error message"."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import Function, end_of, splice, start_of, text_of, walk_scope
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.plain.plain_checks import without_place
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, dotted, is_changed

_BEGIN = r"(?:(?:please|pls|also|just|it should|this should|should|must|can you|let's) )*"
_VERB = r"(?P<verb>log|show|include|print|mention|add|say|report|put|display|give|output|name|tell)"
_WHERE = (
    r"(?:in(?:to|side)?|to|with|as part of|when) (?:the |that |this |its |each |all )?"
    r"(?P<where>(?:error|log|exception|warning|\w*Error|print|failure|debug|info)?(?:s|'s)? ?"
    r"(?:messages?|errors?|exceptions?|logs?|log lines?|warnings?|texts?|output|raise|prints?|assert\w*)?)"
)
_SHOWN = re.compile(
    rf"(?i){_BEGIN}{_VERB} (?P<what>.+?)(?: {_WHERE})?(?P<too>,? (?:too|as well|also|here|besides))*[.!]?"
)
_JOINT = re.compile(r",? and (?:the |its )?|, (?:the |its )?")
_CAUSE = re.compile(
    r"(?:original |underlying |actual |caught )?(?:exception|error|exc|err|cause|reason|failure)(?: itself)?"
)
_BOUNDS = re.compile(r"(?:allowed |valid )?(?:bounds|limits|range|min and max)")
_ALSO = re.compile(r"(?i)\balso\b|\btoo\b|\bas well\b|\bbesides\b")
_NO_VALUE = re.compile(r"(?:^|[._])log(?:ger|ging)?$|(?:^|\.)[A-Z]\w*$")
_NAME = "exc"
_LEVELS = ("debug", "info", "warning", "warn", "error", "critical", "exception", "fatal")


@dataclass(frozen=True, slots=True)
class _Shown:
    """A message. `sort`: raise, assert, log or print; `given`: the values of a `%`, None without one."""

    sort: str
    literal: ast.Constant | ast.JoinedStr
    call: ast.Call | None
    given: ast.expr | None

    @property
    def logs(self) -> bool:
        """Whether values go behind the text as arguments."""
        return self.sort == "log" and self.given is None and isinstance(self.literal, ast.Constant)


def plain_shown(before: Snippet, words: str) -> list[Ops]:
    """The one message that may be meant with the values told at its end; else []."""
    told = _SHOWN.fullmatch(without_place(before, words))
    where = ((told and told["where"]) or "").strip().lower()
    if told is None or not (where or told["too"] or _ALSO.search(words)):
        return []
    found = []
    for function in functions_named(before, words) or before.functions:
        for message in _meant(list(_messages(function)), where, told["verb"].lower()):
            values = _values(function, message, told["what"])
            if values and not any(_shows(message, one) for one in values):
                found.append((function, message, values))
    if len(found) == 1 and (lines := _named(before, *found[0])):
        return [between(before, lines)]
    return []


def _messages(function: Function) -> Iterator[_Shown]:
    for node in walk_scope(function):
        match node:
            case ast.Raise(exc=ast.Call(args=[text]) as call):
                yield from _message("raise", text, call)
            case ast.Assert(msg=ast.expr() as text):
                yield from _message("assert", text, None)
            case ast.Call(func=ast.Name(id="print"), args=[text]):
                yield from _message("print", text, node)
            case ast.Call(func=ast.Attribute(value=owner, attr=level), args=[text, *_]) if level in _LEVELS:
                if "log" in (dotted(owner) or "").lower():
                    yield from _message("log", text, node)


def _message(sort: str, text: ast.expr, call: ast.Call | None) -> Iterator[_Shown]:
    match text:
        case ast.Constant(value=str()) | ast.JoinedStr():
            yield _Shown(sort, text, call, None)
        case ast.BinOp(left=ast.Constant(value=str()) as literal, op=ast.Mod(), right=given):
            yield _Shown(sort, literal, call, given)


def _meant(found: Sequence[_Shown], where: str, verb: str) -> Sequence[_Shown]:
    """Those of the sort that the words name; of any sort where there is none or they name none."""
    sort = "log" if "log" in where or (verb == "log" and not where) else "print" if verb == "print" else ""
    sort = sort or ("raise" if re.search("error|exception|raise", where) else "assert" if "assert" in where else "")
    return [one for one in found if one.sort == sort] or found


def _values(function: Function, message: _Shown, what: str) -> list[str]:
    """What the words name, value by value; none where one of them is not to be found."""
    what = re.sub(r"^(?:(?:the|its|also|what|which) )+", "", what.strip())
    if _BOUNDS.fullmatch(what):
        return _bounds(function, message)
    found = [_value(function, message, one.strip(" `'\"")) for one in _JOINT.split(what)]
    return list(dict.fromkeys(found)) if all(found) else []


def _value(function: Function, message: _Shown, what: str) -> str:
    if _CAUSE.fullmatch(what) and what not in argument_names(function):
        return next((one.name or _NAME for one in _handlers(function, message)), "")
    what = re.sub(r" (?:itself|value|argument|parameter|variable)$", "", what)
    names = {path: path for path in _known(function, message)}
    if what in names:
        return what
    called = re.sub(r"[\s_-]", "", what.lower())
    found = {path for path in names if path.rpartition(".")[2].lower().replace("_", "") == called}
    return found.pop() if len(found) == 1 else ""


def _known(function: Function, message: _Shown) -> Iterator[str]:
    """The parameters, what is set above the message, and the attributes that are read."""
    yield from argument_names(function)
    calls = {id(node.func) for node in walk_scope(function) if isinstance(node, ast.Call)}
    for node in walk_scope(function):
        if isinstance(node, ast.Name) and is_changed(node) and node.lineno < message.literal.lineno:
            yield node.id
        elif isinstance(node, ast.Attribute) and id(node) not in calls and (path := dotted(node)):
            yield from [path] if not _NO_VALUE.search(path) else []


def _handlers(function: Function, message: _Shown) -> Iterator[ast.ExceptHandler]:
    for node in walk_scope(function):
        if isinstance(node, ast.ExceptHandler) and any(part is message.literal for part in ast.walk(node)):
            yield node


def _bounds(function: Function, message: _Shown) -> list[str]:
    """The two that the condition around a message holds its value against."""
    around = [
        one
        for one in walk_scope(function)
        if isinstance(one, ast.If) and any(part is message.literal for inner in one.body for part in ast.walk(inner))
    ]
    tests = [part for one in around[-1:] for part in ast.walk(one.test) if isinstance(part, ast.Compare)]
    sides = [ast.unparse(side) for test in tests for side in (test.left, *test.comparators)]
    found = [side for side in dict.fromkeys(sides) if sides.count(side) == 1] if len(tests) == 2 else []
    if len(tests) == 1 and len(tests[0].comparators) == 2:
        found = [sides[0], sides[2]]
    return found if len(found) == 2 else []


def _shows(message: _Shown, value: str) -> bool:
    whole = message.call or message.literal
    return any(isinstance(one, ast.expr) and ast.unparse(one) == value for one in ast.walk(whole))


def _named(before: Snippet, function: Function, message: _Shown, values: Sequence[str]) -> list[str]:
    """The lines with the values shown, what is caught being given a name where it needs one."""
    lines = _with(before, message, values)
    known = any(one.name for one in _handlers(function, message)) or _NAME in _known(function, message)
    if lines and _NAME in values and not known:
        named = _caught(before, function, message)
        changed = [row for row, line in enumerate(named) if line != before.lines[row]]
        return [*lines[: changed[0]], named[changed[0]], *lines[changed[0] + 1 :]] if changed else []
    return lines


def _caught(before: Snippet, function: Function, message: _Shown) -> list[str]:
    """The lines with a name for what the handler of a message catches, where that has none."""
    for handler in _handlers(function, message):
        row = handler.lineno - 1
        line = re.sub(r"^(\s*except\b[^#:]+):", rf"\1 as {_NAME}:", before.lines[row])
        if handler.name is None and handler.type is not None and line != before.lines[row]:
            return [*before.lines[:row], line, *before.lines[row + 1 :]]
    return []


def _with(before: Snippet, message: _Shown, values: Sequence[str]) -> list[str]:
    """The lines with values at the end of the message: as `%s` and arguments, in a `%`, or as fields."""
    source = text_of(before, message.literal)
    told = re.fullmatch(r"([fF]?)(\"|')(?!\2)((?:[^\\]|\\n)*)\2", source)
    if told is None:
        return []
    percent = message.logs or message.given is not None
    content = re.sub(r"[.!:\s]+$", "", told[3])
    content = content if told[1] or percent else content.replace("{", "{{").replace("}", "}}")
    shown = ", ".join("%s" if percent else f"{{{one}}}" for one in values)
    glue = f" ({shown})" if re.search(r"%[srd]$" if percent else r"[^{]\}$", content) else f": {shown}"
    literal = f"{'' if percent else 'f'}{told[2]}{content}{glue}{told[2]}"
    lines = list(before.lines)
    if message.given is not None:
        inside = isinstance(message.given, ast.Tuple)
        held = (
            text_of(before, message.given).removeprefix("(").removesuffix(")")
            if inside
            else text_of(before, message.given)
        )
        lines = splice(
            lines, start_of(before, message.given), end_of(before, message.given), f"({', '.join((held, *values))})"
        )
    elif message.logs and message.call:
        at = end_of(before, message.call.args[-1])
        lines = splice(lines, at, at, "".join(f", {one}" for one in values))
    return splice(lines, start_of(before, message.literal), end_of(before, message.literal), literal)
