"""A model that fails at any pass gives what one that never fails gives."""

import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.backend import MOST_TRIES, RecoveringModel, from_disk
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.generate import Step, generate, greedy
from spark_tui.engine.kv_cache import Branches, KVCache
from spark_tui.engine.loader import LoadedModel, load
from spark_tui.engine.model import Model
from spark_tui.errors import ModelError, ShapeError
from tests.engine import tiny

PROMPT = list(range(5, 25))
TOKENS = 12


def write_model(folder: Path, seed: int = 0) -> Path:
    tiny.write_model(folder, replace(tiny.CONFIG, max_position_embeddings=512), seed)
    return folder


class Breaking:
    """A model that breaks at some passes, counted from 0, after it wrote half of what it should.

    See `Model`.
    """

    def __init__(
        self, model: Model, at: Iterable[int], error: type[Exception] | None = RuntimeError
    ) -> None:
        self.config, self.bytes, self.kernels, self.chunk = model.config, model.bytes, "breaking", 8
        self.new_cache = model.new_cache
        self.passes = 0
        self._model, self._at, self._error = model, set(at), error

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        logits = self._model.forward(token_ids, cache, last_only=last_only)
        if self._breaks():
            if self._error is None:
                return np.full_like(logits, np.nan)
            raise self._error("broken")
        return logits

    def forward_branches(
        self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike
    ) -> FloatArray:
        logits = self._model.forward_branches(token_ids, branches, which)
        if self._breaks():
            raise RuntimeError("broken")
        return logits

    def _breaks(self) -> bool:
        self.passes += 1
        return self.passes - 1 in self._at


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return load(write_model(tmp_path_factory.mktemp("model")))


def _never() -> Model:
    raise AssertionError("there was no need to load a model again")


def _written(model: Model) -> list[int]:
    steps = generate(model, model.new_cache(128), PROMPT, sampler=greedy(), max_tokens=TOKENS)
    return [item.token_id for item in steps if isinstance(item, Step)]


@given(
    at=st.sets(st.integers(0, 40), max_size=12),
    error=st.sampled_from([MemoryError, RuntimeError, ValueError, None]),
)
def test_the_tokens_are_those_of_a_model_that_never_fails(
    loaded: LoadedModel, at: set[int], error: type[Exception] | None
) -> None:
    alone = {number for number in at if number - 1 not in at}
    told: list[str] = []
    breaking = Breaking(loaded.model, alone, error)
    model = RecoveringModel(breaking, _never)
    with model.on_failure(told.append):
        assert _written(model) == _written(loaded.model)
    assert len(told) == sum(number < breaking.passes for number in alone)


@pytest.mark.parametrize("first", range(TOKENS + 2))
def test_what_breaks_for_good_goes_on_with_the_model_from_disk(
    loaded: LoadedModel, first: int
) -> None:
    broken = Breaking(loaded.model, range(first, 1000))
    model = RecoveringModel(broken, lambda: load(loaded.path).model)
    told: list[str] = []
    with model.on_failure(told.append):
        assert _written(model) == _written(loaded.model)
    assert told == ["RuntimeError: broken"]
    assert model.kernels == loaded.model.kernels != "breaking"


def test_branches_survive_too_with_a_model_that_knows_nothing_of_their_cache(
    loaded: LoadedModel,
) -> None:
    def run(model: Model) -> list[FloatArray]:
        cache = model.new_cache(128)
        model.forward(PROMPT, cache)
        branches = Branches(cache, 3, 8)
        rows = [model.forward_branches([1, 2, 3], branches, [0, 1, 1])]
        rows += [model.forward_branches([4, 5, 6, 7], branches, [0, 1, 2, 2])]
        assert [branches.token_ids(branch) for branch in range(3)] == [[1, 4], [2, 3, 5], [6, 7]]
        return rows

    model = RecoveringModel(Breaking(loaded.model, [2, 3]), lambda: load(loaded.path).model)
    with model.on_failure(lambda _: None):
        for ours, theirs in zip(run(model), run(loaded.model), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_without_anybody_to_ask_it_fails_in_plain_words_and_leaves_the_cache_as_it_was(
    loaded: LoadedModel,
) -> None:
    model = RecoveringModel(Breaking(loaded.model, [1]), _never)
    cache = model.new_cache(64)
    model.forward(PROMPT, cache)
    with pytest.raises(ModelError, match=r"^the engine failed \(RuntimeError: broken\); "):
        model.forward([1, 2], cache)
    assert cache.token_ids == PROMPT


def test_it_does_not_try_for_ever(loaded: LoadedModel) -> None:
    model = RecoveringModel(Breaking(loaded.model, range(1000), MemoryError), _never)
    told: list[str] = []
    with model.on_failure(told.append), pytest.raises(ModelError, match="again and again"):
        model.forward(PROMPT, model.new_cache(64))
    again = "out of memory again: close other programs, or name a smaller model"
    assert told == ["out of memory"] + [again] * (MOST_TRIES - 1)


def test_a_mistake_of_the_caller_is_no_failure_of_the_engine(loaded: LoadedModel) -> None:
    model = RecoveringModel(loaded.model, _never)
    with model.on_failure(_fail_the_test), pytest.raises(ShapeError):
        model.forward([], model.new_cache(64))


def _fail_the_test(words: str) -> None:
    raise AssertionError(words)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _replace(path: Path) -> None:
    shutil.copy(write_model(path.parent.parent / "other", seed=7) / path.name, path)


@pytest.mark.parametrize(
    ("harm", "words"),
    [(_truncate, "truncated"), (_replace, "has changed"), (Path.unlink, "missing")],
)
def test_weights_harmed_on_disk_are_not_noticed_until_they_are_needed_again(
    tmp_path: Path, harm: Callable[[Path], None], words: str
) -> None:
    loaded = load(write_model(tmp_path / "model"))
    again = from_disk(loaded.path, lambda path: load(path).model)
    before = _written(loaded.model)
    harm(loaded.path / "model.safetensors")
    assert _written(loaded.model) == before
    model = RecoveringModel(Breaking(loaded.model, [4, 5]), again)
    told: list[str] = []
    with model.on_failure(told.append):
        assert _written(model) == before
    assert told[0] == "RuntimeError: broken"
    assert told[1].startswith("it cannot be loaded again")
    assert words in told[1]
    assert isinstance(loaded.model, Decoder)
