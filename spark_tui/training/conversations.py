"""Turns written conversations into requests that go on from one another.

Conversations are about small projects of our own: what people ask about them turn by turn.

A file of conversations is text. `########` begins a project, `=== NAME` one of its files, `***` a
conversation, which starts from the files as they are given. `--- WORDS` is a turn. Below the words
stand the edits of the turn, each a block of `<<<<`, whole old lines, `====`, new lines, `>>>>`; the
old lines occur once in all files. A turn without blocks wants nothing. `---only` marks words that
are about that place alone, so that nothing is due anywhere else. The answer to a turn that begins
with `---no` was rejected: the next turn corrects its words, and begins from the same files.

`asked_again` asks the words of an edit again behind that edit. The right answer is what is left of
the request, or that nothing is. A turn is sure only where the model finds nothing left to do, so
the model is taught to tell a whole edit from half of one. The code, the words and the edits are
those of other requests.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

from spark_tui.context.symbols import Symbol, outline_of, symbols
from spark_tui.editing.formats.quoted import write_quoted
from spark_tui.errors import UsageError
from spark_tui.training.rows import after_of

Lines = tuple[str, ...]
Files = Mapping[str, Lines]

MOST_WHOLE = 120
"""Lines of a file that is a region as a whole now and then."""
WHOLE = 1 / 3
UNRELATED = 1 / 3
ELSEWHERE = 0.6
"""Shares: of turns also asked about the whole file, of conversations that begin behind an
unrelated edit, and of turns about one place only that are also asked where nothing is due.
"""
_PROJECT = "########"
_FILE = "=== "
_CONVERSATION = "***"
_TURN = "---"
_OLD = "<<<<"
_NEW = "===="
_END = ">>>>"
_ONLY = "only"
_REJECTED = "no"


@dataclass(frozen=True, slots=True)
class Block:
    """Old lines, and the lines that take their place."""

    old: Lines
    new: Lines


@dataclass(slots=True)
class TaughtTurn:
    """A turn of a conversation.

    Attributes:
        words: The words of the user.
        only: Whether the words are about one place alone.
        rejected: Whether the user rejected the edit.
        blocks: The edit.
    """

    words: str
    only: bool = False
    rejected: bool = False
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Project:
    """Files, and conversations that begin from them."""

    files: Files
    conversations: Sequence[Sequence[TaughtTurn]]


@dataclass(frozen=True, slots=True)
class TaughtEdit:
    """A turn, carried out on the files as the user sees them.

    Attributes:
        turn: The turn.
        path: The file that the turn edits; None where the turn wants nothing.
        before: The files before the turn.
        after: The files after the turn.
    """

    turn: TaughtTurn
    path: str | None
    before: Files
    after: Files


@dataclass(frozen=True, slots=True)
class Span:
    """Lines `start` to `stop` (0-based, exclusive) of a file, shown to the model as a region."""

    path: str
    start: int
    stop: int


def read_conversations(path: Path) -> Iterator[Project]:
    """Read the projects of a file, gzipped where its name ends in `.gz`.

    Raises:
        UsageError: The file cannot be read, or does not follow the format.
    """
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, EOFError, ValueError) as error:
        raise UsageError(
            f"{path} cannot be read ({error}); give a file of conversations"
        ) from error
    for section in text.split(f"{_PROJECT}\n"):
        if section.strip():
            try:
                yield _parse_project(section.split("\n"))
            except ValueError as error:
                raise UsageError(f"{path}: {error}") from error


def region_rows(projects: Iterable[Project], seed: int = 0) -> Iterator[dict[str, Any]]:
    """Make regions with their requests, as lines of a file of requests (see `rows`).

    Each turn becomes a request about the function it edits, and for every third turn about the
    whole file. The accepted turn before goes along as `previous`, rejected ones as `earlier`. What
    is said of one place only asks for nothing at another.
    """
    for project in projects:
        rng = Random(f"{seed} {_key(project)}")
        regions: dict[tuple[str, Lines], dict[str, Any]] = {}
        for opening, edits in _played(project, rng):
            for span, lines, request in _requests(edits, opening, rng):
                row = {"path": span.path, "code": "\n".join(lines), "requests": []}
                # Requests about the same lines share a region, and later a row of tokens.
                regions.setdefault((span.path, lines), row)["requests"].append(request)
        yield from regions.values()


def is_held_out(project: Project, share: int) -> bool:
    """Decide by its code whether a project, one in `share`, is kept from training."""
    return _key(project) % share == 0


def play(files: Files, conversation: Sequence[TaughtTurn]) -> Iterator[TaughtEdit]:
    """Carry out the turns of a conversation one after the other.

    Raises:
        ValueError: The old lines of a block do not occur exactly once, or one turn edits several
            files.
    """
    now = files
    for turn in conversation:
        after, path = _apply(now, turn)
        yield TaughtEdit(turn, path, now, after)
        if not turn.rejected:
            now = after


def _parse_project(lines: Sequence[str]) -> Project:
    start = next((n for n, line in enumerate(lines) if line.startswith(_CONVERSATION)), len(lines))
    return Project(_parse_files(lines[:start]), _parse_conversations(lines[start:]))


def _parse_files(lines: Sequence[str]) -> Files:
    files: dict[str, list[str]] = {}
    code: list[str] = []
    for line in lines:
        if line.startswith(_FILE):
            code = files.setdefault(line.removeprefix(_FILE).strip(), [])
        else:
            code.append(line)
    if not files:
        raise ValueError("a project has no files")
    return {path: _trimmed(code) for path, code in files.items()}


def _parse_conversations(lines: Sequence[str]) -> list[list[TaughtTurn]]:
    conversations: list[list[TaughtTurn]] = []
    old: list[str] = []
    new: list[str] = []
    part: list[str] | None = None
    """The part of a block that a line belongs to; None outside of blocks."""
    for line in lines:
        if line.startswith(_CONVERSATION):
            conversations.append([])
        elif line.startswith(_TURN):
            conversations[-1].append(_parse_turn(line))
        elif line.startswith(_OLD):
            old = []
            new = []
            part = old
        elif line.startswith(_NEW):
            part = new
        elif line.startswith(_END):
            conversations[-1][-1].blocks.append(Block(tuple(old), tuple(new)))
            part = None
        elif part is not None:
            part.append(line)
    return conversations


def _parse_turn(line: str) -> TaughtTurn:
    mark, _, words = line.removeprefix(_TURN).partition(" ")
    if mark not in {"", _ONLY, _REJECTED} or not words.strip():
        raise ValueError(f"not a turn: {line[:60]!r}")
    return TaughtTurn(words.strip(), only=mark == _ONLY, rejected=mark == _REJECTED)


def _trimmed(code: Sequence[str]) -> Lines:
    filled = [number for number, line in enumerate(code) if line.strip()]
    return tuple(code[filled[0] : filled[-1] + 1]) if filled else ()


def _apply(files: Files, turn: TaughtTurn) -> tuple[Files, str | None]:
    now = dict(files)
    edited: set[str] = set()
    for block in turn.blocks:
        places: list[tuple[str, int]] = []
        for path, lines in now.items():
            places += [(path, start) for start in _occurrences(lines, block.old)]
        if len(places) != 1:
            raise ValueError(f"the old lines of {turn.words!r} occur {len(places)} times")
        path, start = places[0]
        lines = now[path]
        now[path] = (*lines[:start], *block.new, *lines[start + len(block.old) :])
        edited.add(path)
    if len(edited) > 1:
        raise ValueError(f"{turn.words!r} edits several files")
    return now, next(iter(edited), None)


def _occurrences(lines: Lines, part: Lines) -> list[int]:
    size = len(part)
    return [start for start in range(len(lines) - size + 1) if lines[start : start + size] == part]


def _played(
    project: Project, rng: Random
) -> Iterator[tuple[dict[str, Any] | None, list[TaughtEdit]]]:
    """Play every conversation; before every third one, an unrelated edit was accepted.

    Returns:
        That edit as a request tells it, or None, and the edits of the conversation.
    """
    for conversation in project.conversations:
        opening = rng.choice(project.conversations)[0]
        unrelated = bool(opening.blocks) and not opening.rejected and opening is not conversation[0]
        if unrelated and rng.random() < UNRELATED:
            try:
                # The opening edit changes the files, so the conversation is played behind it.
                first, *edits = play(project.files, [opening, *conversation])
            except ValueError:
                pass  # both edit the same lines
            else:
                span = next(_spans(first, None, rng))
                yield _as_previous(first, span), edits
                continue
        yield None, list(play(project.files, conversation))


def _requests(
    edits: Sequence[TaughtEdit], previous: dict[str, Any] | None, rng: Random
) -> Iterator[tuple[Span, Lines, dict[str, Any]]]:
    """Make the regions and requests of a conversation's turns."""
    last: Span | None = None
    rejected: list[str] = []
    for edit in edits:
        turn = edit.turn
        # the next turn that is not rejected corrects all of these words
        if turn.rejected:
            rejected.append(turn.words)
            continue
        context: dict[str, Any] = {"words": turn.words}
        if previous:
            context["previous"] = previous
        if rejected:
            context["earlier"] = rejected
        spans = list(_spans(edit, last, rng))
        for span in spans:
            before, after = _region(edit, span)
            yield span, before, context | {"after": "\n".join(after)}
        # The same words at another place, where the right answer is no edit.
        if turn.only and edit.path and rng.random() < ELSEWHERE:
            for span in _other_spans(edit, spans[0], rng):
                code = edit.before[span.path][span.start : span.stop]
                yield span, code, context | {"after": "\n".join(code), "elsewhere": True}
        rejected = []
        if edit.path:
            last = spans[0]
            previous = _as_previous(edit, last)


