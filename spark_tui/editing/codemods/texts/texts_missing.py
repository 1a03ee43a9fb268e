"""A text told for an error that is raised without one, or for an assert that says nothing."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of
from spark_tui.editing.codemods.base import parses
from spark_tui.editing.codemods.common.said import is_expression, spans
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings, quote

_FIELD = re.compile(r"\{[^\W\d][\w.\[\]'\"()]*(?:![rs])?(?::[^{}]*)?\}")
_QUOTED = re.compile(r"(?:(?<![\w])f?)(?P<mark>[\"'])(?P<text>(?:(?!(?P=mark)).|(?<=\w)'(?=\w))+)(?P=mark)(?!\w)")
_SHOWN = re.compile(r"\b(?:show\w*|print\w*|say\w*|tells?|told|messages?|mention\w*|includ\w+|which|enough)\b")
_MOST, _MOST_VALUES = 4, 3


def texts_missing(before: Snippet, instruction: str) -> Iterator[list[str]]:
    """The lines after each text told was put into a raise or an assert that has none; errors named come first."""
    texts = [match["text"] for match in _QUOTED.finditer(instruction) if _is_text(before, match["text"])]
    bare = list(_bare(before))
    named = [one for one in bare if one[1] and re.search(rf"\b{re.escape(one[1].rpartition('.')[2])}\b", instruction)]
    literals = [f"f{quote(before, text)}" if _FIELD.search(text) else quote(before, text) for text in texts[-1:]]
    literals = [one for one in literals if parses([one])]
    for put in (*literals, *_values(before, instruction)[:_MOST_VALUES]):
        for node, name in (named or bare)[:_MOST]:
            start, end = (start_of(before, node) if name else end_of(before, node)), end_of(before, node)
            lines = splice(before.lines, start, end, f"{name}({put})" if name else f", {put}")
            if len(lines[end[0]]) <= MAX_WIDTH:
                yield lines


def _values(before: Snippet, instruction: str) -> list[str]:
    """The values that an error or an assert is to show: code that is told, and names of the region."""
    if not _SHOWN.search(instruction):
        return []
    known = {one.id for one in before.nodes if isinstance(one, ast.Name)}
    known |= {one.arg for one in before.nodes if isinstance(one, ast.arg)}
    told = [one.text for one in spans(instruction) if re.search(r"\w[(.]", one.text) and is_expression(one.text)]
    told += re.findall(r"(?<![\w.(])[^\W\d]\w*\([\w., ]*\)(?:\.\w+)+", instruction)
    said = [one for one in re.findall(r"[^\W\d]\w*", instruction) if one in known - {"self", "cls"}]
    return list(dict.fromkeys([*(one for one in told if re.search(r"[a-z_]\w*[(.]", one)), *said]))


def _is_text(before: Snippet, text: str) -> bool:
    """Whether something quoted may be the text of an error, and is no code of the region."""
    return bool(re.search(r"[A-Za-z]{2}", text)) and not any(
        f"{mark}{text}" in line for mark in "'\"" for line in before.lines
    )


def _bare(before: Snippet) -> Iterator[tuple[ast.expr, str]]:
    """What is raised without a text, with its name, and what is asserted without one."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Raise(exc=ast.Call(func=func, args=[], keywords=[]) as error):
                yield error, dotted(func) or ""
            case ast.Call(
                func=ast.Attribute(attr="set_exception"), args=[ast.Call(func=func, args=[], keywords=[]) as error]
            ):
                yield error, dotted(func) or ""
            case ast.Raise(exc=ast.Name() | ast.Attribute() as error):
                if re.search(r"(?:^|\.)[A-Z]\w*$", dotted(error) or ""):
                    yield error, dotted(error) or ""
            case ast.Assert(test=test, msg=None) if not _is_open(before, test):
                yield test, ""


def _is_open(before: Snippet, test: ast.expr) -> bool:
    """Whether a bracket around a test closes only after it."""
    row, column = end_of(before, test)
    return before.lines[row][column:].lstrip().startswith(")") or not before.lines[test.lineno - 1].strip()
