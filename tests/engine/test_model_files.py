"""Every way a model folder can be wrong ends in one line that names the file, the fault and the
way out.
"""

import errno
import os
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from spark_tui.engine.loader import load
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
