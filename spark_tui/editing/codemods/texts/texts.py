"""The texts of a region, piece by piece as they stand on its lines, and which of them an instruction means."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from spark_tui.editing.code import Function, docstring_node, end_of, start_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

FIELD = re.compile(
    r"(?<!\{)\{((?:[^{}'\"!:]|'[^']*'|\"[^\"]*\"|!=|\{[^{}]*\})+)(![rsa])?(:[^{}]*(?:\{[^{}]*\})?)?\}(?!\})"
)
_PIECE = re.compile(r"""([fFrRbBuU]{0,2})("(?!"")((?:[^"\\]|\\.)*)"|'(?!'')((?:[^'\\]|\\.)*)')""")
_TAGS = {
    "raise": r"\berrors?\b|\bexceptions?\b|\brais\w+", "print": r"\bprint\w*|\boutput\b|\becho",
    "log": r"\blog\w*|\bdebug\b|\binfo\b", "warn": r"\bwarn\w*", "return": r"\breturn\w*", "assert": r"\bassert\w*",
}  # fmt: skip
_MESSAGE = re.compile(r"\bmessages?\b")
_PASSING = (ast.expr, ast.keyword)
_TAGGED = (ast.Raise, ast.Return, ast.Assert, ast.Assign, ast.AnnAssign, ast.keyword, ast.Call)
_BARE = (ast.Name, ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
_ORDER = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "last": -1, "final": -1}
_NOUN = r"(?:\w+ )?(?:message|error|exception|print|log|text|string|return|warning|assert|line|one|raise)"
_EVERY = re.compile(r"\b(?:both|all|each|every|everywhere|throughout|these|those|(?:the )(?:two|three))\b")
_SEVERAL = re.compile(r"\b(?:message|error|exception|print|log|warning|return|text|string|label)s\b")
_MOST = 6


@dataclass(frozen=True, slots=True)
class Text:
    """What stands between two quotation marks on one line. `first`, `last`: of the literal it is a piece of.

    `tags`: what people tell it by: the statement, the class raised, the call, the name it goes to.
    """

    row: int
    start: int
    end: int
    content: str
    prefix: str
    mark: str
    first: bool
    last: bool
    tags: frozenset[str]

    @property
    def formatted(self) -> bool:
        """Whether it is (a piece of) an f-string."""
        return "f" in self.prefix

    @property
    def fields(self) -> list[re.Match[str]]:
        """The fields of an f-string."""
        return list(FIELD.finditer(self.content)) if self.formatted else []


@lru_cache(8)
def texts(snippet: Snippet) -> tuple[Text, ...]:
    """Every piece of a string but docstrings, raw ones and those in triple quotes, in source order."""
    found: list[Text] = []
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(snippet.tree, frozenset())]
    while waiting:
        node, tags = waiting.pop()
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            found += _pieces(snippet, node, tags)
            continue
        skipped = docstring_node(node) if isinstance(node, ast.Module | ast.ClassDef | Function) else None
        below = tags if isinstance(node, _PASSING) else frozenset()
        below = below | _tags(node) if isinstance(node, _TAGGED) else below
        waiting += [
            (child, below)
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, _BARE) and child is not skipped
        ]
    return tuple(sorted(found, key=lambda one: (one.row, one.start)))


def _tags(node: ast.AST) -> frozenset[str]:
    found: set[str] = set()
    match node:
        case ast.Raise(exc=ast.Call(func=func)):
            found = {"raise", (dotted(func) or "").rpartition(".")[2]}
        case ast.Return():
            found = {"return"}
        case ast.Assert():
            found = {"assert"}
        case ast.Assign(targets=[ast.Name(id=name) | ast.Attribute(attr=name)]) | ast.keyword(arg=str(name)):
            found = {name}
        case ast.AnnAssign(target=ast.Name(id=name) | ast.Attribute(attr=name)):
            found = {name}
        case ast.Call(func=func) if path := dotted(func):
            sorts = ("print", "echo", "log", "warn")
            found = {path.rpartition(".")[2]} | {sort for sort in sorts if sort in path.lower()}
            found |= {"print"} if "echo" in path else set()
    return frozenset(found - {""})


