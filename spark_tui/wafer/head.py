"""Where a token enters a mesh and leaves it: its row of the embedding, the last norm, the LM head, the likeliest token.

The vocabulary is cut over columns of PEs, the hidden state over rows, so that a row of the embedding already lies as
the first layer wants it, on one column, and a matrix that is both embedding and head lies there once.
"""

import numpy as np
from numpy.typing import NDArray

from spark_tui.wafer import costs
from spark_tui.wafer.collective_costs import broadcast as broadcast_cycles
from spark_tui.wafer.collectives import allreduce, broadcast
from spark_tui.wafer.constants import ELEMENT_BYTES
from spark_tui.wafer.elementwise import operate, rms_norm
from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.gemv import gather, matrix_tiles, mesh_gemv, spread
from spark_tui.wafer.rates import CALIBRATED
from spark_tui.wafer.shapes import Shape

Values = NDArray[np.float32]
_CHOSEN = costs.wavelets(4)
"""Words of a logit and of the token it belongs to."""


class MeshHead:
    """Embedding, last norm and LM head, over all PEs of a mesh.

    Args: embedding, head: (V, E); None where the embedding is the head, too. norm: (E,). eps: of the norm.
    Raises: UsageError: the PE that has too little memory.
    """

    def __init__(
        self, shape: Shape, fabric: Fabric, embedding: Values, head: Values | None, norm: Values, *, eps: float
    ) -> None:  # fmt: skip
        self.shape, self.fabric, self._eps = shape, fabric, eps
        tile = -(-shape.dim // fabric.rows)
        self.tile, self.vocab_tile = tile, -(-shape.vocab // fabric.columns)
        matrices = 1 if head is None else 2
        fabric.allocate("embeddings", (matrices * tile * self.vocab_tile + tile) * ELEMENT_BYTES)
        self._embedding = matrix_tiles(fabric, embedding.T, "columns")
        self._head = self._embedding if head is None else matrix_tiles(fabric, head.T, "columns")
        self._norm = spread(fabric, norm, "columns")

    def enter(self, token: int) -> Values:
        """A token's row of the embedding, given to all columns; all PEs then begin together.

        Returns: (R, C, d), spread along columns.
        """
        with self.fabric.phase("embedding"):
            column, within = divmod(token, self.vocab_tile)
            x = broadcast(self.fabric, self._embedding[:, column, :, within], "rows", root=column)
            self.fabric.ready[:] = self.fabric.now
        return x

    def logits(self, x: Values) -> Values:
        """What may follow a token, and on every PE the likeliest. Args: x: of the last layer. Returns: (V,)."""
        fabric = self.fabric
        with fabric.phase("LM head"):
            normed = rms_norm(fabric, x, self._norm, "columns", width=self.shape.dim, eps=self._eps)
            tiles = mesh_gemv(fabric, normed, self._head, "columns")
        with fabric.phase("likeliest token"):
            operate(fabric, self.vocab_tile, 1)
            allreduce(fabric, tiles.max(axis=2, keepdims=True), "rows", words=_CHOSEN, combine=np.maximum)
        return gather(fabric, tiles, "rows", self.shape.vocab).copy()


def enter_cycles(shape: Shape, grid: int, token: int) -> float:
    """Cycles of `MeshHead.enter` in closed form: the further a token's column is from the middle, the more."""
    column = token // -(-shape.vocab // grid)
    farthest = max(column, grid - 1 - column)
    return broadcast_cycles(farthest + 1, costs.wavelets(-(-shape.dim // grid)), CALIBRATED)
