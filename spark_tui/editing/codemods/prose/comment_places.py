"""Which comments an instruction tells: by how they begin, by where they stand, by what they are about."""

import io
import re
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from spark_tui.editing.codemods.common.said import plain_word, spans
from spark_tui.editing.snippet import Snippet

_TOOLS = re.compile(r"(?i)#\s*(type:|noqa|pragma|pylint|fmt:|nosec|isort|mypy|ruff|flake8|!|-\*-)")
_TOOLS_TOLD = {
    "type:": r"(?i)\btype: ?ig\w+|\bmypy\b|\big[nro]{3}es?\b", "noqa": r"(?i)\bno ?qa\b|\blint\w*|\bflake8|\bruff\b",
    "pragma": r"(?i)\bpragmas?\b|\bno ?cover", "pylint": r"(?i)\bpylint\b", "nosec": r"(?i)\bnosec|\bbandit\b",
    "fmt:": r"(?i)\bfmt\b|\bblack\b",
}  # fmt: skip
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_ORDER = {
    "first": 0,
    "1st": 0,
    "top": 0,
    "second": 1,
    "2nd": 1,
    "third": 2,
    "3rd": 2,
    "last": -1,
    "final": -1,
    "bottom": -1,
}
_NTH = re.compile(rf"(?i)\b({'|'.join(_ORDER)}) (?:({'|'.join(_COUNTS)}) )?(?:\w+ )?(?:lines? of )?comments?\b")
_LINES = re.compile(rf"(?i)\b(first|last) ({'|'.join(_COUNTS)}) (?:comment )?lines\b")
_TOP = re.compile(r"(?i)\bat the (?:very )?(top|start|beginning|end|bottom)\b")
_NEXT = re.compile(
    r"(?i)\b(?:above|before|over|on top of|in front of|on|at|next to|beside|behind|after|for) "
    r"(?:the |that |this )?(?:\w+ )??`?(if|elif|else|for|while|try|except|finally|return|raise|with|import|def|class"
    r"|yield|assert|break|continue|loop|check|assignment)\b"
)
_CALLED = {"loop": ("for", "while"), "check": ("if", "elif"), "assignment": ()}


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment from a 0-based line and column to the end of the line; `own`: nothing else is on the line."""

    line: int
    column: int
    text: str
    own: bool


def comments(snippet: Snippet) -> list[Comment]:
    """The comments that are for people."""
    return [one for one in every_comment(snippet) if not _TOOLS.match(snippet.lines[one.line][one.column :])]


def tool_comments(snippet: Snippet, instruction: str) -> list[Comment]:
    """Those for tools of the sort that is told."""
    told = [mark for mark, pattern in _TOOLS_TOLD.items() if re.search(pattern, instruction)]
    return (
        [
            one
            for one in every_comment(snippet)
            if _TOOLS.match(f"# {one.text}") and any(mark in one.text for mark in told)
        ]
        if told
        else []
    )


@lru_cache(8)
def every_comment(snippet: Snippet) -> tuple[Comment, ...]:
    """All comments in source order."""
    if not any("#" in line for line in snippet.lines):
        return ()
    text = io.StringIO("\n".join(snippet.lines) + "\n")
    try:
        tokens = [token for token in tokenize.generate_tokens(text.readline) if token.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):
        return ()
    return tuple(
        Comment(one.start[0] - 1, one.start[1], one.string.lstrip("# ").rstrip(), not one.line[: one.start[1]].strip())
        for one in tokens
    )


def blocks(found: Iterable[Comment]) -> list[list[Comment]]:
    """Comments on neighbouring lines of their own belong together."""
    joined: list[list[Comment]] = []
    for one in found:
        if joined and one.own and joined[-1][-1].own and joined[-1][-1].line == one.line - 1:
            joined[-1].append(one)
        else:
            joined.append([one])
    return joined


def comments_told(snippet: Snippet, found: Sequence[Comment], instruction: str) -> list[list[Comment]]:
    """The groups of comments that are told, the likeliest first; none where none is."""
    quoted = [one for one in found if begun(one, instruction)]
    for groups in (
        [quoted] if quoted else [],
        _placed(found, instruction),
        _beside(snippet, found, instruction),
        _about(found, instruction),
    ):
        if groups:
            return groups
    return []


def begun(one: Comment, instruction: str) -> bool:
    """Whether the beginning of a comment is quoted."""
    starts = [span.text.lstrip("# ").rstrip(".\u2026 ") for span in spans(instruction) if span.mark]
    return any(len(start) > 2 and one.text.startswith(start) for start in starts)


def _placed(found: Sequence[Comment], instruction: str) -> list[list[Comment]]:
    """Those told by number: the first two, the last one, three lines of comments, the ones at the top."""
    apart = blocks(found)
    if lines := _LINES.search(instruction):
        count = _COUNTS[lines[2].lower()]
        return [list(found[:count] if lines[1].lower() == "first" else found[-count:])]
    nth = _NTH.search(instruction)
    if nth and nth[2]:
        count, first = _COUNTS[nth[2].lower()], _ORDER[nth[1].lower()] == 0
        chosen = apart[:count] if first else apart[-count:]
        ways = [list(found[:count] if first else found[-count:]), [one for block in chosen for one in block]]
        return ways if "line" in nth[0] else ways[::-1]
    place = _ORDER[nth[1].lower()] if nth else None
    if place is None and (top := _TOP.search(instruction)):
        place = -1 if top[1].lower() in ("end", "bottom") else 0
    return [apart[place]] if place is not None and -len(apart) <= place < len(apart) else []


def _beside(snippet: Snippet, found: Sequence[Comment], instruction: str) -> list[list[Comment]]:
    """Those above or on a statement that is told by its keyword."""
    told = [match[1].lower() for match in _NEXT.finditer(instruction)]
    words = {keyword for one in told for keyword in _CALLED.get(one, (one,))}
    return [block for block in blocks(found) if _keyword(_code_of(snippet, block)) in words]


def _keyword(line: str) -> str:
    return next(iter(re.findall(r"\w+", line.strip().removeprefix("async "))), "")


def _code_of(snippet: Snippet, block: Sequence[Comment]) -> str:
    last = block[-1]
    if not last.own:
        return snippet.lines[last.line]
    return next((line for line in snippet.lines[last.line + 1 :] if line.strip()), "")


def _about(found: Sequence[Comment], instruction: str) -> list[list[Comment]]:
    """Those that share the most words with the instruction, if any."""
    told = {word.lower() for word in re.findall(r"\w{3,}", instruction) if not plain_word(word)} - {
        "comment",
        "comments",
    }
    shares = [
        (len(told & {word.lower() for one in block for word in re.findall(r"\w{3,}", one.text)}), block)
        for block in blocks(found)
    ]
    most = max((share for share, _ in shares), default=0)
    return [block for share, block in shares if share == most and most]
