"""The gates: every published cell, by one file of constants; and questions of the same kind."""

import hashlib
import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from spark_tui.errors import UsageError
from spark_tui.wafer import constants, predict
from spark_tui.wafer.cases import (
    KEYS,
    PHASES,
    CaseFigures,
    answer,
    check_possible,
    misfit,
    parse_case,
)
from spark_tui.wafer.machine import SHAPES, WAFERS
from spark_tui.wafer.published import CELLS, Cell
from spark_tui.wafer.validation import (
    Comparison,
    agrees,
    as_json,
    constants_used,
    mean_errors,
    simulated,
    validate,
)

GATES = {
    "decode": 0.03,
    "prefill": 0.06,
    "e2e": 0.12,
    "gemv": 0.12,
    "gpu": 0.06,
    "gpu_prefill": 0.06,
}


def ask(text: str) -> CaseFigures:
    return answer(parse_case(text.split()))


def _name(cell: Cell) -> str:
    return f"{cell.set}-{'-'.join(value for key, value in cell.case.items() if key != 'phase')}"


@pytest.mark.parametrize("cell", CELLS, ids=_name)
def test_every_published_cell_is_met_within_its_gate_or_bound(cell: Cell) -> None:
    if cell.gate is not None:
        assert cell.gate == GATES[cell.set]
    assert Comparison(cell, simulated(cell)).ok is not False


def test_only_what_was_agreed_on_has_a_gate_and_the_rest_is_shown_all_the_same() -> None:
    gated = {cell.set for cell in CELLS if cell.gate is not None}
    others = {cell.set for cell in CELLS if cell.gate is None}
    assert gated == set(GATES)
    assert others >= {"kv", "energy", "gpu_gemv", "collective", "bound", "gpu", "gpu_prefill"}
    missed = Comparison(Cell("gpu", {}, 100.0, "tokens/s", None, ""), 200.0)
    assert missed.ok is None
    assert agrees([missed, Comparison(Cell("gpu", {}, 100.0, "tokens/s", 0.06, ""), 105.0)])
    assert not agrees([Comparison(Cell("gpu", {}, 100.0, "tokens/s", 0.06, ""), 107.0)])


def test_the_formulas_of_reductions_hold_exactly() -> None:
    formulas = [
        cell
        for cell in CELLS
        if cell.set == "collective" and cell.case["collective"] != "allreduce"
    ]
    assert len(formulas) == 4
    for cell in formulas:
        assert simulated(cell) == pytest.approx(cell.published, rel=1e-12)


def test_no_cell_is_one_that_is_kept_back() -> None:
    kept = {
        ("llama3-8b", "gpt-fast", "8"),
        ("llama3-70b", "gpt-fast", "4"),
        ("codellama-34b", "sglang", "8"),
    }
    shown = {
        (cell.case["model"], cell.case["stack"], cell.case["gpus"])
        for cell in CELLS
        if cell.set == "gpu"
    }
    assert not kept & shown
    assert ("llama3-70b", "gpt-fast", "2") in shown


def test_a_model_that_does_not_fit_is_told_beside_its_figures() -> None:
    assert (
        misfit(parse_case(["phase=gpu", "model=qwen2-72b"]))
        == "does not fit: weights and cache of 147 GB on 80 GB"
    )
    assert misfit(parse_case(["phase=gpu", "model=qwen2-72b", "gpus=8"])) == ""
    assert "on 34 GB" in misfit(parse_case(["phase=kv", "model=llama3-70b"]))
    assert misfit(parse_case(["phase=kv"])) == misfit(parse_case(["phase=decode"])) == ""
    for phase in ("decode", "prefill", "e2e"):
        assert "142 GB on 34 GB; a layer of it" in misfit(
            parse_case([f"phase={phase}", "model=llama3-70b"])
        )
    assert "54,000 of 49,152" in misfit(
        parse_case(["phase=prefill", "model=llama2-13b", "grid=240"])
    )


def test_the_cells_told_as_scaled_are_those_of_the_two_models_that_were() -> None:
    scaled = {
        each.cell.case["model"]
        for each in validate(CELLS)
        if each.scaled and each.cell.set != "gpu"
    }
    assert scaled == {"codellama-34b", "qwen2-72b"}
    decode = [
        each for each in validate(cell for cell in CELLS if cell.set == "decode") if each.scaled
    ]
    assert len(decode) == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("phase=kv model=llama3-70b", "weights of 141 GB on 34 GB"),
        ("device=a100 model=llama3-70b", "142 GB on 80 GB"),
        ("phase=energy model=llama3-70b", "142 GB on 80 GB"),
        ("phase=energy size=1000000", "a matrix of 2,000 GB on 80 GB"),
        ("phase=gemv size=16777216", "on each of 750 x 750 PEs"),
        ("phase=gemv size=113250", "49,606 of 49,152"),
        ("phase=prefill model=llama3-70b grid=240 context=100000", "on each of 240 x 240 PEs"),
        ("phase=e2e grid_decode=30", "on each of 30 x 30 PEs"),
        ("phase=decode grid=9", "on each of 9 x 9 PEs"),
    ],
)
def test_what_no_device_could_run_is_refused(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as refused:
        check_possible(parse_case(text.split()))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "phase=kv kv=concat grid=750",
        "device=a100 model=llama3-70b gpus=2",
        "phase=gemv size=112500",
    ],
)
def test_what_just_fits_is_not_refused(text: str) -> None:
    check_possible(parse_case(text.split()))


