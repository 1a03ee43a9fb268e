"""Random models for the mesh, and a decoder's layer in plain numpy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.layer import LayerWeights, MeshLayer
from spark_tui.wafer.machine import ModelShape

Floats = NDArray[np.float32]
EPS = 1e-6


def normal(*shape: int) -> Floats:
    return np.random.default_rng(shape).standard_normal(shape).astype(np.float32)


def conserved(fabric: Fabric) -> None:
    """Hold that every word sent was received, and that none left the mesh."""
    assert fabric.sent.sum() == fabric.received.sum()
    edges = (
        fabric.links["east"][:, -1],
        fabric.links["west"][:, 0],
        fabric.links["south"][-1],
        fabric.links["north"][0],
    )
    assert not any(edge.any() for edge in edges)


def halved(values: Floats) -> Any:
    """Half precision, which kernels take though their types name the usual one."""
    return values.astype(np.float16)


def random_shape(seed: int, widest: int = 70) -> ModelShape:
    rng = np.random.default_rng(seed)
    groups, rep = (int(number) for number in rng.integers(1, 4, 2))
    dim, ffn = (int(number) for number in rng.integers(2, widest, 2))
    return ModelShape(
        "random",
        dim,
        ffn,
        1,
        groups * rep,
        groups,
        2 * int(rng.integers(1, 9)),
        10,
        qk_norm=bool(rng.integers(2)),
        bias=bool(rng.integers(2)),
    )


def weights_of(shape: ModelShape, dtype: type = np.float32) -> LayerWeights:
    def matrix(given: int, made: int) -> Floats:
        scaled: Floats = (normal(given, made) / np.sqrt(given)).astype(dtype)
        return scaled

    def gains(size: int) -> Floats:
        return (1 + normal(size) / 10).astype(dtype)

    dim, q, kv, ffn = shape.dim, shape.q_dim, shape.kv_dim, shape.ffn
    return LayerWeights(
        matrix(dim, q),
        matrix(dim, kv),
        matrix(dim, kv) * dtype(-1),
        matrix(q, dim),
        matrix(dim, ffn),
        matrix(dim, ffn) * dtype(2),
        matrix(ffn, dim),
        gains(dim),
        gains(dim) * dtype(2),
        gains(shape.head_dim) if shape.qk_norm else None,
        gains(shape.head_dim) * dtype(2) if shape.qk_norm else None,
        gains(q + 2 * kv) if shape.bias else None,
    )


def frequencies(shape: ModelShape) -> NDArray[np.float64]:
    pairs: NDArray[np.float64] = 1e4 ** (-np.arange(shape.head_dim // 2) / (shape.head_dim // 2))
    return pairs


def layer_on(
    shape: ModelShape, p: int, *, sram: int = 1 << 24, dtype: type = np.float32
) -> MeshLayer:
    fabric = Fabric(p, p, sram=sram)
    return MeshLayer(
        weights_of(shape, dtype), shape, fabric, frequencies=frequencies(shape), eps=EPS
    )


def norm(x: NDArray[np.float64], weight: Floats) -> NDArray[np.float64]:
    scaled: NDArray[np.float64] = x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * weight
    return scaled


def turned(x: NDArray[np.float64], angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Args:
    x: (T, H, D).
    angles: (T, D / 2).
    """
    first, second = np.split(x, 2, axis=-1)
    cosines, sines = np.cos(angles)[:, None], np.sin(angles)[:, None]
    return np.concatenate(
        [first * cosines - second * sines, second * cosines + first * sines], axis=-1
    )


def plain_attention(
    q: NDArray[np.float64], k: NDArray[np.float64], v: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Let the last T of S positions attend to all up to their own.

    Args:
        q: (T, H, D).
        k: (S, K, D).
        v: (S, K, D).

    Returns:
        (T, H * D).
    """
    rep, behind = q.shape[1] // k.shape[1], len(k) - len(q)
    scores = np.einsum("thd,shd->hts", q, np.repeat(k, rep, 1)) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(len(q), len(k), behind, dtype=bool), scores, -np.inf)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    weighted: NDArray[np.float64] = np.einsum("hts,shd->thd", shares, np.repeat(v, rep, 1)).reshape(
        len(q), -1
    )
    return weighted


def plain_layer(shape: ModelShape, hidden: Floats) -> NDArray[np.float64]:
    """A layer over a prompt in float64, (T, dim)."""
    w, x, count = weights_of(shape), hidden.astype(np.float64), len(hidden)
    normed = norm(x, w.first_norm)
    qkv = np.concatenate([normed @ w.q, normed @ w.k, normed @ w.v], axis=1) + (
        0 if w.bias is None else w.bias
    )
    q, k, v = (
        part.reshape(count, -1, shape.head_dim)
        for part in np.split(qkv, [shape.q_dim, shape.q_dim + shape.kv_dim], axis=1)
    )
    if w.q_norm is not None and w.k_norm is not None:
        q, k = norm(q, w.q_norm), norm(k, w.k_norm)
    angles = np.arange(count)[:, None] * frequencies(shape)
    x = x + plain_attention(turned(q, angles), turned(k, angles), v) @ w.o
    normed = norm(x, w.second_norm)
    gate = normed @ w.gate
    result: NDArray[np.float64] = x + (gate / (1 + np.exp(-gate)) * (normed @ w.up)) @ w.down
    return result
