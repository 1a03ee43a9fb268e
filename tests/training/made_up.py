"""A package that nobody wrote, unpacked, and references to it."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spark_tui.training.references import Operation, PackageStretch, folder_name, hash_of

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


def place(lines: Sequence[str] = ORIGINAL, version: str = "1.0") -> PackageStretch:
    """Where its function stands, with the hash of some lines."""
    return PackageStretch("Fruit-Shop", version, "fruit/prices.py", FIRST, COUNT, hash_of(lines))


def asked(words: str, *script: Operation, **more: object) -> dict[str, Any]:
    """A request with one script, or none, as a file holds it."""
    return {"words": words, "scripts": [script] if script else [], **more}


MENDING = asked(
    "no discount for many", ["R", 2, 2, [[len(PLANTED) + 2]]], selected=[2, 2], id="f-1", bug=True
)


def planted(*more: dict[str, Any], found: Sequence[str] = ORIGINAL) -> dict[str, Any]:
    """A bug, its mending, and other requests, as a line of a file.

    Args:
        found: Lines that are to stand there.
    """
    bug = ["R", 2, 2, [[2, len("    if count "), 1, "<"]]]
    return {**asdict(place(found)), "changes": [bug], "requests": [MENDING, *more]}


def write_references(path: Path, *rows: dict[str, Any]) -> None:
    """A file of references, gzipped where its name ends in .gz."""
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
