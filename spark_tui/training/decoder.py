"""Llama, Qwen2 and Qwen3 decoders in torch, frozen, with low-rank adapters on their matrices.

A row holds several requests on one region, so what a token may look at follows from its branch.
Matrices are multiplied in bfloat16 where the machine does that well, else in float32. The residual
stream is float32.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig, damaged
from spark_tui.engine.gguf import SUFFIX, gguf_weights, read_parts
from spark_tui.engine.weights import EMBEDDING, FINAL_NORM, expected_shapes, read_weights
from spark_tui.training.batches import PaddedBatch
from spark_tui.training.low_rank import Adapter

_CUDA_ATTENTION = [SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
"""The memory-efficient kernel takes a mask; the other one runs where that cannot."""
# flags of x86 with its own instructions for bfloat16, and of Arm
_NATIVE_BFLOAT16 = ("avx512_bf16", "amx_bf16", "bf16")

Observer = Callable[[str, Tensor], None]


def matrix_type(device: torch.device) -> torch.dtype:
    """Return what matrices multiply in.

    Where bfloat16 is only emulated it is some 75 times slower than float32.
    """
    if device.type == "cuda":
        return torch.bfloat16
    capabilities = torch.cpu.get_capabilities()
    is_native = any(capabilities.get(name) for name in _NATIVE_BFLOAT16)
    return torch.bfloat16 if is_native else torch.float32


def read_frozen(folder: Path, config: ModelConfig) -> Mapping[str, FloatArray]:
    """Return the weights of a base folder without an adapter; no tokenizer is needed.

    Raises:
        ModelError: A file is missing or damaged, or the base is a mixture of experts.
    """
    if config.experts is not None:
        raise damaged(folder, "a mixture of experts, which cannot be trained", "name a dense base")
    parts = sorted(path for path in folder.glob(f"*{SUFFIX}") if path.stem != "adapter")
    return gguf_weights(read_parts(parts), config) if parts else read_weights(folder, config)


class RandomWeights(Mapping[str, Tensor]):
    """Weights of the right size that mean nothing, to see whether and how fast a machine trains."""

    def __init__(self, config: ModelConfig, device: torch.device) -> None:
        self._shapes = expected_shapes(config)
        self._device = device

    def __getitem__(self, name: str) -> Tensor:
        shape = self._shapes[name]
        if len(shape) == 1:
            # norms are 1 and biases 0, so that hidden states stay of the usual size
            return torch.full(shape, float(name.endswith("norm.weight")), device=self._device)
        # A unit variance of what comes in stays one behind the matrix.
        return torch.randn(shape, device=self._device) * shape[-1] ** -0.5

    def __iter__(self) -> Iterator[str]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)


def gated(gate: Tensor, up: Tensor) -> Tensor:
    """Return silu(gate) * up."""
    return functional.silu(gate) * up


def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the halves of each head by its position.

    Args:
        x: (N, heads, head_dim).
        cos: (N, 1, head_dim / 2), float32.
        sin: Like `cos`.
    """
    # The pairs that turn are (i, i + head_dim / 2), as in files of Hugging Face. llama.cpp lays the
    # pairs of a llama side by side, which is taken back when a GGUF file is read.
    first, second = x.float().chunk(2, -1)
    turned = torch.cat((first * cos - second * sin, second * cos + first * sin), -1)
    return turned.to(x.dtype)


def normalised(x: Tensor, weight: Tensor, epsilon: float, dtype: torch.dtype) -> Tensor:
    """Return x over its root mean square, in the given type."""
    return functional.rms_norm(x.float(), (x.shape[-1],), weight, epsilon).to(dtype)


@dataclass(frozen=True, slots=True)
class Kernels:
    """The small functions between the matrices."""

    gated: Callable[..., Tensor] = gated
    rotated: Callable[..., Tensor] = rotated
    normalised: Callable[..., Tensor] = normalised

    @classmethod
    def compiled(cls) -> "Kernels":
        """Return them compiled; each compiles when it is first called."""
        compiled = partial(torch.compile, dynamic=True)
        return cls(compiled(gated), compiled(rotated), compiled(normalised))


@dataclass(frozen=True, slots=True)
class Inputs:
    """A batch on the device.

    Attributes:
        tokens: (B, T).
        positions: (B, T).
        branches: (B, T).
    """

    tokens: Tensor
    positions: Tensor
    branches: Tensor

    @classmethod
    def of(cls, batch: PaddedBatch, device: torch.device) -> "Inputs":
        """Copy a batch to the device, which the host does not wait for."""
        parts = (batch.tokens, batch.positions, batch.branches)
        return cls(*(to_device(part, device) for part in parts))


