"""What an edit kind is: how to find or plant an occasion for it, the exact edit, and how people ask for it.

Adding a kind is adding one module here with one Kind in it; `registry.py` finds it by itself.
"""

import ast
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import ClassVar

from spark_tui.editing.format import Layout
from spark_tui.editing.script import LineOp, apply_script, write_script


@dataclass(frozen=True)
class Snippet:
    """A parseable stretch of real code: a function, a class or the top of a module.

    `lines` are without line endings and keep their indentation. Line numbers here are 0-based.
    """

    lines: tuple[str, ...]

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of the dedented lines. Raises: SyntaxError. (ast's lineno is 1-based.)"""
        return ast.parse(textwrap.dedent("\n".join(self.lines)))

    @cached_property
    def layout(self) -> Layout:
        """The indentation unit and the common level of the lines."""
        return Layout.of(self.lines)

    @property
    def margin(self) -> str:
        """The indentation common to all lines (what `tree` is parsed without)."""
        return self.layout.unit * self.layout.base

    @cached_property
    def functions(self) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
        """Every function in the snippet, in source order."""
        found = [n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        return tuple(sorted(found, key=lambda node: node.lineno))

    def segment(self, node: ast.AST) -> str:
        """The source text of a node."""
        return ast.get_source_segment("\n".join(line.removeprefix(self.margin) for line in self.lines), node) or ""


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
        """The postcondition: could `after` be this kind of edit of `before`? Default: it parses."""
        try:
            ast.parse(textwrap.dedent("\n".join(after)))
        except SyntaxError:
            return False
        return True
