"""The shape of a model, read from a Hugging Face config.json of a family that the engine runs."""

from dataclasses import dataclass
from pathlib import Path

from spark_tui.engine.entries import Entries
from spark_tui.engine.files import damaged
from spark_tui.engine.rope import RopeScaling

FILE_NAME = "config.json"
_MAX_BYTES = 1 << 20
_MOST_POSITIONS = 1 << 20

FAMILIES = {
    "llama": "LlamaForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
    "qwen3_moe": "Qwen3MoeForCausalLM",
}
"""model_type in the file -> the architecture it stands for."""

_SIZES = {
    "vocab_size": ("vocab_size", 1 << 20),
    "hidden_size": ("hidden_size", 1 << 16),
    "n_layers": ("num_hidden_layers", 1 << 10),
    "n_heads": ("num_attention_heads", 1 << 10),
    "intermediate_size": ("intermediate_size", 1 << 18),
    "max_position_embeddings": ("max_position_embeddings", _MOST_POSITIONS),
}
"""Field -> its name in the file, and the largest value taken from there."""
_MOST_HEADS, _MOST_HEAD_DIM = 1 << 10, 1 << 12
_QWEN3 = ("qwen3", "qwen3_moe")
"""Families with norms of queries and keys, whose heads have a size of their own."""
_MOE = "qwen3_moe"
_MOST_EXPERTS = 1 << 10

_SUPPORTED: dict[str, tuple[object, ...]] = {
    "hidden_act": (None, "silu"),
    "mlp_bias": (None, False),
    "partial_rotary_factor": (None, 1),
    "rope_interleaved": (None, False),
    "num_local_experts": (None, 0),
    "quantization_config": (None,),
}
"""Settings that change the arithmetic, and the values it is written for (None: not in the file)."""


@dataclass(frozen=True, slots=True)
class Experts:
    """What stands in each layer of a mixture in place of one MLP: a router and many small MLPs."""

    count: int
    """How many a layer has."""
    active: int
    """How many of them a token goes through."""
    size: int
    """Inner size of one."""
    normalized: bool = True
    """Whether the shares of the active ones add up to 1; else each keeps its share of the softmax over all."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The shape of a decoder."""

    vocab_size: int
    hidden_size: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    intermediate_size: int
    rope_theta: float
    rms_norm_eps: float
    max_position_embeddings: int
    tie_word_embeddings: bool
    family: str = "qwen3"
    """One of `FAMILIES`."""
    attention_bias: bool = False
    """Whether the projections to queries, keys and values add a bias; the one behind attention never does."""
    qk_norm: bool = True
    """Whether each head of queries and keys is normalised before it is turned."""
    rope_scaling: RopeScaling | None = None
    experts: Experts | None = None
    """Of a mixture, where `intermediate_size` is the size of no matrix; None: one MLP in each layer."""

    @classmethod
    def read(cls, folder: Path) -> "ModelConfig":
        """Read config.json of a model folder.

        Raises: ModelError: the file is missing, no JSON, or describes a model this engine does not run.
        """
        path = folder / FILE_NAME
        return cls.of(path, Entries.read(path, limit=_MAX_BYTES))

    @classmethod
    def of(cls, path: Path, entries: Entries) -> "ModelConfig":
        """The config of what a config.json holds. Args: path: the file, for the messages.

        Raises: ModelError: it describes a model this engine does not run.
        """
        family = _family(entries)
        rope = _rope(entries)
        sizes = {field: entries.whole(name, most) for field, (name, most) in _SIZES.items()}
        heads, positions = sizes["n_heads"], sizes.pop("max_position_embeddings")
        scaling = RopeScaling.read(rope, positions)
        config = cls(
            **sizes, n_kv_heads=entries.whole("num_key_value_heads", _MOST_HEADS, heads),
            head_dim=_head_dim(entries, family, sizes["hidden_size"], heads),
            rope_theta=rope.number("rope_theta", 1.001, 1e12, 10_000.0),
            rms_norm_eps=entries.number("rms_norm_eps", 1e-12, 1.0),
            max_position_embeddings=_positions(positions, scaling),
            tie_word_embeddings=entries.flag("tie_word_embeddings"), family=family, attention_bias=family == "qwen2",
            qk_norm=family in _QWEN3, rope_scaling=scaling, experts=_experts(entries, family),
        )  # fmt: skip
        _check_heads(path, config)
        _check_windows(entries, config)
        return config


