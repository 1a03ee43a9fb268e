"""Hints put in quotes, where they name what is not there yet, or without them; and what a type checker wants."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from spark_tui.editing.code import Function, end_of, parameters, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.expression_places import all_or_each, places_meant
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_BARE = re.compile(
    r"UP037|\bunquot|\b(?:no|none|without|drop|lose|remove|needs? no|needn't|n't|rid of)\b.{0,30}?\bquot"
    r"|\bquot\w* .{0,40}(?:\bnone\b|\bcan go\b|needless|unnecessary|superfluous|not needed)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\bquot|\bforward(?:[- ]ref| decl)|\bNameError\b|\bF821\b|\bTC00|\bas a string\b|\bstringified\b|\bnot defined\b",
    re.IGNORECASE,
)
_MISSING_KEY = re.compile(r"Missing key [\"'](\w+)[\"'] for TypedDict")
_BARE_GENERIC = re.compile(
    r"[Mm]issing type (?:parameters|arguments) for generic (?:type|class) [\"'](\w+)"
    r"|Expected type arguments for generic class [\"'](\w+)"
)
_PARAMETERS = {
    "dict": ("str, Any", "Any, Any", "str, str"), "Dict": ("str, Any", "Any, Any", "str, str"),
    "Mapping": ("str, Any", "str, str"), "Callable": ("..., Any", "..., None"), "Generator": ("Any, None, None",),
    "tuple": ("Any, ...", "str, ..."), "Tuple": ("Any, ...", "str, ..."), "list": ("Any", "str"),
    "List": ("Any", "str"),
}  # fmt: skip
_ABSTRACT = re.compile(r"\b(iterable|sequence|mapping|collection|iterator)s?\b")
_CONCRETE = frozenset(["list", "tuple", "dict", "set", "iterable", "sequence", "mapping", "collection", "generator"])
_IMPLICIT = re.compile(r"\bimplicit\b|\bRUF013\b|no_implicit_optional|default for argument")
_UNITED = re.compile(r"\|")
_GOT = re.compile(
    r"[Ii]ncompatible return value type \(got [\"']?(?P<got>[^\"']+)[\"']?, expected [\"']?(?P<old>[^\"']+)[\"']?\)"
    r"|[Ii]ncompatible types in assignment \(expression has type [\"'](?P<got2>[^\"']+)[\"'], "
    r"variable has type [\"'](?P<old2>[^\"']+)[\"']\)"
    r"|Argument \S+ to \S+ has incompatible type [\"'](?P<got3>[^\"']+)[\"']; expected [\"'](?P<old3>[^\"']+)[\"']"
)


def quoted_hints(before: Snippet, request: Request) -> Iterator[Ops]:
    """The edits of quotes in hints, where the words speak of them; then what a message of a type checker tells."""
    lines = [*_checked(before, request.instruction)]
    if _BARE.search(request.instruction):
        lines += _unquoted(before, request)
    elif _QUOTED.search(request.instruction):
        lines += _in_quotes(before, request)
    yield from (between(before, one) for one in lines if parses(one))


def _hints(before: Snippet) -> Iterator[tuple[Function | None, ast.expr]]:
    for node in before.nodes:
        if isinstance(node, Function):
            given = [one.annotation for one in parameters(node)] + [node.returns]
            yield from ((node, one) for one in given if one)
        elif isinstance(node, ast.AnnAssign):
            yield None, node.annotation


def _unquoted(before: Snippet, request: Request) -> Iterator[list[str]]:
    found = [(owner, part) for owner, hint in _hints(before) for part in ast.walk(hint) if _is_text(before, part)]
    texts = {id(part): text_of(before, part)[1:-1] for _, part in found if isinstance(part, ast.expr)}
    if _UNITED.search(request.instruction):
        texts = {key: _united(text) for key, text in texts.items()}
    nodes = [part for _, part in found if isinstance(part, ast.expr)]
    for _, group in groupby(found, key=lambda one: id(one[0])):
        yield _spliced(before, [part for _, part in group if isinstance(part, ast.expr)], texts)
    for some in all_or_each(places_meant(before, request, nodes), request.instruction):
        yield _spliced(before, some, texts)


def _is_text(before: Snippet, node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and is_expression(text_of(before, node)[1:-1])


def _united(text: str) -> str:
    """A union written with `|`."""
    node = parse(text, mode="eval").body
    match node:
        case ast.Subscript(value=ast.Name(id="Union") | ast.Attribute(attr="Union"), slice=ast.Tuple(elts=parts)):
            return " | ".join(ast.unparse(one) for one in parts)
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
            return f"{ast.unparse(inner)} | None"
    return text


def _spliced(before: Snippet, nodes: Sequence[ast.expr], texts: dict[int, str]) -> list[str]:
    lines = list(before.lines)
    for node in sorted(nodes, key=lambda one: (one.lineno, one.col_offset), reverse=True):
        lines = splice(lines, start_of(before, node), end_of(before, node), texts[id(node)])
    return lines


def _in_quotes(before: Snippet, request: Request) -> Iterator[list[str]]:
    """Names in hints that are said or that nothing defines above, in quotes; and the hints they are in."""
    said = set(re.findall(r"\w+", request.instruction))
    for _, hint in _hints(before):
        around = said & set(re.findall(r"\w+", before.lines[hint.lineno - 1]))
        names = [one for one in ast.walk(hint) if isinstance(one, ast.Name) and one.id.lstrip("_")[:1].isupper()]
        meant = [one for one in names if one.id in said or (around and not _is_defined(before, one.id))]
        for one in meant:
            yield _spliced(before, [one], {id(one): f'"{one.id}"'})
        source = text_of(before, hint)
        if meant and source and '"' not in source:
            yield _spliced(before, [hint], {id(hint): f'"{source}"'})


def _is_defined(before: Snippet, name: str) -> bool:
    return any(re.search(rf"\bimport\b.*\b{name}\b|\bclass {name}\b|^{name} =", line) for line in before.lines)


def _checked(before: Snippet, instruction: str) -> Iterator[list[str]]:
    """The hint that a type checker holds something against, as what it got, or with None."""
    if match := _MISSING_KEY.search(instruction):
        for node in before.nodes:
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == match[1]:
                hint = node.annotation
                yield _spliced(before, [hint], {id(hint): f"NotRequired[{text_of(before, hint)}]"})
    yield from _parametrized(before, instruction)
    yield from _implicit(before) if _IMPLICIT.search(instruction) else ()
    if match := _GOT.search(instruction):
        got = match["got"] or match["got2"] or match["got3"]
        old = match["old"] or match["old2"] or match["old3"]
        for owner, hint in _hints(before):
            if text_of(before, hint) == old and (not match["got"] or (owner and hint is owner.returns)):
                for text in _accepting(before, old, got):
                    yield _spliced(before, [hint], {id(hint): text})


def _parametrized(before: Snippet, instruction: str) -> Iterator[list[str]]:
    """Hints of bare generic types with their parameters, of concrete ones as an abstract one that is told."""
    bare = _BARE_GENERIC.search(instruction)
    name = next((one for one in bare.groups() if one), "") if bare else ""
    abstract = dict.fromkeys(_ABSTRACT.findall(instruction.lower()))
    for part in (part for _, hint in _hints(before) if name or abstract for part in ast.walk(hint)):
        text = text_of(before, part) if isinstance(part, ast.Name | ast.Attribute) else ""
        last = text.rpartition(".")[2]
        texts = [f"{text}[{inner}]" for inner in _PARAMETERS.get(name, ("Any",))] if name and last == name else []
        texts += [one.title() for one in abstract if last.lower() in _CONCRETE and one != last.lower()]
        for new in texts:
            yield _spliced(before, [part], {id(part): new})  # type: ignore[list-item]  # it has a text


def _implicit(before: Snippet) -> Iterator[list[str]]:
    """The hints of parameters that are None by default with None."""
    for function in before.functions:
        for one, default in zip(function.args.args[::-1], function.args.defaults[::-1], strict=False):
            hint, empty = one.annotation, isinstance(default, ast.Constant) and default.value is None
            if hint and empty and not re.search("None|Optional", source := text_of(before, hint)):
                for text in _accepting(before, source, "None"):
                    yield _spliced(before, [hint], {id(hint): text})


def _accepting(before: Snippet, old: str, got: str) -> list[str]:
    """The types that what was got is of as well."""
    if got == "None" or got.endswith("| None") or got.startswith("Optional["):
        modern = not any("Optional" in line for line in before.lines)
        return [f"{old} | None", f"Optional[{old}]"][:: 1 if modern else -1]
    return [got, f"{old} | {got}"] if is_expression(got) else []
