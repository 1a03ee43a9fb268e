"""Models that are fetched by name: from a stand-in for the hub, whole and checked, or not at
all.
"""

import errno
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from spark_tui.cli.catalogue import Listed, Prospect, catalogue
from spark_tui.config import added_models, cache_dir, data_dir
from spark_tui.providers.registry import Models
from tests.cli.conftest import Spark
from tests.cli.hub import Hub, hub_with
from tests.fakes import write_model

NAME = "qwen3-0.6b"


@pytest.fixture
def hub(spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub that has a tiny model under that name."""
    file = tmp_path / "tiny.gguf"
    assert spark("model", "export", file, "-m", write_model(tmp_path / "tiny")).code == 0
    with hub_with(file.read_bytes()) as hub:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
        monkeypatch.setattr(
            "huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE",
            hub.url + "/{repo_id}/resolve/{revision}/{filename}",
        )
        monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 1024)
        yield hub


def test_a_model_is_fetched_checked_and_kept_under_its_name(spark: Spark, hub: Hub) -> None:
    done = spark("model", "add", NAME)
    assert done.code == 0, done.err
    assert "639 MB from Qwen/Qwen3-0.6B-GGUF, Apache-2.0" in done.err
    assert added_models()[NAME].read_bytes() == hub.served
    assert {path for _, path, _ in hub.asked} == {
        "/Qwen/Qwen3-0.6B-GGUF/resolve/main/Qwen3-0.6B-Q8_0.gguf"
    }
    assert not (cache_dir() / "downloads" / NAME).exists()
    assert spark("model", "info", NAME).code == 0
    assert NAME not in [
        each["name"]
        for each in json.loads(spark("model", "list", "--all", "--json").out)["catalogue"]
    ]


def test_a_download_that_broke_off_goes_on_where_it_stopped(spark: Spark, hub: Hub) -> None:
    hub.breaks_off = True
    done = spark("model", "add", NAME)
    assert done.code == 0, done.err
    assert added_models()[NAME].read_bytes() == hub.served
    starts = [int(asked.removeprefix("bytes=").split("-")[0]) for _, _, asked in hub.asked if asked]
    assert starts
    assert 0 < starts[0] <= len(hub.served) // 2


def test_a_damaged_file_is_not_kept(spark: Spark, hub: Hub) -> None:
    hub.digest = "0" * 64
    done = spark("model", "add", NAME)
    assert (done.code, added_models()) == (75, {})
    assert "arrived damaged; try again" in done.err
    assert not (cache_dir() / "downloads" / NAME).exists()


@pytest.mark.parametrize(
    ("status", "code", "said"), [(404, 2, "(404)"), (401, 2, "(401)"), (503, 75, "503")]
)
def test_a_refusal_is_one_line(spark: Spark, hub: Hub, status: int, code: int, said: str) -> None:
    hub.status = status
    done = spark("model", "add", NAME)
    assert (done.code, added_models()) == (code, {})
    assert said in done.err.splitlines()[-1]
    assert "Traceback" not in done.err


def test_without_a_network_it_says_so(spark: Spark, hub: Hub) -> None:
    hub.server_close()
    done = spark("model", "add", NAME)
    assert (done.code, "cannot reach the hub" in done.err.splitlines()[-1]) == (75, True)


def test_nothing_is_fetched_for_a_name_that_is_taken_or_unknown(spark: Spark, hub: Hub) -> None:
    assert spark("model", "add", NAME, "--name", "spark-m").code == 2
    assert spark("model", "add", "no-such-model").code == 2
    assert hub.asked == []


@pytest.fixture
def pinned(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> Listed:
    """The second model, of which only the file on the hub counts."""
    model = replace(
        catalogue()["spark-l"],
        size=len(hub.served),
        sha256=sha256(hub.served).hexdigest(),
        parameters=1e5,
    )
    models = {**catalogue(), model.name: model}
    monkeypatch.setattr("spark_tui.cli.catalogue.catalogue", lambda: models)
    monkeypatch.setattr("spark_tui.cli.models.catalogue", lambda: models)
    return model


def second_model() -> str:
    """The model that judges where no other is named."""
    return Models(added=added_models()).second_model


def left_over() -> list[Path]:
    """All files of models and downloads."""
    folders = (data_dir() / "models", cache_dir() / "downloads")
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]


def test_the_second_model_is_fetched_used_and_removed_with_all_it_took(
    spark: Spark, pinned: Listed, hub: Hub
) -> None:
    assert second_model() == ""
    done = spark("model", "add", "spark-l")
    assert done.code == 0, done.err
    assert "spark-l is ready; use it with -m spark-l" in done.err
    assert added_models()["spark-l"].read_bytes() == hub.served
    assert second_model() == "spark-l"
    assert spark("model", "info", "spark-l").code == 0
    assert spark("model", "remove", "spark-l").code == 0
    assert (second_model(), left_over()) == ("", [])


def test_the_second_model_may_be_taken_from_a_file(
    spark: Spark, pinned: Listed, hub: Hub, tmp_path: Path
) -> None:
    file = tmp_path / "downloaded.gguf"
    file.write_bytes(hub.served)
    assert spark("model", "add", "spark-l", file).code == 0
    assert (second_model(), file.read_bytes()) == ("spark-l", hub.served)
    assert hub.asked == []


@pytest.mark.parametrize("arguments", [["spark-l", "FILE"], ["FILE", "--name", "spark-l"]])
@pytest.mark.parametrize("wrong", ["longer", "changed", "none"])
def test_another_file_never_becomes_the_second_model(
    spark: Spark, pinned: Listed, hub: Hub, tmp_path: Path, arguments: list[str], wrong: str
) -> None:
    file = tmp_path / "downloaded.gguf"
    if wrong == "longer":
        file.write_bytes(hub.served + b"!")
    elif wrong == "changed":
        file.write_bytes(hub.served[:-1] + b"!")
    named = [str(file) if each == "FILE" else each for each in arguments]
    assert spark("model", "add", *named).code == 2
    assert (second_model(), left_over()) == ("", [])


def test_another_file_on_the_hub_is_refused_before_it_is_fetched(
    spark: Spark, pinned: Listed, hub: Hub
) -> None:
    hub.digest = "0" * 64
    done = spark("model", "add", "spark-l")
    assert (done.code, left_over()) == (2, [])
    assert "the hub has another" in done.err
    assert pinned.sha256 in done.err
    assert {method for method, _, _ in hub.asked} == {"HEAD"}


def test_a_damaged_download_of_the_second_model_is_not_kept(
    spark: Spark, pinned: Listed, hub: Hub
) -> None:
    hub.served = hub.served[:-1] + bytes([hub.served[-1] ^ 1])
    done = spark("model", "add", "spark-l")
    assert (done.code, left_over()) == (75, [])
    assert "arrived damaged; try again" in done.err


def test_a_cut_download_of_the_second_model_goes_on(spark: Spark, pinned: Listed, hub: Hub) -> None:
    hub.breaks_off = True
    assert spark("model", "add", "spark-l").code == 0
    assert second_model() == "spark-l"
    assert any(asked.startswith("bytes=") and asked != "bytes=0-" for _, _, asked in hub.asked)


@pytest.mark.parametrize(("free", "said"), [("disk", "GB of disk"), ("memory", "of memory")])
def test_too_little_room_is_said_before_anything_is_fetched(
    spark: Spark, pinned: Listed, hub: Hub, free: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if free == "disk":
        monkeypatch.setattr("spark_tui.cli.catalogue.free_bytes", lambda _: 1000)
    else:
        monkeypatch.setattr("spark_tui.engine.machine.available_bytes", lambda: 1000)
    done = spark("model", "add", "spark-l")
    assert (done.code, left_over(), hub.asked) == (1, [], [])
    assert said in done.err


def test_a_disk_that_fills_up_leaves_the_second_model_out_until_the_next_call(
    spark: Spark, pinned: Listed, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "downloaded.gguf"
    file.write_bytes(hub.served)

    def fills_up(_: Path, target: Path) -> None:
        target.write_bytes(hub.served[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", fills_up)
        done = spark("model", "add", "spark-l", file)
    assert (done.code, left_over()) == (1, [])
    assert "No space left on device" in done.err
    assert spark("model", "add", "spark-l", file).code == 0
    assert second_model() == "spark-l"


@pytest.mark.parametrize("moment", ["fetched", "copying", "placed"])
def test_a_call_goes_on_where_one_was_killed(
    spark: Spark, pinned: Listed, hub: Hub, moment: str
) -> None:
    models = data_dir() / "models"
    unfinished = models / ".spark-l.gguf-killed"
    if moment == "fetched":
        folder = cache_dir() / "downloads" / "spark-l"
        folder.mkdir(parents=True)
        (folder / pinned.file).write_bytes(hub.served)
    elif moment == "copying":
        unfinished.mkdir(parents=True)
        (unfinished / "spark-l.gguf").write_bytes(hub.served[:100])
    else:
        models.mkdir(parents=True)
        (models / "spark-l.gguf").write_bytes(hub.served)
    assert (second_model() == "spark-l") == (moment == "placed")
    done = spark("model", "add", "spark-l")
    assert done.code == 0, done.err
    assert left_over() == [models / "spark-l.gguf"]
    assert second_model() == "spark-l"


def test_what_was_fetched_is_removed_also_before_it_was_added(
    spark: Spark, pinned: Listed, hub: Hub
) -> None:
    folder = cache_dir() / "downloads" / "spark-l"
    folder.mkdir(parents=True)
    (folder / pinned.file).write_bytes(hub.served[:100])
    assert spark("model", "remove", "spark-l").code == 0
    assert left_over() == []
    assert spark("model", "remove", "spark-l").code == 2


def test_the_list_says_what_each_takes(spark: Spark) -> None:
    assert NAME not in spark("model", "list").out
    lines = [
        line
        for line in spark("model", "list", "--all").out.splitlines()
        if "spark model add" in line
    ]
    assert len(lines) == len(catalogue())
    assert all(" MB from " in line and " GB of memory" in line for line in lines)
    assert all(" tokens/s" in line or "more than is free here" in line for line in lines)


def test_a_program_is_told_what_each_takes_and_how_fast_it_writes(spark: Spark) -> None:
    listed = json.loads(spark("model", "list", "--all", "--json").out)["catalogue"]
    assert [each["name"] for each in listed] == list(catalogue())
    for each in listed:
        least = each["active"] if each["from_disk"] else each["parameters"]
        assert each["memory"] > least
        assert each["tokens_per_second"] > 0
        assert each["bits"] == (catalogue()[each["name"]].bits or 8)


@pytest.mark.parametrize(
    ("free", "free_disk", "fits_in", "from_disk", "said"),
    [
        (20e9, 60e9, 4, False, "18.8 GB of memory with 4-bit weights, fits, about 11 tokens/s"),
        (9e9, 60e9, 4, True, "7.3 GB of memory with 4-bit weights, fits, more experts read from"),
        (9e9, 30e9, 0, False, "18.8 GB of memory with 4-bit weights, more than is free here"),
        (5e9, 60e9, 0, False, "18.8 GB of memory with 4-bit weights, more than is free here"),
    ],
)
def test_a_mixture_fits_where_its_active_experts_do_and_the_disk_holds_the_others(
    free: float, free_disk: float, fits_in: int, from_disk: bool, said: str
) -> None:
    model = catalogue()["qwen3-coder-30b-a3b"]
    prospect = Prospect.of(model, 4, int(free), 20e9, int(free_disk))
    assert (prospect.fits, prospect.fits_in) == (bool(fits_in), fits_in)
    assert prospect.from_disk == from_disk
    assert said in prospect.summary


def test_a_mixture_that_is_too_large_in_8_bits_fits_in_4() -> None:
    model = catalogue()["qwen3-coder-30b-a3b"]
    prospect = Prospect.of(model, 8, int(8e9), 20e9, int(60e9))
    assert (prospect.fits, prospect.fits_in) == (False, 4)


def test_a_mixture_is_as_large_as_all_its_experts_and_as_fast_as_the_active_ones() -> None:
    mixture, dense = catalogue()["qwen3-coder-30b-a3b"], catalogue()["qwen3-8b"]
    assert mixture.memory(4) > 2 * dense.memory(4)
    assert mixture.speed(4, 30e9) > 2 * dense.speed(4, 30e9)


@pytest.mark.parametrize(
    ("free", "fits", "fits_in", "said"),
    [
        (13_000_000_000, True, 8, "12.3 GB of memory with 8-bit weights, fits, about 2.4 tokens/s"),
        (10_000_000_000, False, 4, "fits with bits = 4 in config.toml, about 4.3 tokens/s"),
        (1_000_000_000, False, 0, "more than is free here"),
        (None, None, 8, "12.3 GB of memory with 8-bit weights, about 2.4 tokens/s"),
    ],
)
def test_what_fits_is_said_with_the_bits_it_fits_in(
    free: int | None, fits: bool | None, fits_in: int, said: str
) -> None:
    prospect = Prospect.of(catalogue()["qwen3-8b"], 8, free, 20e9)
    assert (prospect.fits, prospect.fits_in) == (fits, fits_in)
    assert said in prospect.summary
