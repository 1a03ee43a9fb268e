"""`spark bench edit`: measures edits as a user asks for them, beside llama.cpp's.

A clock starts at Enter, with the words as text, and stops at the checked edit. Ours is the whole
turn as a user has it: the grammar, other answers where the first one is not sure, and all checks.
The peer has the same weights, reads the same prompt, writes our first answer token by token with
its own prompt lookup, and has the answer applied and checked by the same code. Rows of the "first
answer" count as much of our turn. In half of the rows both have read the region while the words
were being typed, in the others nothing. A chat model rewrites functions instead: `rewrite`.
"""

import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from operator import truediv
from pathlib import Path
from statistics import median

from spark_tui.cli.bench import llama_cpp as llama
from spark_tui.cli.bench.llama_cpp import QUANTISATIONS, arithmetic, as_gguf, bits_of, load_editor
from spark_tui.cli.bench.rewrite import rewrites
from spark_tui.cli.bench.staged import demo_project
from spark_tui.cli.bench.suite import (
    SHARE,
    Bench,
    Figure,
    Pairs,
    paired_row,
    percentile,
    row,
    settle,
)
from spark_tui.cli.common import quotes, settings_of
from spark_tui.editing.checks import run_checks
from spark_tui.editing.formats.quoted import QuotedRequest as Asked
from spark_tui.editing.formats.quoted import (
    apply_quoted,
    region_pieces,
    request_pieces,
    write_quoted,
)
from spark_tui.editing.text import Text
from spark_tui.engine.backend import processors
from spark_tui.engine.loader import LoadedModel, find_model
from spark_tui.engine.machine import peak_bytes
from spark_tui.providers.base import AnswerFinished
from spark_tui.providers.chat_model import template_of
from spark_tui.providers.spark_model import SparkModel
from spark_tui.session.events import Status, Token
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.vcs.repository import Repository

PROJECT = "orders"
FILE = "orders.py"
"""The file of the example with these functions."""
ASKED = {
    "read_orders": (
        (
            "rename the variable rows to orders everywhere in this function because that is what "
            "the list really holds"
        ),
        (
            "when the quantity of a row is zero or negative, skip that row and count it as broken "
            "like the others"
        ),
        (
            "add an optional parameter limit that defaults to None and stop reading once so many "
            "orders have been found"
        ),
    ),
    "summary": (
        (
            "also work out the smallest order of each customer and return it under the key least "
            "beside the largest one"
        ),
        (
            "round the total and the average that are returned to two places, and leave the "
            "largest order as it is"
        ),
        (
            "orders that were cancelled should not be counted at all, so pass over every one whose "
            "status is cancelled"
        ),
    ),
    "next_state": (
        (
            "a paid order may also go back to open when it is refunded, so allow that event and "
            "say why in the log"
        ),
        (
            "raise a KeyError instead of the ValueError when the event is not known, and name the "
            "order in the message"
        ),
        (
            "replace the print calls with calls of the logger named log, at level info, and keep "
            "the words they print"
        ),
    ),
    "retried": (
        (
            "wait twice as long after each failed attempt instead of always the same time, but "
            "never longer than a minute"
        ),
        (
            "let callers pass which exceptions are worth another attempt, by default only OSError "
            "and TimeoutError as now"
        ),
        (
            "the loop makes one attempt too few: with attempts of three the call should be made up "
            "to three times"
        ),
    ),
}
"""Requests of about 20 words, by the function of about 30 lines that they are about."""
_PEER_BITS = 8
"""Bits of the peer's weights where GGUF has no format with as many bits as ours."""
_P95 = 0.95


