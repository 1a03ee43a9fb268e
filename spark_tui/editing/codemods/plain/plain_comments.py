"""Comments that words ask for plainly: what one says, and the one line that it is about."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, body_after_docstring, indentation, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import SCOPES, Place, dotted, places

_ADD = r"(?:please )?(?:add|put|insert|write|place|leave) (?:an? |the |this )?(?:short |brief |new |one-line )?"
_WHAT = r"(?P<mark>comment|todo|fixme)(?: comment)?"
_ABOVE = r"(?:above|before|over|on top of|right above|just above|(?P<near>for|to))"
_SAYS = r"(?:,? ?(?:that )?(?:saying|says?|reading|reads|noting|explaining)(?: that)?|:| with(?: the)? text)"
_TEXT = r"(?P<text>`[^`]+`|\"[^\"]+\"|'[^']+'|.+)"
_TOP = r"(?:top|start|beginning)(?: of the (?:function|body|method))?"
_SHAPES = (
    rf"{_ADD}{_WHAT} {_ABOVE} (?P<where>(?!the (?:except|else|finally)\b)[^:\"]+?){_SAYS}:? {_TEXT}",
    rf"{_ADD}{_WHAT}{_SAYS}:? (?P<text>`[^`]+`|\"[^\"]+\"|'[^']+') {_ABOVE} (?P<where>.+)",
    rf"{_ADD}{_WHAT}:? (?P<text>`#[^`]+`|\"[^\"]+\"|'[^']+') {_ABOVE} (?P<where>.+)",
    rf"{_ADD}{_WHAT}{_SAYS}:? (?P<text>.+?),? (?:right |just )?(?:above|before|on top of) (?P<where>the .+)",
    rf"{_ADD}{_WHAT} (?:in|inside|to|within) (?P<where>the (?:except|else|finally)[^:\"]*?){_SAYS}:? {_TEXT}",
    rf"{_ADD}(?P<mark>todo|fixme)(?: comment)? {_ABOVE} (?P<where>[^:\"]+?) to {_TEXT}",
    rf"{_ADD}(?P<mark>todo|fixme)(?: comment)?(?P<where>)(?:{_SAYS}| to):? {_TEXT}",
    rf"{_ADD}(?P<mark>comment)(?P<where>) at the {_TOP}{_SAYS}:? {_TEXT}",
    r"(?:please )?(?P<mark>comment) (?P<where>the .+?) (?:with|as) (?P<text>\"[^\"]+\"|'[^']+')",
)
_FORMS = tuple(re.compile(f"(?is){shape}") for shape in _SHAPES)
_ORDER = {"first": 0, "second": 1, "third": 2, "last": -1}
_KINDS: dict[str, tuple[type[ast.stmt], ...]] = {
    "loop": (ast.For, ast.AsyncFor, ast.While), "for": (ast.For, ast.AsyncFor), "for loop": (ast.For, ast.AsyncFor),
    "while": (ast.While,), "while loop": (ast.While,), "if": (ast.If,), "check": (ast.If,), "condition": (ast.If,),
    "with": (ast.With, ast.AsyncWith), "try": (ast.Try,), "return": (ast.Return,), "raise": (ast.Raise,),
    "assert": (ast.Assert,), "assertion": (ast.Assert,), "function": (ast.FunctionDef, ast.AsyncFunctionDef),
    "method": (ast.FunctionDef, ast.AsyncFunctionDef), "class": (ast.ClassDef,),
    "import": (ast.Import, ast.ImportFrom),
}  # fmt: skip
_THE_KIND = re.compile(
    rf"(?i)(?:the |this )?(?:(?P<nth>{'|'.join(_ORDER)}) )?(?P<kind>{'|'.join(sorted(_KINDS, key=len, reverse=True))})"
    r"(?: (?:statement|block|line|clause))?"
)
_OF_NAME = re.compile(
    r"(?i)(?:the )?(?P<how>assignment (?:of|to)|call (?:to|of)|line (?:where|with|that (?:sets|calls))|function|method"
    r"|class|def)? ?[`'\"]?(?P<name>[^\W\d][\w.]*)(?:\(\))?[`'\"]?"
    r"(?: (?P<late>assignment|call|is set|is assigned|line|function|method))?"
)
_CODE = re.compile(r"(?:the )?(?:line )?(?:`(?P<a>[^`]+)`|\"(?P<b>[^\"]+)\"|'(?P<c>[^']+)')(?: line)?")
_BRANCH = re.compile(r"(?i)the (except|else|finally)(?: (?:block|clause|branch|handler))?")
_LINE = re.compile(r"(?i)the (first|second|third|last) line")
_HEAD = re.compile(r"\s*(?:async\s+def|def|class|@)\b")
_FIRST_WORD = re.compile(r"^(?:todo|fixme|xxx|hack|note)\b", re.IGNORECASE)


def plain_comment(before: Snippet, words: str) -> list[Ops]:
    """The comment above the line that is told, or [] where that is not plain."""
    words = " ".join(words.split()).strip()
    for told in filter(None, (form.fullmatch(words) for form in _FORMS)):
        found = rows_told(before, told["where"].strip(" .,"))
        if told.groupdict().get("near"):
            found = [row for row in found if not _HEAD.match(before.lines[row])]
        if len(found) == 1 and (text := _text(told)):
            line = f"{indentation(before.lines[found[0]])}# {text}"
            return [(Insert(found[0] - 1, (line,)),)] if len(line) <= MAX_WIDTH else []
    return []


def _text(told: re.Match[str]) -> str:
    text = told["text"].strip()
    if text[0] == text[-1] and text[0] in "`'\"" and len(text) > 1:
        text = text[1:-1]
    text = text.lstrip("#").strip()
    mark = told["mark"].upper()
    return f"{mark}: {text}" if mark in ("TODO", "FIXME") and not _FIRST_WORD.match(text) else text


def rows_told(before: Snippet, where: str) -> list[int]:
    """The 0-based lines of the statements that some words tell, one where they are plain; no words: the first one."""
    if not where:
        bodies = [body_after_docstring(one) for one in before.functions[:1]]
        return [statement_lines(body[0])[0] for body in bodies if body and not _is_several(before)]
    found = places(before)
    if told := _BRANCH.fullmatch(where):
        return list(_branches(before, told[1].lower()))
    if told := _THE_KIND.fullmatch(where):
        return _of_kind(found, told["kind"].lower(), _ORDER.get((told["nth"] or "").lower()))
    if told := _LINE.fullmatch(where):
        filled = [row for row, line in enumerate(before.lines) if line.strip()]
        return filled[_ORDER[told[1].lower()] :][:1]
    told = _OF_NAME.fullmatch(where)
    return list(dict.fromkeys(_of_name(found, told) if told else [])) or _of_code(before, found, where)


def _of_kind(found: list[Place], kind: str, nth: int | None) -> list[int]:
    rows = [one.first for one in found if isinstance(one.node, _KINDS[kind])]
    if nth is not None:
        return [rows[nth]] if -len(rows) <= nth < len(rows) else []
    outer = [one.first for one in found if isinstance(one.node, SCOPES) and one.first in rows and one.function is None]
    return outer if len(outer) == 1 else rows


def _of_code(before: Snippet, found: list[Place], where: str) -> list[int]:
    """The statements that have a piece of code on their first line."""
    told = _CODE.fullmatch(where)
    code = told["a"] or told["b"] or told["c"] if told else where
    return [one.first for one in found if len(code) > 3 and code in before.lines[one.first] and not code.isalpha()]


def _is_several(before: Snippet) -> bool:
    """Whether there are functions beside one another, so that none is meant for certain."""
    first = before.functions[0]
    return any(one.lineno > (first.end_lineno or 0) for one in before.functions[1:])


def _branches(before: Snippet, word: str) -> Iterator[int]:
    """The first lines within the branches of a sort."""
    for node in before.nodes:
        block = (
            node.body
            if word == "except" and isinstance(node, ast.ExceptHandler)
            else getattr(node, {"else": "orelse", "finally": "finalbody"}.get(word, ""), [])
        )
        elif_branch = block and isinstance(block[0], ast.If) and "elif" in before.lines[block[0].lineno - 1]
        if block and isinstance(block, list) and not elif_branch:
            yield statement_lines(block[0])[0]


def _of_name(found: list[Place], told: re.Match[str]) -> Iterator[int]:
    """Where a name is set, called or defined, as told."""
    how, name = f"{told['how'] or ''} {told['late'] or ''}".lower(), told["name"]
    for one in found:
        node = one.node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name == name and not re.search(r"assign|set|call", how):
                yield one.first
            continue
        if hasattr(node, "body"):
            continue
        if re.search(r"call|with|where", how) or "." in name:
            paths = (dotted(part.func) or "" for part in ast.walk(node) if isinstance(part, ast.Call))
            if any(path == name or path.endswith(f".{name}") for path in paths):
                yield one.first
        if re.search(r"assign|set|where|line", how):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            if any(target is not None and dotted(target) == name for target in targets):
                yield one.first
