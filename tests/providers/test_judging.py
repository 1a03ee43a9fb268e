"""How a chat model weighs the answers of another one."""

from pathlib import Path

import pytest

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.errors import UsageError
from spark_tui.providers.base import Judge
from spark_tui.providers.chat_model import Rewriter, comparable_texts
from tests.fakes import returned
from tests.providers.chat_models import chat_model

LINES = ("a = 1", "b = 2")
REQUEST = QuotedRequest("m.py", LINES, "do")
END = ["c", "d", "e", "f", "g"]


def test_an_end_that_all_share_is_left_out_but_for_its_first_lines() -> None:
    assert comparable_texts([["a", *END], ["b", *END]], "```") == ["a\nc\nd\ne\n", "b\nc\nd\ne\n"]
    assert comparable_texts([["a"], ["b"]], "```") == ["a\n```\n", "b\n```\n"]
    assert comparable_texts([["a"], []], "```") == ["a\n```\n", "```\n"]


def test_where_lines_repeat_no_text_is_the_beginning_of_another() -> None:
    same = ["a", *["b"] * 6]
    texts = comparable_texts([same, [*same, "b"], [*same, "b", "b"]], "```")
    assert not any(one.startswith(other) for one in texts for other in texts if one is not other), (
        texts
    )


def test_what_it_would_write_itself_is_the_likeliest(tmp_path: Path) -> None:
    judge = Rewriter(chat_model(tmp_path, {"do": "a = 3\nb = 2\n```\n"}))
    assert isinstance(judge, Judge)
    results = [("a = 2", "b = 2"), ("a = 3", "b = 2"), LINES]
    for _ in range(2):  # what the cache holds by then changes nothing
        logprobs = returned(judge.weigh(REQUEST, results))
        assert max(logprobs) == logprobs[1]
    backwards = returned(judge.weigh(REQUEST, results[::-1]))
    assert backwards[::-1] == pytest.approx(logprobs, abs=1e-3)


def test_the_prompt_is_read_once(tmp_path: Path) -> None:
    loaded = chat_model(tmp_path, {"do": "a = 3\n```\n"})
    judge = Rewriter(loaded)
    first = len(list(judge.weigh(REQUEST, [("a = 2",), ("a = 3",)])))
    again = len(list(judge.weigh(REQUEST, [("a = 2",), ("a = 3",)])))
    assert again < first


def test_a_region_too_long_for_it_is_refused(tmp_path: Path) -> None:
    judge = Rewriter(chat_model(tmp_path, {}))
    long = tuple(f"value_{number} = {number}" for number in range(500))
    with pytest.raises(UsageError, match="too long"):
        returned(judge.weigh(QuotedRequest("m.py", long, "do"), [long, long[1:]]))
