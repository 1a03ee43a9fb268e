"""A chat model in process: what it writes becomes the region, and drafts make it faster and
nothing else.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.line_diff import END, heading_of
from spark_tui.engine.loader import LoadedModel
from spark_tui.errors import ModelError, UsageError
from spark_tui.providers.base import (
    Ability,
    AnswerFinished,
    AnswerStarted,
    GenerationRequest,
    Item,
    PromptProgress,
    Provider,
    TokenGenerated,
)
from spark_tui.providers.chat_model import Rewriter
from spark_tui.providers.chat_writer import Continuation
from tests.providers.chat_models import chat_model

REGION = ("def f(self, value):", "    value = value * 2", "    return value + 1")
NEW = ("def f(self, value):", "    return value * 2 + 1")
BODY = "def f(self, value):\n    return value * 2 + 1\n"
TESTS = ["from f import f", "", "def test_f():", "    assert f(None, 1) == 3"]
BLOCKS = "\n".join(
    [
        "f.py",
        "<<<<<<< SEARCH",
        *REGION[1:],
        "=======",
        *NEW[1:],
        ">>>>>>> REPLACE",
        "",
        "test_f.py",
        "<<<<<<< SEARCH",
        "=======",
        *TESTS,
        ">>>>>>> REPLACE",
    ]
)
SAYS = {"a test for this": BLOCKS} | {
    "shorter": BODY + "```\nIt is shorter now.",
    "same": "\n".join(REGION) + "\n```",
    "endless": "x\n" * 2000,
}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return chat_model(tmp_path_factory.mktemp("chat"), SAYS)


def request(words: str, lines: Sequence[str] = REGION) -> QuotedRequest:
    return QuotedRequest("f.py", tuple(lines), words)


def answered(items: Sequence[Item]) -> AnswerFinished:
    (answer,) = [item for item in items if isinstance(item, AnswerFinished)]
    return answer


def test_it_speaks_what_the_seam_wants(loaded: LoadedModel) -> None:
    answerer: Provider = Rewriter(loaded)
    items = list(answerer.write(GenerationRequest(request("shorter"))).write())
    assert [type(item) for item in items[:2]] == [AnswerStarted, PromptProgress]
    answer = answered(items)
    assert (answer.lines, answer.finished, answer.declined) == (NEW, True, False)
    draft = answerer.draft(REGION)
    for item in items:
        if isinstance(item, TokenGenerated):
            draft.take(item.piece)
    draft.finish()
    assert tuple(draft.lines()) == NEW


def test_an_answer_is_over_with_its_code(loaded: LoadedModel) -> None:
    wrote = [
        item.piece
        for item in Rewriter(loaded).write(GenerationRequest(request("shorter"))).write()
        if isinstance(item, TokenGenerated)
    ]
    assert b"".join(wrote) == (BODY + "```\n").encode()


def test_the_same_lines_once_more_decline(loaded: LoadedModel) -> None:
    answer = answered(list(Rewriter(loaded).write(GenerationRequest(request("same"))).write()))
    assert (answer.lines, answer.declined) == (REGION, True)


def test_greedily_there_is_one_answer(loaded: LoadedModel) -> None:
    writer = Rewriter(loaded).write(GenerationRequest(request("shorter")))
    assert answered(list(writer.write(3))).number == 0
    assert (writer.best, list(writer.write())) == (float("-inf"), [])


def test_draws_differ_by_their_seed_and_come_again_with_it(loaded: LoadedModel) -> None:
    def drawn() -> list[tuple[int, ...]]:
        items = (
            Rewriter(loaded)
            .write(GenerationRequest(request("anything"), temperature=1.0, seed=3, max_tokens=8))
            .write(2)
        )
        return [item.tokens for item in items if isinstance(item, AnswerFinished)]

    first, second = drawn()
    assert first != second
    assert drawn() == [first, second]


@pytest.mark.parametrize("words", ["shorter", "same", "nothing known"])
@pytest.mark.parametrize("begun", ["", "def f(self, value):\n    ret"])
def test_drafts_change_no_token(loaded: LoadedModel, words: str, begun: str) -> None:
    ask = GenerationRequest(request(words), begun=begun, max_tokens=32)
    with_drafts, without = (
        list(Rewriter(loaded, speculate=speculate).write(ask).write())
        for speculate in (True, False)
    )
    assert answered(with_drafts).tokens == answered(without).tokens
    assert answered(with_drafts).lines == answered(without).lines


def test_lines_that_are_copied_come_several_a_pass(loaded: LoadedModel) -> None:
    wrote = [
        item
        for item in Rewriter(loaded).write(GenerationRequest(request("same"))).write()
        if isinstance(item, TokenGenerated)
    ]
    assert sum(item.passes for item in wrote) < len(wrote) / 2


def test_an_answer_goes_on_from_what_the_user_wrote_of_it(loaded: LoadedModel) -> None:
    items = list(
        Rewriter(loaded)
        .write(GenerationRequest(request("shorter"), begun="def f(self, value):\n    return"))
        .write()
    )
    assert items[0] == AnswerStarted(
        0, (TokenGenerated(0, -1, b"def f(self, value):\n    return"),)
    )
    assert answered(items).lines == NEW


def test_an_answer_that_runs_out_of_tokens_keeps_what_is_closed(loaded: LoadedModel) -> None:
    answer = answered(
        list(Rewriter(loaded).write(GenerationRequest(request("endless"), max_tokens=1)).write())
    )
    assert (answer.lines, answer.finished) == (REGION, False)


def test_what_was_read_ahead_is_not_read_again(loaded: LoadedModel) -> None:
    rewriter = Rewriter(loaded)
    assert list(rewriter.read_ahead(request("")))
    read = next(
        item
        for item in rewriter.write(GenerationRequest(request("shorter"))).write()
        if isinstance(item, PromptProgress)
    )
    assert read.total - read.cached < len(loaded.tokenizer.encode("shorter```py\n")) + 12
    assert list(rewriter.read_ahead(request(""))) == []


def test_lines_that_do_not_fit_are_refused(loaded: LoadedModel) -> None:
    rewriter = Rewriter(loaded)
    long = ["x = 1"] * 2000
    assert (
        rewriter.has_room(REGION),
        rewriter.has_room(long),
        rewriter.has_room(["x" * 10**6]),
    ) == (
        True,
        False,
        False,
    )
    for lines in (long, ["x" * 10**6]):
        with pytest.raises(UsageError, match=r"these lines of f\.py are too long"):
            rewriter.write(GenerationRequest(request("shorter", lines)))
    assert list(rewriter.read_ahead(request("", ["x" * 10**6]))) == []


def test_a_model_without_a_chat_template_is_named(loaded: LoadedModel, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has no chat template"):
        Rewriter(replace(loaded, path=tmp_path))


@pytest.mark.parametrize(
    ("begun", "said", "new"),
    [
        ("", "```py\na\n", "```py\na\n"),
        ("```py\na = 1\n", "b = 2\n```", "b = 2\n```"),
        ("```py\na = 1\n", "```py\nb = 2\n", "b = 2\n"),
        ("```py\na = 1\n", "```py\na = 1\nb = 2\n", "b = 2\n"),
        ("```py\na = 1\nb", "b = 2\n", " = 2\n"),
        ("```py\na = 1\nb", " = 2\n", " = 2\n"),
        ("```py\na = 1\nb", "```py\nb = 2", " = 2"),
        ("a", "", ""),
    ],
)
def test_what_a_model_repeats_when_it_goes_on_is_left_out(begun: str, said: str, new: str) -> None:
    for size in (1, 3, 100):
        heard = Continuation(begun)
        pieces = [heard.take(said[at : at + size]) for at in range(0, len(said), size)]
        assert "".join([*pieces, heard.finish()]) == new


def test_a_model_that_writes_blocks_edits_a_file_and_makes_another(loaded: LoadedModel) -> None:
    file = [heading_of("f.py"), *REGION, END]
    for speculate in (True, False):
        answerer = Rewriter(loaded, speculate=speculate, blocks=True)
        assert Ability.FILES in answerer.can
        answer = answered(
            list(answerer.write(GenerationRequest(request("a test for this", file))).write())
        )
        assert answer.finished
        made = [heading_of("f.py"), *NEW, END, heading_of("test_f.py"), *TESTS, END]
        assert list(answer.lines) == made


def test_a_model_that_writes_blocks_needs_room_for_a_region_only_once(loaded: LoadedModel) -> None:
    lines = ["def f(self, value):"] * 150
    assert not Rewriter(loaded).has_room(lines)
    assert Rewriter(loaded, blocks=True).has_room(lines)
    assert Ability.FILES not in Rewriter(loaded).can


@pytest.mark.parametrize(
    ("said", "spoken"),
    [("<think>\nHm.\n</think>\n\nIt adds.\n", "It adds.\n"), ("It adds.\n", "It adds.\n")],
)
def test_what_a_model_in_this_process_thinks_is_no_part_of_what_it_says(
    tmp_path: Path, said: str, spoken: str
) -> None:
    talker = Rewriter(chat_model(tmp_path, {"why": said}))
    items = list(talker.talk([{"role": "user", "content": "why"}], most=64))
    assert (
        b"".join(item.piece for item in items if isinstance(item, TokenGenerated)).decode()
        == spoken
    )
