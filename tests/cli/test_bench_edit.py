"""`spark bench edit`: which edits, how the peer follows an answer, and the object it prints."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.cli.bench import edit as edit_bench
from spark_tui.cli.bench import edits
from spark_tui.cli.bench import peer as llama
from spark_tui.cli.bench.lookup import follow
from spark_tui.editing.format import END, encode_pieces
from spark_tui.engine.library import LoadedModel, load
from spark_tui.errors import UsageError
from tests.cli.conftest import Spark
from tests.fakes import write_model

CONTEXT = 1024


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
    spent = follow(_as_peer(peer), prompt, answer, guess)
    assert peer.held == (prompt + answer)[:-1]
    assert spent.passes == peer.passes - 1
    assert spent.passes <= len(answer) - 1


def test_right_guesses_save_passes_and_wrong_ones_cost_none() -> None:
    prompt, answer = [1, 2, 3], [4, 5, 6, 7, 8, 9]

    def right(ids: npt.NDArray[np.int32]) -> list[int]:
        return (prompt + answer)[len(ids) :][:2]

    assert follow(_as_peer(FakePeer()), prompt, answer, right).passes == 2
    assert follow(_as_peer(FakePeer()), prompt, answer, lambda _: [0, 0]).passes == 5
    assert follow(_as_peer(FakePeer()), prompt, answer, None).passes == 5


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
    return load(write_model(tmp_path / "tiny", context=CONTEXT))


def test_the_edits_are_different_ones_that_fit_the_model(loaded: LoadedModel) -> None:
    found = edits.held_out(loaded, 40)
    assert len({(each.instruction, each.base) for each in found}) == 40
    assert all(len(each.prompt) + edits.MOST_TOKENS <= CONTEXT for each in found)


def test_more_edits_than_there_are_is_refused(loaded: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "_fitting", lambda *_: iter(()))
    with pytest.raises(UsageError, match="--edits 3: there are only 0"):
        edits.held_out(loaded, 3)


def test_what_is_read_while_typing_begins_the_prompt(loaded: LoadedModel) -> None:
    for each in edits.held_out(loaded, 10):
        typed, prompt = each.typed(loaded), each.read(loaded)
        assert prompt == each.prompt
        assert tuple(typed) == prompt[: len(typed)]
        words = each.typed(loaded, edits.Known.WORDS)
        assert tuple(words) == prompt[: len(words)]
        assert len(typed) < len(words) < len(prompt)
        assert len(typed) < len(prompt)


def test_the_first_script_ends_with_its_end(loaded: LoadedModel) -> None:
    end = loaded.tokenizer.special(END.name)
    assert edits.first_script([1, 2, end, 3, end], loaded) == (1, 2, end)
    assert edits.first_script([1, 2], loaded) == (1, 2)


def test_what_the_peer_wrote_is_parsed_and_checked(loaded: LoadedModel) -> None:
    one = edits.held_out(loaded, 1)[0]
    assert not edits.read_and_check(one, encode_pieces([END, END], loaded.tokenizer), loaded)
    assert edits.read_and_check(one, [], loaded)


@pytest.fixture
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_tui.cli.bench.machine._BEYOND_CACHES", 1 << 20)
    monkeypatch.setenv("SPARK_KERNELS", "numpy")
    monkeypatch.setattr("spark_tui.cli.bench.pairing.SETTLE_SECONDS", 0.0)
    monkeypatch.setattr(edits, "MOST_TOKENS", 16)
    monkeypatch.setattr(edit_bench, "MOST_TOKENS", 16)


@pytest.fixture
def _with_a_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def opened(*_: Any) -> Iterator[Any]:
        yield SimpleNamespace(best=lambda capacity, threads, job, mixed: FakePeer())

    monkeypatch.setattr(llama, "library", lambda say: object())
    monkeypatch.setattr(llama, "describe", lambda library: "1.0")
    monkeypatch.setattr(llama, "opened", opened)
    monkeypatch.setattr(edit_bench, "as_gguf", lambda path, bits: opened())
    monkeypatch.setattr(edit_bench, "guesser", lambda length: None)


@pytest.mark.parametrize(("bits", "beside"), [(8, "Q8_0"), (4, "Q4_0"), (32, "Q8_0")])
@pytest.mark.usefixtures("_quickly", "_with_a_peer")
def test_the_object_has_every_documented_metric_beside_the_peer(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bits: int, beside: str
) -> None:
    model = write_model(tmp_path / "tiny", context=CONTEXT)
    monkeypatch.setenv("SPARK_BITS", str(bits))
    done = spark("bench", "edit", "--edits", "1", "--runs", "2", "--json", "-m", model)
    assert done.code == 0, done.err
    body = json.loads(done.out)
    assert body["versions"]["llama.cpp"] == "1.0"
    rows = {(row["metric"], row["case"].partition(", ")[2]): row for row in body["rows"]}
    assert set(rows) == {
        ("greedy_identical_share", "unmasked"),
        ("greedy_identical_share", "as a user"),
        ("edit_tokens_per_second", "writing alone"),
        ("accepted_tokens_per_pass", "writing alone"),
        ("edit_milliseconds", "prompt to verified patch"),
        ("edit_tokens_per_second", "end to end"),
        ("accepted_tokens_per_pass", "end to end"),
        ("edit_milliseconds", "Enter to verified patch, region read while typing"),
        ("edit_milliseconds", "Enter to verified patch, request read in the pause before it"),
    }
    for (metric, _), row in rows.items():
        if metric == "greedy_identical_share":
            assert (row["ours"], row["peer"]) == (1.0, None)
        else:
            assert row["runs"] == 2
            assert row["peer_name"].startswith(f"a peer, {beside}, ")
            assert row["ratio"] > 0
