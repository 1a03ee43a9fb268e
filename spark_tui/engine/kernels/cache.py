"""Keys and values as the kernels keep them."""

import math
import mmap
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from spark_tui.engine.cache import KVCache
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.kernels.arrange import head_width
from spark_tui.engine.kernels.attention import TOKENS
from spark_tui.engine.kernels.pack import padded
from spark_tui.engine.memory import require_cache
from spark_tui.engine.rope import attention_factor, frequencies

_AT_ONCE = 2048
"""Positions whose angles are computed together."""


class BlockCache(KVCache):
    """A `KVCache` in blocks of 32 tokens: keys lie (dims, tokens) in a block, values (tokens, dims).

    `slots`, `spans`: where tokens lie and what they see when they follow each other from the first slot on.

    Args: half: whether numbers are kept in half precision.
    Raises: ShapeError: a capacity out of range. ModelError: the machine has not the memory for it.
    """

    def __init__(self, config: ModelConfig, capacity: int | None, *, half: bool) -> None:
        self.half = half
        super().__init__(config, capacity)
        self.workspace: object = None
        """The room that the model's passes work in, made and known by the model."""
        self.slots = np.arange(self.capacity)
        self.spans = np.repeat(self.slots[:, None] + 1, 2, axis=1)
        self.cosines, self.sines = (np.empty((self.capacity, head_width(config) // 2), np.float32) for _ in range(2))
        self._turned = 0
        self._frequencies, self._factor = frequencies(config), attention_factor(config)

    def turn(self, positions: int) -> None:
        """Have the angles of the first `positions` tokens ready."""
        if positions <= self._turned:
            return
        start, stop = self._turned, min(self.capacity, padded(positions, _AT_ONCE))
        angles = np.zeros((stop - start, self.cosines.shape[1]))
        angles[:, : len(self._frequencies)] = np.arange(start, stop)[:, None] * self._frequencies
        self.cosines[start:stop] = np.cos(angles) * self._factor
        self.sines[start:stop] = np.sin(angles) * self._factor
        self._turned = stop

    def _allocate(self, config: ModelConfig) -> None:
        kind: type[np.floating[Any]] = np.float16 if self.half else np.float32
        require_cache(config, self.capacity, np.dtype(kind).itemsize)
        dims, blocks = head_width(config), padded(self.capacity, TOKENS) // TOKENS
        self.keys = _sparse((config.n_layers, config.n_kv_heads, blocks, dims, TOKENS), kind)
        self.values = _sparse((config.n_layers, config.n_kv_heads, blocks * TOKENS, dims), kind)

    @property
    def by_slot(self) -> tuple[Any, ...]:
        """See `KVCache.by_slot`; what is read of the keys is a copy."""
        return _Keys(self.keys), np.moveaxis(self.values, 2, 0)


def _sparse(shape: tuple[int, ...], kind: type[np.floating[Any]]) -> npt.NDArray[Any]:
    """Zeros that take memory only where something is written, in small pages.

    Of the huge ones that numpy asks for, the few tokens of each head would take one: 200 MB for a word.

    Raises: MemoryError: there is no such room.
    """
    size = math.prod(shape) * np.dtype(kind).itemsize
    try:
        if sys.platform == "win32":
            memory = mmap.mmap(-1, size)
        else:
            memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as e:
        raise MemoryError(*e.args) from e
    if sys.platform == "linux" and hasattr(mmap, "MADV_NOHUGEPAGE"):
        memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, kind).reshape(shape)


class _Keys:
    """The keys of blocks as if they lay slot by slot."""

    def __init__(self, keys: npt.NDArray[Any]) -> None:
        self._keys = keys
        self._slots = np.arange(keys.shape[2] * TOKENS)

    def __getitem__(self, which: Any) -> npt.NDArray[Any]:
        slots = self._slots[which]
        return self._keys[:, :, slots // TOKENS, :, slots % TOKENS]

    def __setitem__(self, which: Any, values: npt.NDArray[Any]) -> None:
        slots = self._slots[which]
        self._keys[:, :, slots // TOKENS, :, slots % TOKENS] = values
