"""The quoted format, which `spark-m` is taught: old lines quoted, new lines written.

A script is a list of lines, as in a diff without line numbers:

- `-text` deletes the next line of the region with that text, and ` text` moves past that line.
- `+text` adds a line where the last quoted line stood. Lines that are not quoted stay.
- `rename old new` renames an identifier throughout, and `none` changes nothing; each of the two
  stands without lines of the other kinds.

Skipped lines always lie below the last quoted line, so a script is read from top to bottom once,
and each closed line of the script is final.

The page holds the prompt (`region_pieces`, `request_pieces`), the reader of a script (`Applied`),
the writer of scripts for training (`write_quoted`) and `QuotedDraft`, which reads a script as it
comes in pieces of any size. Nothing here knows tokens or files.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import product
from operator import eq
from pathlib import PurePath
from threading import RLock

from spark_tui.editing.identifiers import names_in, substitute
from spark_tui.errors import SparkError

KEEP = " "
DROP = "-"
ADD = "+"
RENAME = "rename "
NONE = "none"
MOST_RENAMES = 3
"""The most renamings of one script; the model was taught no more."""
MOST_PREVIOUS_LINES = 16
"""The most lines of the script of an accepted edit that a prompt repeats."""


class QuotingError(SparkError):
    """A script that does not fit its region."""


@dataclass(frozen=True, slots=True)
class PreviousEdit:
    """The last edit that the user accepted: file, words of the request, and script."""

    path: str
    words: str
    script: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuotedRequest:
    """A request about a region.

    `selected`: the lines of the region that the user marked. `earlier`: the earlier words of this
    turn, which `words` correct. `previous`: the accepted edit that `words` may go on from.
    """

    path: str
    lines: tuple[str, ...]
    words: str
    selected: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    previous: PreviousEdit | None = None


def region_pieces(path: str, lines: Sequence[str]) -> list[str]:
    """The beginning of a prompt, the same for all requests about a region.

    Each piece is tokenized by itself, so that a line has the same tokens wherever it stands. The
    grammar spells quoted lines with these tokens.
    """
    return [f"### File {PurePath(path).name}\n", *(line + "\n" for line in lines)]


def request_pieces(request: QuotedRequest) -> list[str]:
    """The rest of the prompt, after `region_pieces`."""
    # The headings, their order and their spelling are what the model was trained on.
    pieces: list[str] = []
    if request.previous:
        pieces += previous_pieces(request.previous)
    if request.earlier:
        pieces += ["### Earlier\n", *(words + "\n" for words in request.earlier)]
    if request.selected:
        pieces += ["### Selected\n", *(line + "\n" for line in request.selected)]
    return [*pieces, "### Request\n", request.words.strip() + "\n", "### Edit\n"]


def previous_pieces(previous: PreviousEdit) -> list[str]:
    """The pieces of a prompt that repeat the last accepted edit.

    A long script is cut: its first lines tell what was done.
    """
    script = previous.script[:MOST_PREVIOUS_LINES]
    return [
        f"### Before {PurePath(previous.path).name}\n",
        previous.words.strip() + "\n",
        *script_pieces(script),
    ]


def script_pieces(script: Sequence[str]) -> list[str]:
    """A script as pieces of a prompt.

    The mark of a quoted or added line is a piece of its own, so that the text has the same tokens
    as in the region above.
    """
    pieces: list[str] = []
    for line in script:
        if line[:1] in (KEEP, DROP, ADD):
            pieces += [line[0], line[1:] + "\n"]
        else:
            pieces += [line, "\n"]
    return pieces


def is_script(lines: Sequence[str], region: Sequence[str]) -> bool:
    """Whether lines are a script for a region, or go on from a prompt for a script.

    A bulleted list is no script, though each of its lines may begin with `-`: the quoted lines of a
    script stand in the region.
    """
    solid = [line for line in lines if line.strip()]
    # a model that was asked in another way and repeats the headings of its training
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
    """The texts that may be quoted from line `at` on, each with the first line that has it."""
    first_lines: dict[str, int] = {}
    for number in range(at, len(lines)):
        first_lines.setdefault(lines[number], number)
    return first_lines


def apply_quoted(lines: Sequence[str], script: Sequence[str]) -> list[str]:
    """The region with a script applied.

    Raises:
        QuotingError: The script does not fit the region.
    """
    applied = Applied(lines)
    for line in script:
        applied.take(line)
    return applied.result()


class Applied:
    """A region while a script is read, line by line. Mutable.

    `at`: the first line of the region that is not passed yet. `closed`: the lines that take the
    place of all lines above `at`.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = list(lines)
        self.at = 0
        self.closed: list[str] = []
        self._left = 0, 0
        """How many lines of `closed`, and of the region, lie above the place being written."""

    def take(self, line: str) -> None:
        """Read the next line of a script.

        Raises:
            QuotingError: The line does not fit the region.
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
        """The region with only those changes that the script has moved past.

        At the last place, deleted lines may be about to come back in another form: to show them as
        deleted would be too early.
        """
        closed, at = self._left
        return self.closed[:closed] + self._lines[at:]

    def rest(self) -> list[str]:
        """The lines that are not passed yet."""
        return self._lines[self.at :]

    def _pass(self, text: str, *, keep: bool) -> None:
        # a quote means the next line with its text; a later one is reached by quotes in between
        try:
            row = self._lines.index(text, self.at)
        except ValueError:
            raise QuotingError(f"no such line below: {text[:60]!r}") from None
        stop = row + 1 if keep else row
        skipped = self._lines[self.at : stop]
        self.closed += skipped
        # lines that stay now lie below the place before, so the edit there is final
        if skipped:
            self._left = len(self.closed), stop
        self.at = row + 1

    def _rename(self, line: str) -> None:
        names = line.removeprefix(RENAME).split(" ")
        if len(names) != 2 or not all(names):
            raise QuotingError(f"a renaming has two names: {line[:60]!r}")
        self._lines = substitute(self._lines, *names)


def write_quoted(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The canonical script of an edit, for which `apply_quoted` always returns `after`."""
    if list(before) == list(after):
        return [NONE]
    # a renaming first: one short line, however many lines it changes
    return _renaming(before, after) or list(_line_script(before, after))


