"""The shapes of models, as far as a mesh must know them, and those of well-known families by name."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spark_tui.errors import UsageError

if TYPE_CHECKING:
    from spark_tui.engine.config import ModelConfig


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
