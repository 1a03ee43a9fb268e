"""Looks for the fix of a bug among all small changes of some places, the likeliest first.

Where a command of the user's own tells right from wrong, nobody need write the answer: it is enough
to know roughly where and how code goes wrong. An answerer weighs a change by the words; besides,
`FixesWeighed` says how likely a change is a fix, and which changes only make a test pass, and
`ErrorsRead` says what the errors speak for. `RepairSearch` tries the changes, `Mender` does so for
a turn that has no answer; the sentences about a failed search stand in between.
"""

import ast
import re  # noqa: TID251 - reads another program's output
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain
from math import inf

from spark_tui.context.regions import Region
from spark_tui.editing import mutations
from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.mutation_source import Snippet
from spark_tui.editing.mutations import Mutation
from spark_tui.editing.text import Text
from spark_tui.providers.base import Ability, Provider
from spark_tui.session.candidates import Candidate, RegionSplicer, where
from spark_tui.session.events import TrialProgress
from spark_tui.session.repair.sandbox import TOKEN, Trial, errors_said, lines_named

_DOUBTFUL = -8.0
"""The weight of a change that may pass for no good reason."""
_BLAMED = 2.0
"""The weight of a change in a line that the failure names."""
_COUNTED = re.compile(
    r"\bline \d+|:\d+:|\b\d+(?:\.\d+)?(?:s\b|%| (?:passed|failed|tests?|errors?)\b)"
)
"""What an output says of lines, times and tests, not of values."""
_WORD = re.compile(r"[^\W\d]\w*")
_FREE = frozenset(
    "not self cls str int float list len range sorted bool repr await return abs".split()
)
"""Words that a change may drop without taking anything away from a function's work."""
# Numbers that fixes are full of: a new 0 or 1 is no sign of an expectation copied from the test.
_PLAIN = frozenset({"0", "1"})
_IDLE = frozenset(
    [(sign, 0) for sign in (ast.Add, ast.Sub, ast.LShift, ast.RShift, ast.BitOr)]
    + [(sign, 1) for sign in (ast.Mult, ast.Div, ast.FloorDiv, ast.Pow, ast.Mod)]
)
"""The operators, each with the operand that makes it do nothing, or next to nothing."""


