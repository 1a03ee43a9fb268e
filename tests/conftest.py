"""What holds for every test: a slow machine is no failure, and neither the clock nor chance decides anything.

`--hypothesis-profile=exploring` lets chance in: other examples on every run, to look for what the fixed ones miss.
"""

import os

import pytest
from hypothesis import settings

settings.register_profile("exploring", deadline=None)
settings.register_profile("unhurried", deadline=None, derandomize=True)
settings.load_profile("unhurried")
os.environ.setdefault("SPARK_KERNELS", "numpy")  # to compile takes many times as long as a tiny model does


@pytest.fixture(autouse=True)
def _steady_drafts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draft as if passes cost what they are taken to cost before they were measured: always the same passes."""
    if "engine" not in request.path.parts:
        monkeypatch.setattr("spark_tui.engine.draft.Drafter.ran", lambda *_: None)
