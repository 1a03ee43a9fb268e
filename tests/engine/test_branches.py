"""Branches of one cache: each is what it would be in a cache of its own, and the cache stays
whole.
"""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.kv_cache import Branches, KVCache
from spark_tui.errors import ShapeError
from tests.engine.tiny import CONFIG, tiny_model

MODEL = tiny_model()
PREFIX = [5, 9, 200, 17, 33]
CLOSE = 2e-4
token = st.integers(0, CONFIG.vocab_size - 1)


def alone(token_ids: list[int]) -> FloatArray:
    """The logits after a sequence that runs by itself."""
    return MODEL.forward(token_ids, MODEL.new_cache())


def begun(count: int, room: int, prefix: list[int] = PREFIX) -> tuple[KVCache, Branches]:
    cache = MODEL.new_cache()
    MODEL.forward(prefix, cache)
    return cache, Branches(cache, count, room)


def test_every_branch_is_what_it_would_be_alone() -> None:
    cache, branches = begun(3, 6)
    written: list[list[int]] = [[], [], []]
    rng = np.random.default_rng(1)
    for alive in ([0, 1, 2], [0, 1, 2], [0, 2], [2], [1, 2], [0, 1, 2]):
        ids = rng.integers(0, CONFIG.vocab_size, len(alive)).tolist()
        logits = MODEL.forward_branches(ids, branches, alive)
        for row, branch, token_id in zip(logits, alive, ids, strict=True):
            written[branch].append(token_id)
            expected = alone(PREFIX + written[branch])
            np.testing.assert_allclose(row, expected, atol=CLOSE)
            assert row.argmax() == expected.argmax()
    assert [branches.token_ids(branch) for branch in range(3)] == written
    assert cache.token_ids == PREFIX


def test_what_the_cache_held_behind_the_prefix_need_not_run_again() -> None:
    cache = MODEL.new_cache()
    MODEL.forward([*PREFIX, 1, 2, 3, 4], cache)
    beginnings = [[1, 2, 3, 9], [1, 8], [1, 2, 3, 4], [7]]
    branches = Branches(cache, 4, 5, prefix=len(PREFIX), beginnings=beginnings)
    assert [branches.length(branch) for branch in range(4)] == [3, 1, 4, 0]
    logits = MODEL.forward_branches([9, 8, 6, 7], branches, [0, 1, 2, 3])
    for row, tail in zip(logits, ([1, 2, 3, 9], [1, 8], [1, 2, 3, 4, 6], [7]), strict=True):
        np.testing.assert_allclose(row, alone(PREFIX + tail), atol=CLOSE)


def test_room_and_count_are_held_to() -> None:
    cache, branches = begun(2, 3)
    MODEL.forward_branches([1, 2, 3], branches, [0, 0, 0])
    with pytest.raises(ShapeError, match="branch 0 has room for 3"):
        MODEL.forward_branches([4], branches, [0])
    with pytest.raises(ShapeError, match="branches"):
        MODEL.forward_branches([4], branches, [2])
    with pytest.raises(ShapeError, match="order of their branches"):
        MODEL.forward_branches([4, 5], branches, [1, 0])
    with pytest.raises(ShapeError, match="2 tokens for branches"):
        MODEL.forward_branches([4, 5], branches, [1])
    with pytest.raises(ShapeError, match="3 branches of 40 tokens behind 5 of 96"):
        Branches(cache, 3, 40)
    with pytest.raises(ShapeError, match="cannot trim"):
        branches.trim(0, 4)


def test_branches_are_stale_once_the_cache_goes_on() -> None:
    cache, branches = begun(2, 4)
    MODEL.forward_branches([1, 2], branches, [0, 1])
    MODEL.forward([3], cache)
    cache.trim(len(PREFIX))
    assert branches.stale
    with pytest.raises(ShapeError, match="begin them again"):
        MODEL.forward_branches([4], branches, [0])


class Walk(RuleBasedStateMachine):
    """Any order of passes, branches and trims, some of them given up halfway, beside what the
    tokens say.
    """

    @initialize(tokens=st.lists(token, min_size=1, max_size=4))
    def start(self, tokens: list[int]) -> None:
        self.cache = MODEL.new_cache()
        self.held = tokens
        MODEL.forward(tokens, self.cache)
        self.branches: Branches | None = None
        self.written: list[list[int]] = []

    @rule(tokens=st.lists(token, min_size=1, max_size=3))
    def go_on(self, tokens: list[int]) -> None:
        if len(tokens) > self.cache.room:
            return
        self.held = self.held + tokens
        np.testing.assert_allclose(MODEL.forward(tokens, self.cache), alone(self.held), atol=CLOSE)

    @rule(cut=st.integers(0, 3))
    def trim(self, cut: int) -> None:
        self.held = self.held[: max(1, len(self.held) - cut)]
        self.cache.trim(len(self.held))

    @rule(count=st.integers(1, 3), room=st.integers(1, 4), cut=st.integers(0, 3))
    def branch(self, count: int, room: int, cut: int) -> None:
        if len(self.held) + count * room > self.cache.capacity:
            return
        prefix = max(1, len(self.held) - cut)
        behind = self.held[prefix:][:room]
        self.branches = Branches(self.cache, count, room, prefix=prefix, beginnings=[behind])
        self.held = self.held[:prefix]
        self.written = [behind, *([] for _ in range(count - 1))]

    @precondition(lambda self: self.branches is not None and not self.branches.stale)
    @rule(tokens=st.lists(st.tuples(st.integers(0, 2), token), min_size=1, max_size=4))
    def step(self, tokens: list[tuple[int, int]]) -> None:
        assert self.branches is not None
        fit: list[tuple[int, int]] = []
        for branch, token_id in sorted(tokens):
            if branch < len(self.written) and len(self.written[branch]) < self.branches.room:
                self.written[branch] = [*self.written[branch], token_id]
                fit.append((branch, token_id))
        if not fit:
            return
        logits = MODEL.forward_branches(
            [each for _, each in fit], self.branches, [branch for branch, _ in fit]
        )
        for row, branch in zip(logits, sorted({branch for branch, _ in fit}), strict=True):
            np.testing.assert_allclose(row, alone(self.held + self.written[branch]), atol=CLOSE)

    @precondition(lambda self: self.branches is not None and not self.branches.stale)
    @rule(branch=st.integers(0, 2), length=st.integers(0, 4))
    def trim_branch(self, branch: int, length: int) -> None:
        assert self.branches is not None
        if branch < len(self.written) and length <= len(self.written[branch]):
            self.branches.trim(branch, length)
            self.written[branch] = self.written[branch][:length]

    @rule()
    def leave_and_come_back(self) -> None:
        snapshot = self.cache.snapshot()
        self.cache.trim(0)
        MODEL.forward([1, 2], self.cache)
        self.cache.restore(snapshot)

    @invariant()
    def the_cache_holds_what_was_kept(self) -> None:
        if hasattr(self, "cache"):
            assert self.cache.token_ids == self.held


TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
