"""`tune` from end to end on a tiny base, and on a machine that has only what trains."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from spark_tui.engine.lora import GGUF_FILE, WEIGHTS_FILE  # noqa: E402
from spark_tui.errors import ModelError  # noqa: E402
from spark_tui.training.__main__ import main  # noqa: E402
from spark_tui.training.base_model import write_base  # noqa: E402
from spark_tui.training.decoder import read_frozen  # noqa: E402
from spark_tui.training.finetune import Tuner  # noqa: E402
from tests.engine.tiny import FAMILIES, MIXTURES, write_model  # noqa: E402
from tests.providers.quoting_models import write_tokenizer  # noqa: E402

REGION = {
    "path": "a.py",
    "code": "def f(self, value):\n    return value + 1",
    "requests": [{"words": "add two", "edits": [["+ 1", "+ 2"]]}, {"words": "thanks"}],
}
SMALL = ["--rank", "2", "--batch-tokens", "300", "--micro-tokens", "200", "--no-compile"]
ABSENT = ("textual", "httpx2", "tree_sitter", "jinja2", "git", "jedi", "pyflakes", "unidiff")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    config = replace(FAMILIES["qwen2-tied"], max_position_embeddings=512)
    write_model(tmp_path / "source", config)
    write_tokenizer(tmp_path / "source" / "tokenizer.json", config.vocab_size)
    write_base(tmp_path / "source", tmp_path / "base")
    return tmp_path / "base"


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    path = tmp_path / "requests.jsonl"
    path.write_text(json.dumps(REGION) + "\n" + json.dumps(REGION | {"path": "b.py"}) + "\n")
    return path


def test_a_mixture_of_experts_is_refused_as_a_base(tmp_path: Path) -> None:
    write_model(tmp_path, MIXTURES["qwen3_moe"])
    with pytest.raises(ModelError, match="a mixture of experts, which cannot be trained"):
        read_frozen(tmp_path, MIXTURES["qwen3_moe"])


def tune(base: Path, out: Path, *more: str) -> list[str]:
    return ["tune", "--base", str(base), "--out", str(out), *SMALL, *more]


def test_packed_rows_and_requests_train_the_same(
    base: Path, requests: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "rows.npz"
    assert main(["rows", str(base), str(requests), "--out", str(packed)]) == 0
    assert "2 regions, 4 requests (0 of them redirects" in capsys.readouterr().err
    adapters = []
    for source in (requests, packed):
        out = tmp_path / source.suffix
        data = ["--data", f"{source}=2", "--held", str(source), "--steps", "3", "--pieces", "1"]
        assert main(tune(base, out, *data)) == 0
        lines = capsys.readouterr().err
        assert all(f"held out, {moment}: {source.name}" in lines for moment in ("start", "end"))
        assert lines.count("step 3  pass ") == 1
        adapters.append((out / GGUF_FILE).read_bytes())
        assert (out / f"{GGUF_FILE}.0").read_bytes() == adapters[-1]
        assert (out / WEIGHTS_FILE).is_file()
    assert adapters[0] == adapters[1]


def test_no_steps_only_judge_the_adapter_that_is_started_from(
    base: Path, requests: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(requests), "--held", str(requests)]
    assert main(tune(base, tmp_path / "run", *data, "--steps", "4")) == 0
    ended = [line for line in capsys.readouterr().err.splitlines() if "held out, end" in line]
    start = ["--start", str(tmp_path / "run"), "--steps", "0"]
    assert main(tune(base, tmp_path / "judged", *data, *start)) == 0
    begun = [line for line in capsys.readouterr().err.splitlines() if "held out, start" in line]
    assert float(ended[0].split()[5]) == pytest.approx(float(begun[0].split()[5]), rel=1e-3)


def test_a_run_that_is_terminated_writes_what_there_is(
    base: Path, requests: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Tuner.step

    def step_and_terminate(tuner: Tuner) -> None:
        step(tuner)
        if tuner.step_number == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(Tuner, "step", step_and_terminate)
    before = signal.getsignal(signal.SIGTERM)
    out = tmp_path / "run"
    data = ["--data", str(requests), "--held", str(requests)]
    assert main(tune(base, out, *data, "--steps", "1000")) == 143
    assert signal.getsignal(signal.SIGTERM) == before
    state = torch.load(out / "checkpoint.pt", weights_only=True)
    assert (state["step"], (out / GGUF_FILE).is_file()) == (2, True)


def test_random_weights_need_no_files(base: Path, requests: Path, tmp_path: Path) -> None:
    for path in base.glob("*.safetensors"):
        path.unlink()
    data = ["--data", str(requests), "--steps", "1", "--random"]
    assert main(tune(base, tmp_path / "run", *data)) == 0
    assert (tmp_path / "run" / GGUF_FILE).is_file()


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (["--first-layer", "9"], "first_layer is 9 of a model of 3 layers"),
        (["--dropout", "1"], "dropout must be from 0"),
        (["--recipe", "none.toml"], "cannot be read"),
    ],
)
def test_what_is_wrong_is_said(
    base: Path,
    requests: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    problem: str,
) -> None:
    arguments = tune(base, tmp_path / "run", "--data", str(requests), "--steps", "1", *more)
    assert main(arguments) == 2
    assert problem in capsys.readouterr().err


def test_rows_of_another_tokenizer_are_refused(
    base: Path, requests: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "rows.npz"
    assert main(["rows", str(base), str(requests), "--out", str(packed)]) == 0
    entries = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps(entries | {"vocab_size": 64}))
    assert main(tune(base, tmp_path / "run", "--data", str(packed), "--steps", "1")) == 2
    assert "the tokenizer of another model" in capsys.readouterr().err


BLOCKED = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
from spark_tui.training.__main__ import main
sys.exit(main())
"""


def test_it_needs_only_what_trains(base: Path, requests: Path, tmp_path: Path) -> None:
    packed = tmp_path / "rows.npz"
    assert main(["rows", str(base), str(requests), "--out", str(packed)]) == 0
    (base / "tokenizer.json").unlink()
    arguments = tune(base, tmp_path / "run", "--data", str(packed), "--steps", "1")
    command = [sys.executable, "-c", BLOCKED, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / GGUF_FILE).is_file()
