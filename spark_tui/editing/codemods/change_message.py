"""Another text for a message, or a value put into it.

Messages are the first arguments of exceptions that are raised, of log and warning calls and of print, and what an
assert says. A new text is what the words quote, or what follows "to", "say", ... at their end. A value is added at the
end, `f"not found: {path}"`; log calls get `%s` and an argument.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, Function, end_of, parameters, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between, parses
from spark_tui.editing.codemods.plain.plain_messages import plain_shown
from spark_tui.editing.codemods.prose.phrases import phrase_edits
from spark_tui.editing.codemods.prose.phrases_like import reworded_prose
from spark_tui.editing.codemods.texts.bounds_told import aligned, bounds_told
from spark_tui.editing.codemods.texts.message_texts import said_texts
from spark_tui.editing.codemods.texts.shown_values import shown_values
from spark_tui.editing.codemods.texts.text_edits import MESSAGES, text_edits
from spark_tui.editing.codemods.texts.text_words import adds
from spark_tui.editing.codemods.texts.texts_missing import texts_missing
from spark_tui.editing.codemods.texts.type_names import type_names
from spark_tui.editing.codemods.texts.values_added import values_added
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings, spliced
from spark_tui.editing.told import says

_LEVELS = ("debug", "info", "warning", "warn", "error", "critical", "exception", "fatal")
_INTRODUCING = re.compile(
    r"(?:\b(?:to|say|says|saying|write|use|it|text|message|read|reads|be|with|by|as|into|print|prints|instead|like|is|becomes?)|[:>=,])\s+",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"""(?<!\w)(?:"([^"]+)"|'((?:[^']|(?<=\w)'(?=\w))+)'|`([^`]+)`)(?!\w)""")
