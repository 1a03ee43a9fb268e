"""The answers of a turn, and which of them is shown.

The answers of a turn, and which of them to show: the likeliest that passes its checks, or none.

The probability of an answer is the model's own. Answers that make the same file add up. What failed
its checks or found nothing to change is ruled out, so that the rest is the likelier.

What a turn says for itself at its end, and what is said of a hunk that was asked for again.

From what a model wrote about a region to the whole file it proposes.
"""

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from textwrap import shorten

from spark_tui.context.regions import Region
from spark_tui.editing.checks import (
    Check,
    left_behind,
    new_names_are_free,
    region_parses,
    run_checks,
)
from spark_tui.editing.conflicts import torn
from spark_tui.editing.hunks import diff
from spark_tui.editing.identifiers import occurrences, substitute
from spark_tui.editing.line_diff import is_document
from spark_tui.editing.syntax import is_large, parse_error, parses_no_worse, read_tree
from spark_tui.editing.text import Text

MOST = 12
MOST_HELD = 8
"""Answers that something speaks against and that are offered all the same."""
LEAST = math.log(1e-4)
"""Answers less likely than this are not written as variations."""
ENOUGH = 3
"""Answers that are written where the first one is not sure."""
MOST_UNWEIGHED = 2
"""Answers that are written where no probability tells how likely they are, and the first one
will not do.
"""
FLOOR = math.log(0.01)
"""Answers less likely than this, among those not ruled out, are not written."""
_DECLINES = 0.2
"""From this probability on, that nothing is to change stands before every edit: it is one
script, edits are many.
"""
_NEARLY = 3
"""What is this many times less likely than the best so far is still looked at: it may be of the
same effect.
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer written to its end: the file it makes, and what keeps it from being offered ("":
    nothing).

    `logprob`: of all its tokens; `worst`: of the least likely one. `declined`: it says that nothing
    is to be changed. `doubt`: why nobody can be sure of it, whatever its probability, or "".
    """

    kind: str | None
    file: Text
    checks: tuple[Check, ...]
    logprob: float
    problem: str = ""
    worst: float = 0.0
    declined: bool = False
    finished: bool = True
    doubt: str = ""

    @property
    def sound(self) -> bool:
        """Whether nothing keeps it from being offered."""
        return not self.problem


class Candidates:
    """The answers of one turn.

    Mutable.

    Args:
        base: The file that they are for.
    """

    def __init__(self, base: Text) -> None:
        self._base = base
        self._made: list[Candidate] = []
        self.proven: Candidate | None = None
        """The one that is the best whatever the model thinks of it, if there is one."""
        self.own: Candidate | None = None
        """The one that the turn came to by itself, if it ended with any."""
        self.given_up: Text | None = None
        """What other words were said about, if these are to correct it: whatever they mean, not
        that.
        """

    def add(self, candidate: Candidate) -> None:
        """Take one more."""
        self._made.append(candidate)

    def prove(self, candidate: Candidate) -> None:
        """Take one that is the best whatever the model thinks of it."""
        self._made.append(candidate)
        self.proven = candidate

    def __len__(self) -> int:
        """How many were made."""
        return len(self._made)

    @property
    def offers(self) -> bool:
        """Whether any that is sound changes the file."""
        return any(each.sound and each.file != self._base for each in self._made)

    @property
    def first(self) -> Candidate:
        """The likeliest at every step."""
        return self._made[0]

    def worth_another(self, best_open: float, *, weighed: bool) -> bool:
        """Whether to write one more: nothing sound is there yet, or it tells how sure the best one
        is.

        Args:
            best_open: The most its log-probability can be.
            weighed: Whether probabilities are known.
        """
        offers = self.offers
        if not weighed:
            return not offers and len(self) < MOST_UNWEIGHED and best_open > -math.inf
        left = max(1 - sum(math.exp(each.logprob) for each in self._made if each.problem), 1e-9)
        if len(self) >= (ENOUGH if offers else MOST) or best_open < FLOOR + math.log(left):
            return False
        sound = self.masses(sound=True)
        return not sound or math.exp(best_open) > max(sound.values()) / _NEARLY

    def best(self) -> Candidate:
        """The one to show; the first one when all failed."""
        ranked = self.ranked()
        return self.proven or (ranked[0][0] if ranked else self.first)

    def ranked(self) -> list[tuple[Candidate, float]]:
        """Every file that a sound one makes, the likeliest first: the first of them, and the
        probability of all.
        """
        first = {each.file: each for each in reversed(self._made) if each.sound}

        def weight(item: tuple[Text, float]) -> float:
            return 0.0 if first[item[0]].declined and item[1] < _DECLINES else item[1]

        ranked = sorted(self.masses(sound=True).items(), key=weight, reverse=True)
        return [(first[file], mass) for file, mass in ranked]

    @property
    def variations(self) -> tuple[Candidate, ...]:
        """The sound answers: the turn's own first, then the likeliest; no two make the same file,
        none the base.

        `logprob`: of all answers that come to that file.
        """
        known = [replace(each, logprob=math.log(mass)) for each, mass in self.ranked()]
        own = () if self.own is None else (self.own,)
        first = tuple(next((each for each in known if each.file == one.file), one) for one in own)
        return first + tuple(
            each for each in known if each.file not in (self._base, *(one.file for one in own))
        )

    @property
    def held_back(self) -> tuple[Candidate, ...]:
        """Edits that were written to their end and parse, and are offered in no other way, the
        likeliest first; few.
        """
        sound = self.masses(sound=True)
        first = dict[Text, Candidate]()
        for each in sorted(self._made, key=lambda one: -one.logprob):
            wrong = {check.name for check in each.checks if not check.ok}
            if (
                each.problem
                and each.finished
                and "parses" not in wrong
                and each.file not in (self._base, *sound)
            ):
                first.setdefault(each.file, each)
        return tuple(first.values())[:MOST_HELD]

    @property
    def tried(self) -> str:
        """What was written besides the answer that is shown, and came to nothing else, in words."""
        if len(self) <= 1:
            return f"all else is less likely than 1 in {round(1 / math.exp(LEAST)):,}"
        unchanged = sum(each.file == self._base for each in self._made)
        came_to = ((unchanged, "changed nothing"), (len(self.held_back), "held back"))
        return f"{len(self)} were written" + "".join(
            f", {count} {what}" for count, what in came_to if count
        )

    def masses(self, *, sound: bool = False) -> dict[Text, float]:
        """The probability of every file that one of them makes.

        Args:
            sound: Of those that are sound only.
        """
        masses: dict[Text, float] = {}
        for each in self._made:
            if each.sound or not sound:
                masses[each.file] = masses.get(each.file, 0.0) + math.exp(each.logprob)
        return masses


