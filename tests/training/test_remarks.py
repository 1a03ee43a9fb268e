"""What tells requests from remarks holds for sentences of somebody whom it was not fitted to."""

import pytest

from spark_tui.editing.remarks import Remarks
from spark_tui.training import remarks

pytest.importorskip("torch")
EVERY = 4
"""One in so many of the known ways to ask is enough to see that it learns."""


@pytest.fixture(scope="module")
def learned() -> Remarks:
    return remarks.fit_remarks(without="e", asked_for=remarks.known_ways()[::EVERY])


def test_sentences_of_a_writer_who_was_left_out_are_told_apart(learned: Remarks) -> None:
    others = [one for one in remarks.said() if one.writer == "e"]
    asked, only_said = ([learned.log_odds(one.words) for one in others if one.asks is asks] for asks in (True, False))
    assert sum(odds < -1 for odds in only_said) > 0.5 * len(only_said)
    assert sum(odds < -1 for odds in asked) < 0.05 * len(asked)


def test_no_sentence_is_held_to_be_both() -> None:
    said: dict[str, bool] = {}
    for one in remarks.said():
        assert said.setdefault(" ".join(one.words.lower().split()), one.asks) is one.asks, one.words
