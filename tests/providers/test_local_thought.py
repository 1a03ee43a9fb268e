"""A chat model in this process that can think: not at all, for a while, and never as its answer."""

from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.line_diff import END, heading_of
from spark_tui.engine.generate import Prefilled, Step
from spark_tui.engine.loader import LoadedModel
from spark_tui.providers.base import (
    AnswerFinished,
    GenerationRequest,
    Item,
    PromptProgress,
    Thought,
    TokenGenerated,
)
from spark_tui.providers.chat_model import Rewriter
from spark_tui.providers.local_thought import THOUGHT_TOKENS, Thinker, ThoughtTags
from spark_tui.providers.registry import ProviderHost
from tests.providers.chat_models import HYBRID, TEMPLATE, THINKING, chat_model

REGION = ("def f(x):", "    y = x", "    return y")
NEW = ("def f(x):", "    return x")
CODE = "def f(x):\n    return x\n```\n"
BLOCK = "f.py\n<<<<<<< SEARCH\n    y = x\n    return y\n=======\n    return x\n>>>>>>> REPLACE\n"
THOUGHT = "```py\ndef g():\n```\nOf x.\n"
SAYS = {"shorter": CODE, "endless": CODE, "block": BLOCK, "why": "It adds.\n"}
THINKS = {"shorter": THOUGHT, "endless": "Hm.\n" * 2000, "block": THOUGHT, "why": THOUGHT}
KINDS = [(HYBRID, True), (THINKING, False)]
WHY = [{"role": "user", "content": "why"}]


@pytest.fixture(scope="module", params=KINDS, ids=["hybrid", "always"])
def loaded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    template, tags = request.param
    folder = tmp_path_factory.mktemp("thinking")
    return chat_model(folder, SAYS, THINKS, template, tags=tags)


def ask(words: str, begun: str = "") -> GenerationRequest:
    return GenerationRequest(QuotedRequest("f.py", REGION, words), begun=begun, max_tokens=64)


def written(items: Sequence[Item]) -> str:
    return b"".join(item.piece for item in items if isinstance(item, TokenGenerated)).decode()


def thoughts(items: Sequence[Item]) -> list[Thought]:
    return [item for item in items if isinstance(item, Thought)]


def thought(items: Sequence[Item]) -> str:
    return "".join(item.text for item in thoughts(items))


def lines(items: Sequence[Item]) -> tuple[str, ...]:
    (answer,) = (item for item in items if isinstance(item, AnswerFinished))
    assert answer.finished
    return answer.lines


def test_an_edit_is_written_at_once_by_default(loaded: LoadedModel) -> None:
    items = list(Rewriter(loaded).write(ask("shorter")).write())
    assert (lines(items), thoughts(items)) == (NEW, [])


@pytest.mark.parametrize("speculate", [True, False])
def test_a_thought_comes_before_the_edit_and_is_no_part_of_it(
    loaded: LoadedModel,
    speculate: bool,
) -> None:
    answerer = Rewriter(loaded, thinking="low", speculate=speculate)
    items = list(answerer.write(ask("shorter")).write())
    assert (lines(items), written(items), thought(items)) == (NEW, CODE, THOUGHT)
    last = max(number for number, item in enumerate(items) if isinstance(item, Thought))
    first = next(number for number, item in enumerate(items) if isinstance(item, TokenGenerated))
    assert last < first


def test_a_thought_comes_piece_by_piece_and_its_tokens_are_counted_apart(
    loaded: LoadedModel,
) -> None:
    items = list(Rewriter(loaded, thinking="low").write(ask("shorter")).write())
    tokens = sum(item.tokens for item in thoughts(items))
    spelled = len(loaded.tokenizer.encode(THOUGHT))
    assert len(thoughts(items)) > 3
    assert spelled < tokens <= spelled + len(loaded.tokenizer.encode("<think>\n</think>"))
    (answer,) = (item for item in items if isinstance(item, AnswerFinished))
    assert len(answer.tokens) == sum(isinstance(item, TokenGenerated) for item in items)


def test_the_prompt_is_read_once_for_a_thought_and_its_edit(loaded: LoadedModel) -> None:
    items = list(Rewriter(loaded, thinking="low").write(ask("shorter")).write())
    first = next(number for number, item in enumerate(items) if isinstance(item, Thought))
    assert any(isinstance(item, PromptProgress) for item in items[:first])
    assert not any(isinstance(item, PromptProgress) for item in items[first:])


def test_a_thought_without_end_is_closed_and_the_edit_follows(loaded: LoadedModel) -> None:
    items = list(Rewriter(loaded, thinking="low").write(ask("endless")).write())
    assert lines(items) == NEW
    assert sum(item.tokens for item in thoughts(items)) == THOUGHT_TOKENS["low"]


