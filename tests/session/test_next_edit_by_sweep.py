"""The next edit by a model of Sweep's, which writes lines anew behind a raw prompt."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from spark_tui.config import Endpoint
from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import LoadedModel, load
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import read_weights
from spark_tui.errors import UsageError
from spark_tui.providers.registry import Models
from spark_tui.session.session import Session
from spark_tui.vcs.repository import Repository
from tests.engine.tiny import CONFIG, write_model
from tests.fakes import ScriptedSession, make_repo, proposed, scripted
from tests.session.test_next_edit import FILES, SAVE, SCRIPTS, WORDS, accepted, hushed

_CONFIG = replace(CONFIG, max_position_embeddings=4096)
_MARK = "<|file_sep|>"
_END = "<|endoftext|>"


class WindowModel(Decoder):
    """Writes known lines behind a prompt that ends as Sweep's do, and then goes on to a file."""

    def __init__(
        self,
        config: ModelConfig,
        weights: dict[str, FloatArray],
        tokenizer: Tokenizer,
        answer: str,
    ) -> None:
        super().__init__(config, weights)
        self._tokenizer = tokenizer
        self._answer = answer.encode()

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """The real forward pass, then more for the token that comes next."""
        logits = super().forward(token_ids, cache, last_only=last_only)
        rows, context = np.atleast_2d(logits), cache.token_ids
        for later, row in enumerate(rows[::-1]):
            row[self._next(context[: len(context) - later])] += 60.0
        return logits

    def _next(self, context: list[int]) -> int:
        mark = self._tokenizer.special(_MARK)
        last = len(context) - context[::-1].index(mark)
        pieces = map(self._tokenizer.piece, context[last:])
        text = b"".join(piece for piece in pieces if isinstance(piece, bytes))
        rest = self._answer.removeprefix(text.partition(b"\n")[2]).decode()
        return self._tokenizer.encode(rest)[0] if rest else mark


def window_model(folder: Path, answer: str) -> LoadedModel:
    """A loaded model that writes these lines."""
    write_model(folder, _CONFIG)
    backend = tokenizers.Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_CONFIG.vocab_size,
        special_tokens=[_END, _MARK],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator(["def f(path):\n    return path\n"], trainer)
    backend.save(str(folder / "tokenizer.json"))
    loaded = load(folder)
    weights = read_weights(folder, loaded.config)
    model = WindowModel(loaded.config, weights, loaded.tokenizer, answer)
    return replace(loaded, model=model)


@dataclass(frozen=True, slots=True)
class WithSweep(Models):
    """Models among which one of Sweep's is."""

    sweep: LoadedModel | None = None

    def load(self, name: str) -> LoadedModel:
        """Return that model."""
        assert self.sweep is not None
        return self.sweep


def session_with(folder: Path, answer: str) -> Session:
    """A session whose first model was not measured, with a model that writes these lines."""
    known = WithSweep(sweep=window_model(folder / "sweep", answer))
    repo = Repository.discover(make_repo(folder / "repo", FILES))
    return ScriptedSession(
        repo,
        scripted(folder / "model", SCRIPTS),
        folder / "state",
        models=known,
        next_edit_model="sweep",
    )


def test_the_lines_that_it_writes_are_offered_as_a_turn(tmp_path: Path) -> None:
    session = session_with(tmp_path, hushed(SAVE))
    turn = accepted(session)
    before = (session.repo.root / "a.py").read_text()
    edit = session.next_edit(turn, bool)
    assert edit is not None
    assert edit.turn.request.instruction == "save too"
    assert proposed(edit.turn) == before.replace(SAVE, hushed(SAVE))
    assert (session.repo.root / "a.py").read_text() == before


@pytest.mark.parametrize("answer", [SAVE, SAVE.replace('"w"', '"a"')])
def test_lines_that_are_the_same_or_another_change_are_not_offered(
    tmp_path: Path, answer: str
) -> None:
    session = session_with(tmp_path, answer)
    assert session.next_edit(accepted(session), bool) is None


def test_an_endpoint_cannot_be_that_model(tmp_path: Path) -> None:
    repo = Repository.discover(make_repo(tmp_path / "repo", FILES))
    endpoint = Endpoint("big", "http://localhost:1/v1", "big")
    with pytest.raises(UsageError, match="next_edit_model is big, an endpoint"):
        Session(
            repo,
            scripted(tmp_path / "model", {WORDS: SCRIPTS[WORDS]}),
            tmp_path / "state",
            models=Models(endpoints={"big": endpoint}),
            next_edit_model="big",
        )
