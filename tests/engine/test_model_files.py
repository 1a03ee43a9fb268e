"""Every way a model folder can be wrong ends in one line that names the file, the fault and the
way out.
"""

import base64
import errno
import json
import os
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import tokenizers

from spark_tui.engine.loader import load
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import ModelError
from tests.engine.folders import refusal, write_config


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(model_folder: Path, name: str) -> None:
    (model_folder / name).unlink()
    assert f"{name}: missing;" in refusal(lambda: load(model_folder))


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_not_a_regular_file_is_not_opened(model_folder: Path, name: str, make: Any) -> None:
    (model_folder / name).unlink()
    make(model_folder / name)
    assert f"{name}: not a regular file;" in refusal(lambda: load(model_folder))


def test_a_file_that_cannot_be_read_is_named(model_folder: Path) -> None:
    (model_folder / "config.json").unlink()
    (model_folder / "config.json").symlink_to("config.json")
    assert "config.json: cannot be read (" in refusal(lambda: load(model_folder))


@pytest.mark.parametrize(
    ("code", "advice"), [(errno.EMFILE, "`ulimit -n`"), (errno.EIO, "the disk is failing")]
)
def test_a_limit_of_the_system_is_no_fault_of_the_model(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch, code: int, advice: str
) -> None:
    real = Path.open

    def refuse(self: Path, *args: Any, **options: Any) -> Any:
        if self.name == "config.json":
            raise OSError(code, os.strerror(code), str(self))
        return real(self, *args, **options)

    monkeypatch.setattr(Path, "open", refuse)
    words = re.escape(f"config.json: cannot be read ({os.strerror(code)}); {advice}")
    with pytest.raises(ModelError, match=words):
        load(model_folder)


def test_a_config_of_a_huge_model_beside_a_small_file_allocates_nothing(model_folder: Path) -> None:
    write_config(model_folder, vocab_size=1 << 20, hidden_size=1 << 16, num_hidden_layers=1 << 10)
    tracemalloc.start()
    try:
        assert "tensors that config.json asks for are missing" in refusal(
            lambda: load(model_folder)
        )
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


def test_a_tokenizer_with_more_tokens_than_the_model_is_refused(model_folder: Path) -> None:
    write_config(model_folder, vocab_size=100)
    assert "tokenizer.json: 293 tokens, config.json allows 100;" in refusal(
        lambda: load(model_folder)
    )


PRECOMPILED = base64.b64encode((8).to_bytes(4, "little") + b"\xff" * 8 + b"abc\0").decode()


@pytest.mark.parametrize(
    "change",
    [
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": PRECOMPILED}},
        {
            "normalizer": {
                "type": "Sequence",
                "normalizers": [{"type": "Precompiled", "precompiled_charsmap": "AAAA"}],
            }
        },
    ],
)
@pytest.mark.parametrize("is_hidden", [False, True])
def test_a_character_map_is_refused_before_it_is_read(
    model_folder: Path, change: dict[str, Any], is_hidden: bool
) -> None:
    text = json.dumps(entries_of(model_folder) | change)
    if is_hidden:
        text = text.replace("Precompiled", r"\u0050recompiled")
    (model_folder / "tokenizer.json").write_text(text)
    assert "it has a character map" in refusal(lambda: load(model_folder))


@pytest.mark.parametrize(
    "change",
    [
        {
            "padding": {
                "strategy": {"Fixed": 1 << 40},
                "direction": "Right",
                "pad_to_multiple_of": None,
                "pad_id": 0,
                "pad_type_id": 0,
                "pad_token": "x",
            }
        },
        {
            "truncation": {
                "max_length": 1,
                "stride": 5,
                "strategy": "LongestFirst",
                "direction": "Right",
            }
        },
    ],
)
def test_a_tokenizer_neither_pads_nor_cuts(model_folder: Path, change: dict[str, Any]) -> None:
    before = load(model_folder).tokenizer.encode("return value")
    (model_folder / "tokenizer.json").write_text(json.dumps(entries_of(model_folder) | change))
    assert load(model_folder).tokenizer.encode("return value") == before


def test_a_panic_of_the_library_is_a_damaged_model(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class PanicException(BaseException):
        """As `tokenizers` raises it."""

    class Backend:
        def __init__(self, real: Any) -> None:
            self._real = real

        def encode(self, *_: object, **__: object) -> object:
            raise PanicException("index out of bounds")

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

    path = model_folder / "tokenizer.json"
    real = tokenizers.Tokenizer.from_file(str(path))
    assert "index out of bounds" in refusal(lambda: Tokenizer.checked(path, lambda: Backend(real)))

    def panic() -> Any:
        raise PanicException("no table")

    assert "no table" in refusal(lambda: Tokenizer.checked(path, panic))


def entries_of(folder: Path) -> dict[str, Any]:
    """What tokenizer.json holds."""
    entries: dict[str, Any] = json.loads((folder / "tokenizer.json").read_text())
    return entries
