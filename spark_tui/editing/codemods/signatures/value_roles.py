"""What the fixed values of a body are for, in the words people have for it: the delay of a `sleep`, a separator."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from spark_tui.editing import code
from spark_tui.editing.code import Function, text_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings

_OF_CALLS = {
    ("sleep", 0): "delay sleep sleep_time pause wait wait_time waiting_time interval duration backoff",
    ("range", -1): "count attempts tries retries number times limit iterations rounds n",
    ("read", 0): "size chunk_size buffer_size block_size chunk",
    ("recv", 0): "size chunk_size buffer_size bufsize",
    ("split", 0): "separator delimiter sep", ("rsplit", 0): "separator delimiter sep",
    ("partition", 0): "separator delimiter sep", ("join", -2): "separator delimiter sep joiner glue",
    ("open", 0): "path file filename file_name file_path", ("open", 1): "mode file_mode",
    ("Path", 0): "path file directory folder", ("encode", 0): "encoding codec", ("decode", 0): "encoding codec",
    ("round", 1): "precision digits decimals places ndigits decimal_places",
    ("startswith", 0): "prefix", ("endswith", 0): "suffix extension ending",
    ("removeprefix", 0): "prefix", ("removesuffix", 0): "suffix extension",
    ("ljust", 0): "width", ("rjust", 0): "width", ("center", 0): "width", ("zfill", 0): "width",
    ("strftime", 0): "format date_format", ("strptime", 1): "format date_format", ("get", 1): "default fallback",
    ("getattr", 2): "default fallback", ("glob", 0): "pattern glob", ("rglob", 0): "pattern glob",
    ("compile", 0): "pattern regex",
    ("nlargest", 0): "count n limit number", ("most_common", 0): "count n limit number",
    ("getenv", 0): "variable name", ("getenv", 1): "default fallback", ("islice", 1): "limit count n",
    ("replace", 1): "replacement", ("connect", 0): "address",
}  # fmt: skip
_COMPARED = "threshold limit cutoff cut_off bound maximum minimum max min"
_SLICED = "limit count length width n maximum max"
_FACTOR = "factor multiplier scale rate coefficient weight"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that is fixed in a body. `roles`: the words for what it is for, those of its own name first."""

    node: ast.expr
    source: str
    roles: tuple[str, ...]


def fixed_values(before: Snippet, function: Function) -> list[Fixed]:
    """The literals, sums and products of numbers, and constants by name of a body, outside of f-strings."""
    found: list[Fixed] = []
    within: set[int] = set()
    for statement in code.body_after_docstring(function):
        roles = _roles(statement)
        for node in outside_fstrings(statement):
            if isinstance(node, ast.expr) and id(node) not in within and _is_fixed(node):
                within |= {id(one) for one in ast.walk(node)}
                if source := text_of(before, node):
                    found.append(Fixed(node, source, (*roles.get(id(node), ()), *_looks(node))))
    return found


def _is_fixed(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return value is not Ellipsis
        case ast.UnaryOp(operand=ast.Constant(value=int() | float())):
            return True
        case ast.BinOp(left=left, right=right):
            return all(map(_is_number, (left, right)))
        case ast.Name() | ast.Attribute():
            return (dotted(node) or "").rpartition(".")[2].isupper()
    return False


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=int() | float() as value):
            return not isinstance(value, bool)
        case ast.BinOp(left=left, right=right):
            return _is_number(left) and _is_number(right)
    return False


def _looks(node: ast.expr) -> tuple[str, ...]:
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith(("http://", "https://"))
    ):
        return ("url", "endpoint", "address", "base_url")
    return ((dotted(node) or "").rpartition(".")[2].lower(),) if isinstance(node, ast.Name | ast.Attribute) else ()


def _roles(statement: ast.stmt) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for node in ast.walk(statement):
        for value, words in _given(node):
            found[id(value)] = (*found.get(id(value), ()), *words.split())
    return found


def _given(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """The values that a node gives a role, with the words for it."""
    match node:
        case ast.keyword(arg=str() as name, value=value):
            yield value, name
        case ast.Assign(targets=[ast.Attribute(attr=name) | ast.Name(id=name)], value=value):
            yield value, name.strip("_")
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args):
            yield from ((one, _OF_CALLS.get((name, at), "")) for at, one in enumerate(args))
            yield from ((one, _OF_CALLS.get((name, -1), "")) for one in args[-1:])
            if isinstance(node.func, ast.Attribute):
                yield node.func.value, _OF_CALLS.get((name, -2), "")
        case ast.Compare(left=left, comparators=parts):
            yield from ((one, _COMPARED) for one in (left, *parts))
        case ast.Slice(upper=ast.expr() as upper):
            yield upper, _SLICED
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right):
            yield from ((one, _FACTOR) for one in (left, right))
