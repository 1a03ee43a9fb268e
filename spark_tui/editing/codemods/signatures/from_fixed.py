"""A parameter in place of what is fixed in the body: "width as a parameter, default 13" where the body says 13."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing import code
from spark_tui.editing.code import Function, text_of
from spark_tui.editing.codemods.base import parses
from spark_tui.editing.codemods.hints.typing_words import type_of
from spark_tui.editing.codemods.signatures.longer_signature import is_hinted, with_parameter
from spark_tui.editing.codemods.signatures.parameter_words import name_of, parameters_said
from spark_tui.editing.numbers import SIGNED, number
from spark_tui.editing.signatures import parameter_source
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings, spliced

_ASKED = re.compile(
    r"\b(?:param\w*|arg(?:ument)?s?|kw(?:arg)?s?|keyword|ctor|constructor|callers?|flag|option|let|pass\w*|takes?|accepts?"
    r"|allow\w*|configur\w+|hard-?coded|overrid\w+|choose|pick|adjustable|settable)\b",
    re.IGNORECASE,
)
_SPELLED, _TO_BE_USED = (
    re.compile(r"\w: ?\w[\w\[\], |.]* ?= ?\S"),
    re.compile(r"\b(?:us\w+|instead|rather|hard-?coded)\b"),
)
_OF_OBJECT = re.compile(r"\b(?:ctor|constructor|__init__|init|instance|constructing|creat(?:e|ing))\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d]\w*")
_STOP = frozenset("""
a an the to of in on at as by for with and or is it be its not this that should must i we you whose has have had too
please no so if can could would which make makes made let lets give given take takes accept pass passed add let's want
need new extra also just my own me people callers caller user users param params parameter parameters arg args argument
arguments kwarg kwargs keyword ctor constructor flag option optional default defaults current value same one only keep
stay stays into here there from them when where instead configurable hardcoded hard coded fixed magic number literal
constant string text called named choose pick set get function method class
""".split())  # fmt: skip  # noqa: SIM905 - one word a line would be longer
_TRUE, _FALSE = re.compile(r"\b(?:true|on|yes)\b", re.IGNORECASE), re.compile(r"\b(?:false|off)\b", re.IGNORECASE)
_NUMBER = re.compile(rf"(?<![\w.]){SIGNED}")
_MOST_NAMES, _MOST_GROUPS = 3, 2


@dataclass(frozen=True, slots=True)
class _Fixed:
    """A value that stands in a body; `label`: what it is given to."""

    node: ast.expr
    source: str
    label: str


def from_fixed(before: Snippet, function: Function, instruction: str) -> Iterator[list[str]]:
    """The region with a parameter more, and that for each value that may be meant."""
    if not _ASKED.search(instruction) or (_SPELLED.search(instruction) and not _TO_BE_USED.search(instruction)):
        return
    values = list(_values(before, function))
    groups = _groups(values, instruction)[:_MOST_GROUPS]
    taken = frozenset(one.arg for one in code.parameters(function))
    yield from _overriding(before, function, taken, instruction)
    contents = {one.source.strip("'\"") for one in values}
    told = [one for one in _names(instruction, taken | contents) if one != function.name] if groups else []
    for group in groups:
        labels = [one.label.strip("_") for one in group[:1] if one.label and _is_said(instruction, one.label)]
        for name in list(dict.fromkeys([*labels, *told]))[:_MOST_NAMES]:
            if name.isidentifier() and name not in taken and name != group[0].source.strip("'\""):
                yield from _made(before, function, name, group, instruction)


def _overriding(before: Snippet, function: Function, taken: frozenset[str], instruction: str) -> Iterator[list[str]]:
    """With a parameter that wins over what is computed for an attribute or a name of the same name."""
    for statement in code.body_after_docstring(function):
        match statement:
            case (
                ast.Assign(targets=[ast.Attribute(attr=label) | ast.Name(id=label)], value=value)
                | ast.AnnAssign(target=ast.Attribute(attr=label) | ast.Name(id=label), value=ast.expr() as value)
            ):
                name, source = label.strip("_"), text_of(before, value)
                fixed = isinstance(value, ast.Constant | ast.Name) or not source
                if (
                    fixed
                    or name in taken
                    or not _is_said(instruction, name)
                    or not code.stands_alone(before, statement)
                ):
                    continue
                for text in (f"{source} if {name} is None else {name}", f"{name} or {source}"):
                    body = Snippet(tuple(spliced(before, [(value, text)])))
                    yield from with_parameter(body, function, f"{name}=None", instruction)
                if isinstance(statement, ast.Assign) and label == name and isinstance(statement.targets[0], ast.Name):
                    first, last = code.statement_lines(statement)
                    indent, unit = code.indentation(before.lines[first]), before.layout.unit
                    inner = [f"{indent}if {name} is None:", *(unit + line for line in before.lines[first : last + 1])]
                    body = Snippet((*before.lines[:first], *inner, *before.lines[last + 1 :]))
                    yield from with_parameter(body, function, f"{name}=None", instruction)


def _made(
    before: Snippet, function: Function, name: str, group: Sequence[_Fixed], instruction: str
) -> Iterator[list[str]]:
    body = Snippet(tuple(spliced(before, [(one.node, name) for one in group])))
    hint = _hint(group[0].node) if is_hinted(function) else ""
    for type_ in dict.fromkeys((hint, "")):
        source = parameter_source(name, type_, group[0].source)
        for after in with_parameter(body, function, source, instruction):
            if parses(after):
                yield after


def _hint(node: ast.expr) -> str:
    return "int" if (dotted(node) or "").startswith("logging.") else type_of(node)


def _values(before: Snippet, function: Function) -> Iterator[_Fixed]:
    """The literals and constants of a body."""
    for statement in code.body_after_docstring(function):
        labels = dict(_labels(statement))
        for node in outside_fstrings(statement):
            constant = isinstance(node, ast.Constant) and node.value is not Ellipsis
            named = isinstance(node, ast.Name | ast.Attribute) and (dotted(node) or "").rpartition(".")[2][:1].isupper()
            negative = isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
            if isinstance(node, ast.expr) and (constant or named or negative) and (source := text_of(before, node)):
                yield _Fixed(node, source, labels.get(id(node), ""))


def _labels(statement: ast.stmt) -> Iterator[tuple[int, str]]:
    """What values are given to: arguments by name, attributes and names."""
    for node in ast.walk(statement):
        match node:
            case ast.keyword(arg=str() as name, value=value):
                yield id(value), name
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=value):
                yield id(value), name
            case ast.AnnAssign(target=ast.Attribute(attr=name), value=ast.expr() as value):
                yield id(value), name


def _groups(values: Sequence[_Fixed], instruction: str) -> list[list[_Fixed]]:
    """The values that are meant, all that are the same at once; those that are told twice first."""
    scored: dict[tuple[str, str], tuple[int, list[_Fixed]]] = {}
    for one in values:
        labelled = bool(one.label) and _is_said(instruction, one.label)
        told = _is_told(one, instruction)
        score = 2 * labelled + told
        if labelled or (told and (not _is_plain(one.node) or re.search(rf"= ?{re.escape(one.source)}\b", instruction))):
            same = scored.setdefault((one.source, one.label if labelled else ""), (score, []))
            same[1].append(one)
    ordered = sorted(scored.values(), key=lambda pair: -pair[0])
    return [group for _, group in ordered]


def _is_plain(node: ast.expr) -> bool:
    """Whether a value is one that stands everywhere."""
    return isinstance(node, ast.Constant) and (node.value is None or node.value == "" or isinstance(node.value, bool))


def _is_told(one: _Fixed, instruction: str) -> bool:
    """Whether the words tell the value itself."""
    match one.node:
        case ast.Constant(value=bool() as value):
            return (_TRUE if value else _FALSE).search(instruction) is not None
        case ast.Constant(value=int() | float() as value):
            return any(number(text) == value for text in _NUMBER.findall(instruction))
        case ast.Constant(value=str() as value):
            wanted = {" ": "space", "": "empty", "\n": "newline", "\t": "tab"}.get(value, value)
            return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", instruction) is not None
    return re.search(rf"(?<![\w.]){re.escape(one.source)}(?!\w)", instruction) is not None


def _is_said(instruction: str, label: str) -> bool:
    """Whether a name is said, be it in several words."""
    parts = r"[ _-]".join(map(re.escape, label.strip("_").split("_")))
    return re.search(rf"(?<!\w)_?{parts}(?!\w)", instruction, re.IGNORECASE) is not None


def _names(instruction: str, taken: frozenset[str]) -> list[str]:
    """The names that words may give: those that look like one; else words one after the other, joined, and the last."""
    told = list(dict.fromkeys(name_of(one) for one in parameters_said(instruction, taken)))
    sure = [
        one
        for one in told
        if "_" in one or re.search(rf"[`'\"]{re.escape(one)}\b", instruction) or f"{one}=" in instruction
    ]
    if sure:
        return sure
    joined: list[str] = []
    run: list[str] = []
    for word in [*re.findall(r"[^\W\d]\w*|\S", instruction), "."]:
        if _WORD.fullmatch(word) and word.lower() not in _STOP and word.islower():
            run.append(word)
        elif run:
            joined += ["_".join(run[-3:]), *(["_".join(run[-2:])] if len(run) > 2 else []), run[-1]]
            run = []
    return list(dict.fromkeys([*(one for one in joined if "_" in one and one.count("_") < 2), *joined, *told]))
