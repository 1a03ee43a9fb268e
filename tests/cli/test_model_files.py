"""`spark model add`, `remove` and `export`, and models the user added wherever a model is named."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from spark_tui.config import added_models, load_settings
from spark_tui.engine.gguf_write import write_gguf
from spark_tui.engine.library import find_model, load, read_model
from spark_tui.errors import ModelError
from spark_tui.session.intents import leaning
from tests.cli.conftest import Spark
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
def test_an_exported_gguf_is_a_model_like_the_folder(spark: Spark, tmp_path: Path, tiny: Path, weights: str) -> None:
    file = tmp_path / "out.gguf"
    assert spark("model", "export", file, "-m", tiny, "--weights", weights).code == 0
    facts = json.loads(spark("model", "info", file, "--json").out)
    assert (facts["name"], facts["family"], facts["layers"]) == ("out", "qwen3", 2)
    assert facts["weights"][0].lower() in {weights, "f16"}
    ids, logits = ids_and_logits(file)
    assert ids == ids_and_logits(tiny)[0]
    if weights == "f32":
        assert logits == pytest.approx(ids_and_logits(tiny)[1], abs=1e-5)


def test_an_exported_folder_is_the_same_model(spark: Spark, tmp_path: Path, tiny: Path) -> None:
    (tiny / "intents.json.gz").write_bytes(b"counts")
    assert spark("model", "export", tmp_path / "out", "-m", tiny, "--format", "hf").code == 0
    assert read_model(tmp_path / "out").config == read_model(tiny).config
    assert ids_and_logits(tmp_path / "out") == ids_and_logits(tiny)
    assert (tmp_path / "out" / "intents.json.gz").read_bytes() == b"counts"
    modes = {file.stat().st_mode for file in (tmp_path / "out").iterdir() if file.name != "intents.json.gz"}
    assert len(modes) == 1


def test_a_gguf_file_round_trips_through_a_folder(spark: Spark, tmp_path: Path, tiny: Path) -> None:
    spark("model", "export", tmp_path / "a.gguf", "-m", tiny, "--weights", "q8_0")
    spark("model", "export", tmp_path / "b", "-m", tmp_path / "a.gguf", "--format", "hf")
    assert ids_and_logits(tmp_path / "b") == ids_and_logits(tmp_path / "a.gguf")


def test_exporting_the_shipped_model_tells_what_other_programs_read_otherwise(spark: Spark, tmp_path: Path) -> None:
    done = spark("model", "export", tmp_path / "s.gguf")
    assert done.code == 0
    assert len(done.err.splitlines()) == 1
    assert "llama.cpp has no name for how this tokenizer splits text" in done.err
    assert "2,000 lines of Python" in done.err


def test_an_exported_gguf_leans_and_doubts_as_the_folder_does(spark: Spark, tmp_path: Path) -> None:
    spark("model", "export", tmp_path / "s.gguf")
    spark("model", "export", tmp_path / "back", "-m", tmp_path / "s.gguf", "--format", "hf")
    folder = load(find_model())
    expected = leaning(folder, "rename d to expenses", ["d = 1"])
    assert expected is not None
    for path in (tmp_path / "s.gguf", tmp_path / "back"):
        again = load(path)
        assert again.extras == folder.extras
        leant = leaning(again, "rename d to expenses", ["d = 1"])
        assert leant is not None
        assert leant == expected
        assert again.config.min_confidence == pytest.approx(folder.config.min_confidence)
        assert again.config.free_words == folder.config.free_words


def gguf_with(file: Path, tiny: Path, extras: dict[str, bytes]) -> Path:
    """A model as a GGUF file that keeps these files."""
    stored = read_model(tiny)
    write_gguf(file, stored.config, stored.weights, stored.tokenizer, "f32", name="a", extras=extras)
    return file


def test_damaged_counts_in_a_gguf_are_told(tmp_path: Path, tiny: Path) -> None:
    loaded = load(gguf_with(tmp_path / "a.gguf", tiny, {"intents.json.gz": b"no gzip"}))
    with pytest.raises(ModelError, match=r"a\.gguf: intents\.json\.gz is damaged"):
        leaning(loaded, "rename", [])


@pytest.mark.parametrize("name", ["../away.json.gz", "/away.json.gz", "model.safetensors", "a.json.gz\n"])
def test_a_gguf_keeps_no_file_that_could_lie_elsewhere(tmp_path: Path, tiny: Path, name: str) -> None:
    assert load(gguf_with(tmp_path / "a.gguf", tiny, {name: b"x"})).extras == {}


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A sound model that was not made for editing."""
    write_plain_model(tmp_path / "foreign")
    return tmp_path / "foreign"


