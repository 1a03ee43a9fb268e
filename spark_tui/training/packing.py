"""Groups of examples as rows of token ids: one region, many requests, each seeing the region and itself only.

A row holds several groups. Every token knows its group and its branch (0 is the region); a branch's positions
go on from the region's last one, so that each request looks just as it will when it is asked alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spark_tui.editing.format import (
    LINE_TAGS,
    TAGS,
    Frame,
    Vocabulary,
    encode_pieces,
    render_region,
    render_request,
    render_script,
)
from spark_tui.training.examples import Example, Group

UNSEEN, TEXT, TAG, KIND, REGION = range(5)
"""What a token is to the loss: not predicted, text or operation, line tag, kind, or part of a region."""
_STEP = 32
SWAPPED_GROUPS, SWAPPED_WORDS = 0.7, 0.5
LOSS_WEIGHTS = np.array([0.0, 1.0, 2.0, 0.5, 0.0], dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Packed:
    """Many groups as flat arrays; group g is [offsets[g], offsets[g + 1])."""

    tokens: NDArray[np.uint16]
    branches: NDArray[np.uint8]
    roles: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def save(self, path: Path) -> None:
        """Write as .npz."""
        np.savez(path, tokens=self.tokens, branches=self.branches, roles=self.roles, offsets=self.offsets)

    @classmethod
    def load(cls, paths: Iterable[Path]) -> "Packed":
        """Read and join .npz files."""
        parts = [np.load(path) for path in paths]
        lengths = np.concatenate([np.diff(part["offsets"]) for part in parts])
        tokens, branches, roles = (np.concatenate([p[name] for p in parts]) for name in ("tokens", "branches", "roles"))
        return cls(tokens, branches, roles, np.concatenate([[0], lengths.cumsum()]))


def pack(groups: Iterable[Group], vocabulary: Vocabulary, *, seed: int, limit: int = 768) -> Packed:
    """Encode groups; one that does not fit into `limit` tokens loses requests, then is left out."""
    rng = Random(seed)
    tokens: list[int] = []
    branches: list[int] = []
    roles: list[int] = []
    offsets = [0]
    for group in groups:
        encoded = encode_group(group, vocabulary, rng, limit)
        if encoded is not None:
            for store, part in zip((tokens, branches, roles), encoded, strict=True):
                store.extend(part)
            offsets.append(len(tokens))
    return Packed(
        np.array(tokens, np.uint16),
        np.array(branches, np.uint8),
        np.array(roles, np.uint8),
        np.array(offsets, np.int64),
    )


def encode_group(
    group: Group, vocabulary: Vocabulary, rng: Random, limit: int
) -> tuple[list[int], list[int], list[int]] | None:
    """One group as (tokens, branches, roles), or None when not even one request fits."""
    frame = Frame.of(group.before, first_tag=rng.randrange(TAGS))
    tokens = encode_pieces(render_region(group.before, frame), vocabulary)
    branches, roles = [0] * len(tokens), [REGION] * len(tokens)
    if len(tokens) > limit:
        return None
    for number, example in enumerate(group.examples, 1):
        ids, kinds = _encode_example(example, frame, vocabulary)
        if len(tokens) + len(ids) > limit:
            break
        tokens += ids
        branches += [number] * len(ids)
        roles += kinds
    return (tokens, branches, roles) if branches[-1] else None


def _encode_example(example: Example, frame: Frame, vocabulary: Vocabulary) -> tuple[list[int], list[int]]:
    request = encode_pieces(render_request(example.instruction, frame, example.selected), vocabulary)
    script = encode_pieces(render_script(example.kind, example.ops, frame), vocabulary)
    first, last = vocabulary.special(LINE_TAGS[0].name), vocabulary.special(LINE_TAGS[-1].name)
    roles = [TAG if first <= token <= last else TEXT for token in script]
    roles[0] = KIND
    return request + script, [UNSEEN] * len(request) + roles


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows for one forward pass, all (B, T): token ids, positions, group numbers (0 is padding), branches, roles."""

    tokens: NDArray[np.int64]
    positions: NDArray[np.int64]
    groups: NDArray[np.int16]
    branches: NDArray[np.uint8]
    roles: NDArray[np.uint8]

    def mask(self) -> NDArray[np.bool_]:
        """(B, T, T): True where the token of a row may look: its own region before it, and its own branch."""
        same_group = self.groups[:, :, None] == self.groups[:, None, :]
        same_branch = (self.branches[:, None, :] == 0) | (self.branches[:, :, None] == self.branches[:, None, :])
        earlier = np.tri(self.tokens.shape[1], dtype=np.bool_)
        mask: NDArray[np.bool_] = same_group & same_branch & earlier
        return mask


