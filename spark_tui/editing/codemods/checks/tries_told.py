"""Handlers that are told in full: another error raised from what goes wrong, a log call, a call and the same error."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.named import calls
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.statements.statements_meant import likely_statements
from spark_tui.editing.script import Indent, Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place

_ERROR = re.compile(
    r"(?<![\w.])(?:\w+\.)*(?:[A-Z]\w*(?:Error|Exception|Failure|NotFound|Exit|Interrupt|Iteration|Warning|Timeout|Expired)"
    r"|Exception|(?:[a-z]\w*\.)(?:error|timeout|Empty|Full))\b(?![\w(])"
)
_UNCHAINED = re.compile(r"(?i)\b(?:without|no|hide|drop) (?:the |its? |any )?(?:chain\w*|cause|context)|\bfrom None\b")
_CHAINED = re.compile(r"(?i)\bchain\w*|\bfrom (?:it|the|that)\b|\bcause\b|\bwrap")
_AGAIN = re.compile(r"(?i)\bre-?raise|\braise (?:it |that |the same )?again\b|\bpass it on\b|\braise the same\b")
_LOGS = re.compile(r"\.(?:debug|info|warning|error|exception|critical|log|msg)\(|^(?:log|warn)\w*\(")
_STAYS = re.compile(
    r"(?i)\b(?:stays?|remains?|keeps?|left|leave) (?:it |them )?(?:as |at )?(?:None|\w+ is|unchanged|alone|empty)"
)
_SUPPRESS = re.compile(r"(?i)\bsuppress")
_MOST_PLACES, _MOST = 3, 12


@dataclass(frozen=True, slots=True)
class _Handler:
    """What is caught, what it is called ("" for nothing), and the lines of the handler."""

    caught: str
    name: str
    body: tuple[str, ...]


def tries_told(before: Snippet, among: Sequence[Place], instruction: str, first: int, last: int) -> Iterator[Ops]:
    """The statements that may be meant in a try with what the words say of its handler. Args: first, last: selected."""
    words = _without_calls(instruction)
    caught = list(dict.fromkeys(_ERROR.findall(words)))
    handlers = list(_handlers(before, instruction, words, caught))
    silent = caught if _SUPPRESS.search(instruction) else []
    if not handlers and not silent:
        return
    inside = [place for place in among if first <= place.first and place.last <= last]
    spots = likely_statements(before, inside, instruction)[:_MOST_PLACES]
    made = 0
    for place in spots:
        for error in silent[:1]:
            yield _within(before, place, error)
        for one in handlers:
            if made < _MOST and (one.body[-1] not in ("continue", "break") or place.in_loop):
                made += 1
                yield _handled(before, place, one)


def _without_calls(instruction: str) -> str:
    for call in calls(instruction):
        instruction = instruction.replace(call, " ") if "(" in call and call[0].isupper() else instruction
    return instruction


def _handlers(before: Snippet, instruction: str, words: str, caught: Sequence[str]) -> Iterator[_Handler]:
    told = [call for call in dict.fromkeys(calls(instruction)) if call.endswith(")") and is_expression(call)]
    raised = [call for call in told if call.rpartition("(")[0] and _is_class(call)]
    others = [call for call in told if not _is_class(call) and not any(f"{call[:-1]}" in line for line in before.lines)]
    errors = list(caught) or (["Exception"] if raised and _CHAINED.search(words) else [])
    for error in errors[:2]:
        for call in raised[:1]:
            if _UNCHAINED.search(words):
                yield _Handler(error, "", (f"raise {call} from None",))
                continue
            yield from (_Handler(error, name, (f"raise {call} from {name}",)) for name in ("e", "exc"))
            if not _CHAINED.search(words):
                yield _Handler(error, "", (f"raise {call} from None",))
    if raised:
        return
    again = ("raise",) if _AGAIN.search(instruction) else ()
    for error in errors[:1] or ["Exception"]:
        calling = [call for call in others if _LOGS.search(call)] or (
            [call for call in told if call.endswith("()")][-1:] if again else []
        )
        yield from (_Handler(error, "", (call, *again)) for call in calling[:2])
    if caught and not again and _STAYS.search(instruction):
        yield _Handler(caught[0], "", ("pass",))


def _is_class(call: str) -> bool:
    return call.partition("(")[0].rpartition(".")[2][:1].isupper()


def _handled(before: Snippet, place: Place, handler: _Handler) -> Ops:
    bound = f" as {handler.name}" if handler.name else ""
    inner = [place.indent + before.layout.unit + line for line in handler.body]
    return (
        Insert(place.first - 1, (f"{place.indent}try:",)),
        Indent(place.first, place.last),
        Insert(place.last, (f"{place.indent}except {handler.caught}{bound}:", *inner)),
    )


def _within(before: Snippet, place: Place, error: str) -> Ops:
    """The statement in a `with suppress(...)`, spelt as elsewhere in the region."""
    bare = any(re.search(r"(?<!\.)\bsuppress\(|import .*\bsuppress\b", line) for line in before.lines)
    head = f"{place.indent}with {'' if bare else 'contextlib.'}suppress({error}):"
    return (Insert(place.first - 1, (head,)), Indent(place.first, place.last))
