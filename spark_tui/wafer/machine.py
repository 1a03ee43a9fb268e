"""Wafers and GPUs as data, each number with its source."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spark_tui.errors import UsageError
from spark_tui.wafer import constants

if TYPE_CHECKING:
    from spark_tui.engine.config import ModelConfig


@dataclass(frozen=True, slots=True)
class Wafer:
    """A wafer-scale device.

    Args: rows, columns: PEs that programs may use. sram: bytes a PE. clock: Hz. lanes: fp16 multiply-adds a PE and
        cycle. watts: what the wafer draws, its system left out. link_bandwidth: bytes/s between two wafers.
        source: where this is said.
    """

    name: str
    rows: int
    columns: int
    sram: int
    clock: float
    lanes: int
    watts: float
    link_bandwidth: float
    source: str

    @property
    def pes(self) -> int:
        """PEs that programs may use."""
        return self.rows * self.columns

    @property
    def largest_grid(self) -> int:
        """The side of the largest square of PEs."""
        return min(self.rows, self.columns)


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU. Args: bandwidth: bytes/s of its memory. memory: bytes. flops: fp16, dense. watts: as WaferLLM takes it."""

    name: str
    bandwidth: float
    memory: float
    flops: float
    watts: float
    source: str


@dataclass(frozen=True, slots=True)
class Link:
    """What joins GPUs, as software uses it.

    Args: allreduce: seconds of a small allreduce. row: seconds that each token adds to one beside its bytes.
        product: seconds of adding up one large product.
    """

    allreduce: float
    row: float
    product: float


@dataclass(frozen=True, slots=True)
class Stack:
    """The software that serves a model on GPUs, as a roofline with overheads.

    Args: efficiency: share of the memory bandwidth that is reached. layer_seconds: overhead of a layer.
        within, between: what joins the GPUs of a node, and several nodes.
    """

    name: str
    efficiency: float
    layer_seconds: float
    within: Link
    between: Link

    def link(self, gpus: int, nodes: int) -> Link:
        """What joins so many GPUs a node on so many nodes: nothing where it is one GPU."""
        return self.between if nodes > 1 else self.within if gpus > 1 else Link(0.0, 0.0, 0.0)


# WSE-2's watts follow from WaferLLM's energy ratios, WSE-3's are assumed equal. A whole CS-2 or CS-3 draws 23 kW.
_WAFERS = (
    Wafer("wse2", 750, 994, 48 * 1024, 1.1e9, 4, 15_000, 150e9, "csl-examples (757 x 996 less I/O); Hot Chips 34"),
    Wafer("wse3", 755, 1170, 48 * 1024, 1.1e9, 8, 15_000, 150e9, "ALCF CS-3 (762 x 1172 less I/O); CSL documentation"),
)
_GPUS = (
    Gpu("a100", 2.039e12, 80e9, 312e12, 400, "NVIDIA A100 80GB SXM data sheet"),
    Gpu("h100", 3.35e12, 80e9, 989e12, 700, "NVIDIA H100 SXM data sheet"),
    Gpu("h200", 4.8e12, 141e9, 989e12, 700, "NVIDIA H200 data sheet"),
)
_BETWEEN = Link(
    constants.NODES_ALLREDUCE_SECONDS, constants.NODES_PROMPT_ROW_SECONDS, constants.NODES_PRODUCT_REDUCE_SECONDS
)


def _stack(name: str, efficiency: float, layer_seconds: float, allreduce: float) -> Stack:
    within = Link(allreduce, constants.PROMPT_ROW_SECONDS, constants.PRODUCT_REDUCE_SECONDS)
    return Stack(name, efficiency, layer_seconds, within, _BETWEEN)


_STACKS = (
    _stack("sglang", constants.SGLANG_EFFICIENCY, constants.SGLANG_LAYER_SECONDS, constants.SGLANG_ALLREDUCE_SECONDS),
    _stack(
        "gpt-fast",
        constants.GPT_FAST_EFFICIENCY,
        constants.GPT_FAST_LAYER_SECONDS,
        constants.GPT_FAST_ALLREDUCE_SECONDS,
    ),
)
WAFERS = {device.name: device for device in _WAFERS}
GPUS = {device.name: device for device in _GPUS}
STACKS = {stack.name: stack for stack in _STACKS}


