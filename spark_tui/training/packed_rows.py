"""Many rows in one compressed file, which travels to the machine that trains."""

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
from spark_tui.training.bases import SPECIALS
from spark_tui.training.rows import (
    ANSWER,
    REDIRECTED_SHARE,
    WORDS,
    Row,
    make_rows,
    read_regions,
    with_redirects,
)

SUFFIX = ".npz"
_SMALL_VOCABULARY = 1 << 16


@dataclass(frozen=True)
class PackedRows(Sequence[Row]):
    """Rows one behind the other.

    Attributes:
        sizes: (N,), tokens of each row.
        tokens: (sum of sizes,), unsigned integers, as small as the vocabulary allows.
        branches: Like `tokens`, see `Row`.
        kinds: Like `tokens`, see `Row`.
    """

    sizes: NDArray[np.int64]
    tokens: NDArray[np.unsignedinteger]
    branches: NDArray[np.uint8]
    kinds: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "PackedRows":
        """Pack rows."""
        sizes = np.array([len(row.tokens) for row in rows], np.int64)
        tokens = _concatenate([row.tokens for row in rows])
        is_small = int(tokens.max(initial=0)) < _SMALL_VOCABULARY
        return cls(
            sizes,
            tokens.astype(np.uint16 if is_small else np.uint32),
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
            UsageError: It cannot be read, or it holds something else.
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
        """Where each row begins, (N,)."""
        return np.cumsum(self.sizes) - self.sizes

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, number: int) -> Row:  # type: ignore[override] # no slices
        span = slice(self.starts[number], self.starts[number] + self.sizes[number])
        return Row(
            self.tokens[span].astype(np.int32),
            self.branches[span].astype(np.int32),
            self.kinds[span],
        )

    def __iter__(self) -> Iterator[Row]:
        return map(self.__getitem__, range(len(self)))

    def count_tokens(self, kind: int) -> int:
        """Count the tokens of a kind."""
        return int(np.count_nonzero(self.kinds == kind))


def _concatenate(parts: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class PackingSummary:
    """What files of requests became."""

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
    tokenizer, rng = Tokenizer.read(base), Random(0)
    end = tokenizer.special(SPECIALS[0])
    rows, regions, written, asked = list[Row](), 0, 0, 0
    for region in read_regions(paths):
        regions, written = regions + 1, written + len(region.asked)
        whole = with_redirects(region, rng, REDIRECTED_SHARE) if redirects else region
        asked += len(whole.asked)
        rows += make_rows(whole, tokenizer.encode, end)
    packed = PackedRows.of(rows)
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
