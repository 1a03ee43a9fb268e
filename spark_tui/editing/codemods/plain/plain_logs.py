"""Log calls that words ask for plainly: of what was caught, of an error right before it is raised, of a value."""

import ast
import re

from spark_tui.editing.code import indentation, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.plain.plain_checks import spots_once_known, the_function, without_place
from spark_tui.editing.codemods.plain.plain_conditions import Conditions
from spark_tui.editing.codemods.statements.logging_words import logger_of
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import places

_LEVEL = r"(?:an? |the )?(?P<level>error|warning|exception|message|failure|problem|debug|info|critical)"
_TEXT = r"(?: message| log| line)?(?:,? (?:saying )?(?P<text>\"[^\"]+\"|'[^']+'))?"
_LOG = rf"(?:please |also )?(?:log|add (?:a )?log(?:ging)?(?: call)? (?:of|for)) {_LEVEL}{_TEXT}"
_RAISING = re.compile(
    rf"(?i){_LOG},? (?:right |just )?before (?:(?:it|it is|it's|the|we|you) )*(?:re-?)?rais\w+(?: it| the error)?"
)
_CAUGHT = re.compile(
    rf"(?i){_LOG},? (?:when|if|whenever|each time|in case) .*"
    r"\b(?:fail\w*|errors?|exceptions?|can't|cannot|could ?n[o']t|not|invalid|bad|skipped|ignored|wrong|raised)\b.*"
    r"|(?:please )?(?:don't|do not|never) (?:just |silently )?(?:swallow|ignore|hide|silence|drop) "
    r"(?:the |this |that )?(?:exceptions?|errors?|it|them)(?: silently)?[,;]?(?: but| and)? (?:log|report) (?:it|them)"
    r"(?: instead)?|log (?:it|the (?:error|exception)) instead of (?:silently )?(?:swallowing|ignoring|passing|hiding)"
    r"(?: (?:it|the (?:error|exception)))?(?: silently)?"
)
_VALUE = re.compile(
    r"(?i)(?:please )?(?:log|add an? (?:_?log(?:ger|ging)?\.(?P<method>debug|info|warning|error)(?:\(\))?(?: call)?"
    r"|(?:(?P<sort>debug|info|warning|error) )?log(?: call| line| message| statement)?) (?:with|of|for))"
    r" (?:the )?(?:value of )?[`'\"]?(?P<name>[^\W\d][\w.]*)[`'\"]?"
    r"(?: (?:at|with|as|on) (?:the )?(?P<level>debug|info|warning|error)(?: level)?)?"
    r"(?: (?:at the (?:start|top|beginning)|first))?"
)
_LEVELS = {"warning": "warning", "debug": "debug", "info": "info", "critical": "critical"}


def is_of_what_is_caught(words: str) -> bool:
    """Whether words plainly ask to log where something fails and is caught."""
    return _CAUGHT.fullmatch(" ".join(words.split()).rstrip(".")) is not None


def log_before_raise(before: Snippet, words: str) -> list[Ops]:
    """The message of the one error that is raised, outside of any handler, logged right before."""
    told = _RAISING.fullmatch(" ".join(words.split()).rstrip("."))
    if told is None or any(isinstance(node, ast.ExceptHandler) for node in before.nodes):
        return []
    raises = [one for one in places(before) if isinstance(one.node, ast.Raise)]
    node = raises[0].node if len(raises) == 1 else None
    if not isinstance(node, ast.Raise):
        return []
    first = statement_lines(node)[0]
    text = told["text"] or ""
    if not text and isinstance(node.exc, ast.Call) and len(node.exc.args) == 1:
        text = before.segment(node.exc.args[0])
    call = f"{logger_of(before)}.{_LEVELS.get(told['level'].lower(), 'error')}({text})"
    return [(Insert(first - 1, (indentation(before.lines[first]) + call,)),)] if text and "\n" not in text else []


def log_of_value(before: Snippet, words: str) -> list[Ops]:
    """A value logged once it is there."""
    told = _VALUE.fullmatch(without_place(before, words))
    for function in the_function(before, words) if told else ():
        path = Conditions(function).values.get(told["name"]) if told else None
        if path and told:
            level = told["level"] or told["method"] or told["sort"] or "debug"
            call = f'{logger_of(before)}.{level.lower()}("{told["name"]}: %s", {path})'
            return [
                (Insert(after, (indent + call,)),) for after, indent in spots_once_known(before, function, path)[:1]
            ]
    return []
