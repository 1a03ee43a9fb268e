"""Conversations: a format to write them in, and the requests that they become."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from spark_tui.errors import UsageError
from spark_tui.training.conversations import is_held_out, play, read_conversations, region_rows
from spark_tui.training.rows import region_of

LOAD = "def load(path):\n    with open(path) as file:\n        return file.read()"
SAVE = "def save(path, text):\n    with open(path) as file:\n        file.write(text)"
PROJECT = f"""\
########
=== store.py
{LOAD}


{SAVE}
=== notes.md
# Notes

load reads, save writes.
***
--- use utf-8 in load
<<<<
def load(path):
    with open(path) as file:
====
def load(path):
    with open(path, encoding="utf-8") as file:
>>>>
---only save as well
<<<<
def save(path, text):
    with open(path) as file:
====
def save(path, text):
    with open(path, encoding="utf-8") as file:
>>>>
***
---no open it for writing
<<<<
def load(path):
    with open(path) as file:
====
def load(path):
    with open(path, "w") as file:
>>>>
--- no, in save
<<<<
def save(path, text):
    with open(path) as file:
====
def save(path, text):
    with open(path, "w") as file:
>>>>
--- thanks
"""


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    return list(region_rows(read_conversations(written(tmp_path))))


def written(folder: Path, text: str = PROJECT) -> Path:
    path = folder / "conversations.txt.gz"
    path.write_bytes(gzip.compress(text.encode()))
    return path


def asked(rows: list[dict[str, Any]], words: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(row, each) for row in rows for each in row["requests"] if each["words"] == words]


def test_every_row_is_a_region_of_requests(rows: list[dict[str, Any]]) -> None:
    assert all(region_of(json.loads(json.dumps(row))).asked for row in rows)


def test_a_turn_is_asked_about_the_function_that_it_edits(rows: list[dict[str, Any]]) -> None:
    regions = {row["code"]: each["after"] for row, each in asked(rows, "use utf-8 in load")}
    assert regions[LOAD] == LOAD.replace("open(path)", 'open(path, encoding="utf-8")')
    assert all(code.startswith(LOAD) for code in regions), "else it is the whole file"


def test_a_follow_up_tells_the_accepted_edit_before(rows: list[dict[str, Any]]) -> None:
    here = [each for row, each in asked(rows, "save as well") if row["code"] == SAVE]
    previous = here[0]["previous"]
    assert (previous["path"], previous["words"]) == ("store.py", "use utf-8 in load")
    assert previous["script"] == [
        "-    with open(path) as file:",
        '+    with open(path, encoding="utf-8") as file:',
    ]


def test_words_about_one_place_want_nothing_elsewhere(tmp_path: Path) -> None:
    projects = list(read_conversations(written(tmp_path)))
    elsewhere = []
    for seed in range(20):
        found = asked(list(region_rows(projects, seed)), "save as well")
        elsewhere += [(row, each) for row, each in found if each.get("elsewhere")]
    assert elsewhere
    for row, each in elsewhere:
        assert each["after"] == row["code"]
        assert row["code"] != SAVE


def test_rejected_words_are_what_the_next_ones_correct(rows: list[dict[str, Any]]) -> None:
    assert not asked(rows, "open it for writing"), "a wrong edit is never learned"
    _, each = next((row, each) for row, each in asked(rows, "no, in save") if row["code"] == SAVE)
    assert each["earlier"] == ["open it for writing"]
    assert each["after"] == SAVE.replace("open(path)", 'open(path, "w")')


def test_a_turn_without_blocks_wants_nothing(rows: list[dict[str, Any]]) -> None:
    assert all(each["after"] == row["code"] for row, each in asked(rows, "thanks"))


def test_old_lines_that_occur_twice_are_refused(tmp_path: Path) -> None:
    twice = PROJECT.replace(
        "def load(path):\n    with open(path) as file:\n====", "    with open(path) as file:\n===="
    )
    project = next(read_conversations(written(tmp_path, twice)))
    with pytest.raises(ValueError, match="occur 2 times"):
        list(play(project.files, project.conversations[0]))


@pytest.mark.parametrize(
    ("old", "new"),
    [("--- thanks", "---what thanks"), ("=== store.py\n", ""), ("--- thanks", "---")],
)
def test_text_that_does_not_follow_the_format_is_refused(
    tmp_path: Path, old: str, new: str
) -> None:
    path = written(
        tmp_path,
        PROJECT.replace(old, new).replace("=== notes.md\n", "" if not new else "=== notes.md\n"),
    )
    with pytest.raises(UsageError, match=r"conversations\.txt\.gz"):
        list(read_conversations(path))


def test_a_project_is_held_out_by_its_code_whatever_is_asked(tmp_path: Path) -> None:
    project = next(read_conversations(written(tmp_path)))
    other = next(read_conversations(written(tmp_path, PROJECT.replace("thanks", "thank you"))))
    assert is_held_out(project, 1)
    assert [is_held_out(project, share) for share in range(1, 40)] == [
        is_held_out(other, share) for share in range(1, 40)
    ]
