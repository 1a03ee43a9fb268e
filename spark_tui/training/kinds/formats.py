"""F-strings turned into formatting by `%`, by `.format()` and by `+`."""

import ast
import re
from random import Random

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.common.changes import Change
from spark_tui.editing.formats import LITERAL, MAX_FIELD, SIMPLE
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings

_FIELD = re.compile(r"\{\{|\}\}|\{(?P<code>[^{}!:\\\\]+)(?P<conversion>![rsa])?(?::(?P<spec>[^{}]*))?\}|[{}]")


def unformatted(snippet: Snippet, rng: Random) -> list[Change]:
    """Each f-string with simple fields, with a `%`, a `.format()` or a sum that an f-string can replace."""
    style = rng.choices(("%", ".format", "+"), (4, 4, 2))[0]
    nodes = [node for node in outside_fstrings(snippet.tree) if isinstance(node, ast.JoinedStr)]
    texts = {node: text_of(snippet, node) for node in nodes}
    if style == "+":
        return [Change(node, new) for node, text in texts.items() if (new := _sum(text))]
    return [Change(node, new) for node, text in texts.items() if (new := _old_style(text, style == "%", rng))]


def _sum(text: str) -> str | None:
    """An f-string of names and text as a sum."""
    literal = text.removeprefix("f")
    if literal == text or not LITERAL.fullmatch(literal):
        return None
    parts: list[str] = []
    at = 1
    for match in _FIELD.finditer(literal):
        code = match["code"]
        if (
            not code
            or match["spec"]
            or not _is_simple(code)
            or isinstance(ast.parse(code, mode="eval").body, ast.BinOp)
        ):
            return None
        parts += [
            literal[at : match.start()],
            {None: f"str({code})", "!r": f"repr({code})"}.get(match["conversion"], ""),
        ]
        at = match.end()
    parts.append(literal[at:-1])
    if len(parts) < 2 or not any(parts[::2]) or not all(parts[1::2]):
        return None
    mark = literal[0]
    return " + ".join(f"{mark}{part}{mark}" if index % 2 == 0 else part for index, part in enumerate(parts) if part)


def _old_style(text: str, percent: bool, rng: Random) -> str | None:
    literal = text.removeprefix("f")
    if literal == text or not LITERAL.fullmatch(literal) or ("%" in literal and percent):
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
    return isinstance(node, SIMPLE) and len(code) <= MAX_FIELD
