"""Renaming an identifier in a piece of Python text that need not parse.

A small lexer tells names from strings, comments, attributes and keyword arguments, so that it works
on any region, also one whose code is broken at the moment.
"""

import re
from collections.abc import Iterator, Sequence

_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<string>(?P<prefix>[rRbBuUfF]{0,2})
        (?:\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z) | '''(?:\\.|[^\\])*?(?:'''|\Z)
         | "(?:\\.|[^"\\\n])*(?:"|$) | '(?:\\.|[^'\\\n])*(?:'|$)))
  | (?P<name>[^\W\d]\w*)
  | (?P<number>\d[\w.]*)
  | (?P<open>[(\[{]) | (?P<close>[)\]}])
  | (?P<equal>==|[<>!:+*/%&|^@-]=|=)
  | (?P<dot>\.)
  | (?P<other>[^\s])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_FIELD = re.compile(r"\{\{|\}\}|\{(?P<code>(?:[^{}\[\]():!]|\[[^{}\[\]]*\]|\([^{}()]*\)|!=)*)")
_KEYWORDS_BEFORE_PAREN = frozenset(
    ["and", "or", "not", "in", "is", "if", "elif", "else", "while", "return", "yield", "assert", "del", "await"]
)


def substitute(lines: Sequence[str], old: str, new: str) -> list[str]:
    """Rename the identifier `old` to `new`.

    `old` written `.name` means the attribute of that name; otherwise attributes and the names of
    keyword arguments in calls are left alone, as are strings (but not the fields of f-strings) and comments.

    Args: lines: without line endings. Returns: as many new lines.
    """
    text = "\n".join(lines)
    pieces: list[str] = []
    at = 0
    for start, end in occurrences(text, old):
        pieces += [text[at:start], new.removeprefix(".")]
        at = end
    pieces.append(text[at:])
    return "".join(pieces).split("\n")


def occurrences(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Where `name` is used as an identifier, as (start, end) offsets in order."""
    attribute = name.startswith(".")
    bare = name.removeprefix(".")
    previous, before_that = "", ""
    brackets: list[str] = []
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "comment":
            continue
        if match["string"] is not None:
            if "f" in match["prefix"].lower():
                yield from _in_fields(match, name)
            kind = "string"
        elif kind == "open":
            brackets.append(_role(token, previous, before_that))
        elif kind == "close" and brackets:
            brackets.pop()
        elif kind == "name" and token == bare and (previous == ".") == attribute:
            in_call = bool(brackets) and brackets[-1] == "call"
            if not in_call or not _is_keyword_argument(text, match.end(), previous):
                yield match.start(), match.end()
        before_that, previous = previous, token if kind != "string" else '"'


def _role(token: str, previous: str, before_that: str) -> str:
    if token != "(" or previous in _KEYWORDS_BEFORE_PAREN:
        return "group"
    if before_that == "def":
        return "def"
    return "call" if previous.isidentifier() or previous in (")", "]", '"') else "group"


def _is_keyword_argument(text: str, end: int, previous: str) -> bool:
    rest = text[end:].lstrip()
    return previous in ("(", ",") and rest.startswith("=") and not rest.startswith("==")


def _in_fields(match: re.Match[str], name: str) -> Iterator[tuple[int, int]]:
    base = match.start()
    for field in _FIELD.finditer(match.group()):
        if field["code"] is not None:
            for start, end in occurrences(field["code"], name):
                yield base + field.start("code") + start, base + field.start("code") + end