def to_device(array: np.ndarray[Any, Any], device: torch.device) -> Tensor:
    """Copy an array to a device; the host does not wait for a GPU."""
    tensor = torch.from_numpy(array)
    if device.type == "cuda":
        # Only from pinned memory does a copy run beside the host.
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


@dataclass(frozen=True, slots=True)
class _Layer:
    """The frozen weights of a layer, by their names within it."""

    prefix: str
    weights: Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The values that all layers of a forward pass share.

    Attributes:
        cos: (B * T, 1, head_dim / 2), float32.
        sin: Like `cos`.
        bias: (B, heads, T, T), -inf where a token may not look; the heads share their memory.
        adapter: The adapter of the matrices; None for none.
    """

    cos: Tensor
    sin: Tensor
    bias: Tensor
    adapter: Adapter | None


class TorchDecoder:
    """A frozen decoder.

    Attributes:
        kernels: May be changed at any time.
        observer: Called with the name of every matrix and what is multiplied with it.
    """

    def __init__(
        self,
        config: ModelConfig,
        weights: Mapping[str, Tensor] | Mapping[str, FloatArray],
        device: torch.device,
        dtype: torch.dtype | None = None,
    ) -> None:
        """Put the weights on a device.

        Args:
            config: The shape of the model.
            weights: The weights by Hugging Face name.
            device: The device that computes.
            dtype: The type that matrices multiply in; None for what the device does well.
        """
        self.config = config
        self.device = device
        self.dtype = dtype or matrix_type(device)
        self.kernels = Kernels()
        self.observer: Observer | None = None
        # bases have a tied head, so this table also makes the logits
        self.table = self._placed(weights[EMBEDDING])
        self._norm = self._placed(weights[FINAL_NORM], is_norm=True)
        self._layers = list[_Layer]()
        for number in range(config.n_layers):
            prefix = f"model.layers.{number}."
            names = [name for name in weights if name.startswith(prefix)]
            own = {}
            for name in names:
                is_norm = name.endswith("norm.weight")
                own[name.removeprefix(prefix)] = self._placed(weights[name], is_norm=is_norm)
            self._layers.append(_Layer(prefix, own))
        # One frequency for each pair of a head, theta ** (-2i / head_dim): RoPE, arXiv:2104.09864.
        exponents = torch.arange(0, config.head_dim, 2).double() / config.head_dim
        self._turns = (config.rope_theta**-exponents).float().to(device)

    def _placed(self, weight: Tensor | FloatArray, *, is_norm: bool = False) -> Tensor:
        """Copy a weight to the device: those of norms in float32, others in the matrices' type."""
        tensor = torch.as_tensor(weight)
        dtype = torch.float32 if is_norm else self.dtype
        return tensor.to(self.device, dtype)

    def hidden(self, inputs: Inputs, adapter: Adapter | None = None) -> Tensor:
        """Return the hidden states behind the last norm, (B * T, D)."""
        # (B * T, 1, 1) * (head_dim / 2): an angle for each token and pair, the same for all heads
        angles = inputs.positions.reshape(-1, 1, 1).float() * self._turns
        bias = self._bias(inputs.branches)
        surroundings = _Surroundings(angles.cos(), angles.sin(), bias, adapter)
        x = functional.embedding(inputs.tokens.view(-1), self.table).float()
        for layer in self._layers:
            x = self._through(layer, x, surroundings)
        return self._normalised(x, self._norm)

    def logits(self, hidden: Tensor) -> Tensor:
        """Return (N, V) float32 of (N, D), through the tied embedding."""
        return functional.linear(hidden, self.table).float()

    def _attention(self) -> AbstractContextManager[None]:
        """Choose the kernel of attention."""
        is_cuda = self.device.type == "cuda"
        return sdpa_kernel(_CUDA_ATTENTION) if is_cuda else nullcontext()

    def _bias(self, branches: Tensor) -> Tensor:
        # A token looks at the region (branch 0) and at its own request, and never at what follows.
        rows, length = branches.shape
        seen = branches[:, None, :]
        own = branches[:, :, None]
        causal = torch.ones(length, length, dtype=torch.bool, device=self.device).tril()
        allowed = ((seen == 0) | (seen == own)) & causal
        bias = torch.zeros(rows, 1, length, length, dtype=self.dtype, device=self.device)
        bias.masked_fill_(~allowed[:, None], float("-inf"))
        # One mask for all heads: a view for each, which takes no memory.
        return bias.expand(-1, self.config.n_heads, -1, -1)

    def _through(self, layer: _Layer, x: Tensor, surroundings: _Surroundings) -> Tensor:
        """Return the residual stream behind a layer, (B * T, D) float32."""
        adapter = surroundings.adapter
        kernels = self.kernels
        # Attention, then the gated feed-forward network; each adds to the float32 residual stream.
        y = self._normalised(x, layer.weights["input_layernorm.weight"])
        x = x + self._attended(layer, y, surroundings).float()
        y = self._normalised(x, layer.weights["post_attention_layernorm.weight"])
        gate = self._project(layer, "mlp.gate_proj", y, adapter)
        up = self._project(layer, "mlp.up_proj", y, adapter)
        return x + self._project(layer, "mlp.down_proj", kernels.gated(gate, up), adapter).float()

    def _attended(self, layer: _Layer, y: Tensor, surroundings: _Surroundings) -> Tensor:
        """Return what attention adds to the residual stream, (B * T, D).

        Args:
            y: The normalised residual stream, (B * T, D).
        """
        config = self.config
        rows, heads, length, _ = surroundings.bias.shape
        queries = self._heads(layer, "q", y, surroundings.adapter)
        keys = self._heads(layer, "k", y, surroundings.adapter)
        values = self._heads(layer, "v", y, surroundings.adapter)
        with self._attention():
            mixed = functional.scaled_dot_product_attention(
                _by_row(self._turned(layer, "q", queries, surroundings), rows, heads),
                _by_row(self._turned(layer, "k", keys, surroundings), rows, heads),
                _by_row(values, rows, heads),
                attn_mask=surroundings.bias,
            )
        merged = mixed.transpose(1, 2).reshape(rows * length, heads * config.head_dim)
        return self._project(layer, "self_attn.o_proj", merged, surroundings.adapter)

    def _heads(self, layer: _Layer, part: str, y: Tensor, adapter: Adapter | None) -> Tensor:
        """A projection for attention, (B * T, heads, head_dim).

        Args:
            part: "q", "k" or "v".
        """
        projected = self._project(layer, f"self_attn.{part}_proj", y, adapter)
        return projected.view(len(y), -1, self.config.head_dim)

    def _turned(
        self, layer: _Layer, part: str, heads: Tensor, surroundings: _Surroundings
    ) -> Tensor:
        """Queries or keys, normalised where the model has a norm for them, turned by position."""
        norm = layer.weights.get(f"self_attn.{part}_norm.weight")
        if norm is not None:
            heads = self._normalised(heads, norm)
        return self.kernels.rotated(heads, surroundings.cos, surroundings.sin)

    def _project(self, layer: _Layer, part: str, x: Tensor, adapter: Adapter | None) -> Tensor:
        name = f"{layer.prefix}{part}.weight"
        if self.observer is not None:
            self.observer(name, x)
        weight = layer.weights[f"{part}.weight"]
        bias = layer.weights.get(f"{part}.bias")
        y = functional.linear(x, weight, bias)
        if adapter is None or name not in adapter.pairs:
            return y
        down, up = adapter.pairs[name]
        # y + scale * dropout(x @ down.T) @ up.T: (N, in) to (N, rank) to (N, out)
        z = functional.linear(x, down)
        if adapter.dropout:
            z = functional.dropout(z, adapter.dropout)
        return y.addmm_(z, up.t(), alpha=adapter.scale)

    def _normalised(self, x: Tensor, weight: Tensor) -> Tensor:
        return self.kernels.normalised(x, weight, self.config.rms_norm_eps, self.dtype)


def _by_row(split: Tensor, rows: int, heads: int) -> Tensor:
    """(B * T, n, head_dim) as (B, heads, T, head_dim), keys repeated as queries ask.

    Args:
        split: n may be fewer than the heads of the queries.
        rows: B.
        heads: The heads of the queries.
    """
    _, count, head_dim = split.shape
    batched = split.view(rows, -1, count, head_dim).transpose(1, 2)
    if count == heads:
        return batched
    # each head of the keys serves as many queries that follow each other
    repeated = batched[:, :, None].expand(-1, -1, heads // count, -1, -1)
    return repeated.reshape(rows, heads, -1, head_dim)
