"""The decoder of all families in plain numpy, float32: the reference for every faster decoder.

Letters in shapes: T new tokens, S cached and new tokens together, E hidden size, F inner size, H
heads, K key/value heads, G = H / K heads that share a key/value head, D head dim, V vocabulary, X
experts of a layer, A active experts of a token.

Loading rearranges the weights once, so that a layer takes few numpy calls:
- q, k and v are one matrix, gate and up another, both stored (in, out);
- the weights of a norm are multiplied into the matrix after it, and 1/sqrt(D) into the weights of
  the norm of the queries;
- a family without biases, or without norms of queries and keys, has zeros and ones as their
  weights;
- the gate is halved, because silu(x) = x/2 * (1 + tanh(x/2)), which never overflows;
- within a head of q and k, the two numbers that RoPE rotates together become neighbors: one
  complex number.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import ComplexArray, FloatArray, IntArray
from spark_tui.engine.config import Experts, ModelConfig, attention_factor, frequencies
from spark_tui.engine.kv_cache import Branches, KVCache, checked_ids
from spark_tui.engine.machine import require, require_cache
from spark_tui.engine.weights import EMBEDDING, EXPERTS, FINAL_NORM, HEAD, ROUTER, weight_bytes
from spark_tui.errors import ShapeError
from spark_tui.stop_signal import PassStopped, StopSignal

MOST_SCORES = 1 << 22
"""Attention scores computed at a time: 16 MiB, however long the context.

The scores of one token are never split.
"""


@dataclass(frozen=True, slots=True)
class _Layer:
    """One layer's weights, rearranged."""

    qkv: FloatArray  # (E, (H + 2K) D)
    bias: FloatArray  # ((H + 2K) D,)
    qk_norm: FloatArray  # (H + K, D)
    out: FloatArray  # (H D, E)
    router: FloatArray  # (E, X), X = 0 where the layer has one MLP
    gate_up: FloatArray  # (E, 2F), in a mixture (X, E, 2F)
    down: FloatArray  # (F, E), in a mixture (X, F, E)


