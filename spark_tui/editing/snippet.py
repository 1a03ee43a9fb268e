"""A stretch of Python code that parses on its own: what mutations are worked out on."""

import ast
import textwrap
from dataclasses import dataclass
from functools import cached_property, lru_cache

from spark_tui.editing.trees import no_warnings, parse


@dataclass(frozen=True)
class Snippet:
    """A parseable stretch of real code: a function, a class or the top of a module.

    `lines` are without line endings and keep their indentation. Line numbers here are 0-based.
    """

    lines: tuple[str, ...]

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of the dedented lines. Raises: SyntaxError. (ast's lineno is 1-based.)"""
        return _read(self.lines)

    @cached_property
    def is_python(self) -> bool:
        """Whether Python can read the lines, and finds anything in them."""
        try:
            with no_warnings():
                return bool(self.tree.body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree, in the order of `ast.walk`."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def functions(self) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
        """Every function in the snippet, in source order."""
        found = [n for n in self.nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        return tuple(sorted(found, key=lambda node: node.lineno))


@lru_cache(maxsize=32)
def _read(lines: tuple[str, ...]) -> ast.Module:
    """Whoever looks at the same lines soon finds what was read."""
    if any("\r" in line for line in lines):
        raise SyntaxError("a CR without LF, at which ast counts another line")
    return parse(textwrap.dedent("\n".join(lines)))
