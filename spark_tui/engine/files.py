"""Reading the files of a model folder: whole, of bounded size, copied into memory."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from spark_tui.errors import ModelError

ADVICE = "install the model again or name another one"
_SHOWN = 80


def damaged(path: Path, problem: str, advice: str = ADVICE) -> ModelError:
    """The one-line error for a model file."""
    return ModelError(f"{path}: {problem}; {advice}")


def shown(value: object) -> str:
    """A value out of a file, fit for a message: short, and without what a terminal would act on."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def read_model_file(path: Path, *, limit: int) -> bytes:
    """The bytes of one file, never mapped, so that nothing done to the file later can reach them.

    Args: path: a regular file. limit: the most bytes it may hold.
    Raises: ModelError: missing, unreadable, not a regular file, or over the limit.
    """
    with open_model_file(path, limit=limit) as (stream, size):
        return stream.read(size)


@contextmanager
def open_model_file(path: Path, *, limit: int = sys.maxsize) -> Iterator[tuple[BinaryIO, int]]:
    """A file and its size in bytes. Args, Raises: as of `read_model_file`."""
    try:
        if path.exists() and not path.is_file():
            raise damaged(path, "not a regular file")
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > limit:
                raise damaged(path, f"larger than the {limit:,} bytes it may have")
            yield stream, size
    except FileNotFoundError as error:
        raise damaged(path, "missing") from error
    except OSError as error:
        raise damaged(path, f"cannot be read ({error.strerror})") from error


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a file, read as far as it is wanted, and never mapped. `start`, `size`: bytes."""

    path: Path
    start: int
    size: int

    def __getitem__(self, part: slice) -> bytes:
        """Raises: ModelError: the file is no longer what it was."""
        first, last, _ = part.indices(self.size)
        try:
            with self.path.open("rb") as stream:
                stream.seek(self.start + first)
                found = stream.read(last - first)
        except OSError as error:
            raise damaged(self.path, f"cannot be read ({error.strerror})") from error
        if len(found) < last - first:
            raise damaged(self.path, "changed while it was read")
        return found