def _as_previous(edit: TaughtEdit, span: Span) -> dict[str, Any]:
    before, after = _region(edit, span)
    return {"path": span.path, "words": edit.turn.words, "script": write_quoted(before, after)}


def _region(edit: TaughtEdit, span: Span) -> tuple[Lines, Lines]:
    """The lines of a region before and after an edit that lies within the region."""
    before = edit.before[span.path]
    after = edit.after[span.path]
    grown = len(after) - len(before)
    return before[span.start : span.stop], after[span.start : span.stop + grown]


def _spans(edit: TaughtEdit, last: Span | None, rng: Random) -> Iterator[Span]:
    """Yield the regions of a turn: the function that it edits, and now and then the whole file."""
    path = edit.path
    if not path:
        path = last.path if last else rng.choice(list(edit.before))
    lines = edit.before[path]
    holders = _symbols(path, lines)
    if edit.path:
        first, stop = _changed(lines, edit.after[path])
        # an insertion at the top of a file has no line above it
        stop = max(stop, first + 1)
        holders = [symbol for symbol in holders if symbol.contains(first + 1, stop)]
    else:
        # a turn that wants nothing is asked about any function
        rng.shuffle(holders)
        holders = holders[:1]
    inner = min(holders, key=lambda symbol: symbol.length, default=None)
    if inner is not None:
        yield Span(path, inner.start_line - 1, inner.end_line)
    if inner is None or (len(lines) <= MOST_WHOLE and rng.random() < WHOLE):
        yield Span(path, 0, len(lines))


