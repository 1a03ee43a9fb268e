"""Reading the files of a model folder: whole, of bounded size, copied into memory."""

import os
from pathlib import Path

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
    try:
        if path.exists() and not path.is_file():
            raise damaged(path, "not a regular file")
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > limit:
                raise damaged(path, f"larger than the {limit:,} bytes it may have")
            return stream.read(size)
    except FileNotFoundError as error:
        raise damaged(path, "missing") from error
    except OSError as error:
        raise damaged(path, f"cannot be read ({error.strerror})") from error
