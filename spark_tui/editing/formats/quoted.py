"""The edit format that `spark-m` is taught: lines quoted, changed and renamed.

The edit format of language models: old lines quoted, new lines written, as in a diff without line
numbers.

A script is a list of lines. `-text` takes away the next line of the region with that text, ` text`
only moves past it, `+text` adds a line where the last quoted one stood; what is not quoted stays.
`rename old new` renames an identifier throughout, `none` changes nothing; each of the two stands
without lines of the other kinds. What is skipped lies always below what was quoted last, so a
script is read from top to bottom once, and each closed line of it is final. Knows no tokens and no
files.

A script that quotes, read as it is written, in pieces of any size: it knows no tokens.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import product
from operator import eq
from pathlib import PurePath

from spark_tui.editing.identifiers import names_in, substitute
from spark_tui.errors import SparkError

KEEP = " "
DROP = "-"
ADD = "+"
RENAME = "rename "
NONE = "none"
MOST_RENAMES = 3
MOST_PREVIOUS_LINES = 16
"""Lines of the script of an accepted edit that a prompt repeats."""


class QuotingError(SparkError):
    """A script that does not fit its region."""


@dataclass(frozen=True, slots=True)
class PreviousEdit:
    """The last edit that the user accepted: the words that asked for it, its file, and its
    script.
    """

    path: str
    words: str
    script: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuotedRequest:
    """What is asked of a region.

    `selected` holds the lines of the region that the user marked. `earlier` holds the words of this
    turn that these words correct. `previous` is the accepted edit that these words may go on from.
    """

    path: str
    lines: tuple[str, ...]
    words: str
    selected: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    previous: PreviousEdit | None = None


def region_pieces(path: str, lines: Sequence[str]) -> list[str]:
    """The beginning of a prompt, the same for all requests of a region.

    Each piece is made tokens of by itself.
    """
    return [f"### File {PurePath(path).name}\n", *(line + "\n" for line in lines)]


def request_pieces(request: QuotedRequest) -> list[str]:
    """The rest of the prompt."""
    pieces = previous_pieces(request.previous) if request.previous else []
    if request.earlier:
        pieces += ["### Earlier\n", *(words + "\n" for words in request.earlier)]
    if request.selected:
        pieces += ["### Selected\n", *(line + "\n" for line in request.selected)]
    return [*pieces, "### Request\n", request.words.strip() + "\n", "### Edit\n"]


def previous_pieces(previous: PreviousEdit) -> list[str]:
    """The accepted edit as the prompt tells it: a long script is cut, since its first lines say
    what was done.
    """
    script = previous.script[:MOST_PREVIOUS_LINES]
    return [
        f"### Before {PurePath(previous.path).name}\n",
        previous.words.strip() + "\n",
        *script_pieces(script),
    ]


def script_pieces(script: Sequence[str]) -> list[str]:
    """A script as pieces: a quoted or added line is its mark and its text, which has then the
    tokens it has above.
    """
    pieces: list[str] = []
    for line in script:
        pieces += [line[0], line[1:] + "\n"] if line[:1] in (KEEP, DROP, ADD) else [line, "\n"]
    return pieces


def is_script(lines: Sequence[str], region: Sequence[str]) -> bool:
    """Whether lines are a script for a region, or go on from a prompt for one.

    A list of points is none, though each of its lines may begin with `-`.
    """
    solid = [line for line in lines if line.strip()]
    if any(line in ("### Request", "### Edit") for line in solid):
        return True
    if len(solid) == 1 and solid[0] == NONE:
        return True
    if solid and all(line.startswith(RENAME) and len(line.split()) == 3 for line in solid):
        return True
    quoted = [line[1:] for line in solid if line[0] in (KEEP, DROP)]
    added = [line for line in solid if line[0] == ADD]
    known = set(region)
    is_whole = len(quoted) + len(added) == len(solid)
    return is_whole and bool(quoted) and all(line in known for line in quoted)


def next_lines(lines: Sequence[str], at: int) -> dict[str, int]:
    """What may be quoted from line `at` on: each text, and the first line that has it."""
    found: dict[str, int] = {}
    for number in range(at, len(lines)):
        found.setdefault(lines[number], number)
    return found


def apply_quoted(lines: Sequence[str], script: Sequence[str]) -> list[str]:
    """The region as a script makes it.

    Raises:
        QuotingError: It does not fit.
    """
    applied = Applied(lines)
    for line in script:
        applied.take(line)
    return applied.result()


class Applied:
    """A region while a script is read, line by line.

    Mutable.

    `at`: the first line of the region that is not passed yet. `closed`: what stands for the lines
    above it.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = list(lines)
        self.at = 0
        self.closed: list[str] = []
        self._left = 0, 0
        """Of `closed` and of the region, the lines above the place that may still be written on."""

    def take(self, line: str) -> None:
        """Go on by one line of a script.

        Raises:
            QuotingError.
        """
        mark = line[:1]
        text = line[1:]
        if line.startswith(RENAME):
            self._rename(line)
        elif line == NONE:
            return
        elif mark == ADD:
            self.closed.append(text)
        elif mark in (KEEP, DROP):
            self._pass(text, keep=mark == KEEP)
        else:
            raise QuotingError(f"not a line of a script: {line[:60]!r}")

    def result(self) -> list[str]:
        """The region as if the script ended here."""
        return self.closed + self.rest()

    def settled(self) -> list[str]:
        """The region with those places only that are left: what is taken away may be about to
        come back otherwise.
        """
        closed, at = self._left
        return self.closed[:closed] + self._lines[at:]

    def rest(self) -> list[str]:
        """The lines that are not passed yet."""
        return self._lines[self.at :]

    def _pass(self, text: str, *, keep: bool) -> None:
        try:
            found = self._lines.index(text, self.at)
        except ValueError:
            raise QuotingError(f"no such line below: {text[:60]!r}") from None
        skipped = self._lines[self.at : found + keep]
        self.closed += skipped
        if skipped:
            self._left = len(self.closed), found + keep
        self.at = found + 1

    def _rename(self, line: str) -> None:
        names = line.removeprefix(RENAME).split(" ")
        if len(names) != 2 or not all(names):
            raise QuotingError(f"a renaming has two names: {line[:60]!r}")
        self._lines = substitute(self._lines, *names)


