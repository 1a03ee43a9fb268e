"""Values that get a name told in full: `n = f(x)`, "a local limit for the 4s", a message first, what is unpacked."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import MAX_WIDTH, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, outside_fstrings, places, spliced
from spark_tui.editing.told import names_used, says

_TOLD = re.compile(r"(?<![\w.\])])(?P<name>[^\W\d]\w*) = (?P<value>[^\s=].*)")
_LOCAL = re.compile(r"(?i)\b(?:local|const(?:ant)?|magic|literal|bare|hard-?coded|numbers?|PLR2004|a name|variable)\b")
_NAMES = re.compile(
    r"\blocal (?:(?:called|named|variable|constant) )?[`'\"]?(\w*_\w+|[^\W\d]\w*)"
    r"|\b(\w*_\w+) (?:constant|local|variable)|\b(?:called|named|call (?:it|them|that)|in|as|into) [`'\"]?([A-Za-z]\w*)"
)
_NO_NAMES = frozenset("the a an it that this for of in to variable name constant local place front as with and".split())  # noqa: SIM905
_MESSAGE = re.compile(
    r"\b(?:TRY003|EM10[1-3])\b|\b(?:[Mm]essage|text|string)\b.{0,40}\b(?:first|own|variable|local|before|separate)"
)
_UNPACK = re.compile(r"(?i)\bunpack\w*\b.*?\b(?:to|into|as)\b [`'\"]?(?P<target>\(?\*?[a-z_]\w*(?:, ?\*?\w+)*,?\)?)")
_KEEP = re.compile(
    r"\b(?:keep|kept|store|stored|put|save|saved|hold|remember)(?: it| that| this| the (?:result|value))?"
    r" (?:in|as|under) (?:an? )?(?:local |variable )*[`'\"]?(?P<name>[^\W\d]\w*)"
)
_MOST = 6


def names_given(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after a value got the name that is told for it, on a line above the first statement that has it."""
    words, taken = request.instruction, names_used(before)
    for name, value in _assignments(words):
        if name not in taken:
            yield from _named(before, request, value, name)
    if kept := _KEEP.search(words):
        calls = {text_of(before, one) for one in outside_fstrings(before.tree) if isinstance(one, ast.Call)}
        for value in (one for one in sorted(calls, key=len) if one and says(words, one)):
            yield from _named(before, request, value, kept["name"])
    if _LOCAL.search(words):
        names = [next(filter(None, one)) for one in _NAMES.findall(words)]
        names = [one for one in names if one not in taken and one.lower() not in _NO_NAMES]
        for name in sorted(dict.fromkeys(names), key=lambda one: "_" not in one)[:2]:
            for value in _constants(before, words):
                yield from _named(before, request, value, name)
    yield from _messages(before, request)
    yield from _unpacked(before, request)


def _assignments(words: str) -> Iterator[tuple[str, str]]:
    """The names and values of the assignments told, the value cut at where prose may follow."""
    for match in _TOLD.finditer(words):
        value = match["value"].strip("`")
        ends = [
            len(value),
            *(
                one.start()
                for one in re.finditer(r"`|[,;.]? (?:and|on|in|above|first|before|at)\b|[,;] |[.,;!?]$", value)
            ),
        ]
        yield from ((match["name"], value[:end]) for end in sorted(ends, reverse=True))


def _constants(before: Snippet, words: str) -> list[str]:
    """The constants that are told, else all where there are few."""
    found: dict[str, None] = {}
    for node in outside_fstrings(before.tree):
        if isinstance(node, ast.Constant) and not isinstance(node.value, bool | None) and len(str(node.value)) < 30:
            found[text_of(before, node)] = None
    found.pop("", None)
    told = [one for one in found if re.search(rf"(?<![\w.]){re.escape(one)}s?(?![\w.]*\w)", words)]
    return told or (list(found) if len(found) <= _MOST else [])


