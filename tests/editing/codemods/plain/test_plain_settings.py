"""Numbers told by the words for what they set are read plainly."""

import pytest

from spark_tui.editing.codemods.base import Request, applied
from spark_tui.editing.codemods.plain.plain_settings import plain_settings
from spark_tui.editing.snippet import Snippet

BEFORE = Snippet(tuple("""@lru_cache(maxsize=32)
def fetch(url, retries=3, timeout=10.0, poll_ms=200):
    max_items = 50
    conn = connect(url, timeout=timeout, backlog=128)
    if len(conn) > 3:
        time.sleep(2)
    return os.environ.get("PORT", 8000)
""".splitlines()))  # fmt: skip


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("bump the timeout to 30 seconds", "def fetch(url, retries=3, timeout=30, poll_ms=200):"),
        ("allow up to 5 retries", "def fetch(url, retries=5, timeout=10.0, poll_ms=200):"),
        ("poll ms should be 500 ms", "def fetch(url, retries=3, timeout=10.0, poll_ms=500):"),
        ("cache size 64", "@lru_cache(maxsize=64)"),
        ("increase max items from 50 to 75", "    max_items = 75"),
        ("the maximum number of items is too low, make it 100", "    max_items = 100"),
        ("lower backlog to 16 please", "    conn = connect(url, timeout=timeout, backlog=16)"),
        ("default port 80", '    return os.environ.get("PORT", 80)'),
        ("sleep for 5s", "        time.sleep(5)"),
    ],
)
def test_a_number_goes_where_its_words_are(words: str, line: str) -> None:
    (ops,) = plain_settings(BEFORE, Request(words))
    assert [one for one in applied(BEFORE, ops) if one not in BEFORE.lines] == [line]


@pytest.mark.parametrize(
    "words",
    [
        "raise the timeout to 5",
        "lower max items to 80",
        "bump the timeout to 2 minutes",
        "bump the timeout of the session to 30",
        "retries 4 instead of 2",
        "default backlog 64",
        "line 2",
        "bump it to 10",
    ],
)
def test_a_number_that_may_be_another_is_left(words: str) -> None:
    assert not plain_settings(BEFORE, Request(words))
