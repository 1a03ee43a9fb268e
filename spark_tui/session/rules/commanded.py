"""Whether an edit does what a command plainly does not ask for: to reorder, to compare otherwise, to leave a call."""

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from io import StringIO

from spark_tui.editing.linediff import line_changes
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.facts import Code

OTHERWISE = "say it in other words"
_COMMAND = re.compile(
    r"(?i)^\W*(?:please |also |just |then |now )*(?:don'?t|do not|stop|require|round(?! trip)|limit|cap|clamp|truncate"
    r"|use|add|catch|validate|verify|retry|wait|sleep|log|print|strip|trim|escape|encode|decode|save|notify|raise"
    r"|return|skip|ignore|remove|drop)\b"
)
_ORDER = re.compile(
    r"(?i)[(\[{`]|\b(?:swap|switch|flip|sort|alphabetic|is not\b|in\b"
    r"|exchang|revers|invert|transpos|order|first|second|last|before|after|behind"
    r"|operand|backward|way|place|sides?\b|minus|subtract|divid|instead|rather|not \w+ (?:but|and)\b)"
)
_EXTENT = re.compile(
    r"(?i)[<>\d]|\b(?:least|most|equal|exact|more|less|than|inclu|exclu|strict|bound|edge|limit|last|first|end|start|stop"
    r"|only|off|one|zero|over|under|above|below|up to|longer|shorter|bigger|larger|smaller|greater|empty|too"
    r"|also|never|always|before|after|until|reach|instead|beyond|tie|full|positive|negative)"
)
_ROUND = re.compile(r"(?i)^\W*(?:please |also |just |then )*round\b(?! trip)")
_ADDED = re.compile(
    r"(?i)^\W*(?:please |also )*add (?:an? |the )?(?:method |function |property )?[`'\"]?"
    r"(?P<name>[a-z]\w*_\w+|__\w+__)(?:\(\))?[`'\"]?(?: (?:method|function|property))?\W*$"
)
_SIGNS = frozenset(["<", "<=", ">", ">="])


def does_not(what: str) -> str:
    """That an edit leaves out what is told."""
    return f"the edit that was found does not {what}; {OTHERWISE}"


def reordered(words: str, code: Code, new: Snippet) -> str:
    """Pieces of lines that only change places, where a command asks for something else."""
    if not _COMMAND.match(words) or _ORDER.search(words):
        return ""
    changes = list(changed_tokens(code, new))
    same = all(old != now and Counter(old) == Counter(now) for old, now in changes)
    return "the edit that was found only changes an order, and nobody asked for that" if changes and same else ""


def loosened(words: str, code: Code, new: Snippet) -> str:
    """Only an equal sign more or less in a comparison, where a command asks for something else."""
    if not _COMMAND.match(words) or _EXTENT.search(words):
        return ""
    changes = list(changed_tokens(code, new))
    other = [_differing(old, now) for old, now in changes]
    sides = bool(changes) and all(len(one) == 1 and set(one[0]) <= _SIGNS for one in other)
    return "the edit that was found only changes how values compare, and nobody asked for that" if sides else ""


def _differing(old: Sequence[str], now: Sequence[str]) -> list[tuple[str, str]]:
    return [one for one in zip(old, now, strict=True) if one[0] != one[1]] if len(old) == len(now) else []


def changed_tokens(code: Code, new: Snippet) -> Iterator[tuple[list[str], list[str]]]:
    """The tokens of stretches of lines before and after."""
    old = code.text.split("\n")
    for start, stop, first, last in line_changes(old, new.lines):
        yield _tokens(old[start:stop]), _tokens(new.lines[first:last])


def _tokens(lines: Sequence[str]) -> list[str]:
    found: list[str] = []
    try:
        source = "\n".join(line.strip() for line in lines)
        found.extend(one.string for one in tokenize.generate_tokens(StringIO(source).readline) if one.string.strip())
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return found
    return found


def calls(nodes: Sequence[ast.AST]) -> list[str]:
    """The last names of what is called."""
    functions = [one.func for one in nodes if isinstance(one, ast.Call)]
    return [
        one.id if isinstance(one, ast.Name) else one.attr
        for one in functions
        if isinstance(one, ast.Name | ast.Attribute)
    ]


def not_rounded(words: str, code: Code, new: Snippet) -> str:
    """Nothing rounded, where that is what is told."""
    if not _ROUND.match(words) or _roundings(code.nodes):
        return ""
    return "" if _roundings(new.nodes) else does_not("round anything")


def _roundings(nodes: Sequence[ast.AST]) -> int:
    known = {"round", "ceil", "floor", "trunc", "int", "quantize", "rint", "around"}
    formats = [one for one in nodes if isinstance(one, ast.FormattedValue) and one.format_spec]
    divided = [one for one in nodes if isinstance(one, ast.FloorDiv)]
    return sum(name in known for name in calls(nodes)) + len(formats) + len(divided)


def not_added(words: str, code: Code, new: Snippet) -> str:
    """Something else than the function that is to be added."""
    told = _ADDED.match(words)
    if told is None or told["name"] in word_set(code.text):
        return ""
    return "" if told["name"] in word_set("\n".join(new.lines)) else does_not(f"add {told['name']}")


def word_set(text: str) -> set[str]:
    """The words of a text."""
    return set(re.findall(r"\w+", text))


def word_count(text: str, word: str) -> int:
    """How often a word stands in a text."""
    return len(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", text))
