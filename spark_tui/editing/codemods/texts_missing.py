"""A text told for an error that is raised without one, or for an assert that says nothing."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of, text_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings, quote

_FIELD = re.compile(r"\{[^\W\d][\w.\[\]'\"()]*(?:![rs])?(?::[^{}]*)?\}")
_QUOTED = re.compile(r"(?:(?<![\w])f?)(?P<mark>[\"'])(?P<text>(?:(?!(?P=mark)).|(?<=\w)'(?=\w))+)(?P=mark)(?!\w)")
_MOST = 4


def texts_missing(before: Snippet, instruction: str) -> Iterator[list[str]]:
    """The lines after each text told was put into a raise or an assert that has none; errors named come first."""
    texts = [match["text"] for match in _QUOTED.finditer(instruction) if _is_text(before, match["text"])]
    bare = list(_bare(before))
    named = [one for one in bare if one[1] and re.search(rf"\b{re.escape(one[1].rpartition('.')[2])}\b", instruction)]
    for text in texts[-1:]:
        literal = quote(before, text)
        literal = f"f{literal}" if _FIELD.search(text) else literal
        for node, name in (named or bare)[:_MOST]:
            put = f"{name}({literal})" if name else f"{text_of(before, node)}, {literal}"
            lines = splice(before.lines, start_of(before, node), end_of(before, node), put)
            if len(lines[node.lineno - 1]) <= MAX_WIDTH:
                yield lines


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
            case ast.Assert(test=test, msg=None) if text_of(before, test):
                yield test, ""
