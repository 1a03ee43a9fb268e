"""The value that an error complains of put into its message: `"too few"` becomes `"too few, got {count!r}"`.

What the words name is shown, else what the condition around the message tests, or the exception that is handled.
"""

import ast
import builtins
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.bugs.wraps_told import modules_of
from spark_tui.editing.codemods.common.expression_places import spoken_of
from spark_tui.editing.codemods.common.values_told import paths_of
from spark_tui.editing.codemods.texts.texts import Text, meant, texts, with_contents
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_ASKED = re.compile(
    r"\b(?:show|say|tell|put|includ|add|mention|nam(?:e|ing)|report|print|which|what|who|with|contain|give|giving|help|state"
    r"|see|know|list|had|got|there|actual|offending|bad|value)\w*\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:messages?|errors?|exceptions?|raises?|raised|complain\w*|asserts?|texts?|msg)\b|Error\b", re.IGNORECASE
)
_CAUGHT = re.compile(r"\b(?:caught|original|underlying|inner|cause|the exception|exception's|reason)\b", re.IGNORECASE)
_LENGTH = re.compile(r"\b(?:lengths?|how (?:many|long|much|big)|number of|count|size)\b", re.IGNORECASE)
_TYPE = re.compile(r"\btypes?\b", re.IGNORECASE)
_REQUIRED = re.compile(r"\b(?:must|should|has to|have to|expect\w*|only|at least|at most|needs?|requires?|can't)\b")
_PLACED = re.compile(r"\b(in|for|at|of|on|from) (?:which|what)\b")
_TOLD = re.compile(r"\b(not|got|was|for|in|at) [{<]?(?:\w+|-?\d+)[}>]?['\"`.]*$|[`'\"][^`'\"]*\((got|was|is)\b")
_TAGS = frozenset({"raise", "assert", "msg", "message", "error", "reason"})
_METHOD = re.compile(r"(?:X|<?\w+>?) (must|should|needs to|has to|does not|doesn't) (\w+)|\b(lacks?|misses|forgot)\b")
_MOST_VALUES, _MOST_TEXTS = 2, 2


