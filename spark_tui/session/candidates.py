"""The answers of a turn: which one is shown, what is said of it, and the file it makes.

`Candidates` ranks the answers. The probability of an answer is the model's own; answers that make
the same file add up; what failed its checks or changed nothing is ruled out, so the rest becomes
likelier. The likeliest answer that passes its checks is shown, or none.

Then follow the sentences with which a turn ends (`Offered`, `checked`, `in_words`), and
`RegionSplicer`, which turns what a model wrote about a region into the whole file it proposes.
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
"""Answers that are written while none is sound."""
MOST_HELD = 8
"""Answers offered although something speaks against them."""
LEAST = math.log(1e-4)
"""Answers less likely than this are not written as variations."""
ENOUGH = 3
"""Answers written when the first one is not sure."""
MOST_JUDGED = 4
"""Edits that a second model judges, where the first answer is not sure."""
MOST_UNWEIGHED = 2
"""Answers written where no probabilities are known and the first one will not do."""
FLOOR = math.log(0.01)
"""Answers less likely than this, among those not ruled out, are not written."""
_DECLINES = 0.2
"""Below this probability, declining ranks after every edit.

Declining is a single script, while the probability of an edit is spread over many scripts.
"""
_NEARLY = 3
"""An answer up to so many times less likely than the best one is still written.

It may have the same effect, and so make that one likelier.
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer written to its end.

    Attributes:
        file: The file that the answer makes.
        logprob: The log-probability of all its tokens.
        problem: What keeps the answer from being offered; "" for nothing.
        worst: The log-probability of its least likely token.
        declined: Whether the answer says that nothing is to be changed.
        finished: Whether the answer came to an end of its own.
        doubt: Why nobody can be sure of the answer, whatever its probability, or "".
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
        """Whether nothing keeps the answer from being offered."""
        return not self.problem


