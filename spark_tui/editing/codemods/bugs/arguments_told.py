"""Arguments that an instruction tells: `stacklevel=2` or "stacklevel 2", "pass it by name", "split only once"."""

import ast
import builtins
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.bugs.argument_words import POSITIONAL, TAKES, keywords_asked
from spark_tui.editing.codemods.bugs.arguments_cured import arguments_cured, bases_cured
from spark_tui.editing.codemods.bugs.arguments_worded import arguments_worded
from spark_tui.editing.codemods.bugs.call_arguments import Called, with_argument
from spark_tui.editing.codemods.bugs.slips import respelled, spots
from spark_tui.editing.codemods.common.additions import parsed
from spark_tui.editing.codemods.common.expression_places import places_meant, weight
from spark_tui.editing.codemods.common.named import closing
from spark_tui.editing.codemods.common.said import is_expression, spans
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, quote, spliced

_CODE = re.compile(r"(?<![\w.=!<>*])([^\W\d]\w*)=(?=[^=\s])")
_DEFAULT = re.compile(
    r"\bdefault(?:s|ing)?(?: of| to| is|:)? (?P<one>[^\s,;?]+)"
    r"|(?P<two>[^\s,;]+) (?:as|by|for) (?:the |its |a )?default\b"
    r"|\b(?:missing|absent)\b.{0,40}?(?:->|\u2192|should be|means?|is|gives?) (?P<three>[^\s,;?]+)"
)
_BY_NAME = re.compile(
    r"\b(?:by|as|with|be) (?:an? |their |its )?(?:names?|keywords?)\b(?! arg)|^keyword \w+"
    r"|\bname (?:the )?(?:\w+ )?arg\w+|\bpass\b.*\bas \w+=|\bkeywords? (?:here|there|please|in the call)",
    re.IGNORECASE,
)
_ONLY = re.compile(r"[- ]only\b|\bposition|unexpected keyword|\bdef\b|\bparam|keyword has to", re.IGNORECASE)
_GIVING = re.compile(
    r"\b(?:pass|give|add|call|set|use|put|hand|explicit\w*|spell)\b(?!.*\bwith \w+=)|^\W*\w+=\S+$", re.IGNORECASE
)
_NO_CALL = re.compile(
    r" (?:->|=>|\u2192) |\bdefaults?\b|\bparam|\bsignature|Error: |\bdocstring|\bfails?\b", re.IGNORECASE
)
PLAIN = frozenset(one for kind in (builtins, str, list, dict) for one in dir(kind) if one[0] != "_")
"""What takes no argument by name, mostly."""
_MOST = 5
_LISTED = re.compile(r"[`'\"]?[^\W\d]\w*[`'\"]?(?:(?:,| and) [`'\"]?[^\W\d]\w*[`'\"]?)+")


def arguments_told(before: Snippet, request: Request) -> Iterator[Ops]:
    """The edits that give calls the arguments told, in code first, the calls that are meant first."""
    calls = _calls(before, request)
    instruction = request.instruction
    for name, value in _in_code(instruction) if not _NO_CALL.search(instruction) else ():
        yield from _given(before, instruction, calls, name, value, known=False)
    for name, value in keywords_asked(before, instruction):
        yield from _given(before, instruction, calls, name, value, known=True)
    yield from arguments_worded(before, instruction, lambda: _ordered(before, instruction, calls))
    yield from _placed(before, instruction, calls)
    yield from _raised(before, request)
    yield from arguments_cured(
        before,
        instruction,
        lambda names: _ordered(before, instruction, [one for one in calls if names.fullmatch(one.name)]),
    )
    yield from bases_cured(before, instruction)
    if _BY_NAME.search(instruction) and not _ONLY.search(instruction):
        for call in _ordered(before, instruction, calls)[:_MOST]:
            yield from _named(before, instruction, call)


def _calls(before: Snippet, request: Request) -> list[Called]:
    first, last = request.selected or (0, len(before.lines))
    found = [spot for spot in spots(before.tree) if isinstance(spot.node, ast.Call)]
    return [
        Called(spot.node, spot.function, None, False)
        for spot in found
        if isinstance(spot.node, ast.Call) and spot.node.lineno - 1 <= last and first <= (spot.node.end_lineno or 0) - 1
    ]


def _ordered(before: Snippet, instruction: str, calls: Sequence[Called]) -> list[Called]:
    """Calls, those first that most is said of: their function, then their arguments and their line."""
    said = set(re.findall(r"\w+", instruction))
    scores = {id(one): 12 * (one.name in said) + weight(before, instruction, one.node) for one in calls}
    return sorted(calls, key=lambda one: -scores[id(one)])


def _in_code(instruction: str) -> Iterator[tuple[str, str]]:
    """Every `name=value` in an instruction."""
    for match in _CODE.finditer(instruction):
        rest = instruction[match.end() :]
        if rest[0] in "'\"" and (end := rest.find(rest[0], 1)) > 0:
            value = rest[: end + 1]
        else:
            word = re.match(r"[-\w.]+", rest)
            end = word.end() if word else 0
            while rest[end : end + 1] and rest[end] in "([{" and (closed := closing(rest, end)):
                end = closed + 1
            value = rest[:end].rstrip(".")
        if value and is_expression(value):
            yield match[1], value


