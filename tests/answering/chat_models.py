"""A tiny chat model that says known answers, for tests of what is above the engine."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.cache import KVCache
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.library import LoadedModel, load
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import read_weights
from tests.engine.tiny import CONFIG, write_model

TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
_TEXT = ["def f(self, value):\n", "    return value + 1\n", "You edit text and code.\nRequest: ```py\n"] * 3
_ASSISTANT = b"\nassistant\n"


def write_chat_model(folder: Path, config: ModelConfig = CONFIG) -> Path:
    """A random model with a chat template, and its tokenizer, as files."""
    write_model(folder, config)
    backend = tokenizers.Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=config.vocab_size, special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False,
    )  # fmt: skip
    backend.train_from_iterator(_TEXT, trainer)
    backend.save(str(folder / "tokenizer.json"))
    entries = {"chat_template": TEMPLATE, "eos_token": "<|im_end|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(entries))
    return folder


class ChatModel(Decoder):
    """A random network whose logits lean towards what is to be said. Args: says: answers by the words of a request."""

    def __init__(
        self, config: ModelConfig, weights: dict[str, FloatArray], tokenizer: Tokenizer, says: Mapping[str, str]
    ) -> None:
        super().__init__(config, weights)
        self._tokenizer, self._says = tokenizer, says
        self.passes = 0

    def forward(self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True) -> FloatArray:
        """The real forward pass, then more for the token that comes next."""
        self.passes += 1
        logits = super().forward(token_ids, cache, last_only=last_only)
        rows, context = np.atleast_2d(logits), cache.token_ids
        for later, row in enumerate(rows[::-1]):
            if (token := self._next(context[: len(context) - later])) is not None:
                row[token] += 30.0
        return logits

    def _next(self, context: list[int]) -> int | None:
        text = b"".join(
            piece if isinstance(piece := self._tokenizer.piece(token), bytes) else b"\n" for token in context
        )  # fmt: skip
        head, assistant, written = text.rpartition(_ASSISTANT)
        asked = head if b"Request: " in head else head.rstrip().rpartition(b"\n")[2]
        words = asked.rpartition(b"Request: ")[2].strip().decode("utf-8", "replace")
        if not assistant or words not in self._says:
            return None
        written = written.partition(b"\n")[2] if written.startswith(b"```") else written  # behind the fence
        answer = self._says[words].encode()
        if not answer.startswith(written):
            return None
        if rest := answer[len(written) :].decode():
            return self._tokenizer.encode(rest[: rest.find("\n") + 1] or rest)[0]
        return self._tokenizer.special("<|im_end|>")


def chat_model(folder: Path, says: Mapping[str, str]) -> LoadedModel:
    """A loaded model that says so, behind the fence; its files are written to `folder`."""
    write_chat_model(folder, replace(CONFIG, max_position_embeddings=2048))
    loaded = load(folder)
    model = ChatModel(loaded.config, read_weights(folder, loaded.config), loaded.tokenizer, says)
    return replace(loaded, model=model)
