"""Imports mended in their place: a part of the module more or less, a name more, one that is another now, an alias."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from spark_tui.editing import code
from spark_tui.editing.code import Position
from spark_tui.editing.codemods.common.said import code_like
from spark_tui.editing.codemods.imports.import_blocks import Import, name_key
from spark_tui.editing.snippet import Snippet

_TROUBLE = re.compile(
    r"\b(?:ModuleNotFoundError|ImportError|NameError|cannot import|cannot find|import\w*|circular|package|module|lives?"
    r"|undefined|not defin\w+|moved)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![\w.\"'/])[`'\"]?([^\W\d]\w*)(?![\w(/=])")
_PATH = re.compile(r"(?<![\w./])\.*[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_CANNOT = re.compile(r"(?:cannot import name|no attribute|has no) [`'\"](\w+)[`'\"]")
_NO_MODULE = re.compile(r"No module named [`'\"]([\w.]+)[`'\"]")
_PROSE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+\d*|\w+(?:Error|Warning|Exception)")
_MOST_NAMES = 3


def mended(before: Snippet, instruction: str) -> Iterator[list[str]]:
    """The region after each change of an import that the words hint at."""
    if not _TROUBLE.search(instruction):
        return
    imports = [one for one in before.nodes if isinstance(one, Import)]
    for node in imports:
        yield from _by_name(before, node, imports, instruction)
    for node in imports:
        if isinstance(node, ast.ImportFrom):
            yield from _of_path(before, node, instruction)
        else:
            yield from _lowered(before, node, instruction)


def _by_name(before: Snippet, node: Import, imports: Sequence[Import], instruction: str) -> Iterator[list[str]]:
    """One name more beside its like, or another name under that which the region uses."""
    known = {alias.asname or alias.name for one in imports for alias in one.names}
    cannot = _CANNOT.search(instruction)
    gone = cannot[1] if cannot else ""
    for name in _names(instruction, known):
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            if alias.name == gone:
                if alias.asname or not _alike(name, gone):
                    continue
                yield _spelt(before, alias, f"{name} as {gone}")
                yield _spelt(before, alias, name)
            elif name.endswith(alias.name) and len(alias.name) > 3 and not alias.asname:
                yield _spelt(before, alias, f"{alias.name} as {name}")
        if not gone and isinstance(node, ast.ImportFrom) and any(_alike(name, one.name) for one in node.names):
            yield from _one_more(before, node, name)


def _names(instruction: str, known: set[str]) -> list[str]:
    """The names that the words tell and the region does not import, those that look like code only."""
    told = [one for one in _NAME.findall(instruction) if code_like(one) or re.search(r"\.\w", instruction)]
    fresh = [one for one in told if one not in known and not re.fullmatch(r"(?:Name|Import|ModuleNotFound)Error", one)]
    return [one for one in dict.fromkeys(fresh) if code_like(one) or f"{one}." in instruction][:_MOST_NAMES]


def _alike(name: str, other: str) -> bool:
    """Whether two names share a word, be it a part of one: `CardType` and `CreditCard`."""
    parts = set(re.findall(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}", name))
    return not parts.isdisjoint(re.findall(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}", other)) or name[:4] == other[:4]


def _as_written(one: ast.alias) -> tuple[int, str, str]:
    return 0, one.name, ""


def _as_lower(one: ast.alias) -> tuple[int, str, str]:
    return 0, one.name.lower(), ""


def _one_more(before: Snippet, node: ast.ImportFrom, name: str) -> Iterator[list[str]]:
    """The import on one line with a name more, where the order of the others wants it."""
    if node.names[0].name == "*" or node.names[0].lineno != node.names[-1].lineno:
        return
    new = ast.alias(name=name)
    keys: tuple[Callable[[ast.alias], tuple[int, str, str]], ...] = (name_key, _as_written, _as_lower)
    places = []
    for key in keys:
        ordered = sorted([*node.names, new], key=key)
        if [one for one in ordered if one is not new] == node.names:
            places.append(ordered.index(new))
    for at in dict.fromkeys(places or [len(node.names)]):
        if at < len(node.names):
            start = _start(before, node.names[at])
            yield code.splice(before.lines, start, start, f"{name}, ")
        else:
            end = _end(before, node.names[-1])
            yield code.splice(before.lines, end, end, f", {name}")


def _of_path(before: Snippet, node: ast.ImportFrom, instruction: str) -> Iterator[list[str]]:
    """From a module that is told and ends alike, or, if the import is relative, from one level further up or down."""
    row = code.statement_lines(node)[0]
    head = re.match(r"\s*from\s+(\.*[\w.]*)", before.lines[row])
    if head is None:
        return
    start, own = head.start(1), head[1]

    def spelt(path: str) -> list[str]:
        return code.splice(before.lines, (row, start), (row, start + len(own)), path)

    last = (node.module or "").rpartition(".")[2]
    for path in dict.fromkeys(_PATH.findall(instruction)):
        if path != own and (path.rpartition(".")[2] == last or path.startswith(f"{own}.")):
            yield spelt(path)
    spoken = (last and last in instruction) or any(alias.name in instruction for alias in node.names)
    if node.level and spoken:
        yield spelt(f".{own}")
        if node.level > 1:
            yield spelt(own[1:])


def _lowered(before: Snippet, node: ast.Import, instruction: str) -> Iterator[list[str]]:
    """A module of Python 2 by the name it has now: what it is imported as, or the same in small letters."""
    missing = _NO_MODULE.search(instruction)
    for alias in node.names if missing else ():
        if missing and alias.name == missing[1]:
            yield from (_spelt(before, alias, one) for one in dict.fromkeys(filter(None, [alias.asname])))
            if alias.name != alias.name.lower() and alias.name.lower() != alias.asname:
                yield _spelt(before, alias, alias.name.lower())


def _start(before: Snippet, alias: ast.alias) -> Position:
    return code.position(before, alias.lineno, alias.col_offset)


def _end(before: Snippet, alias: ast.alias) -> Position:
    return code.position(before, alias.end_lineno or alias.lineno, alias.end_col_offset or 0)


def _spelt(before: Snippet, alias: ast.alias, text: str) -> list[str]:
    """The lines with an imported name written otherwise."""
    return code.splice(before.lines, _start(before, alias), _end(before, alias), text)
