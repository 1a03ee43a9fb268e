"""What a class derives from, as the words tell: another base, one more, or the first."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, Function, body_after_docstring, indentation, splice, start_of, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.snippet import Snippet

_DERIVES = re.compile(
    r"\b(?:inherit\w*|subclass\w*|deriv\w+|extend(?:s|ing)?|base(?:s| class(?:es)?)?|parent(?: class)?"
    r"|mix(?:es|ed)? in|mixin|(?:must|should|has to|ought to|needs to|to|rather) be an?|is an?"
    r"|(?:make|turn|convert) (?:it|this|that|them|\w+)(?: \w+)? (?:in)?(?:to)? ?an?|isinstance)\b"
)
_NAME = re.compile(r"(?<![\w.])(?:[a-z_]\w*\.)*[A-Z]\w*[a-z]\w*(?![\w.]\w)|\b(?:ABC|str|dict|list|int|tuple)\b")
_MORE = re.compile(r"\b(?:also|too|as well|besides|mix|mixin|both|additionally|add)\b", re.IGNORECASE)
_PROSE = frozenset(["A", "The", "It", "This", "That", "They", "We", "Should", "Must", "Make", "Why", "Could", "Please"])
_PARTIAL = re.compile(r"\btotal ?= ?False\b")
_ABSTRACT = re.compile(r"\bABC\b|\babstract\w*", re.IGNORECASE)
_MIXED = re.compile(r"\b(str|int),? (Enum)\b", re.IGNORECASE)
_MOST = 3


def class_bases(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after a class derives from what is told, the likeliest first."""
    classes = [one for one in before.nodes if isinstance(one, ast.ClassDef)]
    if _PARTIAL.search(request.instruction):
        yield from (
            lines for one in classes if not one.keywords and (lines := _headed(before, one, None, ", total=False"))
        )
    if _ABSTRACT.search(request.instruction):
        yield from (lines for one in classes for lines in _abstract(before, one))
    if not classes or not _DERIVES.search(request.instruction):
        return
    own = {one.name for one in classes}
    told = [one for one in dict.fromkeys(_NAME.findall(request.instruction)) if one not in own | _PROSE]
    for node in classes:
        bases = [text_of(before, one) for one in node.bases]
        if mixed := _MIXED.search(request.instruction):
            yield from filter(None, [_headed(before, node, [mixed[1], mixed[2].title()])])
        for name in [one for one in told if one not in bases][:_MOST]:
            for made in _made(bases, name, bool(_MORE.search(request.instruction))):
                lines = _headed(before, node, made)
                if lines and len(lines[node.lineno - 1]) <= MAX_WIDTH:
                    yield lines


def _made(bases: list[str], name: str, more: bool) -> Iterator[list[str]]:
    """The bases with a new one: in the place of one, or beside them."""
    beside = [[*bases, name], [name, *bases]] if bases else []
    instead = [[*bases[:at], name, *bases[at + 1 :]] for at in range(len(bases))] or [[name]]
    yield from (*beside, *instead) if more or name.endswith("Mixin") else (*instead, *beside)


def _headed(before: Snippet, node: ast.ClassDef, bases: list[str] | None, more: str = "") -> list[str] | None:
    """With these bases, or its own; `more` comes behind all that is in the parentheses."""
    bases = [text_of(before, one) for one in node.bases] if bases is None else bases
    row, column = start_of(before, node)
    line = before.lines[row]
    rest = "".join(f", {one.arg}={text_of(before, one.value)}" for one in node.keywords) + more
    head = re.match(rf"class {node.name}\s*(\([^()]*\))?", line[column:])
    if head is None or not line[column + head.end() :].lstrip().startswith(":"):
        return None
    return splice(
        before.lines, (row, column), (row, column + head.end()), f"class {node.name}({', '.join(bases)}{rest})"
    )


def _abstract(before: Snippet, node: ast.ClassDef) -> Iterator[list[str]]:
    """An abstract base class with `@abstractmethod` on what only raises or does nothing, else on all it has."""
    methods = [one for one in node.body if isinstance(one, Function) and not one.decorator_list]
    stubs = [one for one in methods if _only_raises(one)]
    chosen = stubs or [one for one in methods if one.name != "__init__"]
    bases = [text_of(before, one) for one in node.bases]
    lines = list(before.lines) if "ABC" in bases or node.keywords else _headed(before, node, [*bases, "ABC"])
    if lines and chosen:
        for one in reversed(chosen):
            row = one.lineno - 1
            lines = [*lines[:row], f"{indentation(lines[row])}@abstractmethod", *lines[row:]]
        yield lines


def _only_raises(function: Function) -> bool:
    rest = body_after_docstring(function)
    return all(
        isinstance(one, ast.Raise | ast.Pass) or (isinstance(one, ast.Expr) and _is_ellipsis(one)) for one in rest
    )


def _is_ellipsis(node: ast.Expr) -> bool:
    return isinstance(node.value, ast.Constant) and node.value.value is Ellipsis
