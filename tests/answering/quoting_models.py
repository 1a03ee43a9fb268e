"""A tiny model that writes known scripts in the format that quotes, for tests of all that is above the engine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from spark_tui.editing.quoting import NONE, script_pieces
from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.cache import KVCache
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.library import LoadedModel, load
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import read_weights
from tests.engine.tiny import CONFIG, write_model

_TEXT = [
    "def f(self, value):\n",
    "    return value + 1\n",
    "### Request\nrename the variable\n### Edit\n",
    "none\n",
] * 3


def write_tokenizer(path: Path, size: int) -> None:
    """A byte-level BPE with the one special token that ends a script."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<|endoftext|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )  # fmt: skip
    tokenizer.train_from_iterator(_TEXT, trainer)
    tokenizer.save(str(path))


class QuotingModel(Decoder):
    """Writes the script given for the words in its prompt; `before_step` is called before each pass behind it.

    Args: others: scripts that are somewhat less likely for the same words.
    """

    def __init__(
        self, config: ModelConfig, weights: dict[str, FloatArray], tokenizer: Tokenizer,
        scripts: Mapping[str, Sequence[str]], before_step: Callable[[], None] | None, surely: float,
        others: Mapping[str, Sequence[str]],
    ) -> None:  # fmt: skip
        super().__init__(config, weights)
        self._others = others
        self._tokenizer, self._scripts, self._before_step, self._surely = tokenizer, scripts, before_step, surely

    def forward(self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True) -> FloatArray:
        """The real forward pass, then `surely` more for the token that the script has next."""
        logits = super().forward(token_ids, cache, last_only=last_only)
        rows, context = np.atleast_2d(logits), cache.token_ids
        for later, row in enumerate(rows[::-1]):
            likely, other = self._next(context[: len(context) - later])
            if likely is not None:
                row[likely] += self._surely
            if other is not None and other != likely:
                row[other] += self._surely - 0.8
        return logits

    def _next(self, context: list[int]) -> tuple[int | None, int | None]:
        pieces = (self._tokenizer.piece(token) for token in context)
        text = b"".join(piece for piece in pieces if isinstance(piece, bytes))
        head, edit, written = text.partition(b"\n### Edit\n")
        if not edit:
            return None, None
        if self._before_step is not None:
            self._before_step()
        words = head.rpartition(b"### Request\n")[2].decode()
        other = self._others.get(words)
        likely = self._behind(written, self._scripts.get(words, [NONE]))
        return likely, self._behind(written, other) if other else None

    def _behind(self, written: bytes, script: Sequence[str]) -> int | None:
        """The next token of a script, where that is what is being written."""
        ids = [token for piece in script_pieces(script) for token in self._tokenizer.encode(piece)]
        ids.append(self._tokenizer.special("<|endoftext|>"))
        spelled, done = b"", 0
        while done < len(ids) - 1 and spelled != written:
            piece = self._tokenizer.piece(ids[done])
            spelled, done = spelled + (piece if isinstance(piece, bytes) else b""), done + 1
        return ids[done] if spelled == written else None


def quoting_model(
    folder: Path,
    scripts: Mapping[str, Sequence[str]],
    before_step: Callable[[], None] | None = None,
    *,
    surely: float = 20.0,
    others: Mapping[str, Sequence[str]] | None = None,
) -> LoadedModel:
    """A loaded model that answers so; its files are written to `folder`."""
    config = replace(CONFIG, max_position_embeddings=2048)
    write_model(folder, config)
    write_tokenizer(folder / "tokenizer.json", config.vocab_size)
    loaded = load(folder)
    model = QuotingModel(
        loaded.config, read_weights(folder, loaded.config), loaded.tokenizer, scripts, before_step, surely, others or {}
    )
    return replace(loaded, model=model)
