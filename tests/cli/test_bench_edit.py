"""`spark bench edit`: what is asked, how the peer follows an answer, and the rows."""

import ast
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.cli.bench import edit as edit_bench
from spark_tui.cli.bench import llama_cpp as llama
from spark_tui.cli.bench.edit import ASKED, FILE, PROJECT
from spark_tui.cli.bench.llama_cpp import follow
from spark_tui.cli.bench.staged import demo_project
from spark_tui.engine.loader import LoadedModel
from spark_tui.resources import examples_dir
from tests.cli.conftest import Spark, UseScripts
from tests.fakes import scripted

SCRIPTS = {
    ASKED["summary"][0]: ["rename totals sums"],
    ASKED["retried"][2]: [
        "-    for number in range(1, attempts):",
        "+    for number in range(attempts):",
    ],
}


class FakePeer:
    """Holds what it was given, and has an opinion of its own about every token."""

    name = "a peer"

    def __init__(self) -> None:
        self.held: list[int] = []
        self.passes = 0

    @property
    def length(self) -> int:
        return len(self.held)

    def trim(self, length: int) -> None:
        assert length <= len(self.held)
        del self.held[length:]

    def run(self, ids: Sequence[int]) -> int:
        self.held += map(int, ids)
        self.passes += 1
        return 0

    def verify(self, ids: Sequence[int]) -> list[int]:
        return [self.run(ids)] * len(ids)


def _as_peer(peer: FakePeer) -> llama.Peer:
    return cast("llama.Peer", peer)


Tokens = st.lists(st.integers(0, 5), min_size=1, max_size=20)


@given(Tokens, Tokens, st.data())
def test_the_peer_goes_through_exactly_our_tokens_whatever_it_guesses(
    prompt: list[int], answer: list[int], data: st.DataObject
) -> None:
    def guess(ids: npt.NDArray[np.int32]) -> list[int]:
        assert ids.tolist() == (prompt + answer)[: len(ids)]
        return data.draw(st.lists(st.integers(0, 5), max_size=4))

    peer = FakePeer()
    follow(_as_peer(peer), prompt, answer, guess)
    assert peer.held == (prompt + answer)[:-1]
    assert peer.passes <= len(answer)


@pytest.mark.parametrize(("guessed", "passes"), [("right", 2), ("wrong", 5), ("none", 5)])
def test_right_guesses_save_passes_and_wrong_ones_cost_none(guessed: str, passes: int) -> None:
    prompt, answer, peer = [1, 2, 3], [4, 5, 6, 7, 8, 9], FakePeer()

    def guess(ids: npt.NDArray[np.int32]) -> list[int]:
        return [0, 0] if guessed == "wrong" else (prompt + answer)[len(ids) :][:2]

    follow(_as_peer(peer), prompt, answer, None if guessed == "none" else guess)
    assert peer.passes == 1 + passes


@given(Tokens, Tokens, st.data())
def test_a_peer_that_has_read_some_of_the_prompt_reads_only_the_rest(
    prompt: list[int], answer: list[int], data: st.DataObject
) -> None:
    known = data.draw(st.integers(0, len(prompt) - 1))
    peer = FakePeer()
    peer.held = prompt[:known]
    follow(_as_peer(peer), prompt, answer, None, known=known)
    assert peer.held == (prompt + answer)[:-1]


@pytest.fixture
def loaded(tmp_path: Path) -> LoadedModel:
    return scripted(tmp_path / "tiny", SCRIPTS)


def test_functions_of_about_30_lines_are_asked_about_in_about_20_words() -> None:
    code = ast.parse((examples_dir() / PROJECT / FILE).read_text("utf-8"))
    functions = [each for each in code.body if isinstance(each, ast.FunctionDef)]
    assert {each.name for each in functions} == set(ASKED)
    assert all(26 <= (each.end_lineno or 0) - each.lineno + 1 <= 34 for each in functions)
    assert all(17 <= len(words.split()) <= 23 for asked in ASKED.values() for words in asked)
    assert len({words for asked in ASKED.values() for words in asked}) == 12


@pytest.fixture
def ours(loaded: LoadedModel, tmp_path: Path) -> Iterator[edit_bench.Ours]:
    with demo_project(PROJECT) as project:
        yield edit_bench.Ours(loaded, project, tmp_path)


def test_the_peer_is_to_write_the_answer_that_is_likeliest_and_the_checks_find_it_sound(
    ours: edit_bench.Ours,
) -> None:
    made = ours.edit("summary", ASKED["summary"][0])
    assert made.asked.lines[0] == "def summary(orders, rates=None):"
    assert b"".join(_texts(made.answer, ours.loaded)) == b"rename totals sums\n"
    assert made.check()
    assert not replace(made, script=("-    totals = {}", "+    totals = {")).check()


def _texts(ids: Sequence[int], loaded: LoadedModel) -> Iterator[bytes]:
    return (piece for piece in map(loaded.tokenizer.piece, ids) if isinstance(piece, bytes))


