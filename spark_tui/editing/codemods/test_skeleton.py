"""A test of a function, from the examples that the instruction tells: `add(2, 3) == 5`, `add(2, 3) should be 5`.

The test goes right below its function, one assertion an example. Only functions of the top level get one.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, statement_lines
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.told import names_used
from spark_tui.editing.trees import parse

_MODAL = r"(?:(?:should|must|needs? to|has to|ought to|is supposed to|is meant to|had better|will|to)\s+)?"
_WANTED = r"(?:i |we |and we )?(?:expect|want|expected:?)(?: to be)?(?=\W)"
_RELATION = re.compile(
    rf"\s*[`'\"]?,?\s*{_MODAL}(?:{_WANTED}|out:|=+>?|[-=]>|(?:be|is|are|returns?|gives?|equals?|yields?|produces?"
    r"|evaluates? to)(?=\W))\s*",
    re.IGNORECASE,
)
_SCALAR = re.compile(rf"""{SIGNED}|(?:None|True|False)\b|[rb]?'(?:[^'\\]|\\.)*'|[rb]?"(?:[^"\\]|\\.)*\"""")
_CLOSING = re.compile(r"[)\]}]")


class ExampleTest(Codemod):
    """`def test_add(): assert add(2, 3) == 5` below `def add(a, b)`."""

    kind: ClassVar[str] = "test_skeleton"
    local: ClassVar[bool] = False

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One for each function that there is an example of."""
        taken = names_used(before)
        for node in before.tree.body if not before.margin else ():
            if isinstance(node, ast.FunctionDef):
                found = examples(request.instruction, node.name)
                for name in test_names(request.instruction, node.name):
                    if found and name not in taken:
                        yield between(before, with_test(before, node, name, found))


def test_names(instruction: str, function: str) -> list[str]:
    """The name told for the test, else `test_` and the function's."""
    told = [name for name in re.findall(r"\btest_\w+", instruction) if name != function]
    return list(dict.fromkeys(told)) or [f"test_{function.lstrip('_')}"]


def examples(instruction: str, function: str) -> list[tuple[str, str]]:
    """The calls of a function that an instruction tells, each with its result, as source."""
    found = []
    for match in re.finditer(rf"(?<![\w.]){re.escape(function)}\(", instruction):
        call = _balanced(instruction[match.start() :])
        end = match.start() + len(call)
        mark = instruction[match.start() - 1 : match.start()]
        quoted = mark in ("`", "'", '"') and instruction.startswith(mark, end)
        relation = _RELATION.match(instruction, end + quoted)
        if call and relation:
            result = _literal(instruction[relation.end() :], mark if quoted else "`")
            if result:
                found.append((call, result))
    return list(dict(found).items())


def _literal(text: str, mark: str) -> str:
    """The literal that a text begins with, or "". Args: mark: what it may be quoted with."""
    if text.startswith(mark):
        inner = text[1:].partition(mark)[0]
        if _literal(inner, "\0") == inner:
            return inner
    if text[:1] in ("(", "[", "{"):
        return _balanced(text)
    match = _SCALAR.match(text)
    return match[0] if match else ""


def _balanced(text: str) -> str:
    """The call or display of literals that a text begins with, or ""."""
    for close in _CLOSING.finditer(text):
        try:
            node = parse(text[: close.end()], mode="eval").body
        except (SyntaxError, ValueError):
            continue
        parts = [*node.args, *(one.value for one in node.keywords)] if isinstance(node, ast.Call) else [node]
        return text[: close.end()] if all(map(_is_literal, parts)) else ""
    return ""


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def with_test(snippet: Snippet, function: ast.FunctionDef, name: str, found: Sequence[tuple[str, str]]) -> list[str]:
    """The lines with the test below its function."""
    unit = snippet.layout.unit
    checks = [f"{unit}assert {call} {'is' if one in ('None', 'True', 'False') else '=='} {one}" for call, one in found]
    at = statement_lines(function)[1] + 1
    head = f"def {name}(){' -> None' if function.returns else ''}:"
    lines = [*snippet.lines[:at], "", "", head, *checks, *snippet.lines[at:]]
    return lines if max(map(len, checks)) <= MAX_WIDTH else list(snippet.lines)
