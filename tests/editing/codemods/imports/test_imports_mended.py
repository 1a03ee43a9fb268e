"""Imports mended in their place, as an error or the words hint."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("instruction", "before", "after"),
    [
        ("No module named 'app.cli.sessions'", "from .sessions import A", "from ..sessions import A"),
        ("cannot import name 'Base', it lives in the package", "from . import Base", "from .. import Base"),
        ("import it from a.helpers", "from a.v1.helpers import f", "from a.helpers import f"),
        ("NameError on LockLostError", "from a import LockError", "from a import LockError, LockLostError"),
        (
            "timezone.utc is a NameError",
            "from d import date, timedelta, tzinfo",
            "from d import date, timedelta, timezone, tzinfo",
        ),
        ("CBState.OPEN -> NameError", "from a import State", "from a import State as CBState"),
        (
            "cannot import name 'OLD_HOSTS', NEW_HOSTS now",
            "from a import OLD_HOSTS",
            "from a import NEW_HOSTS as OLD_HOSTS",
        ),
        ("import chain under its own name", "from a import chain as ichain", "from a import chain"),
        ("No module named 'ConfigParser'", "import ConfigParser as configparser", "import configparser"),
    ],
)
def test_an_import_is_mended_in_its_place(instruction: str, before: str, after: str) -> None:
    assert after in results("add_import", before, instruction)


def test_imports_that_nothing_is_wrong_with_stay() -> None:
    assert "from ..a import b" not in results("add_import", "from .a import b", "ImportError in other")
