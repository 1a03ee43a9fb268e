"""`spark bench`: the object it prints, the rows, and what happens without a peer."""

import json
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from spark_tui.cli.bench import decode
from spark_tui.cli.bench import llama_cpp as llama
from spark_tui.cli.bench.llama_cpp import SHAPES, write_random_model
from spark_tui.cli.bench.suite import Figure, Pairs, as_line, in_turn, paired_row, row, tail_row
from spark_tui.engine.loader import load
from spark_tui.errors import SparkError
from spark_tui.providers.calibration import FILE_NAME
from tests.cli.conftest import Spark
from tests.engine.tiny import CONFIG
from tests.fakes import write_model
from tests.providers.chat_models import write_chat_model

CONTEXT = 2048
ROW = {
    "metric",
    "case",
    "unit",
    "ours",
    "ours_min",
    "ours_max",
    "peer_name",
    "peer",
    "ratio",
    "limit",
    "runs",
}


@pytest.fixture
def _no_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("spark_tui.cli.bench.llama_cpp.import_module", missing)


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_tui.cli.bench.suite._BEYOND_CACHES", 1 << 20)
    monkeypatch.setenv("SPARK_KERNELS", "numpy")
    monkeypatch.setattr("spark_tui.cli.bench.suite.SETTLE_SECONDS", 0.0)


@pytest.mark.usefixtures("_no_peer")
def test_decode_prints_the_documented_object(spark: Spark, tmp_path: Path) -> None:
    model = write_model(tmp_path / "tiny")
    done = spark("bench", "decode", "--runs", "2", "--json", "--cases", "embedded-8", "-m", model)
    body = json.loads(done.out)
    assert (done.code, body["bench"], set(body)) == (
        0,
        "decode",
        {"bench", "machine", "versions", "rows"},
    )
    assert {row["metric"] for row in body["rows"]} == {
        "decode_tokens_per_second",
        "prefill_tokens_per_second",
    }
    assert {"cpu", "cores", "features", "read_gigabytes_per_second"} <= set(body["machine"])
    for each in body["rows"]:
        assert each["case"].startswith("tiny numpy float32, ")
        assert set(each) == ROW
        assert 0 < each["ours_min"] <= each["ours"] <= each["ours_max"]
        assert (each["runs"], each["peer"], each["peer_name"], each["ratio"]) == (
            2,
            None,
            None,
            None,
        )


@pytest.mark.usefixtures("_no_peer")
def test_without_the_peer_one_line_says_how_to_get_it(spark: Spark, tmp_path: Path) -> None:
    model = write_model(tmp_path / "tiny")
    done = spark("bench", "decode", "--runs", "1", "--cases", "embedded-8", "-m", model)
    told = [line for line in done.err.splitlines() if "llama" in line]
    assert told == [
        f"llama.cpp is not installed, so nothing is measured beside ours: {llama.INSTALL}"
    ]
    assert "decode_tokens_per_second" in done.out


def _not_taught(folder: Path) -> Path:
    (write_model(folder) / FILE_NAME).unlink()
    return folder


@pytest.mark.parametrize("name", ["edit", "latency", "ui"])
def test_a_model_not_taught_is_refused_before_anything_is_measured(
    spark: Spark, tmp_path: Path, name: str
) -> None:
    done = spark("bench", name, "-m", _not_taught(tmp_path / "tiny"))
    assert (done.code, done.out) == (1, "")
    assert (
        done.err.splitlines()[-1]
        == "spark: tiny was not taught to edit; only `spark bench decode` measures it"
    )


@pytest.mark.usefixtures("_no_peer")
def test_of_a_chat_model_rewrites_are_measured(spark: Spark, tmp_path: Path) -> None:
    model = write_chat_model(tmp_path / "chat", replace(CONFIG, max_position_embeddings=CONTEXT))
    done = spark("bench", "edit", "--runs", "1", "--json", "-m", model)
    same, rate = json.loads(done.out)["rows"]
    assert (same["metric"], same["ours"], rate["peer_name"]) == (
        "greedy_identical_share",
        1.0,
        "ours without drafts",
    )


@pytest.mark.usefixtures("_no_peer")
@pytest.mark.parametrize("edits", [True, False])
def test_tokens_are_compared_with_float32s_behind_prompts_that_the_model_reads(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edits: bool
) -> None:
    monkeypatch.setattr("spark_tui.cli.bench.decode.bits_of", lambda _: 8)
    monkeypatch.setattr("spark_tui.cli.bench.decode.PROMPTS", 3)
    model = write_model(tmp_path / "tiny") if edits else _not_taught(tmp_path / "tiny")
    done = spark("bench", "decode", "--runs", "1", "--json", "--cases", "embedded-8", "-m", model)
    shares = [
        each["ours"]
        for each in json.loads(done.out)["rows"]
        if each["metric"] == "greedy_identical_share"
    ]
    assert (done.code, shares) == (0, [1.0] if edits else [])
    assert (
        "no tokens are compared with float32's: tiny was not taught to edit" in done.err
    ) is not edits


