"""`spark bench edit` of a chat model: measures how fast functions of 30 lines are rewritten.

Ours with drafts stands beside ours without, and beside llama.cpp with its own prompt lookup on the
same GGUF file. The prompt is read before the clock starts. The peer writes our tokens; whether it
would choose them itself is a row of its own.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import starmap, zip_longest
from operator import eq
from pathlib import Path

from spark_tui.cli.bench import llama_cpp as llama
from spark_tui.cli.bench.llama_cpp import arithmetic, load_for
from spark_tui.cli.bench.suite import SHARE, Bench, Figure, in_turn, paired_row, row, settle
from spark_tui.context.regions import source_of
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.engine.backend import processors
from spark_tui.engine.generate import prefill
from spark_tui.engine.loader import LoadedModel, is_gguf, number_formats
from spark_tui.providers.base import AnswerFinished, GenerationRequest
from spark_tui.providers.chat_model import Rewriter
from spark_tui.resources import examples_dir

ASKED = {
    "read_orders": "rename the variable rows to orders everywhere in this function",
    "summary": "round the total and the average that are returned to two places",
}
_FILE = "orders/orders.py"


def rewrites(bench: Bench, path: Path) -> Iterator[Figure]:
    """Measure rates beside ours without drafts and beside the peer's.

    Rows of their own tell whether the tokens are the same.
    """
    loaded = load_for(bench, path)
    drafting = Rewriter(loaded, speculate=True)
    plain = Rewriter(loaded, speculate=False)
    asks = list(starmap(_ask, ASKED.items()))
    answers = [_answer(drafting, ask) for ask in asks]
    plain_answers = [_answer(plain, ask) for ask in asks]
    tokens = sum(map(len, answers))
    name = f"{loaded.name} {arithmetic(loaded.model)}"
    case = f"{len(asks)} functions rewritten, {tokens} tokens, {name}"
    share = _share(answers, plain_answers)
    yield row("greedy_identical_share", f"{case}, with drafts and without", SHARE, [share])

    def beside(name: str, seconds: Callable[[], float]) -> Figure:
        def ours(_: int) -> float:
            return tokens / _ours(loaded, drafting, asks)

        def theirs(_: int) -> float:
            return tokens / seconds()

        pairs = in_turn(bench.args.runs, ours, theirs, name)
        return paired_row("rewrite_tokens_per_second", case, "tokens/s", pairs)

    yield beside("ours without drafts", partial(_ours, loaded, plain, asks))
    if not is_gguf(path):  # the peer reads nothing else
        return
    library = llama.library(bench.say)
    if not library:
        return
    bench.notes["llama.cpp"] = llama.describe(library)
    prompts = [drafting.prompt(ask.request) for ask in asks]
    pairs = list(zip(prompts, answers, strict=True))
    with closing(llama.PeerModel(library, path)) as model:
        kind = number_formats(path)[0]
        peer, guess, name = llama.fastest(model, kind, pairs, processors(), bench.say, sample=1)
        yield beside(name, lambda: sum(_theirs(peer, guess, *pair) for pair in pairs))
        share = _share(answers, [_chosen(peer, *pair) for pair in pairs])
        yield row("greedy_identical_share", f"{case}, beside llama.cpp's", SHARE, [share])


def _ask(name: str, words: str) -> GenerationRequest:
    source = source_of(_FILE, (examples_dir() / _FILE).read_bytes())
    function = next(symbol for symbol in source.symbols if symbol.name == name)
    lines = source.lines[function.start_line - 1 : function.end_line]
    return GenerationRequest(QuotedRequest(Path(_FILE).name, lines, words))


def _answer(rewriter: Rewriter, ask: GenerationRequest) -> tuple[int, ...]:
    finished = (item for item in rewriter.write(ask).write() if isinstance(item, AnswerFinished))
    return next(finished).tokens


def _ours(loaded: LoadedModel, rewriter: Rewriter, asks: Sequence[GenerationRequest]) -> float:
    """Answer all requests; returns the seconds from Enter to the last token of each, added up."""
    spent = 0.0
    for ask in asks:
        prompt = rewriter.prompt(ask.request)
        # The prompt is read but for its last token, which every answer has to run itself.
        for _ in prefill(loaded.model, rewriter.cache, prompt, loaded.model.chunk):
            pass
        settle()
        began = time.perf_counter()
        _answer(rewriter, ask)
        spent += time.perf_counter() - began
    return spent


def _theirs(
    peer: llama.Peer, guess: llama.Guess | None, prompt: Sequence[int], answer: Sequence[int]
) -> float:
    """Have the peer write one answer; returns the seconds, measured as in `_ours`."""
    _chosen(peer, prompt, ())
    settle()
    began = time.perf_counter()
    llama.follow(peer, prompt, answer, guess, known=len(prompt) - 1)
    return time.perf_counter() - began


def _chosen(peer: llama.Peer, prompt: Sequence[int], answer: Sequence[int]) -> Sequence[int]:
    """Have the prompt read but for its last token.

    Returns:
        What the peer would choose for each token of the answer.
    """
    peer.trim(0)
    peer.run(prompt[:-1])
    return peer.verify([prompt[-1], *answer[:-1]]) if answer else ()


def _share(answers: Sequence[Sequence[int]], others: Sequence[Sequence[int]]) -> float:
    """Return the share of equal tokens; those of a longer answer have no equal."""
    equal: list[bool] = []
    for pair in zip(answers, others, strict=True):
        equal += starmap(eq, zip_longest(*pair))
    return sum(equal) / len(equal)
