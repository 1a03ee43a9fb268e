"""Reading the weights of a Hugging Face folder into float32 arrays, checked against the config before and after."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Self

from spark_tui.engine.arrays import FloatArray, Rows
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.entries import Entries
from spark_tui.engine.files import damaged, shown
from spark_tui.engine.gguf_quants import Unpack
from spark_tui.engine.memory import require
from spark_tui.engine.shards import Shard, StoredTensor, open_shard

FILE_NAME = "model.safetensors"
INDEX_NAME = "model.safetensors.index.json"
EMBEDDING, FINAL_NORM, HEAD = "model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"
ROUTER, EXPERTS = "mlp.gate", "mlp.experts"
"""Of a mixture's layer."""
_INDEX_BYTES = 1 << 23
"""A mixture's index names tens of thousands of tensors."""
_COMPUTED = "rotary_emb.inv_freq"
"""Older writers store these; they follow from the config."""


class LazyWeights(Mapping[str, FloatArray]):
    """Weights by Hugging Face name, each read or worked out when it is taken, in memory of its own."""

    @abstractmethod
    def rows(self, name: str) -> Rows:
        """A matrix of which only the rows that are wanted are made."""

    @abstractmethod
    def unpacked_by(self, unpack: Unpack) -> Self:
        """The same weights, out of blocks by another way."""


def expected_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Every tensor a model of this shape needs, by its Hugging Face name."""
    shapes: dict[str, tuple[int, ...]] = {
        EMBEDDING: (config.vocab_size, config.hidden_size),
        FINAL_NORM: (config.hidden_size,),
    }
    layer = layer_shapes(config)
    for number in range(config.n_layers):
        shapes |= {f"model.layers.{number}.{name}": shape for name, shape in layer.items()}
    return shapes if config.tie_word_embeddings else shapes | {HEAD: shapes[EMBEDDING]}


def weight_bytes(config: ModelConfig, item_bytes: float = 4.0) -> int:
    """Memory of all weights. Args: item_bytes: bytes a weight takes, 4 as float32."""
    return int(sum(map(prod, expected_shapes(config).values())) * item_bytes)


def resident_bytes(config: ModelConfig, item_bytes: float) -> int:
    """Memory of all weights but those of experts that a token does not go through.

    Args: item_bytes: bytes a weight takes.
    """
    weights = sum(map(prod, expected_shapes(config).values()))
    return int((weights - _idle_weights(config)) * item_bytes)


def layer_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """The tensors of one layer, by their names within it; a projection is (out, in)."""
    hidden = config.hidden_size
    queries, keys = config.n_heads * config.head_dim, config.n_kv_heads * config.head_dim
    shapes: dict[str, tuple[int, ...]] = {
        "input_layernorm.weight": (hidden,),
        "self_attn.q_proj.weight": (queries, hidden),
        "self_attn.k_proj.weight": (keys, hidden),
        "self_attn.v_proj.weight": (keys, hidden),
        "self_attn.o_proj.weight": (hidden, queries),
        "post_attention_layernorm.weight": (hidden,),
    }
    if config.experts is None:
        shapes |= _mlp_shapes("mlp", hidden, config.intermediate_size)
    else:
        shapes[f"{ROUTER}.weight"] = (config.experts.count, hidden)
        for number in range(config.experts.count):
            shapes |= _mlp_shapes(f"{EXPERTS}.{number}", hidden, config.experts.size)
    if config.attention_bias:
        shapes |= {f"self_attn.{part}_proj.bias": (queries if part == "q" else keys,) for part in "qkv"}
    if config.qk_norm:
        shapes |= {f"self_attn.{part}_norm.weight": (config.head_dim,) for part in "qk"}
    return shapes


def _mlp_shapes(prefix: str, hidden: int, inner: int) -> dict[str, tuple[int, ...]]:
    """The three matrices of an MLP."""
    return {
        f"{prefix}.gate_proj.weight": (inner, hidden),
        f"{prefix}.up_proj.weight": (inner, hidden),
        f"{prefix}.down_proj.weight": (hidden, inner),
    }


def token_weights(config: ModelConfig) -> int:
    """How many weights one token goes through: all, but of the experts only the active ones.

    The row of an embedding that is no head counts nothing.
    """
    count = sum(map(prod, expected_shapes(config).values()))
    if not config.tie_word_embeddings:
        count -= config.vocab_size * config.hidden_size
    return count - _idle_weights(config)


def _idle_weights(config: ModelConfig) -> int:
    """How many weights of experts one token does not go through."""
    if config.experts is None:
        return 0
    idle = config.experts.count - config.experts.active
    return config.n_layers * idle * 3 * config.experts.size * config.hidden_size


@dataclass(frozen=True, slots=True)
class FolderWeights(LazyWeights):
    """The tensors of safetensors files, each read when it is taken.

    Taking one raises ModelError where it holds values that are not finite, or the file has changed meanwhile.
    """

    tensors: Mapping[str, StoredTensor]

    def __getitem__(self, name: str) -> FloatArray:
        return self.tensors[name].values()

    def __contains__(self, name: object) -> bool:
        return name in self.tensors

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def rows(self, name: str) -> Rows:
        """See `LazyWeights`: an expert's matrix is small enough to be read whole."""
        return self[name]

    def unpacked_by(self, unpack: Unpack) -> Self:
        """See `LazyWeights`: nothing here lies in blocks."""
        return self