class Candidates:
    """The answers of one turn. Mutable.

    Args:
        base: The file that they edit.
    """

    def __init__(self, base: Text) -> None:
        self._base = base
        self._made: list[Candidate] = []
        self.proven: Candidate | None = None
        """The answer that is the best whatever the model thinks of it, if any."""
        self.own: Candidate | None = None
        """The answer that the turn came to by itself, if any."""
        self.former: Candidate | None = None
        """The answer that was `own` until a second model preferred another one, if any."""
        self.given_up: Text | None = None
        """The proposal that other words were to correct, so the answer is certainly not that."""
        self._judged: Mapping[Text, float] = {}
        """The log-probability of each file by the model that judges; none before it has."""

    def add(self, candidate: Candidate) -> None:
        """Add an answer."""
        self._made.append(candidate)

    def prove(self, candidate: Candidate) -> None:
        """Add an answer that is the best whatever the model thinks of it."""
        self._made.append(candidate)
        self.proven = candidate

    def judge(self, logprobs: Mapping[Text, float]) -> None:
        """Rank sound answers as a second model does.

        Args:
            logprobs: How likely each file is by that model.
        """
        self._judged = dict(logprobs)

    def prefer(self, candidate: Candidate) -> None:
        """Make another answer the turn's own; the one before comes right after it."""
        self.former = self.own
        self.own = candidate

    @property
    def are_judged(self) -> bool:
        """Whether a second model has ranked the answers."""
        return bool(self._judged)

    @property
    def are_agreed(self) -> bool:
        """Whether a second model prefers the same one of several answers as their writer does."""
        return self.are_judged and self.ranked()[:1] == self._by_mass()[:1]

    def __len__(self) -> int:
        """How many answers were written."""
        return len(self._made)

    @property
    def offers(self) -> bool:
        """Whether a sound answer changes the file."""
        return any(candidate.sound and candidate.file != self._base for candidate in self._made)

    @property
    def first(self) -> Candidate:
        """The answer that is the likeliest at every step."""
        return self._made[0]

    def worth_another(self, best_open: float, *, weighed: bool) -> bool:
        """Whether to write one more answer.

        One more is worth writing while no answer is sound, or where the next one tells how sure the
        best one is.

        Args:
            best_open: An upper bound of the log-probability of the next answer.
            weighed: Whether probabilities are known.
        """
        offers = self.offers
        if not weighed:
            return not offers and len(self) < MOST_UNWEIGHED and best_open > -math.inf
        # What was ruled out leaves its probability to the others: a next answer is measured by its
        # share of the rest. The bound keeps the logarithm finite.
        ruled_out = sum(math.exp(each.logprob) for each in self._made if each.problem)
        left = max(1 - ruled_out, 1e-9)
        most = ENOUGH if offers else MOST
        if len(self) >= most or best_open < FLOOR + math.log(left):
            return False
        sound = self.masses(sound=True)
        return not sound or math.exp(best_open) > max(sound.values()) / _NEARLY

    def best(self) -> Candidate:
        """The answer to show; the first one when all failed."""
        if self.proven is not None:
            return self.proven
        ranked = self.ranked()
        return ranked[0][0] if ranked else self.first

    def ranked(self) -> list[tuple[Candidate, float]]:
        """The sound answers, the likeliest first, one for each file.

        Those that a second model has judged come first, in its order.

        Returns:
            The first answer that makes the file, and the probability of all that make it.
        """
        judged = self._judged
        # The sort keeps the order of equals, and so that of answers which nobody judged.
        return sorted(
            self._by_mass(), key=lambda item: judged.get(item[0].file, -math.inf), reverse=True
        )

    def _by_mass(self) -> list[tuple[Candidate, float]]:
        """The sound answers as `ranked` has them, in the order of their writer."""
        # Backwards, so that the answer written first wins where several make the same file.
        first = {each.file: each for each in reversed(self._made) if each.sound}

        def weight(item: tuple[Text, float]) -> float:
            file, mass = item
            return 0.0 if first[file].declined and mass < _DECLINES else mass

        ranked = sorted(self.masses(sound=True).items(), key=weight, reverse=True)
        return [(first[file], mass) for file, mass in ranked]

    @property
    def variations(self) -> tuple[Candidate, ...]:
        """The sound answers: the turn's own, the one that was its own before, then the likeliest.

        No two make the same file, and none the base. `logprob` is that of all answers that make the
        file.
        """
        known = [replace(each, logprob=math.log(mass)) for each, mass in self.ranked()]
        answers = {each.file: each for each in known if each.file != self._base}
        for leading in (self.former, self.own):
            if leading is not None:
                same = next((each for each in known if each.file == leading.file), leading)
                answers.pop(leading.file, None)
                answers = {leading.file: same, **answers}
        return tuple(answers.values())

    @property
    def held_back(self) -> tuple[Candidate, ...]:
        """The edits that parse but are not offered, at most `MOST_HELD`, the likeliest first."""
        sound = self.masses(sound=True)
        first = dict[Text, Candidate]()
        for candidate in sorted(self._made, key=lambda each: -each.logprob):
            failed = {check.name for check in candidate.checks if not check.ok}
            is_whole = candidate.finished and "parses" not in failed
            is_new = candidate.file != self._base and candidate.file not in sound
            if candidate.problem and is_whole and is_new:
                first.setdefault(candidate.file, candidate)
        return tuple(first.values())[:MOST_HELD]

    @property
    def tried(self) -> str:
        """Why there is no other answer: how many were written and what became of them, in words."""
        if len(self) <= 1:
            return f"all else is less likely than 1 in {round(1 / math.exp(LEAST)):,}"
        unchanged = sum(each.file == self._base for each in self._made)
        parts = [f"{len(self)} were written"]
        if unchanged:
            parts.append(f"{unchanged} changed nothing")
        if held := len(self.held_back):
            parts.append(f"{held} held back")
        return ", ".join(parts)

    def masses(self, *, sound: bool = False) -> dict[Text, float]:
        """The probability of each file that an answer makes.

        Args:
            sound: Whether to count sound answers only.
        """
        # Answers are told apart by the file they make: different tokens may write the same edit.
        masses: dict[Text, float] = {}
        for each in self._made:
            if each.sound or not sound:
                masses[each.file] = masses.get(each.file, 0.0) + math.exp(each.logprob)
        return masses


