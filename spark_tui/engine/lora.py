"""Low-rank adapters (LoRA): reads an adapter, and adds it to the weights of a model on access.

To a weight of shape (out, in) an adapter adds scale * up @ down, of shapes (out, rank) and
(rank, in).

Adapters are read as PEFT writes them (adapter_config.json, adapter_model.safetensors) and as
llama.cpp does (adapter.gguf).

Source: Hu et al. 2021, arXiv:2106.09685; huggingface/peft; convert_lora_to_gguf.py,
ggml-org/llama.cpp.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from spark_tui.engine.arrays import FloatArray, LazyRows, Rows
from spark_tui.engine.config import Entries, ModelConfig, damaged
from spark_tui.engine.gguf import SUFFIX, gguf_name, halved, read_gguf
from spark_tui.engine.gguf_quants import Unpack
from spark_tui.engine.weights import LazyWeights, open_shard

CONFIG_FILE = "adapter_config.json"
WEIGHTS_FILE = "adapter_model.safetensors"
GGUF_FILE = "adapter.gguf"
PREFIX = "base_model.model."
DOWN = ".lora_A.weight"
UP = ".lora_B.weight"
GGUF_DOWN = ".lora_a"
GGUF_UP = ".lora_b"
GGUF_ALPHA = "adapter.lora.alpha"
# Limits for a stranger's adapter: the bytes of its settings, usually 1 KB, and its rank, usually
# 8 to 64.
_MAX_BYTES = 1 << 20
_MOST_RANK = 1 << 10

# Name of a weight -> down, (rank, in), and up, (out, rank).
Pairs = dict[str, tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, slots=True)
class Adapted(LazyWeights):
    """Weights of a model with an adapter added to some of them.

    Attributes:
        weights: The weights without the adapter.
        pairs: The matrices of the adapter; see `Pairs`.
        scale: The factor of up @ down.
    """

    weights: Mapping[str, FloatArray]
    pairs: Mapping[str, tuple[FloatArray, FloatArray]]
    scale: float

    def __getitem__(self, name: str) -> FloatArray:
        return self._with(name, self.weights[name], slice(None))

    def __contains__(self, name: object) -> bool:
        return name in self.weights

    def __iter__(self) -> Iterator[str]:
        return iter(self.weights)

    def __len__(self) -> int:
        return len(self.weights)

    def rows(self, name: str) -> Rows:
        """See `LazyWeights`."""
        if isinstance(self.weights, LazyWeights):
            base = self.weights.rows(name)
        else:
            base = self.weights[name]
        # Only the rows that are taken are multiplied, so no full sum lies beside the weight.
        return LazyRows(base.shape, lambda rows: self._with(name, base[rows], rows))

    def unpacked_by(self, unpack: Unpack) -> Self:
        """See `LazyWeights`."""
        base = self.weights
        if isinstance(base, LazyWeights):
            return replace(self, weights=base.unpacked_by(unpack))
        return self

    def _with(self, name: str, part: FloatArray, rows: slice) -> FloatArray:
        """Return rows of a weight, with the same rows of the adapter added.

        Args:
            name: The name of the weight.
            part: The rows without the adapter.
            rows: Which rows of the weight these are.
        """
        if name not in self.pairs:
            return part
        down, up = self.pairs[name]
        # In place: besides `part` a single array of its size is made, the one that is returned.
        added: FloatArray = up[rows] @ down
        added *= self.scale
        added += part
        return added


def adapted(
    folder: Path, weights: Mapping[str, FloatArray], config: ModelConfig
) -> Mapping[str, FloatArray]:
    """Return the weights of a folder with its adapter, or unchanged if it has none.

    Args:
        folder: The model folder.
        weights: The weights in float32, by Hugging Face name.
        config: The model's shape.

    Raises:
        ModelError: The adapter is damaged, or belongs to another model.
    """
    if (folder / GGUF_FILE).is_file():
        return Adapted(weights, *read_adapter(folder / GGUF_FILE, weights.keys(), config))
    if (folder / CONFIG_FILE).is_file():
        return Adapted(weights, *read_adapter(folder / WEIGHTS_FILE, weights.keys(), config))
    return weights


def read_adapter(path: Path, names: Iterable[str], config: ModelConfig) -> tuple[Pairs, float]:
    """Read an adapter.

    Args:
        path: A GGUF file, or the adapter_model.safetensors of PEFT.
        names: The names of the model's weights.
        config: The model's shape.

    Returns:
        The matrices in float32, and the scale of their product.

    Raises:
        ModelError: The adapter is damaged, or belongs to another model.
    """
    if path.suffix == SUFFIX:
        pairs, scale = _of_gguf(path, names, config)
    else:
        pairs, scale = _of_peft(path, names)
    for name, (down, up) in pairs.items():
        if down.ndim != 2 or up.ndim != 2 or up.shape[1] != down.shape[0]:
            raise damaged(
                path, f"what is added to {name} is {down.shape} and {up.shape}, which do not fit"
            )
    return pairs, scale


def _of_gguf(path: Path, names: Iterable[str], config: ModelConfig) -> tuple[Pairs, float]:
    file = read_gguf(path)
    known = {gguf_name(name): name for name in names}
    alpha = file.metadata.get(GGUF_ALPHA)
    if not isinstance(alpha, int | float):
        raise damaged(path, f"it has no {GGUF_ALPHA}")
    pairs = Pairs()
    rank = 1
    for stored in sorted(file.tensors):
        if not stored.endswith(GGUF_DOWN):
            continue
        weight = stored.removesuffix(GGUF_DOWN)
        other = stored.removesuffix(GGUF_DOWN) + GGUF_UP
        if weight not in known or other not in file.tensors:
            raise damaged(path, f"{stored} belongs to no weight of this model")
        down = file.tensors[stored].values()
        # GGUF permutes the rows of a llama's queries and keys; only `up` has these rows.
        up = halved(known[weight], file.tensors[other].values(), config)
        pairs[known[weight]] = down, up
        rank = max(rank, len(down))
    # The file does not name the rank; it is the number of rows of each `down`.
    return pairs, alpha / rank


def _of_peft(path: Path, names: Iterable[str]) -> tuple[Pairs, float]:
    config = Entries.read(path.with_name(CONFIG_FILE), limit=_MAX_BYTES)
    known = set(names)
    pairs = Pairs()
    with open_shard(path) as shard:
        for name in sorted(shard.tensors):
            if not name.endswith(DOWN):
                continue
            weight = f"{name.removeprefix(PREFIX).removesuffix(DOWN)}.weight"
            other = name.removesuffix(DOWN) + UP
            if weight not in known or other not in shard.tensors:
                raise damaged(path, f"{name} belongs to no weight of this model")
            pairs[weight] = shard.read(name), shard.read(other)
    return pairs, config.number("lora_alpha", 0.0, 1e4) / config.whole("r", _MOST_RANK)
