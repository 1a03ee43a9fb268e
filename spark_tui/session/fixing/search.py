"""Looking for the fix of a bug among all the small changes of some places, the likeliest first.

Where a command of the user's own tells right from wrong, nobody need write the answer: it is enough to know roughly
where and how code goes wrong. What an answerer thinks of a change, the words included, it says by itself.
"""

import re
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import inf

from spark_tui.answering.seam import Ability, Answerer
from spark_tui.editing import mutations
from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.mutations import Mutation
from spark_tui.editing.quoting import Request
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.text import Text
from spark_tui.session.candidates import Candidate
from spark_tui.session.events import Trying
from spark_tui.session.fixing import unmended
from spark_tui.session.fixing.fixes_weighed import FixesWeighed
from spark_tui.session.fixing.outcome import errors_said, lines_named
from spark_tui.session.fixing.trial import Trial
from spark_tui.session.page import Page

_NAME = r"['\"`]([^\W\d]\w*)['\"`]"
_MISSING = re.compile(
    rf"name {_NAME} is not defined|variable {_NAME}|has no attribute {_NAME}|cannot import name {_NAME}"
    rf"|unexpected keyword argument {_NAME}|KeyError: ['\"](.+)['\"]$"
)
_SUGGESTED = re.compile(rf"[Dd]id you mean:? {_NAME}")
_MOST_NEAR, _NEAR = 4, 0.5
_GROUPS = {"NoneType": "return", "IndexError": "bound"}
"""What an error says that speaks for a group of mutations."""


class ErrorsRead:
    """What errors say of a fix. Args: errors: as `errors_said` gives them. code: of the file."""

    def __init__(self, errors: Sequence[str], code: str = "") -> None:
        self._groups = {group for told, group in _GROUPS.items() if any(told in each for each in errors)}
        self.meant: dict[str, tuple[str, ...]] = {}
        """For each name or key that there is none of, those that may be meant."""
        known = set(re.findall(r"[^\W\d]\w{2,}", code))
        for error in errors:
            suggested = tuple(_SUGGESTED.findall(error))
            for name in (one for groups in _MISSING.findall(error) for one in groups if one):
                near = get_close_matches(name, known - {name}, n=_MOST_NEAR, cutoff=_NEAR)
                self.meant[name] = tuple(dict.fromkeys((*suggested, *near)))

    def speak_for(self, group: str, gone: Collection[str]) -> bool:
        """Whether they speak for a mutation. Args: group: its own. gone: the tokens that it takes."""
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
_DOUBTED, _DOUBTED_LESS = -12.0, 0.4
"""What an answerer thinks less likely than the first number, it does not know to be so much less likely."""
_DOUBT = "; it leaves something out or says what the test expects"
"""What is said of a change that may well pass for no good reason."""
_FURTHER = 1.0
"""How much less likely each place is than the one before."""


class Site:
    """A place whose small changes may be tried. Args: request: what is asked there. trial: what a change must pass."""

    def __init__(self, page: Page, request: Request, trial: Trial) -> None:
        self.request, self.trial = request, trial
        self.page, self._snippet = page, Snippet(tuple(page.lines))
        region, output = page.region, trial.first.output if trial.first else ""
        self._errors = ErrorsRead(errors_said(output), "\n".join(page.base.lines))
        named = {line - region.start_line for line in lines_named(output, region)}
        self._weighed = FixesWeighed(self._snippet, blamed=named, said=output)

    def changes(self, rank: int) -> "list[Change]":
        """Every small change there is. Args: rank: of the place, from 0."""
        found = mutations.of(self._snippet, lines=self.page.region.selected, meant=self._errors.meant)
        return [Change(self, each, self._weight(each) - _FURTHER * rank) for each in found]

    def _weight(self, mutation: Mutation) -> float:
        """How much likelier or less likely a change is than an answerer thinks."""
        gone, _ = self._weighed.difference(mutation.after)
        return self._weighed.weight(mutation.after) + _TOLD * self._errors.speak_for(mutation.group, gone)

    def is_doubtful(self, after: Sequence[str]) -> bool:
        """Whether other lines in the place may well make a command pass for no good reason."""
        return self._weighed.is_doubtful(after)


@dataclass(frozen=True, slots=True)
class Change:
    """What could be the fix. `weight`: all that speaks for it besides; `again`: it hung, and may need more time."""

    site: Site
    mutation: Mutation
    weight: float
    logprob: float = _UNASKED
    again: bool = False

    @property
    def likelihood(self) -> float:
        """How likely it is by all that is known, as a logarithm."""
        known = self.logprob if self.logprob > _DOUBTED else _DOUBTED + _DOUBTED_LESS * (self.logprob - _DOUBTED)
        return known + self.weight


@dataclass(frozen=True, slots=True)
class Fix:
    """The change that makes the command pass. `doubtful`: it may well pass for no good reason."""

    change: Change
    file: Text
    checks: tuple[Check, ...]
    doubtful: bool


