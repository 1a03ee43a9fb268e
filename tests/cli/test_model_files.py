"""`spark model add`, `remove` and `export`, and models the user added wherever a model is named."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from spark_tui.cli.common import CANNOT_EDIT
from spark_tui.config import added_models, cache_dir, load_settings
from spark_tui.engine.backend import Backend, why_not_compiled
from spark_tui.engine.loader import load, read_model
from spark_tui.providers.calibration import Calibration
from tests.cli.conftest import Spark
from tests.engine.tiny import CONFIG, random_weights
from tests.engine.tiny import write_model as write_plain_model
from tests.fakes import write_model


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A sound model folder."""
    return write_model(tmp_path / "tiny")


def ids_and_logits(path: Path) -> tuple[list[int], list[float]]:
    """What a model makes of a text."""
    loaded = load(path)
    ids = loaded.tokenizer.encode("return value")
    return ids, [float(each) for each in loaded.model.forward(ids, loaded.model.new_cache())]


@pytest.mark.parametrize("weights", ["f32", "f16", "q8_0", "q4_0"])
def test_an_exported_gguf_is_a_model_like_the_folder(
    spark: Spark, tmp_path: Path, tiny: Path, weights: str
) -> None:
    file = tmp_path / "out.gguf"
    done = spark("model", "export", file, "-m", tiny, "--weights", weights)
    assert (done.code, 'with format = "quoting" in config.toml' in done.err) == (0, True)
    facts = json.loads(spark("model", "info", file, "--json").out)
    assert (facts["name"], facts["family"], facts["layers"]) == ("out", "qwen3", 3)
    assert facts["weights"][0].lower() in {weights, "f16"}
    ids, logits = ids_and_logits(file)
    assert ids == ids_and_logits(tiny)[0]
    if weights == "f32":
        assert logits == pytest.approx(ids_and_logits(tiny)[1], abs=1e-5)


def test_an_exported_folder_is_the_same_model(spark: Spark, tmp_path: Path, tiny: Path) -> None:
    assert spark("model", "export", tmp_path / "out", "-m", tiny, "--format", "hf").code == 0
    assert read_model(tmp_path / "out").config == read_model(tiny).config
    assert ids_and_logits(tmp_path / "out") == ids_and_logits(tiny)
    assert "cannot edit" not in spark("model", "info", tmp_path / "out").out
    assert Calibration.read(tmp_path / "out") == Calibration.read(tiny)
    assert len({file.stat().st_mode for file in (tmp_path / "out").iterdir()}) == 1


def test_an_exported_folder_tells_servers_which_token_ends_an_answer(
    spark: Spark, tmp_path: Path, tiny: Path
) -> None:
    assert spark("model", "export", tmp_path / "out", "-m", tiny, "--format", "hf").code == 0
    config = json.loads((tmp_path / "out" / "config.json").read_text("utf-8"))
    tokenizer = json.loads((tmp_path / "out" / "tokenizer_config.json").read_text("utf-8"))
    known = read_model(tiny).tokenizer
    assert config["eos_token_id"] == known.special(tokenizer["eos_token"])


