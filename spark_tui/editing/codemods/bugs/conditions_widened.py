"""Conditions that words put in the place of others, or that they widen: one value more, None too, what is empty too."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.bugs.mistaken import Slip
from spark_tui.editing.codemods.checks.conditions_told import conditions, named_values
from spark_tui.editing.codemods.common.negation import AND, OR, enclosed
from spark_tui.editing.codemods.common.said import is_expression, literal, values
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, quote

_PATH = r"[^\W\d]\w*(?:\.\w+)*"
_VALUE = rf"{SIGNED}|\"[^\"]*\"|'[^']*'|None|True|False|[A-Z][A-Z_]+\b"
_COMPOUND = re.compile(
    rf"(?<![\w.])(?P<path>{_PATH}) (?:is )?(?P<one>==|!=|<=|>=|<|>|is) (?P<first>{_VALUE})"
    rf",? (?P<joint>or|and) (?:is )?(?P<two>(?:==|!=|<=|>=|<|>) ?)?(?P<second>{_VALUE})"
)
_MORE = re.compile(
    r"\b(?:too|also|as well|same|or|either|both|likewise|like|and|another|additionally|plus)\b", re.IGNORECASE
)
_STATES = (
    (re.compile(r"\b(?:none|null|missing)\b", re.IGNORECASE), "{} is None", "{} is not None"),
    (re.compile(r"\b(?:empty|blank)\b|(?<!\w)(?:\"\"|'')", re.IGNORECASE), "not {}", "{}"),
    (re.compile(r"\bnegative\b"), "{} < 0", "{} >= 0"),
    (re.compile(r"\bzeros?\b"), "{} == 0", "{} != 0"),
)
_BEGINS = re.compile(
    r"\b(?P<how>start|begin|end|contain)(?:s|ning|ing)?(?: with| in)? (?:an? |the )?"
    r"(?P<text>\"[^\"]+\"|'[^']+'|`[^`]+`|\S*[^\w\s.,;:!?)'\"`]\S*)"
)
_TYPES = re.compile(
    r"\b(str|bytes|int|float|list|tuple|dict|set|frozenset|bool|complex|bytearray|string|integer|byte)s?\b"
)
_LONG = {"string": "str", "integer": "int", "byte": "bytes"}
_MOST = 3


def replaced_tests(before: Snippet, node: ast.expr, told: Sequence[tuple[str, str]]) -> Iterator[Slip]:
    """A condition that looks at a value replaced by one told of it. Args: told: see `told_wholes`."""
    start, end, old = start_of(before, node), end_of(before, node), text_of(before, node)
    for text, path in told:
        if text != old and path in _paths(node):
            yield Slip(start, end, text, (text, path, path.rpartition(".")[2], *re.findall(r"[-\w.]+", text)))


def widened_tests(before: Snippet, node: ast.expr, instruction: str) -> Iterator[Slip]:
    """A condition with one value or type more, and with a state of its own value that the words tell."""
    start, end = start_of(before, node), end_of(before, node)
    more = bool(_MORE.search(instruction))
    for part in (one for one in ast.walk(node) if isinstance(one, ast.expr) and more):
        for text in _with_more(before, part, instruction):
            yield Slip(start_of(before, part), end_of(before, part), text, tuple(re.findall(r"[-\w]+", text)))
    subject = _subject(node)
    if not text_of(before, node) or not subject:
        return
    for one, other, word in _states(before, subject, instruction):
        own, strong = enclosed(before, node, OR), enclosed(before, node, AND)
        for text in (f"{own} or {one}", f"{one} or {own}", f"{strong} and {other}", f"{other} and {strong}"):
            yield Slip(start, end, text, (word, subject, f"{subject}s"))


def _states(before: Snippet, subject: str, instruction: str) -> Iterator[tuple[str, str, str]]:
    """The tests of a value that the words tell without its name, each with its opposite and the word that tells it."""
    for match in _BEGINS.finditer(instruction):
        word = match["text"].strip("'\"`")
        value, how = literal(word, quote(before, "")[0]), match["how"].lower()
        begins = f"{subject}.{'ends' if how == 'end' else 'starts'}with({value})"
        contains = how == "contain"
        one, other = (f"{value} in {subject}", f"{value} not in {subject}") if contains else (begins, f"not {begins}")
        yield one, other, word
    for states, test, opposite in _STATES:
        if told := states.search(instruction):
            yield test.format(subject), opposite.format(subject), told[0]


def told_wholes(before: Snippet, instruction: str) -> list[tuple[str, str]]:
    """The conditions told, with the values that they are about; those of two values of one thing first."""
    names = named_values(before)
    found: list[tuple[str, str]] = []
    for match in _COMPOUND.finditer(instruction):
        if path := names.get(match["path"]):
            first, second = match["first"], match["second"]
            one = "==" if match["one"] == "is" else match["one"]
            two = (match["two"] or "").strip() or ("==" if match["joint"] == "or" or one == "==" else one)
            if {one, two} == {"=="}:
                found.append((f"{path} in ({first}, {second})", path))
            found.append((f"{path} {one} {first} {match['joint']} {path} {two} {second}", path))
    told = conditions(before, instruction)
    return (found + [(one.source, one.path) for one in told])[:_MOST]


def _paths(node: ast.expr) -> set[str]:
    return {path for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute) and (path := dotted(part))}


def _subject(node: ast.expr) -> str:
    """The value that a plain condition looks at."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _subject(inner)
        case ast.Call(func=ast.Name(id="isinstance" | "len" | "callable" | "hasattr"), args=[inner, *_]):
            return dotted(inner) or ""
        case ast.Call(func=ast.Attribute(value=inner)) | ast.Compare(left=inner):
            return _subject(inner)
        case ast.Name() | ast.Attribute():
            return dotted(node) or ""
    return ""


def _with_more(before: Snippet, node: ast.AST, instruction: str) -> Iterator[str]:
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[ast.Constant() as right]):
            for value in _fresh(values(instruction, quote(before, "")[0])):
                word = "in" if isinstance(op, ast.Eq) else "not in"
                one, two = text_of(before, left), text_of(before, right)
                if one and two and value != two and _alike(value, two):
                    yield f"{one} {word} ({two}, {value})"
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, kinds]):
            told = list(dict.fromkeys(_LONG.get(one, one) for one in _TYPES.findall(instruction)))
            known = text_of(before, kinds)
            fresh = [one for one in told if one not in re.findall(r"\w+", known)]
            one = text_of(before, subject)
            if fresh and known and one:
                yield f"isinstance({one}, ({known.strip('()').rstrip(', ')}, {', '.join(fresh)}))"


def _fresh(told: Sequence[str]) -> list[str]:
    return [one for one in told if one not in ("None", "True", "False") and is_expression(one)][:_MOST]


def _alike(one: str, other: str) -> bool:
    """Whether two literals are of one sort."""
    return (one[:1] in "'\"") == (other[:1] in "'\"") and (one[:1].isalpha() is other[:1].isalpha())
