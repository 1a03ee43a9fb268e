"""`spark train calibrate` and `eval`: a model that quotes is asked, its answers are held
against what is right.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from spark_tui.engine.backend import Backend
from spark_tui.providers.calibration import Calibration
from tests.cli.conftest import Spark
from tests.providers.quoting_models import quoting_model

FIRST = ["def first(items):", "    return items[1]"]
RIGHT = ["def first(items):", "    return items[0]"]
TO_RIGHT = ("-" + FIRST[1], "+" + RIGHT[1])
TOLD: Mapping[str, tuple[Sequence[str], Sequence[Sequence[str]]]] = {
    "take the first": (TO_RIGHT, [RIGHT]),
    "never fail": (TO_RIGHT, [[RIGHT[0], "    return items[0] if items else None"]]),
    "nice": (("none",), []),
}
"""What is asked, what the model answers, and all that is right."""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPARK_KERNELS", "numpy")
    loaded = quoting_model(
        tmp_path / "tiny", {words: script for words, (script, _) in TOLD.items()}
    )
    monkeypatch.setattr("spark_tui.engine.loader.find_model", lambda name=None: loaded.path)
    monkeypatch.setattr("spark_tui.engine.loader.load", lambda path, backend: loaded)
    return loaded.path


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    rows = [
        {
            "id": words,
            "instruction": words,
            "before": FIRST,
            "selected": None,
            "accept": accept,
            "bug": False,
        }
        for words, (_, accept) in TOLD.items()
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    """The same as `spark train data` writes them."""
    asked = [
        {"words": words, "after": "\n".join(accept[0] if accept else FIRST)}
        for words, (_, accept) in TOLD.items()
    ]
    path = tmp_path / "requests.jsonl"
    path.write_text(
        json.dumps({"path": "m.py", "code": "\n".join(FIRST), "requests": asked}) + "\n"
    )
    return path


@pytest.mark.parametrize("file", ["cases", "requests"])
def test_answers_are_held_against_what_is_right(
    spark: Spark, model: Path, file: str, request: pytest.FixtureRequest
) -> None:
    path: Path = request.getfixturevalue(file)
    assert spark("train", "calibrate", "-m", model, "--cases", path).code == 0
    assert Calibration.read(model) is not None
    done = spark("train", "eval", "-m", model, "--cases", path, path, "--json")
    figures = json.loads(done.out)
    assert (done.code, figures["cases"]) == (0, 6)
    assert (figures["right_first"], figures["no_edit_left_alone"]) == (0.5, 1.0)


def test_a_model_is_measured_once_it_is_known_when_it_is_sure(
    spark: Spark, model: Path, cases: Path
) -> None:
    done = spark("train", "eval", "-m", model, "--cases", cases)
    assert (done.code, done.out) == (2, "")
    assert (
        "tiny has no answering.json, which says when it is sure; `spark train calibrate` makes it"
        in done.err
    )


def test_what_is_measured_computes_as_users_have_it_also_where_nothing_is_compiled_yet(
    spark: Spark, model: Path, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    Calibration().write(model)
    monkeypatch.setenv("SPARK_KERNELS", "auto")
    monkeypatch.setattr("spark_tui.engine.backend.why_not_compiled", lambda: "")
    monkeypatch.setattr(Backend, "build", lambda backend: built.append(backend.kind))
    done = spark("train", "eval", "--cases", cases)
    assert (done.code, built) == (0, ["auto"])
    assert "compiling" in done.err