def _renaming(before: Sequence[str], after: Sequence[str]) -> list[str] | None:
    """The script of an edit that only renames identifiers, in two lines or more; else None."""
    changed = [(old, new) for old, new in zip(before, after, strict=False) if old != new]
    if len(before) != len(after) or len(changed) < 2:
        return None
    lines = list(before)
    script = list[str]()
    known = names_in("\n".join(before))
    # each round applies one renaming, so that the next one is looked for in what still differs
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
    """Find a renaming in the first line that differs, after which more lines are equal.

    Args:
        known: The names that the region had before; none of them is a new name.

    Returns:
        The old name and the new one; None where no pair of names brings the lines closer.
    """
    first = next(row for row, line in enumerate(lines) if line != after[row])
    old_names = names_in(lines[first])
    new_names = names_in(after[first])
    # Sorted, so that the canonical script does not depend on the order of sets.
    gone = sorted(old_names - new_names)
    new = sorted(new_names - old_names - known)
    if len(gone) != len(new) or not gone:
        return None
    # Which old name became which new one, the number of lines that become equal tells. An attribute
    # stays an attribute.
    equal = sum(map(eq, lines, after))
    for old_name, new_name in product(gone, new):
        if old_name.startswith(".") != new_name.startswith("."):
            continue
        if sum(map(eq, substitute(lines, old_name, new_name), after)) > equal:
            return old_name, new_name.removeprefix(".")
    return None


