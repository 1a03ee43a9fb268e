import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.engine.kv_cache import KVCache
from spark_tui.errors import ShapeError
from tests.engine.tiny import CONFIG

ids = st.lists(st.integers(0, 2), max_size=12)


def filled(token_ids: list[int], capacity: int | None = None) -> KVCache:
    cache = KVCache(CONFIG, capacity)
    cache.extend(np.array(token_ids, np.int32))
    return cache


@given(held=ids, asked=ids)
def test_common_prefix_is_the_longest_run_of_equal_first_tokens(
    held: list[int], asked: list[int]
) -> None:
    length = filled(held).common_prefix(asked)
    assert held[:length] == asked[:length]
    assert held[: length + 1] != asked[: length + 1] or length == min(len(held), len(asked))


@given(held=ids, cut=st.integers(0, 12), more=ids)
def test_trim_then_extend_holds_the_tokens_kept_and_the_new_ones(
    held: list[int], cut: int, more: list[int]
) -> None:
    cache = filled(held)
    cache.trim(min(cut, len(held)))
    cache.extend(np.array(more, np.int32))
    assert cache.token_ids == held[:cut] + more
    assert cache.length + cache.room == cache.capacity


def test_put_shows_earlier_and_new_keys_but_counts_nothing() -> None:
    cache = filled([1, 2])
    new = np.arange(3 * 2 * 8, dtype=np.float32).reshape(3, CONFIG.n_kv_heads, CONFIG.head_dim)
    keys, values = cache.put(1, new, -new)
    assert keys.shape == values.shape == (CONFIG.n_kv_heads, 5, CONFIG.head_dim)
    assert (keys[:, 2:] == new.swapaxes(0, 1)).all()
    assert (values[:, 2:] == -new.swapaxes(0, 1)).all()
    assert cache.length == 2


@pytest.mark.parametrize("length", [-1, 3])
def test_trim_cannot_keep_what_is_not_there(length: int) -> None:
    with pytest.raises(ShapeError, match="2 tokens"):
        filled([1, 2]).trim(length)


@pytest.mark.parametrize("capacity", [0, CONFIG.max_position_embeddings + 1])
def test_capacity_stays_within_the_positions_of_the_model(capacity: int) -> None:
    with pytest.raises(ShapeError, match="positions"):
        KVCache(CONFIG, capacity)


def test_capacity_defaults_to_every_position_of_the_model() -> None:
    assert KVCache(CONFIG).room == CONFIG.max_position_embeddings
