"""The argument that a well known call lacks, by what goes wrong without it: `tz=utc`, `reverse=True`, `re.DOTALL`."""

import ast
import re
from collections.abc import Callable, Iterator

from spark_tui.editing.code import end_of
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.bugs.argument_cures import ARGUMENT_CURES
from spark_tui.editing.codemods.bugs.call_arguments import Called, with_argument
from spark_tui.editing.codemods.bugs.slips import respelled
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_MOST, _EACH = 12, 2
Pattern = re.Pattern[str]


def arguments_cured(before: Snippet, instruction: str, calls: Callable[[Pattern], list[Called]]) -> Iterator[Ops]:
    """Each call that a trouble may be about with the argument that helps.

    Args: calls: those of functions of some names, the likeliest first.
    """
    kept = 0
    for functions, trouble, texts in ARGUMENT_CURES:
        if not trouble.search(instruction):
            continue
        fit = calls(functions)[:_EACH]
        for text in texts:
            for call in fit:
                if (
                    kept < _MOST
                    and _lacks(call, text)
                    and (ops := with_argument(before, call, text, len(call.arguments)))
                ):
                    kept += 1
                    yield ops
        yield from _decorated(before, functions, texts)


def bases_cured(before: Snippet, instruction: str) -> Iterator[Ops]:
    """A class with abstract methods made one that cannot be instantiated."""
    for node in before.nodes if re.search(r"\babst?ract\w*|\binstan[ct]iat\w*", instruction, re.IGNORECASE) else ():
        row = node.lineno - 1 if isinstance(node, ast.ClassDef) else 0
        if isinstance(node, ast.ClassDef) and not (node.bases or node.keywords):
            at = (row, len(before.lines[row][: before.lines[row].find(node.name)]) + len(node.name))
            for base in ("ABC", "abc.ABC", "metaclass=ABCMeta"):
                yield from filter(None, [respelled(before, at, at, f"({base})")])


def _lacks(call: Called, text: str) -> bool:
    """Whether a call has no such argument yet, and may get one in this way."""
    name, named, _ = text.partition("=")
    if any(one.arg == name for one in call.node.keywords):
        return False
    return bool(named) or not call.node.keywords


def _decorated(before: Snippet, functions: Pattern, texts: tuple[str, ...]) -> Iterator[Ops]:
    """A bare decorator with an argument: `@dataclass` as `@dataclass(frozen=True)`."""
    for node in before.nodes:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for mark in node.decorator_list:
                if (name := dotted(mark)) and functions.fullmatch(name.rpartition(".")[2]):
                    at = end_of(before, mark)
                    yield from filter(None, (respelled(before, at, at, f"({text})") for text in texts))
