"""The machines and the models of a simulation: wafers, GPUs with their software, decoder shapes.

Everything here is data, each number with its source. Add a device to `_WAFERS` or `_GPUS`, and a
model to `_KNOWN_SHAPES`; constants that were calibrated stand in `constants`.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spark_tui.errors import UsageError
from spark_tui.wafer import constants

if TYPE_CHECKING:
    from spark_tui.engine.config import ModelConfig


@dataclass(frozen=True, slots=True)
class Wafer:
    """A wafer-scale device.

    Attributes:
        name: The name that `--device` takes.
        rows: PE rows that programs may use.
        columns: PE columns that programs may use.
        sram: Bytes of memory on each PE.
        clock: Hz.
        lanes: fp16 multiply-adds per PE and cycle.
        watts: Power of the wafer alone, without the system around it.
        link_bandwidth: Bytes/s between two wafers.
        source: Where the numbers were published.
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
        """Side of the largest square of PEs."""
        return min(self.rows, self.columns)


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU.

    Attributes:
        name: The name that `--device` takes.
        bandwidth: Bytes/s of the memory.
        memory: Bytes.
        flops: Peak fp16 flops/s, dense.
        watts: Board power, as WaferLLM counts it.
        source: Where the numbers were published.
    """

    name: str
    bandwidth: float
    memory: float
    flops: float
    watts: float
    source: str


@dataclass(frozen=True, slots=True)
class Interconnect:
    """The link between GPUs, as the serving software uses it.

    Attributes:
        allreduce: Seconds of a small allreduce.
        row: Seconds that each token adds to an allreduce beside its bytes.
        product: Seconds to add up one large matrix-vector product.
    """

    allreduce: float
    row: float
    product: float


_NO_INTERCONNECT = Interconnect(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Stack:
    """The software that serves a model on GPUs, as a roofline with overheads.

    Attributes:
        name: The name that a case's `stack=` takes.
        efficiency: Share of the memory bandwidth that the software reaches.
        layer_seconds: Overhead of one layer.
        within: Interconnect of the GPUs in one node.
        between: Interconnect of several nodes.
    """

    name: str
    efficiency: float
    layer_seconds: float
    within: Interconnect
    between: Interconnect

    def link(self, gpus: int, nodes: int) -> Interconnect:
        """Return the interconnect of `nodes` nodes with `gpus` GPUs each; a single GPU has none."""
        if nodes > 1:
            return self.between
        if gpus > 1:
            return self.within
        return _NO_INTERCONNECT


# The rows and columns are those of the fabric less the ones that host input and output take. The
# watts of WSE-2 follow from WaferLLM's energy ratios; those of WSE-3 are assumed to be equal. A
# whole system (CS-2 or CS-3) draws 23 kW.
_WAFERS = (
    Wafer(
        name="wse2",
        rows=750,
        columns=994,
        sram=48 * 1024,
        clock=1.1e9,
        lanes=4,
        watts=15_000,
        link_bandwidth=150e9,
        source="csl-examples (757 x 996 less I/O); Hot Chips 34",
    ),
    Wafer(
        name="wse3",
        rows=755,
        columns=1170,
        sram=48 * 1024,
        clock=1.1e9,
        lanes=8,
        watts=15_000,
        link_bandwidth=150e9,
        source="ALCF CS-3 (762 x 1172 less I/O); CSL documentation",
    ),
)
_GPUS = (
    Gpu("a100", 2.039e12, 80e9, 312e12, 400, "NVIDIA A100 80GB SXM data sheet"),
    Gpu("h100", 3.35e12, 80e9, 989e12, 700, "NVIDIA H100 SXM data sheet"),
    Gpu("h200", 4.8e12, 141e9, 989e12, 700, "NVIDIA H200 data sheet"),
)
# No published figure tells the two stacks apart on prompts, on large products or between nodes.
_BETWEEN_NODES = Interconnect(
    allreduce=constants.NODES_ALLREDUCE_SECONDS,
    row=constants.NODES_PROMPT_ROW_SECONDS,
    product=constants.NODES_PRODUCT_REDUCE_SECONDS,
)
_STACKS = (
    Stack(
        name="sglang",
        efficiency=constants.SGLANG_EFFICIENCY,
        layer_seconds=constants.SGLANG_LAYER_SECONDS,
        within=Interconnect(
            allreduce=constants.SGLANG_ALLREDUCE_SECONDS,
            row=constants.PROMPT_ROW_SECONDS,
            product=constants.PRODUCT_REDUCE_SECONDS,
        ),
        between=_BETWEEN_NODES,
    ),
    Stack(
        name="gpt-fast",
        efficiency=constants.GPT_FAST_EFFICIENCY,
        layer_seconds=constants.GPT_FAST_LAYER_SECONDS,
        within=Interconnect(
            allreduce=constants.GPT_FAST_ALLREDUCE_SECONDS,
            row=constants.PROMPT_ROW_SECONDS,
            product=constants.PRODUCT_REDUCE_SECONDS,
        ),
        between=_BETWEEN_NODES,
    ),
)
WAFERS = {wafer.name: wafer for wafer in _WAFERS}
GPUS = {gpu.name: gpu for gpu in _GPUS}
STACKS = {stack.name: stack for stack in _STACKS}


def device_named(name: str) -> Wafer | Gpu:
    """Look up a device by name.

    Raises:
        UsageError: No device has this name.
    """
    device = WAFERS.get(name.lower()) or GPUS.get(name.lower())
    if device is None:
        names = ", ".join([*WAFERS, *GPUS])
        raise UsageError(f"unknown device {name!r}; choose one of {names}")
    return device


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The shape of a dense decoder, as far as a mesh depends on it.

    Attributes:
        name: The model's name.
        dim: Hidden size.
        ffn: Intermediate size of the feed-forward network.
        layers: Decoder layers.
        heads: Query heads.
        kv_heads: Key (and value) heads.
        head_dim: Elements of a head.
        vocab: Tokens of the vocabulary.
        tied: Whether input and output embedding are one matrix.
        qk_norm: Whether each query and key head is normalized.
        bias: Whether queries, keys and values have a bias.
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
    def of(cls, config: "ModelConfig", name: str) -> "ModelShape":
        """Take the shape from the configuration of a model that the engine runs.

        Raises:
            UsageError: The model is a mixture of experts.
        """
        if config.experts is not None:
            raise UsageError(
                f"{name} is a mixture of experts, which no mesh here runs; name another model"
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
        """Elements of all queries of a token."""
        return self.heads * self.head_dim

    @property
    def kv_dim(self) -> int:
        """Elements of all keys (or all values) of a token."""
        return self.kv_heads * self.head_dim

    @property
    def layer_parameters(self) -> int:
        """Weights of one layer, without its norms."""
        # Queries and output, keys and values, then gate, up and down.
        return self.dim * (2 * self.q_dim + 2 * self.kv_dim + 3 * self.ffn)

    @property
    def embedding_parameters(self) -> int:
        """Weights of one embedding matrix."""
        return self.vocab * self.dim

    @property
    def parameters(self) -> int:
        """Weights of the whole model, without its norms."""
        embeddings = self.embedding_parameters
        if not self.tied:
            embeddings *= 2
        return self.layers * self.layer_parameters + embeddings

    @property
    def streamed(self) -> int:
        """Weights that are read for each token: the input embedding counts for one row only."""
        return self.layers * self.layer_parameters + self.embedding_parameters

    def as_measured(self) -> "ModelShape":
        """Return the shape that WaferLLM timed instead: one head, with keys as wide as `dim`."""
        return replace(self, heads=1, kv_heads=1, head_dim=self.dim, qk_norm=False, bias=False)


# As the config.json of each release states them: name, dim, ffn, layers, heads, kv_heads, head_dim,
# vocab.
_KNOWN_SHAPES = (
    ModelShape("llama3-8b", 4096, 14336, 32, 32, 8, 128, 128256),
    ModelShape("llama3-70b", 8192, 28672, 80, 64, 8, 128, 128256),
    ModelShape("llama2-7b", 4096, 11008, 32, 32, 32, 128, 32000),
    ModelShape("llama2-13b", 5120, 13824, 40, 40, 40, 128, 32000),
    ModelShape("llama2-70b", 8192, 28672, 80, 64, 8, 128, 32000),
    ModelShape("codellama-34b", 8192, 22016, 48, 64, 8, 128, 32000),
    ModelShape("qwen2-0.5b", 896, 4864, 24, 14, 2, 64, 151936, tied=True, bias=True),
    ModelShape("qwen2-7b", 3584, 18944, 28, 28, 4, 128, 152064, bias=True),
    ModelShape("qwen2-72b", 8192, 29568, 80, 64, 8, 128, 152064, bias=True),
    ModelShape("qwen3-8b", 4096, 12288, 36, 32, 8, 128, 151936, qk_norm=True),
    ModelShape("qwen3-32b", 5120, 25600, 64, 64, 8, 128, 151936, qk_norm=True),
)
SHAPES = {shape.name: shape for shape in _KNOWN_SHAPES}
# These releases differ in their weights, not in their shape.
_ALIASES = {
    "llama3.1-8b": "llama3-8b",
    "llama3.1-70b": "llama3-70b",
    "llama3.3-70b": "llama3-70b",
}


def shape_named(name: str, *, besides: str = "") -> ModelShape:
    """Look up the shape of a well-known model.

    Args:
        name: The model's name, in any case.
        besides: What the message offers before the well-known names, e.g. "a file or ".

    Raises:
        UsageError: No well-known model has this name.
    """
    lowered = name.lower()
    shape = SHAPES.get(_ALIASES.get(lowered, lowered))
    if shape is None:
        raise UsageError(f"unknown model {name!r}; give {besides}one of {', '.join(SHAPES)}")
    return shape
