"""A fixed value becomes a parameter with that value as its default; a new parameter is used as told."""

import pytest

from spark_tui.editing.codemods.signatures.signature_change import Told
from spark_tui.editing.codemods.signatures.signature_told import signature_told

WAIT = """def wait(job, attempts=3):
    timeout = 30
    for _ in range(attempts):
        if job.done(timeout):
            return True
        time.sleep(5)"""


def told(before: str, words: str) -> Told | None:
    return signature_told(tuple(before.split("\n")), words)


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("make the delay a parameter", {"attempts=3": "attempts=3, delay=5", "sleep(5)": "sleep(delay)"}),
        (
            "let callers choose the sleep time",
            {"attempts=3": "attempts=3, sleep_time=5", "sleep(5)": "sleep(sleep_time)"},
        ),
        ("turn the 5 into a parameter called pause", {"attempts=3": "attempts=3, pause=5", "sleep(5)": "sleep(pause)"}),
        ("make the timeout configurable", {"attempts=3": "attempts=3, timeout=30", "    timeout = 30\n": ""}),
        (
            "make timeout and the delay parameters",
            {"attempts=3": "attempts=3, timeout=30, delay=5", "    timeout = 30\n": "", "sleep(5)": "sleep(delay)"},
        ),
        (
            "add a parameter log=None and print it at the start",
            {"attempts=3): ": "", "attempts=3):": "attempts=3, log=None):\n    print(log)"},
        ),
    ],
)
def test_what_is_spoken_of_becomes_a_parameter_that_is_used(words: str, changes: dict[str, str]) -> None:
    found, after = told(WAIT, words), WAIT
    for old, new in changes.items():
        after = after.replace(old, new)
    assert found
    assert "\n".join(found.lines) == after


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("make attempts a parameter", "attempts is a parameter of wait already"),
        ("add a parameter log=None and return it at the end", "wait returns something at its end already"),
        ("add a parameter log=None and pass it to job.run", "there is no call of job.run in wait"),
    ],
)
def test_what_stands_in_the_way_is_told(words: str, why: str) -> None:
    found = told(WAIT, words)
    assert found
    assert not found.lines
    assert found.problem.startswith(why)


@pytest.mark.parametrize(
    ("words", "after"),
    [
        ("add a log parameter defaulting to half a second", "job, attempts=3, log=0.5"),
        ("add a parameter log before attempts", "job, log, attempts=3"),
    ],
)
def test_a_new_parameter_goes_where_it_is_told(words: str, after: str) -> None:
    found = told(WAIT, words)
    assert found
    assert found.lines[0] == f"def wait({after}):"


def test_a_value_that_is_not_seen_may_be_a_new_parameter() -> None:
    found = told(WAIT, "let the caller choose the encoding")
    assert found
    assert (found.lines, found.problem) == ((), "")
    assert found.doubt.startswith("nothing in wait shows which value is meant")
    assert told(WAIT, "let the caller pass a timeout") is None


def test_one_of_two_values_is_not_guessed() -> None:
    found = told("def f():\n    sleep(1)\n    sleep(2)", "make the delay a parameter")
    assert found
    assert found.problem == "1 and 2 could be meant; say which value is to become a parameter"


def test_an_attribute_is_set_where_it_is_told() -> None:
    code = "class A:\n    def __init__(self, url):\n        self.url = url"
    found = told(code, "add a parameter timeout=10 to __init__ and store it on self")
    assert found
    assert found.lines[1:] == (
        "    def __init__(self, url, timeout=10):", "        self.url = url", "        self.timeout = timeout"
    )  # fmt: skip
