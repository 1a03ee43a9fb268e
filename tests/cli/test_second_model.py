"""The second model, spark-l: offered once where it fits, and named by the doctor."""

import json
from pathlib import Path

import pytest

from spark_tui.cli.open import offer_second_model
from spark_tui.config import data_dir, state_dir
from spark_tui.providers.registry import Models
from tests.cli.conftest import Spark


def add() -> Path:
    """Put a file under the name of the second model."""
    place = data_dir() / "models" / "spark-l.gguf"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"GGUF" * 100)
    return place


def offers() -> list[str]:
    """What a start says about the second model."""
    told: list[str] = []
    offer_second_model(told.append)
    return told


def free(memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_tui.engine.machine.available_bytes", lambda: memory)
    monkeypatch.setattr("spark_tui.cli.catalogue.free_bytes", lambda _: 1 << 40)


@pytest.fixture(autouse=True)
def large_machine(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty home on a machine with room for all."""
    assert not state.exists()
    free(1 << 40, monkeypatch)


def test_it_is_offered_once() -> None:
    (said,) = offers()
    assert "`spark model add spark-l`" in said
    assert offers() == []


def test_it_is_not_offered_where_it_is_or_has_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    free(1 << 20, monkeypatch)
    assert offers() == []
    free(1 << 40, monkeypatch)
    place = add()
    assert offers() == []
    place.unlink()
    assert len(offers()) == 1


def test_it_is_not_offered_at_every_start_where_nothing_can_be_noted() -> None:
    state_dir().parent.mkdir(parents=True, exist_ok=True)
    state_dir().write_text("no folder")
    assert offers() == []


@pytest.mark.parametrize(("memory", "name"), [(1 << 40, "spark-l"), (100, "")])
def test_it_judges_only_where_it_was_added_and_fits(
    memory: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(memory, monkeypatch)
    assert Models().second_model == ""
    assert Models(added={"spark-l": add()}).second_model == name


@pytest.mark.parametrize(
    ("memory", "is_added", "ok", "said"),
    [
        (1 << 40, False, True, "`spark model add spark-l`"),
        (1 << 40, True, True, "added, fits in memory"),
        (300 << 20, True, True, "added, fits in memory"),
        (100, True, False, "more memory than is free"),
    ],
)
def test_the_doctor_names_it(
    spark: Spark,
    memory: int,
    is_added: bool,
    ok: bool,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if is_added:
        add()
    free(memory, monkeypatch)
    findings = json.loads(spark("doctor", "--json").out)["findings"]
    (found,) = [each for each in findings if each["name"] == "second model"]
    assert (found["ok"], said in found["value"]) == (ok, True)