def _changed(before: Lines, after: Lines) -> tuple[int, int]:
    """Return the first changed line and the end of the last one, from 0.

    An insertion belongs to the line above.
    """
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    firsts = []
    stops = []
    for tag, start, stop, _, _ in matcher.get_opcodes():
        if tag == "equal":
            continue
        first = start
        if start == stop:  # an insertion is about the line above it, too
            first = max(start - 1, 0)
        firsts.append(first)
        stops.append(stop)
    return min(firsts), max(stops)


def _other_spans(edit: TaughtEdit, edited: Span, rng: Random) -> list[Span]:
    """Choose a function that the words of an edit are not about."""
    others = []
    for path, lines in edit.before.items():
        for symbol in _symbols(path, lines):
            span = Span(path, symbol.start_line - 1, symbol.end_line)
            if not _meet(span, edited):
                others.append(span)
    return rng.sample(others, min(1, len(others)))


def _meet(left: Span, right: Span) -> bool:
    return left.path == right.path and left.start < right.stop and right.start < left.stop


def _symbols(path: str, lines: Lines) -> list[Symbol]:
    if path.endswith((".py", ".pyi")):
        return list(symbols(lines))
    return list(outline_of(path, lines))


def _key(project: Project) -> int:
    lines = chain.from_iterable(project.files.values())
    return zlib.crc32("\n".join(lines).encode())


WHOLE_EDIT = 0.04
HALF = 0.25
"""Shares of edits that are asked again: when all is done, and, of edits in several places, when
some places are.
"""


def asked_again(rows: Iterable[dict[str, Any]], seed: int = 0) -> Iterator[dict[str, Any]]:
    """Make regions in which an edit, or some of its places, is done, and the same words come again.

    Args:
        rows: Lines of a file of requests (see `rows`).
        seed: Decides which requests are taken.
    """
    rng = Random(seed)
    for row in rows:
        before = row["code"].split("\n")
        for request in row["requests"]:
            after = after_of(row, request)
            if after == before or request.get("earlier") or request.get("previous"):
                continue
            places = _places(before, after)
            if len(places) > 1 and rng.random() < HALF:
                done = rng.sample(places, rng.randrange(1, len(places)))
                partly = _with_places(before, after, done)
                yield _again(row, request, before, partly, after)
            if rng.random() < WHOLE_EDIT:
                yield _again(row, request, before, after, after)


def _again(
    row: dict[str, Any],
    request: dict[str, Any],
    before: list[str],
    now: list[str],
    after: list[str],
) -> dict[str, Any]:
    words = request["words"]
    previous = {"path": row["path"], "words": words, "script": write_quoted(before, now)}
    again = {"words": words, "previous": previous, "after": "\n".join(after), "elsewhere": True}
    return {"path": row["path"], "code": "\n".join(now), "requests": [again]}


_Place = tuple[int, int, int, int]
"""Old lines and the new ones that take their place, as 0-based first and end."""


def _places(before: Sequence[str], after: Sequence[str]) -> list[_Place]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"]


def _with_places(before: Sequence[str], after: Sequence[str], done: Sequence[_Place]) -> list[str]:
    lines = list(before)
    # from the end, so that the line numbers before stay right
    for i1, i2, j1, j2 in sorted(done, reverse=True):
        lines[i1:i2] = after[j1:j2]
    return lines
