"""Layout that words ask for: blanks as PEP 8 has them, and signatures and calls on one line or one argument a line."""

import ast
import keyword
import re
import tokenize
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from spark_tui.editing.code import MAX_WIDTH, end_of, header, indentation, parameters, splice, start_of
from spark_tui.editing.codemods.base import parses
from spark_tui.editing.codemods.common.tidy import Spot, rewritten
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet

_SPACES = re.compile(r"\b(?:pep[ -]?8|spac(?:es?|ed|ing)|blanks?|whitespace|E2\d\d|E70\d)\b", re.IGNORECASE)
_SORTS = {
    "brackets": re.compile(r"\b(?:paren\w*|brackets?|braces?)\b", re.IGNORECASE),
    "commas": re.compile(r"\bcommas?\b|\blists?\b", re.IGNORECASE),
    "signs": re.compile(r"\boperator|=|\bequals?\b|\bcolon|\bdefault|\bannotat|:(?=\W|$)", re.IGNORECASE),
}
_APART = re.compile(
    r"\b(?:one|each|every)(?: \w+)? (?:per|a|on (?:its|a|an) own|to a|on separate) lines?\b"
    r"|\b(?:own|separate) lines?\b|\bwrap\w* (?:the |this )?(?:line|signature|def|param\w*|arg\w*)\b|\btoo long\b"
    r"|\bE501\b"
)
_TOGETHER = re.compile(
    r"\b(?:on(?:to|e)?|in(?:to)?|to|fits? (?:on|in)) (?:a |one |the )?(?:single |one |same )?line\b|\bone-?line"
)
_SOFT = ("match", "case", "type", "print", "_")
_MOST = 4
_SIGNS = frozenset(["=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "->", ":=", "|="])


def layout_told(before: Snippet, instruction: str) -> Iterator[list[str]]:
    """The lines in the layout asked for; what they do stays the same."""
    if _SPACES.search(instruction):
        yield from _spaced(before, instruction)
    if _APART.search(instruction):
        yield from islice((lines for node in before.nodes for lines in _one_a_line(before, node)), _MOST)
    if _TOGETHER.search(instruction):
        yield from islice((lines for node in before.nodes for lines in _joined(before, node)), _MOST)


def _spaced(before: Snippet, instruction: str) -> Iterator[list[str]]:
    """With the blanks of every sort, then of those that the words speak of."""
    spots = [*_between_tokens(before), *_signs_of_parameters(before)]
    told = [sort for sort, pattern in _SORTS.items() if pattern.search(instruction)]
    for chosen in ([one for one in spots if one.sort in told], spots) if told else (spots,):
        if chosen and parses(lines := rewritten(before, chosen)):
            yield lines


def _tokens(before: Snippet) -> list[tokenize.TokenInfo]:
    """The tokens outside of f-strings, in order."""
    text = iter([line + "\n" for line in before.lines])
    found: list[tokenize.TokenInfo] = []
    inside = 0
    try:
        for token in tokenize.generate_tokens(lambda: next(text, "")):
            name = tokenize.tok_name[token.type]
            inside += (name == "FSTRING_START") - (name == "FSTRING_END")
            if not inside:
                found.append(token)
    except (tokenize.TokenError, SyntaxError):
        return []
    return found


def _between_tokens(before: Snippet) -> Iterator[Spot]:
    depth = 0
    for left, right in pairwise(_tokens(before)):
        depth += (left.string in ("(", "[", "{")) - (left.string in (")", "]", "}"))
        if left.end[0] != right.start[0] or right.type in (tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT):
            continue
        wanted = _gap(left, right, depth)
        row, gap = left.end[0] - 1, right.start[1] - left.end[1]
        if wanted and len(wanted[0]) != gap:
            yield Spot((row, left.end[1]), (row, right.start[1]), *wanted)


def _gap(left: tokenize.TokenInfo, right: tokenize.TokenInfo, depth: int) -> tuple[str, str] | None:
    """What stands between two tokens, and by which rule; None where that is free."""
    if right.string in ("(", "[") and left.type == tokenize.NAME:
        free = keyword.iskeyword(left.string) or left.string in _SOFT
        return None if free else ("", "brackets")
    if left.string == ",":
        return (
            (("", "brackets") if right.string == "]" else None) if right.string in (")", "]", "}") else (" ", "commas")
        )
    if left.string in ("(", "[", "{") or right.string in (")", "]", "}"):
        return "", "brackets"
    if right.string == ",":
        return "", "commas"
    sign = {left.string, right.string} & _SIGNS
    return (" ", "signs") if sign and (depth == 0 or sign != {"="}) else None


def _signs_of_parameters(before: Snippet) -> Iterator[Spot]:
    """`name: type = default`, `name=default` in signatures and calls."""
    for node in before.nodes:
        if isinstance(node, ast.keyword) and node.arg:
            start = start_of(before, node)
            yield from _sign(before, (start[0], start[1] + len(node.arg)), start_of(before, node.value), "=")
    for function in before.functions:
        for one in parameters(function):
            start, default = start_of(before, one), default_of(function, one)
            if one.annotation:
                yield from _sign(before, (start[0], start[1] + len(one.arg)), start_of(before, one.annotation), ": ")
            if default is not None:
                yield from _sign(
                    before, end_of(before, one), start_of(before, default), " = " if one.annotation else "="
                )


def _sign(before: Snippet, start: tuple[int, int], end: tuple[int, int], text: str) -> Iterator[Spot]:
    if start[0] == end[0] and before.lines[start[0]][start[1] : end[1]].strip() == text.strip():
        yield Spot(start, end, text, "signs")


def _brackets(before: Snippet, node: ast.AST) -> tuple[tuple[int, int], tuple[int, int], list[ast.AST]] | None:
    """The parentheses of a signature or of a call, and what is in them."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        head = header(before, node)
        return (head.opening, head.closing, list(parameters(node))) if head else None
    if isinstance(node, ast.Call) and (node.args or node.keywords):
        opening, end = end_of(before, node.func), end_of(before, node)
        if before.lines[opening[0]][opening[1] :][:1] == "(":
            return opening, (end[0], end[1] - 1), [*node.args, *node.keywords]
    return None


def _one_a_line(before: Snippet, node: ast.AST) -> Iterator[list[str]]:
    """Each of several arguments on a line of its own."""
    found = _brackets(before, node)
    if not found or len(found[2]) < 2:
        return
    opening, closing, _ = found
    pieces = top_level(inner_text(before.lines, opening, closing))
    if "" not in pieces:
        yield one_a_line(before.lines, opening, closing, pieces, before.layout.unit)


def one_a_line(
    lines: Sequence[str], opening: tuple[int, int], closing: tuple[int, int], pieces: Sequence[str], unit: str
) -> list[str]:
    """The lines with these pieces between two parentheses, one a line."""
    indent = indentation(lines[opening[0]])
    star = bool(pieces) and pieces[-1].startswith("**")
    text = "".join(f"\n{indent}{unit}{one}," for one in pieces)
    return splice(lines, (opening[0], opening[1] + 1), closing, (text[:-1] if star else text) + f"\n{indent}")


def _joined(before: Snippet, node: ast.AST) -> Iterator[list[str]]:
    found = _brackets(before, node)
    if found and found[0][0] != found[1][0]:
        opening, closing, _ = found
        inner = inner_text(before.lines, opening, closing)
        pieces = [one for one in top_level(inner) if one]
        lines = splice(before.lines, (opening[0], opening[1] + 1), closing, ", ".join(pieces))
        if "#" not in inner and "\n" not in "".join(pieces) and len(lines[opening[0]]) <= MAX_WIDTH:
            yield lines


def inner_text(lines: Sequence[str], opening: tuple[int, int], closing: tuple[int, int]) -> str:
    """What stands between two parentheses."""
    if opening[0] == closing[0]:
        return lines[opening[0]][opening[1] + 1 : closing[1]]
    first, last = lines[opening[0]][opening[1] + 1 :], lines[closing[0]][: closing[1]]
    return "\n".join([first, *lines[opening[0] + 1 : closing[0]], last])


def top_level(text: str) -> list[str]:
    """The pieces of a list of arguments, without the blanks around them; "" for one that holds a comment."""
    if "#" in text:
        return [""]
    found, start, depth, quote = [], 0, 0, ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == "," and not depth:
            found.append(text[start:at].strip())
            start = at + 1
    rest = text[start:].strip()
    return [*found, rest] if rest else found
