"""String formatting by `%`, by `.format()` and by f-string, turned into one another."""

import ast
import re
from collections.abc import Iterator
from random import Random

from spark_tui.editing.code import text_of
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.statements import outside_fstrings

_LITERAL = re.compile(r"(?P<mark>['\"])(?!\1\1)(?:(?!\1)[^\\\n]|\\[^N\n])*\1")
_PERCENT = re.compile(r"%(?P<percent>%)|%(?P<spec>0?\d*(?:\.\d+)?)(?P<type>[srdfxeg])|%")
_BRACED = re.compile(r"\{\{|\}\}|\{(?P<key>\w*)(?P<rest>(?:![rsa])?(?::[^{}]*)?)\}|[{}]")
_FIELD = re.compile(r"\{\{|\}\}|\{(?P<code>[^{}!:\\\\]+)(?P<conversion>![rsa])?(?::(?P<spec>[^{}]*))?\}|[{}]")
_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)
MAX_FIELD = 40


def formattings(snippet: Snippet) -> Iterator[tuple[ast.expr, str]]:
    """Each `%` or `.format()` that a simple f-string can replace, with that f-string; none lies in another."""
    covered: set[int] = set()
    for node in outside_fstrings(snippet.tree):
        if id(node) in covered or not isinstance(node, ast.BinOp | ast.Call):
            continue
        new = _from_percent(snippet, node) if isinstance(node, ast.BinOp) else _from_format(snippet, node)
        if new is not None:
            covered.update(id(inner) for inner in ast.walk(node))
            yield node, new


def _literal(snippet: Snippet, node: ast.expr) -> str | None:
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return None
    text = text_of(snippet, node)
    return text if _LITERAL.fullmatch(text) else None


def _from_percent(snippet: Snippet, node: ast.BinOp) -> str | None:
    literal = _literal(snippet, node.left) if isinstance(node.op, ast.Mod) else None
    if literal is None:
        return None
    given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    codes = [_code(snippet, arg, literal[0]) for arg in given]
    fields = [m for m in _PERCENT.finditer(literal) if not m["percent"]]
    if len(fields) != len(codes) or None in codes or any(not field["type"] for field in fields):
        return None
    left = iter(codes)

    def field(match: re.Match[str]) -> str:
        if match["percent"]:
            return "%"
        spec, kind = match["spec"], match["type"]
        if kind in "sr":
            return "\0" if spec else f"{{{next(left)}{'!r' * (kind == 'r')}}}"
        return f"{{{next(left)}{':' * bool(spec or kind != 'd')}{spec}{kind if spec or kind != 'd' else ''}}}"

    new = "f" + _PERCENT.sub(field, literal.replace("{", "{{").replace("}", "}}"))
    return None if "\0" in new or not codes else new


def _from_format(snippet: Snippet, node: ast.Call) -> str | None:
    if not (isinstance(node.func, ast.Attribute) and node.func.attr == "format") or not (node.args or node.keywords):
        return None
    literal = _literal(snippet, node.func.value)
    if literal is None or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    codes = {str(place): _code(snippet, arg, literal[0]) for place, arg in enumerate(node.args)}
    codes |= {word.arg or "**": _code(snippet, word.value, literal[0]) for word in node.keywords}
    used: list[str] = []

    def field(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0]
        key = match["key"] or str(len(used))
        used.append(key)
        return f"{{{codes.get(key)}{match['rest']}}}" if match["rest"] is not None and codes.get(key) else "\0"

    new = "f" + _BRACED.sub(field, literal)
    return None if "\0" in new or set(used) != set(codes) else new


def _code(snippet: Snippet, node: ast.expr, mark: str) -> str | None:
    """The text of an expression for a field of an f-string in quotes `mark`."""
    text = text_of(snippet, node)
    other = "'" if mark == '"' else '"'
    unfit = any(part in text for part in ("\\", "{", "lambda")) or (mark in text and other in text)
    if unfit or not isinstance(node, _SIMPLE) or not 0 < len(text) <= MAX_FIELD:
        return None
    return text.replace(mark, other)


def unformatted(snippet: Snippet, rng: Random) -> list[tuple[ast.expr, str]]:
    """Each f-string with simple fields, with a `%` or `.format()` that an f-string can replace."""
    percent = rng.random() < 0.5
    nodes = [node for node in outside_fstrings(snippet.tree) if isinstance(node, ast.JoinedStr)]
    return [(node, new) for node in nodes if (new := _old_style(text_of(snippet, node), percent, rng))]


def _old_style(text: str, percent: bool, rng: Random) -> str | None:
    literal = text.removeprefix("f")
    if literal == text or not _LITERAL.fullmatch(literal) or ("%" in literal and percent):
        return None
    codes: list[str] = []
    named = rng.random() < 0.25 and all(
        match["code"] and match["code"].isidentifier() for match in _FIELD.finditer(literal)
    )

    def field(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0] if percent else match[0]
        code, conversion, spec = match["code"], match["conversion"] or "", match["spec"]
        if not code or not _is_simple(code):
            return "\0"
        codes.append(code)
        if not percent:
            return f"{{{code if named else ''}{conversion}{':' + spec if spec else ''}}}"
        if not spec:
            return {"": "%s", "!r": "%r"}.get(conversion, "\0")
        return f"%{spec}" if re.fullmatch(r"0?\d*(\.\d+)?[dfxeg]", spec) and spec != "d" and not conversion else "\0"

    new = _FIELD.sub(field, literal)
    if "\0" in new or not codes:
        return None
    if percent:
        single = len(codes) == 1 and not isinstance(ast.parse(codes[0], mode="eval").body, ast.BinOp)
        return f"{new} % {codes[0]}" if single else f"{new} % ({', '.join(codes)}{',' * (len(codes) == 1)})"
    if named:
        return f"{new}.format({', '.join(f'{code}={code}' for code in dict.fromkeys(codes))})"
    return f"{new}.format({', '.join(codes)})"


def _is_simple(code: str) -> bool:
    try:
        node = ast.parse(code, mode="eval").body
    except SyntaxError:
        return False
    return isinstance(node, _SIMPLE) and len(code) <= MAX_FIELD
