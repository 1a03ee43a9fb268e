"""Looking for the fix of a bug among all the small changes there are, the model's likeliest first.

Where a command of the user's own tells right from wrong, the model need not write the answer: it is enough that it
knows roughly where and how code goes wrong.
"""

import ast
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from itertools import chain
from math import inf

from spark_tui.editing.checks import Check, new_names_are_free, run_checks
from spark_tui.editing.codemods.base import Ops, Request, applied, listed
from spark_tui.editing.codemods.bugs.lacking import lacking
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.format import NO_EDIT, Frame, encode_pieces, kind_mark, render_script
from spark_tui.editing.script import Substitute
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.text import Text
from spark_tui.editing.tokens import token_classes
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.score import score
from spark_tui.session.answers import Asked, repaired
from spark_tui.session.events import Trying
from spark_tui.session.fixing.failing import MOST_TRIES, indifferent, repair_kinds, unrepaired
from spark_tui.session.fixing.fixes_weighed import FixesWeighed
from spark_tui.session.fixing.held_thinly import THIN, held_thinly
from spark_tui.session.fixing.outcome import Place, errors_said, lines_named
from spark_tui.session.fixing.trial import Trial
from spark_tui.session.proposal import Proposals

MOST_AGAIN = 20
_SCORED_AT_ONCE = 16
_TOLD, _HINTED = 6.0, -5.0
_LACKING = {"add_statement": 8.0, "guard_clause": 16.0, "off_by_one": 6.0}
"""Of what a function may lack, which the model knows too little of, by its kind."""
_HINTS = {
    "fix_call": ("the method is never called", "strip", "a copy", "lower case", "as a float"),
    "fix_indent": ("it returns too early, inside the loop",),
}
"""Words that bring changes of a kind which nothing else brings."""
_TELLING = {"add_return": "NoneType", "add_await": "coroutine", "add_self": "is not defined"}
"""What an error says that speaks for a kind."""
_DOUBTED, _DOUBTED_LESS = -12.0, 0.4
"""What the model thinks less likely than the first number, it does not know to be so much less likely."""
_LATER = 1000.0
"""How much less likely what hung counts than all that was not tried yet."""
_ASKED_AFTER = 3
"""Changes that changed nothing of what the command says, before it is asked whether it comes to the lines at all."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A change that could be the fix, how likely the model thinks it, and how likely it is by all that is known."""

    kind: str
    ops: Ops
    logprob: float = -inf
    likelihood: float = -inf
    again: bool = False
    """Whether it was tried already, and did not end in the time that it was given."""


@dataclass(frozen=True, slots=True)
class Found:
    """The repair that makes the command pass."""

    repair: Repair
    file: Text
    checks: tuple[Check, ...]
    doubtful: bool = False
    """Whether it may well pass for no good reason."""