@pytest.mark.parametrize(("model", "grid"), itertools.product(SHAPES, (240, 480, 750)))
def test_a_layer_of_any_family_is_possible_on_any_grid(model: str, grid: int) -> None:
    for phase in ("decode", "prefill", "e2e"):
        check_possible(parse_case([f"model={model}", f"grid={grid}", f"phase={phase}"]))


def test_a_cell_in_cycles_is_what_its_rate_comes_to() -> None:
    cells = {
        cell["case"].get("grid"): cell
        for cell in as_json(validate())["cells"]
        if cell["model"] == "qwen2-72b"
    }
    cell = cells["420"]
    assert cell["published_cycles"] == pytest.approx(1.1e9 / 839.7)
    assert cell["cycles"] == pytest.approx(1.1e9 / cell["simulated"])
    assert (1 + cell["error_in_cycles"]) * (1 + cell["error"]) == pytest.approx(1)
    assert cell["full_token"]["cycles"] > cell["cycles"]
    assert cell["full_token"]["wafers"] > 1
    assert not cell["fits"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("words=3 phase=decode", "words means nothing for phase decode"),
        ("phase=kv context=5 output=2", "context, output mean nothing for phase kv"),
        ("device=a100 grid=500", "grid means nothing for phase decode on a100"),
        ("phase=gpu grid=500", "grid means nothing for phase gpu"),
        ("phase=e2e gpus=8", "gpus means nothing for phase e2e"),
        ("phase=kv device=a100", "phase=kv takes a wafer"),
        ("phase=collective device=h100", "phase=collective takes a wafer"),
    ],
)
def test_what_a_phase_does_not_use_is_refused_by_name(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        ask(text)


def test_a_case_holds_only_what_it_uses() -> None:
    assert set(parse_case(["phase=decode"]).values) == {
        "phase",
        "device",
        "model",
        "grid",
        "context",
    }
    assert set(parse_case(["phase=kv"]).values) == {"phase", "device", "model", "kv"}
    assert set(parse_case(["phase=gpu", "size=1024"]).values) == {
        "phase",
        "device",
        "size",
        "gpus",
        "nodes",
        "stack",
    }


def test_the_report_holds_every_cell_once_and_its_means() -> None:
    compared = validate()
    report = as_json(compared)

    assert set(report) == {"constants", "cells", "mean_abs_error"}
    assert len(report["cells"]) == len(CELLS)
    keys = {"set", "model", "grid", "context", "published", "simulated", "unit", "error"}
    extra = {"gate", "bound", "ok", "source", "device", "case"}
    extra |= {"fits", "published_cycles", "cycles", "error_in_cycles", "full_token"}
    assert all(set(cell) == keys | extra for cell in report["cells"])
    places = [
        (cell["set"], cell["model"], cell["grid"], cell["context"], cell["unit"])
        for cell in report["cells"]
    ]
    assert len(set(places)) == len(places)
    decode = [
        abs(cell["simulated"] / cell["published"] - 1)
        for cell in report["cells"]
        if cell["set"] == "decode"
    ]
    assert report["mean_abs_error"]["decode"] == pytest.approx(sum(decode) / len(decode))


def test_the_constants_are_named_with_their_checksum() -> None:
    data = Path(constants.__file__).read_bytes()
    assert constants_used() == f"wafer/constants.py sha256:{hashlib.sha256(data).hexdigest()}"


def test_a_cell_beyond_its_gate_is_told() -> None:
    cell = Cell("decode", {}, 100.0, "tokens/s", 0.03, "")
    assert [Comparison(cell, figure).ok for figure in (96.9, 97.1, 102.9, 103.1)] == [
        False,
        True,
        True,
        False,
    ]
    assert mean_errors([Comparison(cell, 90.0), Comparison(cell, 110.0)]) == {
        "decode": pytest.approx(0.1)
    }


@pytest.mark.parametrize(("model", "grid"), itertools.product(SHAPES, (240, 333, 480, 600, 750)))
def test_any_family_on_any_grid_has_an_answer_as_waferllm_would_time_it(
    model: str, grid: int
) -> None:
    for phase in ("decode", "prefill"):
        found = ask(f"model={model} grid={grid} phase={phase} context=2048")
        assert found.cycles is not None
        assert found.layer_cycles is not None
        assert found.cycles == found.layer_cycles * SHAPES[model].layers
        same = {"decode": predict.decode, "prefill": predict.prefill}[phase]
        timed = same(SHAPES[model].as_measured(), WAFERS["wse2"], grid, 2048)
        assert found.tokens_per_second == pytest.approx(timed.tokens_per_second)


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("phase=decode", {"cycles", "layer_cycles", "tokens_per_second", "milliseconds"}),
        ("phase=prefill", {"cycles", "layer_cycles", "tokens_per_second", "milliseconds"}),
        (
            "phase=decode gpus=8",
            {"cycles", "layer_cycles", "tokens_per_second", "milliseconds", "energy_ratio"},
        ),
        ("phase=e2e", {"cycles", "tokens_per_second", "milliseconds"}),
        ("phase=gemv", {"cycles", "milliseconds"}),
        ("phase=gemv device=a100", {"milliseconds"}),
        ("phase=kv", {"max_tokens"}),
        ("phase=energy size=16384", {"cycles", "milliseconds", "energy_ratio"}),
        (
            "phase=energy",
            {"cycles", "layer_cycles", "tokens_per_second", "milliseconds", "energy_ratio"},
        ),
        ("phase=collective", {"cycles", "milliseconds"}),
        ("phase=gpu", {"tokens_per_second", "milliseconds"}),
        ("phase=e2e device=h200 gpus=8", {"tokens_per_second", "milliseconds"}),
        ("phase=prefill device=h100", {"tokens_per_second", "milliseconds"}),
    ],
)
def test_an_answer_has_the_figures_that_mean_something(text: str, figures: set[str]) -> None:
    found = ask(text)
    assert {name for name in CaseFigures.__slots__ if getattr(found, name) is not None} == figures


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("", "phase=decode model=llama3-8b grid=660 context=4096 device=wse2"),
        ("device=wse3 phase=gemv", "device=wse3 phase=gemv grid=755 size=32768"),
        ("collective=tree p=512 words=256", "phase=collective collective=tree p=512 words=256"),
        ("kv=concat", "phase=kv kv=concat grid=360 model=llama3-8b"),
        ("size=16384", "phase=gemv grid=750 size=16384"),
        ("output=128", "phase=e2e grid_prefill=660 grid_decode=360 context=4096 output=128"),
        ("phase=e2e grid=500", "phase=e2e grid_prefill=500 grid_decode=500"),
        ("phase=energy", "phase=energy device=a100 gpus=1 nodes=1 grid=420"),
        ("phase=energy grid_prefill=700", "phase=prefill grid=700 gpus=1"),
        ("model=llama3.1-8b", "model=llama3-8b"),
    ],
)
def test_what_is_left_out_is_what_the_paper_did(short: str, long: str) -> None:
    assert ask(short) == ask(long)


