"""Requests as rows of tokens: which words are learned, how many rows a region gets, packed rows."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from spark_tui.errors import UsageError
from spark_tui.training.batches import (
    BatchOrder,
    PackedRows,
    PaddedBatch,
    WeightedRows,
    plan_batches,
)
from spark_tui.training.rows import (
    WORDS,
    TaskRegion,
    TokenRow,
    make_rows,
    read_regions,
    with_redirects,
)

END = 0
CODE = "def f(value):\n    return value + 1"


def encode(text: str) -> Sequence[int]:
    """A token a character."""
    return [ord(char) for char in text]


def words_of(row: TokenRow) -> list[str]:
    """The words of a row that are learned, by request."""
    words = []
    for number in range(1, int(row.branches.max()) + 1):
        chosen = (row.branches == number) & (row.kinds == WORDS)
        words.append("".join(map(chr, row.tokens[chosen])))
    return words


def region_with(tmp_path: Path, *requests: dict[str, Any], name: str = "asked.jsonl") -> TaskRegion:
    path = tmp_path / name
    path.write_text(json.dumps({"path": "a.py", "code": CODE, "requests": requests}) + "\n")
    return next(read_regions([path]))


ADD = {"words": "add two", "edits": [["+ 1", "+ 2"]]}
THANKS = {"words": "thanks"}


def test_words_are_learned_but_for_those_about_another_place(tmp_path: Path) -> None:
    region = region_with(tmp_path, ADD, {**ADD, "words": "in g, too", "elsewhere": True}, THANKS)
    (row,) = make_rows(region, encode, END)
    assert words_of(row) == ["add two\n", "", "thanks\n"]
    assert all(row.learned[row.branches == number].any() for number in (1, 2, 3))


def test_remarks_that_ask_for_nothing_are_about_no_place(tmp_path: Path) -> None:
    region = region_with(tmp_path, ADD, THANKS, name="requests.remarks.jsonl")
    (row,) = make_rows(region, encode, END)
    assert words_of(row) == ["add two\n", ""]


def test_of_a_redirect_only_the_last_words_are_learned(tmp_path: Path) -> None:
    region = region_with(tmp_path, {**ADD, "earlier": ["add"], "selected": [2, 2]})
    (row,) = make_rows(region, encode, END)
    assert words_of(row) == ["add two\n"]


def test_requests_that_do_not_fit_get_rows_of_their_own(tmp_path: Path) -> None:
    region = region_with(tmp_path, *({**ADD, "words": f"add {n}"} for n in range(5)))
    (whole,) = make_rows(region, encode, END)
    size = len(whole.tokens)
    rows = make_rows(region, encode, END, longest=size // 2)
    assert len(rows) > 1
    assert max(len(row.tokens) for row in rows) <= size // 2
    assert [words for row in rows for words in words_of(row)] == words_of(whole)


def test_a_longer_row_is_made_only_where_nothing_fits(tmp_path: Path) -> None:
    region = region_with(tmp_path, ADD, {**ADD, "words": "add " * 50})
    (short,) = make_rows(region, encode, END, longest=200, longest_of_one=1000)
    assert words_of(short) == ["add two\n"]
    only_long = replace(region, asked=region.asked[1:])
    (long,) = make_rows(only_long, encode, END, longest=200, longest_of_one=1000)
    assert len(long.tokens) > 200
    assert make_rows(only_long, encode, END, longest=200, longest_of_one=210) == []


def test_an_edit_asked_for_twice_may_get_a_redirect(tmp_path: Path) -> None:
    region = region_with(tmp_path, ADD, {**ADD, "words": "plus two"}, THANKS, {"words": "great"})
    assert with_redirects(region, Random(0), share=0.0) == region
    *same, added = with_redirects(region, Random(0), share=1.0).asked
    assert tuple(same) == region.asked, "nothing is asked for twice by what asks for nothing"
    assert {added.request.words, *added.request.earlier} == {"add two", "plus two"}
    assert added.script == region.asked[0].script


def test_packed_rows_equal_unpacked_ones(tmp_path: Path) -> None:
    region = region_with(tmp_path, ADD, THANKS)
    rows = [*make_rows(region, encode, END), *make_rows(region, encode, END, longest=120)]
    PackedRows.of(rows).write(tmp_path / "rows.npz")
    packed = PackedRows.read(tmp_path / "rows.npz")
    assert len(packed) == len(rows) > 1
    for row, other in zip(rows, packed, strict=True):
        assert np.array_equal(row.tokens, other.tokens)
        assert np.array_equal(row.branches, other.branches)
        assert np.array_equal(row.kinds, other.kinds)
        assert np.array_equal(row.positions, other.positions)


def test_a_file_that_holds_no_rows_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.npz").write_bytes(b"PK\x03\x04 but no archive")
    with pytest.raises(UsageError, match="holds no packed rows"):
        PackedRows.read(tmp_path / "rows.npz")


def rows_of(*sizes: int) -> PackedRows:
    return PackedRows.of(
        [
            TokenRow(
                np.full(size, size, np.int32), np.zeros(size, np.int32), np.ones(size, np.uint8)
            )
            for size in sizes
        ]
    )


def test_a_batch_is_padded_to_a_multiple_and_knows_its_size() -> None:
    batch = PaddedBatch.of(list(rows_of(3, 20)))
    assert (batch.tokens.shape, batch.size) == ((2, 32), 23)
    assert not batch.mask()[0, 2, 3:].any()
    assert batch.mask()[1, 5, :6].all()


def test_batches_hold_every_row_once_and_no_more_tokens_than_asked_for() -> None:
    rows = rows_of(*range(1, 200))
    rng = np.random.default_rng(0)
    batches = plan_batches(rows.sizes, np.arange(len(rows)), 500, rng)
    assert sorted(np.concatenate(batches)) == list(range(len(rows)))
    assert all(len(batch) * rows.sizes[batch].max() <= 500 for batch in batches)


def test_a_weight_says_how_often_a_pass_holds_the_rows_of_a_file() -> None:
    mixture = WeightedRows(
        [(rows_of(*[1] * 10), 1.0), (rows_of(*[2] * 10), 2.5), (rows_of(3, 3), 0.5)]
    )
    passes = []
    for number in (0, 1, 1):
        plan = mixture.plan_pass(0, number, 64)
        passes.append(np.concatenate(plan))
        times = np.bincount(passes[-1], minlength=22)
        assert (times[:10] == 1).all()
        assert (times[10:20].min(), times[10:20].max(), times[10:20].sum()) == (2, 3, 25)
        assert times[20:].sum() == 1
    assert not np.array_equal(passes[0], passes[1])
    assert np.array_equal(passes[1], passes[2])


def test_a_step_takes_as_many_batches_as_it_needs_and_passes_follow_one_another() -> None:
    order = BatchOrder(WeightedRows([(rows_of(*[16] * 6), 1.0)]), 0, 32)
    assert [len(batch) for batch in order.next_step(60)] == [2, 2]
    assert (order.number, order.place) == (0, 2)
    assert len(order.next_step(60)) == 2
    assert (order.number, order.place) == (1, 1)