def _given(
    before: Snippet, instruction: str, calls: Sequence[Called], name: str, value: str, *, known: bool
) -> Iterator[Ops]:
    """A keyword put into the calls that may take it, or given another value there."""
    takes = TAKES.get(name, "").split()
    fit = [one for one in calls if one.name in takes]
    if known and not fit:
        return
    having = [one for one in calls if any(keyword.arg == name for keyword in one.node.keywords)]
    said = [one for one in calls if re.search(rf"\b{re.escape(one.name or '-')}\b", instruction)]
    among = fit or having or said or (calls if _GIVING.search(instruction) else [])
    for call in _ordered(before, instruction, among)[: _MOST if fit else 3]:
        old = next((one for one in call.node.keywords if one.arg == name), None)
        if old is not None:
            ops = respelled(before, start_of(before, old.value), end_of(before, old.value), value)
        else:
            ops = with_argument(before, call, f"{name}={value}", len(call.arguments))
        if ops:
            yield ops
        if name == "errors" and call.name in ("encode", "decode") and len(call.arguments) == 1:
            yield from filter(None, [with_argument(before, call, value, 1)])


def _placed(before: Snippet, instruction: str, calls: Sequence[Called]) -> Iterator[Ops]:
    """Arguments without a keyword: how often to split or to replace, the base of a number, a default."""
    for words, (names, plain) in POSITIONAL.items():
        match = re.search(words, instruction, re.IGNORECASE)
        value = match.groupdict().get("value") or plain if match else ""
        fit = [one for one in calls if one.name in names.split() and not one.node.keywords]
        fit = [one for one in fit if len(one.node.args) == (2 if one.name == "replace" else 1)]
        for call in _ordered(before, instruction, fit)[:3] if value else ():
            if ops := with_argument(before, call, value, len(call.arguments)):
                yield ops
    for match in _DEFAULT.finditer(instruction):
        value = next(one for one in match.groups() if one).strip("`.?!")
        if not is_expression(value) or re.fullmatch(r"[a-z]+", value):
            continue
        lacking = {"get": 1, "pop": 1, "getattr": 2, "next": 1}
        fit = [one for one in calls if lacking.get(one.name) == len(one.arguments)]
        for call in _ordered(before, instruction, fit)[:3]:
            if ops := with_argument(before, call, value, len(call.arguments)):
                yield ops
        if not fit and (field := _ordered(before, instruction, [one for one in calls if one.name[:1].isupper()])):
            field_like = field[0].name.endswith(("Field", "Column", "Option", "Argument"))
            if field_like and (ops := with_argument(before, field[0], f"default={value}", len(field[0].arguments))):
                yield ops


def _raised(before: Snippet, request: Request) -> Iterator[Ops]:
    """A text that is told given to a class that is raised without one."""
    if re.search(r"\bdocs?\b|docstring|comment|traceback", request.instruction):
        return
    texts = [f'f"{one}"' for one in re.findall(r"(?<!\w)f\"([^\"]+)\"", request.instruction)]
    texts = texts or [quote(before, one.text) for one in spans(request.instruction) if one.mark in ("'", '"')]
    raised = [node.exc for node in before.nodes if isinstance(node, ast.Raise) and node.exc]
    empty = [one for one in raised if dotted(one) or (isinstance(one, ast.Call) and not (one.args or one.keywords))]
    bare = [one for one in empty if not dotted(one) or (dotted(one) or "").rpartition(".")[2][:1].isupper()]
    for node in places_meant(before, request, bare)[:3] if texts else ():
        source = text_of(before, node).removesuffix("()")
        yield from filter(
            None, [respelled(before, start_of(before, node), end_of(before, node), f"{source}({texts[-1]})")]
        )


def _named(before: Snippet, instruction: str, call: Called) -> Iterator[Ops]:
    """Arguments given by their place named: those said, by their own name or those told, else all that can be."""
    if call.name in PLAIN:
        return
    said = re.findall(r"[^\W\d]\w*", instruction)
    passed = [one for one in call.node.args if not isinstance(one, ast.Starred)]
    own = [(one, name) for one in passed if (name := _last(one)) not in ("", "self", "cls") and not name.isupper()]
    other = list(dict.fromkeys(re.findall(r"\b([a-z]\w*)=|\bargument ([a-z]\w*)$", instruction)))
    told = [one or two for one, two in other]
    groups = [[(one, name) for one, name in own if name in said], own[-1:], own]
    if told and not set(told) & {name for _, name in own}:
        groups.insert(0, list(zip(passed[-len(told) :], told, strict=False)))
    listed = [name for run in _LISTED.findall(instruction) for name in re.findall(r"[^\W\d]\w*", run)]
    if 1 < len(listed) == len(passed) and {name for _, name in own} & set(listed):
        groups.insert(0, list(zip(passed, listed, strict=True)))
    if groups[0]:
        groups = groups[:1]
    for group in groups:
        if not group or len({name for _, name in group}) < len(group):
            continue
        lines = spliced(before, [(node, f"{name}={text_of(before, node)}") for node, name in group])
        if all(text_of(before, node) for node, _ in group) and parsed(lines):
            yield between(before, lines)


def _last(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
