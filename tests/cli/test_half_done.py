"""Where an edit is known to do half of what was asked it is shown with these words, and never written unseen."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.cli.conftest import Spark
from tests.fakes import git

MakeRepo = Callable[[Mapping[str, str]], Path]
READ = """def lines(path):
    f = open(path)
    found = []
    for line in f:
        found.append(line.strip())
    f.close()
    return found
"""
LEFT = "that is “use with” alone, and nothing of it is for “retry three times”"


def test_half_of_a_request_is_shown_and_not_written(spark: Spark, repo: MakeRepo) -> None:
    folder = repo({"a.py": READ})
    command = ["exec", "use with and retry three times", "--at", "a.py::lines", "-C", str(folder)]
    shown = spark(*command)
    assert (shown.code, LEFT in shown.err, "not written" in shown.err) == (0, True, False)

    done = spark(*command, "--apply")
    assert (done.code, done.out) == (3, shown.out)
    assert f"not written: {LEFT}" in done.err
    told = json.loads(spark(*command, "--apply", "--format", "json").out)
    assert (told["status"], told["applied"], LEFT in told["message"]) == ("abstained", False, True)
    assert git(folder, "status", "--porcelain") == b""


def test_all_of_it_is_written(spark: Spark, repo: MakeRepo) -> None:
    folder = repo({"a.py": READ})
    words = "use with and add a docstring"
    assert spark("exec", words, "--at", "a.py::lines", "--apply", "-C", folder).code == 0
    assert "with open(path) as f:" in (folder / "a.py").read_text()
    assert '"""' in (folder / "a.py").read_text()
