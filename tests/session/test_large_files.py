"""Large files lie in a repository: they are edited by name, and nothing else reads them."""

import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest

from spark_tui.context.search_index import MOST_BYTES, small_files
from spark_tui.errors import FileError, SparkError, UsageError
from spark_tui.providers.base import Waits
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.providers.registry import ProviderHost
from spark_tui.session.ask import QuestionFile, standing_instructions
from spark_tui.session.locator import PlaceIndex
from spark_tui.session.request import Request
from spark_tui.vcs.repository import MOST_LINES, Repository
from tests.fakes import asking_on, ended, make_repo, scripted, scripted_session
from tests.providers.scripted_server import says, serving

LINES = {
    "data.json": '{"area": 1}\n',
    "dump.sql": "CREATE TABLE area (w int);\n",
    "made.py": "def area_{number}(w):\n    return w\n",
    "book.md": "# Area {number}\n\narea\n\n",
    "keys.yaml": "area_{number}: 1\n",
}
SMALL = {"zz/shape.py": "def area(w, h):\n    return w * h\n", "notes.md": "# Notes\n"}


def text(name: str, size: int) -> str:
    line = LINES[name]
    return "".join(line.replace("{number}", str(number)) for number in range(size // len(line) + 1))


def peak_of(lookup: PlaceIndex, repo: Repository) -> int:
    """The most bytes that Python holds while everything that looks around does so."""
    tracemalloc.start()
    try:
        assert lookup.find(Request("area should be rounded")).path == "zz/shape.py"
        assert lookup.ranked(Request("area should be rounded"))[0].region.path == "zz/shape.py"
        lookup.outline(lookup.files())
        for path in lookup.files():
            lookup.functions(path)
        lookup.places(Request("area"))
        lookup.map("area", {"zz/shape.py": SMALL["zz/shape.py"].split("\n")}, 4000)
        standing_instructions(repo, repo.root)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_files_that_are_too_large_are_known_by_their_names_alone(tmp_path: Path) -> None:
    large = {name: text(name, 3 * MOST_BYTES) for name in LINES}
    root = make_repo(tmp_path / "repo", SMALL | large | {"AGENTS.md": "area\n" * MOST_BYTES})
    repo = Repository.discover(root)
    lookup = PlaceIndex(repo)
    assert peak_of(lookup, repo) < 2 * MOST_BYTES
    assert set(large) < set(lookup.files())
    assert "data.json" in lookup.map("area", {"zz/shape.py": ["area"]}, 4000)
    assert lookup.functions("made.py") == ()


def test_lines_and_functions_of_a_large_file_are_found_where_they_are_told(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "repo", SMALL | {"made.py": text("made.py", 2 * MOST_BYTES)})
    lookup = PlaceIndex(Repository.discover(root))
    lines = lookup.find(Request("round", path="made.py", lines=(3, 4)))
    assert (lines.path, lines.start_line, lines.symbol) == ("made.py", 3, "area_1")
    assert lookup.find(Request("round", path="made.py", symbol="area_7")).start_line == 15
    assert lookup.find(Request("round it, see made.py:9")).start_line == 9
    for request in (Request("round", path="made.py"), Request("round", among=("made.py",))):
        with pytest.raises(
            UsageError, match=r"made\.py is too large to look through; choose lines"
        ):
            lookup.find(request)


def test_of_too_much_in_all_the_code_that_is_small_is_looked_through() -> None:
    sizes = {"a/made.py": 90, "a.json": 5, "b/made.py": 80, "large.py": MOST_BYTES + 1, "z.py": 20}
    assert small_files(list(sizes), sizes.__getitem__, 200) == [
        "a/made.py",
        "a.json",
        "b/made.py",
        "z.py",
    ]
    assert small_files(list(sizes), sizes.__getitem__, 105) == ["b/made.py", "z.py"]
    assert small_files(list(sizes), sizes.__getitem__, 10) == []


def test_a_name_is_not_renamed_in_very_large_files_and_that_is_said(tmp_path: Path) -> None:
    files = {
        "a.py": b"def area(w):\n    return w\n",
        "made.py": b"from a import area\n" + b"area(1)\n" * MOST_BYTES,
    }
    session = scripted_session(tmp_path, files, {})
    turn = ended(
        session.rename(Request("", path="a.py", symbol="area", rename="size"), lambda _: None)
    )
    assert [hunk.new_lines for hunk in turn.hunks] == [("def size(w):",)]
    assert "not looked for in very large files: made.py" in turn.message


def test_a_link_to_a_large_file_is_one(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "repo", SMALL | {"made.py": text("made.py", 2 * MOST_BYTES)})
    (root / "link.py").symlink_to("made.py")
    lookup = PlaceIndex(Repository.discover(root))
    assert lookup.is_too_large("link.py")
    with pytest.raises(SparkError, match=r"link\.py is too large"):
        lookup.find(Request("round", path="link.py"))


@pytest.mark.parametrize("name", [*LINES, "one_line.json"])
def test_a_question_about_a_large_file_shows_its_beginning(tmp_path: Path, name: str) -> None:
    content = "[" + "1, " * (3 * MOST_BYTES)
    if name in LINES:
        content = text(name, 8 * MOST_BYTES)
    repo = Repository.discover(make_repo(tmp_path / "repo", SMALL | {name: content}))
    with serving(says("Data.")) as server, closing(Server(server.endpoint())) as asked:
        remote = Remote(asked)
        remote.context = 1 << 20
        asking = asking_on(repo, ProviderHost(scripted(tmp_path / "m", {}), remote=remote))
        tracemalloc.start()
        items = list(asking.answer("what is it?", (QuestionFile(name), QuestionFile("notes.md"))))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    sent = server.requests[-1]["messages"][-1]["content"]
    assert peak < 4 * MOST_BYTES
    assert "# Notes" in sent
    assert len(sent) < 100_000
    assert content[:1000] in sent
    assert f"{name}:1-" in sent
    first = items[0]
    assert isinstance(first, Waits)
    assert first.line.startswith(f"{name} is too large to be shown whole: the model sees {name}:1-")


def test_lines_of_a_large_file_can_be_asked_about(tmp_path: Path) -> None:
    content = "".join(f"{number} é\r\n" for number in range(MOST_BYTES))
    repo = Repository.discover(make_repo(tmp_path / "repo", SMALL | {"data.txt": content}))
    with serving(says("Data.")) as server, closing(Server(server.endpoint())) as asked:
        host = ProviderHost(scripted(tmp_path / "m", {}), remote=Remote(asked))
        asking = asking_on(repo, host)
        list(asking.answer("what is it?", (QuestionFile("data.txt", (50_001, 50_002)),)))
        list(asking.answer("what is it?", (QuestionFile("data.txt", (1_000_000, 1_000_009)),)))
        with pytest.raises(UsageError, match=r"data\.txt is too large to look through"):
            asking.take(["x"], (QuestionFile("data.txt"),))
    middle, end = (request["messages"][-1]["content"] for request in server.requests)
    assert "data.txt:50001-50002\n```txt\n50000 é\n50001 é\n```" in middle
    assert "999999 é\n```" in end


def test_a_file_that_would_take_too_much_memory_is_refused_with_its_size(tmp_path: Path) -> None:
    repo = Repository.discover(make_repo(tmp_path / "repo", SMALL))
    with (repo.root / "dump.sql").open("wb") as file:
        file.truncate(300 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match=r"dump\.sql has 300 MB, and spark edits files of up"):
            PlaceIndex(repo).find(Request("do", "dump.sql", lines=(1, 2)))
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()
    assert repo.read("dump.sql", 10) == bytes(10)


def test_a_file_of_very_many_short_lines_is_refused(tmp_path: Path) -> None:
    repo = Repository.discover(make_repo(tmp_path / "repo", SMALL))
    (repo.root / "many.txt").write_bytes(b"\n" * (MOST_LINES + 1))
    with pytest.raises(FileError, match=r"many\.txt has more than 1,000,000 lines"):
        PlaceIndex(repo).find(Request("do", "many.txt", lines=(1, 2)))
    (repo.root / "many.txt").write_bytes(b"\n" * MOST_LINES)
    assert PlaceIndex(repo).find(Request("do", "many.txt", lines=(1, 2))).start_line == 1
