"""Model folders to damage, and the one line each must be refused with."""

import json
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from safetensors.numpy import save_file

from spark_tui.errors import ModelError
from tests.engine.tiny import config_entries, random_weights

Read = TypeVar("Read")


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


def soon_and_cheaply(read: Callable[[], Read], seconds: float, most_bytes: int) -> Read:
    """Read within so much time of the processor (another process may hold it for as long as it
    likes), and again within so much memory.

    Memory is traced in a reading of its own: tracing makes each allocation ten times slower.
    """
    began = time.process_time()
    try:
        read()
    except ModelError:
        pass  # raised again below; what ends in an error has to be soon, too
    finally:
        assert time.process_time() - began < seconds
    tracemalloc.start()
    try:
        return read()
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
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
