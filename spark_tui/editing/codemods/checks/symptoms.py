"""Which values of a region an error that is told must be about, and the tests that tell them."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_KEY = re.compile(r"KeyError: ['\"](?P<key>\w+)['\"]")
_NO_ATTRIBUTE = re.compile(r"'NoneType' object has no attribute '(?P<attr>\w+)'")
_NOT_SO = re.compile(r"'NoneType'(?: object)? is not (?P<what>iterable|subscriptable|callable)")
_INDEX = re.compile(r"\bIndexError\b|\bindex out of range\b|\bpop from (?:an )?empty\b")
_DIVIDED = re.compile(r"\bZeroDivisionError\b|\bdivision by zero\b|\bdivid\w+ by (?:0|zero)\b")
_EMPTY = re.compile(r"\b(?P<name>max|min)\(\) (?:arg|iterable argument) is (?:an )?empty|\bempty sequence\b")
SYMPTOM = re.compile(r"(?m)\b\w+Error: |\b(?:IndexError|ZeroDivisionError|KeyError|division by zero|NoneType)\b")


@dataclass(frozen=True, slots=True)
class State:
    """A test of a value, `about`, and how far from one another the words tell the value and its state."""

    source: str
    about: str
    distance: int


def symptoms(before: Snippet, text: str) -> Iterator[State]:
    """The tests that would have caught the error told, the value first that it is raised at."""
    for match in _KEY.finditer(text):
        yield from _lacking(before, match["key"])
    for match in _NO_ATTRIBUTE.finditer(text):
        for node in before.nodes:
            if isinstance(node, ast.Attribute) and node.attr == match["attr"] and (path := dotted(node.value)):
                yield State(f"{path} is None", path, -40)
    for match in _NOT_SO.finditer(text):
        yield from (State(f"{path} is None", path, -20) for path in _used(before, match["what"]))
    if _INDEX.search(text):
        yield from (State(f"not {path}", path, -20) for path in _indexed(before))
    if _DIVIDED.search(text):
        for path in _divisors(before):
            yield from (State(one.format(path), path, -20 + at) for at, one in enumerate(("{0} == 0", "not {0}")))
    if _EMPTY.search(text):
        yield from (State(f"not {path}", path, -20) for path in _measured(before))


def _lacking(before: Snippet, key: str) -> Iterator[State]:
    for node in before.nodes:
        match node:
            case ast.Subscript(value=owner, slice=ast.Constant(value=value) as slot) if value == key:
                if path := dotted(owner):
                    yield State(f"{ast.unparse(slot)} not in {path}", path, -30)


def _used(before: Snippet, how: str) -> Iterator[str]:
    for node in before.nodes:
        match node:
            case ast.For(iter=value) | ast.comprehension(iter=value) if how == "iterable" and (path := dotted(value)):
                yield path
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[value]) if how == "iterable":
                if path := dotted(value):
                    yield path
            case ast.Subscript(value=value) if how == "subscriptable" and (path := dotted(value)):
                yield path
            case ast.Call(func=value) if how == "callable" and (path := dotted(value)):
                yield path


def _indexed(before: Snippet) -> Iterator[str]:
    """What is read by a number, or popped from."""
    for node in before.nodes:
        match node:
            case ast.Subscript(value=value, slice=ast.Constant(value=int()) | ast.UnaryOp()) if path := dotted(value):
                yield path
            case ast.Call(func=ast.Attribute(value=value, attr="pop" | "popleft"), args=[]) if path := dotted(value):
                yield path


def _divisors(before: Snippet) -> Iterator[str]:
    for node in before.nodes:
        match node:
            case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=value):
                inner = value.args[0] if isinstance(value, ast.Call) and len(value.args) == 1 else value
                if path := dotted(inner):
                    yield path


def _measured(before: Snippet) -> Iterator[str]:
    for node in before.nodes:
        match node:
            case ast.Call(func=ast.Name(id="max" | "min"), args=[value, *_]) if path := dotted(value):
                yield path