SAME_EDIT = "with these words the same edit comes again; say what should be different"
"""What is said of an edit that other words were to correct."""
SAME_AGAIN = "the hunk comes out the same; say what should be different"
FIRST_AGAIN = (
    "with these words the hunk comes out as it was at first; say what should be "
    "different in other words"
)
NOTHING_THERE = "with these words nothing changes in this hunk; say it in other words"
"""What is said of a hunk that was asked for again, and came out as it was, as at first, or
without a change.
"""


def where(region: Region) -> str:
    """A region in words: `path:first-last (symbol)`, lines 1-based; only the path where the
    file is empty.
    """
    if region.end_line < region.start_line:
        return region.path
    symbol = f" ({region.symbol})" if region.symbol else ""
    return f"{region.path}:{region.start_line}-{region.end_line}{symbol}"


def mixed(path: str, line: int) -> str:
    """Text that would be written in UTF-8, into a file that is not."""
    return (
        f"{path} is not UTF-8, so that what line {line} would hold could not be read there; "
        f"nothing was written: "
        "keep to ASCII, or save the file as UTF-8 first"
    )


_MARKS = "```", "~~~", "<<<"
"""What the code of an answer begins with."""
WHO_COULD = (
    "a chat model could answer that: `spark model add`, an endpoint in config.toml, "
    "then /ask or deep = NAME"
)
"""Who could do what a model finds no edit for, where no other model is named."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What is said of an edit that passed its checks.

    Args:
        lead: Its begin.
        hunks: How many.
        rest: Its end.
    """

    lead: str
    hunks: int
    rest: str

    def told(self, still_open: int | None = None) -> str:
        """It in words.

        Args:
            still_open: How many of the hunks are open by now; all of them where left out.
        """
        said = f"{self.hunks} hunk{'' if self.hunks == 1 else 's'}"
        if still_open == 0:
            said += ", decided"
        elif still_open is not None and still_open < self.hunks:
            said = f"{still_open} of {self.hunks} hunks open"
        return f"{self.lead} {said}{self.rest}"


def checked(checks: Iterable[Check], *, sure: bool = True) -> str:
    """What is said of checks that passed, behind what they are of; of what nobody is sure of,
    no more than these.
    """
    checks = tuple(checks)
    passed = ", ".join(check.name for check in checks if not check.detail)
    notes = "".join(f"; {check.name}: {check.detail}" for check in checks if check.detail)
    return (f", checked ({passed})" if sure else f": {passed}") + notes


def unsure(chance: float | None) -> str:
    """How unsure an edit is.

    Args:
        chance: That it is right, None where nobody knows.
    """
    return "unsure" if chance is None else f"unsure ({chance:.0%})"


def whole_words(said: str) -> str:
    """Leave out a last line that may become a fence or a mark.

    Args:
        said: So far.
    """
    above, _, last = said.rpartition("\n")
    begins_mark = last and any(mark.startswith(last[:3]) for mark in _MARKS)
    return above.strip() if begins_mark else said.strip()


