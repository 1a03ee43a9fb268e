"""A branch that is to do but one thing, which is told: "just return False in the except"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import body_after_docstring, indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import is_stub
from spark_tui.editing.trees import parse

_DOES = re.compile(
    r"\b(?:just|only|simply|plainly|should|merely|to|can|may|could|must)"
    r" (?P<code>`[^`]+`|pass|continue|break|(?:re-?)?raise\b|return\b)(?P<rest>[^;,]*)"
)
_END = re.compile(r"\s+(?:in|inside|within|there|here|instead|then|when|if|from|for|on|please|is)\b.*|[.!?]*\s*$")
_STUB = re.compile(r"\braise [`'\"]?(?P<error>NotImplementedError(?:\([^)]*\))?)")
_BRANCH = re.compile(
    r"\b(?:(?P<handler>except\w*|handlers?)|(?P<other>else)|(?P<body>if|loop|for|while)|(?P<end>finally))\b"
    r"(?: (?:branch|clause|block|body|part))?"
)


def stub_bodies(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after each function that does nothing yet raises or returns what is told."""
    told = _STUB.search(request.instruction)
    if told is None or _BRANCH.search(request.instruction.lower()):
        return
    error = told["error"]
    for function in before.functions:
        rest = body_after_docstring(function)
        named = re.search(rf"\b{function.name}\b", request.instruction) is not None
        if not rest or is_stub(rest) or (named and len(rest) == 1) or _returns_none(rest):
            first, last = statement_lines((rest or function.body)[0])[0], statement_lines(function.body[-1])[1]
            line = f"{indentation(before.lines[first])}raise {error}"
            start = first if rest else last + 1
            if stands_alone(before, function.body[0]):
                yield [*before.lines[:start], line, *before.lines[last + 1 :]]


def _returns_none(body: list[ast.stmt]) -> bool:
    match body:
        case [ast.Return(value=None | ast.Constant(value=None))]:
            return True
    return False


def branch_bodies(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after each branch of the sort told has nothing but the statement told, the outer ones first."""
    told = _DOES.search(request.instruction)
    rest = request.instruction[: told.start()] + _after(told) if told else ""
    sort = _BRANCH.search(rest.lower()) if rest else None
    statement = _statement(told) if told and sort else ""
    for body in _bodies(before, sort) if statement and sort else ():
        first, last = statement_lines(body[0])[0], statement_lines(body[-1])[1]
        chosen = request.selected or (first, last)
        if stands_alone(before, body[0]) and first <= chosen[1] and chosen[0] <= last + 1:
            line = f"{indentation(before.lines[first])}{statement}"
            yield [*before.lines[:first], line, *before.lines[last + 1 :]]


def _after(told: re.Match[str]) -> str:
    """What is said behind the statement."""
    return told.string[told.end("code") :]


def _statement(told: re.Match[str]) -> str:
    """The statement as code, or "" where it is none."""
    code = told["code"].strip("`").replace("re-raise", "raise").replace("reraise", "raise")
    rest = _END.sub("", told["rest"]).strip(" `'") if not told["code"].startswith("`") else ""
    text = f"{code} {rest}".strip() if code in ("return", "raise") else code
    try:
        body = parse(f"def f():\n  while x:\n    {text}").body
    except SyntaxError:
        return ""
    return text if len(body) == 1 else ""


def _bodies(before: Snippet, sort: re.Match[str]) -> Iterator[list[ast.stmt]]:
    for node in before.nodes:
        match node:
            case ast.ExceptHandler(body=body) if sort["handler"]:
                yield body
            case ast.If(orelse=body) | ast.For(orelse=body) | ast.Try(orelse=body) if sort["other"] and body:
                if not (isinstance(node, ast.If) and isinstance(body[0], ast.If)):
                    yield body
            case ast.If(body=body) if sort["body"] == "if":
                yield body
            case ast.For(body=body) | ast.While(body=body) if sort["body"] in ("loop", "for", "while"):
                yield body
            case ast.Try(finalbody=body) if sort["end"] and body:
                yield body
