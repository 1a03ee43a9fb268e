"""The embedded answerer: what it streams, what it holds back, and that pausing and reading
ahead change nothing.
"""

import itertools
from pathlib import Path

import numpy as np
import pytest

from spark_tui.editing.formats.quoted import QuotedRequest, apply_quoted, request_pieces
from spark_tui.engine.loader import LoadedModel
from spark_tui.errors import UsageError
from spark_tui.providers.base import (
    Ability,
    AnswerFinished,
    AnswerStarted,
    GenerationRequest,
    PromptProgress,
    TokenGenerated,
)
from spark_tui.providers.spark_model import SparkModel
from tests.providers.quoting_models import quoting_model

LINES = ("def f(self, value):", "    return value + 1", "", "f(2)")
SCRIPTS = {
    "add two": ["-    return value + 1", "+    return value + 2"],
    "rename": ["rename value number"],
    "thanks": ["none"],
    "log": [" def f(self, value):", "+    print(value)"],
}


@pytest.fixture
def loaded(tmp_path: Path) -> LoadedModel:
    return quoting_model(tmp_path / "model", SCRIPTS)


@pytest.fixture
def embedded(loaded: LoadedModel) -> SparkModel:
    return SparkModel(loaded)


def asked(words: str) -> QuotedRequest:
    return QuotedRequest("a.py", LINES, words)


@pytest.mark.parametrize("words", SCRIPTS)
def test_the_script_that_the_model_writes_becomes_the_answer(
    embedded: SparkModel, words: str
) -> None:
    began, *stream, answer = embedded.answers(asked(words))
    assert began == AnswerStarted(0)
    assert isinstance(answer, AnswerFinished)
    assert answer.finished
    assert list(answer.lines) == apply_quoted(LINES, SCRIPTS[words])
    assert answer.worst <= 0
    assert answer.logprob <= answer.worst
    assert isinstance(stream[0], PromptProgress)
    wrote = b"".join(item.piece for item in stream if isinstance(item, TokenGenerated)).decode()
    assert wrote == "".join(line + "\n" for line in SCRIPTS[words])


def test_what_is_closed_is_never_revised(embedded: SparkModel) -> None:
    draft, shown, closed = embedded.draft(LINES), [], [list[str]()]
    for item in embedded.answers(asked("log")):
        if isinstance(item, TokenGenerated):
            draft.take(item.piece)
            shown += draft.lines()
            closed.append(list(draft.applied.closed))
    assert all(later[: len(one)] == one for one, later in itertools.pairwise(closed))
    assert closed[-1] == [LINES[0], "    print(value)"]
    assert any(line.startswith("    pri") and line != "    print(value)" for line in shown), (
        "a new line is shown while it is written"
    )


def test_what_only_one_token_may_follow_costs_no_pass(embedded: SparkModel) -> None:
    wrote = [
        item for item in embedded.answers(asked("add two")) if isinstance(item, TokenGenerated)
    ]
    quoted = [item for item in wrote if item.forced]
    assert len(quoted) >= 5
    assert all(item.passes == 0 and item.logprob == 0 for item in quoted)


def test_further_answers_differ_in_their_result_and_come_by_probability(tmp_path: Path) -> None:
    embedded = SparkModel(quoting_model(tmp_path / "model", SCRIPTS, surely=9.0))
    answers = [
        item
        for item in embedded.answers(asked("add two"), most=3)
        if isinstance(item, AnswerFinished)
    ]
    assert answers[0].lines == (LINES[0], "    return value + 2", *LINES[2:])
    assert len({answer.lines for answer in answers}) == 3
    assert all(answer.tokens for answer in answers)


def test_another_request_in_a_pause_does_not_disturb_the_first(embedded: SparkModel) -> None:
    undisturbed = list(embedded.answers(asked("add two")))
    stream = embedded.answers(asked("add two"))
    first = [next(stream) for _ in range(6)]
    list(embedded.answers(asked("rename")))
    rest = list(stream)
    tokens = [item.token for item in [*first, *rest] if isinstance(item, TokenGenerated)]
    assert tokens == [item.token for item in undisturbed if isinstance(item, TokenGenerated)]
    assert rest[-1] == undisturbed[-1]


def test_a_region_read_ahead_is_not_read_again(embedded: SparkModel) -> None:
    list(embedded.read_ahead(asked("")))
    held = embedded.cache.length
    first = next(
        item for item in embedded.answers(asked("log")) if isinstance(item, PromptProgress)
    )
    assert first.cached == held > 20


