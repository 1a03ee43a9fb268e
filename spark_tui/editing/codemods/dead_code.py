"""Code that never runs, or does nothing, taken out."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.tidy import Spot, blocks, choices, taken_out
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_EXITS = ("sys.exit", "exit", "quit", "os._exit", "os.abort")
_MOST_COMMENTS = 12
_OLD = re.compile(
    r"\bbackport|\bfallback|\bcompat|\bsupport|\bpython ?[23]|\bpy ?[23]|\b3\.\d+"
    r"|\bold(?:er)? (?:python|version)|\bversion"
)
_BACK = re.compile(r"(?i)\buncomment(?!ed)")
"""Asks for the code back."""
_COMMENTED = re.compile(r"(?i)\bcommented[- ]out (?P<what>.+)")
_NAME = re.compile(r"[^\W\d]\w+")
_NO_IMPORT = ("ImportError", "ModuleNotFoundError")
_CODE_LIKE = re.compile(
    r"[=(\[]|^\s*(import|from|return|raise|if|for|while|with|else|try|pass|break|del|yield|assert)\b"
)
_CODE = (
    ast.Assign, ast.AugAssign, ast.Import, ast.ImportFrom, ast.Return, ast.Raise, ast.If, ast.For, ast.While, ast.With,
    ast.Try, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Delete, ast.Assert, ast.Pass, ast.Break,
    ast.Continue,
)  # fmt: skip


class DeadCode(Codemod):
    """Statements after a return, `if False:`, a needless `pass`, commented-out code."""

    kind: ClassVar[str] = "dead_code"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """What never runs, all `pass`, all commented-out code, each alone; then branches that always or never run."""
        if _BACK.search(request.instruction):
            return
        spots = [*unreachable(before), *needless_passes(before), *commented_out(before)]
        yield from choices(before, _meant(before, spots, request.instruction), request)
        for after in constant_branches(before):
            yield between(before, after)
        if _OLD.search(request.instruction.lower()):
            for after in outdated_branches(before):
                yield between(before, after)


def _meant(before: Snippet, spots: list[Spot], instruction: str) -> list[Spot]:
    """Only those of a sort that is surely meant; of what is commented out only what holds a word told of it."""
    words = instruction.lower()
    meant = None
    if re.search(r"\bcommented|\bin comments\b|\bera001\b", words):
        meant = "comment"
    elif re.search(r"\bpass(es)?\b(?!ed)|\bpie790\b|\bw0107\b|unnecessary-pass", words):
        meant = "pass"
    elif re.search(r"\bunreachable\b|\bw0101\b|\bnever (runs?|reached|executed?)\b", words):
        meant = "unreachable"
    found = [one for one in spots if one.sort == meant] or spots
    told = _COMMENTED.search(instruction) if meant == "comment" else None
    said = set(_NAME.findall(told["what"])) if told else set()
    texts = ["\n".join(before.lines[one.start[0] : one.end[0] + 1]) for one in found]
    return [one for one, text in zip(found, texts, strict=True) if said & set(_NAME.findall(text))] or found


def unreachable(before: Snippet) -> Iterator[Spot]:
    """What follows a statement that always leaves its block."""
    for _, block in blocks(before.tree):
        at = next((index for index, node in enumerate(block[:-1]) if leaves(node)), None)
        if at is None or any(_must_stay(node) for node in block[at + 1 :]):
            continue
        first, last = statement_lines(block[at])[1] + 1, statement_lines(block[-1])[1]
        if stands_alone(before, block[at]) and all(stands_alone(before, node) for node in block[at + 1 :]):
            yield from filter(None, [taken_out(before, first, last, "unreachable")])


def leaves(node: ast.stmt) -> bool:
    """Whether nothing after the statement is ever reached."""
    match node:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.Expr(value=ast.Call(func=func)):
            return ast.unparse(func) in _EXITS if isinstance(func, ast.Name | ast.Attribute) else False
        case ast.If(body=body, orelse=[_, *_] as orelse):
            return leaves(body[-1]) and leaves(orelse[-1])
    return False


def _must_stay(node: ast.stmt) -> bool:
    """Whether taking it away changes what the code before it means: a yield makes the generator."""
    return any(isinstance(part, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal) for part in ast.walk(node))


def needless_passes(before: Snippet) -> Iterator[Spot]:
    """Every `pass` (or `...`) beside other statements."""
    for _, block in blocks(before.tree):
        if not all(map(_does_nothing, block)):
            for node in block:
                first, last = statement_lines(node)
                if _does_nothing(node) and before.lines[first].strip() in ("pass", "...") and first == last:
                    yield from filter(None, [taken_out(before, first, last, "pass")])


def _does_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...
    )


def commented_out(before: Snippet) -> Iterator[Spot]:
    """Every run of comment lines that is code."""
    lines, at = before.lines, 0
    strings = {row for node in before.nodes for row in _string_rows(node)}
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].lstrip().startswith("#") and end not in strings:
            end += 1
        size = _code_length(lines[at : min(end, at + _MOST_COMMENTS)])
        if size:
            yield from filter(None, [taken_out(before, at, at + size - 1, "comment")])
        at += max(size, 1)


def _string_rows(node: ast.AST) -> range:
    if isinstance(node, ast.JoinedStr | ast.Constant) and node.end_lineno and node.lineno != node.end_lineno:
        return range(node.lineno - 1, node.end_lineno)
    return range(0)


def _code_length(comments: Sequence[str]) -> int:
    """How many of the first lines are code when the `#` is taken away; the most there can be."""
    if not comments or not _CODE_LIKE.search(comments[0].lstrip(" \t#")):
        return 0
    texts = [re.sub(r"^\s*#", "", line) for line in comments]
    gap = len(indentation(texts[0]))
    texts = [text[gap:] if not text[:gap].strip() else text for text in texts]
    if not texts[0].rstrip().endswith((":", "(", "[", "{", ",")) and not is_code(texts[0]):
        return 0
    return next((size for size in range(len(texts), 0, -1) if is_code("\n".join(texts[:size]))), 0)


def is_code(text: str) -> bool:
    """Whether a comment's text is code rather than words that happen to parse."""
    for ending in ("", "\n    pass"):
        try:
            body = parse(text + ending).body
        except (SyntaxError, ValueError):
            if not text.rstrip().endswith(":"):
                return False
            continue
        return bool(body) and all(_is_code(node, text) for node in body)
    return False


