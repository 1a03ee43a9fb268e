"""What an edit kind is: how to find or plant an occasion for it, the exact edit, and how people ask for it.

Adding a kind is adding one module here with one Kind in it; `registry.py` finds it by itself.
"""

import ast
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.script import LineOp, apply_script, write_script
from spark_tui.editing.snippet import Snippet


@dataclass(frozen=True, slots=True)
class Edit:
    """One exact edit of a snippet and what an instruction may say about it.

    `slots` fill the skeletons: {old}, {new}, {name}, ... `selected` are the 0-based first and last line
    a person would have selected when the words alone do not say where ("fix this line").
    """

    ops: tuple[LineOp, ...]
    slots: Mapping[str, str] = field(default_factory=dict)
    selected: tuple[int, int] | None = None

    @classmethod
    def between(
        cls,
        before: Snippet,
        after: Sequence[str],
        slots: Mapping[str, str] | None = None,
        selected: tuple[int, int] | None = None,
    ) -> "Edit":
        """The edit from a snippet to its new lines, with the canonical script."""
        ops = write_script(before.lines, after, unit=before.layout.unit)
        return cls(ops, slots or {}, selected)

    def apply(self, before: Snippet) -> list[str]:
        """The lines after the edit."""
        return apply_script(before.lines, self.ops, unit=before.layout.unit)


@dataclass(frozen=True, slots=True)
class Planted:
    """A snippet with an occasion planted in it; `edit` undoes it when the snippet alone cannot tell how."""

    snippet: Snippet
    edit: Edit | None = None


class Kind(ABC):
    """One kind of edit.

    `skeletons` holds one way of asking a line: `{slot}` is filled from the edit's slots, `[a|b|]` picks one
    alternative (may be empty, may nest), a line is only used when all its slots are known. A line is a
    *family*; 15 % of the families (by a hash of the line) are held out of training and used in evaluation.
    Skeletons are lower case without final period; the phrasing engine varies case, courtesy, punctuation,
    quoting of code and typos, and appends where ("in foo", "of the foo method") by itself when the
    snippet has several functions and the slots hold `function`.
    """

    name: ClassVar[str]
    skeletons: ClassVar[str]
    weight: ClassVar[float] = 1.0

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Make an occasion for this edit in real code, or None. Default: none is needed."""
        return None

    @abstractmethod
    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """The exact edit at one occasion in the snippet (chosen by rng), or None when there is none."""

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """The postcondition: could `after` be this kind of edit of `before`?

        Default: it is another text that parses, and the codemod of this kind, where there is one, has no objection.
        """
        if list(after) == list(before.lines):
            return False
        try:
            ast.parse(textwrap.dedent("\n".join(after)))
        except SyntaxError:
            return False
        codemod = codemods().get(self.name)
        return codemod is None or not codemod.objection(before, after, Request(" ".join(slots.values())))
