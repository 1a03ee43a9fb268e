"""The Qwen3 decoder in plain numpy, float32: the reference that every faster one is held against.

Shape letters: T new tokens, S cached and new ones, E hidden size, F inner size, H heads, K key/value heads,
G = H / K heads that share one, D head dim, V vocabulary.

Weights are rearranged once, at loading, so that a layer is few numpy calls:
- q, k, v and gate, up are one matrix each, stored (in, out);
- the norms' weights are multiplied into the matrices that follow them, 1/sqrt(D) into the norm of the queries;
- the gate is halved, because silu(x) = x/2 * (1 + tanh(x/2)) never overflows;
- within a head of q and k, the two numbers that RoPE rotates together become neighbours: one complex number.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import ComplexArray, FloatArray, IntArray
from spark_tui.engine.cache import KVCache
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.weights import EMBEDDING, FINAL_NORM, HEAD
from spark_tui.errors import ShapeError


@dataclass(frozen=True, slots=True)
class _Layer:
    """One layer's weights, rearranged."""

    qkv: FloatArray  # (E, (H + 2K) D)
    qk_norm: FloatArray  # (H + K, D)
    out: FloatArray  # (H D, E)
    gate_up: FloatArray  # (E, 2F)
    down: FloatArray  # (F, E)


class Decoder:
    """A decoder; it keeps no state between calls, so that caches can share it.

    Args: config: its shape. weights: by Hugging Face name, as `read_weights` returns them; not kept.
    Source: Qwen3 technical report, arXiv:2505.09388; RoPE, arXiv:2104.09864; GQA, arXiv:2305.13245.
    """

    def __init__(self, config: ModelConfig, weights: dict[str, FloatArray]) -> None:
        self.config = config
        self._embedding = weights[EMBEDDING]  # (V, E)
        head = weights[EMBEDDING if config.tie_word_embeddings else HEAD]
        self._head = _stored(head.T * weights[FINAL_NORM][:, None])  # (E, V)
        self._layers = [_arrange(config, weights, f"model.layers.{number}") for number in range(config.n_layers)]
        exponents = np.arange(0, config.head_dim, 2) / config.head_dim
        self._frequencies = config.rope_theta**-exponents  # (D / 2,) radians a position

    @property
    def kernels(self) -> str:
        """What it computes with, for people."""
        return "numpy float32"

    def new_cache(self, capacity: int | None = None) -> KVCache:
        """See `Model.new_cache`."""
        return KVCache(self.config, capacity)

    @property
    def bytes(self) -> int:
        """Memory the weights take."""
        layers: int = sum(getattr(layer, name).nbytes for layer in self._layers for name in _Layer.__slots__)
        return self._embedding.nbytes + self._head.nbytes + layers

    def forward(self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True) -> FloatArray:
        """Run T tokens behind those in the cache, and append them to it.

        Args: token_ids: (T,) ids, 1 <= T <= cache.room. cache: extended by T tokens.
        Returns: logits that follow the last token, (V,), or those after each one, (T, V).
        Raises: ShapeError: no tokens, ids outside the vocabulary, or a cache too small or of another model.
        """
        ids = self._checked(token_ids, cache)
        x = self._embedding[ids]  # (T, E)
        rotations = self._rotations(cache.length, len(ids))
        for number, layer in enumerate(self._layers):
            x += self._attention(number, layer, _normalised(x, self.config.rms_norm_eps), rotations, cache)
            x += _mlp(layer, _normalised(x, self.config.rms_norm_eps))
        cache.extend(ids)
        x = _normalised(x[-1:] if last_only else x, self.config.rms_norm_eps)
        logits: FloatArray = x @ self._head
        return logits[0] if last_only else logits

    def _checked(self, token_ids: npt.ArrayLike, cache: KVCache) -> IntArray:
        ids = np.asarray(token_ids, np.int32)
        if ids.ndim != 1 or not 1 <= len(ids) <= cache.room:
            raise ShapeError(f"tokens of shape {ids.shape} for a cache with room for {cache.room}")
        if ids.min() < 0 or ids.max() >= self.config.vocab_size:
            raise ShapeError(
                f"token ids from {ids.min()} to {ids.max()} for {self.config.vocab_size} in the vocabulary"
            )
        return ids

    def _rotations(self, start: int, count: int) -> ComplexArray:
        """The turns RoPE gives each pair, (T, 1, D / 2)."""
        angles = np.arange(start, start + count)[:, None, None] * self._frequencies
        rotations: ComplexArray = np.exp(1j * angles).astype(np.complex64)
        return rotations

    def _attention(
        self, number: int, layer: _Layer, x: FloatArray, rotations: ComplexArray, cache: KVCache
    ) -> FloatArray:
        """Grouped-query attention over all cached tokens. x: (T, E). Returns: (T, E)."""
        config, count = self.config, len(x)
        heads, groups = config.n_heads, config.n_heads // config.n_kv_heads
        qkv = (x @ layer.qkv).reshape(count, -1, config.head_dim)  # (T, H + 2K, D)
        split = heads + config.n_kv_heads
        qk = _normalised(qkv[:, :split], config.rms_norm_eps)
        qk *= layer.qk_norm
        qk = (qk.view(np.complex64) * rotations).view(np.float32)  # (T, H + K, D)
        keys, values = cache.put(number, qk[:, heads:], qkv[:, split:])  # (K, S, D)
        queries = qk[:, :heads].reshape(count, -1, groups, config.head_dim).transpose(1, 2, 0, 3)  # (K, G, T, D)
        mixed = _attend(queries, keys, values)  # (K, G, T, D)
        return mixed.transpose(2, 0, 1, 3).reshape(count, -1) @ layer.out