def test_a_gguf_file_round_trips_through_a_folder(spark: Spark, tmp_path: Path, tiny: Path) -> None:
    spark("model", "export", tmp_path / "a.gguf", "-m", tiny, "--weights", "q8_0")
    spark("model", "export", tmp_path / "b", "-m", tmp_path / "a.gguf", "--format", "hf")
    assert ids_and_logits(tmp_path / "b") == ids_and_logits(tmp_path / "a.gguf")


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A sound model that was not made for editing."""
    write_plain_model(tmp_path / "foreign")
    return tmp_path / "foreign"


def test_a_model_that_cannot_edit_says_so_before_it_is_used(
    spark: Spark,
    repo: Callable[[Mapping[str, str | bytes]], Path],
    foreign: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(repo({"a.py": "d = 1\n"}))
    assert CANNOT_EDIT in spark("model", "info", foreign).out.splitlines()
    done = spark("model", "add", foreign)
    assert (done.code, done.err) == (0, f"spark: added as foreign; it {CANNOT_EDIT}\n")
    done = spark("exec", "rename d to e", "-m", "foreign")
    assert (done.code, f"foreign {CANNOT_EDIT}; name another model" in done.err) == (1, True)


def test_pickled_weights_are_never_read(spark: Spark, tiny: Path) -> None:
    (tiny / "model.safetensors").rename(tiny / "pytorch_model.bin")
    said = (
        "pytorch_model.bin: .bin files are pickles, which are never read; convert it to safetensors"
    )
    spark("model", "add", tiny).refuses(1, said)


@pytest.mark.parametrize("taken", ["out.gguf", "folder"])
def test_nothing_is_exported_over_what_is_there(
    spark: Spark, tmp_path: Path, tiny: Path, taken: str
) -> None:
    (tmp_path / "out.gguf").write_bytes(b"mine")
    (tmp_path / "folder").mkdir()
    spark("model", "export", tmp_path / taken, "-m", tiny).refuses(2, "already exists")
    assert (tmp_path / "out.gguf").read_bytes() == b"mine"


@pytest.mark.parametrize("form", ["gguf", "hf"])
def test_an_export_that_breaks_off_leaves_nothing_under_the_name(
    spark: Spark, tmp_path: Path, tiny: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also for whoever looks while the weights are written."""
    seen = []

    def fails(*_: object, **__: object) -> None:
        seen.append((tmp_path / "out").exists())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("spark_tui.engine.export.save_file", fails)
    monkeypatch.setattr("spark_tui.engine.export._pad", fails)
    before = set(tmp_path.iterdir())
    done = spark("model", "export", tmp_path / "out", "-m", tiny, "--format", form)
    assert (done.code, seen) == (1, [False])
    assert "out cannot be written (No space left on device)" in done.err
    assert set(tmp_path.iterdir()) == before


def test_a_place_that_cannot_be_written_is_named(spark: Spark, tmp_path: Path, tiny: Path) -> None:
    said = "none/out.gguf cannot be written (No such file or directory)"
    spark("model", "export", tmp_path / "none" / "out.gguf", "-m", tiny).refuses(1, said)


@pytest.mark.parametrize("kind", ["folder", "gguf"])
def test_an_added_model_is_known_by_its_name_everywhere(
    spark: Spark, tmp_path: Path, tiny: Path, kind: str
) -> None:
    source = tiny
    if kind == "gguf":
        source = tmp_path / "tiny.gguf"
        spark("model", "export", source, "-m", tiny, "--weights", "f32")
    done = spark("model", "add", source, "--name", "mine")
    told = "added; use it with -m mine" if kind == "folder" else f"added as mine; it {CANNOT_EDIT}"
    assert (done.code, done.err) == (0, f"spark: {told}\n")
    models = {
        model["name"]: model for model in json.loads(spark("model", "list", "--json").out)["models"]
    }
    assert (models["mine"]["added"], models["mine"]["edits"]) == (True, kind == "folder")
    assert (models["spark-m"]["added"], models["spark-m"]["edits"]) == (False, True)
    assert json.loads(spark("model", "info", "mine", "--json").out)["path"] == str(
        added_models()["mine"]
    )
    assert load_settings({"model": "mine"}).model == str(added_models()["mine"])
    assert ids_and_logits(added_models()["mine"])[0] == ids_and_logits(tiny)[0]
    assert "mine (added) " in spark("model", "list").out


def test_an_added_model_does_without_its_source(spark: Spark, tmp_path: Path, tiny: Path) -> None:
    before = ids_and_logits(tiny)
    (tiny / "notes.bin").write_bytes(b"not a part of it")
    assert spark("model", "add", tiny).code == 0
    tiny.rename(tmp_path / "moved")
    place = added_models()["tiny"]
    assert ids_and_logits(place) == before
    assert sorted(file.name for file in place.iterdir()) == [
        "answering.json",
        "config.json",
        "model.safetensors",
        "tokenizer.json",
    ]
    assert [each.name for each in place.parent.iterdir()] == ["tiny"]


def test_a_name_is_taken_once(spark: Spark, tiny: Path) -> None:
    assert spark("model", "add", tiny).code == 0
    done = spark("model", "add", tiny)
    assert (done.code, "there is a model 'tiny'" in done.err) == (2, True)
    assert spark("model", "add", tiny, "--name", "spark-m").code == 2


