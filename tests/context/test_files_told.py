"""Files that an instruction tells, and of which spark edits none."""

import pytest

from spark_tui.context.files_told import files_named, refuse_no_python
from spark_tui.errors import UsageError

FILES = ("Makefile", "conf/app.ini", "poetry.lock", "pyproject.toml", "setup.cfg", "shop/__init__.py", "shop/cart.py")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("change the version to 0.2 in pyproject.toml", "pyproject.toml"),
        ("in setup.cfg, set the line length to 100", "setup.cfg"),
        ("add a clean target to the Makefile", "Makefile"),
        ("remove numpy from poetry.lock", "poetry.lock"),
        ("please bump the port in `conf/app.ini`", "conf/app.ini"),
        ("sort app.ini", "app.ini"),
    ],
)
def test_what_is_to_be_edited_and_no_python_is_refused_whatever_its_ending(words: str, name: str) -> None:
    with pytest.raises(UsageError, match=f"^{name} is no Python file"):
        refuse_no_python(words, lambda: FILES)


@pytest.mark.parametrize(
    "words",
    [
        "change the version in gone.toml",
        "change load to read the version in pyproject.toml",
        "raise an error if the key is not in setup.cfg",
        "in pyproject.toml the key is another one, so load fails",
        "add a parameter to load, like in the Makefile of theirs",
        "rename items to goods in shop/cart.py",
    ],
)
def test_a_file_that_code_speaks_of_or_is_not_there_or_is_python_is_not_refused(words: str) -> None:
    refuse_no_python(words, lambda: FILES)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("rename d to e in shop.cart", ("shop/cart.py",)),
        ("rename d to e in the cart module", ("shop/cart.py",)),
        ("rename d to e in shop/cart.py", ("shop/cart.py",)),
        ("rename shop.cart to e", ()),
    ],
)
def test_a_module_is_named_as_a_file_or_with_its_package_as_the_place(words: str, named: tuple[str, ...]) -> None:
    assert files_named(words, FILES) == named