def values_added(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after each message that may be meant shows each value that may be, in the usual ways."""
    words = request.instruction
    if not _ASKED.search(words) or not (_ABOUT.search(words) or request.selected):
        return
    yield from _unfinished(before, request)
    found = [one for one in texts(before) if one.tags & _TAGS and not re.search(r"%[srd(]|\{\d*\}", one.content)]
    groups = [group[-1] for group in meant([one for one in found if one.last], request) if len(group) == 1]
    said = set(re.findall(r"[a-z]{3,}", words.lower()))
    groups.sort(key=lambda one: -len(said & set(re.findall(r"[a-z]{3,}", one.content.lower()))))
    for one in groups[:_MOST_TEXTS]:
        for value in _values(before, words, one.row)[:_MOST_VALUES]:
            if f"{{{value}" in one.content:
                continue
            for content in _contents(one, value, words, before.lines[one.row - (not one.first)]):
                lines = with_contents(before, [(one, content)])
                if len(lines[one.row]) <= max(MAX_WIDTH + 20, len(before.lines[one.row])):
                    yield lines


def _contents(one: Text, value: str, words: str, around: str) -> Iterator[str]:
    """A text with a value at its end, the form that is told or that suits the text first."""
    text = one.content.rstrip().rstrip(":!")
    stop = "." if text.endswith(".") and text.count(". ") == 0 else ""
    text = text.removesuffix(".")
    shown = f"{{{value}}}" if value.endswith(("__name__", ")")) else f"{{{value}!r}}"
    plain = f"{{{value}}}"
    noun = _noun(value, words)
    forms = [f": {shown}", f": {plain}", f" ({plain})", f" ({noun} {plain})" if noun else f", got {shown}"]
    told, placed = _TOLD.search(words), _PLACED.search(words)
    if placed:
        forms = [f" {placed[1]} {shown}", f" {placed[1]} {plain}", *forms]
    elif told or _REQUIRED.search(around):
        word = (told and (told[1] or told[2])) or "got"
        comma = "," if word in ("got", "not", "was") else ""
        other = f"{comma} {word} {noun} {shown}" if noun else f" (got {shown})"
        forms = [f"{comma} {word} {shown}", f"{comma} {word} {plain}", f", not {shown}", other, forms[0]]
    if not one.formatted:
        text = text.replace("{", "{{").replace("}", "}}")
    yield from (f"{text}{form}{end}" for form in dict.fromkeys(forms[:5]) for end in dict.fromkeys([stop, ""]))


def _noun(value: str, words: str) -> str:
    """The word of an instruction that a value is called by: `limit` for `RATE_LIMIT`."""
    parts = re.findall(r"[a-z]+", value.lower()) if re.fullmatch(r"[\w.]+", value) else []
    return next((one for one in reversed(parts) if len(one) > 2 and re.search(rf"\b{one}\b", words)), "")


def _values(before: Snippet, words: str, row: int) -> list[str]:
    """What may be shown, the likeliest first."""
    if _CAUGHT.search(words) and (caught := _caught(before, row)):
        return [caught]
    tested = _tested(before, row)
    known = paths_of(before)
    said = [
        path
        for name, path in known.items()
        if re.search(rf"(?<![\w.'\"]){re.escape(name)}(?![\w(])", words) and len(name) > 1 and _is_value(before, path)
    ]
    spoken = [one for one in [*tested, *_parameters(before, row)] if spoken_of(words, one.rpartition(".")[2])]
    found = list(dict.fromkeys([*said, *spoken, *tested, *_parameters(before, row)[:1]]))
    if _TYPE.search(words):
        return [f"type({one}).__name__" for one in found]
    if _LENGTH.search(words) and found and not said:
        return [f"len({found[0]})", *found]
    return found


def _is_value(before: Snippet, path: str) -> bool:
    called = {dotted(node.func) for node in before.nodes if isinstance(node, ast.Call)}
    return (
        path not in called
        and not hasattr(builtins, path)
        and path.partition(".")[0] not in modules_of(before)
        and not re.search(r"(?:^|[._])log(?:ger|ging)?$|(?:^|\.)[A-Z]\w*[a-z]\w*$", path)
    )


def _caught(before: Snippet, row: int) -> str:
    for node in before.nodes:
        if isinstance(node, ast.ExceptHandler) and node.name and node.lineno - 1 <= row < (node.end_lineno or 0):
            return node.name
    return ""


def _tested(before: Snippet, row: int) -> list[str]:
    """The names and paths that the innermost condition around a line, or the assert on it, tests."""
    around = [
        node
        for node in before.nodes
        if isinstance(node, ast.If | ast.Assert) and node.lineno - 1 <= row < (node.end_lineno or 0)
    ]
    found: list[str] = []
    for one in sorted(around, key=lambda node: -node.lineno)[:1]:
        inside = {id(part) for node in ast.walk(one.test) for part in ast.iter_child_nodes(node) if _holds(node, part)}
        own = [node for node in ast.walk(one.test) if isinstance(node, ast.Name | ast.Attribute)]
        found += [path for node in own if id(node) not in inside and (path := dotted(node))]
    return [one for one in dict.fromkeys(found) if one not in ("self", "cls") and _is_value(before, one)]


def _holds(node: ast.AST, part: ast.AST) -> bool:
    """Whether a part of an expression is no value of its own: the owner of an attribute, what is called."""
    return isinstance(node, ast.Attribute) or (isinstance(node, ast.Call) and node.func is part)


def _parameters(before: Snippet, row: int) -> list[str]:
    around = [one for one in before.functions if one.lineno - 1 <= row < (one.end_lineno or 0)]
    own = [one.arg for function in around[-1:] for one in function.args.args]
    return [one for one in own if one not in ("self", "cls")]


def _unfinished(before: Snippet, request: Request) -> Iterator[list[str]]:
    """A `NotImplementedError` without a text that tells which class lacks the method around it."""
    words, own = request.instruction, "{type(self).__name__}"
    if not re.search(r"\bclass\b|\bX\b|\btype's name\b|<\w+>", words):
        return
    for node in before.nodes:
        if not (isinstance(node, ast.Raise) and node.exc):
            continue
        name = text_of(before, node.exc).removesuffix("()")
        method = _method(before, node.lineno - 1)
        if name == "NotImplementedError" and method:
            match = _METHOD.search(words)
            verb = f"{match[1]} {match[2]}" if match and match[1] else "lacks" if match and match[3] == "lacks" else ""
            for each in dict.fromkeys(filter(None, [verb, "must implement", "does not implement"])):
                text = f'{name}(f"{own} {each} {method}")'
                yield splice(before.lines, start_of(before, node.exc), end_of(before, node.exc), text)


def _method(before: Snippet, row: int) -> str:
    around = [one for one in before.functions if one.lineno - 1 <= row < (one.end_lineno or 0)]
    return next((one.name for one in around[-1:] if [arg.arg for arg in one.args.args[:1]] == ["self"]), "")
