"""Coming back to a sequence that another one took the cache from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.engine.kv_cache import Snapshot, Snapshots
from spark_tui.errors import ShapeError
from tests.engine.tiny import tiny_model

MODEL = tiny_model()
ONE = list(range(10, 50))
OTHER = list(range(60, 95))


def test_a_sequence_that_is_come_back_to_is_held_again() -> None:
    cache = MODEL.new_cache()
    cache.kept.most_bytes = 1 << 20
    before = MODEL.forward(ONE, cache)
    cache.recall(OTHER)
    cache.trim(0)
    MODEL.forward(OTHER, cache)
    cache.recall([*ONE, 3])
    assert cache.token_ids == ONE
    cache.trim(len(ONE) - 1)
    np.testing.assert_allclose(MODEL.forward(ONE[-1:], cache), before, atol=1e-5)


def test_going_on_with_the_same_sequence_keeps_nothing_and_moves_nothing() -> None:
    cache = MODEL.new_cache()
    cache.kept.most_bytes = 1 << 20
    MODEL.forward(ONE, cache)
    changes = cache.changes
    cache.recall(ONE[:30] + OTHER)
    assert (len(cache.kept), cache.changes, cache.length) == (0, changes, len(ONE))


def test_a_cache_without_room_for_snapshots_keeps_none() -> None:
    cache = MODEL.new_cache()
    MODEL.forward(ONE, cache)
    cache.recall(OTHER)
    assert len(cache.kept) == 0


def test_a_snapshot_does_not_go_into_a_smaller_cache() -> None:
    cache = MODEL.new_cache()
    MODEL.forward(ONE, cache)
    with pytest.raises(ShapeError, match="40 tokens for a cache of 8"):
        MODEL.new_cache(8).restore(cache.snapshot())


def _snapshot(ids: list[int]) -> Snapshot:
    return Snapshot(np.array(ids, np.int32), (np.zeros((len(ids), 5), np.float32),))


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=8), max_size=12), st.integers(0, 400)
)
def test_what_is_kept_stays_within_the_bound_and_the_latest_goes_last(
    made: list[list[int]], most: int
) -> None:
    kept = Snapshots(most)
    for ids in made:
        kept.keep(_snapshot(ids))
        assert kept.bytes <= most
        found = kept.likest(np.array(ids, np.int32), over=len(ids) - 1)
        assert (found is not None) == (_snapshot(ids).bytes <= most)


def test_a_longer_version_of_a_sequence_takes_its_place() -> None:
    kept = Snapshots(1 << 20)
    for ids in (ONE[:30], OTHER, ONE):
        kept.keep(_snapshot(ids))
    assert len(kept) == 2


def test_the_one_used_longest_ago_makes_room() -> None:
    kept = Snapshots(2 * _snapshot(ONE).bytes)
    third = list(range(100, 140))
    kept.keep(_snapshot(ONE))
    kept.keep(_snapshot(OTHER))
    assert kept.likest(np.array(ONE, np.int32), over=0)
    kept.keep(_snapshot(third))
    assert kept.likest(np.array(ONE, np.int32), over=0)
    assert kept.likest(np.array(OTHER, np.int32), over=0) is None


def test_a_snapshot_that_is_too_large_takes_no_room_from_the_others() -> None:
    kept = Snapshots(_snapshot(ONE).bytes)
    kept.keep(_snapshot(ONE))
    kept.keep(_snapshot(list(range(100, 200))))
    assert kept.likest(np.array(ONE, np.int32), over=0)
