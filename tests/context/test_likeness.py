"""Places that are like the lines of a change, and changes that are alike."""

from collections.abc import Mapping, Sequence

import pytest

from spark_tui.context.likeness import LikePlace, change_likeness, like_places
from spark_tui.context.regions import Region
from spark_tui.context.search_index import SearchIndex
from tests.fakes import returned

LOAD = 'def load(path):\n    print("load", path)\n    return open(path).read()\n'
SAVE = 'def save(path):\n    print("save", path)\n    return 1\n'
AREA = "def area(w, h):\n    return w * h\n"


def places(files: Mapping[str, str], lines: Sequence[str]) -> list[LikePlace]:
    """The places like some lines, of which the first function of a.py had the change."""
    data = {path: text.encode() for path, text in files.items()}

    def size(path: str) -> int:
        return len(data[path])

    index = SearchIndex(tuple(files), data.__getitem__, size)
    edited = Region("a.py", 1, 3, "load", None, "")
    return returned(like_places(lines, edited, index))


def test_the_likest_function_of_any_file_comes_first_and_the_changed_one_is_left_out() -> None:
    files = {"a.py": f"{LOAD}\n\n{AREA}", "b/c.py": SAVE}
    found = places(files, ['    print("load", path)'])
    assert [place.region.symbol for place in found] == ["save", "area"]
    assert found[0].likeness > 0.5 > found[1].likeness


def test_a_place_that_holds_the_very_lines_is_as_like_as_can_be() -> None:
    files = {"a.py": LOAD, "b.py": LOAD.replace("def load", "def read")}
    assert places(files, ['    print("load", path)'])[0].likeness == pytest.approx(1.0)


def test_without_lines_no_place_is_like_them() -> None:
    assert places({"a.py": f"{LOAD}\n\n{SAVE}"}, ["", "  "]) == []


@pytest.mark.parametrize(
    ("before", "after", "other", "other_after", "low", "high"),
    [
        ("if a == None:", "if a is None:", "while b == None:", "while b is None:", 1.0, 1.0),
        ("f(x)", "f(x, 1)", "g(y, z)", "g(y, z, 1)", 1.0, 1.0),
        ("list(x)", "sorted(x)", "len(x)", "sorted(x)", 0.0, 0.0),
        ("f(x)", "f(x, 1)", "f(x)", "f(x, key)", 0.4, 0.6),
        ("f(x)", "f(x)", "f(x)", "f(x)", 0.0, 0.0),
    ],
)
def test_changes_are_alike_by_what_goes_and_what_comes(
    before: str, after: str, other: str, other_after: str, low: float, high: float
) -> None:
    assert low <= change_likeness([before], [after], ([other], [other_after])) <= high
