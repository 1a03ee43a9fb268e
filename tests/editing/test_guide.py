"""Which kinds and edits the words lean a choice to."""

from collections.abc import Mapping
from functools import cache

import numpy as np

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.evidence import Feature
from spark_tui.editing.format import Frame, kind_mark
from spark_tui.editing.guide import Guide, Leaning
from spark_tui.editing.parser import ScriptParser
from spark_tui.editing.ranking import Ranking
from spark_tui.engine.library import LoadedModel, find_model, load

LINES = ("def total(rows):", "    found = 5", '    mode = "slow"', "    return found")
WORDS = {"rename": -2.0, "change_literal": -1.0, "none": -3.0}


@cache
def model() -> LoadedModel:
    return load(find_model(None))


def leant(instruction: str, ranking: Ranking, words: Mapping[str, float] = WORDS) -> dict[str, float]:
    """What is added to the logits of some kinds."""
    frame, tokenizer = Frame.of(LINES), model().tokenizer
    guide = Guide(
        tokenizer, model().config.vocab_size, frame, LINES, Request(instruction), leaning=Leaning(words, ranking)
    )
    bias = guide.allowed(ScriptParser(frame), [])
    assert bias.dtype == np.float32
    return {kind: float(bias[tokenizer.special(kind_mark(kind).name)]) for kind in words}


def test_words_count_by_their_weight_against_the_models() -> None:
    plain = leant("do something", Ranking())
    half = leant("do something", Ranking(model=0.5))
    assert plain["none"] == -3
    assert half["none"] == -6


def test_a_kind_without_an_edit_here_is_out_of_the_question() -> None:
    found = leant("I think `found` should be 30", Ranking(), {**WORDS, "add_await": 0.0})
    assert found["add_await"] < found["change_literal"] - 5


def test_an_edit_that_brings_what_was_told_speaks_for_its_kind() -> None:
    direct = np.zeros(3 + len(Feature), np.float32)
    direct[3 + list(Feature).index(Feature.HEARD)], direct[3 + list(Feature).index(Feature.AMONG)] = 3, -1
    ranking = Ranking(direct=direct, inputs=np.zeros((len(direct), 0), np.float32))
    told, untold = leant("I think `found` should be 30", ranking), leant("do something", ranking)
    assert told["change_literal"] - told["none"] > untold["change_literal"] - untold["none"]


def test_a_kind_has_a_weight_of_its_own() -> None:
    assert leant("do something", Ranking(kinds={"none": np.array([2.0], np.float32)}))["none"] == -1


def test_lines_that_do_not_parse_have_one_edit_where_their_syntax_is_spoken_of() -> None:
    broken = ("def total(rows):", "    return sum(rows")
    tokenizer, size, frame = model().tokenizer, model().config.vocab_size, Frame.of(broken)
    told, other = (
        Guide(tokenizer, size, frame, broken, Request(words))
        for words in ("missing closing paren", "rename rows to lines")
    )
    assert told.plain == "fix_call"
    assert len(told.edits("fix_call") or ()) == 1
    assert other.plain == ""


def test_around_bytes_that_are_not_utf8_edits_are_listed() -> None:
    lines = ("def name():", '    return "caf\udce9"')
    guide = Guide(model().tokenizer, model().config.vocab_size, Frame.of(lines), lines, Request("add a docstring"))
    assert guide.edits("add_docstring")