def test_of_tokens_chosen_otherwise_a_share_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decode, "PROMPTS", 2)
    loaded = load(write_model(tmp_path / "tiny"))
    reference = decode.ReferenceTokens(loaded)
    sizes = {"vocab_size": loaded.config.vocab_size, "max_position_embeddings": CONTEXT}
    write_random_model(
        tmp_path / "other", SHAPES["135m"] | sizes | {"num_hidden_layers": 1}, loaded.path
    )
    assert reference.share_of_equal_tokens(loaded.model) == 1.0
    assert reference.share_of_equal_tokens(load(tmp_path / "other").model) < 0.5


def test_a_share_below_one_is_never_shown_as_one() -> None:
    shares = [
        row("greedy_identical_share", "c", "share", [value]) for value in (0.994, 0.9996, 1.0)
    ]
    assert [each.ours for each in shares] == [0.994, 0.999, 1.0]
    assert "0.999 share" in as_line(shares[1])


def test_an_interrupted_bench_ends_with_130_and_one_line(
    spark: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("spark_tui.cli.bench.suite.machine", interrupted)
    done = spark("bench", "decode")
    assert (done.code, done.err) == (130, "spark: interrupted\n")


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_bench_tells_what_it_has_and_cleans_up_even_if_it_is_stopped_again(
    spark: Spark, monkeypatch: pytest.MonkeyPatch, first: signal.Signals
) -> None:
    cleaned = []

    def measure(_: object) -> Iterator[Figure]:
        try:
            yield row("m", "c", "ms", [1.0])
            signal.raise_signal(first)
        finally:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGTERM)
            cleaned.append(True)

    before = signal.getsignal(first)
    monkeypatch.setattr(
        "spark_tui.cli.bench.suite.import_module", lambda _: SimpleNamespace(measure=measure)
    )
    done = spark("bench", "latency", "--json")
    body = json.loads(done.out)
    assert (done.code, cleaned, signal.getsignal(first)) == (130, [True], before)
    assert (len(body["rows"]), body["error"]) == (1, "interrupted")
    assert json.loads(done.err.splitlines()[-1])["status"] == "interrupted"


def test_rows_are_printed_even_if_a_later_part_fails(
    spark: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(_: object) -> Iterator[Figure]:
        yield row("m", "c", "ms", [1.0])
        raise SparkError("the words did not appear; try again")

    monkeypatch.setattr(
        "spark_tui.cli.bench.suite.import_module", lambda _: SimpleNamespace(measure=measure)
    )
    done = spark("bench", "ui", "--json")
    body = json.loads(done.out)
    assert (done.code, len(body["rows"]), body["error"]) == (
        1,
        1,
        "the words did not appear; try again",
    )
    assert "the rest was not measured: the words did not appear; try again" in done.err


def test_two_sides_are_measured_one_after_the_other_in_each_run() -> None:
    order: list[str] = []

    def side(name: str) -> float:
        order.append(name)
        return float(len(order))

    pairs = in_turn(2, lambda _: side("ours"), lambda _: side("theirs"), "the peer")
    assert order == ["ours", "theirs", "ours", "theirs"]
    assert pairs == Pairs([1.0, 3.0], [2.0, 4.0], "the peer")


def test_a_ratio_is_the_median_of_those_pair_by_pair() -> None:
    found = paired_row(
        "decode_tokens_per_second",
        "c",
        "tokens/s",
        Pairs([100.0, 90.0, 400.0], [50.0, 30.0, 100.0], "p"),
    )
    assert (found.ours, found.peer, found.ratio, found.ratios) == (
        100.0,
        50.0,
        3.0,
        (2.0, 3.0, 4.0),
    )


def test_a_tail_stands_for_its_values_and_keeps_their_extremes() -> None:
    found = tail_row("m", "c", [float(n) for n in range(100)], 0.95)
    assert (found.ours, found.ours_min, found.ours_max, found.runs) == (95.0, 0.0, 99.0, 100)


def test_a_row_is_shown_with_its_spread_and_its_share_of_the_limit() -> None:
    found = Figure(
        "decode_tokens_per_second",
        "after 64 tokens",
        "tokens/s",
        300.0,
        290.0,
        310.0,
        5,
        limit=900.0,
    )
    assert "300.0 tokens/s" in as_line(found)
    assert "(290.0 to 310.0 in 5 runs, 33% of the 900.0 the hardware allows)" in as_line(found)


def test_a_row_beside_a_peer_is_shown_with_both_spreads_and_every_pair() -> None:
    found = paired_row(
        "edit_milliseconds", "c", "ms", Pairs([10.0, 20.0], [30.0, 80.0], "llama.cpp")
    )
    assert as_line(found).endswith(
        "; llama.cpp 55.0 (30.0 to 80.0), 3.50 x, pair by pair 3.00 4.00"
    )
