"""A low-rank adapter beside a model's weights, as PEFT writes it: added to each weight when that is taken.

Source: Hu et al. 2021, arXiv:2106.09685; adapter_config.json and adapter_model.safetensors of huggingface/peft.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.entries import Entries
from spark_tui.engine.files import damaged
from spark_tui.engine.shards import open_shard

CONFIG_FILE, WEIGHTS_FILE = "adapter_config.json", "adapter_model.safetensors"
PREFIX, DOWN, UP = "base_model.model.", ".lora_A.weight", ".lora_B.weight"
_MAX_BYTES = 1 << 20
_MOST_RANK = 1 << 10


@dataclass(frozen=True, slots=True)
class Adapted(Mapping[str, FloatArray]):
    """Weights with what an adapter adds to some of them. `pairs`: (rank, in) and (out, rank), by the weight's name."""

    weights: Mapping[str, FloatArray]
    pairs: Mapping[str, tuple[FloatArray, FloatArray]]
    scale: float

    def __getitem__(self, name: str) -> FloatArray:
        if name not in self.pairs:
            return self.weights[name]
        down, up = self.pairs[name]
        return np.asarray(self.weights[name] + self.scale * (up @ down), np.float32)

    def __iter__(self) -> Iterator[str]:
        return iter(self.weights)

    def __len__(self) -> int:
        return len(self.weights)


def adapted(folder: Path, weights: Mapping[str, FloatArray]) -> Mapping[str, FloatArray]:
    """The weights of a folder with its adapter, or as they are where there is none.

    Args: weights: float32, by Hugging Face name. Raises: ModelError: the adapter is damaged or of another model.
    """
    if not (folder / CONFIG_FILE).is_file():
        return weights
    config = Entries.read(folder / CONFIG_FILE, limit=_MAX_BYTES)
    scale = config.number("lora_alpha", 0.0, 1e4) / config.whole("r", _MOST_RANK)
    path, pairs = folder / WEIGHTS_FILE, dict[str, tuple[FloatArray, FloatArray]]()
    with open_shard(path) as shard:
        for name in sorted(shard.tensors):
            if not name.endswith(DOWN):
                continue
            weight = f"{name.removeprefix(PREFIX).removesuffix(DOWN)}.weight"
            other = name.removesuffix(DOWN) + UP
            if weight not in weights or other not in shard.tensors:
                raise damaged(path, f"{name} belongs to no weight of this model")
            down, up = shard.read(name), shard.read(other)
            if down.ndim != 2 or up.ndim != 2 or up.shape[1] != down.shape[0]:
                raise damaged(path, f"{name} is {down.shape} and {other} {up.shape}, which do not fit")
            pairs[weight] = down, up
    return Adapted(weights, pairs, scale)
