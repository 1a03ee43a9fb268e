"""Which conflicts of which file are meant."""

import pytest

from spark_tui.context.regions import Region, torn_region
from spark_tui.errors import UsageError

CONFLICT = "<<<<<<< HEAD\n    x = 1\n=======\n    x = 2\n>>>>>>> side\n"
FILES = {
    "a.py": f"def f():\n{CONFLICT}    return x\n\n\ndef g():\n{CONFLICT}",
    "d/README.md": "Title\n=======\n" + CONFLICT,
    "b.py": "x = 1\n",
}


def found(*paths: str, lines: tuple[int, int] | None = None, symbol: str | None = None) -> Region:
    return torn_region(paths, lambda path: FILES[path].encode(), lines, symbol)


@pytest.mark.parametrize(
    ("path", "lines", "symbol", "place"),
    [
        ("a.py", None, None, (2, 15)),
        ("d/README.md", None, None, (3, 7)),
        ("a.py", None, "f", (2, 6)),
        ("a.py", (12, 12), None, (11, 15)),
    ],
)
def test_the_conflicts_that_are_meant_are_found(
    path: str, lines: tuple[int, int] | None, symbol: str | None, place: tuple[int, int]
) -> None:
    region = found(path, lines=lines, symbol=symbol)
    assert (region.path, region.start_line, region.end_line) == (path, *place)


def test_a_file_without_conflicts_does_not_matter() -> None:
    assert found("b.py", "a.py").path == "a.py"


@pytest.mark.parametrize(
    ("paths", "symbol", "said"),
    [
        (
            ("a.py", "d/README.md"),
            None,
            "there are conflicts in a.py, d/README.md: say which file, such as @a.py",
        ),
        (("a.py",), "h", "there is no conflict in h"),
        (("b.py",), None, "there is no conflict in b.py"),
        ((), None, "there is no conflict in any file"),
    ],
)
def test_where_it_is_not_clear_which_are_meant_that_is_said(
    paths: tuple[str, ...], symbol: str | None, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        found(*paths, symbol=symbol)
