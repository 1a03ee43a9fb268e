"""A small function that is used once as a `lambda` where it is used."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing import code
from spark_tui.editing.code import MAX_WIDTH, Function, text_of
from spark_tui.editing.codemods.base import parses
from spark_tui.editing.codemods.common.taking_out import without
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import spliced

_LAMBDA = re.compile(r"\blambda\b", re.IGNORECASE)


def lambdas_told(before: Snippet, words: str) -> Iterator[list[str]]:
    """The lines with each such function as a lambda, where the words ask for one."""
    for function in before.functions if _LAMBDA.search(words) else ():
        value = _value(before, function)
        reads = [node for node in before.nodes if isinstance(node, ast.Name) and node.id == function.name]
        if not value or len(reads) != 1 or not _is_plain(function):
            continue
        taken = ", ".join(_parameters(before, function))
        text = f"lambda {taken}: {value}" if taken else f"lambda: {value}"
        first, last = code.statement_lines(function)
        if not before.lines[last + 1 : last + 2] or reads[0].lineno - 1 <= last:
            continue
        for made in (text, f"({text})"):
            lines = spliced(before, [(reads[0], made)])
            after = without(lines, first, last)
            if parses(after) and all(len(one) <= MAX_WIDTH or one in before.lines for one in after):
                yield after
                break


def _is_plain(function: Function) -> bool:
    """Whether a lambda could be all that the function is."""
    waits = isinstance(function, ast.AsyncFunctionDef)
    return not (function.decorator_list or function.args.kwonlyargs or function.args.posonlyargs or waits)


def _value(before: Snippet, function: Function) -> str:
    """What the only statement of a function returns or does."""
    match function.body:
        case [ast.Return(value=ast.expr() as value)] | [ast.Expr(value=ast.Call() as value)]:
            return text_of(before, value)
    return ""


def _parameters(before: Snippet, function: Function) -> Iterator[str]:
    """The parameters as a lambda has them, without hints."""
    spec = function.args
    plain = spec.args
    defaults = [""] * (len(plain) - len(spec.defaults)) + [f"={text_of(before, one)}" for one in spec.defaults]
    yield from (one.arg + default for one, default in zip(plain, defaults, strict=True))
    if spec.vararg:
        yield f"*{spec.vararg.arg}"
    if spec.kwarg:
        yield f"**{spec.kwarg.arg}"
