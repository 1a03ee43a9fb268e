"""Weights kept as compiled code takes them: the same model at the next start, or none where
anything is wrong.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.backend import Backend, weights_folder, why_not_compiled
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.loader import load, model_files
from tests.engine.tiny import CONFIG, FAMILIES, random_weights, write_model

if reason := why_not_compiled():
    pytest.skip(reason, allow_module_level=True)

from spark_tui.engine.kernels import prepared_weights
from spark_tui.engine.kernels.cached_files import HOUR, PART, aligned, files_in
from spark_tui.engine.kernels.compiled import CompiledDecoder
from spark_tui.engine.kernels.weight_order import Arranged, arrange

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "nothing left": lambda _: b"",
    "cut": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "no header": lambda data: data[:20],
    "a number of the header": lambda data: data.replace(b'"end": ', b'"end":0', 1),
    "the first weight": lambda data: _other_byte(data, aligned(data.index(b"\0" * 8) + 1)),
    "another kind of file": lambda data: b"GGUF" + data[4:],
}


def _other_byte(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.fixture(autouse=True)
def small_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared_weights, "LEAST_BYTES", 0)


def arranged_weights(config: ModelConfig = CONFIG, bits: int = 8, seed: int = 0) -> Arranged:
    return arrange(config, random_weights(config, seed), bits, 1)


def logits(config: ModelConfig, arranged: Arranged) -> FloatArray:
    model = CompiledDecoder(config, arranged)
    return model.forward([1, 2, 3, 4, 5], model.new_cache(8), last_only=False)


@pytest.mark.parametrize("bits", [4, 8, 32])
@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_kept_computes_the_same_bit_for_bit(
    family: str, bits: int, tmp_path: Path, code_folder: Path
) -> None:
    Backend(folder=code_folder).make(CONFIG, random_weights())  # which takes the code there
    config, place = FAMILIES[family], tmp_path / "weights" / "one.weights"
    arranged = arranged_weights(config, bits)
    prepared_weights.keep(arranged, place)
    found = prepared_weights.kept(place, 2)
    assert found is not None
    assert (found.bits, len(found.layers)) == (bits, config.n_layers)
    assert (found.head is found.embedding) == config.tie_word_embeddings
    assert logits(config, found).tobytes() == logits(config, arranged).tobytes()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_not_taken(damage: str, tmp_path: Path) -> None:
    place = tmp_path / "one.weights"
    prepared_weights.keep(arranged_weights(), place)
    assert prepared_weights.kept(place, 1) is not None
    place.write_bytes(DAMAGES[damage](place.read_bytes()))
    assert prepared_weights.kept(place, 1) is None


def test_every_byte_of_the_weights_is_looked_at(tmp_path: Path) -> None:
    place = tmp_path / "one.weights"
    arranged = arranged_weights()
    prepared_weights.keep(arranged, place)
    whole = place.read_bytes()
    for matrix in arranged.matrices():
        data = matrix.data.tobytes()
        for at in (0, len(data) - 1):
            place.write_bytes(_other_byte(whole, whole.index(data) + at))
            assert prepared_weights.kept(place, 1) is None


def test_only_the_user_may_read_what_is_kept_and_nothing_else_is_left(tmp_path: Path) -> None:
    place = tmp_path / "weights" / "one.weights"
    prepared_weights.keep(arranged_weights(), place)
    assert [each.stat().st_mode & 0o777 for each in (place.parent, place)] == [0o700, 0o600]
    assert list(place.parent.iterdir()) == [place]


def test_the_files_used_longest_ago_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [tmp_path / f"{number}.weights" for number in range(3)]
    for age, place in zip((30, 20), places, strict=False):
        prepared_weights.keep(arranged_weights(), place)
        os.utime(place, (place.stat().st_mtime - age,) * 2)
    monkeypatch.setattr(prepared_weights, "MOST_BYTES", 2 * places[0].stat().st_size)
    assert prepared_weights.kept(places[0], 1) is not None
    prepared_weights.keep(arranged_weights(), places[2])
    assert sorted(files_in(tmp_path, prepared_weights.SUFFIX)) == [places[0], places[2]]


def test_what_a_writer_left_that_came_to_no_end_is_removed_later(tmp_path: Path) -> None:
    old, new = (tmp_path / f"{name}{PART}" for name in ("old", "new"))
    for part in (old, new):
        part.touch()
    os.utime(old, (old.stat().st_mtime - 2 * HOUR,) * 2)
    prepared_weights.keep(arranged_weights(), tmp_path / "one.weights")
    assert (old.exists(), new.exists()) == (False, True)


@pytest.mark.parametrize(
    "wrong", ["no folder", "full disk", "too large", "too small", "an error at the end"]
)
def test_where_nothing_can_be_kept_nothing_is(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "weights" / "one.weights"
    if wrong == "no folder":
        place.parent.write_text("")
    if wrong == "full disk":
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    if wrong == "too large":
        monkeypatch.setattr(prepared_weights, "MOST_BYTES", 1000)
    if wrong == "too small":
        monkeypatch.setattr(prepared_weights, "LEAST_BYTES", 1 << 30)
    if wrong == "an error at the end":
        monkeypatch.setattr(Path, "replace", _no_space)
    prepared_weights.keep(arranged_weights(), place)
    assert prepared_weights.kept(place, 1) is None
    assert not place.parent.is_dir() or not list(place.parent.iterdir())


def _no_space(_: Path, __: Path) -> Path:
    raise OSError(28, "No space left on device")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write_model(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def backend(code_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Backend:
    monkeypatch.setattr("spark_tui.engine.backend.weights_folder", lambda _: tmp_path / "weights")
    return Backend("compiled", 8, 1, code_folder)


def said(path: Path, backend: Backend) -> bytes:
    loaded = load(path, backend).model
    return loaded.forward([1, 2, 3], loaded.new_cache(8)).tobytes()


def test_the_next_start_reads_no_weights(
    model: Path, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = said(model, backend)
    monkeypatch.setattr(
        "spark_tui.engine.kernels.weight_order.arrange", lambda *_: pytest.fail("arranged anew")
    )
    assert said(model, backend) == first
    with pytest.raises(pytest.fail.Exception):
        said(model, replace(backend, bits=4))


def test_a_model_that_was_changed_is_read_anew(
    model: Path, backend: Backend, tmp_path: Path
) -> None:
    first = said(model, backend)
    write_model(tmp_path / "other", seed=1)
    (model / "model.safetensors").write_bytes(
        (tmp_path / "other" / "model.safetensors").read_bytes()
    )
    second = said(model, backend)
    assert second != first
    assert second == said(tmp_path / "other", backend)


def test_a_damaged_file_is_made_anew(model: Path, backend: Backend, tmp_path: Path) -> None:
    first = said(model, backend)
    (place,) = (tmp_path / "weights").iterdir()
    whole = place.read_bytes()
    place.unlink()
    place.write_bytes(whole[:-1])
    assert said(model, backend) == first
    assert place.read_bytes() == whole


def test_a_backend_tells_what_is_kept_beside_its_code(tmp_path: Path) -> None:
    backend = Backend(folder=tmp_path)
    assert backend.weights_kept == []
    prepared_weights.keep(arranged_weights(), weights_folder(tmp_path) / "one.weights")
    assert backend.weights_kept == [tmp_path / "weights" / "one.weights"]


def test_a_model_has_bits_of_its_own_and_its_weights_are_forgotten_alone(
    model: Path, backend: Backend, tmp_path: Path
) -> None:
    write_model(tmp_path / "other")
    few = replace(backend, own_bits={model: 4})
    assert said(model, few) == said(model, replace(backend, bits=4))
    assert said(tmp_path / "other", few) == said(tmp_path / "other", backend)
    kept = set((tmp_path / "weights").iterdir())
    assert len(kept) == 2
    said(model, replace(backend, bits=32))  # other bits of the same model go with it
    assert few.of_model(model).has_kept(model_files(model))
    few.of_model(model).forget(model_files(model))
    assert not few.of_model(model).has_kept(model_files(model))
    (left,) = (tmp_path / "weights").iterdir()
    assert left in kept
    said(tmp_path / "other", few)
    assert list((tmp_path / "weights").iterdir()) == [left]
