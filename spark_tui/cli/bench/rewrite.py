"""What `spark bench edit` measures of a chat model: functions of 30 lines written once more, with one change.

Ours with drafts, beside ours without, beside llama.cpp with its own prompt lookup on the same file. The prompt is read
before the clock starts, and the peer goes through our tokens: whether it would choose them itself is a row of its own.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from spark_tui.answering.rewrite import Rewriter
from spark_tui.answering.seam import Answer, Ask, Wrote
from spark_tui.cli.bench import peer as llama
from spark_tui.cli.bench.command import Bench
from spark_tui.cli.bench.models import QUANTISATIONS, arithmetic, as_gguf, load_for
from spark_tui.cli.bench.rows import SHARE, Row, in_turn, paired_row, row, settle
from spark_tui.context.source import source_of
from spark_tui.editing.quoting import Request
from spark_tui.engine.backend import processors
from spark_tui.engine.generate import prefill
from spark_tui.engine.library import LoadedModel, is_gguf, number_formats
from spark_tui.resources import examples_dir

ASKED = {
    "read_orders": "rename the variable rows to orders everywhere in this function",
    "summary": "round the total and the average that are returned to two places",
    "next_state": "raise a KeyError instead of the ValueError when the event is not known",
    "retried": "wait twice as long after each failed attempt",
}
_FILE, _PEER_BITS = "orders/orders.py", 8


def rewrites(bench: Bench, path: Path) -> Iterator[Row]:
    """Three rows of rates, and two of tokens: those of a pass, and those that the peer would choose."""
    loaded = load_for(bench, path)
    drafting, plain = (Rewriter(loaded, speculate=each) for each in (True, False))
    asks = list(map(_ask, *zip(*list(ASKED.items())[: bench.args.edits], strict=True)))
    (answers, passes), (same, _) = _written(drafting, asks), _written(plain, asks)
    tokens = sum(map(len, answers))
    case = f"{len(asks)} functions rewritten, {tokens} tokens, {loaded.name} {arithmetic(loaded.model)}"
    yield row("accepted_tokens_per_pass", case, "tokens", [tokens / passes])
    yield row("greedy_identical_share", f"{case}, with drafts and without", SHARE, [_share(answers, same)])

    def ours(rewriter: Rewriter, _: int) -> float:
        return tokens / sum(_seconds(loaded, rewriter, ask) for ask in asks)

    sides = partial(in_turn, bench.args.runs, partial(ours, drafting))
    yield paired_row("rewrite_tokens_per_second", case, "tokens/s", sides(partial(ours, plain), "ours without drafts"))
    if library := llama.library(bench.say):
        bench.notes["llama.cpp"] = llama.describe(library)
        pairs = [(drafting.prompt(ask.request), answer) for ask, answer in zip(asks, answers, strict=True)]
        with ExitStack() as stack:
            file = path if is_gguf(path) else stack.enter_context(as_gguf(path, _PEER_BITS))
            kind = number_formats(path)[0] if file == path else QUANTISATIONS[_PEER_BITS].upper()
            model = stack.enter_context(closing(llama.PeerModel(library, file)))
            peer, guess, name = llama.fastest(model, kind, pairs, processors(), sample=1)

            def theirs(_: int) -> float:
                return tokens / sum(_theirs(peer, guess, *pair) for pair in pairs)

            yield paired_row("rewrite_tokens_per_second", case, "tokens/s", sides(theirs, name))
            chosen = [_chosen(peer, *pair) for pair in pairs]
            yield row("greedy_identical_share", f"{case}, beside llama.cpp's", SHARE, [_share(answers, chosen)])


def _ask(name: str, words: str) -> Ask:
    source = source_of(_FILE, (examples_dir() / _FILE).read_bytes())
    found = next(each for each in source.symbols if each.name == name)
    return Ask(Request(Path(_FILE).name, source.lines[found.start_line - 1 : found.end_line], words))


def _written(rewriter: Rewriter, asks: Sequence[Ask]) -> tuple[list[tuple[int, ...]], int]:
    """The tokens of each answer, and the passes of all."""
    items = [item for ask in asks for item in rewriter.write(ask).write()]
    answers = [item.tokens for item in items if isinstance(item, Answer)]
    return answers, sum(item.passes for item in items if isinstance(item, Wrote))


def _seconds(loaded: LoadedModel, rewriter: Rewriter, ask: Ask) -> float:
    """From Enter to the last token, with the prompt read but for its last token."""
    for _ in prefill(loaded.model, rewriter.cache, rewriter.prompt(ask.request), loaded.model.chunk):
        pass
    settle()
    began = time.perf_counter()
    for _ in rewriter.write(ask).write():
        pass
    return time.perf_counter() - began


def _theirs(peer: llama.Peer, guess: llama.Guess | None, prompt: Sequence[int], answer: Sequence[int]) -> float:
    """The same of the peer."""
    known = len(prompt) - 1
    peer.trim(0)
    peer.run(prompt[:known])
    settle()
    began = time.perf_counter()
    llama.follow(peer, prompt, answer, guess, known=known)
    return time.perf_counter() - began


def _chosen(peer: llama.Peer, prompt: Sequence[int], answer: Sequence[int]) -> Sequence[int]:
    """What the peer would choose behind the prompt, and behind each token of the answer."""
    peer.trim(0)
    peer.run(prompt[:-1])
    return peer.verify([prompt[-1], *answer[:-1]])


def _share(answers: Sequence[Sequence[int]], others: Sequence[Sequence[int]]) -> float:
    """How many tokens are equal."""
    pairs = [zip(*both, strict=False) for both in zip(answers, others, strict=True)]
    same = sum(one == other for pair in pairs for one, other in pair)
    return same / sum(max(map(len, both)) for both in zip(answers, others, strict=True))