class Decoder:
    """A decoder without state between calls, so that several caches can share it.

    Args:
        config: The model's shape.
        weights: The weights by Hugging Face name, as `read_weights` returns them; not kept.

    Raises:
        ModelError: The machine lacks the memory.

    Source:
        Llama, arXiv:2302.13971; Qwen2, arXiv:2407.10671; Qwen3, arXiv:2505.09388; RoPE,
        arXiv:2104.09864; GQA, arXiv:2305.13245.
    """

    def __init__(self, config: ModelConfig, weights: Mapping[str, FloatArray]) -> None:
        require(weight_bytes(config), "arranging the weights")
        self.config = config
        self._embedding = weights[EMBEDDING]  # (V, E)
        head = weights[HEAD] if not config.tie_word_embeddings else self._embedding
        # Multiplying the norm's weights into the matrix after it saves a product for each token.
        self._head = _stored(head.T * weights[FINAL_NORM][:, None])  # (E, V)
        self._layers = [
            _arrange(config, weights, f"model.layers.{number}") for number in range(config.n_layers)
        ]
        self._frequencies = frequencies(config)
        self._attention_factor = attention_factor(config)

    chunk = 64
    """See `Model.chunk`."""

    @property
    def kernels(self) -> str:
        """See `Model.kernels`."""
        return "numpy float32"

    def new_cache(self, capacity: int | None = None) -> KVCache:
        """See `Model.new_cache`.

        Raises:
            ModelError: The machine lacks the memory.
        """
        tokens = capacity
        if tokens is None:
            tokens = self.config.max_position_embeddings
        require_cache(self.config, tokens)
        return KVCache(self.config, capacity)

    @property
    def bytes(self) -> int:
        """The bytes of memory the weights take."""
        count = self._embedding.nbytes + self._head.nbytes
        for layer in self._layers:
            for name in _Layer.__slots__:
                count += getattr(layer, name).nbytes
        return count

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """Run T tokens that follow those in the cache, and append them to it.

        Args:
            token_ids: (T,) ids, 1 <= T <= cache.room.
            cache: Extended by T tokens.
            last_only: Whether only the logits after the last token are computed.

        Returns:
            Logits after the last token, (V,), or after each token, (T, V).

        Raises:
            PassStopped: `cache.stop` was set; the cache holds what it held before.
            ShapeError: No tokens, ids outside the vocabulary, or a cache too small or of another
                model.
        """
        return self.forward_through({}, token_ids, cache, last_only=last_only)

    def forward_through(
        self,
        elsewhere: "Elsewhere",
        token_ids: npt.ArrayLike,
        cache: KVCache,
        *,
        last_only: bool = True,
    ) -> FloatArray:
        """Do as `forward` does, with some layers computed elsewhere, such as on a simulated wafer.

        The cache holds no keys and values of these layers.
        """
        ids = checked_ids(token_ids, cache.room, self.config.vocab_size).astype(np.int32)

        def attend(
            layer: int, queries: FloatArray, keys: FloatArray, values: FloatArray
        ) -> FloatArray:
            return _attend(queries, *cache.put(layer, keys, values))

        positions = np.arange(cache.length, cache.length + len(ids))
        x = self._run(ids, positions, attend, elsewhere, cache.stop)
        # Last, so that a pass that breaks off leaves the cache as it was.
        cache.extend(ids)
        if last_only:
            logits: FloatArray = self._logits(x[-1:])[0]
            return logits
        return self._logits(x)

    def forward_branches(
        self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike
    ) -> FloatArray:
        """See `Model.forward_branches`."""
        room = branches.count * branches.room
        numbers = np.asarray(which, np.int32)
        ids = checked_ids(token_ids, room, self.config.vocab_size).astype(np.int32)
        if numbers.shape != ids.shape:
            raise ShapeError(f"{len(ids)} tokens for branches of shape {numbers.shape}")
        places = branches.place(numbers)
        cache = branches.cache
        # The tokens come in the order of their branches; a span holds the tokens of one branch.
        spans = list(pairwise([0, *(places.last + 1)]))

        def attend(
            layer: int, queries: FloatArray, keys: FloatArray, values: FloatArray
        ) -> FloatArray:
            cache.put_at(layer, places.slots, keys, values)
            mixed = np.empty_like(queries)
            # The slots of a branch need not lie next to the prefix. Gathered into one array, prefix
            # and branch are a sequence whose last tokens are new, as `_attend` expects.
            for start, stop in spans:
                own = np.arange(places.starts[start], places.slots[stop - 1] + 1)
                held = cache.at(layer, np.concatenate([np.arange(branches.prefix), own]))
                mixed[:, :, start:stop] = _attend(queries[:, :, start:stop], *held)
            return mixed

        x = self._run(ids, places.positions, attend, {})
        branches.extend(ids, numbers)
        return self._logits(x[places.last])

    def _run(
        self,
        ids: IntArray,
        positions: npt.NDArray[np.integer],
        attend: "_Attend",
        elsewhere: "Elsewhere",
        stop: StopSignal | None = None,
    ) -> FloatArray:
        """Run all layers.

        Args:
            ids: (T,) ids.
            positions: (T,) the positions in the sequence, from 0.
            attend: Stores keys and values, and attends.
            elsewhere: The layers that are computed elsewhere.
            stop: Ends the pass between two layers once it is set.

        Returns:
            The hidden states after the last layer, (T, E).

        Raises:
            PassStopped: `stop` was set.
        """
        x = self._embedding[ids]  # a copy, so that sums in place leave the weights alone
        # e^(i angle) turns a complex number by the angle. The angles are float64: at position
        # 100,000 float32 has steps of 1/128 radian for the fastest pair.
        angles = positions[:, None, None] * self._frequencies
        turns = self._attention_factor * np.exp(1j * angles)
        rotations = turns.astype(np.complex64)  # (T, 1, D / 2)
        for number, layer in enumerate(self._layers):
            if stop is not None and stop.is_set():
                raise PassStopped("the pass was stopped")
            if number in elsewhere:
                x = elsewhere[number](x)
                continue
            normed = _normalised(x, self.config.rms_norm_eps)
            x += self._attention(number, layer, normed, rotations, attend)
            normed = _normalised(x, self.config.rms_norm_eps)
            if self.config.experts is None:
                x += _mlp(layer.gate_up, layer.down, normed)
            else:
                x += _mixture(self.config.experts, layer, normed)
        return x

    def _logits(self, x: FloatArray) -> FloatArray:
        logits: FloatArray = _normalised(x, self.config.rms_norm_eps) @ self._head
        return logits

    def _attention(
        self, number: int, layer: _Layer, x: FloatArray, rotations: ComplexArray, attend: "_Attend"
    ) -> FloatArray:
        """Compute grouped-query attention of T tokens over themselves and the cached ones.

        Args:
            number: The number of the layer, from 0.
            layer: The layer's weights.
            x: (T, E), normalised.
            rotations: (T, 1, D / 2), complex.
            attend: Stores keys and values, and attends.

        Returns:
            (T, E).
        """
        # Project, and divide into heads: first those of queries, then keys, then values.
        config = self.config
        count = len(x)
        heads = config.n_heads
        groups = config.n_heads // config.n_kv_heads
        qkv = (x @ layer.qkv + layer.bias).reshape(count, -1, config.head_dim)  # (T, H + 2K, D)
        split = heads + config.n_kv_heads
        qk = qkv[:, :split]
        if config.qk_norm:
            qk = _normalised(qk, config.rms_norm_eps)
        # Needed without norms, too: the weights of the queries include the scale 1/sqrt(D).
        qk = qk * layer.qk_norm
        # RoPE turns pairs of numbers; seen as a complex number, a pair turns by one product.
        qk = (qk.view(np.complex64) * rotations).view(np.float32)  # (T, H + K, D)
        # Neighboring query heads share a key/value head: G of them for each of the K.
        queries = qk[:, :heads].reshape(count, -1, groups, config.head_dim)  # (T, K, G, D)
        queries = queries.transpose(1, 2, 0, 3)  # (K, G, T, D)
        mixed = attend(number, queries, qk[:, heads:], qkv[:, split:])  # (K, G, T, D)
        return mixed.transpose(2, 0, 1, 3).reshape(count, -1) @ layer.out


