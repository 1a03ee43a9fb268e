"""`spark bench edit`: held-out edits as a user asks for them, beside llama.cpp with its own prompt lookup.

What is compared: (a) writing alone: the same prompt and the same greedy tokens, unmasked, guesses on both sides;
(b) end to end, nothing cached: ours as a user has it, with masks, every attempt and all checks; the peer writes our
first script, which is then parsed and checked by the same code; (c) the same where both have read the region while
the request was being typed; (d) where both have read the request, too, as after a pause behind its last word, in which
our program also weighs the edits it may mean. In (b) to (d) either clock starts at Enter, with the request as text,
which the same code turns into tokens, and stops at the checked patch.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from spark_tui.cli.bench import peer as llama
from spark_tui.cli.bench.command import Bench
from spark_tui.cli.bench.edits import (
    MOST_TOKENS,
    Edit,
    Known,
    check_reads_edits,
    first_script,
    held_out,
    prepare,
    read_and_check,
    write,
)
from spark_tui.cli.bench.lookup import LENGTHS, Guess, Spent, follow, guesser
from spark_tui.cli.bench.machine import cores
from spark_tui.cli.bench.models import QUANTISATIONS, arithmetic, as_gguf, load_for
from spark_tui.cli.bench.pairing import settle
from spark_tui.cli.bench.rows import SHARE, Pairs, Row, paired_row, row
from spark_tui.cli.start import settings_of
from spark_tui.editing.format import END
from spark_tui.engine.draft import Drafter
from spark_tui.engine.generate import Step, generate
from spark_tui.engine.library import LoadedModel, find_model
from spark_tui.engine.pace import pace_of
from spark_tui.engine.sampling import greedy

if TYPE_CHECKING:
    from spark_tui.engine.cache import KVCache

_PEER_BITS = 8
"""The peer's where it has no file of as many as the settings ask for."""
_SAMPLE = 8
"""Edits with which the peer's best settings are found."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side's figures of one run: seconds and tokens of each answer; passes and the tokens that came of them."""

    seconds: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    passes: list[int] = field(default_factory=list)
    written: list[int] = field(default_factory=list)

    def add(self, seconds: float, tokens: int, passes: int, written: int | None = None) -> None:
        """Take one case. Args: written: tokens of all attempts, where there are more than the answer's."""
        self.seconds.append(seconds)
        self.tokens.append(tokens)
        self.passes.append(passes)
        self.written.append(tokens if written is None else written)

    @property
    def milliseconds(self) -> float:
        """The median of the cases."""
        return median(self.seconds) * 1000

    @property
    def tokens_per_second(self) -> float:
        """Of all cases together."""
        return sum(self.tokens) / sum(self.seconds)

    @property
    def tokens_per_pass(self) -> float:
        """Of all cases together."""
        return sum(self.written) / max(1, sum(self.passes))


Run = tuple[Side, Side]
"""Ours and the peer's; the peer's is empty without one."""
_BEFORE_ENTER = {
    Known.REGION: "region read while typing",
    Known.WORDS: "request read in the pause before it",
}


def measure(bench: Bench) -> Generator[Row, None, None]:
    """Whether all tokens are the greedy ones, then both comparisons. Raises: UsageError: not so many edits."""
    settings = settings_of(bench.args)
    loaded = load_for(bench, find_model(settings.model))
    check_reads_edits(loaded)
    edits = held_out(loaded, bench.args.edits)
    bench.say(f"{len(edits)} edits, {bench.args.runs} times")
    many = f"{len(edits)} edits with {arithmetic(loaded.model)}"
    ours = _Ours(loaded)
    known = [ours.plainly(edit) for edit in edits]
    yield row("greedy_identical_share", f"{many}, unmasked", SHARE, [_share(edits, known, ours.drafted)])
    masked = [ours.asked(edit, speculate=False) for edit in edits]
    yield row("greedy_identical_share", f"{many}, as a user", SHARE, [_share(edits, masked, ours.asked)])
    scripts = [first_script(tokens, loaded) for tokens in masked]
    with ExitStack() as stack:
        bits = settings.bits if settings.bits in QUANTISATIONS else _PEER_BITS
        theirs = _theirs(bench, loaded, bits, stack, edits, known)
        alone = [_writing(edits, known, ours, theirs) for _ in range(bench.args.runs)]
        yield from _rows(alone, theirs, f"{many}, writing alone")
        whole = [_whole(edits, scripts, ours, theirs) for _ in range(bench.args.runs)]
        yield _milliseconds(whole, theirs, f"{many}, prompt to verified patch")
        yield from _rows(whole, theirs, f"{many}, end to end")
        for known_before, words in _BEFORE_ENTER.items():
            typed = [_whole(edits, scripts, ours, theirs, known_before) for _ in range(bench.args.runs)]
            yield _milliseconds(typed, theirs, f"{many}, Enter to verified patch, {words}")


