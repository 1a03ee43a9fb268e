"""The room that passes over one cache work in."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spark_tui.engine.kernels.attention import TOKENS
from spark_tui.engine.kernels.cache import BlockCache
from spark_tui.engine.kernels.pack import padded
from spark_tui.engine.kernels.shapes import Room, Shape
from spark_tui.engine.kernels.tiles import GROUP, activation_bytes

_LINE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Workspace:
    """Room for passes of up to `tokens` tokens. `arrays` own the memory that `room` tells the addresses of."""

    tokens: int
    room: Room
    arrays: tuple[npt.NDArray[Any], ...]

    @classmethod
    def of(cls, shape: Shape, tokens: int, cache: BlockCache, threads: int) -> "Workspace":
        """Args: threads: that may share a pass."""
        mixed = padded(shape.heads * shape.head, GROUP)
        wide = max(padded((shape.heads + 2 * shape.kv_heads) * shape.head, GROUP), 2 * shape.inner)
        record = activation_bytes(max(shape.hidden, mixed, shape.inner))
        seen = padded(cache.capacity, TOKENS) + 3 * TOKENS  # two spans of slots end in blocks that are not full
        scores = shape.heads // shape.kv_heads * (seen + _LINE // 4)
        x, normed = (np.empty((tokens, shape.hidden), np.float32) for _ in range(2))
        row = np.empty((tokens, wide), np.float32)
        mixed_rows = np.zeros((tokens, mixed), np.float32)  # what lies behind the last head stays 0
        records = np.empty((tokens, record), np.uint8)
        seen_by = np.empty((threads, scores), np.float32)
        layer_bytes, head_bytes = cache.keys.strides[:2]
        room = Room(
            x=_place(x), normed=_place(normed), wide=_place(row), mixed=_place(mixed_rows),
            records=_place(records), record_step=record,
            scores=_place(seen_by), scores_step=4 * seen, scores_size=4 * scores,
            keys=_place(cache.keys), values=_place(cache.values), layer_bytes=layer_bytes, head_bytes=head_bytes,
            cosines=_place(cache.cosines), sines=_place(cache.sines),
        )  # fmt: skip
        return cls(tokens, room, (x, normed, row, mixed_rows, records, seen_by))


def _place(array: npt.NDArray[Any]) -> int:
    return array.ctypes.data
