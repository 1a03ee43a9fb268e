"""How likely known sequences are."""

import numpy as np
import pytest

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.generate import logprob_of
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.scoring import read_logits, score
from spark_tui.errors import ShapeError
from tests.engine.tiny import CONFIG, random_weights

PROMPT = [5, 9, 17, 30]
CONTINUATIONS = [[40, 41, 42], [40, 41, 43, 44], [40], [7, 8], [40, 41, 42], [40, 41, 42, 50]]


@pytest.fixture(scope="module")
def model() -> Decoder:
    return Decoder(CONFIG, random_weights())


def _one_by_one(model: Decoder, ids: list[int]) -> float:
    total = 0.0
    for at, token_id in enumerate(ids):
        logits = model.forward([*PROMPT, *ids[:at]], KVCache(CONFIG))
        total += logprob_of(logits, token_id)
    return total


def test_each_has_the_probability_of_its_tokens_one_by_one(model: Decoder) -> None:
    scores = dict(score(model, KVCache(CONFIG), PROMPT, CONTINUATIONS))
    expected = [_one_by_one(model, ids) for ids in CONTINUATIONS]
    np.testing.assert_allclose(
        [scores[index] for index in range(len(CONTINUATIONS))], expected, atol=1e-3
    )


def test_another_generation_may_use_the_cache_in_between(model: Decoder) -> None:
    cache = KVCache(CONFIG)
    scores = {}
    for index, logprob in score(model, cache, PROMPT, CONTINUATIONS):
        scores[index] = logprob
        cache.trim(index % 3)
        model.forward([1, 2, 3], cache)
    undisturbed = dict(score(model, KVCache(CONFIG), PROMPT, CONTINUATIONS))
    assert scores == pytest.approx(undisturbed, abs=1e-3)


def test_what_does_not_fit_is_impossible(model: Decoder) -> None:
    cache = KVCache(CONFIG, len(PROMPT) + 2)
    scores = dict(score(model, cache, PROMPT, [[1, 2, 3], [1, 2, 3, 4]]))
    assert scores[0] > scores[1] == -float("inf")


def test_a_prompt_is_needed(model: Decoder) -> None:
    with pytest.raises(ShapeError, match="no tokens"):
        list(score(model, KVCache(CONFIG), [], [[1]]))


@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_a_sequence_has_the_logits_after_each_token_though_others_take_the_cache(
    model: Decoder, chunk: int
) -> None:
    ids = [*PROMPT, *CONTINUATIONS[1]]
    cache = KVCache(CONFIG)
    rows = list[FloatArray]()
    for number, logits in enumerate(read_logits(model, cache, ids, chunk)):
        rows.extend(logits)
        cache.trim(number % 3)
        model.forward([1, 2, 3], cache)
    expected = model.forward(ids, KVCache(CONFIG), last_only=False)
    np.testing.assert_allclose(np.stack(rows), expected, atol=1e-3)
