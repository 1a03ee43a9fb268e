"""Records what transformers computes for RoPE scaling, for the tests to compare with.

Run by hand, with transformers and torch installed: python -m tests.engine.record_rope
"""

import json
from pathlib import Path
from typing import Any

FIXTURE = Path(__file__).parent / "fixtures" / "rope.json"
_LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
_YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}

CASES: dict[str, dict[str, Any]] = {
    "plain": {"rope_theta": 1e4, "head_dim": 64, "rope_scaling": {"rope_type": "default"}},
    "linear": {
        "rope_theta": 1e4,
        "head_dim": 64,
        "rope_scaling": {"rope_type": "linear", "factor": 4.0},
    },
    "dynamic": {
        "rope_theta": 1e4,
        "head_dim": 64,
        "rope_scaling": {"rope_type": "dynamic", "factor": 4.0},
    },
    "Llama 3.1 8B": {
        "rope_theta": 5e5,
        "head_dim": 128,
        "rope_scaling": _LLAMA3 | {"original_max_position_embeddings": 8192},
    },
    "Llama 3.2 1B": {
        "rope_theta": 5e5,
        "head_dim": 64,
        "rope_scaling": _LLAMA3 | {"factor": 32.0, "original_max_position_embeddings": 8192},
    },
    "Qwen2.5 with yarn": {"rope_theta": 1e6, "head_dim": 128, "rope_scaling": _YARN},
    "yarn, its own bounds": {
        "rope_theta": 1e4,
        "head_dim": 96,
        "rope_scaling": _YARN
        | {"beta_fast": 24.0, "beta_slow": 2.0, "truncate": False, "factor": 16.0},
    },
    "yarn, its own attention": {
        "rope_theta": 1e6,
        "head_dim": 64,
        "rope_scaling": _YARN | {"attention_factor": 1.3},
    },
    "yarn, scaled attention": {
        "rope_theta": 1e6,
        "head_dim": 64,
        "rope_scaling": _YARN | {"mscale": 0.707, "mscale_all_dim": 1.2},
    },
    "yarn, all pairs within the bounds": {
        "rope_theta": 1e4,
        "head_dim": 8,
        "rope_scaling": _YARN | {"original_max_position_embeddings": 2},
    },
}
"""Name -> the part of a config.json that matters; 131,072 positions each."""
POSITIONS = 131_072


def main() -> None:
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    recorded = {}
    for name, case in CASES.items():
        # A copy, because the library writes into what it is given.
        scaling = json.loads(json.dumps(case["rope_scaling"]))
        config = LlamaConfig(
            rope_theta=case["rope_theta"],
            head_dim=case["head_dim"],
            rope_scaling=scaling,
            max_position_embeddings=POSITIONS,
        )
        rope = LlamaRotaryEmbedding(config)
        recorded[name] = {
            "frequencies": rope.inv_freq.tolist(),
            "attention_factor": rope.attention_scaling,
        }
    FIXTURE.write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
