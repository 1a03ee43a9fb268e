import pytest

from spark_tui.context.conflicts import Settling, TornFiles, settling
from spark_tui.errors import UsageError

CONFLICT = "<<<<<<< HEAD\n    x = 1\n=======\n    x = 2\n>>>>>>> side\n"
FILES = {
    "a.py": f"def f():\n{CONFLICT}    return x\n\n\ndef g():\n{CONFLICT}",
    "d/README.md": "Title\n=======\n" + CONFLICT,
    "b.py": "x = 1\n",
}


def _torn(*paths: str) -> TornFiles:
    return TornFiles(paths, lambda path: FILES[path].encode())


@pytest.mark.parametrize(
    ("words", "side", "place", "certain"),
    [
        ("fix the conflict", "", "", True),
        ("please resolve the merge conflicts", "", "", True),
        ("remove the conflict markers in a.py", "", "a.py", True),
        ("keep ours", "ours", "", False),
        ("take theirs", "theirs", "", False),
        ("Keep both.", "both", "", False),
        ("keep both sides of the conflict in f()", "both", "f", True),
        ("accept the incoming changes in `a.py::f`", "theirs", "a.py::f", False),
        ("use HEAD in README.md", "ours", "README.md", False),
        ("resolve the conflict with theirs in a.py", "theirs", "a.py", True),
        ("fix the conflict in a.py by keeping ours", "ours", "a.py", True),
        ("settle the conflicts, keep both", "both", "", True),
    ],
)
def test_a_wish_to_settle_a_conflict_is_read(words: str, side: str, place: str, certain: bool) -> None:
    assert settling(words) == Settling(side, place, certain)


@pytest.mark.parametrize(
    "words",
    [
        "keep both arguments",
        "fix the name conflict",
        "use the first one",
        "merge both loops",
        "take the head of the list",
        "raise an error where keys conflict",
        "keep the current value",
        "resolve the path",
        "use both lists",
    ],
)
def test_words_about_code_are_no_such_wish(words: str) -> None:
    assert settling(words) is None


@pytest.mark.parametrize(
    ("words", "path", "lines", "symbol", "found"),
    [
        ("keep ours in a.py", None, None, None, ("a.py", 2, 15)),
        ("keep ours in g", None, None, None, ("a.py", 11, 15)),
        ("keep ours in README.md", None, None, None, ("d/README.md", 3, 7)),
        ("keep ours", "a.py", None, "f", ("a.py", 2, 6)),
        ("keep ours", "a.py", (12, 12), None, ("a.py", 11, 15)),
    ],
)
def test_the_conflicts_that_are_meant_are_found(
    words: str, path: str | None, lines: tuple[int, int] | None, symbol: str | None, found: tuple[str, int, int]
) -> None:
    wish = settling(words)
    assert wish
    region = _torn("a.py", "d/README.md").region(wish, path, lines, symbol)
    assert (region.path, region.start_line, region.end_line) == found


@pytest.mark.parametrize(
    ("words", "path", "said"),
    [
        ("keep ours", None, "there are conflicts in a.py, d/README.md: say in which file, as in “keep ours in a.py”"),
        ("keep ours in h", None, "there is no conflict in h; there are some in a.py, d/README.md"),
        ("keep ours", "b.py", "there is no conflict in b.py; there are some in a.py, d/README.md"),
    ],
)
def test_where_it_is_not_clear_which_are_meant_that_is_said(words: str, path: str | None, said: str) -> None:
    wish = settling(words)
    assert wish
    with pytest.raises(UsageError, match=said):
        _torn("a.py", "d/README.md").region(wish, path, None, None)
