"""Whether an edit does what is told by name, and not something else."""

import ast
import builtins
import keyword
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from spark_tui.context.wording import is_common, is_plain
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.facts import FAULTS, Code
from spark_tui.session.rules.obstacles import DROP, NAME
from spark_tui.session.rules.rename_obstacles import IN_TEXT

_THING = r"(?:imports?|variable|local|constant|parameter|param|function|method|class)(?: of)?"
_BEFORE = NAME.replace("<name>", "<before>")
_NAMED = re.compile(rf"{DROP}(?:unused )?(?:{_THING} {NAME}|{_BEFORE} {_THING}\b)", re.IGNORECASE)
_RENAME = re.compile(
    rf"^\W*(?:please )?rename {NAME} to [`'\"]?(?P<new>[^\W\d]\w*)[`'\"]?(?: in [\w.`]+)?\W*$", re.IGNORECASE
)
_TICKED = re.compile(r"`([^\W\d]\w+)(?:\(\))?`")
_KNOWN_ANYWHERE = frozenset([*dir(builtins), *keyword.kwlist, "self", "cls"])
_BARE = re.compile(rf"^\W*(?:please )?{DROP}{NAME}\W*$", re.IGNORECASE)


def spared(words: str, code: Code, after: Sequence[str]) -> str:
    """That what is to be removed by its name is still there after an edit, or not renamed, or that a name stands
    nowhere; in a sentence, or "".

    Args: after: the lines of `code` with the edit.
    """
    return _not_removed(words, code, after) or _not_renamed(words, code, after) or _nowhere(words, code, after)


def _nowhere(words: str, code: Code, after: Sequence[str]) -> str:
    """That a name in backticks is neither in the file nor comes with the edit."""
    there = "\n".join((*code.file, *after)).lower()
    names = [name for name in _TICKED.findall(words) if name not in _KNOWN_ANYWHERE and name.lower() not in there]
    return f"there is no {names[0]} in {code.path}" if names else ""


def _not_renamed(words: str, code: Code, after: Sequence[str]) -> str:
    found = _RENAME.match(words)
    if found is None or not code.nodes or found["name"] in code.imported or IN_TEXT.search(words):
        return ""
    old, new = found["name"], found["new"]
    had = Counter(_bound(code.nodes))
    if not had[old] or old == new or _bound_after(after)[new] > had[new]:
        return ""
    return f"the edit that was found does not rename {old} to {new}; say it in other words"


def _bound_after(after: Sequence[str]) -> Counter[str]:
    try:
        return Counter(_bound(Snippet(tuple(after)).nodes))
    except FAULTS:
        return Counter()


def _not_removed(words: str, code: Code, after: Sequence[str]) -> str:
    named = _NAMED.search(words)
    found = named or _BARE.search(words)
    if found is None or not code.nodes:
        return ""
    name = (found["name"] or found["before"] if named else found["name"]).rpartition(".")[2]
    if (is_plain if named else is_common)(name) or not (had := Counter(_bound(code.nodes))[name]):
        return ""
    left = _bound_after(after)[name]
    ends = (named is not None or name in code.imported) and not words[found.end() :].strip(" .!,;`'\"")
    gone = left < had if ends else _said(name, after) < _said(name, code.text.split("\n"))
    return "" if gone else _why(name, code)


def _why(name: str, code: Code) -> str:
    lines = [node.lineno for node in code.nodes if isinstance(node, ast.Name) and _reads(node, name)]
    if not lines:
        return f"the edit that was found leaves {name} as it is; say it in other words"
    return f"{name} is used, in line {code.first + min(lines) - 1} of {code.path}"


def _reads(node: ast.Name, name: str) -> bool:
    return node.id == name and isinstance(node.ctx, ast.Load)


def _said(name: str, lines: Iterable[str]) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", "\n".join(lines)))


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that code gives to something, each as often as it does."""
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.ExceptHandler(name=str(name)):
                yield name
            case ast.alias(name=name, asname=other):
                yield from {name, name.split(".")[0], name.rpartition(".")[2], other or name}
            case ast.ImportFrom(module=str(name)):
                yield from {name, name.rpartition(".")[2]}
