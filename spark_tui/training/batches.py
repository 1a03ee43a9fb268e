"""Packs token rows into one file, groups them into padded batches, and orders those for a run.

`PackedRows` holds many rows in one compressed file, which travels to the machine that trains.
`PaddedBatch` puts rows side by side. `BatchOrder` gives the batches of pass after pass.
"""

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import UsageError
from spark_tui.training.base_model import SPECIALS
from spark_tui.training.rows import (
    ANSWER,
    REDIRECTED_SHARE,
    WORDS,
    TokenRow,
    make_rows,
    read_regions,
    with_redirects,
)

SUFFIX = ".npz"
_SMALL_VOCABULARY = 1 << 16
"""Tokens below this fit into two bytes, which halves the file and the memory of the rows."""


@dataclass(frozen=True)
class PackedRows(Sequence[TokenRow]):
    """Rows one behind the other.

    Attributes:
        sizes: (N,), tokens of each row.
        tokens: (sum of sizes,), unsigned integers, as small as the vocabulary allows.
        branches: Like `tokens`, see `TokenRow`.
        kinds: Like `tokens`, see `TokenRow`.
    """

    sizes: NDArray[np.int64]
    tokens: NDArray[np.unsignedinteger]
    branches: NDArray[np.uint8]
    kinds: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Sequence[TokenRow]) -> "PackedRows":
        """Pack rows."""
        sizes = np.array([len(row.tokens) for row in rows], np.int64)
        tokens = _concatenate([row.tokens for row in rows])
        token_type: type[np.unsignedinteger] = np.uint32
        if int(tokens.max(initial=0)) < _SMALL_VOCABULARY:
            token_type = np.uint16
        return cls(
            sizes,
            tokens.astype(token_type),
            _concatenate([row.branches for row in rows]).astype(np.uint8),
            _concatenate([row.kinds for row in rows]).astype(np.uint8),
        )

    @classmethod
    def join(cls, parts: Sequence["PackedRows"]) -> "PackedRows":
        """Put several packs behind one another."""
        return cls(
            _concatenate([part.sizes for part in parts]).astype(np.int64),
            _concatenate([part.tokens for part in parts]).astype(np.uint32),
            _concatenate([part.branches for part in parts]).astype(np.uint8),
            _concatenate([part.kinds for part in parts]).astype(np.uint8),
        )

    @classmethod
    def read(cls, path: Path) -> "PackedRows":
        """Read a file that `write` wrote.

        Raises:
            UsageError: The file cannot be read, or it holds something else.
        """
        try:
            with path.open("rb") as stream, np.load(stream) as file:
                sizes = file["sizes"].astype(np.int64)
                rows = cls(sizes, file["tokens"], file["branches"], file["kinds"])
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            advice = "make it with `spark train rows`"
            raise UsageError(f"{path} holds no packed rows ({error}); {advice}") from error
        count = int(sizes.sum())
        if any(len(part) != count for part in (rows.tokens, rows.branches, rows.kinds)):
            raise UsageError(f"{path} is damaged: its arrays differ in length")
        return rows

    def write(self, path: Path) -> None:
        """Write the rows, replacing what is there."""
        # Under another name until it is whole: a run that is killed leaves no half of a file.
        unfinished = path.with_name(f"{path.name}.part")
        with unfinished.open("wb") as file:
            np.savez_compressed(
                file,
                sizes=self.sizes.astype(np.int32),
                tokens=self.tokens,
                branches=self.branches,
                kinds=self.kinds,
            )
        unfinished.replace(path)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first token of each row, (N,)."""
        # the sum of the sizes before each row
        return np.cumsum(self.sizes) - self.sizes

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, number: int) -> TokenRow:  # type: ignore[override] # no slices
        span = slice(self.starts[number], self.starts[number] + self.sizes[number])
        return TokenRow(
            self.tokens[span].astype(np.int32),
            self.branches[span].astype(np.int32),
            self.kinds[span],
        )

    def __iter__(self) -> Iterator[TokenRow]:
        return map(self.__getitem__, range(len(self)))

    def count_tokens(self, kind: int) -> int:
        """Count the tokens of a kind."""
        return int(np.count_nonzero(self.kinds == kind))


def _concatenate(parts: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
    """Arrays behind one another, also where there are none."""
    if not parts:
        return np.zeros(0, np.int64)
    return np.concatenate(parts)


@dataclass(frozen=True, slots=True)
class PackingSummary:
    """The counts of a packing: what was read, what was left out, and what came of it."""

    regions: int
    requests: int
    redirects: int
    left_out: int
    rows: int
    tokens: int
    learned: int
    words: int

    def __str__(self) -> str:
        return (
            f"{self.regions} regions, {self.requests} requests ({self.redirects} of them redirects,"
            f" {self.left_out} more are too long), {self.rows} rows, {self.tokens} tokens:"
            f" {self.learned} learned, {self.words} words"
        )


def pack_requests(
    base: Path,
    paths: Iterable[Path],
    *,
    redirects: bool,
) -> tuple[PackedRows, PackingSummary]:
    """Make rows of files of written requests.

    Args:
        base: The folder with the tokenizer.
        paths: The files.
        redirects: Whether tasks that correct earlier words are added, see `with_redirects`.

    Raises:
        UsageError: A file cannot be read, or it holds something else.
    """
    tokenizer = Tokenizer.read(base)
    # always the same redirects, so that packing twice gives the same rows
    rng = Random(0)
    end = tokenizer.special(SPECIALS[0])
    rows = list[TokenRow]()
    regions = 0
    written = 0
    asked = 0
    for region in read_regions(paths):
        regions += 1
        written += len(region.asked)
        whole = region
        if redirects:
            whole = with_redirects(region, rng, REDIRECTED_SHARE)
        asked += len(whole.asked)
        rows += make_rows(whole, tokenizer.encode, end)
    packed = PackedRows.of(rows)
    # branches count from 1, so the last one is the number of requests in the row
    requests = sum(int(row.branches[-1]) for row in rows)
    return packed, PackingSummary(
        regions=regions,
        requests=requests,
        redirects=asked - written,
        left_out=asked - requests,
        rows=len(packed),
        tokens=len(packed.tokens),
        learned=packed.count_tokens(ANSWER),
        words=packed.count_tokens(WORDS),
    )


def load_rows(path: Path, base: Path, *, redirects: bool) -> PackedRows:
    """Read packed rows, or make them of a file of written requests.

    Raises:
        UsageError: The file cannot be read, or it holds something else.
    """
    if path.suffix == SUFFIX:
        return PackedRows.read(path)
    return pack_requests(base, [path], redirects=redirects)[0]


LENGTH_MULTIPLE = 16
"""A padded length is a multiple of this: kernels of attention want an aligned mask."""
_BUCKET = 4096
"""Rows sorted by length together, so that a batch holds little padding."""
_PADDING = -1
"""The branch of tokens that only fill a row up; no token sees them."""


@dataclass(frozen=True, slots=True)
class PaddedBatch:
    """Padded rows.

    Attributes:
        tokens: (B, T).
        positions: (B, T).
        branches: (B, T), -1 where there is padding.
        kinds: (B, T), see `TokenRow`.
    """

    tokens: NDArray[np.int64]
    positions: NDArray[np.int64]
    branches: NDArray[np.int16]
    kinds: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Sequence[TokenRow]) -> "PaddedBatch":
        """Put rows side by side."""
        shape = len(rows), padded_length(max(len(row.tokens) for row in rows))
        batch = cls(
            np.zeros(shape, np.int64),
            np.zeros(shape, np.int64),
            np.full(shape, _PADDING, np.int16),
            np.zeros(shape, np.uint8),
        )
        for number, row in enumerate(rows):
            size = len(row.tokens)
            batch.tokens[number, :size] = row.tokens
            batch.positions[number, :size] = row.positions
            batch.branches[number, :size] = row.branches
            batch.kinds[number, :size] = row.kinds
        return batch

    @property
    def size(self) -> int:
        """Tokens, without the padding."""
        return int(np.count_nonzero(self.branches != _PADDING))

    def mask(self) -> NDArray[np.bool_]:
        """Return (B, T, T), True where a token may look: at its region and request, not ahead."""
        own = self.branches[:, :, None]
        seen = self.branches[:, None, :]
        causal = np.tri(self.tokens.shape[1], dtype=np.bool_)
        mask: NDArray[np.bool_] = ((seen == 0) | (seen == own)) & causal
        return mask


def padded_length(length: int) -> int:
    """Return the next multiple of `LENGTH_MULTIPLE`."""
    return -(-length // LENGTH_MULTIPLE) * LENGTH_MULTIPLE


def plan_batches(
    sizes: NDArray[np.int64],
    numbers: NDArray[np.int64],
    most: int,
    rng: np.random.Generator | None = None,
) -> list[NDArray[np.int64]]:
    """Group rows of like length.

    Args:
        sizes: Tokens of every row.
        numbers: The rows to group.
        most: Tokens of a batch with its padding; a longer row gets a batch of its own.
        rng: Shuffles the rows and the batches; None leaves them in order.
    """
    order = numbers
    if rng is not None:
        order = rng.permutation(numbers)
    batches = list[NDArray[np.int64]]()
    # Sorted within buckets only: rows of one length in all of a pass would be learned in a row.
    for start in range(0, len(order), _BUCKET):
        bucket = order[start : start + _BUCKET]
        by_length = bucket[np.argsort(sizes[bucket], kind="stable")]
        batches += split_batch(by_length, sizes, most)
    if rng is None:
        return batches
    return [batches[place] for place in rng.permutation(len(batches))]


def split_batch(
    numbers: NDArray[np.int64],
    sizes: NDArray[np.int64],
    most: int,
) -> list[NDArray[np.int64]]:
    """Cut rows, sorted by length, into batches of at most so many tokens with their padding."""
    batches = list[NDArray[np.int64]]()
    start = 0
    for stop in range(1, len(numbers)):
        # Sorted, so the row that comes last is as long as all rows of the batch become.
        length = padded_length(int(sizes[numbers[stop]]))
        # the rows start..stop, all padded to the length of the last one
        if (stop + 1 - start) * length > most:
            batches.append(numbers[start:stop])
            start = stop
    return [*batches, numbers[start:]]


class WeightedRows:
    """Rows of several files, each as often in a pass as its weight says."""

    def __init__(self, parts: Sequence[tuple[PackedRows, float]]) -> None:
        """Mix files.

        Args:
            parts: The rows of each file with its weight. 2 means that each pass holds them twice,
                0.5 that each pass holds another half of them.
        """
        self.rows = PackedRows.join([rows for rows, _ in parts])
        self._sizes = [len(rows) for rows, _ in parts]
        self._weights = [weight for _, weight in parts]

    def draw_pass(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the rows of a pass, ordered by file."""
        drawn = [np.zeros(0, np.int64)]
        start = 0
        for size, weight in zip(self._sizes, self._weights, strict=True):
            # Whole copies, and of what is left of the weight another part, drawn anew each pass.
            copies = int(weight)
            rest = round((weight - copies) * size)
            drawn += [np.arange(start, start + size)] * copies
            drawn.append(start + np.sort(rng.permutation(size)[:rest]))
            start += size
        return np.concatenate(drawn)

    def plan_pass(self, seed: int, number: int, most: int) -> list[NDArray[np.int64]]:
        """Return the batches of a pass; the same arguments give the same ones."""
        # A generator for each pass: a run that resumes in a later pass need not draw those before.
        rng = np.random.default_rng((seed, number))
        return plan_batches(self.rows.sizes, self.draw_pass(rng), most, rng)


class BatchOrder:
    """The batches of pass after pass. Mutable."""

    def __init__(self, mixture: WeightedRows, seed: int, most: int) -> None:
        self.mixture = mixture
        self._seed = seed
        self._most = most
        self.number = self.place = 0
        self._planned: tuple[int, list[NDArray[np.int64]]] | None = None

    def next_step(self, tokens: int) -> list[NDArray[np.int64]]:
        """Return the batches of a step, of so many tokens or a few more with their padding."""
        batches = list[NDArray[np.int64]]()
        count = 0
        while count < tokens:
            batch = self._next_batch()
            batches.append(batch)
            count += len(batch) * int(self.mixture.rows.sizes[batch].max())
        return batches

    def _next_batch(self) -> NDArray[np.int64]:
        if self._planned is None or self._planned[0] != self.number:
            plan = self.mixture.plan_pass(self._seed, self.number, self._most)
            self._planned = self.number, plan
        plan = self._planned[1]
        batch = plan[self.place]
        self.place += 1
        if self.place == len(plan):
            self.number = self.number + 1
            self.place = 0
        return batch