def _nodes(before: Snippet, source: str, request: Request) -> list[ast.expr]:
    first, last = request.selected or (0, len(before.lines))
    found = [
        node
        for node in outside_fstrings(before.tree)
        if isinstance(node, ast.expr) and first <= node.lineno - 1 <= last and text_of(before, node) == source
        if isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    ]
    return sorted(found, key=lambda one: (one.lineno, one.col_offset))


def _named(before: Snippet, request: Request, source: str, name: str) -> Iterator[list[str]]:
    """All places with the value in one block together, and each alone, under the name."""
    nodes = _nodes(before, source, request)[:_MOST]
    groups = [nodes, *([one] for one in nodes if len(nodes) > 1)] if nodes else []
    for group in groups:
        for place in _above(before, group):
            lines = _with(before, place, group, source, name)
            if lines:
                yield lines


def _above(before: Snippet, nodes: Sequence[ast.expr]) -> list[Place]:
    """The statements above which a name may be bound for values in one function: the innermost, and the outermost."""
    top, bottom = min(one.lineno for one in nodes) - 1, max(one.end_lineno or one.lineno for one in nodes) - 1
    every = places(before)
    inside = [one for one in every if one.first <= top <= one.last]
    around = [one for one in inside if one.last >= bottom and not isinstance(one.node, ast.ClassDef)]
    if not around:
        return []
    function = inside[-1].function
    own = [one for one in inside if one.function is function and function is not None]
    held = [one for one in own if any(one.block is getattr(outer.node, "body", None) for outer in around)]
    spots = [*held[-1:], *held[:1]] if held else [one for one in around if one.function is function][-1:]
    return list(
        {
            id(one.node): one for one in spots if not isinstance(one.node, ast.FunctionDef | ast.AsyncFunctionDef)
        }.values()
    )


def _with(before: Snippet, place: Place, nodes: Sequence[ast.expr], source: str, name: str) -> list[str] | None:
    lines = spliced(before, [(node, name) for node in nodes])
    new = f"{place.indent}{name} = {source}"
    changed = [lines[node.lineno - 1] for node in nodes]
    if max(map(len, [*changed, new])) > max(MAX_WIDTH, *map(len, before.lines)):
        return None
    return [*lines[: place.first], new, *lines[place.first :]]


def _messages(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The texts of errors in a variable above their raise."""
    if not _MESSAGE.search(request.instruction):
        return
    told = re.findall(r"`(\w+)`|\b(msg|message|err_msg|error_msg|error|reason|detail)\b", request.instruction)
    known = names_used(before)
    names = [
        *(one for one, _ in told if one and one not in known),
        "msg",
        *(one for _, one in told if one not in known),
    ]
    first, last = request.selected or (0, len(before.lines))
    for place in places(before):
        match place.node:
            case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str()) | ast.JoinedStr() as text, *_])):
                lines = before.lines[text.lineno - 1 : text.end_lineno]
                if first <= place.first <= last and len(lines) == 1:
                    source = text_of(before, text)
                    for name in list(dict.fromkeys(filter(None, names)))[:2]:
                        if made := _with(before, place, [text], source, name):
                            yield made


def _unpacked(before: Snippet, request: Request) -> Iterator[list[str]]:
    """`x[0]` by a name that `x` is unpacked to above."""
    told = _UNPACK.search(request.instruction)
    if not told:
        return
    target = told["target"].rstrip(",") if not told["target"].startswith("(") else told["target"]
    names = re.findall(r"\*?\w+", target)
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Subscript(value=value, slice=ast.Constant(value=int() as at), ctx=ast.Load()) if at < len(names):
                owner = text_of(before, value)
                spots = _above(before, [node]) if owner and not names[at].startswith("*") else []
                for place in spots[:1]:
                    lines = spliced(before, [(node, names[at])])
                    yield [*lines[: place.first], f"{place.indent}{target} = {owner}", *lines[place.first :]]