def in_words(said: str) -> str:
    """What to say where a chat model answered instead of editing, as far as a message has room
    for it, or "".
    """
    return said and f"no edit; it answers: {shorten(said, 120, placeholder='…')}"


Renaming = tuple[str, str]
"""An identifier, and what it is called from now on."""


class RegionSplicer:
    """The place in a file that answers are about, and the whole file that they propose; or several
    files, whole.

    Renaming the region's own function or class, when it stands at the top of its module, renames it
    in the rest of the file too, unless the old name is bound there as well or the new one is taken,
    or the file is very large.

    Args:
        base: The file.
        region: The part of it being edited.
    """

    def __init__(self, base: Text, region: Region) -> None:
        self.several = is_document(base.raw)
        if self.several:
            region = replace(
                region, start_line=1, end_line=len(base.raw), symbol=None, selected=None
            )
        self.base = base
        self.region = region
        self.lines = base.lines[region.start_line - 1 : region.end_line]
        self._reaches_out = cache(lambda names: names[0] == region.symbol and self._is_free(*names))
        self._elsewhere = cache(self._renamed)
        in_conflict = any(
            each.touches(region.start_line - 1, region.end_line - 1) for each in torn(base.lines)
        )
        self._is_python = region.path.endswith((".py", ".pyi")) and not (
            in_conflict or self.several or is_large(base)
        )

    def file(self, lines: Sequence[str], renamed: Iterable[Renaming] = ()) -> Text:
        """The file with other lines in the place.

        Args:
            lines: Without endings.
            renamed: In the place.
        """
        start = self.region.start_line - 1
        text = self.base.replace_lines(start, self.region.end_line, lines)
        for names in renamed:
            if self._reaches_out(names):
                text = self._substituted(text, names, start + len(lines) - self.region.end_line)
        return text

    def within(self, file: Text) -> Sequence[str]:
        """The lines of the place in a version of the file."""
        return file.lines[
            self.region.start_line - 1 : len(file.lines)
            - len(self.base.lines)
            + self.region.end_line
        ]

    def is_sound(self, file: Text, lines: Sequence[str]) -> bool:
        """Whether a version parses, as far as can be told.

        Args:
            lines: Those of the place.
        """
        if self.several:
            return all(
                check.ok for check in run_checks(self.base, file, "") if check.name == "parses"
            )
        if not self._is_python:
            verdict = parses_no_worse(self.base, file, self.region.path, diff(self.base, file))
            return verdict is None or verdict.ok
        if not parse_error(file.to_bytes()):
            return True
        return not self._did_parse and region_parses(lines).ok

    def checks(
        self, file: Text, lines: Sequence[str], renamed: Sequence[tuple[str, str]]
    ) -> tuple[Check, ...]:
        """What can be said of an answer itself, and of the place where the file tells too
        little: whether it parses, and loses no name that is still used around it.
        """
        free = new_names_are_free(self.lines, renamed)
        if not self._is_python or self._did_parse:
            return free
        start = self.region.start_line - 1
        end = self.region.end_line
        base = self.base.lines
        others = ((1, base[:start]), (end + 1, base[end:]))
        lost = left_behind(self.lines, lines, others, in_class="." in (self.region.symbol or ""))
        return (*free, region_parses(lines, above=start), *lost)

    @property
    def _did_parse(self) -> bool:
        return not parse_error(self.base.to_bytes())

    def _is_free(self, old: str, new: str) -> bool:
        text = "\n".join(self.base.lines)
        if is_large(self.base) or any(occurrences(text, new)) or (tree := read_tree(text)) is None:
            return False
        return sum(_binds(node, old) for node in ast.walk(tree)) == 1

    def _renamed(self, names: Renaming) -> Mapping[int, str]:
        """The lines (0-based) outside the region that a renaming changes, as they are with it."""
        region = range(self.region.start_line - 1, self.region.end_line)
        before = self.base.lines
        changed = enumerate(zip(before, substitute(before, *names), strict=True))
        return {at: new for at, (old, new) in changed if old != new and at not in region}

    def _substituted(self, text: Text, names: Renaming, growth: int) -> Text:
        """Rename in the lines outside the region.

        Args:
            growth: How many lines longer the region is by now.
        """
        raw = list(text.raw)
        for number, line in self._elsewhere(names).items():
            at = number if number < self.region.start_line else number + growth
            raw[at] = raw[at].replace(self.base.lines[number], line, 1)
        return Text(tuple(raw))


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=found, ctx=ast.Store() | ast.Del()):
            return found == name
        case (
            ast.FunctionDef(name=found)
            | ast.AsyncFunctionDef(name=found)
            | ast.ClassDef(name=found)
        ):
            return found == name
        case (
            ast.arg(arg=found)
            | ast.ExceptHandler(name=found)
            | ast.MatchAs(name=found)
            | ast.MatchStar(name=found)
        ):
            return found == name
        case ast.alias(name=dotted, asname=found):
            return (found or dotted.partition(".")[0]) == name
    return False
