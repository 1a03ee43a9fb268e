"""A turn whose model quotes: it reads the words itself, and what it is not sure of is shown as such.

Nothing here looks at what the words say. It stands beside the turn of the model that needed rules, and shares all
that is not about words: review, checks, the tape, other answers, branches.
"""

import math
from collections.abc import Generator, Iterator, Sequence
from functools import cached_property, lru_cache

from spark_tui.answering.calibration import Calibration
from spark_tui.answering.embedded import vocabulary_of
from spark_tui.answering.seam import Answer
from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check
from spark_tui.editing.quoting import NONE, Request, region_pieces, request_pieces
from spark_tui.editing.quoting_grammar import Vocabulary
from spark_tui.editing.text import Text
from spark_tui.engine.library import LoadedModel
from spark_tui.errors import UsageError
from spark_tui.session import answers
from spark_tui.session.again import AgainTurn
from spark_tui.session.attempts import Attempt
from spark_tui.session.events import Checked, Event, Status, TurnStarted
from spark_tui.session.prompt import MAX_WORDS, ROOM, readable
from spark_tui.session.quoted_writing import QuotedWriting, as_quoted
from spark_tui.session.variations import Variation, VariedTurn

NOTHING = "the model sees nothing to change for that; say what should be different, or where with @"
_ENOUGH = 3
"""Answers that are written where the first one is not sure."""


def quotes(loaded: LoadedModel) -> bool:
    """Whether a model was taught to quote. Raises: ModelError: what says so is damaged."""
    return calibration_of(loaded) is not None


@lru_cache(maxsize=4)
def calibration_of(loaded: LoadedModel) -> Calibration | None:
    """What the model's probabilities are worth; None where it does not quote."""
    return Calibration.read(loaded.path) if loaded.path.is_dir() else None


def quoted_beginning(loaded: LoadedModel, region: Region, base: Text) -> list[int]:
    """The tokens that the prompt of a turn will begin with, whatever the words are."""
    lines = base.lines[region.start_line - 1 : region.end_line]
    return [token for piece in region_pieces(region.path, lines) for token in loaded.tokenizer.encode(piece)]


def quoted_room(loaded: LoadedModel, lines: Sequence[str], capacity: int) -> bool:
    """Whether a region leaves room for words and an answer. Args: capacity: tokens that all of it may take."""
    if not readable(lines, capacity):
        return False
    return sum(len(loaded.tokenizer.encode(line + "\n")) for line in lines) + min(ROOM, capacity // 4) <= capacity


class QuotedTurn(VariedTurn):
    """See the module."""

    def _take_in(self, begun: Sequence[int]) -> None:
        """See `Turn`: the prompt is the region and the words as they were typed."""
        self.words = self.request.instruction
        encode, lines = self._loaded.tokenizer.encode, self.base.lines
        region, chosen = self.region, self.region.selected
        lines = lines[region.start_line - 1 : region.end_line]
        selected = lines[chosen[0] : chosen[1] + 1] if chosen else ()
        asked = Request(region.path, lines, self.words, selected, self.request.earlier)
        tail = [token for piece in request_pieces(asked) for token in encode(piece)]
        if len(tail) > MAX_WORDS + sum(len(encode(line)) for line in selected):
            raise UsageError(f"the instruction takes {len(tail)} tokens and at most {MAX_WORDS} are read; say less")
        self._prompt = [*quoted_beginning(self._loaded, region, self.base), *tail]
        if len(self._prompt) >= self._cache.capacity:
            room = f"takes {len(self._prompt)} tokens and the model reads {self._cache.capacity}"
            raise UsageError(f"{answers.where(region)} {room}; select fewer lines with --at PATH:L1-L2")

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return vocabulary_of(self._loaded.tokenizer, self._loaded.config.vocab_size)

    @property
    def _end_id(self) -> int:
        return self._vocabulary.end

    @property
    def _sharpness(self) -> float:
        return 1.0

    @property
    def sure(self) -> bool:
        """Whether what is shown is likely enough to be right."""
        found = calibration_of(self._loaded)
        return found is not None and self.confidence >= found.sure

    def _blank(self) -> QuotedWriting:  # type: ignore[override]  # both are written to in the same way
        return QuotedWriting(self.base, self.region, self._vocabulary)

    def _run(self) -> Generator[Event, None, None]:
        try:
            yield TurnStarted(self.id, self.request.instruction, self.region)
            yield from self._answer()
            yield from self._end()
        finally:
            if self.trial:
                self.trial.close()
            if self.status is Status.RUNNING:
                self.propose(self._writing.closed_file() if self.touched else self._writing.sound_file())
                self.status = Status.INTERRUPTED

    def _goes_on(self) -> bool:
        """Whether to write another answer: where nothing sound is there yet, or to know how sure the best one is."""
        if self.touched or self.request.temperature > 0 or not super()._goes_on():
            return False
        made = self._attempts.tally(self.base)[0]
        return made < _ENOUGH or not self._attempts.offers(self.base)

    def _may_be_repaired(self, trial: object) -> bool:
        """The search by single mutations is not for this turn yet."""
        return False

    def _weigh(self, best: Attempt, likely: float) -> None:
        found = calibration_of(self._loaded)
        quoted = as_quoted(best.writing)
        script = tuple(quoted.grammar.script) if quoted else ()
        worst = min(self.tape.logprobs(), default=0.0)
        masses = [(file.lines, math.log(max(mass, 1e-9))) for file, mass in self._attempts.masses()]
        told = [Answer(lines, script, (), mass, worst) for lines, mass in masses]
        told.sort(key=lambda each: each.lines != best.file.lines)
        self.confidence = found.chance(told) if found and likely else 0.0

    def _judge(self, problem: str) -> None:
        if problem:
            self.status, self.message = Status.ABSTAINED, problem
            return
        done = self._done(self._writing.closed_file())
        if self.sure or self.touched or self.begun:
            self.status, self.message = Status.OK, done
        else:
            self.status, self.message = Status.UNSURE, f"unsure ({self.confidence:.0%}): {done}"

    def _announce(self) -> Iterator[Event]:
        """See `Turn`; nothing is called checked before it is known how sure it is."""
        return (event for event in super()._announce() if not isinstance(event, Checked))

    def _as_chosen(self, variation: Variation, file: Text) -> tuple[Status, str]:
        """See `VariedTurn`: no answer is as sure as the turn's own."""
        status, done = super()._as_chosen(variation, file)
        own = file == self.own_file
        if own and self.sure:
            return status, done
        how = f"unsure ({self.confidence:.0%})" if own else "unsure (less likely)"
        return Status.UNSURE, variation.problem or f"{how}: {done}"

    def _doubt(self) -> str:
        """Why a sound answer is not offered: it is that nothing is to change."""
        return NOTHING if self.kind == NONE else ""

    def _problem(self, writing: object, file: Text, checks: tuple[Check, ...]) -> str:
        """What is wrong with a script that was written to its end, or ""."""
        assert isinstance(writing, QuotedWriting)
        if not writing.finished:
            return f"the answer is longer than {self.request.max_tokens} tokens; ask for less at once"
        if file == self.base:
            return "" if writing.kind == NONE else "what was written changes nothing"
        wrong = [check for check in checks if not check.ok]
        return f"no edit offered: {wrong[0].detail or wrong[0].name}" if wrong else ""


class QuotedAgain(AgainTurn, QuotedTurn):
    """One that writes a hunk of another turn anew."""

    def _problem(self, writing: object, file: Text, checks: tuple[Check, ...]) -> str:
        problem = super()._problem(writing, file, checks)
        return problem if problem or file == self.base else self._idle(file)
