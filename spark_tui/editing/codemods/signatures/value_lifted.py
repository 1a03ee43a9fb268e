"""A value that is fixed in a body made a parameter with that value as its default: "make the delay a parameter"."""

import ast
import re
from collections.abc import Sequence

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import parses
from spark_tui.editing.codemods.common.taking_out import without
from spark_tui.editing.codemods.hints.typing_words import type_of
from spark_tui.editing.codemods.signatures.longer_signature import is_hinted, with_parameter
from spark_tui.editing.codemods.signatures.signature_wordings import COURTESY, END
from spark_tui.editing.codemods.signatures.value_roles import Fixed, fixed_values
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.signatures import parameter_source
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import spliced

_WHAT = r"(?P<what>\S.*?)"
_PARAMETER = r"(?:param(?:eter)?|arg(?:ument)?|kwarg|option|setting)s?"
_AS = (
    rf"(?:an? |the )?(?:(?:optional|new|keyword(?:-only)?|function|extra|configurable|real|proper) )*{_PARAMETER}"
    r"(?: (?:of|to|in|for) (?:the |this )?(?:function|method|signature|it))?"
    r"(?:,? (?:called|named) [`'\"]?(?P<name>[^\W\d]\w*)[`'\"]?)?"
)
_DEFAULT = re.compile(
    r",? (?:(?:with|and) (?:(?:a|the|its|that|this|it|current|same) )*(?:value )?(?:as )?(?:the |its )?default"
    r"(?: value)?(?: (?:of |to )?(?P<value>[^\s,]+))?|default(?:s|ing)? (?:to )?(?P<told>[^\s,]+))$",
    re.IGNORECASE,
)
_FREE = r"(?:configurable|adjustable|settable|customi[sz]able|overridable)(?: (?:by|from|for) (?:the )?\w+)?"
_CALLERS = r"(?:the |a )?(?:callers?|users?|people|me|us|others|one|everyone)"
_CHOOSE = r"(?:choose|set|pass|pick|specify|configure|override|change|control|give|decide|tune|provide|select|adjust)"
_WORDINGS = [
    re.compile(words, re.IGNORECASE)
    for words in (
        rf"(?:make|turn|convert|change|have|promote|let|extract|lift) {_WHAT} (?:be(?:come)? |in ?to |to )?{_AS}",
        rf"(?:make|have|let) {_WHAT} (?:be )?{_FREE}",
        rf"(?:take|accept|pass|get|expose|receive) {_WHAT} (?:in )?as {_AS}",
        rf"(?:let|allow) {_CALLERS} (?:to )?{_CHOOSE}(?: in)? {_WHAT}(?: in)?",
        rf"{_CALLERS} should be able to {_CHOOSE}(?: in)? {_WHAT}(?: in)?",
        rf"(?:move|pull|lift|hoist|put) {_WHAT} (?:up |out )?(?:in)?to the (?:signature|{_PARAMETER}(?: list)?)",
        rf"{_WHAT} (?:should|must|ought to) be(?:come)? (?:{_AS}|{_FREE})",
        rf"(?:don't|do not|stop|avoid) hard-?cod(?:e|ing) {_WHAT}",
        rf"(?:don't|do not|stop|avoid) hard-?cod(?:e|ing) {_WHAT}[,;:] (?:make|take|pass) it (?:as |in ?to )?{_AS}",
        rf"replace {_WHAT} (?:with|by) {_AS}",
    )
]
_SPOKEN = re.compile(
    r"(?i)\b(?:hard-?coded|fixed|magic|literal|constant|value|number|current|string|default|of|the|a|an)\b"
)
_UNITS = re.compile(r"(?i)\b(?:seconds?|secs?|s|ms|milliseconds?|minutes?|mins?|bytes?|times|characters?|chars?)\b")
_LITERAL = re.compile(rf"(?<![\w.])(?:{SIGNED}|True|False|None)(?![\w.])|`[^`]+`|\"[^\"]*\"|'[^']*'")
_FOR_NAMES = ("delay", "separator", "encoding", "precision", "prefix", "suffix", "width", "url", "mode")
_MOST = 3
UNSEEN = "nothing in"
"""How it is told that no value is the one that is spoken of, so that a new parameter may be meant."""


def value_lifted(before: Snippet, function: Function, instruction: str) -> tuple[tuple[str, ...], str]:
    """The lines with each value that is told to be a parameter, or none; and why there are none, or "" ."""
    text = END.sub("", COURTESY.sub("", " ".join(instruction.split())))
    value = ""
    if default := _DEFAULT.search(text):
        text, value = text[: default.start()], default["value"] or default["told"] or ""
    for wording in _WORDINGS:
        if found := wording.fullmatch(text):
            return _all(before, function, _parts(found["what"]), found.groupdict().get("name") or "", value)
    return (), ""


def _parts(what: str) -> list[str]:
    """What is spoken of, one by one: "the timeout and the retries"."""
    return [one for one in re.split(r",? and |, ", what) if one]


