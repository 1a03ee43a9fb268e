"""Copies of a work tree, made where they can be counted."""

import tempfile
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the copies are made."""
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder
