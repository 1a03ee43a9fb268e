"""A mixture's experts in a mapped file: the same numbers at each start, whatever becomes of the
file.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spark_tui.engine import loader
from spark_tui.engine.backend import Backend, why_not_compiled
from spark_tui.engine.loader import load
from spark_tui.engine.weights import resident_bytes, weight_bytes
from spark_tui.errors import ModelError
from tests.engine.tiny import MIXTURES, write_model

if reason := why_not_compiled():
    pytest.skip(reason, allow_module_level=True)

from spark_tui.engine.kernels import expert_file, prepared_weights
from spark_tui.engine.model import Model

TOKENS = [1, 2, 3, 250, 9, 4]
ALL_TOKENS = list(range(0, 320, 5))
GIGABYTE = 1 << 30

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "nothing left": lambda _: b"",
    "cut": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "another kind of file": lambda data: b"GGUF" + data[4:],
    "no marks": lambda data: data[:16] + bytes(4080) + data[4096:],
    "weights": lambda data: data[:4096] + bytes(each ^ 1 for each in data[4096:]),
}


@pytest.fixture(autouse=True)
def small_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared_weights, "LEAST_BYTES", 0)
    monkeypatch.setattr(loader, "LEAST_BYTES", 0)


@pytest.fixture(params=MIXTURES)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    write_model(tmp_path / "model", MIXTURES[request.param])
    return tmp_path / "model"


@pytest.fixture
def one_model(tmp_path: Path) -> Path:
    write_model(tmp_path / "model", MIXTURES["qwen3_moe"])
    return tmp_path / "model"


@pytest.fixture
def backend(code_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Backend:
    monkeypatch.setattr("spark_tui.engine.backend.weights_folder", lambda _: tmp_path / "weights")
    return Backend("compiled", 8, 2, code_folder)


def run(model: Model, tokens: list[int] = ALL_TOKENS) -> bytes:
    return model.forward(tokens, model.new_cache(64), last_only=False).tobytes()


def said(path: Path, backend: Backend, tokens: list[int] = ALL_TOKENS) -> bytes:
    return run(load(path, backend).model, tokens)


def in_memory(path: Path, backend: Backend) -> bytes:
    """What the model says without a folder in which its experts are kept."""
    loaded = load(path, replace(backend, folder=None)).model
    assert loaded.kernels.endswith("experts in memory")
    return run(loaded)


def file_of(tmp_path: Path) -> Path:
    (place,) = (tmp_path / "weights").glob(f"*{expert_file.SUFFIX}")
    return place


@pytest.mark.parametrize("bits", [4, 8, 32])
def test_experts_of_a_file_compute_the_same_bit_for_bit(
    model: Path,
    backend: Backend,
    bits: int,
) -> None:
    backend = replace(backend, bits=bits)
    wanted = in_memory(model, backend)
    assert [said(model, backend) for _ in range(3)] == [wanted] * 3


def test_the_next_start_reads_no_expert_that_was_used(
    one_model: Path, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = said(one_model, backend)
    monkeypatch.setattr("spark_tui.engine.loader._weights", lambda *_: pytest.fail("read anew"))
    assert said(one_model, backend) == wanted


def test_experts_that_a_later_process_needs_join_those_in_the_file(
    one_model: Path, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(one_model, backend, TOKENS)
    wanted = said(one_model, backend)
    assert wanted == in_memory(one_model, backend)
    monkeypatch.setattr("spark_tui.engine.loader._weights", lambda *_: pytest.fail("read anew"))
    assert said(one_model, backend) == wanted


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_mended(
    damage: str,
    one_model: Path,
    backend: Backend,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = said(one_model, backend)
    place = file_of(tmp_path)
    whole = place.read_bytes()
    place.unlink()
    place.write_bytes(DAMAGES[damage](whole))
    assert said(one_model, backend) == wanted
    monkeypatch.setattr("spark_tui.engine.loader._weights", lambda *_: pytest.fail("read anew"))
    assert said(one_model, backend) == wanted


def test_two_processes_share_a_file(one_model: Path, backend: Backend, tmp_path: Path) -> None:
    one, other = (load(one_model, backend).model for _ in range(2))
    run(one, TOKENS)
    wanted = run(other)
    assert run(one) == wanted
    assert said(one_model, backend) == wanted
    assert len(list((tmp_path / "weights").glob(f"*{expert_file.SUFFIX}"))) == 1


def test_a_file_that_is_removed_does_not_reach_a_running_model(
    one_model: Path, backend: Backend, tmp_path: Path
) -> None:
    wanted = in_memory(one_model, backend)
    loaded = load(one_model, backend).model
    run(loaded, TOKENS)
    shutil.rmtree(tmp_path / "weights")
    assert run(loaded) == wanted


def test_a_disk_that_fills_up_later_leaves_the_rest_in_memory(
    one_model: Path, backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = in_memory(one_model, backend)
    loaded = load(one_model, backend).model
    run(loaded, TOKENS)
    before = file_of(tmp_path).read_bytes()
    _leave(monkeypatch, expert_file.FREE_BYTES - 1)
    assert run(loaded) == wanted
    assert file_of(tmp_path).read_bytes() == before


def test_a_write_that_fails_leaves_the_expert_in_memory(
    one_model: Path, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = in_memory(one_model, backend)
    loaded = load(one_model, backend).model
    monkeypatch.setattr(os, "pwrite", _no_space)
    assert run(loaded) == wanted
    monkeypatch.undo()
    assert said(one_model, backend) == wanted


def test_a_disk_without_room_is_told_and_experts_stay_in_memory(
    one_model: Path, backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = in_memory(one_model, backend)
    _leave(monkeypatch, GIGABYTE)
    loaded = load(one_model, backend).model
    assert "experts in memory (2.1 GB have to be free in" in loaded.kernels
    assert "1.1 GB are)" in loaded.kernels
    assert run(loaded) == wanted
    assert not list(tmp_path.glob(f"weights/*{expert_file.SUFFIX}"))


def test_without_memory_and_disk_the_error_says_what_helps(
    one_model: Path, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    _leave(monkeypatch, GIGABYTE)
    monkeypatch.setattr("spark_tui.engine.machine.available_bytes", lambda: 1000)
    with pytest.raises(ModelError, match=r"or make room for its experts on disk: 2.1 GB have to"):
        load(one_model, backend)


def test_memory_is_asked_for_the_active_experts_only(
    one_model: Path, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load(one_model).config
    resident = resident_bytes(config, 1)
    assert resident < weight_bytes(config, 1)
    monkeypatch.setattr("spark_tui.engine.machine.available_bytes", lambda: resident)
    assert "experts mapped from disk" in load(one_model, backend).model.kernels
    monkeypatch.setattr("spark_tui.engine.machine.available_bytes", lambda: resident - 1)
    for file in backend.weights_kept:
        file.unlink()
    with pytest.raises(ModelError, match="free some memory"):
        load(one_model, backend)


def test_what_is_mapped_is_not_counted_as_memory(one_model: Path, backend: Backend) -> None:
    whole = load(one_model, replace(backend, folder=None)).bytes
    assert load(one_model, backend).bytes < whole
    assert load(one_model, backend).bytes < whole


def test_only_the_user_may_read_the_file(one_model: Path, backend: Backend, tmp_path: Path) -> None:
    said(one_model, backend)
    place = file_of(tmp_path)
    assert [each.stat().st_mode & 0o777 for each in (place.parent, place)] == [0o700, 0o600]
    kinds = {each.suffix for each in place.parent.iterdir()}
    assert kinds == {expert_file.SUFFIX, prepared_weights.SUFFIX}


def test_the_files_used_longest_ago_make_room(
    one_model: Path, backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(one_model, backend)
    old = file_of(tmp_path)
    os.utime(old, (old.stat().st_mtime - 30,) * 2)
    monkeypatch.setattr(expert_file, "MOST_BYTES", old.stat().st_size * 3 // 2)
    said(one_model, replace(backend, bits=4))
    assert file_of(tmp_path) != old


def test_experts_larger_than_all_that_is_kept_stay_in_memory(
    one_model: Path, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expert_file, "MOST_BYTES", 1000)
    assert "experts in memory (they take 0.0 GB" in load(one_model, backend).model.kernels


def _leave(monkeypatch: pytest.MonkeyPatch, free: int) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))


def _no_space(*_: Any) -> int:
    raise OSError(28, "No space left on device")
