"""The forward pass, against the architecture written out in loops, and against itself however
it is split.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import Experts, ModelConfig, attention_factor, frequencies
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.kv_cache import KVCache
from spark_tui.errors import ShapeError
from tests.engine.tiny import CONFIG, KINDS, VOCAB, random_weights, tiny_model

TOKENS = np.random.default_rng(7).integers(0, VOCAB, 40).tolist()
MODEL = tiny_model()


def mlp(x: Any, prefix: str, get: dict[str, Any]) -> Any:
    gate, up = (
        np.einsum("oi,i->o", get[f"{prefix}.{part}_proj.weight"], x) for part in ("gate", "up")
    )
    inner = gate / (1 + np.exp(-gate)) * up
    return np.einsum("oi,i->o", get[f"{prefix}.down_proj.weight"], inner)


def mixture(experts: Experts | None, x: Any, get: dict[str, Any]) -> Any:
    """A token through its experts, or through the one MLP there is."""
    if experts is None:
        return mlp(x, "mlp", get)
    powers = np.exp(np.einsum("oi,i->o", get["mlp.gate.weight"], x))
    shares = powers / powers.sum()
    chosen = sorted(range(experts.count), key=lambda one: -shares[one])[: experts.active]
    whole = sum(shares[one] for one in chosen) if experts.normalized else 1.0
    made = [shares[one] / whole * mlp(x, f"mlp.experts.{one}", get) for one in chosen]
    return np.sum(made, axis=0)


def reference(config: ModelConfig, weights: dict[str, FloatArray], tokens: list[int]) -> Any:
    """The architecture in float64 as Hugging Face writes it: one position, one head at a time."""
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    dim, half, group = config.head_dim, config.head_dim // 2, config.n_heads // config.n_kv_heads

    turns = (
        frequencies(config)
        if config.rope_scaling
        else config.rope_theta ** (-np.arange(half) * 2 / dim)
    )

    def norm(x: Any, weight: Any) -> Any:
        return weight * x / np.sqrt(np.einsum("d,d->", x, x) / len(x) + config.rms_norm_eps)

    def rope(x: Any, position: int) -> Any:
        angles = position * turns
        cos, sin = np.tile(np.cos(angles), 2), np.tile(np.sin(angles), 2)
        return attention_factor(config) * (x * cos + np.concatenate([-x[half:], x[:half]]) * sin)

    def head_norm(x: Any, name: str, get: dict[str, Any]) -> Any:
        return norm(x, get[f"self_attn.{name}_norm.weight"]) if config.qk_norm else x

    hidden = [w["model.embed_tokens.weight"][token] for token in tokens]
    for number in range(config.n_layers):
        prefix = f"model.layers.{number}."
        get = {name.removeprefix(prefix): a for name, a in w.items() if name.startswith(prefix)}
        keys: list[list[Any]] = [[] for _ in range(config.n_kv_heads)]
        values: list[list[Any]] = [[] for _ in range(config.n_kv_heads)]
        for position, x in enumerate(hidden):
            n = norm(x, get["input_layernorm.weight"])
            q, k, v = (
                np.einsum("oi,i->o", get[f"self_attn.{part}_proj.weight"], n)
                + get.get(f"self_attn.{part}_proj.bias", 0.0)
                for part in "qkv"
            )
            for kv in range(config.n_kv_heads):
                here = slice(kv * dim, (kv + 1) * dim)
                keys[kv].append(rope(head_norm(k[here], "k", get), position))
                values[kv].append(v[here])
            mixed = []
            for head in range(config.n_heads):
                query = rope(head_norm(q[head * dim : (head + 1) * dim], "q", get), position)
                scores = np.einsum("sd,d->s", np.array(keys[head // group]), query) / np.sqrt(dim)
                shares = np.exp(scores - scores.max())
                mixed.append(
                    np.einsum("s,sd->d", shares / shares.sum(), np.array(values[head // group]))
                )
            between = x + np.einsum(
                "oi,i->o", get["self_attn.o_proj.weight"], np.concatenate(mixed)
            )
            n = norm(between, get["post_attention_layernorm.weight"])
            hidden[position] = between + mixture(config.experts, n, get)
    last = w["model.embed_tokens.weight" if config.tie_word_embeddings else "lm_head.weight"]
    return np.array([np.einsum("vi,i->v", last, norm(x, w["model.norm.weight"])) for x in hidden])


def run(tokens: list[int], splits: list[int], model: Decoder = MODEL) -> FloatArray:
    """Logits after every token, (T, V), the tokens given in parts that end at `splits`."""
    cache = KVCache(model.config)
    parts = [part for part in np.split(np.array(tokens), splits) if len(part)]
    return np.concatenate([model.forward(part, cache, last_only=False) for part in parts])


def close(left: Any, right: Any) -> bool:
    return bool(np.allclose(left, right, rtol=1e-4, atol=1e-4))


SHAPES = {
    **KINDS,
    "one key": replace(CONFIG, n_kv_heads=1),
    "a key a head": replace(CONFIG, n_kv_heads=4),
    "odd heads": replace(CONFIG, n_heads=6, n_kv_heads=3, head_dim=4),
    "other numbers": replace(CONFIG, rope_theta=100.0, rms_norm_eps=0.1),
    "small": replace(CONFIG, n_layers=1, intermediate_size=16),
}


@pytest.mark.parametrize("name", SHAPES)
def test_logits_are_those_of_the_architecture_written_out_in_loops(name: str) -> None:
    config = SHAPES[name]
    weights = random_weights(config, seed=3)
    assert close(
        run(TOKENS[:12], [], Decoder(config, weights)), reference(config, weights, TOKENS[:12])
    )


@given(splits=st.lists(st.integers(1, len(TOKENS) - 1), max_size=8).map(sorted))
def test_any_split_of_the_tokens_gives_the_same_logits(splits: list[int]) -> None:
    assert close(run(TOKENS, splits), run(TOKENS, []))


@given(kept=st.integers(0, 20))
def test_trim_and_append_again_is_as_good_as_fresh(kept: int) -> None:
    cache = KVCache(CONFIG)
    MODEL.forward(TOKENS[:20], cache)
    MODEL.forward(TOKENS[:3], cache)
    cache.trim(kept)
    assert close(MODEL.forward(TOKENS[kept:30], cache), run(TOKENS[:30], [])[-1])
    assert cache.token_ids == TOKENS[:30]


def test_caches_share_a_model_without_touching_each_other() -> None:
    first, second = KVCache(CONFIG), KVCache(CONFIG)
    for left, right in zip(TOKENS[:10], TOKENS[10:20], strict=True):
        one, two = MODEL.forward([left], first), MODEL.forward([right], second)
    assert close(one, run(TOKENS[:10], [])[-1])
    assert close(two, run(TOKENS[10:20], [])[-1])


def test_huge_activations_neither_overflow_nor_warn() -> None:
    weights = random_weights()
    for name in weights:
        if "gate_proj" in name or "q_norm" in name:
            weights[name] *= 1000
    assert np.isfinite(run(TOKENS, [], Decoder(CONFIG, weights))).all()


def test_a_forward_pass_that_breaks_off_leaves_whole_tokens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache = KVCache(CONFIG)
    MODEL.forward(TOKENS[:10], cache)

    def break_off(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("spark_tui.engine.decoder._mlp", break_off)
        with pytest.raises(KeyboardInterrupt):
            MODEL.forward([1, 2, 3], cache)
    assert cache.token_ids == TOKENS[:10]
    assert close(MODEL.forward(TOKENS[10:12], cache), run(TOKENS[:12], [])[-1])


@pytest.mark.parametrize(
    "tokens", [[], [-1], [VOCAB], [0] * (CONFIG.max_position_embeddings + 1), [[1, 2]]]
)
def test_tokens_that_do_not_fit_are_refused_before_the_cache_is_touched(tokens: list[Any]) -> None:
    cache = KVCache(CONFIG)
    with pytest.raises(ShapeError):
        MODEL.forward(tokens, cache)
    assert cache.length == 0


def test_a_layer_may_be_computed_elsewhere() -> None:
    seen: list[FloatArray] = []

    def skip(x: FloatArray) -> FloatArray:
        seen.append(x.copy())
        return x

    weights = random_weights()
    fewer = {
        name.replace("layers.2", "layers.1"): value
        for name, value in weights.items()
        if "layers.1" not in name
    }
    expected = Decoder(replace(CONFIG, n_layers=2), fewer).forward(
        TOKENS, KVCache(replace(CONFIG, n_layers=2))
    )
    np.testing.assert_array_equal(
        MODEL.forward_through({1: skip}, TOKENS, MODEL.new_cache()), expected
    )
    assert [x.shape for x in seen] == [(len(TOKENS), CONFIG.hidden_size)]