@pytest.mark.parametrize("name", ["../x", ".x", "", "a b", "-x", "x" * 65])
def test_a_name_that_is_no_file_name_is_refused(spark: Spark, tiny: Path, name: str) -> None:
    done = spark("model", "add", tiny, f"--name={name}")
    assert done.code == (2 if name else 0)
    if name:
        assert "is not a valid name for a model" in done.err


@pytest.mark.parametrize("damage", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_damaged_model_is_not_added(spark: Spark, tiny: Path, damage: str) -> None:
    content = (tiny / damage).read_bytes()
    (tiny / damage).write_bytes(content[: len(content) // 2])
    spark("model", "add", tiny).refuses(1, damage)
    assert added_models() == {}


def test_a_damaged_gguf_is_not_added(spark: Spark, tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"GGUF" + bytes(3))
    done = spark("model", "add", tmp_path / "bad.gguf")
    assert (done.code, "bad.gguf: truncated or damaged" in done.err) == (1, True)
    assert added_models() == {}


def test_what_is_no_model_at_all_is_a_wrong_request(spark: Spark, tmp_path: Path) -> None:
    assert spark("model", "add", tmp_path / "none").code == 2
    assert spark("model", "info", tmp_path / "none.gguf").code == 2


def test_a_removed_model_is_gone_and_shipped_ones_stay(spark: Spark, tiny: Path) -> None:
    spark("model", "add", tiny)
    assert spark("model", "remove", "tiny").code == 0
    assert added_models() == {}
    done = spark("model", "remove", "spark-m")
    assert (done.code, "no added model 'spark-m'; added are: none" in done.err) == (2, True)


@pytest.mark.skipif(bool(why_not_compiled()), reason="nothing is packed without compiled code")
def test_a_model_that_is_added_used_and_removed_leaves_nothing_packed(
    spark: Spark,
    tiny: Path,
    code_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPARK_KERNELS", "compiled")
    monkeypatch.setattr("spark_tui.engine.backend.weights_folder", lambda _: tmp_path / "packed")
    monkeypatch.setattr("spark_tui.engine.kernels.prepared_weights.LEAST_BYTES", 0)
    backend = Backend("compiled", folder=code_folder)
    backend.make(CONFIG, random_weights())  # which takes the code there
    cache_dir().mkdir(parents=True)
    (cache_dir() / "kernels").symlink_to(code_folder)
    assert spark("model", "add", tiny, "--name", "mine").code == 0
    assert backend.weights_kept == [], "a copy of the original's would be left"
    load(added_models()["mine"], backend)
    assert len(backend.weights_kept) == 1
    assert spark("model", "remove", "mine").code == 0
    assert backend.weights_kept == []


@pytest.mark.parametrize("name", ["README.md", "notes.json", "LICENSE.txt", "more.safetensors"])
@pytest.mark.parametrize("kind", ["endless", "pipe", "huge"])
def test_what_lies_beside_a_model_cannot_fill_the_disk(
    spark: Spark, tiny: Path, name: str, kind: str
) -> None:
    if kind == "huge" and name.endswith(".safetensors"):
        pytest.skip("weights may be large")
    place = tiny / name
    if kind == "endless":
        place.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        with place.open("wb") as file:
            file.truncate(1 << 40)
    done = spark("model", "add", tiny)
    assert done.code == 1
    assert name in done.err
    assert added_models() == {}


def test_a_folder_of_links_to_files_is_copied(spark: Spark, tiny: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    for file in tiny.iterdir():
        (linked / file.name).symlink_to(file)
    assert spark("model", "add", linked).code == 0
    (place,) = added_models().values()
    assert not any(file.is_symlink() for file in place.iterdir())
    assert ids_and_logits(place) == ids_and_logits(tiny)


def test_a_calibration_that_nests_too_deeply_is_a_damaged_file(spark: Spark, tiny: Path) -> None:
    for text in ("[" * 100_000, '{"format":' * 100_000, '{"format": 1, "weights": ' + "[" * 90_000):
        (tiny / "answering.json").write_text(text)
        done = spark("model", "add", tiny)
        assert done.code == 1
        assert "answering.json" in done.err
        assert len(done.err) < 1000
