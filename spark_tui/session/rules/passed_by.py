"""Whether an edit passes by the code that words name as what is to be changed: `self.hide`, `open()`, `newline=`."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.context.wording import is_common
from spark_tui.editing.linediff import line_changes
from spark_tui.session.rules.facts import FAULTS, Code, Defined

_CODE = re.compile(
    r"(?P<before>(?:\b[a-z']+[ ,]+){0,2})[`'\"]?(?<![\w.])"
    r"(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)+|[^\W\d]\w*(?=\(\)|=['\"\d]))"
    r"(?![\w.]\w)",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"(?i)^\W*(?:please |also |just )*(?:use|try|prefer|switch|make|turn|convert|replace|rename|drop|remove|delete"
    r"|inline|simplify|wrap|change|set|pass|give|rewrite|unpack|swap|fix)\b"
)
_PLACE = re.compile(
    r"(?i)\b(?:before|after|above|below|under|over|next|near|like|as|than|when\w*|if|unless|where|while|since|because"
    r"|until|once|in|inside|within|behind|beside|at|on|not|from|by|without)\b"
)
_FOR = re.compile(
    r"(?i)^\W*(?:please )?(?:use|try|prefer|make|switch to)\b.* (?:for|of) (?:the )?"
    r"[`'\"]?(?P<name>[^\W\d]\w*)[`'\"]?\W*$"
)


def passed_by(words: str, code: Code, after: Sequence[str]) -> str:
    """That an edit leaves alone what it is to be about, in a sentence, or "". Args: after: the lines with it."""
    try:
        named = list(_named(words, code)) if code.nodes and _CHANGE.match(words) else []
        text = "\n".join(_touched(code, after)) if named else ""
        missed = next((name for name in named if not _stands(name, text)), "")
    except FAULTS:
        return ""
    return f"the edit that was found leaves {missed} as it is; say it in other words" if missed else ""


def _named(words: str, code: Code) -> Iterator[str]:
    """What words name that stands in the code, but for what only tells a place or an occasion."""
    for found in _CODE.finditer(words):
        if not _PLACE.search(found["before"]) and _stands(found["name"], code.text):
            yield found["name"]
    told = _FOR.match(words)
    owners = {node.name for node in code.nodes if isinstance(node, Defined)}
    if told and not is_common(told["name"]) and told["name"] not in owners and _stands(told["name"], code.text):
        yield told["name"]


def _stands(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is not None


def _touched(code: Code, after: Sequence[str]) -> Iterator[str]:
    """The lines that go or come with an edit, and all of the statements that they are parts of."""
    old = code.text.split("\n")
    for start, stop, first, last in line_changes(old, after):
        yield from (*old[start:stop], *after[first:last])
        for node in code.nodes:
            if isinstance(node, ast.stmt) and node.lineno <= stop and _own_end(node) > start:
                yield from old[node.lineno - 1 : _own_end(node)]


def _own_end(node: ast.stmt) -> int:
    """The last line of a statement without its blocks."""
    body = getattr(node, "body", None)
    return body[0].lineno - 1 if body else node.end_lineno or node.lineno