@dataclass(frozen=True, slots=True)
class EditCase:
    """One request about lines of a file, and its likeliest answer.

    Attributes:
        request: The request.
        base: The file.
        first: The number of the first line that may change, from 1.
        asked: The request as the format has it.
        script: The lines of the answer.
        answer: The tokens of the answer.
    """

    request: Request
    base: Text
    first: int
    asked: Asked
    script: tuple[str, ...]
    answer: tuple[int, ...]

    def region(self, loaded: LoadedModel) -> list[int]:
        """The tokens of the prompt that are known before Enter."""
        return _spelled(loaded, region_pieces(self.asked.path, self.asked.lines))

    def prompt(self, loaded: LoadedModel) -> list[int]:
        """The tokens of the whole prompt."""
        return self.region(loaded) + _spelled(loaded, request_pieces(self.asked))

    def check(self) -> bool:
        """Do what is left once the answer is written: apply and check it.

        Returns:
            Whether all is well.
        """
        lines = apply_quoted(self.asked.lines, self.script)
        start = self.first - 1
        proposed = self.base.replace_lines(start, start + len(self.asked.lines), lines)
        return all(check.ok for check in run_checks(self.base, proposed, FILE))


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of each edit of one run.

    Attributes:
        ours: Our whole turns.
        first: As much of our turns as the peer does: the first answer, and its check.
        peer: The peer's answers.
    """

    ours: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    peer: list[float] = field(default_factory=list)


def measure(bench: Bench) -> Generator[Figure, None, None]:
    """Measure the share of sure edits, then both comparisons.

    Raises:
        ModelError: The model cannot edit.
    """
    path = find_model(settings_of(bench.args).model)
    if not quotes(path) and template_of(path):
        yield from rewrites(bench, path)
        return
    loaded = load_editor(bench)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="spark-bench-"))
        ours = Ours(loaded, stack.enter_context(demo_project(PROJECT)), Path(folder))
        edits = []
        for name, words in _requests()[: bench.args.edits]:
            edits.append(ours.edit(name, words))
        bench.say(f"{len(edits)} edits, {bench.args.runs} times; {_sizes(loaded, edits)}")
        many = f"{len(edits)} edits with {arithmetic(loaded.model)}"
        # Whole turns that nobody times: how many are sure, and how they wrote.
        turns = [ours.answer(edit)[0] for edit in edits]
        sure = sum(turn.status is Status.OK for turn in turns)
        yield row("edit_sure_share", many, SHARE, [sure / len(edits)])
        yield from _writing_rows(turns, many)
        # Then both comparisons: with the region read while the words were typed, and without.
        theirs = _theirs(bench, loaded, stack, edits)
        for typed, before in ((True, "region read while typing"), (False, "nothing read before")):
            runs = [_run(edits, ours, theirs, typed=typed) for _ in range(bench.args.runs)]
            yield from _rows(runs, theirs, f"{many}, Enter to checked edit, {before}")


def _writing_rows(turns: Sequence[Turn], case: str) -> Iterator[Figure]:
    """Return rows of how fast turns wrote, and of the memory that all of them took."""
    rates = []
    per_pass = []
    for turn in turns:
        # where the grammar leaves no choice, no pass is made, and there is no rate
        if passes := turn.meter.decoding:
            rates.append(turn.timing.tokens_per_second)
            per_pass.append(turn.timing.generated_tokens / passes)
    if rates:
        yield row("edit_tokens_per_second", case, "tokens/s", rates)
        yield row("accepted_tokens_per_pass", case, "tokens", per_pass)
    if peak := peak_bytes():
        yield row("memory_megabytes", case, "MB", [peak / 1e6])


def _requests() -> list[tuple[str, str]]:
    """Return function and words: the first request of every function, then the second of each."""
    requests: list[tuple[str, str]] = []
    for turn in zip(*ASKED.values(), strict=True):
        requests += zip(ASKED, turn, strict=True)
    return requests


def _sizes(loaded: LoadedModel, edits: Sequence[EditCase]) -> str:
    """Describe the medians of how many tokens edits have."""
    region = median(len(edit.region(loaded)) for edit in edits)
    prompt = median(len(edit.prompt(loaded)) for edit in edits)
    answer = median(len(edit.answer) for edit in edits)
    return (
        f"medians: {region:.0f} tokens in a region, {prompt:.0f} in a prompt, "
        f"{answer:.0f} in an answer"
    )


class Ours:
    """Our program; before each edit its cache holds no more than the case allows."""

    def __init__(self, loaded: LoadedModel, project: Path, state: Path) -> None:
        self.loaded = loaded
        self._session = Session(Repository.discover(project), loaded, state)
        self._session.prepare()
        self.cache = self._session.host.cache
        # keeps no regions of earlier edits: `begin` decides what is read before the clock starts
        self.cache.kept.most_bytes = 0

    def edit(self, name: str, words: str) -> EditCase:
        """Make the case of a request, with the likeliest answer."""
        request = Request(words, FILE, symbol=name)
        turn = self._session.begin(request)
        first = turn.region.start_line
        base = turn.base
        asked = Asked(FILE, base.lines[first - 1 : turn.region.end_line], words)
        answer = next(
            item
            for item in SparkModel(self.loaded).answers(asked)
            if isinstance(item, AnswerFinished)
        )
        script = tuple(write_quoted(asked.lines, answer.lines))
        return EditCase(request, base, first, asked, script, answer.tokens)

    def begin(self, edit: EditCase, *, typed: bool) -> None:
        """Make ready for the clock.

        Args:
            typed: Whether the region is read.
        """
        self.cache.trim(0)
        if typed:
            self._session.read_ahead(self._session.look_ahead(edit.request))
            self._session.runner.wait()

    def answer(self, edit: EditCase) -> tuple[Turn, float]:
        """The whole turn, and the moment when the first answer was written."""
        turn = self._session.begin(edit.request)
        tokens = 0
        written = 0.0
        for event in turn.events():
            tokens += isinstance(event, Token)
            if not written and tokens == len(edit.answer):
                written = time.perf_counter()
        return turn, written


class _Theirs:
    """llama.cpp with the settings and the guesses that are fastest on a sample of the edits."""

    def __init__(
        self,
        model: llama.PeerModel,
        bits: int,
        loaded: LoadedModel,
        edits: Sequence[EditCase],
        say: llama.Say,
    ) -> None:
        self._loaded = loaded
        pairs = [(edit.prompt(loaded), edit.answer) for edit in edits]
        kind = QUANTISATIONS[bits].upper()
        found = llama.fastest(model, kind, pairs, processors(), say)
        self._peer, self._guess, self.name = found

    def begin(self, edit: EditCase, *, typed: bool) -> int:
        """Make ready for the clock.

        Returns:
            How many tokens are read.
        """
        self._peer.trim(0)
        if typed:
            self._peer.run(edit.region(self._loaded))
        return self._peer.length

    def answer(self, edit: EditCase, known: int) -> None:
        """Turn the request into tokens, read those not known, write the answer, check it."""
        llama.follow(self._peer, edit.prompt(self._loaded), edit.answer, self._guess, known=known)
        edit.check()


def _theirs(
    bench: Bench, loaded: LoadedModel, stack: ExitStack, edits: Sequence[EditCase]
) -> _Theirs | None:
    library = llama.library(bench.say)
    if not library:
        return None
    bench.notes["llama.cpp"] = llama.describe(library)
    ours = bits_of(loaded.model)
    bits = ours if ours in QUANTISATIONS else _PEER_BITS
    bench.say(f"writing the same weights as {QUANTISATIONS[bits].upper()} for llama.cpp")
    model = stack.enter_context(
        closing(llama.PeerModel(library, stack.enter_context(as_gguf(loaded.path, bits))))
    )
    theirs = _Theirs(model, bits, loaded, edits, bench.say)
    bench.say(f"{theirs.name}, beside our {arithmetic(loaded.model)}")
    return theirs


def _run(edits: Sequence[EditCase], ours: Ours, theirs: _Theirs | None, *, typed: bool) -> Times:
    times = Times()
    for edit in edits:
        ours.begin(edit, typed=typed)
        settle()
        began = time.perf_counter()
        _, written = ours.answer(edit)
        ended = time.perf_counter()
        times.ours.append(ended - began)
        edit.check()
        # As much as the peer does: until the first answer is written, and one check of it.
        times.first.append(written - began + time.perf_counter() - ended)
        if theirs:
            known = theirs.begin(edit, typed=typed)
            settle()
            began = time.perf_counter()
            theirs.answer(edit, known)
            times.peer.append(time.perf_counter() - began)
    return times


def _rows(runs: Sequence[Times], theirs: _Theirs | None, case: str) -> Iterator[Figure]:
    """Return rows of the median edit and of the slowest of twenty.

    The ratio of the medians is the median of the ratios edit by edit.
    """
    name = theirs.name if theirs else None
    peer = [run.peer for run in runs if theirs]
    slowest = partial(percentile, share=_P95)
    for metric, ours in (
        ("first_answer", [run.first for run in runs]),
        ("edit", [run.ours for run in runs]),
    ):
        ratios = [median(map(truediv, *sides)) for sides in zip(peer, ours, strict=False)]
        pairs = Pairs(_milliseconds(median, ours), _milliseconds(median, peer), name, ratios)
        yield paired_row(f"{metric}_milliseconds", case, "ms", pairs)
        pairs = Pairs(_milliseconds(slowest, ours), _milliseconds(slowest, peer), name)
        yield paired_row(f"{metric}_p95_milliseconds", case, "ms", pairs)


def _milliseconds(
    figure: Callable[[list[float]], float], runs: Sequence[list[float]]
) -> list[float]:
    """Return a figure of each run, such as the median, in milliseconds."""
    return [1000 * figure(seconds) for seconds in runs]


def _spelled(loaded: LoadedModel, pieces: Sequence[str]) -> list[int]:
    """Encode each piece by itself, as the format does: no token spans two of them."""
    tokens = []
    for piece in pieces:
        tokens += loaded.tokenizer.encode(piece)
    return tokens