_NO_VALUES = ("self", "cls", "print", "log", "logger", "logging", "warnings")
_AGAIN = re.compile(
    r"(?:(?:be|say|read)\s|(?:it|this|that|them|say|read|show)(?:\s(?:too|also|here))?$)", re.IGNORECASE
)
_POLITE = re.compile(r",? (?:instead|please)[.!]?$", re.IGNORECASE)
_SPOT = re.compile(
    r"(the|a|an|this|that|its?|our) (\S+ ){0,3}(message|error|exception|text|log|string|output|print|assert\w*)\b"
)
_SORTS = {
    "print": r"\bprint", "assert": r"\bassert", "log": r"\blog|\bwarn|\bdebug|\binfo\b", "warning": r"\bwarn",
    "raise": r"\braise|\bexception|\bthrow|\b\w+(Error|Exception)\b",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Message:
    """A message: the literal, its source, what shows it (raise, log, print, assert), and how it is called."""

    node: ast.Constant | ast.JoinedStr
    source: str
    sort: str
    name: str
    call: ast.Call | None
    function: Function | None

    @property
    def content(self) -> str:
        """What stands between the quotation marks."""
        return self.source.lstrip("rRfFbBuU").strip(self.mark)

    @property
    def mark(self) -> str:
        """The quotation mark."""
        return self.source[-1]


class ChangeMessage(Codemod):
    """`raise ValueError("bad")` becomes `raise ValueError("no such key")` or `raise ValueError(f"bad: {key}")`."""

    kind: ClassVar[str] = "change_message"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_shown`."""
        return [] if request.selected else plain_shown(before, request.instruction)

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Those that the words tell by their text or their sort come alone; new texts before values."""
        yield from bounds_told(before, request.instruction)
        yield from (between(before, after) for after in texts_missing(before, request.instruction))
        yield from (between(before, after) for after in type_names(before, request.instruction))
        yield from (between(before, after) for after in shown_values(before, request) if parses(after))
        found = meant(before, request.instruction)
        if not any(says(request.instruction, one.content) for one in found):
            yield from said_texts(before, request.instruction)
        told = list(text_edits(before, request, MESSAGES))
        for message in () if told and adds(request.instruction) else found:
            for text in texts_told(request.instruction, message):
                after = with_text(before, message, text)
                if after:
                    yield between(before, after)
        yield from told
        yield from phrase_edits(before, request, ("text",))
        yield from reworded_prose(before, request, ("text",))
        for message in found:
            for values in values_told(request.instruction, message):
                after = with_values(before, message, values)
                if after:
                    yield between(before, after)
        yield from (between(before, after) for after in values_added(before, request) if parses(after))


def meant(snippet: Snippet, instruction: str) -> list[Message]:
    """The messages that the words may mean."""
    found = list(messages(snippet))
    told = [one for one in found if len(one.content) > 2 and says(instruction, one.content)]
    if told:
        return told
    words = _QUOTED.sub(" ", instruction)
    sorts = [sort for sort, pattern in _SORTS.items() if re.search(pattern, words, re.IGNORECASE)]
    named = [one for one in found if one.sort == "raise" and says(instruction, one.name)]
    if words == instruction and _INTRODUCING.search(instruction):
        return named or found
    return named or [one for one in found if one.sort in sorts] or found


def messages(snippet: Snippet) -> Iterator[Message]:
    """Every message on one line, in source order."""
    found = []
    owners = {id(node): function for function in snippet.functions for node in ast.walk(function)}
    for node in outside_fstrings(snippet.tree):
        sort, name, call, literal = _message(node)
        if isinstance(literal, ast.JoinedStr) or (isinstance(literal, ast.Constant) and isinstance(literal.value, str)):
            source = text_of(snippet, literal)
            if _is_simple(source):
                found.append(Message(literal, source, sort, name, call, owners.get(id(node))))
    return iter(sorted(found, key=lambda one: (one.node.lineno, one.node.col_offset)))


def _message(node: ast.AST) -> tuple[str, str, ast.Call | None, ast.expr | None]:
    match node:
        case ast.Raise(exc=ast.Call(func=func, args=[literal, *_]) as call):
            return "raise", (dotted(func) or "").rpartition(".")[2], call, literal
        case ast.Assert(msg=ast.expr() as literal):
            return "assert", "assert", None, literal
        case ast.Call(func=ast.Name(id="print"), args=[literal]):
            return "print", "print", node, literal
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[literal, *_]) if name in _LEVELS:
            if dotted(owner) == "warnings":
                return "warning", name, node, literal
            return ("log", name, node, literal) if "log" in (dotted(owner) or "").lower() else ("", "", None, None)
    return "", "", None, None


def _is_simple(source: str) -> bool:
    """Whether a literal is one string, neither raw nor of triple quotes nor with escapes."""
    return bool(re.fullmatch(r"""[fF]?(?:"[^"\\]*"|'[^'\\]*')""", source))


def texts_told(instruction: str, message: Message) -> list[str]:
    """The new texts that an instruction may tell: what is quoted, else what its last words may be."""
    quoted = [next(filter(None, match.groups())) for match in _QUOTED.finditer(instruction)]
    known = says(instruction, message.content)
    names = () if message.function is None else {message.function.name, message.name}
    fresh = [one for one in quoted if one.removesuffix("()") not in names and not (known and one in message.content)]
    said = _POLITE.sub("", instruction)
    tails = [said[match.end() :].strip() for match in _INTRODUCING.finditer(said)]
    found = fresh or [tail for tail in tails if not _AGAIN.match(tail)]
    found += [whole for text in fresh if (whole := aligned(message.content, text))]
    return [text for text in dict.fromkeys(found) if text and text != message.content and not _SPOT.match(text)]


def with_text(snippet: Snippet, message: Message, text: str) -> list[str] | None:
    """The lines with another text, or None where it cannot be written or an argument would have no place."""
    mark = message.mark if message.mark not in text else {"'": '"', '"': "'"}[message.mark]
    extra = message.call is not None and len(message.call.args) > 1 and message.sort == "log"
    if mark in text or "\\" in text or "\n" in text or (extra and message.source.count("%") != text.count("%")):
        return None
    prefix = "f" if re.search(r"\{[\w.]+(![rs])?(:[^{}]*)?\}", text) else ""
    return _fitting(spliced(snippet, [(message.node, f"{prefix}{mark}{text}{mark}")]), message)


def values_told(instruction: str, message: Message) -> Iterator[tuple[str, ...]]:
    """The names in reach that an instruction tells, in its order: all together, then each by itself."""
    if message.function is None:
        return
    names = {one.arg for one in parameters(message.function)}
    called = {id(node.func) for node in ast.walk(message.function) if isinstance(node, ast.Call)}
    for node in ast.walk(message.function):
        match node:
            case ast.expr() if id(node) in called:
                pass
            case ast.Name(id=name) if not name[0].isupper():
                names.add(name)
            case ast.Attribute() if (path := dotted(node)) and not path[0].isupper():
                names.add(path)
    shown = re.findall(r"[\w.]+", message.source) if message.source[0] in "fF" else []
    told = [name for name in names if says(instruction, name) and name not in shown]
    told = sorted((one for one in told if one not in _NO_VALUES), key=lambda one: (instruction.find(one), one))
    for count in range(min(len(told), 3), 0, -1):
        yield from combinations(told[:4], count)


def with_values(snippet: Snippet, message: Message, values: tuple[str, ...]) -> list[str] | None:
    """The lines with values at the end of a message, or None where it is too long."""
    text = message.content.rstrip().rstrip(".!:").rstrip()
    if message.sort == "log" and message.call and message.source[0] not in "fF":
        shown = ", ".join(["%s"] * len(values))
        literal = f"{message.mark}{_joined(text, shown)}{message.mark}"
        last = end_of(snippet, message.call.args[-1])
        line = snippet.lines[last[0]]
        if last[0] != start_of(snippet, message.node)[0]:
            return None
        arguments = "".join(f", {value}" for value in values)
        new = [*snippet.lines[: last[0]], line[: last[1]] + arguments + line[last[1] :], *snippet.lines[last[0] + 1 :]]
        start, end = start_of(snippet, message.node), end_of(snippet, message.node)
        new[start[0]] = new[start[0]][: start[1]] + literal + new[start[0]][end[1] :]
        return _fitting(new, message)
    if "%" in text and message.call and len(message.call.args) > 1:
        return None
    if message.source[0] not in "fF":
        text = text.replace("{", "{{").replace("}", "}}")
    shown = ", ".join(f"{{{value}}}" for value in values)
    return _fitting(spliced(snippet, [(message.node, f"f{message.mark}{_joined(text, shown)}{message.mark}")]), message)


def _joined(text: str, shown: str) -> str:
    return f"{text}: {shown}" if text else shown


def _fitting(lines: list[str], message: Message) -> list[str] | None:
    return lines if len(lines[message.node.lineno - 1]) <= MAX_WIDTH else None
