"""Every literal that may be the wrong one: a number, a flag, None, a key, a first value."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.containers_near import containers_near
from spark_tui.editing.codemods.bugs.mistaken import Slip, edits_of, plain_nodes
from spark_tui.editing.codemods.bugs.near_misses import fields_in_plain_texts, numbers_in_fields
from spark_tui.editing.codemods.bugs.numbers_near import numbers_near
from spark_tui.editing.codemods.bugs.patterns_near import pattern_slips
from spark_tui.editing.codemods.bugs.strings_near import strings_near
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet

_FIRST_VALUES = ("0", "None", "[]", "{}", "''", "1", "set()", "False", "True")
_MODES = ("r", "w", "a", "rb", "wb", "ab", "x")
_NEAR = {"0": ("1", "-1"), "1": ("0", "-1", "2"), "2": ("1",), "-1": ("1", "0"), "0.0": ("1.0",), "1.0": ("0.0",)}
_MEANT = {"True": "True", "False": "False", "None": "None", "true": "True", "false": "False", "0": "0", "1": "1"}
_STRING = re.compile(r"""[bru]?(['"])([^'"\\\n]{0,30})\1""")
_NO_KEY = re.compile(r"""KeyError: (['"])([^'"]+)\1|no (?:key|column|field|item|entry) [`'"]([^`'"]+)[`'"]""")
_SAID = re.compile(r"""`([^`\n]{1,30})`|(?<!\w)'([^'\n]{1,30})'|"([^"\n]{1,30})\"""")
_NUMBER = re.compile(rf"(?<![\w.\[]){SIGNED}(?![\w\]]|\.\d)")
_COMPARED = re.compile(r"(\b(is|not)|[=!]=|\|)\s*$")
_COUNTS = {word: number for number, word in enumerate(("two", "three", "four", "five", "six", "eight"), 2)} | {
    "eight": 8
}
_TOO_MUCH = re.compile(r"\b(?:many|much|long|high|big|large|late|extra|more|far)\b")
_AMOUNT = re.compile(
    rf"\b(\d{{1,2}}|{'|'.join(_COUNTS)}) (?:\w+ )?"
    r"(?:too |off|short|long|missing|extra|more|less|few|many|early|late)\w*(?: \w+)?"
)
_Found = tuple[ast.expr, str, str]


class FixLiteral(Codemod):
    """A literal becomes another one: of the region, of the instruction, or the usual other one (True, False)."""

    kind: ClassVar[str] = "fix_literal"
    repairs: ClassVar[bool] = True

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One literal changed. A KeyError says which key is wrong."""
        words = request.instruction
        fields = () if _NO_KEY.search(words) else (*numbers_in_fields(before), *fields_in_plain_texts(before))
        yield from edits_of(before, request, pattern_slips(before, words) if words else ())
        yield from edits_of(before, request, (*literal_slips(before, words), *fields))


def literal_slips(before: Snippet, instruction: str = "") -> Iterator[Slip]:
    """Every literal, in source order, with what else it could be."""
    key = _NO_KEY.search(instruction)
    missing = (key[2] or key[3]) if key else ""
    found = list(_literals(before))
    numbers = dict.fromkeys(source for _, source, sort in found if sort == "number")
    strings = dict.fromkeys(source[1:-1] for _, source, sort in found if sort == "string" and source[0] in "'\"")
    said = dict.fromkeys(next(filter(None, one.groups())).strip("'\"") for one in _SAID.finditer(instruction))
    told = [one for one in _NUMBER.findall(re.sub(r"[`'\"]", " ", instruction)) if not re.match(r"-?0\d", one)]
    for node, source, sort in found:
        if missing and (sort != "string" or source[1:-1] != missing):
            continue
        match sort:
            case "number":
                near_by = _NEAR.get(source) or _beside(source)
                context = "\n".join(before.lines) if source.isdigit() and len(source) == len("404") else ""
                spoken = numbers_near(source, instruction, context)
                others = [*_by(source, instruction), *_free(before, node), *told, *near_by, *spoken, *numbers]
            case "string" if source[1:-1] in _MODES and _opens(before, node):
                others = [f"{source[0]}{one}{source[0]}" for one in _MODES]
            case "string":
                others = [f"{source[0]}{one}{source[0]}" for one in strings_near(source[1:-1], instruction)]
                others += _strings(source, said, strings)
                others += [_MEANT[source[1:-1]]] if source[1:-1] in _MEANT else []
            case "first":
                others = list(containers_near(source, instruction))
                others += [one for one in _FIRST_VALUES if one != "''" or not source.startswith('"')]
            case _:
                others = {"True": ["False"], "False": ["True"], "None": ["True", "False"]}[source]
        start, end = start_of(before, node), end_of(before, node)
        near = _near(before, start[0], start[1])
        for one in dict.fromkeys(others):
            if not _same(one, source):
                yield Slip(start, end, one, (source, source.strip("'\""), one, one.strip("'\""), *near))


def _beside(source: str) -> tuple[str, ...]:
    """A small number one less and one more."""
    if not re.fullmatch(r"\d(?:\.0)?", source):
        return ()
    return tuple(f"{int(float(source)) + by}{'.0' * ('.' in source)}" for by in (-1, 1))


def _by(source: str, instruction: str) -> Iterator[str]:
    """A whole number as much larger and smaller as the words say that something is too short or too long."""
    told = _AMOUNT.search(instruction.lower())
    if told and source.isdigit():
        much = _COUNTS.get(told[1]) or int(told[1])
        larger, smaller = str(int(source) + much), str(int(source) - much)
        yield from (smaller, larger) if _TOO_MUCH.search(told[0]) else (larger, smaller)


def _free(before: Snippet, node: ast.expr) -> Iterator[str]:
    """The numbers beside one that two names of a class share, as far as no name has them."""
    for owner in before.nodes:
        body = owner.body if isinstance(owner, ast.ClassDef) else []
        values = [one.value for one in body if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)]
        numbers = [one.value for one in values if type(one.value) is int]
        own = next((one.value for one in values if one is node), None)
        if type(own) is int and numbers.count(own) > 1:
            yield from (str(one) for one in (own + 1, own - 1) if one >= 0 and one not in numbers)


def _strings(source: str, said: dict[str, None], strings: dict[str, None]) -> list[str]:
    quote, text = source[0], source[1:-1]
    words = [one for one in {**said, **strings} if one and quote not in one and "\\" not in one]
    return [f"{quote}{one}{quote}" for one in words if _alike(one, text)]


def _opens(before: Snippet, node: ast.expr) -> bool:
    """Whether a string is the mode that a file is opened in."""
    row, column = start_of(before, node)
    return "open(" in before.lines[row][:column]


def _alike(one: str, other: str) -> bool:
    """Whether two strings are of one sort: both names, or both a few signs."""
    return bool(re.match(r"\w", one)) == bool(re.match(r"\w", other))


def _same(one: str, other: str) -> bool:
    return one == other or (one in ("''", '""') and other in ("''", '""'))


def _near(before: Snippet, row: int, column: int) -> tuple[str, ...]:
    """The name right before a literal: what it is assigned to, compared with, or passed as."""
    found = re.search(r"([^\W\d]\w*)\W*$", before.lines[row][:column])
    return (found[1],) if found else ()


def _literals(before: Snippet) -> Iterator[_Found]:
    """Every literal on one line as (node, source, sort)."""
    negated: set[int] = set()
    first: set[int] = set()
    for node in plain_nodes(before.tree):
        match node:
            case (
                ast.Assign(targets=[ast.Name() | ast.Attribute()], value=value)
                | ast.AnnAssign(value=ast.expr() as value)
            ):
                source = text_of(before, value)
                if source in _FIRST_VALUES or source == '""':
                    first.add(id(value))
                    yield value, source, "first"
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as inner):
                negated.add(id(inner))
                source = text_of(before, node)
                if re.fullmatch(r"-\d[\d.]*", source) and id(node) not in first:
                    yield node, source, "number"
            case ast.Constant() if id(node) not in negated | first:
                yield from _constant(before, node)


def _constant(before: Snippet, node: ast.Constant) -> Iterator[_Found]:
    source = text_of(before, node)
    if source in ("True", "False", "None"):
        if source != "None" or not re.search(
            r"\b(is|not|==|!=|->|\||:)\s*$", before.lines[node.lineno - 1][: start_of(before, node)[1]]
        ):
            yield node, source, "flag"
    elif re.fullmatch(r"\d[\w.]*", source):
        yield node, source, "number"
    elif (text := _STRING.fullmatch(source)) and source[0] in "'\"" and " " not in text[2]:
        yield node, source, "string"