def _pieces(snippet: Snippet, node: ast.expr, tags: frozenset[str]) -> Iterator[Text]:
    (top, left), (bottom, right) = start_of(snippet, node), end_of(snippet, node)
    if bottom >= len(snippet.lines):
        return
    found: list[tuple[int, re.Match[str]]] = []
    for row in range(top, bottom + 1):
        at = left if row == top else len(snippet.lines[row]) - len(snippet.lines[row].lstrip())
        stop = right if row == bottom else len(snippet.lines[row])
        while at < stop and (match := _PIECE.match(snippet.lines[row], at, stop)):
            found.append((row, match))
            at = (
                match.end()
                + len(snippet.lines[row][match.end() : stop])
                - len(snippet.lines[row][match.end() : stop].lstrip())
            )
    for index, (row, match) in enumerate(found):
        prefix, content = match[1].lower(), match[2][1:-1]
        if "r" not in prefix and "b" not in prefix:
            start = match.start(2) + 1
            yield Text(
                row, start, start + len(content), content, prefix, match[2][0],
                index == 0, index == len(found) - 1, tags,
            )  # fmt: skip


def meant(found: Sequence[Text], request: Request) -> list[list[Text]]:
    """The groups of texts that may be meant, the likeliest first; several at once where the words say so."""
    lower = request.instruction.lower()
    some = list(found)
    if request.selected:
        first, last = request.selected
        some = [one for one in some if first <= one.row <= last]
    for told in (_quoting(some, request.instruction), _tagged(some, request.instruction)):
        some = told or some
    for word, place in _ORDER.items():
        if re.search(rf"\b{word} {_NOUN}", lower) and len(some) > 1:
            own = [one for one in some if one.first]
            some = _whole(some, own[place]) if -len(own) <= place < len(own) else some
    if _EVERY.search(lower):
        return [some] if some else []
    together = _SEVERAL.search(lower) or not any(one.first for one in some[1:])
    several = [some] if together and len(some) > 1 else []
    return several + [[one] for one in some[:_MOST]]


def named(found: Iterable[Text], instruction: str) -> list[Text]:
    """Those that go to a name of which a word is said."""
    words = set(re.findall(r"[a-z]{3,}", instruction.lower()))
    return [one for one in found if any(words & set(tag.lower().split("_")) for tag in one.tags)]


def _whole(found: Sequence[Text], first: Text) -> list[Text]:
    """A piece with those of the same literal below it."""
    behind = list(found[found.index(first) + 1 :])
    stop = next((place for place, one in enumerate(behind) if one.first), len(behind))
    return [first, *behind[:stop]]


def _quoting(found: Iterable[Text], instruction: str) -> list[Text]:
    """Those of which a part is quoted."""
    told = [span.text for span in spans(instruction) if span.mark and len(span.text) > 2]
    return [one for one in found if any(part in one.content for part in told)]


def _tagged(found: Iterable[Text], instruction: str) -> list[Text]:
    found, words = list(found), set(re.findall(r"\w+", instruction))
    sure = [one for one in found if words & {tag for tag in one.tags if not tag.islower() or "_" in tag}]
    lower = instruction.lower()
    sorts = {tag for tag, pattern in _TAGS.items() if re.search(pattern, lower)}
    told = [one for one in sure or found if one.tags & sorts]
    if not told and _MESSAGE.search(lower):
        told = [
            one for one in sure or found if one.tags & {"raise", "print", "log", "warn", "assert", "msg", "message"}
        ]
    return told or sure or named(found, instruction)


def with_contents(snippet: Snippet, changes: Iterable[tuple[Text, str]]) -> list[str]:
    """The lines with other contents in some texts; a quotation mark within is escaped."""
    lines = list(snippet.lines)
    for one, new in sorted(changes, key=lambda change: (change[0].row, -change[0].start)):
        line = lines[one.row]
        opening = one.start - 1 - len(one.prefix)
        source = written(one, new)
        lines[one.row] = line[:opening] + source + line[one.end + 1 :]
    return lines


def written(one: Text, content: str) -> str:
    """A piece with another content as source; an f-string where it has fields now."""
    mark, other = one.mark, "'" if one.mark == '"' else '"'
    if re.search(rf"(?<!\\){mark}", content):
        mark = other if other not in content else mark
    if mark == one.mark:
        content = re.sub(rf"(?<!\\){mark}", rf"\\{mark}", content)
    return f"{_prefix(one, content)}{mark}{content}{mark}"


def _prefix(one: Text, content: str) -> str:
    """That of an f-string where the first field comes in, unless the text is filled in another way."""
    plain = not one.formatted and not re.search(r"[{}]|%[\w(.]", one.content)
    fresh = plain and any(re.match(r"[^\W\d]", field[1]) for field in FIELD.finditer(content))
    return "f" + one.prefix.replace("u", "") if fresh else one.prefix
