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
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import LoadedModel, load
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import read_weights
from tests.engine.tiny import CONFIG, write_model

TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + "
    "'<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
_TURNS = TEMPLATE.partition("{% if add_generation_prompt %}")[0]
HYBRID = _TURNS + (
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}"
    "{% if enable_thinking is defined and enable_thinking is false %}"
    "{{ '<think>\n\n</think>\n\n' }}{% endif %}{% endif %}"
)
"""As that of Qwen3: the model opens its thought, unless the template writes an empty one."""
_OPENED = "{{ '<|im_start|>assistant\n<think>\n' }}"
THINKING = _TURNS + "{% if add_generation_prompt %}" + _OPENED + "{% endif %}"
"""As that of DeepSeek-R1: a thought is always opened."""
_SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_TAGS = ("<think>", "</think>")
_TEXT = [
    "def f(self, value):\n",
    "    return value + 1\n",
    "You edit text and code.\nRequest: ```py\n",
] * 3
_ASSISTANT = b"\nassistant\n"


def write_chat_model(
    folder: Path,
    config: ModelConfig = CONFIG,
    template: str = TEMPLATE,
    *,
    tags: bool = False,
) -> Path:
    """A random model with a chat template, and its tokenizer, as files.

    Args:
        folder: Where they are written.
        config: The shape of the model.
        template: Its chat template.
        tags: Whether the tags of thoughts are special tokens.
    """
    write_model(folder, config)
    backend = tokenizers.Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=config.vocab_size,
        special_tokens=[*_SPECIALS, *(_TAGS if tags else ())],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator(_TEXT, trainer)
    backend.save(str(folder / "tokenizer.json"))
    entries = {"chat_template": template, "eos_token": "<|im_end|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(entries))
    return folder


class ChatModel(Decoder):
    """A random network whose logits lean towards what is to be said.

    Args:
        says: Answers by the words of a request.
        thinks: Thoughts by the words, where it thinks.
    """

    def __init__(
        self,
        config: ModelConfig,
        weights: dict[str, FloatArray],
        tokenizer: Tokenizer,
        says: Mapping[str, str],
        thinks: Mapping[str, str],
    ) -> None:
        super().__init__(config, weights)
        self._tokenizer = tokenizer
        self._says = says
        self._thinks = thinks
        self.passes = 0

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """The real forward pass, then more for the token that comes next."""
        self.passes += 1
        logits = super().forward(token_ids, cache, last_only=last_only)
        rows, context = np.atleast_2d(logits), cache.token_ids
        for later, row in enumerate(rows[::-1]):
            if (token := self._next(context[: len(context) - later])) is not None:
                row[token] += 30.0
        return logits

    def _next(self, context: list[int]) -> int | None:
        text = b"".join(map(self._text, context))
        head, assistant, written = text.rpartition(_ASSISTANT)
        asked = head if b"Request: " in head else head.rstrip().rpartition(b"\n")[2]
        words = asked.rpartition(b"Request: ")[2].strip().decode("utf-8", "replace")
        if not assistant or words not in self._says:
            return None
        if words in self._thinks and written.startswith(b"<think>\n"):
            whole, closed, written = written.partition(b"</think>")
            if not closed:
                thought = f"<think>\n{self._thinks[words]}</think>".encode()
                return self._following(thought, whole)
            written = written.lstrip(b"\n")
        if written.startswith(b"```"):
            written = written.partition(b"\n")[2]  # behind the fence
        return self._following(self._says[words].encode(), written)

    def _text(self, token: int) -> bytes:
        piece = self._tokenizer.piece(token)
        if isinstance(piece, bytes):
            return piece
        return piece.encode() if piece in _TAGS else b"\n"

    def _following(self, answer: bytes, written: bytes) -> int | None:
        """The token that goes on with an answer as far as it is written; None where it is not."""
        if not answer.startswith(written):
            return None
        rest = answer[len(written) :].decode()
        if not rest:
            return self._tokenizer.special("<|im_end|>")
        if rest in _TAGS and (tag := self._tokenizer.find(rest)) is not None:
            return tag
        return self._tokenizer.encode(rest[: rest.find("\n") + 1] or rest)[0]


def chat_model(
    folder: Path,
    says: Mapping[str, str],
    thinks: Mapping[str, str] | None = None,
    template: str = TEMPLATE,
    *,
    tags: bool = False,
) -> LoadedModel:
    """A loaded model that says so, behind the fence; its files are written to `folder`.

    Args:
        says, thinks, template, tags: As of `ChatModel` and `write_chat_model`.
    """
    config = replace(CONFIG, max_position_embeddings=2048)
    write_chat_model(folder, config, template, tags=tags)
    loaded = load(folder)
    weights = read_weights(folder, loaded.config)
    model = ChatModel(loaded.config, weights, loaded.tokenizer, says, thinks or {})
    return replace(loaded, model=model)
