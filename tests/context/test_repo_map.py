"""The map of a repository: what is likeliest first, what it defines, never more than there is
room for.
"""

from hypothesis import given
from hypothesis import strategies as st

from spark_tui.context.repo_map import repo_map
from spark_tui.context.search_index import SearchIndex
from spark_tui.errors import FileError

FILES = {
    "app/main.py": b"from app.store import load_rows\n\nprint(load_rows('a'))\n",
    "app/store.py": b"import json\n\n\n@cached\ndef load_rows(path):\n    return 1\n\n\ndef "
    b"_hidden():\n    pass\n",
    "app/view.ts": b"export class Table {\n  render(rows: Row[]) {\n    return rows;\n  }\n}\n",
    "docs/guide.md": b"# Guide\n\n## Quotas\n\nEach user has a quota.\n",
    "data.bin": b"\0load_rows",
    "gone.go": b"",
}
SHOWN = {"app/main.py": FILES["app/main.py"].decode().splitlines()}


def read(path: str) -> bytes:
    if path == "gone.go":
        raise FileError("gone")
    return FILES[path]


def test_what_holds_the_rare_words_comes_first_with_what_it_defines() -> None:
    index = SearchIndex(list(FILES), read)
    lines = repo_map(index, "a quota for each user", SHOWN, 1000).split("\n")
    assert lines[:3] == ["docs/guide.md", "    1: # Guide", "    3: ## Quotas"]
    assert lines[3:5] == ["app/store.py", "    5: def load_rows(path):"], (
        "a name of the lines shown stands there"
    )
    assert lines[5:8] == [
        "app/view.ts",
        "    1: export class Table {",
        "    2:   render(rows: Row[]) {",
    ]
    assert lines[8:] == ["gone.go"]


@given(most=st.integers(-1, 300))
def test_it_never_takes_more_room_than_there_is_and_never_names_what_is_shown(most: int) -> None:
    found = repo_map(SearchIndex(list(FILES), read), "rows", SHOWN, most)
    assert len(found) <= max(most, 0)
    assert "app/main.py" not in found
