import os

import pytest

from spark_tui.engine import use_one_blas_thread

NAMES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@pytest.fixture
def before_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if numpy were not imported yet, and no variable set."""
    monkeypatch.setattr("spark_tui.engine.sys.modules", {})
    monkeypatch.setattr(os, "environ", {})


@pytest.mark.usefixtures("before_numpy")
def test_before_numpy_every_variable_is_set_that_the_user_has_not() -> None:
    os.environ["OMP_NUM_THREADS"] = "4"
    use_one_blas_thread()
    assert [os.environ[name] for name in NAMES] == ["1", "4", "1"]
