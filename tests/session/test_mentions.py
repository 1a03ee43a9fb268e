"""What an instruction can point at."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from spark_tui.context.symbols import Symbol, symbols
from spark_tui.errors import UsageError
from spark_tui.session.agents_md import MOST_BYTES, standing_instructions
from spark_tui.session.mentions import Mentions, Region
from spark_tui.session.models import Models
from spark_tui.session.turn import Request
from spark_tui.vcs.repository import Repository
from tests.fakes import make_repo
from tests.moments import at_every_moment

AREA = "def area(width, height):\n    return width * height\n"
FILES = {
    "a.py": AREA + "\n\nclass Box:\n    def volume(self):\n        return 1\n",
    "b.py": "def weight(box):\n    return box.weight\n",
    "notes.md": "# Notes\n",
    "odd \x1b.txt": "x",
}


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository.discover(make_repo(tmp_path / "repo", FILES))


def test_every_file_can_be_named_and_the_functions_of_python_files(repo: Repository) -> None:
    (repo.root / "new.py").write_text("x = 1\n")
    mentions = Mentions(repo)
    assert set(mentions.files()) == {*FILES, "new.py"}
    assert [each.name for each in mentions.functions("a.py")] == ["area", "Box", "Box.volume"]
    assert mentions.functions("notes.md") == mentions.functions("gone.py") == ()


def test_places_begin_with_the_likeliest_then_its_file_then_all_others(repo: Repository) -> None:
    (repo.root / "limits.py").write_text("MOST = 5\n")
    (repo.root / "broken.py").write_bytes(b"\xff\0")
    places = Mentions(repo).places(Request("multiply width and height in area"))
    assert [each.symbol or each.path for each in places] == ["area", "Box", "Box.volume", "weight", "limits.py"]
    assert [each.symbol for each in Mentions(repo).places(Request("weigh it", path="b.py"))][:2] == ["weight", "area"]
    assert len(Mentions(repo).places(Request("x"), most=2)) == 2


def test_a_file_is_told_by_the_end_of_its_path_where_only_one_ends_so(repo: Repository) -> None:
    for folder in ("shop", "till"):
        (repo.root / folder).mkdir()
        (repo.root / folder / "one.py").write_text(AREA)
    (repo.root / "shop" / "orders.py").write_text(AREA)
    mentions = Mentions(repo)
    assert mentions.file_ending("orders.py") == mentions.file_ending("./shop/orders.py") == "shop/orders.py"
    assert mentions.file_ending("till/one.py") == "till/one.py"
    assert [mentions.file_ending(name) for name in ("one.py", "orders", "ders.py", "notes.md")] == [None] * 4


@pytest.mark.parametrize("words", ["", "this is off by one"])
def test_words_that_fit_no_place_leave_all_places_to_choose_from(repo: Repository, words: str) -> None:
    assert [each.symbol for each in Mentions(repo).places(Request(words))] == ["area", "Box", "Box.volume", "weight"]


def test_what_was_found_while_writing_is_what_is_edited(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    mentions, request = Mentions(repo), Request("rename width in area")
    ahead = mentions.find_ahead(request)
    assert mentions.ahead == ahead
    monkeypatch.setattr(Repository, "files", lambda _: pytest.fail("looked through the files again"))
    assert mentions.find(request) == ahead


def test_a_file_that_changed_meanwhile_is_looked_at_again(repo: Repository) -> None:
    mentions, request = Mentions(repo), Request("rename width in area")
    assert mentions.find_ahead(request).start_line == 1
    (repo.root / "a.py").write_text("import os\n\n\n" + AREA)
    assert mentions.find(request).start_line == 4
    assert mentions.find_ahead(request).start_line == 4


def test_a_large_file_is_read_through_once_and_again_when_it_changes(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def counted(lines: Sequence[str]) -> tuple[Symbol, ...]:
        read.append(len(lines))
        return symbols(lines)

    monkeypatch.setattr("spark_tui.context.source.symbols", counted)
    file = repo.root / "large.py"
    file.write_text("".join(f"def one_{n}(d):\n    return d\n\n\n" for n in range(8000)))
    mentions = Mentions(repo)
    for words in ("rename d", "rename d to e", "rename d to ee"):
        region = mentions.find_ahead(Request(words, "large.py", symbol="one_7999"))
        assert (region.start_line, region.symbol) == (31997, "one_7999")
    assert len(read) == 1
    file.write_text("# more\n" + file.read_text())
    assert mentions.find_ahead(Request("rename d", "large.py", symbol="one_7999")).start_line == 31998
    assert len(read) == 2


def test_other_words_lead_to_another_place_and_unclear_ones_to_none(repo: Repository) -> None:
    mentions = Mentions(repo)
    mentions.find_ahead(Request("rename width in area"))
    assert mentions.find(Request("rename box in weight")).path == "b.py"
    with pytest.raises(UsageError):
        mentions.find_ahead(Request("make it better"))
    assert mentions.ahead is None


def test_standing_instructions_are_read_from_the_folder_up_to_the_root(repo: Repository) -> None:
    inner = repo.root / "x" / "y"
    inner.mkdir(parents=True)
    (repo.root / "AGENTS.md").write_text("at the root\n")
    (inner / "AGENTS.md").write_text("in the folder\n")
    (repo.root.parent / "AGENTS.md").write_text("above the root\n")
    standing = standing_instructions(repo, inner)
    assert (standing.files, standing.text, standing.cut) == (
        ("AGENTS.md", "x/y/AGENTS.md"),
        "at the root\n\nin the folder",
        False,
    )
    assert standing_instructions(repo, repo.root.parent).files == ("AGENTS.md",)
    (inner / "AGENTS.md").write_text("x" * (MOST_BYTES + 1))
    standing = standing_instructions(repo, inner)
    assert (standing.files, len(standing.text), standing.cut) == (("x/y/AGENTS.md",), MOST_BYTES, True)


def test_the_shipped_models_and_those_added_can_be_changed_to(tmp_path: Path) -> None:
    models = Models(added={"mine": tmp_path / "mine"})
    assert models.names()[-1] == "mine"
    with pytest.raises(UsageError, match="no model 'nope'"):
        models.load("nope")


def test_the_functions_of_a_file_of_megabytes_are_found_and_of_a_larger_one_it_is_told_that_they_are_not(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(
        f"def f{number}(a):\n    b = a + {number}  # {'-' * 300}\n    return b\n\n\n" for number in range(7000)
    )
    (repo.root / "big.py").write_text(text)
    found = Mentions(repo)
    assert len(text) > 2_000_000
    assert found.functions("big.py")[6999].name == "f6999"
    assert found.find(Request("rename a to c", "big.py", symbol="f6999")).start_line == 6999 * 5 + 1
    assert not found.is_too_large("big.py")
    monkeypatch.setattr("spark_tui.session.mentions._MOST_BYTES", 2_000_000)
    assert (found.is_too_large("big.py"), found.functions("big.py")) == (True, ())


def test_what_was_found_is_one_place_at_any_moment_at_which_others_are_looked_for(repo: Repository) -> None:
    request, found = Request("rename width in area"), list[Region]()

    def scene() -> tuple[Callable[[], object], Callable[[], object]]:
        mentions = Mentions(repo)
        mentions.find_ahead(request)
        return lambda: found.append(mentions.find(request)), lambda: mentions.find_ahead(
            Request("weigh it", path="b.py")
        )

    assert at_every_moment(Mentions.find, scene) > 10
    assert {(each.path, each.symbol) for each in found} == {("a.py", "area")}


def test_a_file_that_is_no_python_is_refused_as_the_place_unless_another_one_is_pointed_at(repo: Repository) -> None:
    mentions, words = Mentions(repo), "change the title in notes.md"
    (repo.root / "Makefile").write_text("all:\n")
    for told in (words, "add a target to the Makefile"):
        with pytest.raises(UsageError, match=r"(notes\.md|Makefile) is no Python file"):
            mentions.find(Request(told))
        with pytest.raises(UsageError, match="is no Python file"):
            mentions.refuse_no_owner(told, "a.py")
    assert mentions.find(Request(words, path="a.py", symbol="area")).symbol == "area"
