"""Errors in the place of silence: "unknown names should be a KeyError instead of being ignored"."""

import ast
import re
from collections.abc import Iterable, Iterator

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.bugs.slips import respelled
from spark_tui.editing.codemods.common.flow import branches, is_elif, moved
from spark_tui.editing.codemods.common.named import calls
from spark_tui.editing.codemods.common.negation import negated
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.script import Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, places

_SILENT = re.compile(
    r"\b(?:instead of|rather than|not just|no longer|don't|do not|not|never|why)\b.{0,30}"
    r"\b(?:ignor|silen|nothing|swallow|skip|return|pass|none|hid|quiet)|\b(?:silent|quiet)ly|\b(?:is|are) ignored",
    re.IGNORECASE,
)
_SWALLOWED = re.compile(
    r"(?i)\bswallow|\bsilen|\bignor|\bexpect|\bno error\b|\bnothing happens\b|\bno (?:row|match|such)"
)
_LOUD = {"pop": 2, "get": 1, "discard": 1}
"""Methods that are silent where something is missing, with how many arguments."""


def raised_instead(before: Snippet, instruction: str, errors: Iterable[str]) -> Iterator[Ops]:
    """Each silent way out made an error. Args: errors: the classes of those told."""
    yield from _for_nothing(before, instruction)
    told = list(dict.fromkeys(errors))
    if not told or not _SILENT.search(instruction):
        return
    for place in places(before):
        if isinstance(place.node, ast.If) and not is_elif(before, place.node):
            yield from _loud_if(before, place.node, told)
    if {"KeyError", "LookupError"} & set(told):
        for node in before.nodes:
            if isinstance(node, ast.Call) and (ops := _loud_call(before, node)):
                yield ops


def _for_nothing(before: Snippet, instruction: str) -> Iterator[Ops]:
    """A call for its own sake made the condition of an error that is told in full: it is raised when nothing comes."""
    told = [call for call in calls(instruction) if call.endswith(")") and call.rpartition(".")[2][:1].isupper()]
    raised = [call for call in told if is_expression(call)] if _SWALLOWED.search(instruction) else []
    for place in places(before) if raised else ():
        node = place.node
        source = text_of(before, node.value) if isinstance(node, ast.Expr) else ""
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await) and source:
            check = (f"{place.indent}if not {source}:", f"{place.indent}{before.layout.unit}raise {raised[0]}")
            yield (Replace(place.first, place.last, check),)


def _loud_if(before: Snippet, node: ast.If, errors: Iterable[str]) -> Iterator[Ops]:
    """The body without its condition, the opposite condition raising before it, or a raise for a bare way out."""
    read = branches(before, node)
    if read is None or node.orelse:
        return
    leaves = isinstance(node.body[0], ast.Return | ast.Pass | ast.Continue | ast.Break)
    raising = [f"raise {error}({_about(before, node.test)})" for error in errors]
    if leaves and len(node.body) == 1:
        yield from ((Replace(read.row + 1, read.last, (read.inner + one,)),) for one in raising)
        return
    body, test = moved(read.body, read.inner, read.indent), negated(before, node.test)
    if body is None or leaves or isinstance(node.body[-1], ast.Raise) or not test:
        return
    lines = before.lines
    if isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.In):
        yield between(before, [*lines[: read.row], *body, *lines[read.last + 1 :]])
    for one in raising:
        check = (f"{read.indent}if {test}:", read.inner + one)
        yield between(before, [*lines[: read.row], *check, *body, *lines[read.last + 1 :]])


def _about(before: Snippet, test: ast.expr) -> str:
    """What is looked at by a condition, if that is a plain value."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner) | ast.Compare(left=inner):
            return text_of(before, inner) if dotted(inner) else ""
    return ""


def _loud_call(before: Snippet, node: ast.Call) -> Ops | None:
    """`d.get(k)` as `d[k]`, `d.pop(k, None)` as `d.pop(k)`, `s.discard(k)` as `s.remove(k)`."""
    func = node.func
    if not isinstance(func, ast.Attribute) or node.keywords or _LOUD.get(func.attr) != len(node.args):
        return None
    owner, key = text_of(before, func.value), text_of(before, node.args[0])
    loud = {"get": f"{owner}[{key}]", "pop": f"{owner}.pop({key})", "discard": f"{owner}.remove({key})"}[func.attr]
    return respelled(before, start_of(before, node), end_of(before, node), loud) if owner and key else None
