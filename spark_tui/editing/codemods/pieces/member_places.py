"""Where a new member of a collection goes, and how it is laid out."""

import ast
import re
from collections.abc import Sequence

from spark_tui.editing.code import MAX_WIDTH, end_of, indentation, splice, start_of, text_of
from spark_tui.editing.codemods.pieces.members import Holder
from spark_tui.editing.snippet import Snippet

_EMPTY = ("{}", "[]")
_FIRST = re.compile(r"\b(?:at the (?:start|beginning|front)|up front|as the first|first in|prepend)\b")


def extended(before: Snippet, holder: Holder, texts: Sequence[str], instruction: str = "") -> list[str] | None:
    """The lines with more members, at the end or where the words or the order of the others tell."""
    node = holder.node
    if holder.shape == "lone":
        old = text_of(before, node)
        return (
            _spliced(before, start_of(before, node), end_of(before, node), f"({', '.join([old, *texts])})")
            if old
            else None
        )
    if holder.shape in ("chain", "test"):
        return _alternated(before, holder, texts[0])
    if not holder.members:
        return None
    return inserted(before, holder, texts, _place(before, holder, texts, instruction))


def inserted(before: Snippet, holder: Holder, texts: Sequence[str], at: int) -> list[str] | None:
    """The lines with more members of a collection from the place `at` on."""
    node = holder.node
    ends = node.values if isinstance(node, ast.Dict) else holder.members
    if not ends:
        written = text_of(before, node)
        made = f"{written[:1]}{', '.join(texts)}{written[1:]}"
        return _spliced(before, start_of(before, node), end_of(before, node), made) if written in _EMPTY else None
    if at == 0:
        first = holder.members[0]
        return _before(before, holder, start_of(before, first), texts)
    return _after(before, holder, end_of(before, ends[at - 1]), texts, last=at == len(ends))


def _place(before: Snippet, holder: Holder, texts: Sequence[str], instruction: str) -> int:
    if _FIRST.search(instruction):
        return 0
    found = [text_of(before, one) for one in holder.members]
    for side, offset in (("after", 1), ("below", 1), ("behind", 1), ("before", 0), ("above", 0)):
        for number, one in enumerate(found):
            name = one.strip("'\"")
            if not name or name not in instruction:
                continue
            if re.search(rf"\b{side} (?:the )?[`'\"]?{re.escape(name)}(?!\w)", instruction):
                return number + offset
    key = texts[0].split(":")[0]
    if len(found) > 3 and found == sorted(found) and len(set(map(len, found))) > 1 and len(texts) == 1:
        return sum(one < key for one in found)
    return len(found)


def _spliced(before: Snippet, start: tuple[int, int], end: tuple[int, int], text: str) -> list[str] | None:
    after = splice(before.lines, start, end, text)
    changed = [line for line in after if line not in before.lines]
    return None if any(len(line) > MAX_WIDTH for line in changed) else after


def _after(
    before: Snippet, holder: Holder, at: tuple[int, int], texts: Sequence[str], *, last: bool
) -> list[str] | None:
    row, column = at
    line = before.lines[row]
    rest = line[column:]
    if _own_lines(before, holder):
        found = re.match(r"(\s*,)?\s*(?:#.*)?$", rest)
        if not found:
            return None
        indent = indentation(before.lines[start_of(before, holder.members[-1])[0]])
        comma = "," if found[1] or not last else ""
        new = [f"{indent}{text}," for text in texts]
        if last and not comma:
            new[-1] = new[-1][:-1]
        head = line if found[1] else line[:column] + "," + rest
        lines = [*before.lines[:row], head, *new, *before.lines[row + 1 :]]
        return lines if all(len(one) <= MAX_WIDTH for one in new) else None
    joined = "".join(f", {text}" for text in texts)
    return _spliced(before, at, at, joined)


def _before(before: Snippet, holder: Holder, at: tuple[int, int], texts: Sequence[str]) -> list[str] | None:
    if _own_lines(before, holder):
        indent = indentation(before.lines[at[0]])
        return [*before.lines[: at[0]], *(f"{indent}{text}," for text in texts), *before.lines[at[0] :]]
    return _spliced(before, at, at, "".join(f"{text}, " for text in texts))


def _own_lines(before: Snippet, holder: Holder) -> bool:
    """Whether each member has a line to itself."""
    rows = [start_of(before, one)[0] for one in holder.members]
    opening = start_of(before, holder.node)[0]
    return opening not in rows and len(set(rows)) == len(rows)


def _alternated(before: Snippet, holder: Holder, text: str) -> list[str] | None:
    """One more comparison; a single `==` becomes `in (...)`."""
    node, part = holder.node, holder.members[-1]
    last: ast.expr = node.values[-1] if isinstance(node, ast.BoolOp) else node
    assert isinstance(last, ast.Compare)
    source, old = text_of(before, last), text_of(before, part)
    if not source or not old or (isinstance(node, ast.BoolOp) and node.lineno != node.end_lineno):
        return None
    if holder.shape == "test" and isinstance(last.ops[0], ast.Eq):
        subject = text_of(before, last.comparators[0] if last.left is part else last.left)
        return (
            _spliced(before, start_of(before, last), end_of(before, last), f"{subject} in ({old}, {text})")
            if subject
            else None
        )
    if isinstance(last.ops[0], ast.In) and last.left is not part:
        return None
    offset = start_of(before, part)[1] - start_of(before, last)[1]
    more = source[:offset] + text + source[offset + len(old) :]
    end = end_of(before, last)
    if holder.shape == "test" and _tight(before, last):
        return None
    return _spliced(before, end, end, f" or {more}")


def _tight(before: Snippet, node: ast.expr) -> bool:
    """Whether something stands beside a comparison that an `or` would not go with."""
    start, end = start_of(before, node), end_of(before, node)
    left, right = before.lines[start[0]][: start[1]], before.lines[end[0]][end[1] :]
    return bool(re.search(r"\b(?:and|not)\s*$", left) or re.match(r"\s*(?:and|==|!=|in|not)\b", right))
