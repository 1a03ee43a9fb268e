"""Parameters that can only be given by position, or that are popped from `**kwargs`: by name, in the signature."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, end_of, indentation, parameters, splice, stands_alone, start_of, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.named import functions_meant
from spark_tui.editing.codemods.common.taking_out import without
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.told import says

_POSITIONAL = re.compile(
    r"\bpositional(?:-| )?only\b|\bonly (?:by )?position\w*|\bby position\b|\bpositionally\b"
    r"|(?<!\S)[`'\"]?/[`'\"]?(?=\W|$)"
)
_NOT_SO = re.compile(r"\bstar\b|\bkeyword|(?<!\S)[`'\"]?\*[`'\"]?(?!\S)|\b(?:nobody|no one|never|not)\b|n't\b")
"""Given by position is what they must not be."""
_AWAY = re.compile(
    r"\b(?:drop|remove|no|not|without|lose|rid of|undo|instead|nuisance|why|needless|pointless|by name|keyword)\b|n't\b"
)
_POPPED = re.compile(
    r"\bpop\w*\b|\bkeyword\b|\bsignature\b|\bexplicit\w*\b|\b(?:real|proper|true|own|named) (?:\S+ )?(?:param|arg)\w*"
)
_SLASH = re.compile(r",\s*/")


def by_position(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines without the `/` of a signature; or with one, after a parameter that is named or the last."""
    if not _POSITIONAL.search(request.instruction):
        return
    for function in functions_meant(before, request.instruction):
        spec = function.args
        if spec.posonlyargs and _AWAY.search(request.instruction):
            row, column = end_of(before, spec.posonlyargs[-1])
            if slash := _SLASH.search(before.lines[row], column):
                yield splice(before.lines, (row, slash.start()), (row, slash.end()), "")
        elif not spec.posonlyargs and spec.args and not _NOT_SO.search(request.instruction):
            named = [one for one in spec.args if says(request.instruction, one.arg)]
            for one in (named or spec.args)[::-1]:
                row, column = _end(before, function, one)
                yield splice(before.lines, (row, column), (row, column), ", /")
                if not named:
                    break


def _end(before: Snippet, function: Function, one: ast.arg) -> tuple[int, int]:
    at = function.args.args.index(one) - (len(function.args.args) - len(function.args.defaults))
    return end_of(before, function.args.defaults[at] if at >= 0 else one)


def popped(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines with `x = kwargs.pop("x")` gone and `*, x` in the signature: for one that is named, and for all."""
    words = request.instruction
    for function in before.functions if _POPPED.search(words) else ():
        found = list(_pops(before, function))
        named = [one for one in found if says(words, one[1])]
        if named or (found and re.search(r"\bpop|\bkwargs\b", words)):
            yield _in_signature(before, function, named or found)


def _pops(before: Snippet, function: Function) -> Iterator[tuple[ast.stmt, str, str]]:
    """The statements that take an argument out of `**kwargs`, with its name and its default."""
    kwargs = function.args.kwarg.arg if function.args.kwarg else ""
    taken = {one.arg for one in parameters(function)}
    for node in function.body if kwargs else ():
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=holder), attr="pop"), args=[ast.Constant(value=key), *rest]
                ),
            ) if (holder, key) == (kwargs, name) and name not in taken and stands_alone(before, node):
                yield node, name, text_of(before, rest[0]) if rest else ""


def _in_signature(before: Snippet, function: Function, pops: list[tuple[ast.stmt, str, str]]) -> list[str]:
    spec = function.args
    assert spec.kwarg
    row, column = start_of(before, spec.kwarg)
    texts = [f"{name}={default}" if default else name for _, name, default in pops]
    star = [] if spec.vararg or spec.kwonlyargs else ["*"]
    head = before.lines[row][: column - 2]
    glue = ", " if head.strip() else f",\n{indentation(head)}"
    lines = list(before.lines)
    for node, _, _ in reversed(pops):
        lines = without(lines, node.lineno - 1, (node.end_lineno or node.lineno) - 1)
    return splice(lines, (row, column - 2), (row, column - 2), glue.join([*star, *texts, ""]))
