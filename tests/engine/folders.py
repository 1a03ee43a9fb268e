"""Model folders to damage, and the one line each must be refused with."""

import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from spark_tui.errors import ModelError
from tests.engine.tiny import config_entries, random_weights


def refusal(read: Callable[[], object]) -> str:
    """The message of the ModelError that reading ends with; one short line that says what to do."""
    with pytest.raises(ModelError) as caught:
        read()
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 500
    assert (
        "install the model again or name another one" in message or "name another model" in message
    )
    return message


@contextmanager
def soon_and_cheaply(seconds: float, most_bytes: int) -> Iterator[None]:
    """Within so much time of the processor (another process may hold it for as long as it
    likes) and memory.
    """
    tracemalloc.start()
    began = time.process_time()
    try:
        yield
    finally:
        taken, peak = time.process_time() - began, tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert taken < seconds  # here, so that it counts for what ends in an error, too
        assert peak < most_bytes


def write_config(folder: Path, **changes: Any) -> None:
    """The tiny model's config.json with changes; `...` leaves a value out."""
    entries = config_entries() | changes
    (folder / "config.json").write_text(
        json.dumps({name: value for name, value in entries.items() if value != ...})
    )


def write_weights(
    folder: Path, changes: dict[str, Any], kind: Any = np.float16, name: str = "model.safetensors"
) -> None:
    """The tiny model's weights with changes; None leaves a tensor out."""
    arrays = {key: array.astype(kind) for key, array in random_weights().items()} | changes
    save_file({key: array for key, array in arrays.items() if array is not None}, folder / name)
