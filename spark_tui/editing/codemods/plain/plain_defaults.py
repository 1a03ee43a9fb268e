"""Defaults of what is looked up by a name, told plainly: "default page should be 0" of `args.get("page", 1)`."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.base import Ops, between, parses
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.plain.plain_words import bare, called
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, quote, spliced
from spark_tui.editing.trees import literal_value

_NAME = r"(?:(?:number|amount|count) of (?:the )?)?[`'\"]?(?:--)?(?P<name>[^\W\d][\w-]*)[`'\"]?"
_VALUE = r"(?P<value>\"[^\"]*\"|'[^']*'|`[^`]*`|[\w.+-]+)"
_TOLD = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?i:(?:the )?default (?:value )?(?:for |of )?(?:the )?){_NAME} (?i:should be|must be|is|be|to|=) {_VALUE}",
        rf"(?i:(?:the )?){_NAME} (?i:should|must|has to|shall) (?i:default to|be) {_VALUE}(?i: by default)?",
        rf"(?i:(?:the )?){_NAME} (?i:defaults to) {_VALUE}",
        rf"(?i:make (?:the )?){_NAME} (?i:default to) {_VALUE}",
        rf"(?i:(?:set|change) the default (?:for |of )?(?:the )?){_NAME} (?i:to) {_VALUE}",
    )
)
_LOOKUPS = ("get", "pop", "setdefault", "getenv", "getlist", "getint", "getboolean")
_OPTIONS = ("add_argument", "add_option", "option", "argument")


def default_told(before: Snippet, words: str) -> tuple[str, str] | None:
    """The name that is told a default, and that as it is said; None where words tell something else."""
    if not re.search(r"(?i)\bdefault", words):
        return None
    said = bare(before, words)
    told = next(filter(None, (pattern.fullmatch(said) for pattern in _TOLD)), None)
    return (told["name"], told["value"]) if told else None


def plain_defaults(before: Snippet, words: str) -> list[Ops]:
    """The default of the only lookup or option of the name that is told, or []."""
    told = default_told(before, words)
    nodes = list(outside_fstrings(before.tree)) if told else []
    if told is None or any(isinstance(one, ast.arg) and one.arg == told[0] for one in nodes):
        return []
    found = [one for node in nodes for one in _of(node, told[0])]
    if len(found) != 1 or not (value := _value(before, found[0], told[1])):
        return []
    lines = spliced(before, [(found[0], value)])
    return [between(before, lines)] if parses(lines) else []


def _of(node: ast.AST, name: str) -> Iterator[ast.Constant]:
    """The literal that something looked up by a name is by default."""
    match node:
        case ast.Call(args=[*_, ast.Constant(value=str(key)), ast.Constant() as value]) if _is(key, name):
            if called(node) in (*_LOOKUPS, "getattr"):
                yield value
        case ast.BoolOp(op=ast.Or(), values=[ast.Call(args=[ast.Constant(value=str(key))]) as call, other]):
            if _is(key, name) and called(call) in _LOOKUPS and isinstance(other, ast.Constant):
                yield other
        case ast.Call(args=args, keywords=keywords) if called(node) in _OPTIONS:
            keys = [one.value for one in args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            given = [one.value for one in keywords if one.arg == "default"]
            if any(_is(key, name) for key in keys):
                yield from (one for one in given if isinstance(one, ast.Constant))


def _is(key: str, name: str) -> bool:
    return key.lstrip("-").replace("-", "_").lower() == name.replace("-", "_").lower()


def _value(before: Snippet, old: ast.Constant, said: str) -> str:
    """A value that is said as the literal that fits where another one is, or ""."""
    said = said.strip("`")
    words = {"true": "True", "false": "False", "none": "None", "zero": "0"}
    said = words.get(said.lower(), said)
    if isinstance(old.value, str) and said[:1] not in "'\"" and said != "None":
        return quote(before, said)
    try:
        literal_value(said)
    except (SyntaxError, ValueError):
        return ""
    return said if is_expression(said) else ""