class Search:
    """Tries the changes of some places. Mutable. Args: sites: the likeliest first, at least one.

    `tried` counts runs of the command, `total` the changes there are.
    """

    def __init__(self, sites: Sequence[Site], answerer: Answerer) -> None:
        self.fix: Fix | None = None
        self.tried = self.total = 0
        self._sites, self._answerer = sites, answerer
        self._waiting: list[Change] = []
        """What the answerer was asked about and was not tried yet, the likeliest last."""
        self._later: list[Change] = []
        """What did not end in the time that it was given."""
        self._most = MOST_TRIES

    def run(self, seconds: Callable[[], float], most_seconds: float) -> Iterator[Trying]:
        """Look until a fix is found that passes for a good reason, none is left, or the time is up.

        Args: seconds: a clock that stands still while the turn is paused.
        """
        end, most_asking = seconds() + most_seconds, most_seconds * _ASKING_SHARE
        found = [each for rank, site in enumerate(self._sites) for each in site.changes(rank)]
        self.total = len(found)
        likeliest = sorted(found, key=lambda each: -each.weight)[:MOST_SCORED]
        for first in range(0, len(likeliest), _AT_ONCE):
            began = seconds()
            yield from self._weigh(likeliest[first : first + _AT_ONCE], lambda: seconds() - began < most_asking)  # noqa: B023
            most_asking -= seconds() - began
            yield from self._try_all(seconds, end, _LIKELY)
            if self._is_over or seconds() >= end:
                return
        yield from self._try_all(seconds, end, -inf)
        self._waiting, self._later = self._later, []
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
        trial, places = self._sites[0].trial, [site.page.region for site in self._sites]
        if not self.total:
            return ""
        if len(self._sites) > 1:
            return unmended.nowhere(trial.command.line, self.tried, places)
        return unmended.tried_all(trial, self.tried, self.total, places[0], most=MOST_TRIES)

    @property
    def _is_over(self) -> bool:
        good = self.fix is not None and not self.fix.doubtful
        return good or self.tried >= self._most

    def _weigh(self, changes: Sequence[Change], has_time: Callable[[], bool]) -> Iterator[Trying]:
        """Ask how likely some changes are, as long as there is time."""
        for site in self._sites:
            own = [each for each in changes if each.site is site]
            if own and Ability.SCORE in self._answerer.can and has_time():
                yield from self._ask(site, own, has_time)
            self._waiting += own
        self._waiting.sort(key=lambda each: each.likelihood)

    def _ask(self, site: Site, own: list[Change], has_time: Callable[[], bool]) -> Iterator[Trying]:
        """Ask how likely changes of one place are, which become as likely as that."""
        for index, logprob in self._answerer.score(site.request, [each.mutation.after for each in own]):
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

    def _try(self, change: Change, seconds: float) -> Iterator[Trying]:
        site, page, trial, after = change.site, change.site.page, change.site.trial, change.mutation.after
        file, doubtful = page.file(after), site.is_doubtful(after)
        checks = run_checks(page.base, file, page.region.path)
        known = trial.knows(file) and not change.again
        if known or (doubtful and self.fix) or not all(check.ok for check in checks):
            self.total -= 1
            return
        self.tried += not change.again
        check = yield from trial.run(file, Trying(self.tried, self.total, trial.said), seconds, again=change.again)
        if trial.hung(file):  # more time is for those that may need it, when all else was tried
            self._later.insert(0, replace(change, again=True))
        if check.ok:
            self.fix = Fix(change, file, (*checks, check), doubtful)
            self._most = min(self._most, self.tried + _MOST_AGAIN)


class Mender:
    """Small changes where no answer of a turn passes. Mutable. Args: page, request, trial: as a `Site` has them."""

    search: Search | None = None
    """The search, once there was one, perhaps before the turn began."""
    problem = ""
    """Why there is no fix, where one was looked for."""

    def __init__(self, page: Page, request: Request, trial: Trial) -> None:
        self._page, self._request, self._trial = page, request, trial

    @property
    def fix(self) -> Fix | None:
        """The small change that was found, if one was."""
        return self.search.fix if self.search else None

    def run(self, answerer: Answerer, seconds: Callable[[], float]) -> Generator[Trying, None, Candidate | None]:
        """Try one after the other, unless that was done. Args: seconds: as for `Search.run`. Returns: what passes."""
        yield from self._trial.run_unedited(Trying())
        if self._trial.passed_before:
            return None
        if not self.search:
            self.problem = unmended.hopeless(self._trial, self._page.region)
            if self.problem:
                return None
            self.search = Search([self._site], answerer)
            yield from self.search.run(seconds, self._trial.left)
        if fix := self.fix:
            return Candidate("fix", fix.file, fix.checks, fix.change.logprob)
        self.problem = self.search.problem
        return None

    def proves(self, shown: Candidate) -> bool:
        """Whether the command fails as it is and passes with an answer, for what may well be a good reason."""
        passes = any(check.name == "command" and check.ok for check in shown.checks)
        fails = self._trial.passed_before is False
        return fails and passes and not self._site.is_doubtful(self._page.within(shown.file))

    def told(self, file: Text) -> str:
        """How a file was found, if it is the fix."""
        return self.search.told if self.search and self.fix and file == self.fix.file else ""

    @property
    def _site(self) -> Site:
        return Site(self._page, self._request, self._trial)