class FixesWeighed:
    """Weighs changes of some lines.

    Args:
        blamed: The 0-based lines that a failure names.
        output: The output of the failing command.
    """

    def __init__(self, snippet: Snippet, *, blamed: Collection[int] = (), output: str = "") -> None:
        self._snippet = snippet
        self._blamed = blamed
        self._said = frozenset(TOKEN.findall(_COUNTED.sub("", output)))
        self._had = Counter(token for line in snippet.lines for token in TOKEN.findall(line))

    def weight(self, after: Sequence[str]) -> float:
        """How much likelier new lines are than the model thinks, as a logarithm."""
        is_blamed = not set(self._blamed).isdisjoint(self._changed(after))
        return _DOUBTFUL * self.is_doubtful(after) + _BLAMED * is_blamed

    def is_doubtful(self, after: Sequence[str]) -> bool:
        """Whether new lines may well pass a test for no good reason.

        They do less, or hold a number that the test expects.
        """
        gone, come = self.difference(after)
        idles = _idle(Snippet(tuple(after))) > _idle(self._snippet)
        # A condition, an argument or a step goes, and no other name takes its place.
        drops = bool(_names(gone) - _FREE) and not _names(come) - _FREE
        new = come.keys() - self._had.keys() - _PLAIN
        expected = [token for token in new if token[0].isdigit() and token in self._said]
        return idles or drops or bool(expected)

    def difference(self, after: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
        """The tokens that go, and those that come."""
        has = Counter(token for line in after for token in TOKEN.findall(line))
        return self._had - has, has - self._had

    def _changed(self, after: Sequence[str]) -> list[int]:
        """The 0-based lines that differ; where lines were inserted or removed, only the first."""
        lines = self._snippet.lines
        pairs = zip(lines, after, strict=False)
        other = [number for number, (old, new) in enumerate(pairs) if old != new]
        # Where lines come or go, all lines after the change are off by some, so only the first
        # difference counts.
        if len(after) == len(lines):
            return other
        return (other or [len(lines) - 1])[:1]


def _idle(snippet: Snippet) -> int:
    """How many operations do nothing, or next to nothing, such as one times something."""
    nodes = snippet.nodes if snippet.is_python else ()
    binary = [node for node in nodes if isinstance(node, ast.BinOp)]
    pairs = [(node.op, node.right) for node in binary]
    # Only where the operands can change places: `0 + x` does nothing, `0 - x` does.
    pairs += [(node.op, node.left) for node in binary if isinstance(node.op, ast.Add | ast.Mult)]
    pairs += [(node.op, node.value) for node in nodes if isinstance(node, ast.AugAssign)]
    count = 0
    for sign, operand in pairs:
        if isinstance(operand, ast.Constant):
            count += (type(sign), operand.value) in _IDLE
    return count


def _names(tokens: Counter[str]) -> set[str]:
    return {token for token in tokens if _WORD.fullmatch(token)}


_ADVICE = "say what is wrong, or where with @PATH::NAME"


def hopeless(trial: Trial, region: Region) -> str:
    """Why no change of a place need be tried, after the command failed on the file as it is.

    "" where a change may do.
    """
    reason = trial.own_reason(region)
    if not reason:
        return ""
    line = trial.command.line
    return f"`{line}` fails before any edit, and no edit of {where(region)} can help: {reason}"


def passes_already(trial: Trial | None) -> str:
    """The clause that there may be nothing to fix, as the command passes as it is; or ""."""
    return f"; `{trial.command.line}` passes as it is" if trial and trial.passed_before else ""


def tried_all(trial: Trial, tried: int, total: int, region: Region, *, most: int) -> str:
    """The message that no small change of a place made the command pass.

    Args:
        most: The number of runs that a search makes at most.
    """
    line = trial.command.line
    place = where(region)
    fails = f"did not finish in {trial.unfinished:.3g} s" if trial.unfinished else "still fails"
    if tried >= total:
        some = "the only small change" if total == 1 else f"all {total} small changes"
        return f"tried {some} in {place}, and `{line}` {fails}; {_ADVICE}"
    allowed = ""
    more = "that is as many as it runs; "
    if tried < most:
        allowed = (
            f" ({trial.command.budget:g} s allowed no more, at {trial.run_seconds:.1f} s a run)"
        )
        # Rounded up to tens of seconds, as the figure is an estimate.
        budget = max(10, -(-int(trial.run_seconds * (min(total, most) + 1)) // 10) * 10)
        more = f"`--budget {budget}` would do for all of them, or "
    return (
        f"tried {tried} of {total} small changes in {place}{allowed}, and `{line}` {fails}; "
        f"{more}select the lines with @PATH:L1-L2"
    )


def nowhere(line: str, tried: int, places: Iterable[Region]) -> str:
    """The message that no small change at several places made the command pass."""
    names = ", ".join(map(_name_of, places))
    return (
        f"tried {tried} small changes in what the failure of `{line}` leads to ({names}), "
        f"and it still fails; {_ADVICE}"
    )


def _name_of(place: Region) -> str:
    return f"{place.path}::{place.symbol}" if place.symbol else where(place)


_NAME = r"['\"`]([^\W\d]\w*)['\"`]"
# Messages of Python: NameError, UnboundLocalError, AttributeError, ImportError, TypeError,
# KeyError.
_MISSING = re.compile(
    rf"name {_NAME} is not defined|variable {_NAME}|has no attribute {_NAME}|cannot import name "
    rf"{_NAME}"
    rf"|unexpected keyword argument {_NAME}|KeyError: ['\"](.+)['\"]$"
)
_SUGGESTED = re.compile(rf"[Dd]id you mean:? {_NAME}")
_MOST_NEAR = 4
"""Similar names that may be meant by a missing one."""
_NEAR = 0.5
"""How similar those names are, by difflib."""
_GROUPS = {"NoneType": "return", "IndexError": "bound"}
"""Words of an error that speak for a group of mutations."""


class ErrorsRead:
    """What the errors of a failing command say about its fix.

    Args:
        errors: As `errors_said` gives them.
        code: The text of the file.
    """

    def __init__(self, errors: Sequence[str], code: str = "") -> None:
        text = "\n".join(errors)
        self._groups = {group for word, group in _GROUPS.items() if word in text}
        self.meant: dict[str, tuple[str, ...]] = {}
        """For each name or key that is missing, the names that may be meant."""
        known = set(re.findall(r"[^\W\d]\w{2,}", code))
        for error in errors:
            suggested = tuple(_SUGGESTED.findall(error))
            for name in filter(None, chain.from_iterable(_MISSING.findall(error))):
                near = get_close_matches(name, known - {name}, n=_MOST_NEAR, cutoff=_NEAR)
                self.meant[name] = tuple(dict.fromkeys((*suggested, *near)))

    def speak_for(self, group: str, gone: Collection[str]) -> bool:
        """Whether the errors speak for a mutation.

        Args:
            group: The group of the mutation.
            gone: The tokens that the mutation takes away.
        """
        return group in self._groups or any(name in gone for name in self.meant)


MOST_TRIES = 200
"""Runs of the command in one search."""
MOST_SCORED = 200
"""Changes that an answerer scores: the likeliest by all else."""
_ASKING_SHARE = 0.3
"""The share of the time that may go into scoring."""
_UNASKED = -16.0
"""The log-probability of a change that there was no time to score."""
_AT_ONCE = 40
"""Changes scored before the likely ones among them are tried."""
_LIKELY = -14.0
"""Changes likelier than this are tried before more are scored."""
_MOST_AGAIN = 20
"""Runs to find a better fix, after one that may well pass for no good reason."""
_TOLD = 6.0
"""How much likelier a change is that an error speaks for."""
_DOUBTED = -12.0
_DOUBTED_LESS = 0.4
"""The slope of a log-probability below `_DOUBTED`.

An answerer does not know that a change is so much less likely.
"""
_DOUBT = "; it leaves something out or says what the test expects"
"""The clause about a change that may well pass for no good reason."""
_FURTHER = 1.0
"""How much less likely each place is than the one before."""


class Site:
    """A place whose small changes may be tried.

    Args:
        request: What is asked there.
        trial: The command that a change must pass.
    """

    def __init__(self, page: RegionSplicer, request: QuotedRequest, trial: Trial) -> None:
        self.request = request
        self.trial = trial
        self.page = page
        self._snippet = Snippet(tuple(page.lines))
        region = page.region
        output = trial.first.output if trial.first else ""
        self._errors = ErrorsRead(errors_said(output), "\n".join(page.base.lines))
        named = {line - region.start_line for line in lines_named(output, region)}
        self._weighed = FixesWeighed(self._snippet, blamed=named, output=output)

    def changes(self, rank: int) -> "list[Repair]":
        """Every small change of the place.

        Args:
            rank: The rank of the place, from 0.
        """
        selected = self.page.region.selected
        found = mutations.of(self._snippet, lines=selected, meant=self._errors.meant)
        penalty = _FURTHER * rank
        return [Repair(self, mutation, self._weight(mutation) - penalty) for mutation in found]

    def _weight(self, mutation: Mutation) -> float:
        """How much likelier a change is than an answerer thinks, as a logarithm."""
        gone, _ = self._weighed.difference(mutation.after)
        weight = self._weighed.weight(mutation.after)
        if self._errors.speak_for(mutation.group, gone):
            weight += _TOLD
        return weight

    def is_doubtful(self, after: Sequence[str]) -> bool:
        """Whether new lines in the place may well pass the command for no good reason."""
        return self._weighed.is_doubtful(after)


@dataclass(frozen=True, slots=True)
class Repair:
    """A change that could be the fix.

    Attributes:
        weight: What speaks for it besides its log-probability.
        again: Whether it hung, and may need more time.
    """

    site: Site
    mutation: Mutation
    weight: float
    logprob: float = _UNASKED
    again: bool = False

    @property
    def likelihood(self) -> float:
        """How likely the change is by all that is known, as a logarithm."""
        if self.logprob > _DOUBTED:
            known = self.logprob
        else:
            known = _DOUBTED + _DOUBTED_LESS * (self.logprob - _DOUBTED)
        return known + self.weight


@dataclass(frozen=True, slots=True)
class Fix:
    """The change that makes the command pass.

    Attributes:
        doubtful: Whether it may well pass for no good reason.
    """

    change: Repair
    file: Text
    checks: tuple[Check, ...]
    doubtful: bool


class RepairSearch:
    """Tries the small changes of some places. Mutable.

    Attributes:
        tried: Runs of the command.
        total: Changes there are.

    Args:
        sites: At least one, the likeliest first.
    """

    def __init__(self, sites: Sequence[Site], answerer: Provider) -> None:
        self.fix: Fix | None = None
        self.tried = 0
        self.total = 0
        self._sites = sites
        self._answerer = answerer
        self._waiting: list[Repair] = []
        """The changes that were scored and not tried yet, the likeliest last."""
        self._later: list[Repair] = []
        """The changes that ran out of time."""
        self._most = MOST_TRIES

    def run(self, seconds: Callable[[], float], most_seconds: float) -> Iterator[TrialProgress]:
        """Search until a good fix is found, no change is left, or the time is up.

        Args:
            seconds: A clock that stands still while the turn is paused.
        """
        end = seconds() + most_seconds
        most_asking = most_seconds * _ASKING_SHARE
        repairs: list[Repair] = []
        for rank, site in enumerate(self._sites):
            repairs += site.changes(rank)
        self.total = len(repairs)
        # Scoring costs time that trying could use. So it goes in portions, the likeliest first, and
        # what turns out likely is tried before the next portion is scored.
        likeliest = sorted(repairs, key=lambda repair: -repair.weight)[:MOST_SCORED]
        for first in range(0, len(likeliest), _AT_ONCE):
            began = seconds()
            yield from self._weigh(
                likeliest[first : first + _AT_ONCE],
                lambda: seconds() - began < most_asking,  # noqa: B023 - called within
            )
            most_asking -= seconds() - began
            yield from self._try_all(seconds, end, _LIKELY)
            if self._is_over or seconds() >= end:
                return
        # Then all others that were scored, and at last those that hung, with more time.
        yield from self._try_all(seconds, end, -inf)
        self._waiting = self._later
        self._later = []
        yield from self._try_all(seconds, end, -inf)

    @property
    def provenance(self) -> str:
        """How the fix was found and what speaks against it; "" without a fix."""
        if self.fix is None:
            return ""
        line = self._sites[0].trial.command.line
        why = _DOUBT if self.fix.doubtful else ""
        return f"passes `{line}`; found by trying {self.tried} of {self.total} small changes{why}"

    @property
    def problem(self) -> str:
        """The message where there is no fix; "" where there was nothing to try."""
        trial = self._sites[0].trial
        places = [site.page.region for site in self._sites]
        if not self.total:
            return ""
        if len(self._sites) > 1:
            return nowhere(trial.command.line, self.tried, places)
        return tried_all(trial, self.tried, self.total, places[0], most=MOST_TRIES)

    @property
    def _is_over(self) -> bool:
        good = self.fix is not None and not self.fix.doubtful
        return good or self.tried >= self._most

    def _weigh(
        self, changes: Sequence[Repair], has_time: Callable[[], bool]
    ) -> Iterator[TrialProgress]:
        """Have changes scored as long as there is time, and add them to those that wait."""
        for site in self._sites:
            own = [each for each in changes if each.site is site]
            if own and Ability.SCORE in self._answerer.can and has_time():
                yield from self._ask(site, own, has_time)
            self._waiting += own
        # Ascending: `_try_all` pops the likeliest from the end.
        self._waiting.sort(key=lambda each: each.likelihood)

    def _ask(
        self, site: Site, own: list[Repair], has_time: Callable[[], bool]
    ) -> Iterator[TrialProgress]:
        """Have the changes of one place scored, in place."""
        for index, logprob in self._answerer.score(
            site.request, [each.mutation.after for each in own]
        ):
            own[index] = replace(own[index], logprob=logprob)
            yield TrialProgress(self.tried, self.total)
            if not has_time():
                return

    def _try_all(
        self, seconds: Callable[[], float], end: float, least: float
    ) -> Iterator[TrialProgress]:
        """Try the changes likelier than `least`, the likeliest first."""
        while self._waiting and self._waiting[-1].likelihood > least and not self._is_over:
            if (left := end - seconds()) <= 0:
                return
            yield from self._try(self._waiting.pop(), left)

    def _try(self, change: Repair, seconds: float) -> Iterator[TrialProgress]:
        site = change.site
        page = change.site.page
        trial = change.site.trial
        after = change.mutation.after
        file = page.file(after)
        doubtful = site.is_doubtful(after)
        checks = run_checks(page.base, file, page.region.path)
        # What cannot count is not run: a file tried before, a second doubtful fix beside the one
        # there is, or code that fails a check.
        known = trial.knows(file) and not change.again
        if known or (doubtful and self.fix) or not all(check.ok for check in checks):
            self.total -= 1
            return
        self.tried += not change.again
        check = yield from trial.run(
            file,
            TrialProgress(self.tried, self.total, trial.last_line),
            seconds,
            again=change.again,
        )
        # A change that hung gets more time once all others were tried, the first of them first.
        if trial.hung(file):
            self._later.insert(0, replace(change, again=True))
        if check.ok:
            self.fix = Fix(change, file, (*checks, check), doubtful)
            # A doubtful fix may be beaten, but not at the price of the whole search.
            self._most = min(self._most, self.tried + _MOST_AGAIN)


class Mender:
    """Small changes where no answer of a turn passes the command. Mutable.

    Args:
        page, request, trial: As for a `Site`.
    """

    search: RepairSearch | None = None
    """The search, once there was one, perhaps before the turn began."""
    problem = ""
    """Why there is no fix, after a search."""

    def __init__(self, page: RegionSplicer, request: QuotedRequest, trial: Trial) -> None:
        self._page = page
        self._request = request
        self._trial = trial

    @property
    def fix(self) -> Fix | None:
        """The small change that was found, if any."""
        return self.search.fix if self.search else None

    def run(
        self, answerer: Provider, seconds: Callable[[], float]
    ) -> Generator[TrialProgress, None, Candidate | None]:
        """Try one change after another, unless that was done before.

        Args:
            seconds: As for `RepairSearch.run`.

        Returns:
            The change that passes, as a candidate.
        """
        yield from self._trial.run_unedited(TrialProgress())
        if self._trial.passed_before:
            return None
        if not self.search:
            self.problem = hopeless(self._trial, self._page.region)
            if self.problem:
                return None
            self.search = RepairSearch([self._site], answerer)
            yield from self.search.run(seconds, self._trial.left)
        if fix := self.fix:
            return Candidate("fix", fix.file, fix.checks, fix.change.logprob)
        self.problem = self.search.problem
        return None

    def proves(self, shown: Candidate) -> bool:
        """Whether the command fails as it is, and passes with an answer for a good reason."""
        passes = any(check.name == "command" and check.ok for check in shown.checks)
        fails = self._trial.passed_before is False
        return fails and passes and not self._site.is_doubtful(self._page.within(shown.file))

    def provenance(self, file: Text) -> str:
        """How a file was found, if it is the fix."""
        return self.search.provenance if self.search and self.fix and file == self.fix.file else ""

    @property
    def _site(self) -> Site:
        return Site(self._page, self._request, self._trial)