class RepairSearch:
    """Tries the repairs of one region. Mutable.

    Args: base: the file. asked: its words may narrow the list. trial: what a repair must pass. again: some
        answer passes, and only a better one is looked for, not for long.
    `tried` counts runs of the command, `total` the repairs there are; `unreached`: it never comes to the region.
    """

    def __init__(self, base: Text, asked: Asked, trial: Trial, *, again: bool = False) -> None:
        self.found: Found | None = None
        self.tried = self.total = 0
        self.unreached = False
        self._again = again
        self._base, self._asked, self._trial = base, asked, trial
        self._snippet, self._frame = Snippet(tuple(asked.lines)), Frame.of(asked.lines)
        self._proposals = Proposals(base, asked.region)
        output, region = (trial.first.output if trial.first else ""), asked.region
        place = Place(str(region.path), region.start_line, region.end_line)
        self._output, self._errors = output, errors_said(output)
        blamed = {line - region.start_line for line in lines_named(output, place)}
        self._comes_here = bool(blamed)
        """Whether the command is known to come to the region."""
        self._weighed = FixesWeighed(
            self._snippet,
            blamed=blamed,
            said=output,
            looping=bool(trial.unfinished),
        )
        self._worth = dict[Ops, float]()
        """Of changes that an error tells, or that only a hint brings."""
        self._waiting: list[Repair] = []
        """What was not tried yet, the likeliest last."""

    @property
    def problem(self) -> str:
        """What is said when none is found; "" where there is an answer without."""
        return (
            ""
            if self._again
            else unrepaired(self._trial, self.tried, self.total, self._asked, unreached=self.unreached)
        )

    def run(
        self, loaded: LoadedModel, kv: KVCache, prompt_ids: list[int], seconds: Callable[[], float]
    ) -> Iterator[Trying]:
        """Look until a repair is found, none is left or the budget is spent.

        Args: kv, prompt_ids: as for `score`. seconds: a clock that stands still while the turn is paused.
        """
        end = seconds() + self._trial.left
        yield from self.weigh(loaded, kv, prompt_ids)
        asked, most = self._again or self._comes_here, MOST_AGAIN if self._again else MOST_TRIES
        while self._waiting and not self.unreached and self.tried < most and (not self.found or self.doubtful):
            if (left := end - seconds()) <= 0:
                return
            had = self.found
            yield from self.try_next(left)
            if self.found is not had:  # a better one is looked for, not for long
                most = min(most, self.tried + MOST_AGAIN)
            if not asked and self._trial.unmoved >= _ASKED_AFTER:
                asked, self.unreached = True, (yield from indifferent(self._trial, self._asked, self._trying()))

    def weigh(self, loaded: LoadedModel, kv: KVCache, prompt_ids: list[int]) -> Iterator[Trying]:
        """Find out what there is to try, and how likely each is. Args: kv, prompt_ids: as for `score`."""
        repairs = list(self._listed())
        self.total = len(repairs)
        self._waiting = (yield from self._ranked(repairs, loaded, kv, prompt_ids))[::-1]

    @property
    def next_likelihood(self) -> float:
        """How likely the next to be tried is; -inf where there is none."""
        return self._waiting[-1].likelihood if self._waiting else -inf

    @property
    def doubtful(self) -> bool:
        """Whether what was found may well pass for no good reason."""
        return self.found is not None and self.found.doubtful

    @property
    def told(self) -> str:
        """How what was found was found, and what speaks against it."""
        after = applied(self._snippet, self.found.repair.ops) if self.found else self._snippet.lines
        thin = held_thinly(self._snippet.lines, after, self._asked.words, self._output)
        return repaired(self.tried, self.total, doubtful=self.doubtful) + (THIN if thin and not self.doubtful else "")

    def try_next(self, seconds: float) -> Iterator[Trying]:
        """Try the likeliest of those that were not."""
        yield from self._try(self._waiting.pop(), seconds)

    def _try(self, repair: Repair, seconds: float) -> Iterator[Trying]:
        after = applied(self._snippet, repair.ops)
        file = self._proposals.file(after, repair.ops)
        doubtful = self._weighed.is_doubtful(after)
        checks = run_checks(self._base, file, self._asked.region.path)
        checks += new_names_are_free(self._snippet.lines, [op for op in repair.ops if isinstance(op, Substitute)])
        no_better = doubtful and (self._again or self.found is not None)
        if no_better or (self._trial.knows(file) and not repair.again) or not all(check.ok for check in checks):
            self.total -= 1
            return
        self.tried += not repair.again
        trying = self._trying()
        yield trying
        check = yield from self._trial.run(file, trying, seconds, again=repair.again)
        if self._trial.hung(file):  # more time is for those that may need it, when all else was tried
            self._waiting.insert(0, replace(repair, likelihood=repair.likelihood - _LATER, again=True))
        if check.ok:
            self.found = Found(repair, file, (*checks, check), doubtful)

    def _trying(self) -> Trying:
        return Trying(self.tried, self.total, self._trial.said)

    def _listed(self) -> Iterator[Repair]:
        """Every repair, the first of each kind before the second of any."""
        try:
            self._snippet.tree  # noqa: B018 - parsed here, where it may fail
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        lists = {kind: self._of(kind) for kind in sorted(repair_kinds())}
        for rank in range(max(map(len, lists.values()), default=0)):
            yield from (Repair(kind, edits[rank]) for kind, edits in lists.items() if rank < len(edits))
        for kind, ops in lacking(self._snippet):
            self._worth.setdefault(ops, _LACKING[kind])
            yield Repair(kind, ops)

    def _of(self, kind: str) -> Sequence[Ops]:
        """The repairs of one kind: those that the words, or an error, narrow it to, then the others."""
        every, worded = self._that(kind, ""), self._that(kind, self._asked.words)
        known = {*every, *worded}
        telling = [one for one in self._errors_with_names if kind != "fix_attribute" or "attribute" in one]
        told = [self._that(kind, words) for words in telling]
        hinted = [one for words in self._hints(kind) for one in self._that(kind, words)]
        self._worth |= {ops: _HINTED for ops in hinted if ops not in known}
        sure = any(_TELLING[kind] in one for one in telling) if kind in _TELLING else False
        narrowed = [found for found in told if sure or len(found) < len(every) or {*found} - known]
        self._worth |= dict.fromkeys(chain.from_iterable(narrowed), _TOLD)
        return tuple(dict.fromkeys((*chain.from_iterable(told), *worded, *every, *hinted)))

    def _hints(self, kind: str) -> Sequence[str]:
        """Words that may bring more of a kind."""
        if kind == "fix_attribute":
            names = {one.attr for one in self._snippet.nodes if isinstance(one, ast.Attribute)}
            return [" ".join(f"`{name}`" for name in sorted(names))]
        return _HINTS.get(kind, ())

    def _that(self, kind: str, words: str) -> Sequence[Ops]:
        return listed(codemods()[kind], self._snippet, Request(words, self._asked.region.selected)) or ()

    @cached_property
    def _errors_with_names(self) -> tuple[str, ...]:
        """The errors, each with the texts of the file that are like a key that is missing."""
        return tuple(error + self._likely_keys(error) for error in self._errors)

    def _likely_keys(self, error: str) -> str:
        missing = re.match(r"KeyError: ['\"](.+)['\"]$", error)
        keys = re.findall(r"['\"](\w+)['\"]", "\n".join(self._base.lines)) if missing else ()
        near = get_close_matches(missing[1], set(keys) - {missing[1]}, n=3, cutoff=0.5) if missing else ()
        return "".join(f", '{one}'" for one in near)

    def _ranked(
        self, repairs: list[Repair], loaded: LoadedModel, kv: KVCache, prompt_ids: list[int]
    ) -> Generator[Trying, None, list[Repair]]:
        """The repairs by their probability; those that come to the same lines are one."""
        marks = token_classes(loaded.tokenizer, loaded.config.vocab_size).marks
        known = [kind for kind in repair_kinds() if kind_mark(kind) in marks]
        scripts = []
        for repair in repairs:
            # A kind the model does not know is scored as one it knows: where the bug is and how the line reads count.
            kind = repair.kind if repair.kind in known else min(known, default=NO_EDIT)
            scripts.append(encode_pieces(render_script(kind, repair.ops, self._frame), loaded.tokenizer))
        best: dict[tuple[str, ...], Repair] = {}
        for done, (index, logprob) in enumerate(score(loaded.model, kv, prompt_ids, scripts)):
            repair = replace(repairs[index], logprob=logprob)
            after = tuple(applied(self._snippet, repair.ops))
            best[after] = max(best.get(after, repair), repair, key=lambda one: one.logprob)
            if done % _SCORED_AT_ONCE == 0:
                yield Trying(0, self.total)
        self.total = len(best)
        weighed = [replace(one, likelihood=self._likelihood(one, after)) for after, one in best.items()]
        return sorted(weighed, key=lambda one: -one.likelihood)

    def _likelihood(self, repair: Repair, after: Sequence[str]) -> float:
        model = repair.logprob if repair.logprob > _DOUBTED else _DOUBTED + _DOUBTED_LESS * (repair.logprob - _DOUBTED)
        return model + self._weighed.weight(after) + self._worth.get(repair.ops, 0.0)
