"""`spark bench remote`: the figures of a connection that is kept open beside those of a new one
each time.
"""

import json

import pytest

from tests.cli.conftest import Spark


def test_a_kept_connection_spares_a_round_trip(
    spark: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_tui.cli.bench.suite._BEYOND_CACHES", 1 << 20)
    monkeypatch.setattr("spark_tui.cli.bench.remote.AWAY_MS", (150,))
    done = spark("bench", "remote", "--runs", "2", "--json")
    body = json.loads(done.out)
    rows = {each["metric"]: each for each in body["rows"]}
    assert (done.code, body["bench"]) == (0, "remote")
    names = ["round_trip_overhead_ms", "token_overhead_us", "first_token_ms"]
    assert set(rows) == {*names, *(f"socket_{name}" for name in names)}
    for first in (rows["socket_first_token_ms"], rows["first_token_ms"]):
        assert first["peer_name"] == "a connection a request"
        assert first["peer"] > first["ours"] >= 150
    assert [each["claim"].split("; ")[1][:3] for each in body["rows"]] == ["80%", "30%", "50%"] * 2
    assert "; 50% claimed by OpenAI for GPT-5.3-Codex-Spark (its announcement" in done.err
    assert first["claim"].endswith("not measured here")
