"""What the build backend is told about systems that spark does not run on."""

import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from spark_tui import windows

ROOT = Path(__file__).parents[1]


@pytest.fixture
def update(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The hook's method, without the build backend, which is installed for builds alone."""

    class Interface:
        """As much of the backend's as the hook uses."""

        root = str(ROOT)

    module = ModuleType("hatchling.metadata.plugin.interface")
    module.__dict__["MetadataHookInterface"] = Interface
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return runpy.run_path(str(ROOT / ".ci" / "refuse_windows.py"))["RefuseWindows"]().update


def test_a_build_on_windows_ends_with_what_to_do(
    update: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")

    with pytest.raises(SystemExit, match="WSL") as ended:
        update({})

    assert ended.value.code == windows.ADVICE


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_build_elsewhere_leaves_the_metadata_as_it_is(
    update: Any,
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    metadata = {"name": "spark-tui"}

    update(metadata)

    assert metadata == {"name": "spark-tui"}
