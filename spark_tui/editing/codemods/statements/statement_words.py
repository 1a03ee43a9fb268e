"""Statements that words speak of without quoting them: "the pong timer", "the join in the try", "the active flag"."""

import ast
import re

from spark_tui.editing.code import statement_lines
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import COMPOUND, Place

_WORD = re.compile(r"[^\W\d_]{2,}|[^\W\d_]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_GLUE = frozenset(
    """
    the a an line call it is that this to of in with self cls and or be so set put move should must has have come do
    does when where once only while at on for not no its into than then please could would you we i can make go goes
    """.split()  # noqa: SIM905
)
_KINDS: dict[type[ast.stmt], str] = {
    ast.For: "loop for", ast.AsyncFor: "loop for", ast.While: "loop while", ast.With: "with context lock",
    ast.AsyncWith: "with context lock", ast.If: "check if condition guard", ast.Try: "try", ast.Return: "return",
    ast.Raise: "raise", ast.Assert: "assert assertion", ast.FunctionDef: "function method helper",
    ast.AsyncFunctionDef: "function method helper", ast.ClassDef: "class", ast.Import: "import",
    ast.ImportFrom: "import",
}  # fmt: skip


def stems(text: str) -> set[str]:
    """The words of a text and of the names in it, without the endings that people change."""
    words = {word.lower() for word in _WORD.findall(_CAMEL.sub("_", text))} - _GLUE
    return {_stem(word) for word in words}


def stems_of(before: Snippet, place: Place) -> set[str]:
    """What a statement may be spoken of by: the words of its first line (for a block: its head) and what it is."""
    node = place.node
    last = statement_lines(node.body[0])[0] - 1 if isinstance(node, COMPOUND) and hasattr(node, "body") else place.last
    found = stems(" ".join(line.partition("  #")[0] for line in before.lines[place.first : max(last, place.first) + 1]))
    kinds = _KINDS.get(type(node), "")
    match node:
        case ast.Assign(value=ast.Constant(value=bool())):
            kinds = "flag"
        case ast.Expr(value=ast.Call()):
            kinds = "call"
        case ast.Return(value=ast.Call()):
            kinds = "return call"
    return found | {_stem(word) for word in kinds.split()}


def inner_stems(before: Snippet, place: Place) -> set[str]:
    """The words of all the lines of a statement."""
    return stems(" ".join(before.lines[place.first : place.last + 1]))


def _stem(word: str) -> str:
    bare = re.sub(r"(?:ing|ed|es|s|e)$", "", word) if len(word) > 3 else word
    return re.sub(r"([bdgmnprt])\1$", r"\1", bare) if len(bare) > 3 else bare
