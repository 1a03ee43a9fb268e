import os

import pytest

from spark_tui.engine.blas import use_one_blas_thread

NAMES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@pytest.fixture
def before_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if numpy were not imported yet, and no variable set."""
    monkeypatch.setattr("spark_tui.engine.blas.sys.modules", {})
    monkeypatch.setattr(os, "environ", {})


@pytest.mark.usefixtures("before_numpy")
def test_before_numpy_every_variable_is_set_that_the_user_has_not() -> None:
    os.environ["OMP_NUM_THREADS"] = "4"
    use_one_blas_thread()
    assert [os.environ[name] for name in NAMES] == ["1", "4", "1"]


def test_after_numpy_it_is_too_late_and_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    use_one_blas_thread()
    assert not set(NAMES) & set(os.environ)
