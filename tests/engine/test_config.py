"""What config.json says is understood in every spelling, or refused in one line that names it."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from spark_tui.engine.config import ModelConfig, RopeScaling
from tests.engine.folders import refusal, write_config
from tests.engine.tiny import CONFIG, KINDS, SCALINGS, config_entries, scaling_entries, write_model

LLAMA3 = scaling_entries(SCALINGS["llama3"])
YARN = scaling_entries(SCALINGS["yarn"])
MOE = config_entries(KINDS["qwen3_moe"])


def test_the_config_of_a_hugging_face_folder_is_read(model_folder: Path) -> None:
    assert ModelConfig.read(model_folder) == CONFIG


def test_rope_theta_is_found_where_newer_writers_put_it(model_folder: Path) -> None:
    write_config(
        model_folder, rope_theta=..., rope_parameters={"rope_type": "default", "rope_theta": 500.0}
    )
    assert ModelConfig.read(model_folder) == replace(CONFIG, rope_theta=500.0)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff", b"[" * 100_000, b'{"vocab_size": ' + b"9" * 5000 + b"}"]
)
def test_a_config_that_is_not_json_is_refused(model_folder: Path, content: bytes) -> None:
    (model_folder / "config.json").write_bytes(content)
    assert "config.json: not JSON;" in refusal(lambda: ModelConfig.read(model_folder))


def test_a_config_that_is_no_object_is_refused(model_folder: Path) -> None:
    (model_folder / "config.json").write_text("[1]")
    assert "not a JSON object" in refusal(lambda: ModelConfig.read(model_folder))


def test_a_huge_config_is_not_read(model_folder: Path) -> None:
    (model_folder / "config.json").write_bytes(b" " * (2 << 20))
    assert "larger than the 1,048,576 bytes it may have" in refusal(
        lambda: ModelConfig.read(model_folder)
    )


WHOLE = [name for name, value in config_entries().items() if type(value) is int]
REAL = ["rope_theta", "rms_norm_eps"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *product(WHOLE, [0, -4, 1.5, "8", True, 10**12]),
        *product(REAL, [0, -1.0, "1e-6", True, 10**400, float("inf"), float("nan")]),
    ],
)
def test_a_number_that_makes_no_sense_is_named(model_folder: Path, name: str, value: Any) -> None:
    write_config(model_folder, **{name: value})
    assert f"config.json: {name} is " in refusal(lambda: ModelConfig.read(model_folder))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"model_type": "mistral"},
            "model_type is 'mistral', this engine runs only 'llama' or 'qwen2' or 'qwen3'",
        ),
        ({"model_type": ...}, "model_type is None"),
        ({"model_type": ["qwen3"]}, "model_type is ['qwen3']"),
        ({"model_type": "x" * 9999}, "xxx..., this engine runs only"),
        (
            {"architectures": ["Qwen3ForTokenClassification"]},
            "architectures is ['Qwen3ForTokenClassification']",
        ),
        (
            {"hidden_act": "gelu"},
            "hidden_act is 'gelu', this engine runs only 'silu'; name another model",
        ),
        ({"attention_bias": True}, "attention_bias is True, this engine runs only False"),
        (
            {"model_type": "llama", "architectures": ..., "attention_bias": True},
            "attention_bias is True",
        ),
        ({"mlp_bias": True}, "mlp_bias is True"),
        ({"num_experts": 8}, "num_experts is 8"),
        (
            {"quantization_config": {"bits": 4}},
            "quantization_config is {'bits': 4}, which this engine does not run",
        ),
        ({"rope_interleaved": True}, "rope_interleaved is True"),
        ({"partial_rotary_factor": 0.5}, "partial_rotary_factor is 0.5"),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor is 0.5"),
        ({"use_sliding_window": True}, "use_sliding_window is True, with 64 tokens"),
        (
            {"layer_types": ["full_attention", "sliding_attention"]},
            "layer_types holds other than 'full_attention'",
        ),
        (
            {"rope_scaling": {"type": "longrope"}},
            "type is 'longrope', this engine runs only 'default'",
        ),
        ({"rope_parameters": {"rope_type": "su", "rope_theta": 1e4}}, "rope_type is 'su'"),
        (
            {"rope_parameters": {"full_attention": {"rope_theta": 1e4}}},
            "rope_parameters is {'full_attention': ",
        ),
        ({"rope_scaling": [1]}, "rope_scaling is [1], not an object"),
        ({"rope_scaling": {"type": "linear"}}, "factor is None"),
        ({"rope_scaling": {"type": "linear", "factor": 0.5}}, "factor is 0.5"),
        (
            {"rope_scaling": LLAMA3 | {"high_freq_factor": 1}},
            "high_freq_factor is 1, not above low_freq_factor 1",
        ),
        ({"rope_scaling": YARN | {"attention_factor": -1}}, "attention_factor is -1"),
        ({"num_key_value_heads": 3}, "4 heads cannot share 3 key/value heads"),
        ({"head_dim": 7}, "head_dim is 7"),
        ({"head_dim": ...}, "head_dim is None"),
        ({"tie_word_embeddings": "yes"}, "tie_word_embeddings is 'yes', neither true nor false"),
        ({"architectures": "Qwen3ForCausalLM"}, "architectures is not a list of words"),
        ({"rms_norm_eps": 2}, "rms_norm_eps is 2, not a number from 1e-12 to 1"),
        (MOE | {"num_experts": 0}, "num_experts is 0, not a whole number from 1 to 1,024"),
        (MOE | {"num_experts_per_tok": 9}, "num_experts_per_tok is 9, not a whole number from 1 "),
        (MOE | {"moe_intermediate_size": None}, "moe_intermediate_size is None"),
        (MOE | {"decoder_sparse_step": 2}, "decoder_sparse_step is 2, this engine runs only 1"),
        (MOE | {"mlp_only_layers": [0]}, "mlp_only_layers is [0], this engine runs only []"),
    ],
    ids=str,
)
def test_a_model_this_engine_does_not_run_is_refused(
    model_folder: Path, changes: dict[str, Any], message: str
) -> None:
    write_config(model_folder, **({"sliding_window": 64} | changes))
    assert message in refusal(lambda: ModelConfig.read(model_folder))


@pytest.mark.parametrize("name", KINDS)
def test_every_family_reads_as_it_was_written(tmp_path: Path, name: str) -> None:
    write_model(tmp_path, KINDS[name])
    assert ModelConfig.read(tmp_path) == KINDS[name]


@pytest.mark.parametrize(
    "changes",
    [
        {"rope_scaling": LLAMA3},
        {
            "rope_scaling": {
                ("type" if name == "rope_type" else name): value for name, value in LLAMA3.items()
            }
        },
        {"rope_theta": ..., "rope_parameters": LLAMA3 | {"rope_theta": 10_000}},
        {"rope_theta": 7.0, "rope_scaling": LLAMA3 | {"rope_theta": 10_000}},
    ],
)
def test_rope_scaling_is_found_in_every_spelling(
    model_folder: Path, changes: dict[str, Any]
) -> None:
    write_config(model_folder, **changes)
    assert ModelConfig.read(model_folder) == replace(CONFIG, rope_scaling=SCALINGS["llama3"])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"num_key_value_heads": ...}, {"n_kv_heads": 4}),
        ({"num_key_value_heads": None}, {"n_kv_heads": 4}),
        ({"rope_theta": ...}, {"rope_theta": 10_000.0}),
        ({"tie_word_embeddings": ...}, {"tie_word_embeddings": False}),
        ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, {}),
        ({"rope_scaling": {"rope_type": "default"}}, {}),
        ({"use_sliding_window": True, "max_window_layers": 3, "sliding_window": 8}, {}),
        ({"use_sliding_window": True, "sliding_window": CONFIG.max_position_embeddings}, {}),
        ({"use_sliding_window": False, "sliding_window": 8}, {}),
        ({"layer_types": ["full_attention"] * 3, "use_sliding_window": True}, {}),
        ({"partial_rotary_factor": 1.0, "mlp_bias": False, "attention_bias": None}, {}),
        (
            {"rope_scaling": {"type": "yarn", "factor": 4.0, "attention_factor": 2.0}},
            {
                "rope_scaling": RopeScaling("yarn", 4.0, 96, attention_factor=2.0),
                "max_position_embeddings": 384,
            },
        ),
    ],
    ids=str,
)
def test_what_is_left_out_or_changes_nothing_is_taken_as_transformers_takes_it(
    model_folder: Path, changes: dict[str, Any], expected: dict[str, Any]
) -> None:
    write_config(model_folder, **changes)
    assert ModelConfig.read(model_folder) == replace(CONFIG, **expected)


@pytest.mark.parametrize("family", ["llama", "qwen2"])
def test_a_head_is_an_even_share_of_the_hidden_size_where_no_one_says_else(
    model_folder: Path, family: str
) -> None:
    write_config(model_folder, model_type=family, architectures=..., head_dim=...)
    assert ModelConfig.read(model_folder).head_dim == CONFIG.hidden_size // CONFIG.n_heads
    write_config(
        model_folder, model_type=family, architectures=..., head_dim=..., num_attention_heads=6
    )
    assert "hidden_size 32 is no multiple of 6 heads" in refusal(
        lambda: ModelConfig.read(model_folder)
    )


def test_a_qwen2_has_its_biases_whatever_its_file_says(model_folder: Path) -> None:
    write_config(model_folder, model_type="qwen2", architectures=..., attention_bias=False)
    assert ModelConfig.read(model_folder).attention_bias