def _attend(queries: FloatArray, keys: FloatArray, values: FloatArray) -> FloatArray:
    """Causal attention of the last T of S tokens. queries: (K, G, T, D), scaled. keys, values: (K, S, D)."""
    n_kv, groups, count, dim = queries.shape
    scores: FloatArray = queries.reshape(n_kv, groups * count, dim) @ keys.swapaxes(1, 2)  # (K, G T, S)
    if count > 1:
        recent = scores.reshape(n_kv, groups, count, -1)[..., -count:]
        recent += np.triu(np.full((count, count), -np.inf, np.float32), 1)
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    mixed: FloatArray = scores @ values
    mixed /= scores.sum(axis=-1, keepdims=True)
    return mixed.reshape(n_kv, groups, count, dim)


def _mlp(layer: _Layer, x: FloatArray) -> FloatArray:
    """SwiGLU. x: (T, E). Returns: (T, E)."""
    both = x @ layer.gate_up  # (T, 2F)
    size = both.shape[-1] // 2
    half_gate = both[:, :size]
    inner: FloatArray = np.tanh(half_gate)
    inner += 1
    inner *= half_gate
    inner *= both[:, size:]
    projected: FloatArray = inner @ layer.down
    return projected


def _normalised(x: FloatArray, eps: float) -> FloatArray:
    """RMSNorm over the last axis, without a weight."""
    size: FloatArray = np.sqrt(np.vecdot(x, x) / x.shape[-1] + eps)
    return x / size[..., None]


def _arrange(config: ModelConfig, weights: dict[str, FloatArray], prefix: str) -> _Layer:
    """One layer's weights in the order and layout the forward pass wants."""

    def get(name: str) -> FloatArray:
        return weights[f"{prefix}.{name}.weight"]

    dim = config.head_dim
    query, key = _paired(get("self_attn.q_proj"), dim), _paired(get("self_attn.k_proj"), dim)
    query_norm = _paired(get("self_attn.q_norm"), dim) / np.sqrt(np.float32(dim))
    key_norm = _paired(get("self_attn.k_norm"), dim)
    qkv = np.concatenate([query, key, get("self_attn.v_proj")]) * get("input_layernorm")
    gate_up = np.concatenate([get("mlp.gate_proj") / 2, get("mlp.up_proj")]) * get("post_attention_layernorm")
    return _Layer(
        qkv=_stored(qkv.T),
        qk_norm=np.stack([query_norm] * config.n_heads + [key_norm] * config.n_kv_heads),
        out=_stored(get("self_attn.o_proj").T),
        gate_up=_stored(gate_up.T),
        down=_stored(get("mlp.down_proj").T),
    )


def _paired(weight: FloatArray, dim: int) -> FloatArray:
    """Reorder the rows of each head from halves (i and i + D/2 are a pair) to neighbours (2i and 2i + 1)."""
    halves = weight.reshape(-1, 2, dim // 2, *weight.shape[1:])
    return halves.swapaxes(1, 2).reshape(weight.shape)


def _stored(matrix: FloatArray) -> FloatArray:
    return np.ascontiguousarray(matrix, np.float32)
