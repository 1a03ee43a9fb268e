"""Judges a line of code that was asked for word by word."""

from collections.abc import Sequence
from typing import ClassVar

from spark_tui.editing.code import indentation
from spark_tui.editing.codemods.additions import added_lines, parsed
from spark_tui.editing.codemods.base import Codemod, Request
from spark_tui.editing.snippet import Snippet


class InsertLine(Codemod):
    """One line more, which the instruction holds, as deep as a line beside it."""

    kind: ClassVar[str] = "insert_line"

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what was added that was not asked for."""
        if len(after) != len(before.lines) + 1:
            return "more or less than one line was added"
        found = list(added_lines(before.lines, after))
        if not found:
            return "another line was changed"
        at = found[0][0]
        if "".join(after[at].split()) not in "".join(request.instruction.split()):
            return "the instruction does not hold the new line"
        beside = [line for line in (*after[max(at - 1, 0) : at], *after[at + 1 : at + 2]) if line.strip()]
        opened = any(line.rstrip().endswith(":") for line in beside[:1])
        if not opened and indentation(after[at]) not in [indentation(line) for line in beside]:
            return "the new line is not as deep as those beside it"
        return "" if parsed(after) else "it does not parse"
