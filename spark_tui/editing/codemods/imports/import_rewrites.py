"""Imports written in another way, with the uses of what they bind: an alias, the module itself, names out of it."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing import code
from spark_tui.editing.codemods.base import applied
from spark_tui.editing.codemods.common.occasions import fit_name
from spark_tui.editing.codemods.common.taking_out import without
from spark_tui.editing.codemods.imports.import_blocks import Import
from spark_tui.editing.codemods.imports.import_places import put_in
from spark_tui.editing.identifiers import uses
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet

_AS = re.compile(
    r"(?:\b(?:as|to|called|(?:un|by) ?(?:der)? (?:the )?name|alias(?: of| it| name)?|short(?:hand|en\w*)?(?: to)?)"
    r"|->|=>)"
    r"(?: just| plain)? [`'\"]?([^\W\d]\w*)[`'\"]?(?![\w.])"
)
_FOR = re.compile(r"\b(?:use|say|prefer|alias) [`'\"]?([^\W\d]\w*)[`'\"]? (?:for|instead of|rather than)\b")
_ALIASING = re.compile(
    r"\balias|\bas\b|\babbreviat|\bshort|\bunder the name\b|\bknown as\b|\buse \S+ for\b"
    r"|(?:->|=>).*\bimport\b"
)
_BY_NAME = re.compile(r"([^\W\d][\w.]*)[`'\"]?,? (?:import\w* |alias\w* )?(?:as|to) [`'\"]?\0")
_PLAIN_NAME = re.compile(
    r"\b(?:no|drop|without|remove|get rid of|needless|unneeded|unnecessary|pointless|lose|useless)\b[^.]{0,30}\balias"
    r"|\balias\w*\b[^.]{0,30}\b(?:go|off|away|needless|unneeded|unnecessary|pointless|useless)\b|\bunalias"
    r"|\b(?:under|by|with) (?:its|their) own names?\b"
)
_WHOLE = re.compile(
    r"\b(?:plain|just|simply|only|whole|entire)\b[^.]{0,20}\b(?:import|module)\b|\bmodule itself\b"
    r"|\bimport the module\b|\bqualif"
    r"|\b(?:instead of|rather than|not|no)\b[^.]{0,25}\bfrom\b|\bfrom import|\bfrom-import"
)
_NAMES_OF = re.compile(r"\bfrom [`'\"]?([\w.]+)[`'\"]? import [`'\"]?([^\W\d]\w*(?:, ?[^\W\d]\w*)*)")
_NAMES_FROM = re.compile(r"\bimport [`'\"]?([^\W\d]\w*(?:(?:, ?| and )[^\W\d]\w*)*)[`'\"]? from [`'\"]?([\w.]*\w)")
_TO_TOP = re.compile(r"\b(?:top|module level|global|out of (?:the )?(?:function|method|loop|body)|head of)\b|\bhoist")
_DIRECTLY = re.compile(r"\bdirectly\b|\bby name\b|\bfrom[- ]import|\bthe names?\b|\bunqualified\b")


def rewrites(before: Snippet, instruction: str) -> Iterator[list[str]]:
    """The region after each other way to write one of its imports that the words may ask for."""
    for node in before.nodes:
        if isinstance(node, Import) and code.stands_alone(before, node):
            yield from _aliased(before, node, instruction)
            yield from _in_its_place(before, node, instruction)
            yield from _of_module(before, node, instruction)
            yield from _of_names(before, node, instruction)
            yield from _at_top(before, node, instruction)


def _aliased(before: Snippet, node: Import, instruction: str) -> Iterator[list[str]]:
    """With an alias, another one, or none."""
    words = instruction.lower()
    told = dict.fromkeys([*_AS.findall(instruction), *_FOR.findall(instruction)])
    bare = _PLAIN_NAME.search(words) is not None
    for alias in node.names:
        own = alias.asname or alias.name
        named = _says(instruction, alias.name) or _says(instruction, own)
        if bare and alias.asname and (named or _only_alias(before)):
            yield _respelled(before, node, {own: alias.name}, _put(before, alias, alias.name))
        for new in told if named and not bare and _ALIASING.search(words) else ():
            if new not in (own, alias.name) and fit_name(new) and not _known(before, new):
                yield _respelled(before, node, {own: new}, _put(before, alias, f"{alias.name} as {new}"))


def _in_its_place(before: Snippet, node: Import, instruction: str) -> Iterator[list[str]]:
    """Another module under the name that one is imported by: "ujson as json"."""
    first, last = code.statement_lines(node)
    if first != last or not isinstance(node, ast.Import) or len(node.names) != 1:
        return
    own = node.names[0].asname or node.names[0].name
    told = re.sub(rf"(?<![\w.]){re.escape(own)}(?!\w)", "\0", instruction)
    margin = code.indentation(before.lines[first])
    for module in _BY_NAME.findall(told):
        yield [*before.lines[:first], f"{margin}import {module} as {own}", *before.lines[last + 1 :]]


def _of_module(before: Snippet, node: Import, instruction: str) -> Iterator[list[str]]:
    """`import m` for `from m import a`: where the order of the imports wants it, or in its place."""
    if not isinstance(node, ast.ImportFrom) or node.level or not node.module or node.names[0].name == "*":
        return
    asked = re.search(rf"\bimport [`'\"]?{re.escape(node.module)}\b(?![.\w])", instruction)
    if not asked and not (_WHOLE.search(instruction.lower()) and _says(instruction, node.module)):
        return
    first, last = code.statement_lines(node)
    margin = code.indentation(before.lines[first])
    line = f"{margin}import {node.module}"
    new = {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    lines = _respelled(before, node, new, before.lines)
    if line not in before.lines:
        rest = Snippet((*lines[:first], *lines[last + 1 :]))
        if not margin and rest.tree.body and (ops := put_in(rest, line)):
            yield applied(rest, ops)
        yield [*lines[:first], line, *lines[last + 1 :]]
    else:
        yield without(lines, first, last)


def _of_names(before: Snippet, node: Import, instruction: str) -> Iterator[list[str]]:
    """`from m import a` for `import m`, where that is all that is used of it."""
    if not isinstance(node, ast.Import) or len(node.names) != 1:
        return
    alias = node.names[0]
    own = alias.asname or alias.name
    used = _attributes(before, own)
    pairs = [*_NAMES_OF.findall(instruction), *(one[::-1] for one in _NAMES_FROM.findall(instruction))]
    told = [names for module, names in pairs if module == alias.name]
    asked = [name.strip() for names in told for name in re.split(r",| and ", names)]
    if not asked and _DIRECTLY.search(instruction.lower()) and _says(instruction, own):
        asked = [name for name in used if _says(instruction, name)] or list(used)
    if not asked or set(used) - set(asked) or any(_known(before, name) for name in asked):
        return
    first, last = code.statement_lines(node)
    lines = _respelled(before, node, {f"{own}.{name}": name for name in asked}, before.lines)
    line = f"{code.indentation(lines[first])}from {alias.name} import {', '.join(asked)}"
    yield [*lines[:first], line, *lines[last + 1 :]]


def _at_top(before: Snippet, node: Import, instruction: str) -> Iterator[list[str]]:
    """Of a function's import: among those at the top of the region."""
    first, last = code.statement_lines(node)
    within = any(one.lineno - 1 < first <= (one.end_lineno or 0) - 1 for one in before.functions)
    if not within or first != last or not _TO_TOP.search(instruction.lower()):
        return
    named = any(_says(instruction, part) for part in (getattr(node, "module", None), *_own(node)) if part)
    if not named and "import" not in instruction.lower():
        return
    rest = Snippet(tuple(without(before.lines, first, last)))
    top = [one for one in rest.tree.body if isinstance(one, Import)]
    if top and not before.margin:
        line = before.lines[first].strip()
        end = code.statement_lines(top[-1])[1]
        yield applied(rest, put_in(rest, line) or (Insert(end, (line,)),))


