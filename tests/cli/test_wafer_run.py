"""`spark wafer run`: tokens that go through a layer on a simulated mesh, what it tells of them,
and what it refuses.
"""

import io
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from spark_tui.cli.open import INSTRUCTION
from spark_tui.cli.wafer.run import DemoEdit, write
from spark_tui.providers.calibration import Calibration
from tests.cli.conftest import Spark
from tests.engine.tiny import FAMILIES, write_model
from tests.fakes import rename_script, scripted
from tests.providers.quoting_models import NOTHING, Script, write_tokenizer


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model that can write scripts, of the same family as the default one."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    config = FAMILIES["qwen2"]
    write_model(folder, replace(config, max_position_embeddings=1024))
    write_tokenizer(folder / "tokenizer.json", config.vocab_size)
    Calibration().write(folder)
    return folder


@pytest.fixture
def run(spark: Spark, tiny: Path) -> Spark:
    return lambda *arguments: spark("wafer", "run", "-m", tiny, "--grid", "8", *arguments)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("words", "script"),
    [
        (INSTRUCTION, "rename d expenses\n"),
        ("use a with statement", '+    with open(path, newline="") as f:\n'),
    ],
)
def test_edits_by_the_default_model_have_the_tokens_of_the_plain_engine(
    spark: Spark, words: str, script: str
) -> None:
    done = spark("wafer", "run", "--verify", words)
    assert (done.code, done.err) == (0, "")
    assert "layer 12 of 24 on 32 x 32 PEs of wse2" in done.out
    assert script in done.out
    assert _told(done.out, "equals plain engine") == "yes"
    assert max(len(line) for line in done.out.splitlines() if line[:1] not in "+-") <= 80


def test_the_tokens_are_those_of_the_plain_engine_and_all_is_told_within_80_columns(
    run: Spark,
) -> None:
    done = run("--tokens", "12", "--verify")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"tiny: {INSTRUCTION}\nlayer 2 of 3 on 8 x 8 PEs of wse2, simulated")
    assert max(map(len, done.out.splitlines())) <= 80
    body = json.loads(run("--tokens", "12", "--verify", "--json").out)
    assert _told(done.out, "message") == "stopped after 12 tokens"
    assert _told(done.out, "equals plain engine") == "yes"
    for name in ("token_cycles", "simulated_tokens_per_second", "prompt_cycles"):
        assert _told(done.out, name.replace("_", " ")) == f"{body[name]:,.0f}"
    assert _told(done.out, "tile cycles per second")
    assert _told(done.out, "most") == f"{body['bytes']['most']:,}"
    assert _told(done.out, "softmax").endswith(
        f"{body['phases']['softmax'] / body['cycles_per_token']:.1%}"
    )
    link = body["busiest_links"][0]
    assert _told(done.out, "busiest links").startswith(
        f"row {link['row']}, column {link['column']}, direction"
    )


def _told(out: str, name: str) -> str:
    """What stands behind a name in the table."""
    (line,) = (line for line in out.splitlines() if line.strip().startswith(f"{name} "))
    return line.strip().removeprefix(name).strip()


def test_tokens_that_are_not_the_plain_engine_s_are_an_error(
    run: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "spark_tui.wafer.mesh_model.LayerOnMesh.run", lambda _mesh, hidden, _rows: -hidden
    )
    done = run("--tokens", "12", "--verify")
    assert done.code == 1
    assert _told(done.out, "equals plain engine") == "no"
    assert "a bug in the simulator" in done.err


@pytest.mark.parametrize(
    ("script", "most", "message", "edits"),
    [
        (rename_script("d", "expenses"), None, "an edit of these 9 lines", True),
        (rename_script("d", "expenses"), 2, "stopped after 2 tokens", True),
        (NOTHING, None, "no edit found for this", False),
        (['+"' + "x" * 4000], None, "no end after 512 tokens", False),
    ],
)
def test_it_says_what_came_of_what_was_written(
    tmp_path: Path, script: Script, most: int | None, message: str, edits: bool
) -> None:
    loaded = scripted(tmp_path / "model", {INSTRUCTION: script})
    written = write(loaded, INSTRUCTION, most, live=False)
    assert (written.message, written.edits) == (message, edits)
    assert "".join(script).startswith(written.text.strip())
    assert most is None or len(written.tokens) == most


def test_where_no_edit_is_found_it_ends_as_exec_does(
    run: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = DemoEdit(90, (1, 2), "none", "no edit found for this", edits=False)
    monkeypatch.setattr("spark_tui.cli.wafer.run.write", lambda *_args, **_named: nothing)
    done = run()
    assert (done.code, done.err) == (3, "")
    assert "no edit found for this" in done.out


def test_for_programs_it_is_one_object(run: Spark) -> None:
    body = json.loads(
        run("--json", "--tokens", "8", "--layer", "3", "--grid", "7", "--device", "wse3").out
    )
    assert (body["grid"], body["device"], len(body["tokens"])) == (7, "wse3", 8)
    assert (body["layer"], body["layers"]) == (3, 3)
    assert body["cycles_per_token"] == pytest.approx(body["closed_form_cycles_per_token"])
    assert body["token_cycles"] > 3 * body["cycles_per_token"]
    assert body["prompt_cycles"] == body["closed_form_prompt_cycles"]
    assert sum(body["phases"].values()) == pytest.approx(body["cycles_per_token"])
    assert body["bytes"]["least"] <= body["bytes"]["most"] <= body["bytes"]["sram"]
    assert body["equals_plain_engine"] is None
    assert body["message"] == "stopped after 8 tokens"


def test_the_instruction_may_come_from_stdin(run: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("add a\ndocstring\n"))
    done = run("-", "--tokens", "2")
    assert done.code == 0
    assert "tiny: add a docstring\n" in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--grid", "0"], "a grid of 0 x 0 PEs: wse2 takes 1 to 750 a side"),
        (["--grid", "1"], "give a larger grid"),
        (["--layer", "4"], "tiny has layers 1 to 3, no layer 4"),
        (["--device", "tpu"], "unknown device 'tpu'"),
        (["--device", "h200"], "h200 has no mesh"),
        (["--tokens", "0"], "give at least 1"),
        (["-m", "nothing"], "no model 'nothing'"),
        ([" "], "the instruction is empty"),
    ],
)
def test_what_makes_no_sense_is_one_clear_line(
    run: Spark, arguments: Sequence[str], says: str
) -> None:
    done = run(*arguments)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert says in done.err
