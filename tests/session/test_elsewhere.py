"""What an edit leaves behind that still uses a lost name is told."""

from pathlib import Path

import pytest

from spark_tui.editing.text import Text
from spark_tui.session.leftovers import elsewhere
from tests.fakes import scripted_session

TILL = "class Till:\n    def add(self):\n        return 1\n\n\ntill = Till()\ntill.add()\n"


def test_the_lines_of_the_file_itself_that_still_use_a_method_are_told(tmp_path: Path) -> None:
    repo = scripted_session(tmp_path, {"a.py": TILL}, {}).repo
    before = Text.from_bytes(TILL.encode(), "a.py")
    after = Text.from_bytes(TILL.replace("def add", "def put").encode(), "a.py")
    assert elsewhere(repo, "a.py", before, after) == "add also in line 7 of a.py: not changed"
    both = Text.from_bytes(TILL.replace("add", "put").encode(), "a.py")
    assert elsewhere(repo, "a.py", before, both) == ""


def test_of_a_very_large_file_it_is_told_that_nobody_looked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_tui.editing.syntax.MOST_PARSED", 10)
    repo = scripted_session(tmp_path, {"a.py": TILL}, {}).repo
    before, after, body = (
        Text.from_bytes(source.encode(), "a.py")
        for source in (
            TILL,
            TILL.replace("def add", "def put"),
            TILL.replace("return 1", "return 2"),
        )
    )
    assert (
        elsewhere(repo, "a.py", before, after)
        == "did not look for other uses of add: the file is very large"
    )
    assert elsewhere(repo, "a.py", before, body) == ""


def test_a_letter_of_any_script_belongs_to_the_name_that_it_stands_in(tmp_path: Path) -> None:
    source = "def gr(n):\n    return n\n"
    others = {
        "letters.py": "größe = égr = gré\n",
        "dash.md": "what “gr” does\n",
        "call.py": "gr(1)  # größe\n",
    }
    repo = scripted_session(tmp_path, {"a.py": source, **others}, {}).repo
    before = Text.from_bytes(source.encode(), "a.py")
    after = Text.from_bytes(source.replace("gr", "t").encode(), "a.py")
    assert elsewhere(repo, "a.py", before, after) == "gr also in: call.py, dash.md: not changed"