def read_weights(folder: Path, config: ModelConfig) -> dict[str, FloatArray]:
    """Read model.safetensors of a model folder, or the files its index names.

    Args: folder: holds the files. config: the shape the tensors must have.
    Returns: every tensor the config asks for, float32, in memory of our own.
    Raises: ModelError: a file is missing, truncated, damaged, or of another shape than the config says; or more
        than fits into memory. Names, shapes and memory are checked before the first tensor is read.
    """
    with _opened(folder, config) as homes:
        require(weight_bytes(config), "reading the weights")
        return {name: shard.read(name) for name, shard in homes.items()}


def folder_weights(folder: Path, config: ModelConfig) -> FolderWeights:
    """The same tensors as `read_weights`, each read when it is taken: a mixture is larger than memory in float32.

    Raises: ModelError: as `read_weights`.
    """
    with _opened(folder, config) as homes:
        return FolderWeights({name: shard.stored(name) for name, shard in homes.items()})


@contextmanager
def _opened(folder: Path, config: ModelConfig) -> Iterator[dict[str, Shard]]:
    """The open file each tensor is in, checked to hold what the config asks for."""
    shapes = expected_shapes(config)
    with ExitStack() as stack:
        shards = [stack.enter_context(open_shard(path)) for path in _files(folder)]
        homes = _homes(shards, config)
        _check_names(shards[0].path, homes, shapes)
        for name, shape in shapes.items():
            if (found := homes[name].tensors[name].shape) != shape:
                raise damaged(homes[name].path, f"{name} has shape {shown(found)}, config.json asks for {shape}")
        yield {name: homes[name] for name in shapes}


def _files(folder: Path) -> list[Path]:
    """The one file, or all that the index names."""
    index = folder / INDEX_NAME
    if not (folder / FILE_NAME).exists() and not index.exists() and (pickled := sorted(folder.glob("*.bin"))):
        raise damaged(pickled[0], ".bin files are pickles, which are never read", "convert it to safetensors")
    if (folder / FILE_NAME).exists() or not index.exists():
        return [folder / FILE_NAME]
    names = Entries.read(index, limit=_INDEX_BYTES).section("weight_map").texts()
    if not names:
        raise damaged(index, "weight_map names no files")
    for name in names:
        if not name.endswith(".safetensors") or set(name) & set("/\\\0"):
            raise damaged(index, f"weight_map names {shown(name)}, which is not a safetensors file of the folder")
    return [folder / name for name in names]


def _homes(shards: list[Shard], config: ModelConfig) -> dict[str, Shard]:
    """The file each tensor is in, but for tensors that need not be read."""
    homes: dict[str, Shard] = {}
    for shard in shards:
        for name in shard.tensors:
            if name.endswith(_COMPUTED) or (name == HEAD and config.tie_word_embeddings):
                continue  # some writers store the shared matrix twice
            if name in homes:
                raise damaged(shard.path, f"{shown(name)} is in {homes[name].path.name} as well")
            homes[name] = shard
    return homes


def _check_names(path: Path, homes: dict[str, Shard], shapes: dict[str, tuple[int, ...]]) -> None:
    missing, unknown = sorted(shapes.keys() - homes.keys()), sorted(homes.keys() - shapes.keys())
    if missing:
        raise damaged(path, f"{len(missing)} tensors that config.json asks for are missing, {missing[0]} first")
    if unknown:
        first = unknown[0]
        where = homes[first].path
        raise damaged(where, f"{len(unknown)} tensors that config.json does not ask for, {shown(first)} first")