SAME_EDIT = "with these words the same edit comes again; say what should be different"
"""Said of an edit that other words were to correct."""
SAME_AGAIN = "the hunk comes out the same; say what should be different"
FIRST_AGAIN = (
    "with these words the hunk comes out as it was at first; say what should be "
    "different in other words"
)
NOTHING_THERE = "with these words nothing changes in this hunk; say it in other words"
"""Said of a hunk asked for again that comes out the same, as at first, or unchanged."""


def where(region: Region) -> str:
    """A region in words: `path:first-last (symbol)`, lines 1-based.

    Only the path where the file is empty.
    """
    if region.end_line < region.start_line:
        return region.path
    symbol = f" ({region.symbol})" if region.symbol else ""
    return f"{region.path}:{region.start_line}-{region.end_line}{symbol}"


def mixed(path: str, line: int) -> str:
    """The refusal of text that would be written in UTF-8 into a file that is not UTF-8."""
    return (
        f"{path} is not UTF-8, so that what line {line} would hold could not be read there; "
        f"nothing was written: "
        "keep to ASCII, or save the file as UTF-8 first"
    )


_MARKS = "```", "~~~", "<<<"
"""The beginnings of the code in an answer."""
WHO_COULD = (
    "a larger model may find the edit: `spark model add`, an endpoint in config.toml, "
    "then deep = NAME; /ask is for questions"
)
"""Who may find an edit where a model finds none and no other model is named."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What is said of an edit that passed its checks.

    Args:
        lead: The beginning.
        hunks: The number of hunks.
        rest: The end.
    """

    lead: str
    hunks: int
    rest: str

    def sentence(self, still_open: int | None = None) -> str:
        """The sentence.

        Args:
            still_open: How many of the hunks are still open; None: all.
        """
        count = f"{self.hunks} hunk{'' if self.hunks == 1 else 's'}"
        if still_open == 0:
            count += ", decided"
        elif still_open is not None and still_open < self.hunks:
            count = f"{still_open} of {self.hunks} hunks open"
        return f"{self.lead} {count}{self.rest}"


def checked(checks: Iterable[Check], *, sure: bool = True) -> str:
    """The clause about checks that passed, to follow the edit.

    Args:
        sure: Whether the edit is sure; else no more is said than the checks.
    """
    held = [check for check in checks if check.ok or check.withholds]  # see `doubt_of`
    passed = ", ".join(check.name for check in held if not check.detail)
    notes = "".join(f"; {check.name}: {check.detail}" for check in held if check.detail)
    return (f", checked ({passed})" if sure else f": {passed}") + notes


def doubt_of(checks: Iterable[Check]) -> str:
    """Why nobody can be sure of an edit that failed a check and is offered all the same, or ""."""
    return "; ".join(check.fault for check in checks if not check.ok and not check.withholds)


def unsure(chance: float | None) -> str:
    """How unsure an edit is.

    Args:
        chance: How likely the edit is right; None: unknown.
    """
    return "unsure" if chance is None else f"unsure ({chance:.0%})"


def whole_words(text: str) -> str:
    """Leave out a last line that may yet become a fence or a mark.

    Args:
        text: The text so far.
    """
    above, _, last = text.rpartition("\n")
    begins_mark = last and any(mark.startswith(last[:3]) for mark in _MARKS)
    return above.strip() if begins_mark else text.strip()


def in_words(text: str) -> str:
    """What to say when a chat model answered without an edit, shortened to fit; or ""."""
    return text and f"no edit; it answers: {shorten(text, 120, placeholder='…')}"


Renaming = tuple[str, str]
"""An identifier and its new name."""


