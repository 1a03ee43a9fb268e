"""A tiny model that writes known scripts in the format that quotes, for tests of all that is
above the engine.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import gettempdir, mkdtemp

import numpy as np
import numpy.typing as npt
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from spark_tui.editing.formats.quoted import NONE, script_pieces
from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.kv_cache import Branches, KVCache
from spark_tui.engine.loader import LoadedModel, load
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import read_weights
from spark_tui.providers.spark_model import END
from tests.engine.tiny import CONFIG, write_model

Script = Sequence[str]
"""The lines that a model writes; see `editing.formats.quoted`."""
Answers = Mapping[str, Sequence[tuple[Script, float]]]
"""For the words of a request, what may be written for them, each with its probability."""
NOTHING: Script = (NONE,)
_CONFIG = replace(CONFIG, max_position_embeddings=4096)
_TEMPORARY = gettempdir()
"""Wherever a test has temporary files lie meanwhile."""
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
        vocab_size=size,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_TEXT, trainer)
    tokenizer.save(str(path))


class QuotingModel(Decoder):
    """Runs the real forward pass of a tiny network, and then makes the tokens of known scripts
    likely.

    A line that somebody else began is ended, and the script goes on behind it.

    Args:
        answers: For all words that are not told those of "", and where there are none nothing is to
            change; without an answer at all the network, which is random, is left to itself.
        before_step: Called before every forward pass behind a prompt, in the engine's thread: block
            in it to hold the stream still, count in it to know how far it went.
        surely: What is added to the logit of an only answer's next token; several have no other
            beside them.
    """

    def __init__(
        self,
        config: ModelConfig,
        weights: dict[str, FloatArray],
        tokenizer: Tokenizer,
        answers: Answers,
        before_step: Callable[[], None] | None,
        surely: float,
    ) -> None:
        super().__init__(config, weights)
        self._tokenizer, self._before_step, self._surely = tokenizer, before_step, surely
        self._answers = {
            words: [(tuple(script), weight) for script, weight in known]
            for words, known in answers.items()
        }
        self._nothing = [(tuple(NOTHING), 1.0)]
        self._end, self._newline = tokenizer.special(END), tokenizer.encode("\n")[0]
        self._request, self._edit = (
            _text(tokenizer.encode(mark)) for mark in ("### Request\n", "### Edit\n")
        )
        self._spelled = cache(self._spell)

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """See `Model.forward`."""
        self._step(cache.token_ids)
        logits = super().forward(token_ids, cache, last_only=last_only)
        rows, context = np.atleast_2d(logits), cache.token_ids
        for later, row in enumerate(rows[::-1]):
            self._bend(row, context[: len(context) - later])
        return logits

    def forward_branches(
        self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike
    ) -> FloatArray:
        """See `Model.forward_branches`."""
        prompt = branches.cache.token_ids
        self._step(prompt)
        logits = super().forward_branches(token_ids, branches, which)
        for row, branch in zip(logits, np.unique(np.asarray(which)).tolist(), strict=True):
            self._bend(row, [*prompt, *branches.token_ids(branch)])
        return logits

    def _step(self, context: Sequence[int]) -> None:
        if self._before_step is not None and self._edit in _text(context):
            self._before_step()

    def _bend(self, row: FloatArray, context: Sequence[int]) -> None:
        """Make likely what the scripts have next."""
        prompt, edit, _ = (text := _text(context)).rpartition(self._edit)
        if not edit:
            return
        words = self._bytes(prompt.rpartition(self._request)[2]).decode().removesuffix("\n")
        known = self._answers.get(words, self._answers.get("", self._nothing))
        odds = self._odds(known, self._bytes(text[len(prompt) + len(edit) :]))
        if len(known) > 1:
            row[:] = -60.0
        for token, weight in odds.items():
            row[token] = math.log(weight) if len(known) > 1 else row[token] + self._surely

    def _odds(
        self, known: Sequence[tuple[tuple[str, ...], float]], written: bytes
    ) -> dict[int, float]:
        """How likely which tokens are."""
        odds: dict[int, float] = {}
        for script, weight in known:
            if (token := self._spelled(script).get(written)) is not None:
                odds[token] = odds.get(token, 0.0) + weight
        if not odds and known:
            odds[self._behind(known[0][0], written)] = 1.0
        return odds

    def _behind(self, script: tuple[str, ...], written: bytes) -> int:
        """The token behind what somebody else wrote into a script."""
        *closed, opened = written.split(b"\n")
        line = self._spelled(script[len(closed) : len(closed) + 1])
        return line.get(opened, self._newline)

    def _spell(self, script: tuple[str, ...]) -> dict[bytes, int]:
        """What may be written of a script, and the token that follows it."""
        ids = [token for piece in script_pieces(script) for token in self._tokenizer.encode(piece)]
        following, spelled = dict[bytes, int](), b""
        for token in [*ids, self._end]:
            following[spelled] = token
            spelled += self._bytes(_text([token]))
        return following

    def _bytes(self, text: str) -> bytes:
        pieces = (self._tokenizer.piece(ord(char)) for char in text)
        return b"".join(piece for piece in pieces if isinstance(piece, bytes))


def _text(token_ids: Sequence[int]) -> str:
    """Tokens as a string, in which a search is quick."""
    return "".join(map(chr, token_ids))


@cache
def _template() -> tuple[Path, LoadedModel, dict[str, FloatArray]]:
    """The files of the tiny model, and what they hold: made once for all tests."""
    folder = Path(mkdtemp(prefix="spark-tiny-", dir=_TEMPORARY))
    write_model(folder, _CONFIG)
    write_tokenizer(folder / "tokenizer.json", _CONFIG.vocab_size)
    loaded = load(folder)
    return folder, loaded, read_weights(folder, loaded.config)


def _known(
    scripts: Mapping[str, Script | None],
) -> Iterator[tuple[str, Sequence[tuple[Script, float]]]]:
    return (
        (words, () if script is None else ((script, 1.0),)) for words, script in scripts.items()
    )


def write_quoting_model(folder: Path) -> Path:
    """Write the tiny model as it is on disk, where it knows no script: its files say nothing of
    quoting yet.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for file in _template()[0].iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def quoting_model(
    folder: Path,
    scripts: Mapping[str, Script | None],
    before_step: Callable[[], None] | None = None,
    *,
    surely: float = 20.0,
    answers: Answers | None = None,
) -> LoadedModel:
    """A loaded model that answers so; its files are written to `folder`.

    Args:
        See `QuotingModel`.
    """
    _, loaded, weights = _template()
    known = dict(_known(scripts)) | dict(answers or {})
    model = QuotingModel(loaded.config, dict(weights), loaded.tokenizer, known, before_step, surely)
    return replace(loaded, path=write_quoting_model(folder), name=folder.name, model=model)
