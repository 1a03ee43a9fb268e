"""Lays out a low-rank adapter as one flat parameter, which one step of the optimiser trains.

Source: Hu et al. 2021, arXiv:2106.09685.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import torch
from torch import Tensor

from spark_tui.engine.config import ModelConfig
from spark_tui.engine.lora import Pairs
from spark_tui.engine.weights import layer_shapes
from spark_tui.errors import UsageError

# The sides of a pair: the matrix that leads to the rank, and the one that leads back.
_DOWN = 0
_UP = 1


@dataclass(frozen=True, slots=True)
class Adapter:
    """The pairs of matrices of an adapter, for a forward pass.

    Attributes:
        pairs: (rank, in) and (out, rank), by the name of the weight that they are added to.
        scale: The factor of the product of a pair.
        dropout: The share of the numbers between the two matrices that is dropped.
    """

    pairs: Mapping[str, tuple[Tensor, Tensor]]
    scale: float
    dropout: float = 0.0


@dataclass(frozen=True, slots=True)
class _Slot:
    """The place of a matrix in the flat parameter."""

    name: str
    side: int
    shape: tuple[int, int]


class AdapterLayout:
    """The places of the matrices of an adapter in a flat parameter."""

    def __init__(self, config: ModelConfig, rank: int, first_layer: int, scale: float) -> None:
        """Lay out a pair for each matrix from a layer on.

        Raises:
            UsageError: The model has no such layer.
        """
        if first_layer >= config.n_layers:
            raise UsageError(f"first_layer is {first_layer} of a model of {config.n_layers} layers")
        self.rank = rank
        self.scale = scale
        self._slots = list[_Slot]()
        # norms and biases have one dimension, and stay as they are
        matrices = {name: shape for name, shape in layer_shapes(config).items() if len(shape) == 2}
        for number in range(first_layer, config.n_layers):
            for part, (outputs, inputs) in matrices.items():
                name = f"model.layers.{number}.{part}"
                self._slots.append(_Slot(name, _DOWN, (rank, inputs)))
                self._slots.append(_Slot(name, _UP, (outputs, rank)))
        self._sizes = [prod(slot.shape) for slot in self._slots]

    @property
    def size(self) -> int:
        """Numbers in the flat parameter."""
        return sum(self._sizes)

    def initial(self, seed: int) -> Tensor:
        """Return a flat parameter that adds nothing: the second matrix of each pair is zero."""
        generator = torch.Generator().manual_seed(seed)
        flat = torch.zeros(self.size)
        for slot, part in zip(self._slots, flat.split(self._sizes), strict=True):
            if slot.side == _DOWN:
                # What comes out is then about as large as what goes in, whatever the width.
                values = torch.randn(slot.shape, generator=generator) * slot.shape[1] ** -0.5
                part.copy_(values.view(-1))
        return flat

    def split(self, flat: Tensor) -> dict[str, tuple[Tensor, Tensor]]:
        """Return the pairs in a flat parameter, as views, by the name of their weight."""
        matrices: list[Tensor] = []
        for slot, part in zip(self._slots, flat.split(self._sizes), strict=True):
            matrices.append(part.view(slot.shape))
        pairs: dict[str, tuple[Tensor, Tensor]] = {}
        # the two slots of a weight follow each other
        for index in range(0, len(matrices), 2):
            pairs[self._slots[index].name] = matrices[index], matrices[index + 1]
        return pairs

    def adapter(self, flat: Tensor, dtype: torch.dtype, dropout: float = 0.0) -> Adapter:
        """Return the adapter in a flat parameter; one cast serves all matrices."""
        return Adapter(self.split(flat.to(dtype)), self.scale, dropout)

    def pairs(self, flat: Tensor) -> Pairs:
        """Return the pairs as arrays, to be written."""
        split = self.split(flat.detach().float().cpu())
        return {name: (down.numpy(), up.numpy()) for name, (down, up) in split.items()}

    def fill(self, flat: Tensor, path: Path, pairs: Pairs, scale: float) -> None:
        """Put another adapter into a flat parameter; further ranks stay as they are.

        Args:
            flat: The flat parameter, on the CPU.
            path: The place of the adapter, for messages.
            pairs: The pairs of the adapter, as `read_adapter` returns them.
            scale: The factor of the product of these pairs.

        Raises:
            UsageError: The adapter has a larger rank, or layers below the first one.
        """
        split = self.split(flat)
        if missing := sorted(pairs.keys() - split.keys()):
            raise UsageError(f"{path} also changes {missing[0]}, below the first trained layer")
        for name, (old_down, old_up) in pairs.items():
            rank = len(old_down)
            if rank > self.rank:
                raise UsageError(f"{path} has rank {rank}, more than the {self.rank} trained here")
            down, up = split[name]
            # The other rows of `down` keep their random start, and the other columns of `up` are
            # zero, so that the adapter adds just what the old one does.
            down[:rank] = torch.from_numpy(old_down)
            up[:, :rank] = torch.from_numpy(old_up) * (scale / self.scale)
