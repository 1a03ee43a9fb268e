"""The grammar as GBNF, read by a small matcher of the notation, lets through what applies."""

import re
from collections.abc import Iterator
from itertools import product

import pytest

from spark_tui.editing.formats.quoted import QuotingError, apply_quoted, write_quoted
from spark_tui.editing.formats.quoted_grammar import write_gbnf

LINES = ("def f(x):", '    return "a\\b"', "", "    return x", "def f(x):")
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[A-Za-z]\w*|[()|*?])')


class Matcher:
    """Matches texts against GBNF by trying everything."""

    def __init__(self, grammar: str) -> None:
        rules = (line.split(" ::= ", 1) for line in grammar.splitlines())
        self._rules = {name: _TOKEN.findall(body) for name, body in rules}

    def fits(self, text: str) -> bool:
        return any(end == len(text) for end in self._rule("root", text, 0))

    def _rule(self, name: str, text: str, at: int) -> Iterator[int]:
        yield from self._choice(self._rules[name], text, at)

    def _choice(self, tokens: list[str], text: str, at: int) -> Iterator[int]:
        for part in _split(tokens):
            yield from self._sequence(part, text, at)

    def _sequence(self, tokens: list[str], text: str, at: int) -> Iterator[int]:
        if not tokens:
            yield at
            return
        size = _closing(tokens) + 1 if tokens[0] == "(" else 1
        mark = tokens[size] if tokens[size : size + 1] in (["?"], ["*"]) else ""
        rest = tokens[size + bool(mark) :]
        if mark:
            yield from self._sequence(rest, text, at)
        for end in self._symbol(tokens[:size], text, at):
            again = tokens if mark == "*" and end > at else rest
            yield from self._sequence(again, text, end)

    def _symbol(self, tokens: list[str], text: str, at: int) -> Iterator[int]:
        first = tokens[0]
        if first == "(":
            yield from self._choice(tokens[1:-1], text, at)
        elif first.startswith('"'):
            literal = first[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
            if text.startswith(literal, at):
                yield at + len(literal)
        elif first.startswith("["):
            if at < len(text) and re.match(first, text[at]):
                yield at + 1
        else:
            yield from self._rule(first, text, at)


def _closing(tokens: list[str]) -> int:
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token == "(") - (token == ")")
        if depth == 0:
            return at
    raise ValueError(tokens)


def _split(tokens: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token == "(") - (token == ")")
        if token == "|" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _applies(script: str) -> bool:
    lines = script.removesuffix("\n").split("\n")
    if len({line.startswith("rename ") for line in lines} | {line == "none" for line in lines}) > 1:
        return len(lines) == 1
    try:
        apply_quoted(LINES, lines)
    except QuotingError:
        return False
    return True


SCRIPT_LINES = ["+new", "-def f(x):", " def f(x):", "-", "-    return x", " no such line", "none"]


def test_scripts_of_two_lines_fit_the_grammar_where_they_apply() -> None:
    matcher = Matcher(write_gbnf(LINES).replace("\\U0010FFFF", "\U0010ffff"))
    for first, second in product(SCRIPT_LINES, [*SCRIPT_LINES, None]):
        lines = [first] if second is None else [first, second]
        alone = "none" not in lines or len(lines) == 1
        script = "\n".join(lines) + "\n"
        assert matcher.fits(script) == (alone and _applies(script)), script


@pytest.mark.parametrize(
    "after",
    [
        ("def f(x):", '    return "a\\b" + "é→"', "", "    return x", "def f(x):"),
        ("def f(y):", '    return "a\\b"', "", "    return y", "def f(y):"),
        ("def f(x):", "def f(x):", "\tx = 1"),
        (),
        LINES,
    ],
)
def test_the_grammar_lets_the_rest_of_a_script_through_wherever_it_is_cut(
    after: tuple[str, ...],
) -> None:
    script = ("\n".join(write_quoted(LINES, after)) + "\n").encode()
    for at in range(len(script)):
        try:
            rest = script[at:].decode()
        except UnicodeDecodeError:
            assert write_gbnf(LINES, script[:at]) == ""
            continue
        grammar = write_gbnf(LINES, script[:at]).replace("\\U0010FFFF", "\U0010ffff")
        assert Matcher(grammar).fits(rest), (script[:at], rest)


def test_a_grammar_grows_with_the_lines_and_not_with_their_pairs() -> None:
    small = len(write_gbnf([f"line {number:04}" for number in range(100)]))
    large = len(write_gbnf([f"line {number:04}" for number in range(1000)]))
    assert large < 11 * small


def test_an_empty_region_takes_new_lines_only() -> None:
    matcher = Matcher(write_gbnf(()))
    assert matcher.fits("+a\n+b\n")
    assert not matcher.fits("-a\n")