def test_a_cache_that_cannot_move_up_holds_a_row_of_it() -> None:
    shift, concat = (
        ask(f"model=llama2-13b phase=kv kv={kind} grid=375").max_tokens
        for kind in ("shift", "concat")
    )
    assert shift is not None
    assert concat == shift // 375


def test_a_model_of_ones_own_keeps_its_heads() -> None:
    own = replace(SHAPES["qwen2-0.5b"], name="mine")
    case = parse_case(["model=mine", "grid=128"], lambda _: own)
    assert case.measured == own


@pytest.mark.parametrize(
    "text",
    [
        "grid=0",
        "grid=-1",
        "grid=751",
        "grid=1e3",
        "grid=",
        "grid=10000000000000000000000",
        "device=wse3 grid=756",
        "context=0",
        "context=4k",
        "context=99999999999",
        "phase=e2e output=0",
        "phase=e2e grid_prefill=751",
        "model=gpt-5",
        "model=",
        "device=tpu",
        "device=",
        "phase=sleep",
        "phase=gpu device=wse2",
        "stack=mine",
        "phase=kv kv=both",
        "gpus=0",
        "nodes=0",
        "collective=gossip",
        "collective=tree p=0",
        "p=99999999999",
        "size=0",
        "colour=red",
        "grid",
        "=",
        "grid=660 grid=661",
        "①=1",
        "grid=٣",
    ],
)
def test_a_case_that_makes_no_sense_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        ask(text)
    assert "\n" not in str(refused.value)


def test_the_keys_and_phases_are_those_of_the_interface() -> None:
    assert set(PHASES) == {"decode", "prefill", "gemv", "e2e", "kv", "energy", "collective", "gpu"}
    assert set(KEYS) == {
        "model",
        "phase",
        "grid",
        "grid_prefill",
        "grid_decode",
        "context",
        "output",
        "size",
        "device",
        "gpus",
        "nodes",
        "collective",
        "p",
        "words",
        "kv",
        "stack",
    }
