"""Looking for the fix of a bug among all the small changes there are, the model's likeliest first.

Where a command of the user's own tells right from wrong, the model need not write the answer: it is enough that it
knows roughly where and how code goes wrong.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from math import inf

from spark_tui.editing import mutations
from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.format import NO_EDIT, Frame, Piece, encode_pieces, kind_mark, render_script
from spark_tui.editing.mutations import Mutation
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.text import Text
from spark_tui.editing.tokens import token_classes
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.score import score
from spark_tui.session.answers import Asked, repaired
from spark_tui.session.events import Trying
from spark_tui.session.fixing.errors_read import ErrorsRead
from spark_tui.session.fixing.failing import MOST_TRIES, indifferent, is_told, unrepaired
from spark_tui.session.fixing.fixes_weighed import FixesWeighed
from spark_tui.session.fixing.held_thinly import THIN, held_thinly
from spark_tui.session.fixing.outcome import Place, errors_said, lines_named
from spark_tui.session.fixing.trial import Trial
from spark_tui.session.proposal import Proposals

MOST_AGAIN = 20
_SCORED_AT_ONCE = 16
_TOLD = 6.0
"""How much likelier what an error speaks for is."""
_LACKING = {"line": 8.0, "case": 16.0, "step": 6.0}
"""How much likelier what a function may lack is than the model thinks, which knows too little of it."""
_MARKS = {
    "operator": "fix_operator", "bound": "off_by_one", "condition": "fix_condition", "name": "fix_name",
    "attribute": "fix_attribute", "literal": "fix_literal", "call": "fix_call", "argument": "fix_arguments",
    "order": "swap_arguments", "return": "add_return", "leaving": "add_break", "await": "add_await", "self": "add_self",
    "indent": "fix_indent", "default": "mutable_default", "none": "fix_default_none", "line": "add_statement",
    "case": "guard_clause", "step": "off_by_one",
}  # fmt: skip
"""What a script of each group of mutations begins with, as models write it."""
_DOUBTED, _DOUBTED_LESS = -12.0, 0.4
"""What the model thinks less likely than the first number, it does not know to be so much less likely."""
_LATER = 1000.0
"""How much less likely what hung counts than all that was not tried yet."""
_ASKED_AFTER = 3
"""Changes that changed nothing of what the command says, before it is asked whether it comes to the lines at all."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A change that could be the fix, how likely the model thinks it, and how likely it is by all that is known."""

    mutation: Mutation
    logprob: float
    likelihood: float = -inf
    again: bool = False
    """Whether it was tried already, and did not end in the time that it was given."""

    def script(self, frame: Frame) -> Iterator[Piece]:
        """The script that a model would write for it."""
        return render_script(_MARKS[self.mutation.group], self.mutation.ops, frame)


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

    Args: base: the file. asked: the region. trial: what a repair must pass. again: some answer passes, and only a
        better one is looked for, not for long.
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
        self._output, self._errors = output, ErrorsRead(errors_said(output), "\n".join(base.lines))
        blamed = {line - region.start_line for line in lines_named(output, place)}
        self._comes_here = bool(blamed)
        """Whether the command is known to come to the region."""
        self._weighed = FixesWeighed(
            self._snippet,
            blamed=blamed,
            said=output,
            looping=bool(trial.unfinished),
        )
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
        found = list(mutations.of(self._snippet, lines=self._asked.region.selected, meant=self._errors.meant))
        self.total = len(found)
        self._waiting = (yield from self._ranked(found, loaded, kv, prompt_ids))[::-1]

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
        after = self.found.repair.mutation.after if self.found else self._snippet.lines
        thin = not is_told(self._asked, after) and held_thinly(self._snippet.lines, after, self._output)
        return repaired(self.tried, self.total, doubtful=self.doubtful) + (THIN if thin and not self.doubtful else "")

    def try_next(self, seconds: float) -> Iterator[Trying]:
        """Try the likeliest of those that were not."""
        yield from self._try(self._waiting.pop(), seconds)

    def _try(self, repair: Repair, seconds: float) -> Iterator[Trying]:
        after = repair.mutation.after
        file = self._proposals.file(after, repair.mutation.ops)
        doubtful = self._weighed.is_doubtful(after)
        checks = run_checks(self._base, file, self._asked.region.path)
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

    def _ranked(
        self, found: list[Mutation], loaded: LoadedModel, kv: KVCache, prompt_ids: list[int]
    ) -> Generator[Trying, None, list[Repair]]:
        """The mutations by how likely they are."""
        marks = token_classes(loaded.tokenizer, loaded.config.vocab_size).marks
        known = [kind for kind in sorted(_MARKS.values()) if kind_mark(kind) in marks]
        scripts = []
        for one in found:
            # What the model has no mark for is scored as another: where the bug is and how the line reads count.
            kind = _MARKS[one.group] if _MARKS[one.group] in known else min(known, default=NO_EDIT)
            scripts.append(encode_pieces(render_script(kind, one.ops, self._frame), loaded.tokenizer))
        repairs = []
        for done, (index, logprob) in enumerate(score(loaded.model, kv, prompt_ids, scripts)):
            repairs.append(Repair(found[index], logprob, self._likelihood(found[index], logprob)))
            if done % _SCORED_AT_ONCE == 0:
                yield Trying(0, self.total)
        return sorted(repairs, key=lambda one: -one.likelihood)

    def _likelihood(self, mutation: Mutation, logprob: float) -> float:
        model = logprob if logprob > _DOUBTED else _DOUBTED + _DOUBTED_LESS * (logprob - _DOUBTED)
        gone, come = self._weighed.difference(mutation.after)
        told = _TOLD * self._errors.speak_for(mutation.group, gone, come)
        return model + self._weighed.weight(mutation.after) + max(told, _LACKING.get(mutation.group, 0.0))
