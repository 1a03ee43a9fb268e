"""The table of devices, and its plots."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from spark_tui.errors import FileError, UsageError
from spark_tui.wafer.compare import Row, as_json, compare, services
from spark_tui.wafer.devices import GPUS, WAFERS
from spark_tui.wafer.plots import Bar, Plot, as_svg, as_text, write_plot
from spark_tui.wafer.shapes import SHAPES

BARS = Plot("a < b & c", [Bar("one", 10.0, "10", 0.25), Bar("two", 5.0, "5", kind=1), Bar("none", 0.0, "-")], "note")


def _rows(model: str, **asked: int) -> dict[tuple[str, int], Row]:
    return {(row.device, row.count): row for row in compare(SHAPES[model], **asked)}


def test_every_device_has_its_row() -> None:
    rows = compare(SHAPES["llama3-8b"])
    assert [row.device for row in rows[:2]] == list(WAFERS)
    assert [(row.device, row.count) for row in rows[2:]] == [(gpu, count) for gpu in GPUS for count in (1, 8)]
    for row in rows:
        assert row.fits
        assert row.tokens_per_joule == pytest.approx(row.tokens_per_second / row.watts)
        assert 0 < row.first_token_seconds < 10


def test_wafers_answer_faster_and_gpus_with_fewer_joules() -> None:
    rows = _rows("llama3-8b")
    assert rows["wse2", 1].tokens_per_second > 5 * rows["h200", 8].tokens_per_second
    assert rows["a100", 1].tokens_per_second == pytest.approx(78.9, rel=0.06)
    assert rows["h200", 1].tokens_per_second > rows["h100", 1].tokens_per_second > rows["a100", 1].tokens_per_second


def test_the_published_services_are_no_faster_than_the_wafers_simulated_for_them() -> None:
    assert _rows("llama3-8b")["wse3", 1].tokens_per_second > 1800
    rows = compare(SHAPES["llama3-70b"])
    assert rows[1].device == "wse3"
    assert rows[1].tokens_per_second > 450
    assert next(service.speed for service in services(SHAPES["llama3-70b"])) == "450 tokens/s"
    assert services(SHAPES["qwen2-0.5b"]) == []


def test_what_is_not_calibrated_is_less_sure_and_says_why() -> None:
    rows = _rows("llama3-8b")
    for device in ("wse3", "h100", "h200"):
        assert rows[device, 1].uncertainty == 0.25
        assert rows[device, 1].note
    for device in ("wse2", "a100"):
        assert 0 < rows[device, 1].uncertainty < 0.2
        assert not rows[device, 1].note


def test_joules_count_the_wafer_and_not_its_system() -> None:
    rows = _rows("llama3-8b")
    assert rows["wse2", 1].watts == rows["wse3", 1].watts == 15_000
    assert "watts assumed" in rows["wse3", 1].note.replace("clock and ", "")


def test_a_longer_context_slows_every_device() -> None:
    short, long = _rows("llama3-8b", context=128), _rows("llama3-8b", context=4096)
    for place in short:
        assert short[place].tokens_per_second > long[place].tokens_per_second


def test_a_model_without_room_has_no_figures() -> None:
    rows = _rows("llama3-70b")
    assert not rows["a100", 1].fits
    assert "142 GB of 80 GB" in rows["a100", 1].note
    told = next(row for row in as_json(list(rows.values())) if (row["device"], row["count"]) == ("a100", 1))
    assert (told["tokens_per_second"], told["watts"], told["fits"]) == (None, None, False)
    assert rows["a100", 8].fits


def test_a_layer_no_wafer_holds_is_told_beside_the_others() -> None:
    rows = _rows("llama3-8b", context=1 << 24)
    assert not rows["wse2", 1].fits
    assert "larger than the wafer" in rows["wse2", 1].note


def test_a_larger_model_is_never_faster_anywhere() -> None:
    models = [compare(SHAPES[name]) for name in ("qwen2-0.5b", "llama3-8b", "qwen3-32b", "llama3-70b")]
    for rows in zip(*models, strict=True):
        speeds = [row.tokens_per_second for row in rows if row.fits]
        assert speeds == sorted(speeds, reverse=True)


@pytest.mark.parametrize("asked", [{"context": 0}, {"context": -5}, {"bits": 3}])
def test_what_makes_no_sense_is_refused(asked: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        compare(SHAPES["llama3-8b"], **asked)


def test_a_drawing_is_well_formed_and_keeps_within_its_page() -> None:
    root = ET.fromstring(as_svg([BARS, BARS]))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    space = "{http://www.w3.org/2000/svg}"
    assert [each.text for each in root.iter(f"{space}text")].count("a < b & c") == 2
    bars = [each for each in root.iter(f"{space}rect") if "kind" in each.attrib["class"]]
    lengths = [float(bar.attrib["width"]) for bar in bars]
    assert lengths[:3] == [pytest.approx(2 * lengths[1], abs=0.1), lengths[1], 0]
    assert all(float(bar.attrib["x"]) + float(bar.attrib["width"]) <= width for bar in bars)
    assert height > 0


def test_bars_as_text_keep_their_lengths_and_the_width() -> None:
    lines = as_text([BARS], width=40).split("\n")
    assert lines[0] == "a < b & c"
    assert max(map(len, lines)) <= 40
    assert lines[1].count("█") // 2 == lines[2].count("█") > 0
    assert "█" not in lines[3]
    assert as_text([Plot("empty", [])]) == "empty"


def test_a_plot_is_written_by_the_name_of_its_file(tmp_path: Path) -> None:
    write_plot(tmp_path / "a.svg", [BARS])
    write_plot(tmp_path / "a.TXT", [BARS])
    assert (tmp_path / "a.svg").read_text("utf-8").startswith("<svg")
    assert "█" in (tmp_path / "a.TXT").read_text("utf-8")
    with pytest.raises(UsageError, match=r"\.svg or a \.txt"):
        write_plot(tmp_path / "a.png", [BARS])
    with pytest.raises(FileError, match="cannot write"):
        write_plot(tmp_path / "none" / "a.svg", [BARS])
