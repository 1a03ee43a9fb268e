"""128k tokens: the memory of a pass stays bounded, and how the tokens are divided into passes
changes nothing.
"""

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from spark_tui.engine import decoder
from spark_tui.engine.arrays import FloatArray, IntArray
from spark_tui.engine.config import RopeScaling, attention_factor, frequencies
from spark_tui.engine.decoder import Decoder
from tests.engine.tiny import CONFIG, SCALINGS, VOCAB, random_weights, tiny_model

LONG = replace(
    CONFIG,
    n_layers=1,
    hidden_size=16,
    n_heads=2,
    n_kv_heads=1,
    max_position_embeddings=131_072,
    rope_theta=1e6,
    rope_scaling=replace(SCALINGS["yarn"], original_positions=32_768),
)
MODEL = tiny_model(LONG)
TOKENS: IntArray = (
    np.random.default_rng(3).integers(0, VOCAB, LONG.max_position_embeddings).astype(np.int32)
)


def prefill(model: Decoder, tokens: IntArray, chunk: int) -> FloatArray:
    """The logits after the last token, the tokens given so many a pass."""
    cache = model.new_cache(len(tokens))
    for start in range(0, len(tokens), chunk):
        logits = model.forward(tokens[start : start + chunk], cache)
    assert cache.length == len(tokens)
    return logits


def close(left: Any, right: Any) -> bool:
    return bool(np.allclose(left, right, rtol=1e-4, atol=1e-4))


def last_token_in_float64(tokens: IntArray) -> Any:
    """The logits after the last token of the one-layer model, in float64: only that token needs
    attention.
    """
    w = {
        name.removeprefix("model.layers.0."): a.astype(np.float64)
        for name, a in random_weights(LONG).items()
    }
    dim, half = LONG.head_dim, LONG.head_dim // 2

    def norm(x: Any, weight: str) -> Any:
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + LONG.rms_norm_eps) * w[weight]

    angles = np.arange(len(tokens))[:, None] * frequencies(LONG)
    turns = np.exp(1j * angles) * attention_factor(LONG)

    def turned(x: Any, by: Any) -> Any:
        pairs = (x[..., :half] + 1j * x[..., half:]) * by
        return np.concatenate([pairs.real, pairs.imag], -1)

    embedded = w["model.embed_tokens.weight"][tokens]
    x = norm(embedded, "input_layernorm.weight")
    keys = turned(norm(x @ w["self_attn.k_proj.weight"].T, "self_attn.k_norm.weight"), turns)
    values = x @ w["self_attn.v_proj.weight"].T
    heads = (x[-1] @ w["self_attn.q_proj.weight"].T).reshape(-1, dim)
    scores = turned(norm(heads, "self_attn.q_norm.weight"), turns[-1]) @ keys.T / np.sqrt(dim)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = (shares / shares.sum(-1, keepdims=True)) @ values
    last = embedded[-1] + w["self_attn.o_proj.weight"] @ mixed.reshape(-1)
    n = norm(last, "post_attention_layernorm.weight")
    gate, up = w["mlp.gate_proj.weight"] @ n, w["mlp.up_proj.weight"] @ n
    last = last + w["mlp.down_proj.weight"] @ (gate / (1 + np.exp(-gate)) * up)
    return w["model.embed_tokens.weight"] @ norm(last, "model.norm.weight")


def test_thousands_of_tokens_give_what_float64_gives_however_they_are_divided() -> None:
    expected = last_token_in_float64(TOKENS[:3000])
    for chunk in (64, 1000, 3000):
        assert close(prefill(MODEL, TOKENS[:3000], chunk), expected)


@pytest.mark.exhaustive
def test_the_last_of_128k_tokens_is_what_float64_gives() -> None:
    assert close(prefill(MODEL, TOKENS, 512), last_token_in_float64(TOKENS))


def test_attention_in_parts_is_attention_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model()
    whole = model.forward(TOKENS[:90], model.new_cache(), last_only=False)
    for most in (1, 500, 5000):
        monkeypatch.setattr(decoder, "MOST_SCORES", most)
        assert close(model.forward(TOKENS[:90], model.new_cache(), last_only=False), whole)


def test_a_pass_over_a_long_context_takes_no_memory_for_all_its_scores_at_once() -> None:
    count = 6000
    cache = MODEL.new_cache(count)
    tracemalloc.start()
    try:
        MODEL.forward(TOKENS[:count], cache)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * decoder.MOST_SCORES * 3
    assert peak < count * count * LONG.n_heads * 4 / 5


def test_a_model_for_a_million_tokens_sets_its_cache_aside_only_as_it_fills() -> None:
    model = tiny_model(
        replace(LONG, max_position_embeddings=1 << 20, rope_scaling=RopeScaling("linear", 8.0))
    )
    assert np.isfinite(model.forward(TOKENS[:10], model.new_cache())).all()
