"""Words, tracebacks and line numbers lead to their place among the files of a repository."""

import unicodedata
from typing import Literal

import pytest

from spark_tui.errors import UsageError
from tests.context.test_regions import code, find, padded

REPO = {
    "app/storage.py": padded(
        code(
            """
            import json
            import os


            def load(path):
                rows = json.loads(path.read_text())
                return rows


            def save(path, rows):
                if not rows:
                    raise ValueError("nothing to store")
                path.write_text(json.dumps(rows))
            """
        )
    ),
    "app/report.py": padded(
        code(
            """
            import sys


            class Report:
                def load(self, source):
                    self.entries = source.read()

                def print_summary(self):
                    # the biggest expense comes first
                    maxTotal = sum(self.entries)
                    print(f"total: {maxTotal}", file=sys.stderr)
            """
        )
    ),
    "app/huge.py": b"entries = rows = maxTotal = 1\n" * 50_000,
    "app/odd.py": b"\xff\xfe entries\0 maxTotal",
}


@pytest.mark.parametrize(
    ("instruction", "path", "symbol"),
    [
        ("rename maxTotal to total", "app/report.py", "Report.print_summary"),
        ("NameError: name 'maxTotal' is not defined", "app/report.py", "Report.print_summary"),
        ("the message 'nothing to store' should name the path", "app/storage.py", "save"),
        ("the biggest expense is printed last in the summary", "app/report.py", "Report.print_summary"),
        ("initialise self.entries in load", "app/report.py", "Report.load"),
        ("rename rows to lines in the load function of the storage module", "app/storage.py", "load"),
        ('File "/x/app/report.py", line 6, in load self.entries = 1 TypeError: no', "app/report.py", "Report.load"),
        ("app/storage.py:6:5: F841 local variable", "app/storage.py", "load"),
        ("remove the unused import of os", "app/storage.py", None),
        ("sort the imports in app/report.py", "app/report.py", None),
        ("import os in the report module", "app/report.py", None),
    ],
)
def test_the_words_of_an_instruction_lead_to_its_place_in_a_repository(
    instruction: str, path: str, symbol: str | None
) -> None:
    found = find(instruction, files=REPO)
    assert (found.path, found.symbol) == (path, symbol)


def test_the_line_of_a_traceback_is_selected() -> None:
    assert find('File "app/storage.py", line 7, in load', files=REPO).selected == (2, 2)
    assert find("app/storage.py:1:1: I001", files=REPO).start_line == 1


@pytest.mark.parametrize(("line", "function"), [(7, "save"), (999, "load")])
def test_a_traceback_of_another_version_is_not_believed(line: int, function: str) -> None:
    assert find(f'File "app/storage.py", line {line}, in {function}', files=REPO).selected is None


def test_several_places_are_listed_with_how_to_choose() -> None:
    with pytest.raises(UsageError, match=r"is it app/\S+, app/\S+ or app/\S+\?; name a function .* --at PATH:L1-L2"):
        find("check that rows and the path and entries are sound", files=REPO)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    ("instruction", "symbol"),
    [
        ("rename größe to size in área", "área"),
        ("rename tiefe to depth in the function größe", "Übung.größe"),
        ("rename tiefe to depth in übung", "Übung.größe"),
    ],
)
def test_a_name_in_any_script_is_a_place_however_its_letters_are_put_together(
    form: Literal["NFC", "NFD"], instruction: str, symbol: str
) -> None:
    text = """
        def área(größe):
            return größe


        class Übung:
            def größe(self, tiefe):
                return tiefe
        """
    files = {
        "uni.py": padded(code(unicodedata.normalize(form, text))),
        "other.py": padded(code("def f():\n    pass\n")),
    }
    assert find(instruction, files=files).symbol == symbol


def test_a_part_of_a_name_in_another_script_is_no_place() -> None:
    files = {"uni.py": padded(code("def größe(a):\n    return a\n")), "other.py": padded(code("def f():\n    pass\n"))}
    with pytest.raises(UsageError, match="there is no function or class gr "):
        find("rename a to b in the function gr", files=files)
