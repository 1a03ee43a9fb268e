"""What GGUF calls the tensors that Hugging Face names otherwise, and the differences in how they are laid out.

The matrices of one kind of a layer's experts are one tensor there, one expert behind the other.

Source: the tensor names of docs/gguf.md, ggml-org/ggml; the permutation of convert_hf_to_gguf.py, ggml-org/llama.cpp.
"""

import re
from dataclasses import replace

import numpy as np

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.rope import frequencies

ROPE_FACTORS = "rope_freqs.weight"
_WHOLE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
_OF_LAYER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "mlp.gate": "ffn_gate_inp",
}
_EXPERT = re.compile(r"mlp\.experts\.(\d+)\.(gate|up|down)_proj")


def architecture(family: str) -> str:
    """What GGUF calls a family."""
    return family.replace("_", "")


def expert_of(name: str) -> int | None:
    """The number of the expert that a weight belongs to; None where it belongs to none."""
    match = _EXPERT.search(name)
    return None if match is None else int(match[1])


def gguf_name(name: str) -> str:
    """The GGUF name of a tensor that Hugging Face calls this, or of the one that it is a part of."""
    stem, _, kind = name.rpartition(".")
    if stem in _WHOLE:
        return f"{_WHOLE[stem]}.{kind}"
    _, _, number, layer_stem = stem.split(".", 3)
    if match := _EXPERT.fullmatch(layer_stem):
        return f"blk.{number}.ffn_{match[2]}_exps.{kind}"
    return f"blk.{number}.{_OF_LAYER[layer_stem]}.{kind}"


def interleaved(name: str, array: FloatArray, config: ModelConfig) -> FloatArray:
    """A tensor as GGUF lays it out: a llama's query and key rows that rotate together become neighbours."""
    heads = _rotated_heads(name, config)
    if not heads:
        return array
    halves = array.reshape(heads, 2, -1, *array.shape[1:])
    return halves.swapaxes(1, 2).reshape(array.shape)


def halved(name: str, array: FloatArray, config: ModelConfig) -> FloatArray:
    """The way back from `interleaved`. Args: name: as Hugging Face has it."""
    heads = _rotated_heads(name, config)
    if not heads:
        return array
    pairs = array.reshape(heads, -1, 2, *array.shape[1:])
    return pairs.swapaxes(1, 2).reshape(array.shape)


def rope_factors(config: ModelConfig) -> FloatArray:
    """How many times slower each pair of a head turns than its place among the pairs says, (D / 2,)."""
    factors: FloatArray = (frequencies(replace(config, rope_scaling=None)) / frequencies(config)).astype(np.float32)
    return factors


def _rotated_heads(name: str, config: ModelConfig) -> int:
    """How many heads a tensor has whose layout differs; 0: the layout is the same."""
    match = re.search(r"\.([qk])_proj\.", name)
    if match is None or config.family != "llama":
        return 0
    return config.n_heads if match[1] == "q" else config.n_kv_heads
