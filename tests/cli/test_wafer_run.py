"""`spark wafer run`: tokens computed on a simulated mesh, what it tells of them, and what it refuses."""

import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Spark


def test_an_edit_runs_on_the_mesh_and_has_the_tokens_of_the_plain_engine(spark: Spark) -> None:
    done = spark("wafer", "run", "--verify")
    assert (done.code, done.err) == (0, "")
    assert "<K:rename><S>d<TO>expenses<END>\n" in done.out
    assert "the plain engine's are the same" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    told = " ".join(done.out.split())
    for words in (
        "tokens/s, simulated",
        "tile-cycles/s",
        "softmax",
        "bytes on the fullest PE",
        "words over the busiest",
        "without the way to a host and back",
    ):
        assert words in told


def test_each_attempt_stands_on_a_line_of_its_own(spark: Spark) -> None:
    done = spark("wafer", "run", "wrong")
    first, *attempts = [line for line in done.out.splitlines() if line.startswith("  attempt ")]
    assert attempts
    for number, line in enumerate([first, *attempts], 1):
        assert line.startswith(f"  attempt {number} <K:")
        assert line.count("<END>") == 1
        assert line.endswith("<END>")


def test_the_text_for_programs_is_that_of_the_attempt_that_is_the_answer(spark: Spark) -> None:
    body = json.loads(spark("wafer", "run", "--json").out)
    assert body["attempts"][body["answered"] - 1] == body["text"] == "<K:rename><S>d<TO>expenses<END>"


def test_where_no_edit_is_found_it_ends_as_exec_does(spark: Spark) -> None:
    done = spark("wafer", "run", "zzqq")
    assert (done.code, done.err) == (3, "")
    assert "found no edit for this" in done.out
    assert spark("wafer", "run", "zzqq", "--tokens", "1").code == 0


def test_a_plot_without_a_folder_is_refused_before_the_run(spark: Spark, tmp_path: Path) -> None:
    done = spark("wafer", "run", "--plot", tmp_path / "none" / "x.svg")
    assert (done.code, done.out) == (1, "")
    assert "no folder" in done.err


def test_for_programs_it_is_one_object(spark: Spark) -> None:
    body = json.loads(spark("wafer", "run", "--json", "--tokens", "3", "--grid", "20", "--device", "wse3").out)
    assert (body["grid"], body["device"], len(body["tokens"])) == (20, "wse3", 3)
    assert body["cycles_per_token"] == pytest.approx(body["closed_form_cycles_per_token"])
    assert body["prompt_cycles"] == body["closed_form_prompt_cycles"]
    assert sum(body["phases"].values()) == pytest.approx(body["cycles_per_token"])
    assert body["bytes"]["least"] <= body["bytes"]["most"] <= body["bytes"]["sram"]
    assert body["equals_plain_engine"] is None
    assert body["message"] == "stopped after 3 tokens"


def test_the_instruction_may_come_from_stdin_and_the_time_line_be_drawn(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("add a\ndocstring\n"))
    plot = tmp_path / "line.svg"
    done = spark("wafer", "run", "-", "--tokens", "2", "--plot", plot)
    assert done.code == 0
    assert "simulated: add a docstring" in done.out
    assert "softmax" in plot.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--grid", "0"], "a grid of 0 x 0 PEs: wse2 takes 1 to 750 a side"),
        (["--grid", "900"], "takes 1 to 750"),
        (["--grid", "8"], "PE (0, 0) needs"),
        (["--device", "tpu"], "no device 'tpu'"),
        (["--device", "h200"], "h200 has no mesh"),
        (["--tokens", "0"], "give at least 1"),
        (["--plot", "x.png"], ".svg or a .txt"),
        (["-m", "nothing"], "no model 'nothing'"),
        ([" "], "the instruction is empty"),
    ],
)
def test_what_makes_no_sense_is_one_clear_line(spark: Spark, arguments: list[str], says: str) -> None:
    done = spark("wafer", "run", *arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert done.err.count("\n") == 1
