"""A package that nobody wrote, unpacked, and references to it."""

from collections.abc import Sequence
from pathlib import Path

from spark_tui.training.places import Place, folder_name, hash_of
from spark_tui.training.references import Asked, Reference, refer, script_between
from spark_tui.training.script import LineOp

CODE = '''"""Fruit."""


def price(fruit, count):
    total = fruit.price * count
    if count > 10:
        total *= 0.9
    return total
'''
FIRST, COUNT = 4, 5
ORIGINAL = tuple(CODE.split("\n")[FIRST - 1 : FIRST - 1 + COUNT])
PLANTED = (*ORIGINAL[:2], "    if count < 10:", *ORIGINAL[3:])


def unpacked(folder: Path, code: str = CODE, version: str = "1.0") -> Path:
    """The folder of packages, with this one in it."""
    home = folder / folder_name("Fruit_Shop", version) / "fruit"
    home.mkdir(parents=True, exist_ok=True)
    (home / "prices.py").write_text(code, encoding="utf-8")
    return folder


def place(lines: Sequence[str] = ORIGINAL, version: str = "1.0") -> Place:
    """Where its function stands, with the hash of some lines."""
    return Place("Fruit-Shop", version, "fruit/prices.py", FIRST, COUNT, hash_of(lines))


def asked(words: str, *ops: LineOp, **more: object) -> Asked:
    """A request with one script, or none."""
    return Asked(words, (ops,) if ops else (), None, more)


def planted(*more: Asked) -> Reference:
    """A bug, its mending, and other requests."""
    mending = Asked("no discount for many", (script_between(PLANTED, ORIGINAL),), (2, 2), {"id": "f-1", "bug": True})
    return refer(place(), ORIGINAL, PLANTED, [mending, *more])
