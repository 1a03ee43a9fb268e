"""The words of an edit asked again: behind the whole edit nothing is left, behind half of it
the other half is.
"""

from typing import Any

import pytest

from spark_tui.editing.formats.quoted import apply_quoted
from spark_tui.training import conversations
from spark_tui.training.conversations import asked_again

CODE = "def f(a):\n    b = a\n    c = b\n    return c"
AFTER = CODE.replace("b = a", "b = a + 1").replace("return c", "return c + 1")
ROW = {"path": "a.py", "code": CODE, "requests": [{"words": "add one twice", "after": AFTER}]}


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "WHOLE_EDIT", 1.0)
    monkeypatch.setattr(conversations, "HALF", 1.0)


def again(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {**each, **each["requests"][0]} for seed in range(8) for each in asked_again([row], seed)
    ]


def test_behind_the_whole_edit_nothing_is_left() -> None:
    whole = [each for each in again(ROW) if each["code"] == AFTER]
    assert whole
    assert all(each["after"] == AFTER for each in whole)


def test_behind_half_of_the_edit_the_other_half_is_left() -> None:
    halves = {each["code"] for each in again(ROW)} - {AFTER}
    assert halves == {CODE.replace("b = a", "b = a + 1"), CODE.replace("return c", "return c + 1")}
    assert all(each["after"] == AFTER for each in again(ROW))


def test_what_was_done_is_told_as_the_edit_before() -> None:
    for each in again(ROW):
        previous = each["previous"]
        assert previous["words"] == each["words"] == "add one twice"
        assert apply_quoted(CODE.split("\n"), previous["script"]) == each["code"].split("\n")


@pytest.mark.parametrize("more", [{"after": CODE}, {"earlier": ["add two"]}])
def test_requests_that_want_nothing_or_correct_others_are_left_alone(more: dict[str, Any]) -> None:
    assert again({**ROW, "requests": [{**ROW["requests"][0], **more}]}) == []  # type: ignore[dict-item]