class RegionSplicer:
    """The region of a file that answers are about, and the whole file that they propose.

    Several files are one document, and the region is all of it.

    When an answer renames the region's own function or class, and that stands at the top of its
    module, the rest of the file is renamed too; unless the old name is bound there as well, the new
    name is taken, or the file is very large.

    Args:
        base: The file.
        region: The part of the file being edited.
    """

    def __init__(self, base: Text, region: Region) -> None:
        # An answer about several files may touch any of them.
        self.several = is_document(base.raw)
        if self.several:
            region = replace(
                region, start_line=1, end_line=len(base.raw), symbol=None, selected=None
            )
        self.base = base
        self.region = region
        self.lines = base.lines[region.start_line - 1 : region.end_line]
        # Asked for every piece of an answer, and each time about the whole file: both are
        # remembered.
        self._reaches_out = cache(lambda names: names[0] == region.symbol and self._is_free(*names))
        self._elsewhere = cache(self._renamed)
        in_conflict = any(
            each.touches(region.start_line - 1, region.end_line - 1) for each in torn(base.lines)
        )
        self._is_python = region.path.endswith((".py", ".pyi")) and not (
            in_conflict or self.several or is_large(base)
        )

    def file(self, lines: Sequence[str], renamed: Iterable[Renaming] = ()) -> Text:
        """The file with other lines in the region.

        Args:
            lines: The lines without endings.
            renamed: Renamings made in the region.
        """
        start = self.region.start_line - 1
        text = self.base.replace_lines(start, self.region.end_line, lines)
        for names in renamed:
            if self._reaches_out(names):
                text = self._substituted(text, names, start + len(lines) - self.region.end_line)
        return text

    def within(self, file: Text) -> Sequence[str]:
        """The lines of the region in a version of the file."""
        growth = len(file.lines) - len(self.base.lines)
        return file.lines[self.region.start_line - 1 : self.region.end_line + growth]

    def is_sound(self, file: Text, lines: Sequence[str]) -> bool:
        """Whether a version parses, as far as can be told.

        Args:
            lines: The lines of the region.
        """
        if self.several:
            return all(
                check.ok for check in run_checks(self.base, file, "") if check.name == "parses"
            )
        if not self._is_python:
            verdict = parses_no_worse(self.base, file, self.region.path, diff(self.base, file))
            return verdict is None or verdict.ok
        # A file that did not parse before may stay broken elsewhere; then the region alone must
        # parse.
        if not parse_error(file.to_bytes()):
            return True
        return not self._did_parse and region_parses(lines).ok

    def checks(
        self, file: Text, lines: Sequence[str], renamed: Sequence[tuple[str, str]]
    ) -> tuple[Check, ...]:
        """The checks of an answer by itself, where the whole file tells too little.

        They see whether its lines parse, and lose no name that is still used around them.
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
        if is_large(self.base) or any(occurrences(text, new)):
            return False
        tree = read_tree(text)
        if tree is None:
            return False
        # One binding in the whole file is the definition itself: every other use of the name means
        # it.
        return sum(_binds(node, old) for node in ast.walk(tree)) == 1

    def _renamed(self, names: Renaming) -> Mapping[int, str]:
        """The lines (0-based) outside the region that a renaming changes, as changed."""
        region = range(self.region.start_line - 1, self.region.end_line)
        before = self.base.lines
        pairs = enumerate(zip(before, substitute(before, *names), strict=True))
        return {number: new for number, (old, new) in pairs if old != new and number not in region}

    def _substituted(self, text: Text, names: Renaming, growth: int) -> Text:
        """Rename in the lines outside the region.

        Args:
            growth: How many lines the region has grown by.
        """
        raw = list(text.raw)
        for number, line in self._elsewhere(names).items():
            row = number if number < self.region.start_line else number + growth
            # Replaces the text of the raw line and so keeps its line ending.
            raw[row] = raw[row].replace(self.base.lines[number], line, 1)
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
