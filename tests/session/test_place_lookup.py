"""Files, functions and places of a repository, for models that read the words themselves."""

import unicodedata
from pathlib import Path

import pytest

from spark_tui.context.resolver import MOST_PLACES, Focus
from spark_tui.errors import FileError, Unclear, UsageError
from spark_tui.session.locator import PlaceIndex
from spark_tui.session.turn import Request
from spark_tui.vcs.repository import Repository
from tests.fakes import make_repo

FILES: dict[str, str | bytes] = {
    "a.py": "def area(w, h):\n    return w * h\n\n\nclass Box:\n    def volume_of(self):\n     "
    "   return 0\n",
    "web/page.js": "function showRows(rows) {\n  return rows;\n}\n",
    "notes.md": "# Notes\n\nof all kinds\n\n## Later\n\nmore\n",
    "pic.png": b"\x89PNG\0showRows",
    ".gitignore": "build/\n",
    "build/out.js": "function showRows() {}\n",
}


@pytest.fixture
def lookup(tmp_path: Path) -> PlaceIndex:
    repo = make_repo(
        tmp_path / "repo",
        {name: text for name, text in FILES.items() if not name.startswith("build")},
    )
    (repo / "build").mkdir()
    (repo / "build/out.js").write_text("function showRows() {}\n")
    (repo / "link.js").symlink_to("web/page.js")
    (repo / "gone.js").symlink_to("nowhere.js")
    (repo / "pipes").mkdir()
    return PlaceIndex(Repository.discover(repo))


def test_links_and_what_git_ignores_are_not_looked_through(
    lookup: PlaceIndex, tmp_path: Path
) -> None:
    assert set(Repository.discover(tmp_path / "repo").files()) == {*FILES} - {"build/out.js"}
    assert lookup.find(Request("showRows should sort")).path == "web/page.js"
    assert lookup.find(Request("sort", path="link.js")).path == "link.js"


def test_files_of_any_language_have_functions_and_can_be_told_by_the_end_of_their_paths(
    lookup: PlaceIndex,
) -> None:
    assert [each.name for each in lookup.functions("a.py")] == ["area", "Box", "Box.volume_of"]
    assert [each.name for each in lookup.functions("web/page.js")] == ["showRows"]
    assert [each.name for each in lookup.functions("notes.md")] == ["Notes", "Later"]
    assert lookup.functions("pic.png") == lookup.functions("none.py") == ()
    assert lookup.file_ending("page.js") == "web/page.js"
    assert lookup.file_ending("js") is None
    assert ("web/page.js", "showRows") in [
        (path, each.name) for path, each in lookup.outline(lookup.files())
    ]


def test_what_was_found_ahead_is_the_place_while_its_file_is_the_same(
    lookup: PlaceIndex, tmp_path: Path
) -> None:
    request = Request("showRows should sort")
    ahead = lookup.find_ahead(request)
    assert lookup.ahead == ahead == lookup.find(request)
    (tmp_path / "repo/web/page.js").write_text("// more\n\n" + str(FILES["web/page.js"]))
    again = lookup.find_ahead(request)
    assert again.base_hash != ahead.base_hash
    assert lookup.find(request) == again
    assert lookup.ahead == again


def test_any_words_lead_somewhere_where_there_are_files(lookup: PlaceIndex) -> None:
    for words in ("make it better", "", "???"):
        assert lookup.find(Request(words)).path in {"a.py", "web/page.js"}
        assert lookup.ranked(Request(words))[0].region == lookup.find(Request(words))


def test_what_is_not_there_is_told(lookup: PlaceIndex, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no function or class none in a\.py"):
        lookup.find(Request("x", path="a.py", symbol="none"))
    assert lookup.ranked(Request("x", path="a.py", symbol="none")) == ()
    with pytest.raises(FileError):
        lookup.find(Request("x", path="pic.png"))
    for files in ({}, {"pic.png": FILES["pic.png"]}):
        lookup = PlaceIndex(Repository.discover(make_repo(tmp_path / f"repo_{len(files)}", files)))
        with pytest.raises(Unclear):
            lookup.find(Request("x"))
        assert lookup.ranked(Request("x")) == ()


@pytest.mark.parametrize(
    "place", ["none.py", "web/none.js", "none::area", "/etc/passwd", "../a.py", "none.py:3"]
)
def test_a_place_told_with_an_at_sign_that_is_not_there_is_refused(
    lookup: PlaceIndex, place: str
) -> None:
    file = place.partition(":")[0]
    for find in (lookup.find, lookup.find_ahead):
        with pytest.raises(UsageError, match=f"there is no file {file} here"):
            find(Request(f"area like @{place}"))


@pytest.mark.parametrize(
    "words", ["put @staticmethod before area", "area with @app.route", "area as @a::area does"]
)
def test_an_at_sign_before_what_may_be_something_else_is_left_alone(
    lookup: PlaceIndex, words: str
) -> None:
    assert lookup.find(Request(words)).symbol == "area"


def test_among_some_files_only_those_are_looked_through(lookup: PlaceIndex) -> None:
    assert lookup.find(Request("make it better", among=("web/page.js",))).path == "web/page.js"
    found = lookup.ranked(Request("showRows should return more", among=("a.py", "notes.md")))
    assert {each.region.path for each in found} == {"a.py", "notes.md"}


def test_the_places_to_choose_from_begin_with_the_likeliest(lookup: PlaceIndex) -> None:
    found = lookup.places(Request("volume_of a Box"))
    assert [each.region for each in lookup.ranked(Request("volume_of a Box"))] == [
        *found[:MOST_PLACES]
    ][: len(found)]
    assert found[0].symbol == "Box.volume_of"
    others = list(dict.fromkeys(each.path for each in found[2:]))
    assert others.index("web/page.js") < others.index(".gitignore"), "what is no code comes last"
    near = lookup.places(Request("volume_of a Box", focus=Focus("notes.md", (1, 2))))
    assert list(dict.fromkeys(each.path for each in near))[:2] == ["a.py", "notes.md"], (
        "or where the user is"
    )


def test_an_accent_is_the_same_however_it_is_written_and_case_is_not(tmp_path: Path) -> None:
    name = unicodedata.normalize("NFD", "Pläne.py")
    repo = make_repo(tmp_path / "repo", {name: "a = 1\n", "README.md": "# Read\n"})
    lookup = PlaceIndex(Repository.discover(repo))
    typed = unicodedata.normalize("NFC", name)

    assert lookup.file_ending(typed) == name
    assert lookup.files_named(f"shorten @{typed}") == {name: True}
    assert lookup.spelling("README.md") == "README.md"
    with pytest.raises(UsageError, match="no file readme"):
        lookup.files_named("shorten @readme.md")