def _is_code(node: ast.stmt, text: str) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        func = node.value.func
        return text.split("\n")[(func.end_lineno or 1) - 1].encode()[func.end_col_offset or 0 :].startswith(b"(")
    return isinstance(node, _CODE)


def constant_branches(before: Snippet) -> Iterator[list[str]]:
    """The lines after each `if False:`, `if True:` or `while False:` was resolved."""
    for _, block in blocks(before.tree):
        for node in block:
            match node:
                case (
                    ast.If(test=ast.Constant(value=bool() | int() as value))
                    | ast.While(test=ast.Constant(value=(False | 0) as value))
                ):
                    yield from _resolved(before, block, node, bool(value))


def outdated_branches(before: Snippet) -> Iterator[list[str]]:
    """The lines after each branch for an old Python, or an import's stand-in, was taken out."""
    for _, block in blocks(before.tree):
        for node in block:
            match node:
                case ast.If(test=test) if (value := _is_new_python(test)) is not None:
                    yield from _resolved(before, block, node, value)
                case ast.Try(body=body, orelse=[], finalbody=[]) if all(map(_is_import, body)):
                    if all(ast.unparse(one.type or node) in _NO_IMPORT for one in node.handlers):
                        yield from _resolved(before, block, node, True)


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _is_new_python(test: ast.expr) -> bool | None:
    """What a test that asks for the version of Python says on the newest one; None where it asks something else."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            value = _is_new_python(operand)
            return None if value is None else not value
        case ast.Compare(left=left, ops=[sign]) if ast.unparse(left).startswith("sys.version_info"):
            return isinstance(sign, ast.Gt | ast.GtE) or (isinstance(sign, ast.Eq) and ast.unparse(test).endswith("3"))
        case ast.Name(id=name) | ast.Attribute(attr=name) if name.strip("_") in ("PY2", "PY3"):
            return name.strip("_") == "PY3"
    return None


def _resolved(
    before: Snippet, block: list[ast.stmt], node: ast.If | ast.While | ast.Try, value: bool
) -> Iterator[list[str]]:
    lines, (first, last) = before.lines, statement_lines(node)
    kept, margin = node.body if value else node.orelse, indentation(before.lines[node.lineno - 1])
    if not stands_alone(before, node) or lines[first].lstrip().startswith("elif"):
        return
    if not kept:
        if spot := taken_out(before, first, last, "branch", "" if len(block) > 1 else f"{margin}pass"):
            (row, start), (end_row, end) = spot.start, spot.end
            joined = lines[row][:start] + spot.text + lines[end_row][end:]
            yield [*lines[:row], joined, *lines[end_row + 1 :]]
        return
    start, end = statement_lines(kept[0])[0], statement_lines(kept[-1])[1]
    unit = before.layout.unit
    inner = lines[start : end + 1]
    if indentation(lines[start]) == margin + unit and not any(
        _string_rows(part) for one in kept for part in ast.walk(one)
    ):
        yield [*lines[:first], *(line.removeprefix(unit) for line in inner), *lines[last + 1 :]]