def _family(entries: Entries) -> str:
    family: str = entries.choice("model_type", tuple(FAMILIES))
    architectures = entries.words("architectures")
    if architectures and FAMILIES[family] not in architectures:
        raise entries.wrong("architectures", f"this engine runs only {FAMILIES[family]!r}", "name another model")
    for name, values in _SUPPORTED.items():
        entries.choice(name, values)
    if family != "qwen2":  # a Qwen2 always has its biases, whatever the file says
        entries.choice("attention_bias", (None, False))
    return family


def _experts(entries: Entries, family: str) -> Experts | None:
    if family != _MOE:
        entries.choice("num_experts", (None, 0))
        return None
    entries.choice("decoder_sparse_step", (None, 1))
    entries.choice("mlp_only_layers", (None, []))
    count = entries.whole("num_experts", _MOST_EXPERTS)
    return Experts(
        count=count,
        active=entries.whole("num_experts_per_tok", count),
        size=entries.whole("moe_intermediate_size", _SIZES["intermediate_size"][1]),
        normalized=entries.flag("norm_topk_prob"),
    )


def _rope(entries: Entries) -> Entries:
    """Where the settings of RoPE stand: two spellings of the group, rope_theta inside it or beside it."""
    name = "rope_scaling" if entries.get("rope_scaling") else "rope_parameters"
    group = entries.section(name)
    if group.nested:
        raise entries.wrong(name, "this engine runs only one setting for all layers", "name another model")
    rope = group.over({name: entries.get(name) for name in ("rope_theta", "original_max_position_embeddings")})
    rope.choice("partial_rotary_factor", (None, 1))
    return rope


def _head_dim(entries: Entries, family: str, hidden: int, heads: int) -> int:
    if "head_dim" not in entries and family not in _QWEN3 and hidden % heads:
        raise entries.refused(f"hidden_size {hidden} is no multiple of {heads} heads")
    default = hidden // heads
    return entries.whole("head_dim", _MOST_HEAD_DIM, None if family in _QWEN3 else default)


def _positions(named: int, scaling: RopeScaling | None) -> int:
    """Tokens the model may hold. Files that were given yarn later often still name the context before it."""
    if scaling is None or scaling.kind != "yarn":
        return named
    return min(max(named, int(scaling.factor * scaling.original_positions)), _MOST_POSITIONS)


def _check_heads(path: Path, config: ModelConfig) -> None:
    if config.n_heads % config.n_kv_heads:
        raise damaged(path, f"{config.n_heads} heads cannot share {config.n_kv_heads} key/value heads")
    if config.head_dim % 2:
        raise damaged(path, f"head_dim is {config.head_dim}, but rotary positions need an even one")


def _check_windows(entries: Entries, config: ModelConfig) -> None:
    """Refuse attention that sees only the last tokens, where a layer really does so."""
    kinds = entries.words("layer_types")
    if any(kind != "full_attention" for kind in kinds):
        raise entries.refused("layer_types holds other than 'full_attention', the only type this engine runs")
    if kinds or config.family == "llama" or not entries.flag("use_sliding_window"):
        return
    window = entries.whole("sliding_window", 1 << 30, 4096)
    first = entries.get("max_window_layers")
    if window < config.max_position_embeddings and not (isinstance(first, int) and first >= config.n_layers):
        raise entries.refused(f"use_sliding_window is True, with {window} tokens, this engine runs only False")
