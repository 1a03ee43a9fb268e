"""`spark bench latency` and `spark bench ui`: programs on a terminal, keys, and what is made of
the moments.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from spark_tui.cli.bench import endless_tasks, latency, stage, ui
from spark_tui.cli.bench.staged import waits
from spark_tui.cli.bench.terminal import FRAME_END, Terminal
from spark_tui.errors import SparkError
from spark_tui.session.events import Status, Token
from spark_tui.session.turn import Request
from spark_tui.tui.widgets.diff_rows import DiffRows
from tests.cli.conftest import Spark, UseScripts
from tests.fakes import scripted_session, write_model

LOAD = "def load():\n    d = []\n    d.append(1)\n    return d\n"
PROGRAM = r"""
import os, sys, tty
tty.setraw(0)
out = lambda text: os.write(1, text.encode())
out("\x1b[?2026$p")
asked = b""
while not asked.endswith(b"y"):
    asked += os.read(0, 1)
out("ready " + ascii(asked.decode()))
while (key := os.read(0, 1)) != b"q":
    out("\x1b[?2026h" + key.decode() * 3 + "\x1b[?2026l")
print("what went wrong", file=sys.stderr)
"""


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with Terminal([sys.executable, "-c", PROGRAM], tmp_path, {}) as found:
        yield found


def test_keys_go_in_and_moments_of_bytes_and_frames_come_out(terminal: Terminal) -> None:
    ready = terminal.wait_for(b"ready")
    before = terminal.size
    pressed = terminal.press("x")
    shown = terminal.wait_for(b"xxx", before)
    terminal.wait_for(FRAME_END, before)
    assert terminal.started < ready < pressed < shown
    assert len(terminal.frames()) == 1
    assert terminal.frames()[0] >= shown
    assert terminal.frames(terminal.size) == []
    assert terminal.press_until("y", b"yyy") > 0


def test_it_says_yes_to_a_program_that_asks_whether_it_can_hold_frames(terminal: Terminal) -> None:
    terminal.wait_for(rb"ready '\x1b[?2026;2$y'")


def test_words_that_never_come_are_an_error_with_the_last_that_was_said(terminal: Terminal) -> None:
    terminal.wait_for(b"ready")
    terminal.press("q")
    with pytest.raises(
        SparkError, match="'more' did not appear on the screen: what went wrong; try again"
    ):
        terminal.wait_for(b"more")


def test_a_wait_is_from_a_key_to_its_being_carried_out_in_order() -> None:
    assert waits([1.0, 2.0], [1.5, 2.25, 9.0]) == [500.0, 250.0]


def test_keys_that_were_lost_are_an_error_and_no_figure() -> None:
    with pytest.raises(SparkError, match="1 of 2 keys were not carried out"):
        waits([1.0, 2.0], [1.5])


def test_a_key_is_painted_in_the_first_frame_after_it() -> None:
    assert ui.until_painted([1.0, 2.0, 3.0], [0.5, 1.25, 2.5]) == [250.0, 500.0]


def test_the_large_diff_folds_nothing() -> None:
    view = stage.large_turn(1000)
    assert view.region is not None
    rows = DiffRows(view.base, view.hunks, shown=[view.region])
    assert len(rows) == 1010
    assert len(rows.hunks) == 10


class _Quiet:
    """A terminal that shows whatever it is waited for, half a second later."""

    size = 0

    def wait_for(self, words: bytes, since: int = 0) -> float:
        return 2.5

    def wait_until_quiet(self) -> None: ...

    def frames(self, since: int = 0) -> list[float]:
        return [2.5]

    def press(self, keys: str) -> float:
        return 2.0

    def press_until(self, keys: str, words: bytes) -> float:
        return 500.0


class _Player:
    """A stage on which every key takes a quarter of a second."""

    terminal = _Quiet()

    def stream(self) -> None: ...

    def to_diff(self) -> None: ...

    def begin_tasks(self) -> None: ...

    def pause(self) -> float:
        return 1.0

    def pauses(self, count: int) -> list[float]:
        return [1.0] * count

    def press_keys(self, count: int) -> list[float]:
        return [1.0] * count

    def leave(self) -> dict[str, Any]:
        return {"moved": [1.25] * 2 * ui.KEYS, "opened": [2.0], "written": [3.0]}


@pytest.fixture
def _played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from contextlib import nullcontext

    for module in (latency, ui):
        monkeypatch.setattr(module, "staged", lambda *_, **__: nullcontext(_Player()))
    monkeypatch.setattr("spark_tui.cli.bench.suite._BEYOND_CACHES", 1 << 20)
    monkeypatch.setenv("SPARK_KERNELS", "numpy")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(ui, "SECONDS", 0.001)
    monkeypatch.setattr(ui, "FRAMES", 3)
    for name in ("STOPS", "REDIRECTS"):
        monkeypatch.setattr(latency, name, 2)
    monkeypatch.setattr(endless_tasks, "STOPS", 2)
    monkeypatch.setattr(ui, "LAST_FRAME_S", 0.0)


@pytest.mark.usefixtures("_played")
def test_ui_prints_what_the_stage_noted(spark: Spark, tmp_path: Path) -> None:
    done = spark("bench", "ui", "--runs", "1", "--json", "-m", write_model(tmp_path / "tiny"))
    rows = {(row["metric"], row["case"]): row["ours"] for row in json.loads(done.out)["rows"]}
    for case in ("idle", "while streaming", "while 2 tasks write"):
        assert rows["key_latency_p99_milliseconds", case] == 250.0
    assert rows["frame_p99_milliseconds", "a diff of 1,000,000 lines, opened"] == 500.0
    assert rows["frame_p99_milliseconds", "a diff of 1,000,000 lines, a page further"] == 500.0
    assert rows["frames_per_second", "while streaming"] > 0
    for metric in ("decision_milliseconds", "decision_p99_milliseconds"):
        assert rows[metric, "key to the frame of a decision"] == 500.0


@pytest.mark.usefixtures("_played")
def test_latency_prints_every_wait(
    spark: Spark, use_scripts: UseScripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latency, "_starts", lambda *_: iter(()))
    use_scripts({stage.STREAMED: ["-    d = []", "+    d = list()"]})
    done = spark("bench", "latency", "--runs", "1", "--json")
    assert done.code == 0, done.err
    assert {row["metric"] for row in json.loads(done.out)["rows"]} == {
        "ttft_cold_milliseconds",
        "ttft_warm_milliseconds",
        "esc_to_stop_p99_milliseconds",
        "redirect_p95_milliseconds",
        "esc_to_stopped_step_p99_milliseconds",
        "variations_8_over_1",
        "esc_to_frame_p99_milliseconds",
    }


def test_a_review_on_the_stage_has_one_hunk_more_than_a_bench_decides_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = scripted_session(tmp_path, {"storage.py": LOAD}, {})
    monkeypatch.chdir(session.repo.root)
    turn = stage.begin_review(session)
    with closing(turn.events()) as events:
        assert list(events)
    assert turn.status is Status.OK
    assert len(turn.hunks) == stage.DECISIONS + 1


def test_a_turn_on_the_stage_writes_its_answer_over_and_over(tmp_path: Path) -> None:
    answer = ["-    d = []", "+    d = list()"]
    session = scripted_session(tmp_path, {"storage.py": LOAD}, {stage.STREAMED: answer})
    session.maker = stage.EndlessMaker(session.repo, session.host)
    turn, written = session.begin(Request(stage.STREAMED, "storage.py")), ""
    with closing(turn.events()) as events:
        while written.count("list()") < 5:
            written += event.text if isinstance(event := next(events), Token) else ""
    assert "\n".join(["", *answer, ""]) in written
    assert turn.status is Status.INTERRUPTED


@pytest.mark.exhaustive
def test_latency_and_ui_run_on_a_real_terminal(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The network is tiny and random: what it writes of itself makes no sense, and is a stream
    all the same.
    """
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(latency, "PAUSES", 3)
    for name in ("latency", "ui"):
        done = spark("bench", name, "--runs", "1", "--json", "-m", write_model(tmp_path / "tiny"))
        assert done.code == 0, done.err
        assert all(row["ours"] > 0 for row in json.loads(done.out)["rows"])
