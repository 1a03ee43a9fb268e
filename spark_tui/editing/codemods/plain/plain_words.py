"""Short requests as they are typed: what stands around the wish, and the values that words tell whole."""

import ast
import re

from spark_tui.editing.code import Function, walk_scope
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.plain.plain_checks import without_place
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, dotted, quote
from spark_tui.editing.trees import parse

_BEFORE = re.compile(
    r"^(?:(?:please|pls|also|just|now|then|and|it should|this should|should|must|make it|let it|have it|let's|we should"
    r"|(?:can|could|would) you)(?:,)? )+",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:,? (?:here|in here|please|pls|thanks|for now|now|too|as well|also|there"
    r"|in (?:this|the) (?:function|method)))+$",
    re.IGNORECASE,
)
_EMPTY = {"string": '""', "str": '""', "list": "[]", "dict": "{}", "dictionary": "{}", "set": "set()", "tuple": "()"}
_WORDS = {
    "none": "None", "null": "None", "nothing": "None", "true": "True", "false": "False", "zero": "0", "one": "1",
}  # fmt: skip
SIGNS = {
    "comma": ",", "semicolon": ";", "semi-colon": ";", "tab": "\\t", "pipe": "|", "colon": ":", "space": " ",
    "slash": "/", "backslash": "\\\\", "dot": ".", "period": ".", "full stop": ".", "hash": "#", "dash": "-",
    "hyphen": "-",
    "underscore": "_", "newline": "\\n", "line break": "\\n", "linebreak": "\\n", "asterisk": "*", "star": "*",
    "quote": "\\\"'",
    "double quote": '"', "single quote": "'", "dollar sign": "$", "percent sign": "%", "zero": "0",
    "exclamation mark": "!", "question mark": "?", "at sign": "@", "equals sign": "=", "plus": "+",
}  # fmt: skip
"""Signs by their names, as they stand in a text in double quotes."""
_LITERAL = re.compile(rf"{SIGNED}|\"[^\"]*\"|'[^']*'|[\[\](){{}}]{{2}}")


def bare(before: Snippet, words: str) -> str:
    """The words without the function that they name as the place, and without what only makes them polite."""
    words = without_place(before, words).strip(" .!,")
    return _AFTER.sub("", _BEFORE.sub("", words))


def value_told(before: Snippet, function: Function, words: str) -> str:
    """What some words tell to be a value, as Python, or "": a literal, a value that the function has, code of those."""
    words = re.sub(r"^(?:an?|the) (?=\S)", "", words.strip().strip("`"))
    if found := re.fullmatch(r"empty (\w+)", words):
        return _EMPTY.get(found[1], "").replace('""', quote(before, ""))
    if words.lower() in _WORDS:
        return _WORDS[words.lower()]
    if _LITERAL.fullmatch(words):
        return words
    return words if is_expression(words) and _made_of(words, names_of(function)) else ""


def _made_of(source: str, known: set[str]) -> bool:
    """Whether code names something, and nothing else than what is known."""
    names = {node.id for node in ast.walk(parse(source, mode="eval")) if isinstance(node, ast.Name)}
    return bool(names) and names <= known | {"len", "list", "dict", "set", "tuple", "sorted", "sum", "str", "int"}


def names_of(function: Function) -> set[str]:
    """The parameters and variables of a function."""
    stored = {one.id for one in walk_scope(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return {*argument_names(function), *stored}


def called(node: ast.AST) -> str:
    """The last name of what is called, or ""."""
    return (dotted(node.func) or "").rpartition(".")[2] if isinstance(node, ast.Call) else ""