@dataclass(frozen=True, slots=True)
class Batches:
    """Every group once an epoch, in an order that depends on the seed and the epoch only.

    `length`: the most tokens of a row; a batch is cut to a multiple of _STEP that its rows need. `rows`: rows a
    batch. Groups longer than a row are left out.
    `first_tags`: ids of <L0> and <E0>; the tags of each group are turned by a random amount every epoch.
    `words`: ids that may stand for one another. In most groups about half of those that the region holds become
    random other ones throughout, so that copying is learned for every token and not for the frequent ones.
    """

    packed: Packed
    length: int
    rows: int
    first_tags: tuple[int, int]
    seed: int
    words: NDArray[np.int64]

    def epoch(self, number: int) -> Iterator[Batch]:
        """The batches of one epoch; a last one that is not full is dropped."""
        rng = np.random.default_rng((self.seed, number))
        sizes = np.diff(self.packed.offsets)
        order = rng.permutation(np.flatnonzero(sizes <= self.length))
        rows = [row for at in range(0, len(order), 512) for row in _fit(order[at : at + 512], sizes, self.length)]
        for at in range(0, len(rows) - self.rows + 1, self.rows):
            yield self._batch(rows[at : at + self.rows], rng)

    def _batch(self, rows: Sequence[Sequence[int]], rng: np.random.Generator) -> Batch:
        longest = max(sum(int(self.packed.offsets[g + 1] - self.packed.offsets[g]) for g in row) for row in rows)
        shape = (len(rows), min(self.length, -(-longest // _STEP) * _STEP))
        arrays: list[NDArray[Any]] = [
            np.zeros(shape, kind) for kind in (np.int64, np.int64, np.int16, np.uint8, np.uint8)
        ]
        for number, row in enumerate(rows):
            at = 0
            for group_number, group in enumerate(row, 1):
                start, stop = self.packed.offsets[group], self.packed.offsets[group + 1]
                here = np.s_[number, at : at + stop - start]
                branches = self.packed.branches[start:stop]
                parts = (
                    self._swapped(
                        self._turned(self.packed.tokens[start:stop].astype(np.int64), int(rng.integers(TAGS))),
                        branches,
                        rng,
                    ),
                    _positions(branches),
                    group_number,
                    branches,
                    self.packed.roles[start:stop],
                )
                for array, part in zip(arrays, parts, strict=True):
                    array[here] = part
                at += int(stop - start)
        return Batch(*arrays)

    def _turned(self, tokens: NDArray[np.int64], by: int) -> NDArray[np.int64]:
        for first in self.first_tags:
            tags = (tokens >= first) & (tokens < first + TAGS)
            tokens[tags] = first + (tokens[tags] - first + by) % TAGS
        return tokens

    def _swapped(
        self, tokens: NDArray[np.int64], branches: NDArray[np.uint8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        here = np.intersect1d(tokens[branches == 0], self.words)
        if rng.random() > SWAPPED_GROUPS:
            return tokens
        old = here[rng.random(len(here)) < SWAPPED_WORDS]
        others = np.setdiff1d(self.words, tokens)
        if len(others) < len(old):
            return tokens
        table = np.arange(int(tokens.max()) + 1)
        table[old] = rng.choice(others, len(old), replace=False)
        swapped: NDArray[np.int64] = table[tokens]
        return swapped


def _fit(groups: NDArray[np.int64], sizes: NDArray[np.int64], length: int) -> list[list[int]]:
    """First fit, longest first; the rows come back in the order their first group had."""
    rows: list[list[int]] = []
    room: list[int] = []
    rank = {int(group): at for at, group in enumerate(groups)}
    for group in sorted(rank, key=lambda group: (-int(sizes[group]), rank[group])):
        size = int(sizes[group])
        for number, left in enumerate(room):
            if left >= size:
                rows[number].append(group)
                room[number] -= size
                break
        else:
            rows.append([group])
            room.append(length - size)
    return sorted(rows, key=lambda row: rank[row[0]])


def _positions(branches: NDArray[np.uint8]) -> NDArray[np.int64]:
    region = int((branches == 0).sum())
    positions = np.arange(len(branches))
    starts = np.flatnonzero(np.diff(branches, prepend=branches[0])) if len(branches) else positions[:0]
    for start, stop in zip(starts, [*starts[1:], len(branches)], strict=True):
        positions[start:stop] = region + np.arange(stop - start)
    return positions
