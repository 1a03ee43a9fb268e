"""The embedded model as a torch module: a standard Qwen3 decoder, written for training on few cores.

The forward pass takes a mask instead of assuming plain causality, because a training row holds several
requests over one region. Under autocast matrices and attention run in bfloat16, the residual stream in float32.
"""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

from spark_tui.editing.format import TAGS
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.folder_write import config_entries


class Norm(nn.Module):
    """Root-mean-square norm over the last axis (Zhang and Sennrich 2019, arXiv:1910.07467)."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Normalise; the result has the dtype of the weight (float32)."""
        return functional.rms_norm(x.float(), self.weight.shape, self.weight, self.eps)


class Attention(nn.Module):
    """Grouped-query attention with QK-norm and rotary positions."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.size = config.n_heads, config.n_kv_heads, config.head_dim
        width = config.hidden_size
        self.q_proj = nn.Linear(width, self.heads * self.size, bias=False)
        self.k_proj = nn.Linear(width, self.kv_heads * self.size, bias=False)
        self.v_proj = nn.Linear(width, self.kv_heads * self.size, bias=False)
        self.o_proj = nn.Linear(self.heads * self.size, width, bias=False)
        self.q_norm = Norm(self.size, config.rms_norm_eps)
        self.k_norm = Norm(self.size, config.rms_norm_eps)

    def forward(self, x: Tensor, rotation: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        """x: (B, T, D). rotation: cos and sin, (B, 1, T, head_dim). mask: (B, 1, T, T), 0 or -inf."""
        batch, length, _ = x.shape
        q = self.q_norm(self.q_proj(x).view(batch, length, self.heads, self.size).transpose(1, 2))
        k = self.k_norm(self.k_proj(x).view(batch, length, self.kv_heads, self.size).transpose(1, 2))
        v = self.v_proj(x).view(batch, length, self.kv_heads, self.size).transpose(1, 2)
        q, k = _rotate(q, rotation).to(v.dtype), _rotate(k, rotation).to(v.dtype)
        group = self.heads // self.kv_heads
        q = q.reshape(batch, self.kv_heads, group * length, self.size)
        scores = (q @ k.transpose(2, 3)) * self.size**-0.5
        scores = scores.view(batch, self.kv_heads, group, length, length) + mask[:, :, None]
        weights = scores.softmax(-1).view(batch, self.kv_heads, group * length, length)
        mixed = (weights @ v).view(batch, self.heads, length, self.size)
        out: Tensor = self.o_proj(mixed.transpose(1, 2).reshape(batch, length, -1))
        return out


def _rotate(x: Tensor, rotation: tuple[Tensor, Tensor]) -> Tensor:
    cos, sin = rotation
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


class FeedForward(nn.Module):
    """SwiGLU (Shazeer 2020, arXiv:2002.05202)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) to (B, T, D)."""
        out: Tensor = self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))
        return out


class Layer(nn.Module):
    """One decoder layer; the residual stream is float32."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.input_layernorm = Norm(config.hidden_size, config.rms_norm_eps)
        self.self_attn = Attention(config)
        self.post_attention_layernorm = Norm(config.hidden_size, config.rms_norm_eps)
        self.mlp = FeedForward(config)

    def forward(self, x: Tensor, rotation: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        """(B, T, D) to (B, T, D)."""
        x = x + self.self_attn(self.input_layernorm(x), rotation, mask).float()
        return x + self.mlp(self.post_attention_layernorm(x)).float()


class Network(nn.Module):
    """The whole decoder; parameter names are those of a Hugging Face Qwen3 checkpoint without `model.`."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.n_layers))
        self.norm = Norm(config.hidden_size, config.rms_norm_eps)
        frequencies = config.rope_theta ** -(torch.arange(0, config.head_dim, 2).float() / config.head_dim)
        self.register_buffer("frequencies", frequencies, persistent=False)

    def forward(self, tokens: Tensor, positions: Tensor, mask: Tensor) -> Tensor:
        """Hidden states before the head.

        Args: tokens, positions: (B, T) integers. mask: (B, T, T) bool, True where a row's token may look.
        Returns: (B, T, D) float32.
        """
        angles = positions[:, None, :, None] * self.frequencies.repeat(2)
        rotation = (angles.cos(), angles.sin())
        dtype = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else torch.float32
        bias = torch.zeros(mask.shape, dtype=dtype).masked_fill_(~mask, float("-inf"))[:, None]
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x, rotation, bias)
        out: Tensor = self.norm(x)
        return out

    def logits(self, hidden: Tensor) -> Tensor:
        """(N, D) to (N, V), through the tied embedding."""
        return functional.linear(hidden, self.embed_tokens.weight)


def initialise(network: Network, first_tags: tuple[int, int], *, seed: int) -> None:
    """Set fresh weights. Output projections start at zero; a line's two tags start as near copies.

    `first_tags`: the ids of <L0> and <E0>.
    The after-line tag is the before-line tag plus one shared offset, so that "the line that ended here"
    and "that line's own tag" differ by a constant from the first step on.
    """
    torch.manual_seed(seed)
    for name, parameter in network.named_parameters():
        if parameter.ndim == 2:
            closing = name.endswith(("o_proj.weight", "down_proj.weight"))
            nn.init.normal_(parameter, std=0.0 if closing else 0.02 if "embed" in name else parameter.shape[1] ** -0.5)
    with torch.no_grad():
        table = network.embed_tokens.weight
        offset = torch.randn(table.shape[1]) * 0.02
        line, end = first_tags
        table[end : end + TAGS] = table[line : line + TAGS] + offset


def export(weights: dict[str, Tensor], config: ModelConfig, folder: Path) -> None:
    """Write config.json and model.safetensors (float16) as a Hugging Face Qwen3 folder."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {f"model.{name}": value.half().contiguous() for name, value in weights.items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    free = json.dumps(config.free_words)
    ours = {"min_confidence": config.min_confidence, "free_words": "@"}
    text = json.dumps(huggingface_config(config) | ours, indent=2)
    (folder / "config.json").write_text(text.replace('"@"', free) + "\n")


def load_weights(folder: Path) -> dict[str, Tensor]:
    """The inverse of `export`, in float32."""
    loaded = load_file(folder / "model.safetensors")
    return {name.removeprefix("model."): value.float() for name, value in loaded.items()}


def huggingface_config(config: ModelConfig) -> dict[str, object]:
    """The config.json other Qwen3 programs read, with what only a training knows."""
    return config_entries(config) | {"torch_dtype": "float16", "bos_token_id": None, "eos_token_id": None}
