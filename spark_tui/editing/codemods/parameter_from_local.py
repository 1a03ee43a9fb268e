"""A local with a fixed value that is to be a parameter: "make chunk_size an argument"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing import code
from spark_tui.editing.code import Function, text_of
from spark_tui.editing.codemods.taking_out import without
from spark_tui.editing.signatures import append_parameter, parameter_source
from spark_tui.editing.snippet import Snippet

_LIFTED = re.compile(
    r"\b(?:param(?:eter)?|arg(?:ument)?|option|signature|configurable|overrid\w+|callers?|pass(?:ed|able)?|settable)\b"
)


def lifted(before: Snippet, function: Function, instruction: str) -> Iterator[list[str]]:
    """The region with each local that is said gone to the signature, its value as the default."""
    if not _LIFTED.search(instruction.lower()):
        return
    own = {node.id for node in code.walk_scope(function) if isinstance(node, ast.Name) and not _loads(node)}
    own |= {one.arg for one in code.parameters(function)}
    for node in code.body_after_docstring(function):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                reads = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
                fixed = text_of(before, value) and not reads & own and code.stands_alone(before, node)
                if fixed and _is_said(instruction, name) and len(function.body) > 1:
                    yield from _moved(before, function, node, name, text_of(before, value))


def _moved(before: Snippet, function: Function, node: ast.stmt, name: str, value: str) -> Iterator[list[str]]:
    hint = text_of(before, node.annotation) if isinstance(node, ast.AnnAssign) else ""
    rest = Snippet(tuple(without(before.lines, *code.statement_lines(node))))
    if after := append_parameter(rest, function, parameter_source(name, hint, value)):
        yield after


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _is_said(instruction: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", instruction) is not None
