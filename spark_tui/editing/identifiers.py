"""Find and rename the identifiers in code, even in code that does not parse.

A small lexer for Python tells names from strings, comments and the names of keyword arguments. The
lexer never fails, so half-written code and other languages can be read, too.
"""

import keyword
import re  # noqa: TID251 - reads source code
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Strings end at their quote, or at the end of the line or text where the quote is missing: so any
# half-written code can be read.
_TOKEN = re.compile(
    r"""
    (?P<skip>\#[^\n]* | \\\n)
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
_ASSIGNED = re.compile(r"\s*=(?!=)")
_STRUCTURE = frozenset(["(", "[", "{", ")", "]", "}", ":", "def", "lambda"])
# a parenthesis behind one of these words opens no call
_KEYWORDS_BEFORE_PAREN = frozenset(
    [
        "and",
        "or",
        "not",
        "in",
        "is",
        "if",
        "elif",
        "else",
        "while",
        "return",
        "yield",
        "assert",
        "del",
        "await",
    ]
)


class IdentifierUse(NamedTuple):
    """A name at text[start:end].

    The `name` of an attribute begins with a dot, which is not part of that stretch.
    """

    name: str
    start: int
    end: int


def substitute(lines: Sequence[str], old: str, new: str) -> list[str]:
    """Rename the identifier `old` to `new`.

    `old` written `.name` means the attribute of that name; otherwise attributes and the names of
    keyword arguments in calls are left alone, as are strings (but not the fields of f-strings) and
    comments.

    Args:
        lines: Without line endings.

    Returns:
        As many new lines.
    """
    text = "\n".join(lines)
    pieces: list[str] = []
    done = 0
    for start, end in occurrences(text, old):
        pieces += [text[done:start], new.removeprefix(".")]
        done = end
    pieces.append(text[done:])
    return "".join(pieces).split("\n") if lines else []


def occurrences(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Where `name` is used as an identifier, as (start, end) offsets in order."""
    if name.removeprefix(".") in text:
        yield from ((use.start, use.end) for use in uses(text) if use.name == name)


def names_in(text: str) -> set[str]:
    """Every name that `substitute` can rename in a text; attributes with their dot."""
    return {use.name for use in uses(text) if not keyword.iskeyword(use.name)}


def uses(text: str) -> Iterator[IdentifierUse]:
    """Every word used as an identifier (or keyword), in order."""
    # the last token that is no comment ("\"" for any string), and where it ended
    previous = ""
    end = 0
    brackets = _Brackets()
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        token = match.group()
        if kind == "skip":
            continue
        if kind == "string":
            if "f" in match["prefix"].lower():
                yield from _in_fields(token, match.start())
            token = '"'
        elif kind == "name":
            # `f(name=1)` names a parameter of `f`, not a variable here; `def f(name=1)` binds one
            begins_argument = previous in ("(", ",") and brackets.roles[-1:] == ["call"]
            is_keyword_argument = begins_argument and _ASSIGNED.match(text, match.end())
            if not is_keyword_argument:
                # a dot that ends a line, as in "// a comment.", belongs to no attribute
                between = text[end : match.start()].replace("\\\n", "")
                dot = "." if previous == "." and "\n" not in between else ""
                yield IdentifierUse(dot + token, match.start(), match.end())
        if token in _STRUCTURE:
            brackets.take(token, previous)
        previous = token
        end = match.end()


class _Brackets:
    """The roles of the open brackets: "definition", "call" or "group".

    A lambda opens a role, too, up to its colon: its parameters look like keyword arguments.
    """

    def __init__(self) -> None:
        self.roles: list[str] = []
        self._definition: int | None = None

    def take(self, token: str, previous: str) -> None:
        """Move past a token.

        Args:
            token: One of `_STRUCTURE`.
            previous: The token before.
        """
        if token == "def":
            self._definition = len(self.roles)
        elif token == "lambda":
            self.roles.append(token)
        elif token == ":" and self.roles and self.roles[-1] == "lambda":
            self.roles.pop()
        elif token in "([{":
            self.roles.append(self._role(token, previous))
        elif token in ")]}":
            # lambdas without a colon end with the bracket around them
            while self.roles and self.roles.pop() == "lambda":
                pass

    def _role(self, token: str, previous: str) -> str:
        if token != "(" or previous in _KEYWORDS_BEFORE_PAREN:
            return "group"
        # the first parenthesis behind `def`, at the same depth
        if self._definition == len(self.roles):
            self._definition = None
            return "definition"
        if previous.isidentifier() or previous in (")", "]", '"'):
            return "call"
        return "group"


def _in_fields(literal: str, literal_start: int) -> Iterator[IdentifierUse]:
    """The names in the fields of an f-string, including those in format specifications.

    Args:
        literal: The f-string as it is written.
        literal_start: Where the literal begins in the text.
    """
    brace = literal.find("{")
    while brace >= 0:
        # a brace that is written twice stands for itself
        if literal.startswith("{{", brace):
            brace = literal.find("{", brace + 2)
            continue
        code_start = brace + 1
        code_end = _field_end(literal, code_start)
        for use in uses(literal[code_start:code_end]):
            shift = literal_start + code_start
            yield IdentifierUse(use.name, shift + use.start, shift + use.end)
        # a format specification behind the code may hold fields of its own
        brace = literal.find("{", code_end)


def _field_end(literal: str, position: int) -> int:
    """Where the code of a field ends: at its closing brace, conversion or specification.

    Args:
        position: Where the code begins.
    """
    depth = 0
    while position < len(literal):
        character = literal[position]
        if character in "([{":
            depth += 1
        elif character in ")]}" and depth:
            depth -= 1
        # a colon or brace within a string of the field ends nothing
        elif character in "'\"":
            position = literal.find(character, position + 1)
            if position < 0:
                return len(literal)
        elif not depth and (character in "}:" or _begins_conversion(literal, position)):
            return position
        position += 1
    return position


def _begins_conversion(literal: str, position: int) -> bool:
    """Whether a `!r` or the like begins at `position`, and no `!=`."""
    return literal[position] == "!" and not literal.startswith("!=", position)