class _Ours:
    """Our engine, with nothing cached at the start of each edit."""

    def __init__(self, loaded: LoadedModel) -> None:
        self.loaded = loaded
        self.cache: KVCache = loaded.model.new_cache()
        self._end = loaded.tokenizer.special(END.name)
        self.latest = Spent(0.0, 0.0, 0)

    def plainly(self, edit: Edit) -> tuple[int, ...]:
        """The model's own greedy tokens."""
        return self._generated(edit, None)

    def drafted(self, edit: Edit) -> tuple[int, ...]:
        """The same with guesses; `latest` tells what it took."""
        drafter = Drafter(edit.prompt, pace_of(self.loaded.model))
        drafter.begin()
        return self._generated(edit, drafter)

    def asked(self, edit: Edit, *, speculate: bool = True) -> tuple[int, ...]:
        """What a turn writes, in all its attempts."""
        self.cache.trim(0)
        return write(edit, self.loaded, self.cache, speculate=speculate).tokens

    def _generated(self, edit: Edit, draft: Drafter | None) -> tuple[int, ...]:
        self.cache.trim(0)
        steps: list[Step] = []
        began = first = time.perf_counter()
        for item in generate(
            self.loaded.model, self.cache, edit.prompt,
            sampler=greedy(), max_tokens=MOST_TOKENS, stop_ids={self._end}, draft=draft,
        ):  # fmt: skip
            if isinstance(item, Step):
                first = first if steps else time.perf_counter()
                steps.append(item)
        self.latest = Spent(first - began, time.perf_counter() - first, sum(step.passes for step in steps))
        return tuple(step.token_id for step in steps)


class _Theirs:
    """llama.cpp with the settings and the guesses it is fastest with on a sample of the edits."""

    def __init__(
        self, model: llama.PeerModel, bits: int, capacity: int, edits: Sequence[Edit], answers: Sequence[Sequence[int]]
    ) -> None:
        self._weights = QUANTISATIONS[bits].upper()

        def job(peer: llama.Peer, guess: Guess | None) -> float:
            pairs = zip(edits, answers, strict=True)
            return sum(follow(peer, edit.prompt, answer, guess).seconds for edit, answer in pairs)

        self._peer = model.best(capacity, cores(), partial(job, guess=None), mixed=True)
        guesses = {length: guesser(length) for length in LENGTHS}
        self._length = min(LENGTHS, key=lambda length: job(self._peer, guesses[length]))
        self._guess = guesses[self._length]

    @property
    def name(self) -> str:
        """Which peer, how set."""
        lookup = f"prompt lookup {self._length}" if self._length else "faster without prompt lookup"
        return f"{self._peer.name}, {self._weights}, {lookup}"

    def write(self, edit: Edit, answer: Sequence[int]) -> Spent:
        """Read the prompt, write the answer."""
        return follow(self._peer, edit.prompt, answer, self._guess)

    def prepare(self, edit: Edit, loaded: LoadedModel, known: Known) -> int:
        """Read what is known before Enter. Returns: how many tokens."""
        self._peer.trim(0)
        if known is not Known.NOTHING:
            self._peer.run(edit.typed(loaded, known))
        return self._peer.length

    def ask(self, edit: Edit, loaded: LoadedModel, answer: Sequence[int], known: int) -> Spent:
        """Turn the request into tokens, read those not known, write the answer, check it."""
        spent = follow(self._peer, edit.read(loaded), answer, self._guess, known=known)
        read_and_check(edit, answer, loaded)
        return spent


