"""Looking for the fix of a bug among all the small changes there are, the model's likeliest first.

Where a command of the user's own tells right from wrong, the model need not write the answer: it is enough that it
knows roughly where and how code goes wrong.
"""

import ast
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

from spark_tui.editing.checks import Check, new_names_are_free, run_checks
from spark_tui.editing.code import splice
from spark_tui.editing.codemods.base import Ops, Request, applied, listed
from spark_tui.editing.codemods.bounds_suspected import suspected
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.format import NO_EDIT, Frame, encode_pieces, kind_mark, render_script
from spark_tui.editing.script import Substitute
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.text import Text
from spark_tui.editing.tokens import token_classes
from spark_tui.editing.waste import adds_waste, more_waste
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.score import score
from spark_tui.session.answers import Asked
from spark_tui.session.events import Trying
from spark_tui.session.failing import indifferent, repair_kinds, unrepaired
from spark_tui.session.proposal import Proposals
from spark_tui.session.trial import Trial

MOST_TRIES = 200
"""Runs of the command in one search."""
_MOST_AGAIN = 20
_SCORED_AT_ONCE = 16
_TURNED, _LOOPING, _SUSPECTED, _WASTING, _ODDLY = -3.0, 4.0, 5.0, -3.0, -9.0
_DOUBLE_SIGN = re.compile(r"[-+] -\d")
_ASKED_AFTER = 3
"""Changes that changed nothing of what the command says, before it is asked whether it comes to the lines at all."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A change that could be the fix, and how likely the model thinks it."""

    kind: str
    ops: Ops
    logprob: float = -inf


@dataclass(frozen=True, slots=True)
class Found:
    """The repair that makes the command pass."""

    repair: Repair
    file: Text
    checks: tuple[Check, ...]


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
        repairs = list(self._listed())
        self.total = len(repairs)
        repairs = yield from self._ranked(repairs, loaded, kv, prompt_ids)
        asked = self._again
        for repair in repairs:
            left = end - seconds()
            if self.found or self.unreached or left <= 0 or self.tried == (_MOST_AGAIN if self._again else MOST_TRIES):
                return
            yield from self._try(repair, left)
            if not asked and self._trial.unmoved >= _ASKED_AFTER:
                asked, self.unreached = True, (yield from indifferent(self._trial, self._asked, self._trying()))

    def _try(self, repair: Repair, seconds: float) -> Iterator[Trying]:
        file = self._proposals.file(applied(self._snippet, repair.ops), repair.ops)
        checks = run_checks(self._base, file, self._asked.region.path)
        checks += new_names_are_free(self._snippet.lines, [op for op in repair.ops if isinstance(op, Substitute)])
        wasteful = self._again and adds_waste(self._snippet, Snippet(tuple(applied(self._snippet, repair.ops))))
        if wasteful or self._trial.knows(file) or not all(check.ok for check in checks):
            self.total -= 1
            return
        self.tried += 1
        trying = self._trying()
        yield trying
        check = yield from self._trial.run(file, trying, seconds)
        if check.ok:
            self.found = Found(repair, file, (*checks, check))

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

    def _of(self, kind: str) -> Sequence[Ops]:
        """The repairs of one kind: those that the words narrow it to, then the others."""
        selected = self._asked.region.selected
        lists = (listed(codemods()[kind], self._snippet, Request(words, selected)) for words in (self._asked.words, ""))
        return tuple(dict.fromkeys(ops for found in lists for ops in found or ()))

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
        return [best[after] for after in sorted(best, key=lambda after: -best[after].logprob - self._prior(after))]

    def _prior(self, after: Sequence[str]) -> float:
        """How much likelier or less likely new lines are than the model thinks."""
        at = next((at for at, pair in enumerate(zip(self._snippet.lines, after, strict=False)) if len({*pair}) > 1), -1)
        if at < 0:
            return 0.0
        before, now = self._snippet.lines[at], after[at]
        turned = _DOUBLE_SIGN.search(now) is not None or now in (
            before.replace("- 1", "+ 1"),
            before.replace("+ 1", "- 1"),
        )
        # What is one too few is seldom to be one too many. What never ends is a loop.
        looping = bool(self._trial.unfinished) and at in self._loops
        odd = _ODDLY * (_DOUBLE_SIGN.search(now) is not None)
        likelier = odd + _LOOPING * looping + _SUSPECTED * (tuple(after) in self._suspected)
        return _TURNED * turned + _WASTING * self._wastes(after) + likelier

    def _wastes(self, after: Sequence[str]) -> int:
        return more_waste(self._snippet, Snippet(tuple(after)))

    @cached_property
    def _suspected(self) -> frozenset[tuple[str, ...]]:
        """The lines with a bound mended that shows to be wrong."""
        lines = self._snippet.lines
        return frozenset(tuple(splice(lines, one.start, one.end, one.text)) for one in suspected(self._snippet))

    @cached_property
    def _loops(self) -> frozenset[int]:
        """The lines of `while` loops, 0-based."""
        loops = (node for node in self._snippet.nodes if isinstance(node, ast.While))
        return frozenset(line - 1 for node in loops for line in range(node.lineno, (node.end_lineno or 0) + 1))
