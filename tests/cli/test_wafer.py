"""`spark wafer`: plans, agreement with what is published; and what it refuses."""

import json
import re
from pathlib import Path

import pytest

from spark_tui.wafer.published import CELLS
from tests.cli.conftest import Spark
from tests.engine.tiny import write_model

CONFIG = {
    "model_type": "llama",
    "vocab_size": 32000,
    "hidden_size": 2048,
    "num_hidden_layers": 22,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "intermediate_size": 5632,
    "max_position_embeddings": 2048,
    "rms_norm_eps": 1e-5,
}


def _config(folder: Path, **changes: object) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG | changes))
    return folder


def test_validate_shows_every_cell_within_its_gate(spark: Spark) -> None:
    done = spark("wafer", "validate")
    assert (done.code, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= 80
    assert "llama3-8b 660^2" in done.out
    gated = sum(cell.gate is not None for cell in CELLS)
    assert f"{gated} of {gated} gated cells within their gates" in done.out
    assert "without a gate, worst" in done.out.replace("\n  ", " ")
    assert "sha256:" in done.out


def test_validate_for_programs_is_one_object_with_the_keys_of_the_interface(spark: Spark) -> None:
    body = json.loads(spark("wafer", "validate", "--json").out)
    assert set(body) == {"constants", "cells", "mean_abs_error"}
    assert body["mean_abs_error"]["decode"] < 0.03


def test_a_case_for_programs_has_its_keys(spark: Spark) -> None:
    words = ("model=llama2-13b", "grid=540", "phase=decode", "context=4096")
    body = json.loads(spark("wafer", "validate", "--json", "--case", *words).out)
    assert set(body) == {
        "case",
        "cycles",
        "layer_cycles",
        "tokens_per_second",
        "milliseconds",
        "energy_ratio",
        "max_tokens",
        "fits",
        "reason",
        "full_token",
    }
    assert (body["fits"], body["reason"]) == (True, None)
    assert body["full_token"]["cycles"] * body["full_token"]["tokens_per_second"] == pytest.approx(
        1.1e9
    )
    assert body["case"]["grid"] == 540
    assert body["cycles"] == 40 * body["layer_cycles"]
    assert body["energy_ratio"] is None
    apart = [part for word in words for part in ("--case", word)]
    assert json.loads(spark("wafer", "validate", "--json", *apart).out) == body


def test_a_case_for_people_says_what_is_counted_and_what_a_full_token_takes(spark: Spark) -> None:
    done = spark("wafer", "validate", "--case", "model=llama3-8b")
    assert (done.code, "simulated" in done.out) == (0, True)
    assert "layer x layers, as WaferLLM timed it" in done.out
    assert re.search(
        r"full token\n +cycles +541,175\n +tokens per second +2,033\n +wafers +2\n +regions +2\n",
        done.out,
    )
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize(
    "words",
    [
        ["collective=tree", "p=512", "words=256"],
        ["phase=kv"],
        ["phase=energy"],
        ["phase=gemv", "size=16384"],
        ["phase=gpu", "gpus=8"],
        ["phase=e2e", "output=64"],
        ["phase=prefill", "device=wse3"],
        ["model=spark-m"],
    ],
)
def test_every_phase_answers_in_words(spark: Spark, words: list[str]) -> None:
    done = spark("wafer", "validate", "--case", *words)
    assert (done.code, done.err) == (0, "")
    assert "simulated" in done.out


def test_the_embedded_model_is_planned_when_none_is_named(spark: Spark) -> None:
    done = spark("wafer", "plan")
    assert done.code == 0
    assert done.out.startswith("spark-m on wse2, 16-bit weights, simulated\n")
    assert "bottleneck" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_a_plan_shows_the_map_of_its_regions(spark: Spark) -> None:
    done = spark("wafer", "plan", "llama3-8b", "--grid", "375")
    lines = done.out.splitlines()
    assert set("".join(line.strip() for line in lines[2:12])) == set("ABC.")
    assert "750 x 994 PEs" in done.out
    assert re.search(r"grid +375\n", done.out)
    assert re.search(r"regions +3\n", done.out)


def test_a_plan_says_what_is_on_the_wafers_that_are_not_drawn(spark: Spark) -> None:
    told = " ".join(spark("wafer", "plan", "llama3-70b", "--device", "wse3").out.split())
    assert "the first of 5 wafers: 6 regions on each but the last, which has 4" in told
    assert "llama3-70b on 5 x wse3" in told
    assert "wafers:" not in spark("wafer", "plan").out


def test_a_plan_for_programs_places_every_layer(spark: Spark) -> None:
    body = json.loads(spark("wafer", "plan", "llama3-70b", "--device", "wse3", "--json").out)
    assert sum(region["layers"] for region in body["regions"]) == 80
    assert body["bytes"]["most_used"] <= body["bytes"]["sram"] == 49152
    assert body["max_tokens"]["concat"] == body["max_tokens"]["shift"] // body["grid"]
    assert body["bottleneck"] == max(
        body["token_cycles"], key=lambda name: body["token_cycles"][name]
    )


def test_a_model_is_its_files_in_each_way_to_name_them(spark: Spark, tmp_path: Path) -> None:
    folder = _config(tmp_path / "mine")
    by_folder = spark("wafer", "plan", folder, "--json")
    assert by_folder.code == 0
    assert spark("wafer", "plan", folder / "config.json", "--json").out == by_folder.out
    assert json.loads(by_folder.out)["model"] == "mine"
    cased = json.loads(
        spark("wafer", "validate", "--json", "--case", f"model={folder}", "grid=256").out
    )
    assert cased["cycles"] > 0


def test_a_gguf_file_is_planned_without_its_weights(spark: Spark, tmp_path: Path) -> None:
    write_model(tmp_path / "tiny")
    file = tmp_path / "small.gguf"
    assert spark("model", "export", file, "-m", tmp_path / "tiny").code == 0
    planned, folder = (
        json.loads(spark("wafer", "plan", name, "--json").out) for name in (file, tmp_path / "tiny")
    )
    assert planned["model"] == "small"
    assert planned | {"model": "tiny"} == folder


def test_a_plan_says_why_other_figures_are_others(spark: Spark) -> None:
    told = " ".join(spark("wafer", "plan", "llama3-8b").out.split())
    assert "`validate` has 137,696" in told


def test_a_case_of_a_layer_says_that_the_model_does_not_fit(spark: Spark) -> None:
    told = " ".join(spark("wafer", "validate", "--case", "model=llama3-70b").out.split())
    assert "does not fit: weights and cache of 142 GB on 34 GB" in told
    body = json.loads(spark("wafer", "validate", "--json", "--case", "model=llama3-70b").out)
    assert not body["fits"]
    assert "142 GB on 34 GB" in body["reason"]
    assert body["full_token"]["wafers"] == 10


def test_cycles_of_a_fractional_formula_are_told_whole(spark: Spark) -> None:
    out = spark("wafer", "validate", "--case", "collective=two-phase", "p=256", "words=256").out
    assert re.search(r"cycles +887\n", out)


def test_a_shape_needs_neither_positions_nor_an_epsilon(spark: Spark, tmp_path: Path) -> None:
    folder = _config(tmp_path / "mine")
    whole = spark("wafer", "plan", folder, "--json").out
    left = {
        key: CONFIG[key] for key in CONFIG if key not in {"max_position_embeddings", "rms_norm_eps"}
    }
    (folder / "config.json").write_text(json.dumps(left))
    assert spark("wafer", "plan", folder, "--json").out == whole
    assert spark("wafer", "plan", folder / "config.json", "--json").out == whole


@pytest.mark.parametrize(
    "words",
    [
        ["plan", "llama9"],
        ["plan", ""],
        ["plan", "--device", "tpu"],
        ["plan", "--device", "a100"],
        ["plan", "--grid", "0"],
        ["plan", "--grid", "-3"],
        ["plan", "--grid", "751"],
        ["plan", "--grid", "x"],
        ["plan", "llama3-70b", "--wafers", "2"],
        ["plan", "--wafers", "0"],
        ["plan", "--bits", "4"],
        ["plan", "--context", "0"],
        ["plan", "llama3-70b", "--grid", "20"],
        ["plan", "none/config.json"],
        ["plan", "none.gguf"],
        ["plan", "."],
        ["validate", "--case"],
        ["validate", "--case", "grid=0"],
        ["validate", "--case", "model=none"],
        ["validate", "--case", "sort=of"],
        ["validate", "--case", "words=3", "phase=decode"],
        ["validate", "--case", "phase=kv", "device=a100"],
        ["validate", "--case", "phase=kv", "model=llama3-70b"],
        ["validate", "--case", "grid=9"],
        ["validate", "--case", "phase=gpu", "model=qwen2-72b"],
        ["validate", "--case", "size=16777216"],
        ["fly"],
        [],
    ],
    ids=" ".join,
)
def test_a_request_that_makes_no_sense_is_one_clear_line(spark: Spark, words: list[str]) -> None:
    spark("wafer", *words).refuses(2)


@pytest.mark.parametrize(
    "changes",
    [
        {"num_hidden_layers": 10**9},
        {"num_hidden_layers": 0},
        {"hidden_size": -1},
        {"num_key_value_heads": 5},
        {"num_attention_heads": 33},
        {"vocab_size": None},
        {"model_type": "mamba"},
        {"intermediate_size": 1e30},
        {"hidden_size": "wide"},
        "",
        "[]",
        "{",
        "null",
        "\x00",
    ],
    ids=repr,
)
def test_an_absurd_config_is_one_clear_line(
    spark: Spark, tmp_path: Path, changes: dict[str, object] | str
) -> None:
    folder = _config(tmp_path / "odd", **(changes if isinstance(changes, dict) else {}))
    if isinstance(changes, str):
        (folder / "config.json").write_text(changes)
    done = spark("wafer", "plan", folder)
    done.refuses(2)
    assert "install" not in done.err
