"""Whole turns over the seam with chat models: in this process, and from an endpoint in either
format.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from spark_tui.context.regions import Region
from spark_tui.editing.text import Text
from spark_tui.errors import Transient
from spark_tui.providers.base import Provider
from spark_tui.providers.chat_model import Rewriter
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.session.events import (
    Event,
    HunkClosed,
    HunkUpdated,
    Prefill,
    Status,
    Thinking,
    Token,
)
from spark_tui.session.request import Request
from spark_tui.session.turn import Turn
from tests.fakes import ended, proposed
from tests.providers.chat_models import HYBRID, chat_model
from tests.providers.scripted_server import Turn as Script
from tests.providers.scripted_server import chunk, event, says, sends, serving

FILE = "import os\n\ndef f(x):\n    y = x\n    return y\n\nprint(f(1))\n"
REGION = Region("a.py", 3, 5, "f", None, "")
NEW = "import os\n\ndef f(x):\n    return x\n\nprint(f(1))\n"
CODE = "def f(x):\n    return x\n```\n"
BLOCK = "a.py\n<<<<<<< SEARCH\n    y = x\n    return y\n=======\n    return x\n>>>>>>> REPLACE\n"


@contextmanager
def endpoint(script: Script, form: str = "rewrite") -> Iterator[Provider]:
    with serving(script) as server, closing(Server(server.endpoint(format=form))) as asked:
        yield Remote(asked)


@contextmanager
def answering(kind: str, folder: Path) -> Iterator[Provider]:
    if kind == "in process":
        yield Rewriter(chat_model(folder, {"shorter": CODE}))
        return
    with endpoint(
        says(*(BLOCK if kind == "search_replace" else f"Here:\n```py\n{CODE}")), kind
    ) as answerer:
        yield answerer


def turn_with(answerer: Provider, most: int = 512) -> Turn:
    return Turn(
        "t1",
        Request("shorter", "a.py", (3, 5), max_tokens=most),
        REGION,
        Text.from_bytes(FILE.encode()),
        answerer,
    )


@pytest.mark.parametrize("kind", ["in process", "rewrite", "search_replace"])
def test_a_turn_becomes_a_checked_hunk(kind: str, tmp_path: Path) -> None:
    with answering(kind, tmp_path) as answerer:
        turn = turn_with(answerer)
        events: list[Event] = list(turn.events())
    assert (turn.status, proposed(turn), len(turn.hunks)) == (Status.OK, NEW, 1)
    assert all(check.ok for check in turn.checks)
    assert any(isinstance(event, HunkClosed) for event in events)
    assert sum(isinstance(event, Token) for event in events) > 5


def test_a_model_in_this_process_thinks_before_its_edit_where_it_may(tmp_path: Path) -> None:
    loaded = chat_model(tmp_path, {"shorter": CODE}, {"shorter": "y is x.\n"}, HYBRID, tags=True)
    turn = turn_with(Rewriter(loaded, thinking="low"))
    events: list[Event] = list(turn.events())
    thought = [item for item in events if isinstance(item, Thinking)]
    assert "".join(item.text for item in thought) == "y is x.\n"
    assert (turn.status, proposed(turn)) == (Status.OK, NEW)
    written = sum(isinstance(item, Token) for item in events)
    assert turn.timing.generated_tokens == written


def test_a_turn_tells_how_much_of_its_prompt_an_endpoint_has_read() -> None:
    told = {"total": 300, "cache": 100, "processed": 200, "time_ms": 1}
    answer = [chunk(f"```py\n{CODE}", "stop"), event(b"[DONE]")]
    with endpoint(sends(event({"choices": [], "prompt_progress": told}), *answer)) as answerer:
        turn = turn_with(answerer)
        (read,) = (item for item in turn.events() if isinstance(item, Prefill))
    assert (read.prompt_tokens, read.cached_tokens, read.done_tokens) == (300, 100, 200)
    assert (turn.timing.prompt_tokens, turn.timing.cached_tokens) == (300, 100)


def test_what_an_endpoint_sent_before_it_broke_off_stays_to_be_reviewed() -> None:
    with endpoint(sends(chunk("```py\nimport sys\ndef f(x):\n    y ="), cut=True)) as answerer:
        turn = turn_with(answerer)
        with pytest.raises(Transient, match="cut off; try again"):
            list(turn.events())
        assert turn.status is Status.INTERRUPTED
        assert turn.review.proposed.lines[2:5] == ("import sys", "def f(x):", "    y = x")


@pytest.mark.parametrize("line", ["x = 1\n", "x"])
def test_a_server_that_writes_a_megabyte_is_stopped_where_no_answer_goes_on(line: str) -> None:
    lines = line * ((1 << 20) // len(line))
    with endpoint(
        says("```py\n", *(lines[at : at + 64] for at in range(0, len(lines), 64)))
    ) as answerer:
        turn = ended(turn_with(answerer))
    assert (turn.status, turn.hunks) == (Status.ABSTAINED, ())
    assert "longer than" in turn.message


def test_a_long_answer_is_not_looked_at_for_each_of_its_lines() -> None:
    with endpoint(
        says("```py\nx ", *(f"= {number}\nx " for number in range(1000)), "\n```\n")
    ) as answerer:
        turn = turn_with(answerer, 10_000)
        updates = sum(isinstance(event, HunkUpdated) for event in turn.events())
    assert 64 < updates < 400
    assert "x = 999" in turn.candidates.first.file.lines


def test_code_that_is_as_before_is_no_answer_in_words() -> None:
    with endpoint(says("Here:\n```py\ndef f(x):\n    y = x\n    return y\n```\n")) as answerer:
        turn = ended(turn_with(answerer))
    assert (turn.status, turn.reply) == (Status.ABSTAINED, "")


def test_a_model_that_only_talks_changes_nothing() -> None:
    with endpoint(says("It is fine.")) as answerer:
        turn = ended(turn_with(answerer))
    assert (turn.status, turn.hunks) == (Status.ABSTAINED, ())