@pytest.mark.parametrize("typed", [True, False])
def test_before_enter_the_region_is_read_or_nothing_is(ours: edit_bench.Ours, typed: bool) -> None:
    made = ours.edit("retried", ASKED["retried"][2])
    for _ in range(2):  # what was answered once is not known the second time
        ours.begin(made, typed=typed)
        assert ours.cache.token_ids == (made.region(ours.loaded) if typed else [])
        turn, written = ours.answer(made)
        assert written
        assert "    for number in range(attempts):" in turn.review.proposed.lines
        assert ours.cache.token_ids[: len(made.prompt(ours.loaded))] == made.prompt(ours.loaded)


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch) -> FakePeer:
    fake = FakePeer()

    @contextmanager
    def opened(*_: Any) -> Iterator[Any]:
        yield

    def made(*_: Any) -> Any:
        return SimpleNamespace(best=lambda *_, **__: fake, close=lambda: None)

    monkeypatch.setattr(llama, "library", lambda say: object())
    monkeypatch.setattr(llama, "describe", lambda library: "1.0")
    monkeypatch.setattr(llama, "PeerModel", made)
    monkeypatch.setattr(edit_bench, "as_gguf", opened)
    monkeypatch.setattr(llama, "LENGTHS", (0,))
    monkeypatch.setattr("spark_tui.cli.bench.suite.SETTLE_SECONDS", 0.0)
    monkeypatch.setattr("spark_tui.cli.bench.suite._BEYOND_CACHES", 1 << 20)
    monkeypatch.setenv("SPARK_KERNELS", "numpy")
    return fake


@pytest.fixture
def measured(spark: Spark, use_scripts: UseScripts, peer: FakePeer) -> Any:
    """What the bench prints of two edits."""
    use_scripts(SCRIPTS)
    done = spark("bench", "edit", "--edits", "2", "--runs", "2", "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_each_figure_stands_beside_the_peers(measured: Any, peer: FakePeer) -> None:
    """Numpy computes in 32 bits, whatever is asked for: then the peer has the most that it is
    measured with.
    """
    share, rate, per_pass, memory, *rows = measured["rows"]
    assert (share["metric"], share["unit"]) == ("edit_sure_share", "share")
    assert (rate["metric"], rate["unit"]) == ("edit_tokens_per_second", "tokens/s")
    assert rate["ours"] > 0
    assert (per_pass["metric"], per_pass["unit"]) == ("accepted_tokens_per_pass", "tokens")
    assert per_pass["ours"] >= 1
    assert (memory["metric"], memory["unit"]) == ("memory_megabytes", "MB")
    assert memory["ours"] > 10
    assert measured["versions"]["llama.cpp"] == "1.0"
    assert [(each["metric"], each["case"].rpartition(", ")[2]) for each in rows] == [
        (f"{what}_milliseconds", before)
        for before in ("region read while typing", "nothing read before")
        for what in ("first_answer", "first_answer_p95", "edit", "edit_p95")
    ]
    for each in rows:
        assert (each["runs"], each["peer_name"]) == (
            2,
            "a peer, Q8_0, faster without prompt lookup",
        )
        assert each["ours"] > 0
        assert each["ratio"] is not None
    assert len(peer.held) > 100


class SlowPeer(FakePeer):
    """Takes so many seconds for each pass."""

    def __init__(self, clock: "Clock", seconds: float) -> None:
        super().__init__()
        self._clock = clock
        self._seconds = seconds

    def run(self, ids: Sequence[int]) -> int:
        self._clock.now += self._seconds
        return super().run(ids)


class Clock:
    """Stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("spark_tui.cli.bench.llama_cpp.time.perf_counter", clock)
    return clock


def test_settings_ten_times_as_slow_are_given_up_and_each_try_is_told(clock: Clock) -> None:
    told: list[str] = []
    search = llama.Search("settings", told.append, clock)
    spent = []
    for pace in (0.1, 5.0, 0.05):
        peer = _as_peer(SlowPeer(clock, pace))
        answer = [4] * 20

        def job(until: float, peer: llama.Peer = peer, answer: list[int] = answer) -> None:
            follow(peer, [1, 2], answer, None, until=until)

        spent.append(search.seconds(f"pace {pace}", job))
    assert spent == [pytest.approx(2.0), float("inf"), pytest.approx(1.0)]
    assert told == [
        "settings: try 1, pace 0.1: 2.0 s",
        "settings: try 2, pace 5.0: given up after 25.0 s",
        "settings: try 3, pace 0.05: 1.0 s",
    ]


def test_a_search_that_takes_too_long_in_all_ends(clock: Clock) -> None:
    told: list[str] = []
    search = llama.Search("settings", told.append, clock)
    peer = _as_peer(SlowPeer(clock, 100.0))

    def job(until: float) -> None:
        follow(peer, [1], [2] * 9, None, until=until)

    assert [search.seconds(name, job) for name in ("a", "b")] == [float("inf"), float("inf")]
    assert told == [
        "settings: try 1, a: given up after 200.0 s",
        "settings: try 2, b: left out, the search has taken 180 s",
    ]
