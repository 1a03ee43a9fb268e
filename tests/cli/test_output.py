"""What people and programs are shown."""

import json
import sys

import pytest

from spark_tui.cli import output
from spark_tui.errors import Conflict, UsageError


def test_words_on_a_terminal_are_broken_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "y accepts, n rejects, q leaves"
    output.show_words(words)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "12")
    output.show_words(words)
    assert capsys.readouterr().out == f"{words}\ny accepts,\nn rejects,\nq leaves\n"


def test_an_error_is_one_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    code = output.fail(UsageError("no such\nfile \x1b[31m"), as_json=False)
    assert (code, capsys.readouterr().err) == (2, "spark: no such file ␛[31m\n")


def test_an_error_for_a_program_is_one_object_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    output.fail(Conflict("moved on"), as_json=True)
    body = json.loads(capsys.readouterr().err)
    assert body == {"version": 1, "status": "conflict", "message": "moved on", "exit_code": 4}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["log", "--json"], True),
        (["exec", "--format", "stream-json", "x"], True),
        (["exec", "x", "--format=json"], True),
        (["exec", "x", "--format", "diff"], False),
        (["json", "--format"], False),
    ],
)
def test_whether_json_was_asked_for_is_known_before_parsing(
    arguments: list[str], expected: bool
) -> None:
    assert output.wants_json(arguments) is expected
