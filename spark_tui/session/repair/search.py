"""The small change that makes a command pass.

How likely a small change is the fix of a bug whatever the model thinks of it, and which only make a
test pass.

Whether a command that fails can be made to pass by small changes of a place, and what is said where
it cannot.

Looking for the fix of a bug among all the small changes of some places, the likeliest first.

Where a command of the user's own tells right from wrong, nobody need write the answer: it is enough
to know roughly where and how code goes wrong. What an answerer thinks of a change, the words
included, it says by itself.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
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
from spark_tui.session.events import Trying
from spark_tui.session.repair.sandbox import TOKEN, Trial, errors_said, lines_named

_DOUBTFUL = -8.0
_BLAMED = 2.0
_COUNTED = re.compile(
    r"\bline \d+|:\d+:|\b\d+(?:\.\d+)?(?:s\b|%| (?:passed|failed|tests?|errors?)\b)"
)
"""What an output says of lines, times and tests, and not of values."""
_WORD = re.compile(r"[^\W\d]\w*")
_FREE = frozenset(
    "not self cls str int float list len range sorted bool repr await return abs".split()
)
"""Words whose going takes nothing away that a function does its work with."""
_PLAIN = frozenset({"0", "1"})
_IDLE = frozenset(
    [(sign, 0) for sign in (ast.Add, ast.Sub, ast.LShift, ast.RShift, ast.BitOr)]
    + [(sign, 1) for sign in (ast.Mult, ast.Div, ast.FloorDiv, ast.Pow, ast.Mod)]
)
"""The operators, each with the number that makes it do nothing, or next to nothing."""


class FixesWeighed:
    """Weighs changes of some lines.

    Args:
        blamed: The 0-based lines that a failure names.
        said: What the failing command put out.
    """

    def __init__(self, snippet: Snippet, *, blamed: Collection[int] = (), said: str = "") -> None:
        self._snippet = snippet
        self._blamed = blamed
        self._said = frozenset(TOKEN.findall(_COUNTED.sub("", said)))
        self._had = Counter(token for line in snippet.lines for token in TOKEN.findall(line))

    def weight(self, after: Sequence[str]) -> float:
        """How much likelier or less likely new lines are than the model thinks."""
        return _DOUBTFUL * self.is_doubtful(after) + _BLAMED * bool(
            {*self._changed(after)} & {*self._blamed}
        )

    def is_doubtful(self, after: Sequence[str]) -> bool:
        """Whether new lines may well pass a test for no good reason: they do less, or say what
        the test expects.
        """
        gone, come = self.difference(after)
        idles = _idle(Snippet(tuple(after))) > _idle(self._snippet)
        drops = (
            bool(_names(gone) - _FREE) and not _names(come) - _FREE
        )  # a condition, an argument or a step
        numbers = (token for token in come.keys() - self._had.keys() - _PLAIN if token[0].isdigit())
        return idles or drops or any(number in self._said for number in numbers)

    def difference(self, after: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
        """The tokens that go, and those that come."""
        has = Counter(token for line in after for token in TOKEN.findall(line))
        return self._had - has, has - self._had

    def _changed(self, after: Sequence[str]) -> list[int]:
        """The lines of before that read otherwise."""
        lines = self._snippet.lines
        other = [at for at, (old, new) in enumerate(zip(lines, after, strict=False)) if old != new]
        return other if len(after) == len(lines) else (other or [len(lines) - 1])[:1]


def _idle(snippet: Snippet) -> int:
    """How many operations do nothing, or next to nothing, such as one times something."""
    nodes = snippet.nodes if snippet.is_python else ()
    binary = [one for one in nodes if isinstance(one, ast.BinOp)]
    pairs = [(one.op, one.right) for one in binary]
    pairs += [(one.op, one.left) for one in binary if isinstance(one.op, ast.Add | ast.Mult)]
    pairs += [(one.op, one.value) for one in nodes if isinstance(one, ast.AugAssign)]
    return sum(
        isinstance(by, ast.Constant) and (type(sign), by.value) in _IDLE for sign, by in pairs
    )


def _names(tokens: Counter[str]) -> set[str]:
    return {token for token in tokens if _WORD.fullmatch(token)}


_ADVICE = "say what is wrong, or where with --at PATH::NAME"


def hopeless(trial: Trial, region: Region) -> str:
    """Why no change of a place need be tried, once the command failed on the file as it is; ""
    where one may do.
    """
    reason = trial.own_reason(region)
    line = trial.command.line
    if reason:
        return f"`{line}` fails before any edit, and no edit of {where(region)} can help: {reason}"
    return ""


def passes_already(trial: Trial | None) -> str:
    """That there may be nothing to fix, where the command passes without an edit; or ""."""
    return f"; `{trial.command.line}` passes as it is" if trial and trial.passed_before else ""


def tried_all(trial: Trial, tried: int, total: int, region: Region, *, most: int) -> str:
    """No small change of a place made the command pass.

    Args:
        most: Runs that a search makes.
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
        budget = max(10, -(-int(trial.run_seconds * (min(total, most) + 1)) // 10) * 10)
        more = f"`--budget {budget}` would do for all of them, or "
    return (
        f"tried {tried} of {total} small changes in {place}{allowed}, and `{line}` {fails}; "
        f"{more}select the lines with --at PATH:L1-L2"
    )


def nowhere(line: str, tried: int, places: Iterable[Region]) -> str:
    """No small change at any of several places made the command pass."""
    names = ", ".join(f"{one.path}::{one.symbol}" if one.symbol else where(one) for one in places)
    return (
        f"tried {tried} small changes in what the failure of `{line}` leads to ({names}), "
        f"and it still fails; {_ADVICE}"
    )


_NAME = r"['\"`]([^\W\d]\w*)['\"`]"
_MISSING = re.compile(
    rf"name {_NAME} is not defined|variable {_NAME}|has no attribute {_NAME}|cannot import name "
    rf"{_NAME}"
    rf"|unexpected keyword argument {_NAME}|KeyError: ['\"](.+)['\"]$"
)
_SUGGESTED = re.compile(rf"[Dd]id you mean:? {_NAME}")
_MOST_NEAR = 4
_NEAR = 0.5
_GROUPS = {"NoneType": "return", "IndexError": "bound"}
"""What an error says that speaks for a group of mutations."""


class ErrorsRead:
    """What errors say of a fix.

    Args:
        errors: As `errors_said` gives them.
        code: Of the file.
    """

    def __init__(self, errors: Sequence[str], code: str = "") -> None:
        self._groups = {
            group for told, group in _GROUPS.items() if any(told in each for each in errors)
        }
        self.meant: dict[str, tuple[str, ...]] = {}
        """For each name or key that there is none of, those that may be meant."""
        known = set(re.findall(r"[^\W\d]\w{2,}", code))
        for error in errors:
            suggested = tuple(_SUGGESTED.findall(error))
            for name in (one for groups in _MISSING.findall(error) for one in groups if one):
                near = get_close_matches(name, known - {name}, n=_MOST_NEAR, cutoff=_NEAR)
                self.meant[name] = tuple(dict.fromkeys((*suggested, *near)))

    def speak_for(self, group: str, gone: Collection[str]) -> bool:
        """Whether they speak for a mutation.

        Args:
            group: Its own.
            gone: The tokens that it takes.
        """
        return group in self._groups or any(name in gone for name in self.meant)


MOST_TRIES = 200
"""Runs of the command in one search."""
MOST_SCORED = 200
"""Changes that an answerer is asked about: those that are likeliest by all else."""
_ASKING_SHARE = 0.3
"""How much of the time may go into asking."""
_UNASKED = -16.0
"""How likely a change counts that there was no time to ask about."""
_AT_ONCE = 40
"""Changes that it is asked about before the likely ones among them are tried."""
_LIKELY = -14.0
"""What is likelier than this is tried before more are asked about."""
_MOST_AGAIN = 20
"""Runs to find a better one, where one was found that may well pass for no good reason."""
_TOLD = 6.0
"""How much likelier what an error speaks for is."""
_DOUBTED = -12.0
_DOUBTED_LESS = 0.4
"""What an answerer thinks less likely than the first number, it does not know to be so much
less likely.
"""
_DOUBT = "; it leaves something out or says what the test expects"
"""What is said of a change that may well pass for no good reason."""
_FURTHER = 1.0
"""How much less likely each place is than the one before."""


class Site:
    """A place whose small changes may be tried.

    Args:
        request: What is asked there.
        trial: What a change must pass.
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
        self._weighed = FixesWeighed(self._snippet, blamed=named, said=output)

    def changes(self, rank: int) -> "list[Repair]":
        """Every small change there is.

        Args:
            rank: Of the place, from 0.
        """
        found = mutations.of(
            self._snippet, lines=self.page.region.selected, meant=self._errors.meant
        )
        return [Repair(self, each, self._weight(each) - _FURTHER * rank) for each in found]

    def _weight(self, mutation: Mutation) -> float:
        """How much likelier or less likely a change is than an answerer thinks."""
        gone, _ = self._weighed.difference(mutation.after)
        return self._weighed.weight(mutation.after) + _TOLD * self._errors.speak_for(
            mutation.group, gone
        )

    def is_doubtful(self, after: Sequence[str]) -> bool:
        """Whether other lines in the place may well make a command pass for no good reason."""
        return self._weighed.is_doubtful(after)


@dataclass(frozen=True, slots=True)
class Repair:
    """What could be the fix.

    `weight`: all that speaks for it besides; `again`: it hung, and may need more time.
    """

    site: Site
    mutation: Mutation
    weight: float
    logprob: float = _UNASKED
    again: bool = False

    @property
    def likelihood(self) -> float:
        """How likely it is by all that is known, as a logarithm."""
        if self.logprob > _DOUBTED:
            known = self.logprob
        else:
            known = _DOUBTED + _DOUBTED_LESS * (self.logprob - _DOUBTED)
        return known + self.weight


@dataclass(frozen=True, slots=True)
class Fix:
    """The change that makes the command pass. `doubtful`: it may well pass for no good reason."""

    change: Repair
    file: Text
    checks: tuple[Check, ...]
    doubtful: bool


class RepairSearch:
    """Tries the changes of some places.

    Mutable.

    Args:
        sites: The likeliest first, at least one.

    `tried` counts runs of the command, `total` the changes there are.
    """

    def __init__(self, sites: Sequence[Site], answerer: Provider) -> None:
        self.fix: Fix | None = None
        self.tried = self.total = 0
        self._sites = sites
        self._answerer = answerer
        self._waiting: list[Repair] = []
        """What the answerer was asked about and was not tried yet, the likeliest last."""
        self._later: list[Repair] = []
        """What did not end in the time that it was given."""
        self._most = MOST_TRIES

    def run(self, seconds: Callable[[], float], most_seconds: float) -> Iterator[Trying]:
        """Look until a fix is found that passes for a good reason, none is left, or the time is up.

        Args:
            seconds: A clock that stands still while the turn is paused.
        """
        end = seconds() + most_seconds
        most_asking = most_seconds * _ASKING_SHARE
        found = [each for rank, site in enumerate(self._sites) for each in site.changes(rank)]
        self.total = len(found)
        likeliest = sorted(found, key=lambda each: -each.weight)[:MOST_SCORED]
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
        yield from self._try_all(seconds, end, -inf)
        self._waiting = self._later
        self._later = []
        yield from self._try_all(seconds, end, -inf)

    @property
    def told(self) -> str:
        """How the fix was found, and what speaks against it; "" where there is none."""
        if self.fix is None:
            return ""
        line = self._sites[0].trial.command.line
        why = _DOUBT if self.fix.doubtful else ""
        return f"passes `{line}`; found by trying {self.tried} of {self.total} small changes{why}"

    @property
    def problem(self) -> str:
        """What is said where there is no fix; "" where there was nothing to try."""
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

    def _weigh(self, changes: Sequence[Repair], has_time: Callable[[], bool]) -> Iterator[Trying]:
        """Ask how likely some changes are, as long as there is time."""
        for site in self._sites:
            own = [each for each in changes if each.site is site]
            if own and Ability.SCORE in self._answerer.can and has_time():
                yield from self._ask(site, own, has_time)
            self._waiting += own
        self._waiting.sort(key=lambda each: each.likelihood)

    def _ask(self, site: Site, own: list[Repair], has_time: Callable[[], bool]) -> Iterator[Trying]:
        """Ask how likely changes of one place are, which become as likely as that."""
        for index, logprob in self._answerer.score(
            site.request, [each.mutation.after for each in own]
        ):
            own[index] = replace(own[index], logprob=logprob)
            yield Trying(self.tried, self.total)
            if not has_time():
                return

    def _try_all(self, seconds: Callable[[], float], end: float, least: float) -> Iterator[Trying]:
        """Try what is likelier than `least`, the likeliest first."""
        while self._waiting and self._waiting[-1].likelihood > least and not self._is_over:
            if (left := end - seconds()) <= 0:
                return
            yield from self._try(self._waiting.pop(), left)

    def _try(self, change: Repair, seconds: float) -> Iterator[Trying]:
        site = change.site
        page = change.site.page
        trial = change.site.trial
        after = change.mutation.after
        file = page.file(after)
        doubtful = site.is_doubtful(after)
        checks = run_checks(page.base, file, page.region.path)
        known = trial.knows(file) and not change.again
        if known or (doubtful and self.fix) or not all(check.ok for check in checks):
            self.total -= 1
            return
        self.tried += not change.again
        check = yield from trial.run(
            file, Trying(self.tried, self.total, trial.said), seconds, again=change.again
        )
        if trial.hung(file):  # more time is for those that may need it, when all else was tried
            self._later.insert(0, replace(change, again=True))
        if check.ok:
            self.fix = Fix(change, file, (*checks, check), doubtful)
            self._most = min(self._most, self.tried + _MOST_AGAIN)


class Mender:
    """Small changes where no answer of a turn passes.

    Mutable.

    Args:
        page, request, trial: As a `Site` has them.
    """

    search: RepairSearch | None = None
    """The search, once there was one, perhaps before the turn began."""
    problem = ""
    """Why there is no fix, where one was looked for."""

    def __init__(self, page: RegionSplicer, request: QuotedRequest, trial: Trial) -> None:
        self._page = page
        self._request = request
        self._trial = trial

    @property
    def fix(self) -> Fix | None:
        """The small change that was found, if one was."""
        return self.search.fix if self.search else None

    def run(
        self, answerer: Provider, seconds: Callable[[], float]
    ) -> Generator[Trying, None, Candidate | None]:
        """Try one after the other, unless that was done.

        Args:
            seconds: As for `RepairSearch.run`.

        Returns:
            What passes.
        """
        yield from self._trial.run_unedited(Trying())
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
        """Whether the command fails as it is and passes with an answer, for what may well be a
        good reason.
        """
        passes = any(check.name == "command" and check.ok for check in shown.checks)
        fails = self._trial.passed_before is False
        return fails and passes and not self._site.is_doubtful(self._page.within(shown.file))

    def told(self, file: Text) -> str:
        """How a file was found, if it is the fix."""
        return self.search.told if self.search and self.fix and file == self.fix.file else ""

    @property
    def _site(self) -> Site:
        return Site(self._page, self._request, self._trial)
