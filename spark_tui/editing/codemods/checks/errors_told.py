"""Errors that words tell with their message: as a call, as the end of a traceback, or a class and a text."""

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from spark_tui.editing.codemods.common.named import call_at
from spark_tui.editing.codemods.common.said import is_expression, spans
from spark_tui.editing.codemods.texts.messages_made import messages_made
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, quote

_CLASS = re.compile(
    r"(?<![\w.])((?:[a-z]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure|NotFound|Timeout|Exists|Invalid\w*))(?![\w.]*\w)"
)
_RAISED = re.compile(r"(?<=\braise )[A-Z]\w*(?=\()|(?<=\bbe an )[A-Z]\w*(?=\()|(?<=\bbe a )[A-Z]\w*(?=\()")
_TRACE = re.compile(r"(?m)^(?P<name>(?:\w+\.)*[A-Z]\w*(?:Error|Exception)): (?P<text>[^\n]{3,90})$")
_INLINE = re.compile(
    r"\b(?P<name>[A-Z]\w*(?:Error|Exception)): (?P<text>[a-z][^\n\"'`.;]{3,80}?)(?=$|[.;\n]| (?:when|if|for|please)\b)"
)
_AS = re.compile(r"\bas (?:an? )?`?([A-Z]\w*Error)\b")
_REFUSED = re.compile(
    r"\b(?:rais\w+|refus\w+|reject\w*|forbid\w*|guard|complain\w*|not (?:be )?(?:allowed|accepted|valid|ok)|errors?"
    r"|check that|make sure|ensure|insists?|(?:don't|do not|not|never) (?:be )?allow\w*|makes? no sense|nonsense"
    r"|should fail|must fail|validat\w+|disallow\w*"
    r"|too (?:small|short|long|large|big)|crash)\b",
    re.IGNORECASE,
)
_ALIKE = re.compile(r"\bsame (?:kind|style|type|sort|error|exception|as)\b|\b(?:too|also|as well)\b")
_SEEN = ("AttributeError", "NameError", "IndexError", "ZeroDivisionError", "UnboundLocalError", "RecursionError")
_WANTED = re.compile(r"(?i)\b(?:rais|see|want|should|like|expect|please|as |instead|ought|must|need)")
_EXAMPLE = re.compile(r"'[^']*'|\"[^\"]*\"")
_NUMBER = re.compile(r"(?<=got )-?\d+|(?<=not )-?\d+$|(?<=: )-?\d+$")


def tells_error(words: str) -> bool:
    """Whether words tell an error, or of a refusal."""
    return bool(_CLASS.search(words) or _REFUSED.search(words))


def errors_told(before: Snippet, words: str, about: str, test: str) -> list[str]:
    """The errors that may be meant by a check, as calls. Args: about: the value that is checked."""
    found = [call for call in _calls(words) if is_expression(call)]
    if not found:
        found = list(_with_texts(before, words, test))
    return list(dict.fromkeys(form for one in found for form in _with_values(one, about, words)))[:2]


def _calls(words: str) -> Iterator[str]:
    for match in (*_CLASS.finditer(words), *_RAISED.finditer(words)):
        if words[match.end() : match.end() + 1] == "(":
            yield call_at(words, match.start(), "(")


def _with_texts(before: Snippet, words: str, test: str) -> Iterator[str]:
    trace = _TRACE.search(words)
    classes = wanted_errors(words)
    asked = words.replace(trace[0], " ") if trace else words
    texts = [span.text for span in spans(asked) if span.mark in ("'", '"') and " " in span.text]
    if trace and not texts and _WANTED.search(asked):
        wanted = _AS.search(words)
        yield f"{wanted[1] if wanted else trace['name']}({quote(before, trace['text'])})"
    elif not texts and (inline := _INLINE.search(asked)):
        yield f"{inline['name']}({quote(before, inline['text'])})"
    elif texts and (classes or _REFUSED.search(words)):
        usual = "TypeError" if "isinstance(" in test else "ValueError"
        yield f"{classes[-1] if classes else usual}({quote(before, texts[-1])})"
    elif classes and not texts and (keyed := _keyed(classes, test)):
        yield keyed
    elif not texts:
        yield from _untold(before, classes, words, test)


def wanted_errors(words: str) -> list[str]:
    """The errors that are wanted: those told to be raised, else those that are not merely seen now."""
    found = list(dict.fromkeys(_CLASS.findall(words)))
    raised = [one for one in found if re.search(rf"\brais\w+ (?:an? )?(?:clear |proper )?[`'\"]?{one}", words)]
    return raised or [one for one in found if one not in _SEEN]


def _untold(before: Snippet, classes: list[str], words: str, test: str) -> Iterator[str]:
    """The error with a message that the test makes: of the class told, of that of the other errors, or a usual one."""
    usual = "TypeError" if test.startswith("not isinstance(") else "ValueError"
    if _ALIKE.search(words):
        raised = (node.exc.func for node in before.nodes if isinstance(node, ast.Raise) and _is_call(node.exc))
        usual = next((path for one in raised if (path := dotted(one))), usual)
    for message in messages_made(before, test):
        yield f"{classes[-1] if classes else usual}({message})"


def _is_call(node: ast.expr | None) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call)


def _keyed(classes: list[str], test: str) -> str:
    """The error for a key that is, or is not, in a collection: it gets the key."""
    key = re.fullmatch(r"([\w.]+) (?:not )?in [\w.]+", test)
    return f"{classes[-1]}({key[1]})" if key and classes[-1].endswith(("KeyError", "LookupError")) else ""


def _with_values(call: str, about: str, words: str) -> Iterator[str]:
    """An error as it is told, or with the value in the place of what stands for it."""
    match = re.fullmatch(r"(?P<head>[\w.]+\()(?P<mark>['\"])(?P<text>.*)(?P=mark)\)", call)
    if match is None or "{" in call or "%" in call:
        yield call
        return
    text, mark = match["text"], match["mark"]
    shown = _EXAMPLE.sub(lambda _: f"{{{about}!r}}", text, count=1)
    shown = _NUMBER.sub(f"{{{about}}}", shown)
    shown = re.sub(r"\.\.\.$", f"{{{about}!r}}" if "repr" in words else f"{{{about}}}", shown)
    if shown != text:
        yield f"{match['head']}f{mark}{shown}{mark})"
    yield call