def test_a_model_that_cannot_edit_says_so_before_it_is_used(
    spark: Spark, repo: Callable[[Mapping[str, str | bytes]], Path], foreign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo({"a.py": "d = 1\n"}))
    sentence = "cannot edit: not made for spark's edit format; for measuring only"
    assert sentence in spark("model", "info", foreign).out.splitlines()
    done = spark("model", "add", foreign)
    assert (done.code, done.err) == (0, f"spark: added as foreign; it {sentence}\n")
    done = spark("exec", "rename d to e", "-m", "foreign")
    assert (done.code, f"foreign {sentence}" in done.err) == (1, True)


def test_pickled_weights_are_never_read(spark: Spark, tiny: Path) -> None:
    (tiny / "model.safetensors").rename(tiny / "pytorch_model.bin")
    done = spark("model", "add", tiny)
    assert (done.code, len(done.err.splitlines())) == (1, 1)
    assert "pytorch_model.bin: .bin files are pickles, which are never read; convert it to safetensors" in done.err


@pytest.mark.parametrize("taken", ["out.gguf", "folder"])
def test_nothing_is_exported_over_what_is_there(spark: Spark, tmp_path: Path, tiny: Path, taken: str) -> None:
    (tmp_path / "out.gguf").write_bytes(b"mine")
    (tmp_path / "folder").mkdir()
    done = spark("model", "export", tmp_path / taken, "-m", tiny)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "is there already" in done.err
    assert (tmp_path / "out.gguf").read_bytes() == b"mine"


def test_a_place_that_cannot_be_written_is_named(spark: Spark, tmp_path: Path, tiny: Path) -> None:
    done = spark("model", "export", tmp_path / "none" / "out.gguf", "-m", tiny)
    assert (done.code, len(done.err.splitlines())) == (1, 1)
    assert "none/out.gguf cannot be written (No such file or directory)" in done.err


def test_number_formats_are_for_gguf_alone(spark: Spark, tmp_path: Path, tiny: Path) -> None:
    done = spark("model", "export", tmp_path / "out", "-m", tiny, "--format", "hf", "--weights", "f16")
    assert (done.code, "--weights is for GGUF" in done.err) == (2, True)


@pytest.mark.parametrize("kind", ["folder", "gguf"])
def test_an_added_model_is_known_by_its_name_everywhere(spark: Spark, tmp_path: Path, tiny: Path, kind: str) -> None:
    source = tiny
    if kind == "gguf":
        source = tmp_path / "tiny.gguf"
        spark("model", "export", source, "-m", tiny, "--weights", "f32")
    done = spark("model", "add", source, "--name", "mine")
    assert (done.code, done.err) == (0, "spark: added; use it with -m mine\n")
    models = {model["name"]: model for model in json.loads(spark("model", "list", "--json").out)["models"]}
    assert models["mine"]["added"]
    assert not models["spark-s"]["added"]
    assert json.loads(spark("model", "info", "mine", "--json").out)["path"] == str(added_models()["mine"])
    assert load_settings({"model": "mine"}).model == str(added_models()["mine"])
    assert ids_and_logits(added_models()["mine"])[0] == ids_and_logits(tiny)[0]
    assert "mine (added)" in spark("model", "list").out


def test_an_added_model_does_without_its_source(spark: Spark, tmp_path: Path, tiny: Path) -> None:
    before = ids_and_logits(tiny)
    (tiny / "notes.bin").write_bytes(b"not a part of it")
    assert spark("model", "add", tiny).code == 0
    tiny.rename(tmp_path / "moved")
    place = added_models()["tiny"]
    assert ids_and_logits(place) == before
    assert sorted(file.name for file in place.iterdir()) == ["config.json", "model.safetensors", "tokenizer.json"]
    assert [each.name for each in place.parent.iterdir()] == ["tiny"]


def test_a_name_is_taken_once(spark: Spark, tiny: Path) -> None:
    assert spark("model", "add", tiny).code == 0
    done = spark("model", "add", tiny)
    assert (done.code, "there is a model 'tiny'" in done.err) == (2, True)
    assert spark("model", "add", tiny, "--name", "spark-s").code == 2


@pytest.mark.parametrize("name", ["../x", ".x", "", "a b", "-x", "x" * 65])
def test_a_name_that_is_no_file_name_is_refused(spark: Spark, tiny: Path, name: str) -> None:
    done = spark("model", "add", tiny, f"--name={name}")
    assert done.code == (2 if name else 0)
    if name:
        assert "is no name for a model" in done.err


@pytest.mark.parametrize("damage", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_damaged_model_is_not_added(spark: Spark, tiny: Path, damage: str) -> None:
    content = (tiny / damage).read_bytes()
    (tiny / damage).write_bytes(content[: len(content) // 2])
    done = spark("model", "add", tiny)
    assert (done.code, len(done.err.splitlines())) == (1, 1)
    assert damage in done.err
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
    done = spark("model", "remove", "spark-s")
    assert (done.code, "no added model 'spark-s'; added are: none" in done.err) == (2, True)
