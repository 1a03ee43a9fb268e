"""String formatting by `%`, by `.format()` and by `+`, turned into f-strings."""

import ast
import re
from collections.abc import Callable, Iterator
from itertools import count

from spark_tui.editing.code import Position, end_of, start_of, text_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings

LITERAL = re.compile(r"(?P<mark>['\"])(?!\1\1)(?:(?!\1)[^\\\n]|\\[^N\n])*\1")
SIMPLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)
MAX_FIELD = 40
_PERCENT = re.compile(r"%(?P<percent>%)|%(?P<spec>[-+]?0?\d*(?:\.\d+)?)(?P<type>[srdiuxXoeEfgG])|%")
_BRACED = re.compile(r"\{\{|\}\}|\{(?P<key>\w*)(?P<path>(?:\.\w+)*)(?P<rest>(?:![rsa])?(?::[^{}]*)?)\}|[{}]")
_GLUE = re.compile(r"[\s()]*")
Field = Callable[[re.Match[str]], str]
"""How a place holder of the old style is written in an f-string; something with a NUL where it cannot be."""


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


def concatenations(snippet: Snippet) -> Iterator[tuple[ast.expr, str]]:
    """Each chain of `+` with a string literal in it that a simple f-string can replace, with that f-string."""
    covered: set[int] = set()
    for node in outside_fstrings(snippet.tree):
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)) or id(node) in covered:
            continue
        parts = _summands(node)
        covered.update(id(inner) for inner in ast.walk(node) if isinstance(inner, ast.BinOp))
        if new := _joined(snippet, parts) if text_of(snippet, node) else None:
            yield node, new


def printed(snippet: Snippet) -> Iterator[tuple[ast.expr, str]]:
    """Every print of several things, some of them text, with what it is as a print of one f-string."""
    for node in outside_fstrings(snippet.tree):
        match node:
            case ast.Call(func=ast.Name(id="print"), args=[_, _, *_] as args, keywords=[]) if text_of(snippet, node):
                if joined := _spaced(snippet, args):
                    yield node, f"print({joined})"


def _spaced(snippet: Snippet, args: list[ast.expr]) -> str:
    """One f-string that shows several things with blanks between them; "" where there is none."""
    sources = [text_of(snippet, one) for one in args]
    texts = [LITERAL.fullmatch(source.removeprefix("f")) for source in sources]
    if len(marks := {text["mark"] for text in texts if text}) != 1 or (
        all(texts) and not any(source[0] == "f" for source in sources)
    ):
        return ""
    mark = marks.pop()
    pieces = [
        text[0][1:-1] if text and source[0] == "f" else _piece(snippet, one, mark)
        for one, source, text in zip(args, sources, texts, strict=True)
        if text or not isinstance(one, ast.Constant | ast.JoinedStr)
    ]
    whole = len(pieces) == len(args) and None not in pieces
    return f"f{mark}{' '.join(map(str, pieces))}{mark}" if whole else ""


def _from_percent(snippet: Snippet, node: ast.BinOp) -> str | None:
    if not isinstance(node.op, ast.Mod):
        return None
    template, mark = _template(snippet, node, node.left, "%")
    given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    codes = [_code(snippet, arg, mark) for arg in given]
    fields = [m for m in _PERCENT.finditer(template) if not m["percent"]]
    if not codes or len(fields) != len(codes) or None in codes or any(not field["type"] for field in fields):
        return None
    left = iter(codes)
    return _converted(template, _PERCENT, lambda match: _percent_field(match, left), escape=True)


def _percent_field(match: re.Match[str], codes: Iterator[str | None]) -> str:
    if match["percent"]:
        return "%"
    spec, kind, code = match["spec"], match["type"], next(codes)
    if kind in "sr":
        conversion = "!r" * (kind == "r")
        aligned = re.sub(r"^(-?)(?=\d)", lambda sign: "<" if sign[1] else ">", spec)
        return "\0" if spec[:1] in ("+", "0") else f"{{{code}{conversion}{':' * bool(spec)}{aligned}}}"
    kind = "d" if kind in "iu" else kind
    if spec.startswith("-"):
        spec = "<" + spec[1:]
    return f"{{{code}}}" if not spec and kind == "d" else f"{{{code}:{spec}{kind}}}"


