"""What is fixed that is to be a parameter: a local, an argument or an attribute: "make chunk_size an argument"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing import code
from spark_tui.editing.code import Function, text_of
from spark_tui.editing.codemods.common.taking_out import without
from spark_tui.editing.signatures import append_parameter, parameter_source
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import spliced

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
    yield from _slots(before, function, instruction)


def _slots(before: Snippet, function: Function, instruction: str) -> Iterator[list[str]]:
    """The region with a parameter for a fixed value that is given by a name, or set as an attribute, that is said."""
    own = [one for one in code.parameters(function) if not code.is_receiver(function, one)]
    hinted = bool(function.returns) or any(one.annotation for one in own)
    found: dict[str, list[ast.Constant]] = {}
    for node in code.walk_scope(function):
        match node:
            case (
                ast.keyword(arg=str(name), value=ast.Constant() as value)
                | ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Constant() as value
                )
            ) if text_of(before, value):
                found.setdefault(name.strip("_"), []).append(value)
    taken = {one.arg for one in own}
    for name, values in found.items():
        source = text_of(before, values[0])
        same = [(one, name) for one in values if text_of(before, one) == source]
        if name in taken or not _is_spoken_of(instruction, name):
            continue
        hint = type(values[0].value).__name__ if hinted and values[0].value is not None else ""
        rest = Snippet(tuple(spliced(before, same)))
        if after := append_parameter(rest, function, parameter_source(name, hint, source)):
            yield after


def _is_spoken_of(instruction: str, name: str) -> bool:
    """Whether the words hold a name, or a part of it that tells something."""
    said = {one.removesuffix("s") for one in re.findall(r"[a-z]+", instruction.lower().replace("_", " "))}
    return any(len(part) > 3 and part.removesuffix("s") in said for part in name.lower().split("_"))


def _moved(before: Snippet, function: Function, node: ast.stmt, name: str, value: str) -> Iterator[list[str]]:
    hint = text_of(before, node.annotation) if isinstance(node, ast.AnnAssign) else ""
    rest = Snippet(tuple(without(before.lines, *code.statement_lines(node))))
    if after := append_parameter(rest, function, parameter_source(name, hint, value)):
        yield after


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _is_said(instruction: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", instruction) is not None
