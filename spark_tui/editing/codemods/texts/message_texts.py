"""New texts for exceptions that have none yet, only a value, or one over several lines; with values where it says so.

`raise KeyError(name)` told to say "no such key: <name>" becomes `raise KeyError(f"no such key: {name}")`.
"""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, Function, end_of, parameters, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_PLACE = re.compile(r"<([\w .]+)>|\{([\w.]+(?:![rsa])?(?::[^{}]*)?)\}|\b([A-Z]{2,})\b")


def said_texts(before: Snippet, instruction: str) -> Iterator[Ops]:
    """Each exception raised with each text that is quoted, those named by their class first."""
    raised = [node for node in ast.walk(before.tree) if isinstance(node, ast.Raise) and _is_other(node)]
    raised.sort(key=lambda node: (_name(node) not in instruction, node.lineno))
    texts = [span.text for span in spans(instruction) if span.mark and " " in span.text.strip()]
    for node in raised:
        for text in texts:
            if ops := _with_text(before, node, text, instruction):
                yield ops


def _is_other(node: ast.Raise) -> bool:
    """Whether an exception is raised with nothing or one thing, and that no plain text on one line."""
    match node.exc:
        case ast.Name() | ast.Attribute() | ast.Call(args=[], keywords=[]):
            return True
        case ast.Call(args=[ast.Constant(value=str()) | ast.JoinedStr() as text], keywords=[]):
            return text.lineno != text.end_lineno
        case ast.Call(args=[_], keywords=[]):
            return True
    return False


def _name(node: ast.Raise) -> str:
    call = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return (dotted(call) or "").rpartition(".")[2] if call else ""


def _with_text(before: Snippet, node: ast.Raise, text: str, instruction: str) -> Ops | None:
    assert node.exc is not None
    source = _literal(before, node, text, instruction)
    if source is None:
        return None
    func = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    after = splice(
        before.lines, start_of(before, node.exc), end_of(before, node.exc), f"{text_of(before, func)}({source})"
    )
    row = start_of(before, node)[0]
    return between(before, after) if len(after[row]) <= MAX_WIDTH else None


def _literal(before: Snippet, node: ast.Raise, text: str, instruction: str) -> str | None:
    """The text as a literal, with what stands for a value as a field; None where it cannot be written."""
    values = _values(before, node)
    parts, at, filled = list[str](), 0, False
    for match in _PLACE.finditer(text):
        field = _field(match, values, instruction)
        if field:
            parts += [_plain(text[at : match.start()]), "{" + field + "}"]
            at, filled = match.end(), True
    rest = text[at:]
    if '"' in text or "\\" in text:
        return None
    return f'f"{"".join(parts)}{_plain(rest)}"' if filled else f'"{text}"'


def _plain(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _field(match: re.Match[str], values: list[str], instruction: str) -> str:
    """The value that a placeholder stands for, as a field; "" for none."""
    name, whole, capitals = match.groups()
    if whole:
        return whole if re.split(r"[.!:]", whole)[0] in {re.split(r"\W", one)[0] for one in values} else ""
    told = (name or capitals).lower().replace(" ", "_")
    fitting = [one for one in values if told == one] or [
        one for one in values if told in re.split(r"\W|_", one.lower())
    ]
    if not fitting:
        return ""
    return fitting[0] + ("!r" if re.search(r"\brepr\b", instruction) else "")


def _values(before: Snippet, node: ast.Raise) -> list[str]:
    """What a message may show: what it shows now, then the names of the function around."""
    shown = [text_of(before, one) for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)]
    fields = [ast.unparse(one.value) for one in ast.walk(node) if isinstance(one, ast.FormattedValue)]
    around = [f for f in before.functions if f.lineno <= node.lineno <= (f.end_lineno or 0)]
    return [one for one in (*fields, *shown, *_names(around)) if one]


def _names(around: list[Function]) -> Iterator[str]:
    for function in around[-1:]:
        yield from (one.arg for one in parameters(function))
        yield from (
            one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        )
