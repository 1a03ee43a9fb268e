"""Statements and calls by the short form that is named: `+=`, lazy logging, vars, writerows, capture_output."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import ATOM
from spark_tui.editing.codemods.folding.fold_sources import enclosed_source, same, source_of
from spark_tui.editing.codemods.idioms.named_parts import Fold, Rule, folded, said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings, places

_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.BitOr: "|",
    ast.BitAnd: "&",
}  # fmt: skip
_LEVELS = ("debug", "info", "warning", "warn", "error", "critical", "exception", "log")
_MANY = {"writerow": "writerows", "append": "extend", "add": "update"}
_FORMATS = {-1: "%s", 115: "%s", 114: "%r"}


def _augmented(before: Snippet, words: str) -> Iterator[Fold]:
    """`x = x + y` as `x += y`, with the sign that is named."""
    sign = re.search(r"(?:(?P<name>[\w.]+) ?)?(?<![-+*/%|&=])(?P<sign>//|[-+*/%|&])=(?: ?(?P<rest>[\w.]+)\W*$)?", words)
    for place in places(before):
        match place.node:
            case ast.Assign(targets=[target], value=ast.BinOp(op=op) as value):
                found, rest = _SIGNS.get(type(op), ""), _behind(before, target, value)
                whole = (ast.unparse(target), rest) if sign and sign["rest"] else None
                if (
                    found
                    and rest
                    and (sign is None or sign["sign"] == found)
                    and (whole is None or sign is None or whole == (sign["name"], sign["rest"]))
                ):
                    yield folded(before, place, place.last, f"{source_of(before, target)} {found}= {rest}")


def _behind(before: Snippet, target: ast.expr, value: ast.BinOp, least: int = 0) -> str:
    """What a sum or the like has behind the target that it begins with, or ""."""
    if same(target, value.left):
        return enclosed_source(before, value.right, least)
    match value:
        case ast.BinOp(left=ast.BinOp(op=inner) as left, op=ast.Add() | ast.Mult() | ast.BitOr() as op) if type(
            inner
        ) is type(op):
            rest = _behind(before, target, left, ATOM)
            return f"{rest} {_SIGNS[type(op)]} {enclosed_source(before, value.right, ATOM)}" if rest else ""
    return ""


def _lazily_logged(before: Snippet, _: str) -> Iterator[Fold]:
    """Log calls that leave it to the logger to fill in their values."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=level), args=[text], keywords=[]) if level in _LEVELS:
                if "log" not in (dotted(owner) or "").lower():
                    continue
                match text:
                    case ast.BinOp(left=ast.Constant(value=str()) as literal, op=ast.Mod(), right=given):
                        values = given.elts if isinstance(given, ast.Tuple) else [given]
                        yield said(before, text, ", ".join(source_of(before, one) for one in (literal, *values)))
                    case ast.JoinedStr() if arguments := _as_arguments(before, text):
                        yield said(before, text, arguments)


def _as_arguments(before: Snippet, text: ast.JoinedStr) -> str:
    """`"%s of %s", a, b` for an f-string of plain fields, or ""."""
    source, values = source_of(before, text), []
    if not re.fullmatch(r"f([\"'])(?!\1\1)[^\\%]*\1", source):
        return ""
    content = ""
    for part in text.values:
        match part:
            case ast.Constant(value=str() as plain):
                content += plain
            case ast.FormattedValue(value=value, conversion=conversion, format_spec=None) if conversion in _FORMATS:
                content += _FORMATS[conversion]
                values.append(ast.unparse(value))
            case _:
                return ""
    return ", ".join([f"{source[-1]}{content}{source[-1]}", *values]) if values and source[-1] not in content else ""


def _vars(before: Snippet, _: str) -> Iterator[Fold]:
    """`x.__dict__` as `vars(x)`."""
    for node in outside_fstrings(before.tree):
        if isinstance(node, ast.Attribute) and node.attr == "__dict__" and isinstance(node.ctx, ast.Load):
            yield said(before, node, f"vars({source_of(before, node.value)})")


def _at_once(before: Snippet, words: str) -> Iterator[Fold]:
    """A loop that only hands its elements to a method, by the method that takes them all."""
    for place in places(before):
        match place.node:
            case ast.For(
                target=ast.Name(id=name),
                iter=over,
                body=[
                    ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=method), args=[given], keywords=[]))
                ],
                orelse=[],
            ) if (many := _MANY.get(method)) and many in words:
                taken = source_of(before, over)
                if not (isinstance(given, ast.Name) and given.id == name):
                    taken = f"{source_of(before, given)} for {name} in {taken}"
                yield folded(before, place, place.last, f"{source_of(before, owner)}.{many}({taken})")


def _captured(before: Snippet, _: str) -> Iterator[Fold]:
    """Both pipes of subprocess.run by capture_output."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Call(func=func, args=args, keywords=keywords) if (dotted(func) or "").endswith("run"):
                piped = [one for one in keywords if one.arg in ("stdout", "stderr")]
                if len(piped) == 2 and all((dotted(one.value) or "").endswith("PIPE") for one in piped):
                    rest = [one for one in keywords if one not in piped]
                    at = sum(one in rest for one in keywords[: keywords.index(piped[0])])
                    texts = [f"{one.arg}={source_of(before, one.value)}" if one.arg else "" for one in rest]
                    texts.insert(at, "capture_output=True")
                    given = [source_of(before, one) for one in args]
                    if all(texts):
                        yield said(before, node, f"{source_of(before, func)}({', '.join([*given, *texts])})")


SHORTS: tuple[tuple[str, Rule], ...] = (
    (r"(?://|[-+*/%|&])=(?!=)|\baugmented\b|\bin-?place (?:add|operator)", _augmented),
    (r"\blaz(?:y|ily)\b.*\blog|\blog\w*\b.*\blaz(?:y|ily)\b|%-?(?:style)? (?:log\w* )?arg\w*", _lazily_logged),
    (r"\bvars\b", _vars),
    (r"\b(?:writerows|extend|update)\b", _at_once),
    (r"\bcapture_output\b", _captured),
)
"""What names a rule, and the rule."""
