"""The name of a type put into a message: of the object itself, in place of a class that is spelled, or of a value."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.texts.texts import Text, texts, with_contents
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_ASKED = re.compile(r"\b(?:class(?:es)?|subclass\w*|types?|which one|whose)\b", re.IGNORECASE)
_SPELLED = re.compile(r"\b(?:[Ss]ubclasses|(?:[A-Z][a-z]+){2,}|[A-Z][a-z]{3,})\b(?=[ .(])")
_OWN = ("type(self).__name__", "self.__class__.__name__")
_SHOWN = (", not {%s}", ", got {%s}", ": {%s}", " (got {%s})", ", not {%s!r}")
_MOST = 10


def type_names(before: Snippet, instruction: str) -> Iterator[list[str]]:
    """The lines with such a name, in the errors first."""
    if not _ASKED.search(instruction):
        return
    made = [*_bare(before), *_in_texts(before)]
    yield from [lines for lines in made if all(len(one) <= MAX_WIDTH or one in before.lines for one in lines)][:_MOST]


def _in_texts(before: Snippet) -> Iterator[list[str]]:
    found = [one for one in texts(before) if one.tags & {"raise", "log", "warn"}]
    for one in sorted(found, key=lambda text: "raise" not in text.tags)[:3]:
        if not one.formatted and re.search(r"[{}%]", one.content):
            continue
        if _is_method(before, one.row):
            for match in _SPELLED.finditer(one.content):
                for own in _OWN:
                    content = f"{one.content[: match.start()]}{{{own}}}{one.content[match.end() :]}"
                    yield _with(before, one, content)
        for value in _tested(before, one.row) if one.last else ():
            end = "." if one.content.endswith(".") else ""
            for shown in _SHOWN:
                yield _with(before, one, one.content.removesuffix(".") + shown % f"type({value}).__name__" + end)


def _with(before: Snippet, one: Text, content: str) -> list[str]:
    return with_contents(before, [(one, content)])


def _bare(before: Snippet) -> Iterator[list[str]]:
    """Errors of a method that are raised without a text."""
    for node in before.nodes:
        if not isinstance(node, ast.Raise) or node.exc is None or not _is_method(before, node.lineno - 1):
            continue
        empty = isinstance(node.exc, ast.Call) and not node.exc.args and not node.exc.keywords
        name = text_of(before, node.exc).removesuffix("()") if empty or dotted(node.exc) else ""
        if name.rpartition(".")[2][:1].isupper():
            for own in _OWN:
                yield splice(before.lines, start_of(before, node.exc), end_of(before, node.exc), f"{name}({own})")


def _is_method(before: Snippet, row: int) -> bool:
    around = [one for one in before.functions if one.lineno - 1 <= row < (one.end_lineno or 0)]
    return any(one.args.args[:1] and one.args.args[0].arg == "self" for one in around)


def _tested(before: Snippet, row: int) -> Iterator[str]:
    """What the conditions around a line ask the type of."""
    for node in before.nodes:
        if isinstance(node, ast.If) and node.lineno - 1 <= row < (node.end_lineno or 0):
            for one in ast.walk(node.test):
                match one:
                    case ast.Call(func=ast.Name(id="isinstance" | "type" | "issubclass"), args=[value, *_]):
                        yield text_of(before, value)
