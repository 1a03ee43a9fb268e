"""The folders of the files shipped beside the code.

In a wheel these files are inside the package, in a checkout next to the package.
"""

from pathlib import Path

from spark_tui.errors import FileError

_PACKAGE = Path(__file__).resolve().parent


def themes_dir() -> Path:
    """The folder of the shipped themes.

    Raises:
        FileError: The installation is incomplete.
    """
    return _folder("themes")


def examples_dir() -> Path:
    """The folder of the shipped examples.

    Raises:
        FileError: The installation is incomplete.
    """
    return _folder("examples")


def models_dir() -> Path:
    """The folder of the shipped models."""
    return _PACKAGE / "models"


def _folder(name: str) -> Path:
    for place in (_PACKAGE / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileError(
        f"the shipped folder {name}/ is missing; reinstall spark: pip install --force-reinstall "
        f"spark-tui"
    )
