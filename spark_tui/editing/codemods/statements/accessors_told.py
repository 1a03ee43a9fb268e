"""What a property lacks, and what derives from a class: a setter, a getter, a deleter, a subclass without a body."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, indentation, parameters, statement_lines, text_of
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.said import quoted
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet

_SETTER = re.compile(
    r"\bsetters?\b"
    r"|\b(?:let|make|able to|want to|can(?:'t| ?not)|to)\b.{0,24}\b(?:settable|set|assign\w*|writ(?:e|able))\b"
    r"|\bset attribute\b|\.\w+ = \S",
    re.IGNORECASE,
)
_GETTER = re.compile(r"\bgetters?\b|\bproperty (?:is )?(?:missing|lacking)|\breadable\b", re.IGNORECASE)
_DELETER = re.compile(r"\bdeleter\b", re.IGNORECASE)
_DERIVED = re.compile(
    r"\b(?:sub-?class|derive[ds]?|exception|error|(?:new|another|own) class|next to it)\b", re.IGNORECASE
)
_CLASS = re.compile(r"(?<![\w.])[A-Z]\w*[a-z]\w*(?![\w.]\w)")
_DOC = re.compile(r"\bdoc(?:string|s)?\b(?: is| says| saying|:)* ?(?P<text>[A-Z][^`\"']{8,})$")
_TAKES = re.compile(r"\b(?:val|value|new_value|v)\b")


def accessors_told(before: Snippet, words: str) -> Iterator[Ops]:
    """The setter, getter or deleter of each property that may be meant."""
    if _SETTER.search(words):
        for function in _with_decorator(before, "property"):
            if target := _returned(before, function):
                yield from _set(before, function, target, words)
    if _GETTER.search(words):
        for function in _with_decorator(before, "setter"):
            yield from _get(before, function)
    if _DELETER.search(words):
        for function in (*_with_decorator(before, "setter"), *_with_decorator(before, "property")):
            if target := _returned(before, function) or _kept(before, function):
                body = [f"@{function.name}.deleter", f"def {function.name}(self):", f"\tdel {target}"]
                yield _behind(before, function, body)


def subclasses_told(before: Snippet, words: str) -> Iterator[Ops]:
    """A class below that derives from one of the region, with a docstring or nothing in it."""
    classes = [one for one in before.tree.body if isinstance(one, ast.ClassDef)]
    if not classes or not _DERIVED.search(words):
        return
    own = {one.name for one in classes}
    bare = words
    for text in quoted(words):
        bare = bare.replace(text, " ") if " " in text else bare
    told = [one for one in dict.fromkeys(_CLASS.findall(bare)) if one not in own and re.search(r"[a-z][A-Z]", one)]
    docs = [text for text in quoted(words) if " " in text]
    docs += [match["text"].strip() for match in [_DOC.search(words)] if match]
    named = [one for one in classes if one.name in words] or classes[-1:]
    for name in told[:2]:
        for base in named[:2]:
            body = [f'"""{one if one.endswith(".") else one + "."}"""' for one in docs[:1]] or ["pass"]
            first, last = statement_lines(classes[-1])
            indent, unit = indentation(before.lines[first]), before.layout.unit
            lines = ["", "", f"{indent}class {name}({base.name}):", *(f"{indent}{unit}{one}" for one in body)]
            yield (Insert(last, tuple(lines)),)


def _with_decorator(before: Snippet, name: str) -> Iterator[Function]:
    """The functions that have one, and no setter of the same name beside them where it is `property`."""
    done = [function.name for function in before.functions]
    for function in before.functions:
        names = [
            one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in function.decorator_list
        ]
        meant = any(one == name or (name == "property" and one.endswith("property")) for one in names)
        if meant and done.count(function.name) == 1:
            yield function


def _returned(before: Snippet, function: Function) -> str:
    """The attribute of the object that a property gives back, or is named after, as source."""
    found = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
    for value in found[-1:]:
        for node in ast.walk(value):
            if isinstance(node, ast.Attribute) and (source := text_of(before, node)).startswith("self."):
                whole = node is value
                return source if whole or re.fullmatch(rf"self\._*{function.name}", source) else ""
    return ""


def _kept(before: Snippet, function: Function) -> str:
    """The attribute that a setter sets."""
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            return text_of(before, node)
    return ""


def _set(before: Snippet, function: Function, target: str, words: str) -> Iterator[Ops]:
    hint = text_of(before, function.returns) if function.returns else ""
    name = next(iter(_TAKES.findall(words)), "value")
    taken, returns = (f"{name}: {hint}", " -> None") if hint else (name, "")
    body = [f"@{function.name}.setter", f"def {function.name}(self, {taken}){returns}:", f"\t{target} = {name}"]
    yield _behind(before, function, body)


def _get(before: Snippet, function: Function) -> Iterator[Ops]:
    """The property above its setter."""
    given = parameters(function)[1:2]
    if not (target := _kept(before, function)) or not given:
        return
    hint = text_of(before, given[0].annotation) if given[0].annotation else ""
    first, _ = statement_lines(function)
    indent, unit = indentation(before.lines[first]), before.layout.unit
    returns = f" -> {hint}" if hint else ""
    lines = ["@property", f"def {function.name}(self){returns}:", f"{unit}return {target}"]
    yield (Insert(first - 1, (*(indent + one for one in lines), "")),)


def _behind(before: Snippet, function: Function, body: list[str]) -> Ops:
    """The method behind another one; a tab stands for one level."""
    first, last = statement_lines(function)
    indent, unit = indentation(before.lines[first]), before.layout.unit
    rest = before.lines[last + 1 : last + 2]
    lines = [indent + one.replace("\t", unit) for one in body]
    return (Insert(last, ("", *lines, *([""] if rest and rest[0].strip() else []))),)
