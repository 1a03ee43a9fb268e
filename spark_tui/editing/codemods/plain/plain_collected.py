"""A list told to be given back whole, in the place of the loop that collects it: "just return list(reader)"."""

import ast
import re

from spark_tui.editing.code import Function, indentation, statement_lines, walk_scope
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_RETURN = re.compile(
    r"(?:just |simply )?(?i:return|give back) (?P<value>.+?)(?: directly| instead| right away| at once)?"
)


def plain_collected(before: Snippet, words: str) -> list[Ops]:
    """The value told given back where a loop over the same collects what is given back now; else []."""
    told, functions = _RETURN.fullmatch(bare(before, words)), the_function(before, words)
    source = told["value"].strip("`") if told else ""
    if not source or len(functions) != 1 or not is_expression(source):
        return []
    parts = _collecting(functions[0])
    if parts is None or ast.dump(parts[1].iter) not in {ast.dump(one) for one in ast.walk(parse(source))}:
        return []
    first, loop, last = parts
    lines = list(before.lines)
    for node, new in ((last, []), (loop, [f"{indentation(lines[loop.lineno - 1])}return {source}"]), (first, [])):
        start, stop = statement_lines(node)
        lines[start : stop + 1] = new
    return [between(before, lines)]


def _collecting(function: Function) -> tuple[ast.stmt, ast.For, ast.stmt] | None:
    """Where a list begins, the only loop that fills it with what it goes over, and where it is given back."""
    last = function.body[-1]
    name = last.value.id if isinstance(last, ast.Return) and isinstance(last.value, ast.Name) else ""
    nodes = list(walk_scope(function))
    uses = [one for one in nodes if isinstance(one, ast.Name) and one.id == name]
    firsts = [one for one in nodes if isinstance(one, ast.Assign) and ast.unparse(one) == f"{name} = []"]
    loops = [one for one in nodes if isinstance(one, ast.For) and not one.orelse and _fills(one, name)]
    return (firsts[0], loops[0], last) if len(uses) == 3 and len(firsts) == len(loops) == 1 else None


def _fills(loop: ast.For, name: str) -> bool:
    return [ast.unparse(one) for one in loop.body] == [f"{name}.append({ast.unparse(loop.target)})"]
