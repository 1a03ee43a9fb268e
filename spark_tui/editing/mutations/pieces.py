"""Whether lines that change a little are still Python, told by the smallest statement around the change."""

import ast
from collections.abc import Sequence

from spark_tui.editing.code import indentation, statement_lines
from spark_tui.editing.mutations.base import Source
from spark_tui.editing.trees import no_warnings, parse


def edges(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many lines are the same at the beginning, and how many of the others at the end."""
    most = min(len(before), len(after))
    head = next((row for row in range(most) if before[row] != after[row]), most)
    tail = next((row for row in range(most - head) if before[-1 - row] != after[-1 - row]), most - head)
    return head, tail


class Pieces:
    """The statements of a source, to read only one of them anew."""

    def __init__(self, source: Source) -> None:
        self._lines = source.lines
        nodes = [one for one in source.snippet.nodes if isinstance(one, ast.stmt) and source.alone(one)]
        self._rows = sorted((statement_lines(one) for one in nodes), key=lambda rows: rows[1] - rows[0])

    def parses(self, after: Sequence[str]) -> bool:
        """Whether other lines are Python, as those of the source are."""
        head, tail = edges(self._lines, after)
        first, last = self._around(head, tail, after)
        piece = after[first : len(after) - (len(self._lines) - 1 - last)]
        try:
            with no_warnings():
                return bool(parse("\n".join(["if 1:", *piece] if indentation(piece[0]) else piece)).body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False

    def _around(self, head: int, tail: int, after: Sequence[str]) -> tuple[int, int]:
        """The first and last row of the smallest statement that holds all that changes and stays one."""
        stop = len(self._lines) - tail
        inner = [indentation(line) for line in after[head : len(after) - tail] if line.strip()]
        for first, last in self._rows:
            level = indentation(self._lines[first])
            begins = first == head and inner[:1] == [level]
            holds = (first < head or begins) and head <= last and stop <= last + 1
            if holds and all(len(one) > len(level) for one in inner[begins:]):
                return first, last
        return 0, len(self._lines) - 1