def write_quoted(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The canonical script of an edit; `apply_quoted` makes `after` of it again, always."""
    if list(before) == list(after):
        return [NONE]
    return _renaming(before, after) or list(_line_script(before, after))


def _renaming(before: Sequence[str], after: Sequence[str]) -> list[str] | None:
    """The edit as renamings of identifiers, where it is that and nothing else, in two lines or
    more.
    """
    changed = [(old, new) for old, new in zip(before, after, strict=False) if old != new]
    if len(before) != len(after) or len(changed) < 2:
        return None
    lines = list(before)
    script = list[str]()
    known = names_in("\n".join(before))
    while lines != list(after) and len(script) < MOST_RENAMES:
        pair = _first_renamed(lines, after, known)
        if pair is None:
            return None
        lines = substitute(lines, *pair)
        script.append(f"{RENAME}{pair[0]} {pair[1]}")
    return script if lines == list(after) else None


def _first_renamed(
    lines: Sequence[str], after: Sequence[str], known: set[str]
) -> tuple[str, str] | None:
    old_line, new_line = next(
        (old, new) for old, new in zip(lines, after, strict=True) if old != new
    )
    old_names = names_in(old_line)
    new_names = names_in(new_line)
    gone = sorted(old_names - new_names)
    come = sorted(new_names - old_names - known)
    if len(gone) != len(come) or not gone:
        return None
    equal = sum(map(eq, lines, after))
    for old, new in product(gone, come):
        if (
            old.startswith(".") == new.startswith(".")
            and sum(map(eq, substitute(lines, old, new), after)) > equal
        ):
            return old, new.removeprefix(".")
    return None


def _line_script(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    at = 0
    for start, stop, new in _changes(before, after):
        if start == stop:
            if start > at:
                yield from _reach(before, at, start - 1)
                yield KEEP + before[start - 1]
        else:
            yield from _reach(before, at, start)
        yield from _replaced(before[start:stop], new)
        at = stop


def _reach(lines: Sequence[str], at: int, goal: int) -> Iterator[str]:
    """Lines to move past, so that the next one with the text of line `goal` is that very line."""
    same = [number for number in range(at, goal) if lines[number] == lines[goal]]
    if not same:
        return
    known = next_lines(lines, at)
    for number in range(goal - 1, same[-1], -1):
        if known[lines[number]] == number and lines[number].strip():
            yield KEEP + lines[number]
            return
    yield from _reach(lines, at, same[-1])
    yield KEEP + lines[same[-1]]


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Where as many lines come as go, each new one follows its old one; else first what goes,
    then what comes.
    """
    if len(old) == len(new):
        for one, other in zip(old, new, strict=True):
            yield from (DROP + one, ADD + other)
        return
    yield from (DROP + line for line in old)
    yield from (ADD + line for line in new)


def _changes(
    before: Sequence[str], after: Sequence[str]
) -> Iterator[tuple[int, int, Sequence[str]]]:
    """(first, end, new lines) of what changes, from the top.

    Lines that only move sideways are paired one to one.
    """
    matcher = SequenceMatcher(
        None, [line.strip() for line in before], [line.strip() for line in after], autojunk=False
    )
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            yield i1, i2, after[j1:j2]
            continue
        for number in range(i1, i2):
            if before[number] != (line := after[j1 + number - i1]):
                yield number, number + 1, [line]


class QuotedDraft:
    """One answer as far as it is written.

    Mutable.

    Args:
        lines: The region.

    `script`: its closed lines; `open`: the bytes of the line being written; `applied`: the region
    as far as it is closed.
    """

    line_mark = ADD
    """What a new line begins with."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.applied = Applied(lines)
        self.script: list[str] = []
        self.open = b""
        self._finished = False

    @property
    def kind(self) -> str | None:
        """What kind of edit it is, as far as the script tells."""
        if not self.script:
            return None
        if self.script[0] == NONE:
            return NONE
        if self.script[0].startswith(RENAME):
            return "rename"
        return "edit"

    @property
    def declined(self) -> bool:
        """Whether it says that nothing is to be changed."""
        return self.script[:1] == [NONE]

    @property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """The identifiers that are renamed: the old name and the new one."""
        pairs = [
            line.removeprefix(RENAME).split(" ") for line in self.script if line.startswith(RENAME)
        ]
        return tuple((old, new) for old, new in pairs)

    @property
    def open_line(self) -> str | None:
        """The new line that is being written, as far as it is; None elsewhere."""
        opened = self.open.decode("utf-8", "ignore")
        return opened.removeprefix(ADD) if opened.startswith(ADD) else None

    missed: tuple[str, ...] = ()

    talks = False

    @property
    def in_name(self) -> bool:
        """Whether the new name of a renaming is being written."""
        return self.open.startswith(RENAME.encode()) and self.open.count(b" ") > 1

    def take(self, piece: bytes) -> bool:
        """Go on.

        Returns:
            Whether that closed a line.

        Raises:
            QuotingError: The line does not fit the region.
        """
        *closed, self.open = (self.open + piece).split(b"\n")
        for written in closed:
            line = written.decode("utf-8", "replace")
            self.applied.take(line)
            self.script.append(line)
        return bool(closed)

    def finish(self) -> None:
        """The script is complete: nothing that it took away comes back otherwise."""
        self._finished = True

    def lines(self) -> list[str]:
        """The region as if the script ended after the line being written; one just begun is no
        blank one.
        """
        opened = self.open.decode("utf-8", "ignore")
        if opened.startswith(RENAME):
            _, old, new = (*opened.split(" "), "", "")[:3]
            return substitute(self.applied.result(), old, new) if new else self.applied.result()
        added = [opened.removeprefix(ADD)] if opened.startswith(ADD) and opened != ADD else []
        return [*self.applied.closed, *added, *self.applied.rest()]

    def settled(self) -> list[str]:
        """The region with what is fully written only."""
        return self.applied.result() if self._finished else self.applied.settled()
