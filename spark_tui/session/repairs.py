"""Looking for the fix of a bug among all the small changes there are, the model's likeliest first.

Where a command of the user's own tells right from wrong, the model need not write the answer: it is enough that it
knows roughly where and how code goes wrong.
"""

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import exp, inf

from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check, new_names_are_free, run_checks
from spark_tui.editing.codemods.base import Ops, Request, applied, listed
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.format import NO_EDIT, Frame, encode_pieces, kind_mark, render_script
from spark_tui.editing.guide import Leaning
from spark_tui.editing.script import Substitute
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.text import Text
from spark_tui.editing.tokens import token_classes
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.score import score
from spark_tui.session.events import Trying
from spark_tui.session.proposal import Proposals
from spark_tui.session.trial import Trial

MOST_TRIES = 200
"""Runs of the command in one search."""
_SCORED_AT_ONCE = 16
_LIKELY = 0.5
"""How probable it must be, by the words, that a repair is meant: a symptom need not say that it is one."""
_ASKING = re.compile(
    r"\b(fix\w*|repair\w*|debug|correct|bugs?|wrong|broken|breaks?|fail\w*|pass|passes|work|works|error|mistake)\b"
    r"|(Error|Exception)\b",
    re.IGNORECASE,
)


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


def asks_for_repair(instruction: str, leaning: Leaning | None = None) -> bool:
    """Whether an instruction is about something that goes wrong. Args: leaning: the kinds that its words speak for."""
    if _ASKING.search(instruction):
        return True
    words = leaning.words if leaning else {}
    return sum(exp(words[kind]) for kind in repair_kinds() & words.keys()) > _LIKELY


@cache
def repair_kinds() -> frozenset[str]:
    """The kinds whose edits could be the fix of a bug."""
    return frozenset(kind for kind, codemod in codemods().items() if codemod.repairs)


class RepairSearch:
    """Tries the repairs of one region. Mutable.

    Args: base: the file. request: what may narrow the list. trial: what a repair must pass.
    `tried` counts runs of the command, `total` the repairs there are.
    """

    def __init__(self, base: Text, region: Region, request: Request, trial: Trial) -> None:
        self.found: Found | None = None
        self.tried = self.total = 0
        self._base, self._region, self._trial = base, region, trial
        lines = base.lines[region.start_line - 1 : region.end_line]
        self._snippet, self._frame = Snippet(tuple(lines)), Frame.of(lines)
        self._request = request
        self._proposals = Proposals(base, region)

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
        for repair in repairs:
            left = end - seconds()
            if self.found or left <= 0 or self.tried == MOST_TRIES:
                return
            yield from self._try(repair, left)

    def _try(self, repair: Repair, seconds: float) -> Iterator[Trying]:
        file = self._proposals.file(applied(self._snippet, repair.ops), repair.ops)
        checks = run_checks(self._base, file, self._region.path)
        checks += new_names_are_free(self._snippet.lines, [op for op in repair.ops if isinstance(op, Substitute)])
        if self._trial.knows(file) or not all(check.ok for check in checks):
            self.total -= 1
            return
        self.tried += 1
        trying = Trying(self.tried, self.total)
        yield trying
        check = yield from self._trial.run(file, trying, seconds)
        if check.ok:
            self.found = Found(repair, file, (*checks, check))

    def _listed(self) -> Iterator[Repair]:
        """Every repair, the first of each kind before the second of any."""
        try:
            self._snippet.tree  # noqa: B018 - parsed here, where it may fail
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        lists = {kind: listed(codemods()[kind], self._snippet, self._request) or () for kind in sorted(repair_kinds())}
        for rank in range(max(map(len, lists.values()), default=0)):
            yield from (Repair(kind, edits[rank]) for kind, edits in lists.items() if rank < len(edits))

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
        return sorted(best.values(), key=lambda repair: -repair.logprob)
