"""The protocol of models: they run tokens, whichever arithmetic they do it with."""

from typing import Protocol

import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.kv_cache import Branches, KVCache


class Model(Protocol):
    """A decoder; it keeps no state between calls, so that caches can share it."""

    config: ModelConfig

    @property
    def bytes(self) -> int:
        """The bytes of memory the weights take."""

    @property
    def chunk(self) -> int:
        """The tokens of a pass: as many as are efficient, but few enough for a pause at once."""

    @property
    def kernels(self) -> str:
        """The arithmetic, for people: "numpy float32", "vnni int8"."""

    def new_cache(self, capacity: int | None = None) -> KVCache:
        """Return an empty cache that this model can fill.

        Args:
            capacity: Tokens; None for all the model can read.

        Raises:
            ShapeError: A capacity out of range.
        """

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """Run T tokens behind those in the cache, and append them to it.

        Args:
            token_ids: (T,) ids, 1 <= T <= cache.room.
            cache: A cache of `new_cache`; extended by T tokens.

        Returns:
            Logits that follow the last token, (V,), or those after each one, (T, V); the caller may
            keep them.

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
            which: (T,) the branch of each, in ascending order; a branch named k times takes k
                tokens.

        Returns:
            Logits that follow the last token of each branch named, (N, V) in that order; the caller
            may keep them.

        Raises:
            ShapeError: No tokens, ids outside the vocabulary, no such branch, too little room,
                stale branches.
        """