def test_an_answer_is_no_longer_than_the_context_has_room_for(tmp_path: Path) -> None:
    embedded = SparkModel(quoting_model(tmp_path / "model", SCRIPTS, surely=0.0))
    room = 40
    lines: tuple[str, ...] = ("x = 1",)
    while (
        embedded.cache.capacity - len(embedded.prompt(QuotedRequest("a.py", lines, "thanks")))
        > room
    ):
        lines = (*lines, f"x = {len(lines)}")
    answers = [
        item
        for item in embedded.answers(QuotedRequest("a.py", lines, "thanks"))
        if isinstance(item, AnswerFinished)
    ]
    assert len(answers) == 1
    assert len(answers[0].tokens) <= room


def test_a_known_edit_is_the_likelier_the_more_the_model_would_write_it(
    embedded: SparkModel,
) -> None:
    assert Ability.SCORE in embedded.can
    results = [
        ["def f(self, value):", line, "", "f(2)"]
        for line in ("    return 7", "    return value + 2")
    ]
    likely = dict(embedded.score(asked("add two"), [*results, LINES]))
    assert len(likely) == 3
    assert likely[1] > likely[0]
    assert likely[1] > likely[2]
    answer = next(
        item for item in embedded.answers(asked("add two")) if isinstance(item, AnswerFinished)
    )
    assert likely[1] <= answer.logprob + 1e-4, (
        "a known edit is weighed without the grammar, which only helps"
    )


def test_words_are_as_likely_as_the_model_would_say_them_behind_the_lines(
    loaded: LoadedModel, embedded: SparkModel
) -> None:
    long = [f"x{number} = {number}" for number in range(40)]
    requests = [asked("add two"), QuotedRequest("b.py", tuple(long), "add two"), asked("rename")]
    model = loaded.model
    found = [each for each in embedded.said(requests) if each is not None]
    list(embedded.answers(asked("rename")))
    assert [each for each in embedded.said(requests[::-1]) if each is not None] == pytest.approx(
        found[::-1], abs=1e-3
    )
    encode = loaded.tokenizer.encode
    for request, likely in zip(requests, found, strict=True):
        words, after = (encode(piece) for piece in request_pieces(request)[-2:])
        whole = embedded.prompt(request)
        start = len(whole) - len(after) - len(words)
        logits = model.forward(whole[: start + len(words)], model.new_cache(), last_only=False)
        odds = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
        assert likely == pytest.approx(
            sum(odds[start - 1 + at, one] for at, one in enumerate(words)), abs=1e-2
        )


def test_scoring_in_a_pause_does_not_disturb_an_answer(embedded: SparkModel) -> None:
    undisturbed = list(embedded.answers(asked("add two")))
    stream = embedded.answers(asked("add two"))
    first = [next(stream) for _ in range(6)]
    list(embedded.score(asked("rename"), [LINES, LINES[:2]]))
    assert [*first, *stream][-1] == undisturbed[-1]


def test_an_answer_begins_as_the_user_began_it(embedded: SparkModel) -> None:
    begun = "-    return value + 1\n+    return 7"
    items = list(embedded.write(GenerationRequest(asked("add two"), begun)).write())
    known = next(item for item in items if isinstance(item, AnswerStarted)).known
    assert b"".join(item.piece for item in known).decode() == begun
    answer = items[-1]
    assert isinstance(answer, AnswerFinished)
    assert answer.tokens[: len(known)] == tuple(item.token for item in known)


@pytest.mark.parametrize("begun", ["-no such line\n", "none\n+x", "+a\rb"])
def test_what_no_script_begins_with_is_refused(embedded: SparkModel, begun: str) -> None:
    with pytest.raises(UsageError):
        embedded.write(GenerationRequest(asked("add two"), begun))


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_answers_side_by_side_are_those_that_come_one_after_the_other(
    tmp_path: Path, temperature: float
) -> None:
    def written(*counts: int) -> list[AnswerFinished]:
        ask = GenerationRequest(asked("add two"), temperature=temperature, seed=3, max_tokens=24)
        writer = SparkModel(hesitant).write(ask)
        return [
            item
            for count in counts
            for item in writer.write(count)
            if isinstance(item, AnswerFinished)
        ]

    hesitant = quoting_model(tmp_path / "model", SCRIPTS, surely=6.0)
    together, apart = written(1, 2), written(1, 1, 1)
    if temperature:
        assert [answer.tokens for answer in together] == [answer.tokens for answer in apart]
    assert together[0].tokens == apart[0].tokens
    assert len({answer.tokens for answer in together}) == 3
