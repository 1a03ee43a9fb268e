"""Brackets and colons that lack or are too many, in lines that do not parse for that."""

import io
import keyword
import re
import textwrap
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.trees import parse

_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_MOST_SLIPS = 5
_ASKED = re.compile(
    r"(?i)\b(?:paren(?:s|thes[ie]s)?|brackets?|braces?|colons?|syntax ?errors?|invalid syntax|syntax|never closed"
    r"|unclosed|unbalanced|unmatched|(?:does(?:n't| not)|won't|can't|cannot) (?:parse|compile))\b"
)
_INSIDE = frozenset(["for", "if", "else", "from", "async", "not", "lambda", "None", "True", "False", "await", "yield"])
_BEGINS = frozenset(keyword.kwlist) - _INSIDE - {"and", "or", "in", "is", "as"}
"""Words that only begin a statement."""
_BLOCKS = frozenset("if elif else for while with def class try except finally async".split())  # noqa: SIM905
_GOES_ON = frozenset(["and", "or", "in", "is", "as", "for", "if", "else", "from", "not"])


@dataclass(frozen=True, slots=True)
class _Slip:
    """Where (0-based row and column) what goes, so many characters, and what comes instead."""

    row: int
    column: int
    gone: int
    new: str


def asks_for_syntax(words: str) -> bool:
    """Whether words speak of brackets, colons or a syntax error."""
    return _ASKED.search(words) is not None


def mended(lines: Sequence[str]) -> list[str]:
    """Lines that do not parse, with their brackets closed where the statement ends; none where that does not do."""
    new = list(lines)
    for _ in range(_MOST_SLIPS):
        if _parses(new):
            return new if new != list(lines) else []
        slip = next(_slips(new), None)
        if slip is None:
            return []
        line = new[slip.row]
        new[slip.row] = line[: slip.column] + slip.new + line[slip.column + slip.gone :]
    return new if _parses(new) else []


def _parses(lines: Sequence[str]) -> bool:
    try:
        return bool(parse(textwrap.dedent("\n".join(lines))).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _slips(lines: Sequence[str]) -> Iterator[_Slip]:
    """What is wrong with brackets, the first first; else a colon that lacks."""
    opened: list[tokenize.TokenInfo] = []
    last: tokenize.TokenInfo | None = None
    for token in _tokens(lines):
        if last is not None and opened and _is_new(last, token, opened, lines):
            yield _closed(last, opened, lines)
            return
        if token.type == tokenize.OP and token.string in _CLOSERS:
            opened.append(token)
        elif token.type == tokenize.OP and token.string in _CLOSERS.values():
            row, column = token.start[0] - 1, token.start[1]
            if not opened:
                yield _Slip(row, column, 1, "")
                return
            if (closer := _CLOSERS[opened.pop().string]) != token.string:
                among = [_CLOSERS[one.string] for one in opened]
                yield _Slip(row, column, 0, closer) if token.string in among else _Slip(row, column, 1, closer)
                return
        last = token
    if opened and last is not None:
        yield _closed(last, opened, lines)
        return
    yield from _colons(lines)


def _tokens(lines: Sequence[str]) -> Iterator[tokenize.TokenInfo]:
    """The tokens of code, as far as they can be read."""
    source = textwrap.dedent("\n".join(lines)) + "\n"
    shift = len(lines[0]) - len(source.split("\n")[0])
    spare = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    try:
        for one in tokenize.generate_tokens(io.StringIO(source).readline):
            if one.type not in spare:
                start, end = (one.start[0], one.start[1] + shift), (one.end[0], one.end[1] + shift)
                yield one._replace(start=start, end=end)
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return


def _is_new(
    last: tokenize.TokenInfo, token: tokenize.TokenInfo, opened: Sequence[tokenize.TokenInfo], lines: Sequence[str]
) -> bool:
    """Whether a token on another line than the last one begins a statement, for all that is still open."""
    if token.start[0] == last.end[0]:
        return False
    if (token.type == tokenize.NAME and token.string in _BEGINS) or token.string == "@":
        return True
    if token.type == tokenize.NAME and token.start[1] <= _indented(lines, opened[0]):
        return True
    if last.string == ":" and opened[-1].string != "{" and _first_word(lines, opened[-1]) in _BLOCKS:
        return True
    operand = last.type in (tokenize.NAME, tokenize.NUMBER) or last.string in _CLOSERS.values()
    operand = operand or last.type == tokenize.STRING
    word = token.type in (tokenize.NAME, tokenize.NUMBER) and token.string not in _GOES_ON
    return operand and word and not keyword.iskeyword(last.string)


def _indented(lines: Sequence[str], token: tokenize.TokenInfo) -> int:
    """How far the line of a token is indented."""
    line = lines[token.start[0] - 1]
    return len(line) - len(line.lstrip())


def _first_word(lines: Sequence[str], token: tokenize.TokenInfo) -> str:
    found = re.match(r"\s*(\w*)", lines[token.start[0] - 1])
    return found[1] if found else ""


def _closed(last: tokenize.TokenInfo, opened: Sequence[tokenize.TokenInfo], lines: Sequence[str]) -> _Slip:
    """All that is open closed behind the last token; before the colon of what begins a block."""
    closers = "".join(_CLOSERS[one.string] for one in reversed(opened))
    row, column = last.end[0] - 1, last.end[1]
    heads = last.string == ":" and _first_word(lines, opened[0]) in _BLOCKS
    return _Slip(row, column - heads, 0, closers)


def _colons(lines: Sequence[str]) -> Iterator[_Slip]:
    """The colon that the head of a block lacks."""
    try:
        parse(textwrap.dedent("\n".join(lines)))
    except SyntaxError as error:
        row = (error.lineno or 0) - 1
        if error.msg == "expected ':'" and 0 <= row < len(lines):
            code = next((one for one in reversed(list(_tokens(lines))) if one.end[0] - 1 == row), None)
            if code is not None:
                yield _Slip(row, code.end[1], 0, ":")
    except (ValueError, RecursionError, MemoryError):
        return