def _theirs(
    bench: Bench, loaded: LoadedModel, bits: int, stack: ExitStack,
    edits: Sequence[Edit], answers: Sequence[Sequence[int]],
) -> _Theirs | None:  # fmt: skip
    library = llama.library(bench.say)
    if not library:
        return None
    bench.notes["llama.cpp"] = llama.describe(library)
    file = stack.enter_context(as_gguf(loaded.path, bits))
    model = stack.enter_context(llama.opened(library, file))
    found = _Theirs(model, bits, loaded.config.max_position_embeddings, edits[:_SAMPLE], answers[:_SAMPLE])
    bench.say(f"{found.name}, beside our {arithmetic(loaded.model)}")
    return found


def _share(edits: Sequence[Edit], wanted: Sequence[Sequence[int]], written: Callable[[Edit], tuple[int, ...]]) -> float:
    """How many edits are written with the wanted tokens."""
    pairs = zip(edits, wanted, strict=True)
    return sum(written(edit) == tuple(tokens) for edit, tokens in pairs) / len(edits)


def _writing(edits: Sequence[Edit], answers: Sequence[Sequence[int]], ours: _Ours, theirs: _Theirs | None) -> Run:
    """Writing alone: what follows the first token."""
    run = Side(), Side()
    for edit, answer in zip(edits, answers, strict=True):
        if len(answer) < 2:
            continue
        settle()
        ours.drafted(edit)
        run[0].add(ours.latest.writing, len(answer) - 1, ours.latest.passes)
        if theirs:
            settle()
            spent = theirs.write(edit, answer)
            run[1].add(spent.writing, len(answer) - 1, spent.passes)
    return run


def _whole(
    edits: Sequence[Edit],
    scripts: Sequence[Sequence[int]],
    ours: _Ours,
    theirs: _Theirs | None,
    known: Known = Known.NOTHING,
) -> Run:
    """From the request to the checked patch. Args: known: before the clock starts."""
    run = Side(), Side()
    for edit, script in zip(edits, scripts, strict=True):
        if not script:
            continue
        prepare(edit, ours.loaded, ours.cache, known)
        settle()
        began = time.perf_counter()
        written = write(edit, ours.loaded, ours.cache)
        run[0].add(time.perf_counter() - began, len(script), written.passes, len(written.tokens))
        if theirs:
            read = theirs.prepare(edit, ours.loaded, known)
            settle()
            began = time.perf_counter()
            spent = theirs.ask(edit, ours.loaded, script, read)
            run[1].add(time.perf_counter() - began, len(script), spent.passes)
    return run


def _milliseconds(runs: Sequence[Run], theirs: _Theirs | None, case: str) -> Row:
    """The median edit; the ratio is the median of those edit by edit."""
    ratios = [median(b / a for a, b in zip(ours.seconds, peer.seconds, strict=True)) for ours, peer in runs if theirs]
    mine, other = [ours.milliseconds for ours, _ in runs], [peer.milliseconds for _, peer in runs if theirs]
    return paired_row("edit_milliseconds", case, "ms", Pairs(mine, other, theirs.name if theirs else None, ratios))


def _rows(runs: Sequence[Run], theirs: _Theirs | None, case: str) -> Iterator[Row]:
    for metric, unit, figure in (
        ("edit_tokens_per_second", "tokens/s", "tokens_per_second"),
        ("accepted_tokens_per_pass", "tokens", "tokens_per_pass"),
    ):
        mine, other = ([getattr(run[side], figure) for run in runs if side == 0 or theirs] for side in (0, 1))
        yield paired_row(metric, case, unit, Pairs(mine, other, theirs.name if theirs else None))
