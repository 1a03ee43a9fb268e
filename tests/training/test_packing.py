"""Rows of training tokens: what each token may see, where it stands, and that nothing is lost."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from spark_tui.editing.format import LINE_TAGS, TAGS, kind_mark
from spark_tui.editing.script import Delete, Replace
from spark_tui.training.examples import Example, Group
from spark_tui.training.packing import KIND, REGION, TAG, UNSEEN, Batches, Packed, encode_group, pack
from tests.training.tiny import TinyVocabulary

VOCABULARY = TinyVocabulary()
FIRST_TAGS = (VOCABULARY.special("<L0>"), VOCABULARY.special("<E0>"))


NONE = np.array([], np.int64)
LETTERS = np.array(VOCABULARY.encode("abcdefghijklmnopqrstuvwxyz"))


def group(size: int, requests: int = 2) -> Group:
    lines = tuple(f"x{n} = {n}" for n in range(size))
    examples = (
        Example("rename", (Replace(0, 0, ("y = 1",)),), "first line is y = 1", None, "f", held_out=False),
        Example("rename", (Delete(size - 1, size - 1),), "drop the last", (0, 0), "f", held_out=False),
    )
    return Group(lines, examples[:requests])


@pytest.fixture(scope="module")
def packed() -> Packed:
    return pack([group(2 + n % 5) for n in range(40)], VOCABULARY, seed=1)


def test_a_group_is_its_region_then_a_branch_a_request() -> None:
    encoded = encode_group(group(3), VOCABULARY, Random(0), 1000)
    assert encoded is not None
    tokens, branches, roles = encoded
    assert sorted(set(branches)) == [0, 1, 2]
    assert branches == sorted(branches)
    assert {role for role, branch in zip(roles, branches, strict=True) if branch == 0} == {REGION}
    kinds = [token for token, role in zip(tokens, roles, strict=True) if role == KIND]
    assert kinds == [VOCABULARY.special(kind_mark("rename").name)] * 2


def test_only_what_the_model_writes_is_predicted() -> None:
    encoded = encode_group(group(3, requests=1), VOCABULARY, Random(0), 1000)
    assert encoded is not None
    tokens, branches, roles = encoded
    request = [role for role, branch in zip(roles, branches, strict=True) if branch == 1]
    output = tokens.index(VOCABULARY.special("<OUT>")) - branches.count(0)
    assert set(request[: output + 1]) == {UNSEEN}
    assert UNSEEN not in request[output + 1 :]
    assert request.count(TAG) == 1


def test_requests_that_do_not_fit_are_left_out_and_so_is_a_region_without_any() -> None:
    whole = encode_group(group(3), VOCABULARY, Random(0), 1000)
    assert whole is not None
    one = encode_group(group(3), VOCABULARY, Random(0), len(whole[0]) - 1)
    assert one is not None
    assert max(one[1]) == 1
    assert encode_group(group(3), VOCABULARY, Random(0), whole[1].count(0)) is None


def test_a_token_sees_its_region_and_its_own_branch_before_it_and_nothing_else(packed: Packed) -> None:
    batch = next(Batches(packed, 384, 2, FIRST_TAGS, seed=3, words=NONE).epoch(0))
    mask = batch.mask()
    for row, at, seen in np.argwhere(mask | ~mask):
        same = batch.groups[row, at] == batch.groups[row, seen]
        visible = same and batch.branches[row, seen] in (0, batch.branches[row, at]) and seen <= at
        assert mask[row, at, seen] == visible


def test_every_branch_goes_on_where_the_region_ends(packed: Packed) -> None:
    batch = next(Batches(packed, 384, 2, FIRST_TAGS, seed=3, words=NONE).epoch(0))
    for row in range(2):
        for number in range(1, int(batch.groups[row].max()) + 1):
            here = batch.groups[row] == number
            positions, branches = batch.positions[row][here], batch.branches[row][here]
            region = int((branches == 0).sum())
            assert list(positions[branches == 0]) == list(range(region))
            for branch in range(1, int(branches.max()) + 1):
                size = int((branches == branch).sum())
                assert list(positions[branches == branch]) == list(range(region, region + size))


def test_an_epoch_has_every_group_once_and_depends_on_seed_and_number_only(packed: Packed) -> None:
    batches = Batches(packed, 384, 1, FIRST_TAGS, seed=5, words=NONE)
    first, again, other = (list(batches.epoch(number)) for number in (0, 0, 1))
    assert sum(int(batch.groups.max(axis=1).sum()) for batch in first) == 40
    assert all(np.array_equal(a.tokens, b.tokens) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a.tokens, b.tokens) for a, b in zip(first, other, strict=False))


def test_turning_the_tags_keeps_a_line_and_what_points_at_it_together(packed: Packed) -> None:
    batch = next(Batches(packed, 384, 1, FIRST_TAGS, seed=7, words=NONE).epoch(2))
    first = FIRST_TAGS[0]
    tags = (batch.tokens >= first) & (batch.tokens < first + TAGS)
    for number in range(1, int(batch.groups.max()) + 1):
        here = (batch.groups == number) & tags
        region = set(batch.tokens[here & (batch.branches == 0)])
        assert set(batch.tokens[here & (batch.branches > 0)]) <= region
    assert len(LINE_TAGS) == TAGS


def test_swapped_words_are_swapped_throughout_a_group_and_one_to_one(packed: Packed) -> None:
    plain = list(Batches(packed, 384, 1, FIRST_TAGS, seed=7, words=NONE).epoch(0))
    mixed = list(Batches(packed, 384, 1, FIRST_TAGS, seed=7, words=LETTERS).epoch(0))
    pairs = set()
    for before, after in zip(plain, mixed, strict=False):
        same = before.roles.shape == after.roles.shape and np.array_equal(before.roles, after.roles)
        for number in range(1, int(before.groups.max()) + 1 if same else 0):
            here = before.groups == number
            old, new = before.tokens[here], after.tokens[here]
            text = old >= FIRST_TAGS[1] + TAGS
            forward = set(zip(old[text].tolist(), new[text].tolist(), strict=True))
            assert len(forward) == len({a for a, _ in forward}) == len({b for _, b in forward})
            pairs |= {(a, b) for a, b in forward if a != b}
    assert pairs
    assert {token for pair in pairs for token in pair} <= set(LETTERS.tolist())


def test_saved_shards_come_back_joined(packed: Packed, tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        packed.save(tmp_path / name)
    both = Packed.load([tmp_path / "a.npz", tmp_path / "b.npz"])
    assert len(both.offsets) == 2 * len(packed.offsets) - 1
    assert np.array_equal(both.tokens, np.concatenate([packed.tokens, packed.tokens]))
    assert both.offsets[-1] == len(both.tokens)