def _own(node: Import) -> list[str]:
    return [alias.asname or alias.name for alias in node.names]


def _says(instruction: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", instruction) is not None


def _only_alias(before: Snippet) -> bool:
    return sum(isinstance(node, ast.alias) and node.asname is not None for node in before.nodes) == 1


def _known(before: Snippet, name: str) -> bool:
    return any(use.name == name for use in uses("\n".join(before.lines)))


def _attributes(before: Snippet, module: str) -> list[str]:
    """What is used of a module, in order; "" where it is used as a whole."""
    text = "\n".join(before.lines)
    root = module.partition(".")[0]
    found = (re.match(rf"{re.escape(module)}\.(\w+)", text[use.start :]) for use in uses(text) if use.name == root)
    names = dict.fromkeys(match[1] for match in found if match)
    loads = sum(isinstance(node, ast.Name) and node.id == root for node in before.nodes)
    whole = loads > sum(isinstance(node, ast.Attribute) and ast.unparse(node.value) == module for node in before.nodes)
    return [*names, ""] if whole else list(names)


def _put(before: Snippet, alias: ast.alias, text: str) -> Sequence[str]:
    """The lines with an imported name written otherwise."""
    start = code.position(before, alias.lineno, alias.col_offset)
    end = code.position(before, alias.end_lineno or alias.lineno, alias.end_col_offset or 0)
    return code.splice(before.lines, start, end, text)


def _respelled(before: Snippet, node: Import, new: dict[str, str], lines: Sequence[str]) -> list[str]:
    """The lines, of which only those of the import differ, with the names that it bound written otherwise."""
    first, last = code.statement_lines(node)
    own, result = "\n".join(lines[first : last + 1]), "\n".join(before.lines)
    start = sum(len(line) + 1 for line in before.lines[:first])
    end = start + sum(len(line) + 1 for line in before.lines[first : last + 1]) - 1
    for use in reversed(list(uses(result))):
        if use.start < end and use.end > start:
            continue
        for old, text in new.items():
            if use.name == old.partition(".")[0] and re.match(rf"{re.escape(old)}(?!\w)", result[use.start :]):
                result = result[: use.start] + text + result[use.start + len(old) :]
                break
    head = sum(len(line) + 1 for line in result.split("\n")[:first])
    size = sum(len(line) + 1 for line in result.split("\n")[first : last + 1]) - 1
    return (result[:head] + own + result[head + size :]).split("\n")
