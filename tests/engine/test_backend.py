"""Which arithmetic a model gets, and where compiled code is kept."""

import os
from importlib.metadata import version
from pathlib import Path

import pytest

from spark_tui.engine import backend
from spark_tui.engine.backend import Backend
from spark_tui.errors import UsageError
from tests.engine.tiny import CONFIG, random_weights


def test_without_compiled_code_a_model_computes_with_numpy(tmp_path: Path) -> None:
    chosen = Backend(folder=tmp_path)
    assert not chosen.is_ready
    assert chosen.make(CONFIG, random_weights()).kernels == "numpy float32"


def test_compiled_code_is_not_looked_for_where_numpy_is_asked_for(tmp_path: Path) -> None:
    assert not Backend("numpy", folder=tmp_path).may_be_built


@pytest.mark.parametrize("wrong", [{"kind": "fast"}, {"bits": 7}])
def test_what_there_is_not_is_refused_with_what_there_is(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="choose one of"):
        Backend(**wrong)  # type: ignore[arg-type]


def test_a_machine_that_cannot_run_compiled_code_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(backend, "why_not_compiled", lambda: "the processor lacks avx2")
    with pytest.raises(UsageError, match="the processor lacks avx2"):
        Backend("compiled", folder=tmp_path).make(CONFIG, random_weights())
    assert Backend(folder=tmp_path).make(CONFIG, random_weights()).kernels == "numpy float32"
    assert not Backend(folder=tmp_path).may_be_built


def test_code_compiled_for_another_machine_or_version_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chosen = Backend(folder=tmp_path)
    monkeypatch.setattr(backend, "fingerprint", lambda: "here")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "code").write_text("0123")
    (tmp_path / "here" / "complete").write_text('{"code": 4}')
    assert chosen.is_ready
    monkeypatch.setattr(backend, "fingerprint", lambda: "there")
    assert not chosen.is_ready


@pytest.mark.parametrize("damage", ["missing", "truncated", "no marker", "damaged marker"])
def test_code_that_is_not_whole_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: str
) -> None:
    monkeypatch.setattr(backend, "fingerprint", lambda: "here")
    place = tmp_path / "here"
    place.mkdir()
    if damage != "missing":
        (place / "code").write_text("01" if damage == "truncated" else "0123")
    if damage != "no marker":
        (place / "complete").write_text("[4" if damage == "damaged marker" else '{"code": 4}')
    assert not Backend(folder=tmp_path).is_ready


def test_a_folder_that_cannot_be_written_is_told_and_numpy_taken(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    chosen = Backend(folder=tmp_path / "file" / "kernels")
    assert "cannot be written" in chosen.problem
    assert not chosen.may_be_built
    assert chosen.make(CONFIG, random_weights()).kernels == "numpy float32"
    with pytest.raises(UsageError, match="XDG_CACHE_HOME"):
        Backend("compiled", folder=chosen.folder).make(CONFIG, random_weights())


@pytest.mark.parametrize("package", ["numba", "llvmlite"])
def test_code_compiled_by_another_version_of_the_compiler_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    backend.fingerprint.cache_clear()
    before = backend.fingerprint()
    monkeypatch.setattr(backend, "version", lambda name: "0" if name == package else version(name))
    backend.fingerprint.cache_clear()
    after = backend.fingerprint()
    monkeypatch.undo()
    backend.fingerprint.cache_clear()
    assert after != before


def test_code_compiled_by_another_installation_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Numba finds its code by where the source lies and when it was written."""
    kernels = tmp_path / "engine" / "kernels"
    kernels.mkdir(parents=True)
    (kernels / "program.py").write_text("")
    monkeypatch.setattr(backend, "__file__", str(tmp_path / "engine" / "backend.py"))
    prints = set()
    for moment in (1, 2):
        os.utime(kernels / "program.py", (moment, moment))
        backend.fingerprint.cache_clear()
        prints.add(backend.fingerprint())
    monkeypatch.undo()
    backend.fingerprint.cache_clear()
    assert len(prints | {backend.fingerprint()}) == 3


@pytest.mark.parametrize("leads_to", ["nowhere", "itself", "file"])
def test_a_cache_folder_that_is_a_link_to_nothing_is_done_without(
    tmp_path: Path, leads_to: str
) -> None:
    (tmp_path / "file").write_text("")
    link = tmp_path / "itself"
    link.symlink_to(tmp_path / leads_to)
    chosen = Backend("auto", folder=link / "spark" / "kernels")
    assert chosen.problem == f"{link} cannot be written to; set XDG_CACHE_HOME to a folder of yours"
    assert (chosen.is_ready, chosen.may_be_built, chosen.weights_kept) == (False, False, [])
