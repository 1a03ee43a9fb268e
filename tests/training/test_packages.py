"""Packages come by name and version, through pip, from an index that is a folder here."""

import zipfile
from pathlib import Path

import pytest

from spark_tui.errors import SparkError
from spark_tui.training.dataset import NotFetched, fetch, lacking, packages_of, unpack
from spark_tui.training.references import PYTHON, PackageStretch
from tests.training.made_up import CODE, place

FRUIT, OTHER = ("Fruit-Shop", "1.0"), ("no-such-package-of-ours", "3.0")


def wheel(folder: Path) -> Path:
    """A wheel of the package that nobody wrote."""
    folder.mkdir(exist_ok=True)
    path = folder / "fruit_shop-1.0-py3-none-any.whl"
    info = "fruit_shop-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("fruit/prices.py", CODE)
        archive.writestr("fruit/prices.bin", "no code")
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: fruit-shop\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: us\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What stands in for the package index: no network is asked."""
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    return wheel(tmp_path / "index").parent


@pytest.mark.usefixtures("index")
def test_a_package_is_downloaded_once_and_only_its_code_is_kept(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    for _ in range(2):
        fetch([FRUIT], tmp_path / "packages", lambda *step: told.append(step))
    assert told == [(0, 1, "Fruit-Shop 1.0")]
    files = [path for path in (tmp_path / "packages").rglob("*") if path.is_file()]
    assert files == [tmp_path / "packages" / "fruit-shop-1.0" / "fruit" / "prices.py"]
    assert files[0].read_text() == CODE
    assert lacking([FRUIT, OTHER], tmp_path / "packages") == [OTHER]


@pytest.mark.usefixtures("index")
def test_what_cannot_be_had_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    with pytest.raises(
        NotFetched, match=r"no-such-package-of-ours 3\.0; .*No matching distribution"
    ) as error:
        fetch([OTHER, FRUIT], tmp_path, lambda *_: None)
    assert error.value.packages == (OTHER,)
    assert lacking([FRUIT], tmp_path) == []
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_an_index_out_of_reach_is_not_asked_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def unreachable(name: str, version: str, folder: Path) -> str:
        asked.append(name)
        return "no route"

    monkeypatch.setattr("spark_tui.training.dataset._fetch_wheel", unreachable)
    names = [(f"p{number}", "1") for number in range(9)]
    with pytest.raises(NotFetched, match=r"9 packages .* p0 1, .* p8 1; .*\(no route\)") as error:
        fetch(names, tmp_path, lambda *_: None)
    assert (asked, error.value.packages) == (["p0", "p1", "p2"], tuple(names))


def test_half_a_wheel_is_not_unpacked(tmp_path: Path) -> None:
    whole = wheel(tmp_path / "index")
    whole.write_bytes(whole.read_bytes()[:100])
    with pytest.raises(SparkError, match="cannot be unpacked"):
        unpack(whole, tmp_path / "target")
    assert not (tmp_path / "target").exists()


def test_what_somebody_else_unpacked_meanwhile_is_kept(tmp_path: Path) -> None:
    for _ in range(2):
        unpack(wheel(tmp_path / "index"), tmp_path / "target")
    assert (tmp_path / "target" / "fruit" / "prices.py").read_text() == CODE


def test_the_standard_library_is_not_asked_for() -> None:
    places = [
        place(),
        place(),
        PackageStretch(PYTHON, "3.11.7", "ast.py", 1, 3, ""),
        PackageStretch("attrs", "1", "attr.py", 1, 3, ""),
    ]
    assert packages_of(places) == [("attrs", "1"), FRUIT]