def _all(
    before: Snippet, function: Function, parts: Sequence[str], name: str, value: str
) -> tuple[tuple[str, ...], str]:
    if len(parts) > _MOST or (name and len(parts) > 1):
        return (), ""
    snippet = before
    for what in parts:
        here = next(one for one in snippet.functions if one.name == function.name)
        lines, problem = _lifted(snippet, here, what, name, value)
        if not lines:
            return (), problem
        snippet = Snippet(tuple(lines))
    return snippet.lines, ""


def _lifted(before: Snippet, function: Function, what: str, name: str, value: str) -> tuple[list[str], str]:
    literals = _LITERAL.findall(what)
    words = _SPOKEN.sub(" ", _LITERAL.sub(" ", what))
    if literals:
        words = _UNITS.sub(" ", words)
    role = "_".join(re.findall(r"\w+", words)).lower()
    own = [one.arg for one in code.parameters(function)]
    first = what.split(maxsplit=1)[0].strip("`'\"")
    if re.search(r"(?i)^an? ", what) or len(literals) > 1 or (first in own and first != what.strip("`'\"")):
        return [], ""
    if not literals and (role in own or what.strip("`'\"") in own):
        return [], f"{role or what} is a parameter of {function.name} already"
    if not literals and (local := _local(before, function, name or role, what)):
        return _moved(before, function, local, name or _target(local), value), ""
    return _replaced(before, function, literals[0] if literals else "", role, name, value)


def _local(before: Snippet, function: Function, role: str, what: str) -> ast.Assign | ast.AnnAssign | None:
    """The statement that sets the local that is spoken of, if it does so once and from what is known outside."""
    stored = [
        node.id for node in code.walk_scope(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    known = {one.arg for one in code.parameters(function)} | set(stored)
    for node in code.body_after_docstring(function):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if (name.lower() == role or name == what.strip("`'\" ")) and stored.count(name) == 1:
                reads = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
                lone = code.stands_alone(before, node) and code.text_of(before, value) and len(function.body) > 1
                if lone and not reads & known and not isinstance(value, ast.Call | ast.List | ast.Dict | ast.Set):
                    return node
    return None


def _target(node: ast.Assign | ast.AnnAssign) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return target.id if isinstance(target, ast.Name) else ""


def _moved(before: Snippet, function: Function, node: ast.Assign | ast.AnnAssign, name: str, value: str) -> list[str]:
    """The lines without a local, which is a parameter then."""
    hint = code.text_of(before, node.annotation) if isinstance(node, ast.AnnAssign) else ""
    assert node.value is not None
    rest = Snippet(tuple(without(before.lines, *code.statement_lines(node))))
    return _with(rest, function, name, hint or _hint(function, node.value), value or code.text_of(before, node.value))


def _replaced(
    before: Snippet, function: Function, literal: str, role: str, name: str, value: str
) -> tuple[list[str], str]:
    """The lines with a parameter for the values that are spoken of by what they are, or are for."""
    every = fixed_values(before, function)
    fit = [one for one in every if _is(one, literal)] if literal else [one for one in every if role in one.roles]
    if literal and role and (narrow := [one for one in fit if role in one.roles]):
        fit = narrow
    if not fit:
        return [], f"{UNSEEN} {function.name} shows which value is meant; say it: “turn the 5 into a parameter delay”"
    sources = list(dict.fromkeys(one.source for one in fit))
    if len(sources) > 1:
        return [], f"{' and '.join(sources[:3])} could be meant; say which value is to become a parameter"
    name = name or (role if role.isidentifier() and not literal else "") or _name(fit, role)
    if not name:
        return [], f"say what the parameter for {sources[0]} is to be called"
    stored = {node.id for node in code.walk_scope(function) if isinstance(node, ast.Name)}
    if name in stored | {one.arg for one in code.parameters(function)}:
        return [], f"{name} is a name in {function.name} already; say another one"
    body = Snippet(tuple(spliced(before, [(one.node, name) for one in fit])))
    return _with(body, function, name, _hint(function, fit[0].node), value or sources[0]), ""


def _is(one: Fixed, literal: str) -> bool:
    """Whether a value is the one that is spelled, whatever its quotes."""
    inner = literal.strip("`'\"")
    return inner == one.source or (one.source[:1] in "'\"" and one.source[1:-1] == inner)


def _name(fit: Sequence[Fixed], role: str) -> str:
    """A name for what is given by its value alone: what is said of it, what it is given to, or what it is for."""
    if role.isidentifier() and len(role) > 2:
        return role
    named = [one.roles[0] for one in fit if one.roles and (len(one.roles) == 1 or one.roles[0] in _FOR_NAMES)]
    return named[0] if len(named) == len(fit) else ""


def _hint(function: Function, node: ast.expr) -> str:
    return type_of(node) if is_hinted(function) else ""


def _with(body: Snippet, function: Function, name: str, hint: str, value: str) -> list[str]:
    source = parameter_source(name, hint, value)
    return next((lines for lines in with_parameter(body, function, source, "") if parses(lines)), [])