def test_blocks_are_thought_about_too(loaded: LoadedModel) -> None:
    file = (heading_of("f.py"), *REGION, END)
    answerer = Rewriter(loaded, thinking="low", blocks=True)
    asked = GenerationRequest(QuotedRequest("f.py", file, "block"), max_tokens=64)
    items = list(answerer.write(asked).write())
    assert (lines(items), thought(items)) == ((heading_of("f.py"), *NEW, END), THOUGHT)


def test_an_edit_that_is_begun_needs_no_thought(loaded: LoadedModel) -> None:
    begun = "def f(x):\n    ret"
    items = list(Rewriter(loaded, thinking="low").write(ask("shorter", begun)).write())
    assert (lines(items), thoughts(items)) == (NEW, [])


def test_without_room_for_a_thought_there_is_none(loaded: LoadedModel) -> None:
    needed = len(Rewriter(loaded).prompt(ask("shorter").request)) + ask("").max_tokens
    cache = loaded.model.new_cache(needed)
    items = list(Rewriter(loaded, cache, thinking="on").write(ask("shorter")).write())
    assert (lines(items), thoughts(items)) == (NEW, [])


@pytest.mark.parametrize("thinking", ["off", "low"])
def test_a_question_is_thought_about_as_the_setting_says(
    loaded: LoadedModel,
    thinking: str,
) -> None:
    items = list(Rewriter(loaded, thinking=thinking).talk(WHY, most=64))
    assert written(items) == SAYS["why"]
    assert thought(items) == (THOUGHT if thinking == "low" else "")


def test_what_is_read_ahead_serves_a_thought(loaded: LoadedModel) -> None:
    rewriter = Rewriter(loaded, thinking="low")
    assert list(rewriter.read_ahead(ask("").request))
    items = list(rewriter.write(ask("shorter")).write())
    read = next(item for item in items if isinstance(item, PromptProgress))
    assert read.cached > read.total / 2


def test_a_model_that_knows_no_thoughts_answers_as_ever(tmp_path: Path) -> None:
    plain = chat_model(tmp_path, SAYS)
    items = list(Rewriter(plain, thinking="on").write(ask("shorter")).write())
    assert (lines(items), thoughts(items)) == (NEW, [])


def test_a_host_lets_its_model_think_as_it_is_told(tmp_path: Path) -> None:
    loaded = chat_model(tmp_path, SAYS, THINKS, HYBRID)
    items = list(ProviderHost(loaded, thinking="low").answerer.write(ask("shorter")).write())
    assert thought(items) == THOUGHT


def steps(ids: Sequence[int]) -> Generator[Prefilled | Step, None, None]:
    yield from (Step(each, 0.0) for each in ids)


@pytest.mark.parametrize("stop", ["</think>", "<|im_end|>", ""])
def test_a_thought_is_closed_whatever_ends_it(tmp_path: Path, stop: str) -> None:
    tokenizer = chat_model(tmp_path, {}).tokenizer
    end = tokenizer.special("<|im_end|>")
    thinker = Thinker(tokenizer, ThoughtTags("<think>", "</think>"), [end])
    spelled = tokenizer.encode("Über 1 </thin: 😀\n")
    stopped = [end] if stop == "<|im_end|>" else tokenizer.encode(stop)

    def follow() -> Generator[Item, None, None]:
        ids = yield from thinker.think(steps([*spelled, *stopped]), 0)
        pieces = [tokenizer.piece(each) for each in ids]
        assert b"".join(piece for piece in pieces if isinstance(piece, bytes)) == closed.encode()

    closed = "Über 1 </thin: 😀\n</think>"
    if stop != "</think>":
        closed = "Über 1 </thin: 😀\n\n</think>"
    assert thought(list(follow())) == "Über 1 </thin: 😀\n"


@pytest.mark.parametrize(
    ("thinking", "hushed", "tags"),
    [
        ("<s>", "<s><think>\n\n</think>\n\n", ThoughtTags("<think>", "</think>")),
        ("<s><think>\n", "<s><think>\n", ThoughtTags("", "</think>")),
        ("a<s>", "a/nothink<s><think></think>", ThoughtTags("<think>", "</think>")),
        ("<s>", "<s>", None),
        ("a</think><s>", "a</think><s>", None),
    ],
)
def test_the_tags_are_found_in_what_the_template_writes(
    thinking: str,
    hushed: str,
    tags: ThoughtTags | None,
) -> None:
    assert ThoughtTags.of_prompts(thinking, hushed) == tags


def test_a_thought_that_nobody_opened_is_taken_back(tmp_path: Path) -> None:
    loaded = chat_model(tmp_path, {"why": "Hm.\n</think>\nIt adds.\n"}, template=TEMPLATE)
    items = list(Rewriter(loaded).talk(WHY, most=64))
    assert sum(item.taken_back for item in thoughts(items)) > 0
    assert thought(items) == "Hm.\n"
    assert written(items).endswith("It adds.\n")
