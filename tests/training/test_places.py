"""Code is found where it stands, or near by, and never without its hash."""

import sysconfig
from pathlib import Path

import pytest

from spark_tui.training.references import (
    PYTHON,
    MissingStretch,
    PackageStretch,
    folder_name,
    hash_of,
    lines_at,
    read_lines,
)
from tests.training.made_up import CODE, COUNT, ORIGINAL, place, unpacked


def test_lines_stand_where_they_are_said_to(tmp_path: Path) -> None:
    assert lines_at(place(), unpacked(tmp_path)) == ORIGINAL


def test_lines_that_moved_are_found_by_their_hash(tmp_path: Path) -> None:
    assert lines_at(place(), unpacked(tmp_path, "import os\n\n" + CODE)) == ORIGINAL


@pytest.mark.parametrize(
    ("old", "new"), [("0.9", "0.8"), (" 10:", " 10: "), ("    return", "\treturn")]
)
def test_lines_that_are_others_to_the_byte_are_missing(tmp_path: Path, old: str, new: str) -> None:
    folder = unpacked(tmp_path, CODE.replace(old, new))
    assert lines_at(place(), folder) == MissingStretch(place(), "hash")


def test_what_is_missing_first_is_named(tmp_path: Path) -> None:
    assert lines_at(place(), tmp_path) == MissingStretch(place(), "package")
    unpacked(tmp_path)
    assert lines_at(place(version="2.0"), tmp_path) == MissingStretch(
        place(version="2.0"), "package"
    )
    gone = PackageStretch("fruit-shop", "1.0", "fruit/gone.py", 1, 1, "")
    assert lines_at(gone, tmp_path) == MissingStretch(gone, "file")


def test_more_lines_than_a_file_has_are_missing(tmp_path: Path) -> None:
    long = PackageStretch("fruit-shop", "1.0", "fruit/prices.py", 1, COUNT * 10, hash_of(ORIGINAL))
    assert lines_at(long, unpacked(tmp_path)) == MissingStretch(long, "hash")


def test_the_standard_library_is_that_of_this_python(tmp_path: Path) -> None:
    lines = read_lines(Path(sysconfig.get_paths()["stdlib"]) / "textwrap.py")[:3]
    assert (
        lines_at(PackageStretch(PYTHON, "3.11.7", "textwrap.py", 1, 3, hash_of(lines)), tmp_path)
        == lines
    )


def test_a_package_has_one_folder_however_its_name_is_spelt() -> None:
    assert {folder_name(name, "1.0") for name in ("Fruit_Shop", "fruit-shop", "fruit.shop")} == {
        "fruit-shop-1.0"
    }


@pytest.mark.parametrize(
    ("data", "lines"), [(b"a\r\n  \r\nb  \r\n", ("a", "", "b  ", "")), (b"\xff\xfe", ())]
)
def test_line_endings_and_blank_lines_do_not_count_nor_what_is_no_text(
    tmp_path: Path, data: bytes, lines: tuple[str, ...]
) -> None:
    (tmp_path / "x.py").write_bytes(data)
    assert read_lines(tmp_path / "x.py") == lines
