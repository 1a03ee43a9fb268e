"""Scenes for kinds that real code seldom has an occasion for: statements put into a try, names that mean a path."""

import ast
import re
from collections.abc import Iterator, Sequence
from random import Random

from spark_tui.editing.code import indentation
from spark_tui.editing.codemods.common.occasions import bare_line
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools

_PATH = re.compile(r"(?:^|_)(?:path|file|filename|filepath|dir|dirname|directory|folder|root|fname|dest)$")
_VERBS = "load|read|parse|open|find|fetch|save|connect to|decode|resolve|convert|look up"


def simple_statements(snippet: Snippet) -> Iterator[ast.stmt]:
    """The assignments, calls and returns of functions that have one line each."""
    for function in snippet.functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.Return) and bare_line(snippet, node):
                yield node


def tried(snippet: Snippet, node: ast.stmt, handler: Sequence[str]) -> Snippet:
    """A statement of one line in a try; `handler` is the head and the body of the except clause, without indentation."""
    row, unit = node.lineno - 1, snippet.layout.unit
    indent = indentation(snippet.lines[row])
    head, *body = handler
    new = [f"{indent}try:", unit + snippet.lines[row], indent + head, *(indent + unit + line for line in body)]
    return Snippet((*snippet.lines[:row], *new, *snippet.lines[row + 1 :]))


def calls(node: ast.AST) -> bool:
    """Whether a statement calls something or looks something up, so that it may fail."""
    return any(isinstance(one, ast.Call | ast.Subscript) for one in ast.walk(node))


def outside_strings(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those within f-strings, whose places are not known."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.JoinedStr):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def is_path(name: str) -> bool:
    """Whether a name sounds like that of a file or directory."""
    return _PATH.search(name.rpartition(".")[2]) is not None


def failure(rng: Random) -> str:
    """What a message says that went wrong."""
    verb, noun = rng.choice(_VERBS.split("|")), pools.noun(rng)
    return rng.choice(
        (f"could not {verb} {noun}", f"cannot {verb} the {noun}", f"invalid {noun}", f"bad {noun}", f"no {noun}")
    )