def _from_format(snippet: Snippet, node: ast.Call) -> str | None:
    if not (isinstance(node.func, ast.Attribute) and node.func.attr == "format") or not (node.args or node.keywords):
        return None
    template, mark = _template(snippet, node, node.func.value, ".")
    if not template or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    codes = {str(place): _code(snippet, arg, mark) for place, arg in enumerate(node.args)}
    codes |= {word.arg or "**": _code(snippet, word.value, mark) for word in node.keywords}
    used: list[str] = []
    places = count()

    def field(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0]
        if match["rest"] is None:
            return "\0"
        key = match["key"] or str(next(places))
        used.append(key)
        code = codes.get(key)
        again = used.count(key) > 1 and "(" in (code or "")
        return "\0" if not code or again else f"{{{code}{match['path']}{match['rest']}}}"

    new = _converted(template, _BRACED, field, escape=False)
    return new if set(used) == set(codes) else None


def _template(snippet: Snippet, node: ast.expr, literal: ast.expr, mark: str) -> tuple[str, str]:
    """What stands left of `mark` in a formatting when that is nothing but string literals, and their quote; or ""."""
    if not (isinstance(literal, ast.Constant) and isinstance(literal.value, str)):
        return "", ""
    whole = _between(snippet, start_of(snippet, literal), end_of(snippet, literal))
    around = _between(snippet, start_of(snippet, node), end_of(snippet, node))
    behind = _between(snippet, end_of(snippet, literal), end_of(snippet, node))
    if "\n" in whole:
        opened, closed = around.index(whole), behind[: behind.index(mark)].rstrip()
        whole = around[:opened] + whole + closed
        behind = behind[behind.index(mark) :]
    quotes = {match["mark"] for match in LITERAL.finditer(whole)}
    plain = len(quotes) == 1 and _GLUE.fullmatch(LITERAL.sub("", whole))
    return (whole, quotes.pop()) if plain and not ("\n" in behind and "#" in behind) else ("", "")


def _between(snippet: Snippet, start: Position, end: Position) -> str:
    lines = [*snippet.lines[start[0] : end[0]], snippet.lines[end[0]][: end[1]]]
    return "\n".join([lines[0][start[1] :], *lines[1:]])


def _converted(template: str, pattern: re.Pattern[str], field: Field, *, escape: bool) -> str | None:
    def literal(match: re.Match[str]) -> str:
        text = match[0].replace("{", "{{").replace("}", "}}") if escape else match[0]
        new = pattern.sub(field, text)
        filled = "{" in re.sub(r"\{\{|\}\}", "", new)
        return "f" + new if filled else new.replace("{{", "{").replace("}}", "}")

    new = LITERAL.sub(literal, template)
    return None if "\0" in new or not re.search(r"(?<!\w)f['\"]", new) else new


def _code(snippet: Snippet, node: ast.expr, mark: str) -> str | None:
    """The text of an expression for a field of an f-string in quotes `mark`."""
    text = text_of(snippet, node) or ast.unparse(node)
    other = "'" if mark == '"' else '"'
    unfit = any(part in text for part in ("\\", "{", "lambda")) or (mark in text and other in text)
    if unfit or not mark or not isinstance(node, SIMPLE) or not 0 < len(text) <= MAX_FIELD:
        return None
    return text.replace(mark, other)


def _summands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_summands(node.left), *_summands(node.right)]
    return [node]


def _joined(snippet: Snippet, parts: list[ast.expr]) -> str | None:
    """One f-string for the parts of a sum, or None."""
    literals = [text_of(snippet, part) for part in parts if isinstance(part, ast.Constant)]
    if not literals or len(literals) == len(parts) or not all(map(LITERAL.fullmatch, literals)):
        return None
    mark = literals[0][0]
    if any(text[0] != mark and (mark in text or "\\" in text) for text in literals):
        return None
    pieces = [_piece(snippet, part, mark) for part in parts]
    return None if None in pieces else f"f{mark}{''.join(filter(None, pieces))}{mark}"


def _piece(snippet: Snippet, part: ast.expr, mark: str) -> str | None:
    match part:
        case ast.Constant():
            return text_of(snippet, part)[1:-1].replace("{", "{{").replace("}", "}}")
        case ast.Call(func=ast.Name(id="str"), args=[value], keywords=[]):
            code = _code(snippet, value, mark)
        case ast.Call(func=ast.Name(id="repr"), args=[value], keywords=[]):
            code = _code(snippet, value, mark)
            return f"{{{code}!r}}" if code else None
        case ast.BinOp():
            return None
        case _:
            code = _code(snippet, part, mark)
    return f"{{{code}}}" if code else None