Elsewhere = Mapping[int, Callable[[FloatArray], FloatArray]]
"""Layer number, from 0 -> a function that computes the layer: hidden states (T, E) to the next."""

_Attend = Callable[[int, FloatArray, FloatArray, FloatArray], FloatArray]
"""Stores a layer's new keys and values, (T, K, D), and attends with queries, (K, G, T, D)."""


def _attend(queries: FloatArray, keys: FloatArray, values: FloatArray) -> FloatArray:
    """Compute causal attention of the last T of S tokens.

    The tokens are taken in parts, so that the scores of a long context take at most `MOST_SCORES`
    numbers.

    Args:
        queries: (K, G, T, D), already scaled by 1/sqrt(D).
        keys: (K, S, D).
        values: (K, S, D).

    Returns:
        (K, G, T, D).
    """
    n_kv, groups, count, _ = queries.shape
    before = keys.shape[1] - count
    step = max(1, MOST_SCORES // (n_kv * groups * keys.shape[1]))
    mixed = np.empty_like(queries)
    for start in range(0, count, step):
        stop = min(start + step, count)
        # Keys after the last query of the part would be masked anyway. Without them the queries are
        # the last tokens again, which `_attend_at_once` assumes.
        seen = before + stop
        mixed[:, :, start:stop] = _attend_at_once(
            queries[:, :, start:stop], keys[:, :seen], values[:, :seen]
        )
    return mixed


def _attend_at_once(queries: FloatArray, keys: FloatArray, values: FloatArray) -> FloatArray:
    """Do as `_attend` does, with all scores in memory at once."""
    n_kv, groups, count, dim = queries.shape
    flat = queries.reshape(n_kv, groups * count, dim)
    scores: FloatArray = flat @ keys.swapaxes(1, 2)  # (K, G T, S)
    if count > 1:
        # The causal mask: -inf where a key comes after its query, which only a new token can.
        # `recent` is a view, so the sum goes into `scores`.
        recent = scores.reshape(n_kv, groups, count, -1)[..., -count:]
        recent += np.triu(np.full((count, count), -np.inf, np.float32), 1)
    scores -= scores.max(axis=-1, keepdims=True)  # so that exp does not overflow
    np.exp(scores, out=scores)
    mixed: FloatArray = scores @ values
    mixed /= scores.sum(axis=-1, keepdims=True)  # S > D, so dividing the mix is cheaper
    return mixed.reshape(n_kv, groups, count, dim)


def route(experts: Experts, logits: FloatArray) -> tuple[npt.NDArray[np.intp], FloatArray]:
    """Choose the experts for each token: those with the largest logits.

    Args:
        logits: (T, X).

    Returns:
        The experts and their shares, (T, A) both; among equal logits the lower number comes first.

    Source:
        Shazeer et al. 2017, arXiv:1701.06538; the normalization of Qwen3, arXiv:2505.09388.
    """
    # Stable, so that ties go to the lower number here as in compiled code.
    chosen = np.argsort(-logits, axis=1, kind="stable")[:, : experts.active]
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: FloatArray = np.take_along_axis(powers, chosen, axis=1)
    whole = shares if experts.normalized else powers
    return chosen, shares / whole.sum(axis=1, keepdims=True)


def _mixture(experts: Experts, layer: _Layer, x: FloatArray) -> FloatArray:
    """Run every token through its own experts, and mix their outputs by their shares.

    Args:
        experts: The counts of experts.
        layer: The layer's weights.
        x: (T, E), normalised.

    Returns:
        (T, E).
    """
    # One expert after the other, each with all tokens that chose it: one product for many tokens.
    chosen, shares = route(experts, x @ layer.router)
    mixed = np.zeros_like(x)
    for expert in np.unique(chosen):
        tokens, places = np.nonzero(chosen == expert)
        made = _mlp(layer.gate_up[expert], layer.down[expert], x[tokens])
        mixed[tokens] += shares[tokens, places, None] * made
    return mixed


def _mlp(gate_up: FloatArray, down: FloatArray, x: FloatArray) -> FloatArray:
    """Compute SwiGLU, arXiv:2002.05202: down (silu(gate x) * up x).

    Args:
        gate_up: (E, 2F).
        down: (F, E).
        x: (T, E).

    Returns:
        (T, E).
    """
    # SiLU by tanh, which never overflows: g sigmoid(g) = g/2 (1 + tanh(g/2)). Loading has halved
    # the weights of the gate, so x @ gate is g/2 already.
    both = x @ gate_up  # (T, 2F)
    size = both.shape[-1] // 2
    half_gate = both[:, :size]
    inner: FloatArray = np.tanh(half_gate)
    inner += 1
    inner *= half_gate
    inner *= both[:, size:]
    projected: FloatArray = inner @ down
    return projected


def _normalised(x: FloatArray, eps: float) -> FloatArray:
    """Return x after RMSNorm over the last axis, without weights. Source: arXiv:1910.07467."""
    size: FloatArray = np.sqrt(np.vecdot(x, x) / x.shape[-1] + eps)
    return x / size[..., None]


def _arrange(config: ModelConfig, weights: Mapping[str, FloatArray], prefix: str) -> _Layer:
    """Return one layer's weights in the order and layout of the forward pass."""

    def get(name: str) -> FloatArray:
        return weights[f"{prefix}.{name}.weight"]

    # A projection is stored (out, in) until the end: a product with the norm's weights, (in,), then
    # scales its columns, and the rows of a head are neighbors.
    dim = config.head_dim
    split = (config.n_heads + config.n_kv_heads) * config.head_dim
    projections = [f"self_attn.{letter}_proj" for letter in "qkv"]
    qkv = np.concatenate([get(name) for name in projections]) * get("input_layernorm")
    bias = np.zeros(len(qkv), np.float32)
    if config.attention_bias:
        bias = np.concatenate([weights[f"{prefix}.{name}.bias"] for name in projections])
    qkv[:split] = _paired(qkv[:split], dim)
    bias[:split] = _paired(bias[:split], dim)
    gate_up, down = _mlp_matrices(config, get)
    router = np.zeros((0, config.hidden_size), np.float32)
    if config.experts is not None:
        router = get(ROUTER) * get("post_attention_layernorm")
    query_norm = key_norm = np.ones(dim, np.float32)
    if config.qk_norm:
        query_norm = _paired(get("self_attn.q_norm"), dim)
        key_norm = _paired(get("self_attn.k_norm"), dim)
    # The scale of the scores goes into the weights once, instead of into every pass.
    query_norm = query_norm / np.sqrt(np.float32(dim))
    return _Layer(
        qkv=_stored(qkv.T),
        bias=_stored(bias),
        qk_norm=np.stack([query_norm] * config.n_heads + [key_norm] * config.n_kv_heads),
        out=_stored(get("self_attn.o_proj").T),
        router=_stored(router.T),
        gate_up=gate_up,
        down=down,
    )


def _mlp_matrices(
    config: ModelConfig, get: Callable[[str], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return `_Layer.gate_up` and `_Layer.down`.

    Args:
        config: The model's shape.
        get: Returns a weight of the layer, by its name.
    """
    norm = get("post_attention_layernorm")

    def gate_up(mlp: str) -> FloatArray:
        both = np.concatenate([get(f"{mlp}.gate_proj") / 2, get(f"{mlp}.up_proj")])
        return (both * norm).T

    if config.experts is None:
        return _stored(gate_up("mlp")), _stored(get("mlp.down_proj").T)
    gates_up = []
    downs = []
    for number in range(config.experts.count):
        name = f"{EXPERTS}.{number}"
        gates_up.append(gate_up(name))
        downs.append(get(f"{name}.down_proj").T)
    return _stored(np.stack(gates_up)), _stored(np.stack(downs))


def _paired(weight: FloatArray, dim: int) -> FloatArray:
    """Reorder the rows of each head so that rows which rotate together become neighbors.

    Hugging Face stores a pair as rows i and i + D/2 of a head; afterwards they are 2i and 2i + 1.
    """
    halves = weight.reshape(-1, 2, dim // 2, *weight.shape[1:])
    return halves.swapaxes(1, 2).reshape(weight.shape)


def _stored(matrix: FloatArray) -> FloatArray:
    return np.ascontiguousarray(matrix, np.float32)
