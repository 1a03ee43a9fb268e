"""A model that knows several scripts for an instruction, each with a probability."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from spark_tui.editing.format import INSTRUCTION, OUTPUT, Piece, encode_pieces
from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.branches import Branches
from spark_tui.engine.cache import KVCache
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.library import LoadedModel, load
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import read_weights
from tests.fakes import write_model

Answers = Mapping[str, Sequence[tuple[Sequence[Piece], float]]]


class WeighingModel(Decoder):
    """Gives every token the probability that the scripts that go on with it have; the network runs, but has no say.

    `passes` holds the number of tokens of each forward pass.
    """

    def __init__(
        self, config: ModelConfig, weights: dict[str, FloatArray], tokenizer: Tokenizer, answers: Answers
    ) -> None:
        super().__init__(config, weights)
        self._tokenizer = tokenizer
        self._answers = {
            words: [(encode_pieces(script, tokenizer), weight) for script, weight in scripts]
            for words, scripts in answers.items()
        }
        self.passes: list[int] = []

    def forward(self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True) -> FloatArray:
        """The logits of the scripts after the last token, and after each one."""
        count = len(np.asarray(token_ids))
        super().forward(token_ids, cache)
        self.passes.append(count)
        held = cache.token_ids
        rows = np.stack([self._logits_after(held[: len(held) - k]) for k in reversed(range(1 if last_only else count))])
        return rows[0] if last_only else rows

    def forward_branches(self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike) -> FloatArray:
        """The logits of the scripts after the last token of each branch."""
        super().forward_branches(token_ids, branches, which)
        self.passes.append(len(np.asarray(token_ids)))
        named = np.unique(np.asarray(which))
        return np.stack([self._logits_after([*branches.cache.token_ids, *branches.token_ids(one)]) for one in named])

    def _logits_after(self, context: Sequence[int]) -> FloatArray:
        logits = np.full(self.config.vocab_size, -60.0, np.float32)
        out = self._tokenizer.special(OUTPUT.name)
        if out not in context:
            return logits
        at = context.index(out)
        first = context.index(self._tokenizer.special(INSTRUCTION.name))
        words = b"".join(piece for i in context[first:at] if isinstance(piece := self._tokenizer.piece(i), bytes))
        written = list(context[at + 1 :])
        odds: dict[int, float] = {}
        for ids, weight in self._answers.get(words.decode(), ()):
            if list(ids[: len(written)]) == written and len(ids) > len(written):
                odds[ids[len(written)]] = odds.get(ids[len(written)], 0.0) + weight
        for token_id, weight in odds.items():
            logits[token_id] = np.log(weight)
        return logits


def weighing(folder: Path, answers: Answers) -> tuple[LoadedModel, WeighingModel]:
    """A loaded model that knows these scripts; its files are written to `folder`."""
    loaded = load(write_model(folder))
    model = WeighingModel(loaded.config, read_weights(folder, loaded.config), loaded.tokenizer, answers)
    return replace(loaded, model=model), model
