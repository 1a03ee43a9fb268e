"""Adding `from module import name` where a region holds the imports it would stand with."""

import ast

from spark_tui.editing.code import end_of
from spark_tui.editing.codemods.common.occasions import Change, bare_line, inserted
from spark_tui.editing.snippet import Snippet


def imported(before: Snippet, module: str, name: str) -> Change | None:
    """The change that imports a name, or None: it is there, or the region does not begin with imports.

    A line that imports from the module already is extended; else a new one goes among its like.
    """
    block = [node for node in before.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    if not block or any(
        alias.asname or alias.name == name for node in block for alias in node.names if alias.name == name
    ):
        return None
    for node in block:
        if isinstance(node, ast.ImportFrom) and node.module == module and bare_line(before, node):
            return _extended(before, node, name)
    return _new_line(before, block, f"from {module} import {name}", module)


def _extended(before: Snippet, node: ast.ImportFrom, name: str) -> Change | None:
    end = end_of(before, node)
    if before.lines[end[0]][end[1] - 1] == ")":
        return None
    names = [*(ast.unparse(alias) for alias in node.names), name]
    start = end[0], before.lines[end[0]].index(" import ") + len(" import ")
    in_order = names[:-1] == sorted(names[:-1], key=str.lower)
    return start, end, ", ".join(sorted(names, key=str.lower) if in_order else names)


def _new_line(before: Snippet, block: list[ast.Import | ast.ImportFrom], line: str, module: str) -> Change | None:
    """In the run of imports that holds the first plain one, after those that sort before it."""
    block = [node for node in block if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")]
    if not block:
        return None
    run = block[:1]
    for node in block[1:]:
        if node.lineno - 1 != (run[-1].end_lineno or 0):
            break
        run.append(node)
    earlier = [node for node in run if isinstance(node, ast.Import) or (node.module or "") < module]
    if not earlier:
        return (run[0].lineno - 1, 0), (run[0].lineno - 1, 0), before.margin + line + "\n"
    return inserted(before, (earlier[-1].end_lineno or 0) - 1, [before.margin + line])
