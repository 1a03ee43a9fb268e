"""Judges a docstring with words that were given, or made from a name."""

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from spark_tui.editing.code import Function, docstring_node
from spark_tui.editing.codemods.additions import parsed
from spark_tui.editing.codemods.base import Codemod, Request
from spark_tui.editing.snippet import Snippet

_Scope = Function | ast.ClassDef | ast.Module
_WORD = re.compile(r"\w+")


class AddDocstring(Codemod):
    """One docstring more, and nothing else in the tree changed."""

    kind: ClassVar[str] = "add_docstring"

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what is no docstring, or what words were not asked for."""
        tree = parsed(after)
        if tree is None or len(after) <= len(before.lines):
            return "no docstring was added"
        old, new = _scopes(before.tree), _scopes(tree)
        fresh = [two for one, two in zip(old, new, strict=False) if not docstring_node(one) and docstring_node(two)]
        if len(fresh) != 1:
            return "more or less than one docstring was added"
        text = ast.get_docstring(fresh[0]) or ""
        fresh[0].body = fresh[0].body[1:]
        if ast.dump(tree) != ast.dump(before.tree):
            return "something else was changed"
        said = _plain(request.instruction)
        if text and (_plain(text) in said or _plain(text) == _plain(words_of(getattr(fresh[0], "name", "")))):
            return ""
        return "the words of the docstring were not asked for"


def words_of(name: str) -> str:
    """A name as the words it is made of."""
    return " ".join(re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)).lower()


def _scopes(tree: ast.Module) -> list[_Scope]:
    return [node for node in ast.walk(tree) if isinstance(node, _Scope)]


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))
