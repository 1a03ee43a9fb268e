"""Lines told by what they say: shared by the kinds that edit a line found by its words."""

import ast
import re
from random import Random

from spark_tui.editing.code import indentation, stands_alone, statement_lines
from spark_tui.editing.snippet import Snippet

_WORD = re.compile(r"\w+|[^\w\s]")
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise, ast.Delete, ast.Assert)


def simple_statement_line(snippet: Snippet, rng: Random) -> int | None:
    """A line that holds exactly one simple statement, not the only one of its block and not a docstring."""
    found = []
    for node in ast.walk(snippet.tree):
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(block, list) and len(block) > 1:
                found += [s for s in block if isinstance(s, _SIMPLE) and _fits(snippet, s)]
    return statement_lines(rng.choice(found))[0] if found else None


def _fits(snippet: Snippet, statement: ast.stmt) -> bool:
    first, last = statement_lines(statement)
    text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return first == last and not text and stands_alone(snippet, statement)


def telling_words(snippet: Snippet, number: int, rng: Random) -> str | None:
    """A piece of a line (one word, a few words, or all of it) that no other line of the snippet holds."""
    line = snippet.lines[number].strip()
    words = list(_WORD.finditer(line))
    if not words or len(line) > 100:
        return None
    for _ in range(6):
        first = rng.randrange(len(words))
        last = min(len(words) - 1, first + rng.choice((0, 0, 1, 2, 2, 4, 6, 40)))
        piece = line[words[first].start() : words[last].end()]
        if len(piece) > 2 and re.search(r"\w\w", piece) and sum(piece in other for other in snippet.lines) == 1:
            return piece
    return line if sum(line in other for other in snippet.lines) == 1 else None


def indentation_of(snippet: Snippet, number: int) -> str:
    """The whitespace line `number` begins with."""
    return indentation(snippet.lines[number])
