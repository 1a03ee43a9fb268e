"""The protocol of models: runs tokens through a decoder, whatever its arithmetic."""

from typing import Protocol

import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.kv_cache import Branches, KVCache


class Model(Protocol):
    """A decoder without state between calls, so that several caches can share it."""

    config: ModelConfig

    @property
    def bytes(self) -> int:
        """The bytes of memory the weights take."""

    @property
    def chunk(self) -> int:
        """The tokens of a pass: enough to be efficient, but few enough to pause at once."""

    @property
    def kernels(self) -> str:
        """The name of the arithmetic, for people, such as "numpy float32"."""

    def new_cache(self, capacity: int | None = None) -> KVCache:
        """Return an empty cache that this model can fill.

        Args:
            capacity: The most tokens of the cache; None for all that the model can read.

        Raises:
            ShapeError: A capacity out of range.
        """

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """Run T tokens that follow those in the cache, and append them to it.

        Args:
            token_ids: (T,) ids, 1 <= T <= cache.room.
            cache: A cache of `new_cache`; extended by T tokens.
            last_only: Whether only the logits after the last token are computed.

        Returns:
            Logits after the last token, (V,), or after each token, (T, V); the caller may keep
            them.

        Raises:
            PassStopped: `cache.stop` was set; the cache holds what it held before.
            ShapeError: No tokens, ids outside the vocabulary, or a cache too small or of another
                model.
        """

    def forward_branches(
        self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike
    ) -> FloatArray:
        """Run T tokens of several branches in one pass, and append each to its own.

        Args:
            token_ids: (T,) ids.
            branches: Branches of a cache of `new_cache`; extended.
            which: (T,) the branch of each token, in ascending order; a branch named k times takes k
                tokens.

        Returns:
            Logits after the last token of each branch named, (N, V), in the same order; the caller
            may keep them.

        Raises:
            ShapeError: No tokens, ids outside the vocabulary, no such branch, too little room,
                stale branches.
        """
