"""Llama, Qwen2 and Qwen3 decoders in torch, for teaching a pretrained one: all weights, or low-rank adapters.

The forward pass takes a mask instead of assuming plain causality, because a row holds several requests on one region.
Frozen matrices are kept in bfloat16 where the machine multiplies it, else in float32; what is trained is kept in
float32 and used like them. The residual stream is float32.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from spark_tui.engine.config import ModelConfig
from spark_tui.engine.library import read_model
from spark_tui.engine.weights import EMBEDDING, FINAL_NORM


def _fast() -> torch.dtype:
    """What matrices multiply in: where bfloat16 is only emulated it is some 75 times slower than float32."""
    cpu = torch.cpu.get_capabilities()
    native = torch.cuda.is_available() or any(cpu.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
    return torch.bfloat16 if native else torch.float32


FAST = _fast()


@dataclass(frozen=True, slots=True)
class Lora:
    """Low-rank adapters (Hu et al. 2021, arXiv:2106.09685) on every matrix from layer `first` on.

    `rank` 0: none, all weights of those layers are trained instead. `alpha`: over the rank, how much they count.
    """

    rank: int
    first: int
    alpha: float = 32.0


class Matrix(nn.Module):
    """A projection, (…, in) to (…, out), in bfloat16; frozen, trained, or frozen with a trained adapter."""

    def __init__(self, weight: Tensor, bias: Tensor | None, lora: Lora | None) -> None:
        super().__init__()
        trained = lora is not None and not lora.rank
        self.weight = nn.Parameter(weight.float() if trained else weight.to(FAST), requires_grad=trained)
        self.bias = None if bias is None else nn.Parameter(bias.to(FAST), requires_grad=False)
        self.down: nn.Parameter | None = None
        self.up: nn.Parameter | None = None
        if lora is not None and lora.rank:
            out, into = weight.shape
            self.down = nn.Parameter(torch.randn(lora.rank, into) * into**-0.5)
            self.up = nn.Parameter(torch.zeros(out, lora.rank))
            self.scale = lora.alpha / lora.rank

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        y = functional.linear(x, self.weight.to(FAST), self.bias)
        if self.down is None or self.up is None:
            return y
        return y + functional.linear(functional.linear(x, self.down.to(FAST)), self.up.to(FAST) * self.scale)


class Layer(nn.Module):
    """One decoder layer."""

    def __init__(self, config: ModelConfig, weights: Mapping[str, Tensor], lora: Lora | None) -> None:
        super().__init__()
        self.config = config
        matrices = [name.removesuffix(".weight") for name, value in weights.items() if value.ndim == 2]
        self.matrices = nn.ModuleDict({
            name.split(".")[-1]: Matrix(weights[f"{name}.weight"], weights.get(f"{name}.bias"), lora)
            for name in matrices
        })  # fmt: skip
        self.norms = nn.ParameterDict({
            name.split(".")[-2]: nn.Parameter(weights[name].float(), requires_grad=False)
            for name in weights if name.endswith("norm.weight")
        })  # fmt: skip

    def forward(self, x: Tensor, rotation: tuple[Tensor, Tensor], bias: Tensor) -> Tensor:
        """x: (B, T, D) float32. rotation: cos and sin, (B, 1, T, head_dim). bias: (B, T, T), -inf where not seen."""
        x = x + self._attend(self._norm(x, "input_layernorm"), rotation, bias).float()
        y, at = self._norm(x, "post_attention_layernorm"), self.matrices
        return x + at["down_proj"](functional.silu(at["gate_proj"](y)) * at["up_proj"](y)).float()

    def _norm(self, x: Tensor, name: str) -> Tensor:
        weight = self.norms[name]
        return functional.rms_norm(x.float(), weight.shape, weight, self.config.rms_norm_eps).to(FAST)

    def _attend(self, x: Tensor, rotation: tuple[Tensor, Tensor], bias: Tensor) -> Tensor:
        config, (batch, length, _) = self.config, x.shape

        def heads(name: str, count: int) -> Tensor:
            y: Tensor = self.matrices[f"{name}_proj"](x).view(batch, length, count, config.head_dim)
            y = self._norm(y, f"{name}_norm") if f"{name}_norm" in self.norms else y
            return y.transpose(1, 2)

        q = _rotate(heads("q", config.n_heads) * config.head_dim**-0.5, rotation)
        k = _rotate(heads("k", config.n_kv_heads), rotation)
        q = q.reshape(batch, config.n_kv_heads, -1, config.head_dim)  # those that share a key, below one another
        scores = (q @ k.transpose(2, 3)).view(batch, config.n_kv_heads, -1, length, length)
        weights = (scores + bias[:, None, None]).softmax(-1).view(batch, config.n_kv_heads, -1, length)
        mixed = (weights @ heads("v", config.n_kv_heads)).view(batch, config.n_heads, length, config.head_dim)
        out: Tensor = self.matrices["o_proj"](mixed.transpose(1, 2).reshape(batch, length, -1))
        return out


def _rotate(x: Tensor, rotation: tuple[Tensor, Tensor]) -> Tensor:
    cos, sin = rotation
    first, second = x.chunk(2, -1)
    return (x * cos + torch.cat((-second, first), -1) * sin).to(FAST)


class Decoder(nn.Module):
    """The whole decoder.

    Args: folder: as `bases.write_base` or `rounding.write_rounded` writes it. lora: what is trained, from which layer.
    """

    def __init__(self, config: ModelConfig, folder: Path, lora: Lora) -> None:
        super().__init__()
        self.config, self.lora = config, lora
        weights = read_model(folder, adapter=False).weights
        self.table = nn.Parameter(torch.from_numpy(weights[EMBEDDING]).to(FAST), requires_grad=False)
        self.norm = nn.Parameter(torch.from_numpy(weights[FINAL_NORM]), requires_grad=False)
        self.layers = nn.ModuleList()
        for number in range(config.n_layers):
            prefix = f"model.layers.{number}."
            names = [name for name in weights if name.startswith(prefix)]
            own = {name.removeprefix(prefix): torch.from_numpy(weights[name]) for name in names}
            self.layers.append(Layer(config, own, lora if number >= lora.first else None))
        turns = config.rope_theta ** -(torch.arange(0, config.head_dim, 2).float() / config.head_dim)
        self.register_buffer("turns", turns.repeat(2), persistent=False)

    def forward(self, tokens: Tensor, positions: Tensor, mask: Tensor) -> Tensor:
        """Hidden states (B, T, D) bfloat16. Args: tokens, positions: (B, T). mask: (B, T, T), True where seen."""
        angles = positions[:, None, :, None] * self.turns
        rotation = (angles.cos().to(FAST), angles.sin().to(FAST))
        bias = torch.zeros(mask.shape, dtype=FAST).masked_fill_(~mask, float("-inf"))
        with torch.no_grad():
            x = functional.embedding(tokens, self.table).float()
            for layer in self.layers[: self.lora.first]:
                x = layer(x, rotation, bias)
        for layer in self.layers[self.lora.first :]:
            x = layer(x, rotation, bias)
        return functional.rms_norm(x, self.norm.shape, self.norm, self.config.rms_norm_eps).to(FAST)

    def logits(self, hidden: Tensor) -> Tensor:
        """(N, D) to (N, V) float32, through the tied embedding."""
        return functional.linear(hidden, self.table).float()

    def trained(self) -> dict[str, nn.Parameter]:
        """What is trained, by name."""
        return {name: value for name, value in self.named_parameters() if value.requires_grad}

    def matrices(self) -> Iterator[tuple[str, Matrix]]:
        """Every matrix of a layer, by the Hugging Face name of its weight."""
        for number, layer in enumerate(self.layers):
            for name, matrix in layer.matrices.items():
                home = "mlp" if name in ("gate_proj", "up_proj", "down_proj") else "self_attn"
                yield f"model.layers.{number}.{home}.{name}.weight", matrix