def device_named(name: str) -> Wafer | Gpu:
    """A device by its name. Raises: UsageError: there is none of that name."""
    found = WAFERS.get(name.lower()) or GPUS.get(name.lower())
    if found is None:
        raise UsageError(f"unknown device {name!r}; choose one of {', '.join([*WAFERS, *GPUS])}")
    return found


@dataclass(frozen=True, slots=True)
class Shape:
    """A dense decoder. `dim`: hidden size; `ffn`: intermediate size; `vocab`: tokens; `tied`: one embedding matrix.

    Args: qk_norm: each head of queries and keys is normalised. bias: queries, keys and values get a bias.
    """

    name: str
    dim: int
    ffn: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    tied: bool = False
    qk_norm: bool = False
    bias: bool = False

    @classmethod
    def of(cls, config: "ModelConfig", name: str) -> "Shape":
        """What a mesh must know of a model that the engine runs.

        Raises: UsageError: it is a mixture of experts.
        """
        if config.experts is not None:
            raise UsageError(
                f"{name} is a mixture of experts, which no mesh here runs; name another model",
            )
        return cls(
            name=name,
            dim=config.hidden_size,
            ffn=config.intermediate_size,
            layers=config.n_layers,
            heads=config.n_heads,
            kv_heads=config.n_kv_heads,
            head_dim=config.head_dim,
            vocab=config.vocab_size,
            tied=config.tie_word_embeddings,
            qk_norm=config.qk_norm,
            bias=config.attention_bias,
        )

    @property
    def q_dim(self) -> int:
        """Width of all queries of a token."""
        return self.heads * self.head_dim

    @property
    def kv_dim(self) -> int:
        """Width of all keys (or values) of a token."""
        return self.kv_heads * self.head_dim

    @property
    def layer_parameters(self) -> int:
        """Weights of one layer, norms left out."""
        return self.dim * (2 * self.q_dim + 2 * self.kv_dim + 3 * self.ffn)

    @property
    def parameters(self) -> int:
        """Weights of the whole model, norms left out."""
        return self.layers * self.layer_parameters + self.vocab * self.dim * (1 if self.tied else 2)

    @property
    def streamed(self) -> int:
        """Weights that a token must go through: of the embedding it needs one row only."""
        return self.layers * self.layer_parameters + self.vocab * self.dim

    def as_measured(self) -> "Shape":
        """The shape WaferLLM timed in its place: one head, and keys as wide as the hidden state."""
        return replace(self, heads=1, kv_heads=1, head_dim=self.dim, qk_norm=False, bias=False)


_KNOWN = (
    Shape("llama3-8b", 4096, 14336, 32, 32, 8, 128, 128256),
    Shape("llama3-70b", 8192, 28672, 80, 64, 8, 128, 128256),
    Shape("llama2-7b", 4096, 11008, 32, 32, 32, 128, 32000),
    Shape("llama2-13b", 5120, 13824, 40, 40, 40, 128, 32000),
    Shape("llama2-70b", 8192, 28672, 80, 64, 8, 128, 32000),
    Shape("codellama-34b", 8192, 22016, 48, 64, 8, 128, 32000),
    Shape("qwen2-0.5b", 896, 4864, 24, 14, 2, 64, 151936, tied=True, bias=True),
    Shape("qwen2-7b", 3584, 18944, 28, 28, 4, 128, 152064, bias=True),
    Shape("qwen2-72b", 8192, 29568, 80, 64, 8, 128, 152064, bias=True),
    Shape("qwen3-8b", 4096, 12288, 36, 32, 8, 128, 151936, qk_norm=True),
    Shape("qwen3-32b", 5120, 25600, 64, 64, 8, 128, 151936, qk_norm=True),
)
SHAPES = {shape.name: shape for shape in _KNOWN}
_OTHER_NAMES = {"llama3.1-8b": "llama3-8b", "llama3.1-70b": "llama3-70b", "llama3.3-70b": "llama3-70b"}


def shape_named(name: str, *, besides: str = "") -> Shape:
    """The shape of a well-known model. Args: besides: what else may be given. Raises: UsageError: not one of them."""
    found = SHAPES.get(_OTHER_NAMES.get(name.lower(), name.lower()))
    if found is None:
        raise UsageError(f"unknown model {name!r}; give {besides}one of {', '.join(SHAPES)}")
    return found
