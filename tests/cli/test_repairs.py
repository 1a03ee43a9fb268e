"""`spark exec --check`: small changes that are tried where the model finds none, and the place
that a failure names.
"""

import json
import sys

import pytest

from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.fakes import edit_script, git

FIRST = "def first(items):\n    return items[1]\n"
FINDS = f"{sys.executable} -c 'import a; assert a.first([1, 2]) == 1'"
TESTED = {
    "shop.py": "def first(items):\n    return items[1]\n\n\ndef both(items):\n    return "
    "[first(items), items[-1]]\n",
    "test_shop.py": "import shop\n\n\ndef test_both():\n    assert shop.both([1, 2, 3]) == [1, "
    "3]\n\n\ntest_both()\n",
}


def test_fix_this_is_answered_by_what_makes_the_command_pass_and_never_called_sure(
    spark: Spark, repo: MakeRepo, use_scripts: UseScripts
) -> None:
    use_scripts({"fix this": edit_script(FIRST, FIRST.replace("[1]", "[2]"))})
    folder = repo({"a.py": FIRST})
    command = ("exec", "fix this", "--at", "a.py::first", "--check", FINDS, "-C", folder)
    unsure = spark(*command)
    assert (unsure.code, unsure.out) == (3, "")
    assert f"passes `{FINDS}`; found by trying" in unsure.err
    done = spark(*command, "--unsure")
    assert done.code == 0
    assert "+    return items[0]" in done.out
    git(folder, "apply", "--check", stdin=done.out.encode())
    assert git(folder, "status", "--porcelain") == b""


def test_a_search_that_finds_nothing_abstains(
    spark: Spark, repo: MakeRepo, use_scripts: UseScripts
) -> None:
    use_scripts({})
    folder = repo({"a.py": FIRST})
    fails = (
        f'{sys.executable} -c \'import a; print(a.first([1, 2])); print("no good"); raise '
        f"SystemExit(1)'"
    )
    done = spark(
        "exec", "fix this", "--at", "a.py::first", "--check", fails, "--budget", "30", "-C", folder
    )
    assert (done.code, done.out) == (3, "")
    assert f"small changes in a.py:1-2 (first), and `{fails}` still fails" in done.err
    assert done.err.splitlines()[-2:] == ["  2", "  no good"]


def test_the_search_tells_programs_how_far_it_is(
    spark: Spark, repo: MakeRepo, use_scripts: UseScripts
) -> None:
    use_scripts({})
    folder = repo({"a.py": FIRST})
    place = ("--at", "a.py::first", "--format", "stream-json", "-C", folder)
    events = [
        json.loads(line)
        for line in spark("exec", "fix this", "--check", FINDS, *place).out.splitlines()
    ]
    tried = [
        event["tried"] for event in events if event["event"] == "trial_progress" and event["total"]
    ]
    assert (tried[-1], events[-1]["status"]) == (max(tried), "unsure")


@pytest.mark.parametrize(
    "words", ["fix the failing test", "make test_both pass", "fix test_both in test_shop.py"]
)
def test_a_failing_test_is_mended_in_the_function_that_it_comes_to(
    spark: Spark, repo: MakeRepo, use_scripts: UseScripts, words: str
) -> None:
    use_scripts({})
    folder = repo(TESTED)
    done = spark(
        "exec",
        words,
        "--check",
        f"{sys.executable} test_shop.py",
        "--apply",
        "--unsure",
        "-C",
        folder,
    )
    assert (done.code, (folder / "test_shop.py").read_text()) == (0, TESTED["test_shop.py"]), (
        done.err
    )
    assert (folder / "shop.py").read_text() == TESTED["shop.py"].replace("items[1]", "items[0]")


def test_where_no_change_at_any_place_helps_these_are_named(
    spark: Spark, repo: MakeRepo, use_scripts: UseScripts
) -> None:
    use_scripts({})
    folder = repo(TESTED | {"test_shop.py": TESTED["test_shop.py"].replace("[1, 3]", "'no'")})
    done = spark(
        "exec", "fix the failing test", "--check", f"{sys.executable} test_shop.py", "-C", folder
    )
    assert (done.code, done.out) == (3, "")
    assert "(shop.py::both, shop.py::first), and it still fails" in done.err


def test_where_the_command_passes_the_words_lead_to_the_likeliest_place(
    spark: Spark, repo: MakeRepo, use_scripts: UseScripts
) -> None:
    use_scripts({})
    done = spark("exec", "fix the failing test", "--check", "true", "-C", repo(TESTED))
    assert (done.code, "which place" in done.err) == (3, False)


@pytest.mark.parametrize(
    ("line", "why"),
    [("false", "`false` fails and prints nothing"), ("echo no; false", "names no function here")],
)
def test_a_command_that_fails_without_a_word_of_where_is_said_to(
    spark: Spark, repo: MakeRepo, use_scripts: UseScripts, line: str, why: str
) -> None:
    use_scripts({})
    done = spark("exec", "fix the failing test", "--check", line, "-C", repo(TESTED))
    assert (done.code, why in done.err, "shop.py" in done.err) == (3, True, False), done.err