def _line_script(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """The script of an edit that is not a renaming, change by change."""
    passed = 0
    for start, stop, new in _changes(before, after):
        if start < stop:
            yield from _reach(before, passed, start)
        elif start > passed:
            # lines are only added: quote the line above them, to say where
            yield from _reach(before, passed, start - 1)
            yield KEEP + before[start - 1]
        yield from _replaced(before[start:stop], new)
        passed = stop


def _reach(lines: Sequence[str], at: int, goal: int) -> Iterator[str]:
    """The quotes to write before a script can quote line `goal`.

    A quote means the next line with its text, so all lines from `at` on that look like `goal` have
    to be passed.
    """
    same = [number for number in range(at, goal) if lines[number] == lines[goal]]
    if not same:
        return
    # A line that is the next with its text, between the last look-alike and the goal, passes all
    # look-alikes at once.
    known = next_lines(lines, at)
    for number in range(goal - 1, same[-1], -1):
        if known[lines[number]] == number and lines[number].strip():
            yield KEEP + lines[number]
            return
    # without such a line, quote the last look-alike itself, which may have look-alikes as well
    yield from _reach(lines, at, same[-1])
    yield KEEP + lines[same[-1]]


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The script of lines that become others.

    Where both are equally many, each new line follows its old one; else all old lines come first.
    """
    if len(old) == len(new):
        for old_line, new_line in zip(old, new, strict=True):
            yield DROP + old_line
            yield ADD + new_line
        return
    yield from (DROP + line for line in old)
    yield from (ADD + line for line in new)


def _changes(
    before: Sequence[str], after: Sequence[str]
) -> Iterator[tuple[int, int, Sequence[str]]]:
    """The changes from the top: old lines [start, stop), and the new lines in their place.

    Lines that change in indentation only are paired one to one.
    """
    # without indentation: the lines of a block that moves into an `if` change one by one
    old_keys = [line.strip() for line in before]
    new_keys = [line.strip() for line in after]
    # autojunk would not align by lines that are frequent in a long region, such as empty ones
    matcher = SequenceMatcher(None, old_keys, new_keys, autojunk=False)
    for tag, start, stop, new_start, new_stop in matcher.get_opcodes():
        if tag != "equal":
            yield start, stop, after[new_start:new_stop]
            continue
        for offset in range(stop - start):
            line = after[new_start + offset]
            if before[start + offset] != line:
                yield start + offset, start + offset + 1, [line]


class QuotedDraft:
    """An answer in the quoted format as far as it is written.

    Mutable: one thread may write while another reads under `lock`.

    `script`: the closed lines; `open`: the bytes of the line being written; `applied`: the region
    with the closed lines applied.

    Args:
        lines: The region.
    """

    line_mark = ADD
    """What a new line begins with."""
    # nothing of a script is left out, and none of it is talk
    missed: tuple[str, ...] = ()
    talks = False

    def __init__(self, lines: Sequence[str]) -> None:
        self.applied = Applied(lines)
        self.script: list[str] = []
        self.open = b""
        self.lock = RLock()
        self._finished = False

    @property
    def kind(self) -> str | None:
        """The kind of the edit, as far as the script tells: "none", "rename" or "edit"."""
        # lines of different kinds never stand in one script, so the first line tells
        if not self.script:
            return None
        if self.script[0] == NONE:
            return NONE
        if self.script[0].startswith(RENAME):
            return "rename"
        return "edit"

    @property
    def declined(self) -> bool:
        """Whether the script says that nothing is to be changed."""
        return self.script[:1] == [NONE]

    @property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """The renamed identifiers: pairs of an old name and its new one."""
        renamings = [line for line in self.script if line.startswith(RENAME)]
        pairs = [line.removeprefix(RENAME).split(" ") for line in renamings]
        return tuple((old, new) for old, new in pairs)

    @property
    def open_line(self) -> str | None:
        """The new line that is being written, as far as it goes; None elsewhere."""
        # "ignore": a piece may end within a character
        opened = self.open.decode("utf-8", "ignore")
        return opened.removeprefix(ADD) if opened.startswith(ADD) else None

    @property
    def in_name(self) -> bool:
        """Whether the new name of a renaming is being written."""
        return self.open.startswith(RENAME.encode()) and self.open.count(b" ") > 1

    def take(self, piece: bytes) -> bool:
        """Read the next piece of the answer.

        Returns:
            Whether the piece closed a line.

        Raises:
            QuotingError: The line does not fit the region.
        """
        with self.lock:
            *closed, self.open = (self.open + piece).split(b"\n")
            for written in closed:
                line = written.decode("utf-8", "replace")
                self.applied.take(line)
                self.script.append(line)
            return bool(closed)

    def finish(self) -> None:
        """End the script: no deleted line comes back in another form."""
        self._finished = True

    def lines(self) -> list[str]:
        """The region as if the script ended after the line being written.

        A new line with nothing but its mark does not count yet.
        """
        opened = self.open.decode("utf-8", "ignore")
        if opened.startswith(RENAME):
            # filled up, as one or both names may not be begun yet
            _, old, new = (*opened.split(" "), "", "")[:3]
            renamed = self.applied.result()
            return substitute(renamed, old, new) if new else renamed
        if opened.startswith(ADD) and opened != ADD:
            return [*self.applied.closed, opened.removeprefix(ADD), *self.applied.rest()]
        return self.applied.result()

    def settled(self) -> list[str]:
        """The region with only what is fully written."""
        return self.applied.result() if self._finished else self.applied.settled()
