"""An endpoint behind the seam: its answers become the region, and what goes wrong leaves what
was written.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.formats.region_blocks import BlockError
from spark_tui.errors import Abstained, SparkError, Transient, UsageError
from spark_tui.providers.base import (
    AnswerFinished,
    AnswerStarted,
    GenerationRequest,
    Item,
    PromptProgress,
    Provider,
    Thought,
    TokenGenerated,
    Waits,
)
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_errors import Patience
from spark_tui.providers.openai_provider import Remote
from tests.providers.scripted_server import (
    ScriptedServer,
    chunk,
    event,
    is_silent,
    refuses,
    says,
    sends,
    serving,
)

REGION = ("def f(x):", "    y = x", "    return y")
ASK = GenerationRequest(QuotedRequest("a.py", REGION, "return x at once"))
NEW = ("def f(x):", "    return x")
FENCED = "```py\ndef f(x):\n    return x\n```\n"
BLOCK = "a.py\n<<<<<<< SEARCH\n    y = x\n    return y\n=======\n    return x\n>>>>>>> REPLACE\n"

At = Callable[..., Remote]


@pytest.fixture
def at() -> Iterator[At]:
    """Makes an answerer of a scripted server; closed in the end."""
    with ExitStack() as stack:

        def make(server: ScriptedServer, **given: Any) -> Remote:
            patience = Patience(pauses=(0.0,))
            return Remote(
                stack.enter_context(closing(Server(server.endpoint(**given), patience=patience)))
            )

        yield make


def read(
    answerer: Provider, ask: GenerationRequest = ASK
) -> tuple[list[str], AnswerFinished | None, SparkError | None]:
    """What a turn sees: the region at the end, its answer, and how it failed."""
    draft = answerer.draft(ask.request.lines)
    items: list[Item] = []
    error = None
    try:
        for item in answerer.write(ask).write():
            items.append(item)
            if isinstance(item, AnswerStarted):
                draft = answerer.draft(ask.request.lines)
            for wrote in (
                item.known
                if isinstance(item, AnswerStarted)
                else [item]
                if isinstance(item, TokenGenerated)
                else []
            ):
                draft.take(wrote.piece)
    except SparkError as e:
        error = e
    answer = next((item for item in items if isinstance(item, AnswerFinished)), None)
    if answer and answer.finished:
        draft.finish()
        assert tuple(draft.settled()) == answer.lines
    return list(draft.lines()), answer, error


def read_answer(answerer: Provider) -> tuple[list[Item], AnswerFinished | None, SparkError | None]:
    """What a writer says, its answer, and how it failed."""
    items: list[Item] = []
    error = None
    try:
        items += answerer.write(ASK).write()
    except SparkError as e:
        error = e
    return items, next((item for item in items if isinstance(item, AnswerFinished)), None), error


@pytest.mark.parametrize(("text", "form"), [(FENCED, "rewrite"), (BLOCK, "search_replace")])
def test_an_answer_becomes_the_region_in_either_format(at: At, text: str, form: str) -> None:
    with serving(says(*text)) as server:
        lines, answer, error = read(at(server, format=form))
        assert (tuple(lines), error) == (NEW, None)
        assert answer is not None
        assert (answer.lines, answer.finished, answer.declined) == (NEW, True, False)
        (asked,) = server.requests
        assert [each["role"] for each in asked["messages"]] == ["system", "user"]
        assert asked["messages"][1]["content"].endswith("Request: return x at once")
        assert "\n".join(REGION) in asked["messages"][1]["content"]


@pytest.mark.parametrize("form", ["rewrite", "search_replace"])
def test_a_sentence_instead_of_code_declines(at: At, form: str) -> None:
    with serving(says("It does that already.")) as server:
        _, answer, _ = read(at(server, format=form))
        assert answer is not None
        assert (answer.lines, answer.declined) == (REGION, True)


def test_code_that_is_cut_off_behind_its_end_is_not_taken_for_complete(at: At) -> None:
    with serving(sends(chunk(FENCED), chunk("And now"), cut=True), says(FENCED, "Done.")) as server:
        answerer = at(server)
        _, answer, error = read(answerer)
        assert (answer, type(error)) == (None, Transient)
        _, answer, error = read(answerer)
        assert answer is not None
        assert (answer.lines, answer.finished, error) == (NEW, True, None)


def test_a_block_that_does_not_fit_is_told(at: At) -> None:
    with serving(says(BLOCK.replace("y = x", "z = x + 1"))) as server:
        writer = at(server, format="search_replace").write(ASK)
        with pytest.raises(
            BlockError, match="its lines occur nowhere; the nearest are lines 2 to 3"
        ):
            list(writer.write())


def test_what_had_arrived_of_an_answer_cut_off_is_kept_and_gone_on_with(at: At) -> None:
    begun = "```py\ndef f(x):\n    if"
    with serving(
        sends(chunk(begun), cut=True), says("```py\n", "    if x:\n        return x\n```\n")
    ) as server:
        answerer = at(server)
        lines, answer, error = read(answerer)
        assert (lines, answer, type(error)) == (
            ["def f(x):", "    if", *REGION[1:]],
            None,
            Transient,
        )
        lines, answer, error = read(answerer, GenerationRequest(ASK.request, begun))
        assert (lines, error) == (["def f(x):", "    if x:", "        return x"], None)
        assert [each["role"] for each in server.requests[1]["messages"]] == [
            "system",
            "user",
            "assistant",
            "user",
        ]
        assert server.requests[1]["messages"][2]["content"] == begun


def test_an_answer_is_given_up_between_two_pieces_though_nothing_comes(at: At) -> None:
    with serving(is_silent(begun=True)) as server:
        items = at(server).write(ASK).write()
        with closing(items):
            next(item for item in items if isinstance(item, TokenGenerated))
            next(item for item in items if item == Waits())
        assert server.left.acquire(timeout=20)


def test_a_busy_server_is_told_of_and_not_taken_for_text(at: At) -> None:
    with serving(refuses(429), says(FENCED)) as server:
        items = list(at(server).write(ASK).write())
    assert [item.line for item in items if isinstance(item, Waits) and item.line] == [
        "big is busy (429): asking again in a moment"
    ]
    assert next(item.lines for item in items if isinstance(item, AnswerFinished)) == NEW


def test_the_prompt_is_read_before_the_answer_comes(at: At) -> None:
    told = [{"total": 300, "cache": 0, "processed": done, "time_ms": 1} for done in (128, 300)]
    progress = [event({"choices": [], "prompt_progress": each}) for each in told]
    with serving(sends(*progress, chunk(FENCED, "stop"), event(b"[DONE]"))) as server:
        items = list(at(server, abilities={"return_progress": True}).write(ASK).write())
        assert server.requests[0]["return_progress"] is True
    order = [type(item) for item in items if isinstance(item, PromptProgress | TokenGenerated)]
    assert order == [PromptProgress, PromptProgress, TokenGenerated]
    assert [item.done for item in items if isinstance(item, PromptProgress)] == [128, 300]


def test_what_it_cost_is_known_where_prices_are(at: At) -> None:
    usage = event({"choices": [], "usage": {"prompt_tokens": 500_000, "completion_tokens": 100}})
    with serving(sends(chunk("Nothing.", "stop"), usage, event(b"[DONE]"))) as server:
        answerer = at(server, price_in=2.0, price_out=10.0)
        assert answerer.cost is None
        read(answerer)
        assert answerer.cost == pytest.approx(1.001)


def test_lines_beyond_what_a_model_reads_are_refused_before_anything_is_sent(at: At) -> None:
    with serving(says(FENCED)) as server:
        answerer = at(server, context=2048)
        with pytest.raises(
            UsageError, match=r"these lines of a\.py are too long, big reads 2048 tokens"
        ):
            answerer.write(GenerationRequest(QuotedRequest("a.py", ("x" * 99,) * 99, "shorter")))
        assert (answerer.has_room(REGION), server.requests) == (True, [])


def test_reading_ahead_opens_a_connection_and_sends_nothing_of_the_code(at: At) -> None:
    with serving(says(FENCED)) as server:
        answerer = at(server)
        assert list(answerer.read_ahead(ASK.request)) == []
        assert tuple(read(answerer)[0]) == NEW
        assert len(server.requests) == 1


DRAFT = "```py\ndef f(x):\n    return x + 99\n```\n"
OTHER_BLOCK = BLOCK.replace("    return x\n", "    return x + 99\n")


@pytest.mark.every(4)
@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("<think>\n", "</think>\n\n"),
        ("<seed:think>\n", "</seed:think>\n\n"),
        ("< think >\n", "</ think >\n\n"),
        ("<reflection>\n", "</reflection>\n\n"),
        ("<|begin_of_thought|>\n", "<|end_of_thought|>\n\n"),
        ("<thinking>", "</thinking>"),
        ("<thought>\nHm.\n", "\n</thought>\n"),
        ("\n\n<reasoning>\n", "</reasoning>\n"),
        ("[THINK]", "[/THINK]"),
        ("", "[/THINK]"),
        ("◁think▷\n", "\n◁/think▷\n\n"),
        ("", "◁/think▷"),
        ("", "</seed:think>"),
        ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
        ("<|inner_prefix|>", "<|inner_suffix|>"),
        ("Here is my thought process:\n\nHm.\n", "\nHere is my response:\n\n"),
        ("Here's my thought process: hm.\n", "Here's my response:\n"),
        (
            "<|channel|>analysis<|message|>Hm.\n",
            "<|end|><|start|>assistant<|channel|>final<|message|>",
        ),
        (
            "<|start|>assistant<|channel|>commentary to=f <|constrain|>json<|message|>",
            "<|call|><|start|>assistant<|channel|>final <|constrain|>text<|message|>",
        ),
        ("Hm.\n", "<|end|><|start|>assistant<|channel|>final<|message|>"),
        ("analysisThe user wants less.\n", "assistantfinal"),
        ("", "</think>\n\n"),
        ("Let me see.\n", "So be it.</think>"),
    ],
)
@pytest.mark.parametrize(
    ("draft", "text", "form"),
    [(DRAFT, FENCED, "rewrite"), (OTHER_BLOCK, BLOCK, "search_replace")],
)
def test_kind_3_what_a_model_thinks_is_never_its_answer(
    at: At, before: str, behind: str, draft: str, text: str, form: str, size: int
) -> None:
    whole = f"{before}{draft}{behind}{text}"
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    with serving(says(*pieces)) as server:
        answerer = at(server, format=form)
        for _ in range(2):  # the second time it is known how this model thinks
            _, answer, error = read(answerer)
            assert error is None
            assert answer is not None
            assert (answer.lines, answer.finished) == (NEW, True)


HARMONY = "<|channel|>final<|message|>"
TEMPLATE = ("<think>", "{{ '</think>' }}", "</think>", "old </think>", HARMONY)
TEMPLATE_NOW = (*TEMPLATE[:3], "new </think>", TEMPLATE[4])
TEMPLATE_ASK = GenerationRequest(QuotedRequest("chat.jinja", TEMPLATE, "new"))
TEMPLATE_TEXTS = {
    "rewrite": "\n".join(["```jinja", *TEMPLATE_NOW, "```", ""]),
    "search_replace": "<<<<<<< SEARCH\nold </think>\n=======\nnew </think>\n>>>>>>> REPLACE\n",
}
TEMPLATE_DRAFTS = {form: text.replace("new", "99") for form, text in TEMPLATE_TEXTS.items()}


@pytest.mark.every(5)
@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("form", ["rewrite", "search_replace"])
@pytest.mark.parametrize(
    "before",
    [
        "",
        "I close it:\n\n",
        "The tag `</think>` stays, and a </think> here, too.\n\n",
        "<think>\nIt has </think> in it, and '</think>'.\n</think>\n\n",
        "<think>\n{draft}\nGood.\n</think>\n\n",
        "<think>Hm.</think>\n",
        "Hm, the tag.\n</think>\n\n",
        "Hm, the tag.</think>\n",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>",
        "Here is my thought process:\n\nThe </think> tag.\n\nHere is my response:\n\n",
        "◁think▷\n{draft}◁/think▷",
    ],
)
def test_kind_3_tags_of_the_region_are_text_beside_those_of_a_thought(
    at: At, before: str, form: str, size: int
) -> None:
    whole = before.replace("{draft}", TEMPLATE_DRAFTS[form]) + TEMPLATE_TEXTS[form]
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    with serving(says(*pieces)) as server:
        answerer = at(server, format=form)
        for _ in range(2):
            _, answer, error = read(answerer, TEMPLATE_ASK)
            assert error is None
            assert answer is not None
            assert (answer.lines, answer.finished) == (TEMPLATE_NOW, True)


@pytest.mark.every(5)
@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("form", ["rewrite", "search_replace"])
@pytest.mark.parametrize("opening", ["", "<think>", "<think>\n"])
@pytest.mark.parametrize("ask", [ASK, TEMPLATE_ASK])
def test_kind_3_a_tag_glued_to_the_code_of_a_thought_closes_the_thought(
    at: At, ask: GenerationRequest, opening: str, form: str, size: int
) -> None:
    draft = TEMPLATE_DRAFTS[form]
    text = TEMPLATE_TEXTS[form]
    new: tuple[str, ...] = TEMPLATE_NOW
    if ask is ASK:
        texts = {"rewrite": (DRAFT, FENCED), "search_replace": (OTHER_BLOCK, BLOCK)}
        draft, text = texts[form]
        new = NEW
    whole = f"{opening}{draft.rstrip()}</think>{text}"
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    with serving(says(*pieces)) as server:
        answerer = at(server, format=form)
        for _ in range(2):
            _, answer, error = read(answerer, ask)
            assert error is None
            assert answer is not None
            assert (answer.lines, answer.finished) == (new, True)


@pytest.mark.parametrize(
    "text",
    [
        f"Here is my thought process:\n\n{FENCED}",
        f"It is the analysis that I kept.\n\nHere is my response:\n\n{FENCED}",
        f"I end it with <|end|> as before.\n\n{FENCED}",
        f"A message begins with <|start|> there.\n\n{FENCED}",
        f"The 'assistantfinal' is gone, assistantfinal.\n\n{FENCED}",
    ],
)
def test_kind_3_words_that_only_look_like_a_mark_are_talk(at: At, text: str) -> None:
    with serving(says(*text)) as server:
        _, answer, error = read(at(server))
        assert error is None
        assert answer is not None
        assert answer.lines == NEW


@pytest.mark.every(4)
@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("opening", ["", "<think>", "<think>\n"])
@pytest.mark.parametrize("draft", ["```python return 9 ```", "```python\nreturn 9\n```", "a ```"])
def test_kind_3_a_tag_between_two_fences_is_not_in_quotes(
    at: At, draft: str, opening: str, size: int
) -> None:
    whole = f"{opening}I draft {draft}</think>{FENCED}"
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    with serving(says(*pieces)) as server:
        _, answer, error = read(at(server))
    assert error is None
    assert answer is not None
    assert (answer.lines, answer.finished) == (NEW, True)


def test_a_block_within_a_thought_need_not_fit(at: At) -> None:
    draft = OTHER_BLOCK.replace("y = x", "z = x + 1")
    with serving(says(draft, "</think>\n", BLOCK)) as server:
        _, answer, error = read_answer(at(server, format="search_replace"))
        assert error is None
        assert answer is not None
        assert answer.lines == NEW


def test_kind_3_tags_that_the_lines_have_are_code(at: At) -> None:
    region = ("<think>", "y = x", "</think>")
    ask = GenerationRequest(QuotedRequest("a.xml", region, "z"))
    with serving(says("```xml\n<think>\ny = z\n</think>\n```\n")) as server:
        _, answer, _ = read(at(server), ask)
        assert answer is not None
        assert answer.lines == ("<think>", "y = z", "</think>")


def thinks(text: str, field: str = "reasoning_content") -> bytes:
    return event({"choices": [{"index": 0, "delta": {field: text}}]})


def test_tokens_used_up_for_a_thought_are_told_with_the_setting(at: At) -> None:
    with serving(sends(thinks("Hm."), chunk(None, "length"), event(b"[DONE]"))) as server:
        _, answer, error = read(at(server, thinking_tokens=100))
        assert (answer, type(error)) == (None, Abstained)
        assert re.search(
            r"used all of its \d+ tokens to think.*max_tokens.*thinking_tokens", str(error)
        )


def test_a_model_that_turns_out_to_think_is_given_more_tokens_once(at: At) -> None:
    spent = sends(chunk("<think>Hm."), chunk(None, "length"), event(b"[DONE]"))
    with serving(spent, says(f"<think>Hm.</think>{FENCED}")) as server:
        answerer = at(server)
        assert tuple(read(answerer)[0]) == NEW
        first, second = (each["max_tokens"] for each in server.requests)
        assert second > first + 4096


@pytest.mark.parametrize("end", ["stop", "tool_calls"])
def test_a_thought_without_an_answer_is_no_request_to_say_it_differently(at: At, end: str) -> None:
    call = event({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a"}]}}]})
    said = thinks("Hm.") if end == "stop" else call
    with serving(sends(said, chunk(None, end), event(b"[DONE]"))) as server:
        _, answer, error = read(at(server))
        assert answer is None
        assert isinstance(error, Abstained)
        assert ("a tool" if end == "tool_calls" else "after its thought") in str(error)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_thought_comes_apart_and_piece_by_piece(at: At, field: str) -> None:
    parts = [thinks("One, ", field), thinks("two.", field), chunk(FENCED, "stop")]
    with serving(sends(*parts, event(b"[DONE]"))) as server:
        items = list(at(server).write(ASK).write())
    thought = [item.text for item in items if isinstance(item, Thought)]
    assert thought == ["One, ", "two."]
    assert next(item.lines for item in items if isinstance(item, AnswerFinished)) == NEW


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_kind_15_an_answer_without_text_names_the_tokens_that_were_sent(
    at: At, text: str | None
) -> None:
    with serving(sends(chunk(text, "length"), event(b"[DONE]"))) as server:
        _, answer, error = read(at(server))
        (request,) = server.requests
    assert (answer, type(error)) == (None, Abstained)
    used = f"big used all of its {request['max_tokens']:,} tokens and sent no text; "
    assert str(error).startswith(used)


def test_kind_15_a_cut_answer_names_the_tokens_that_were_sent(at: At) -> None:
    with serving(says("```py\ndef f(x):\n", end=chunk(None, "length"))) as server:
        _, answer, _ = read(at(server))
        (request,) = server.requests
    assert answer is not None
    assert not answer.finished
    longer = f"the answer is longer than {request['max_tokens']:,} tokens"
    assert answer.cut == f"{longer}; ask for less at once"


@pytest.mark.parametrize(("usage", "tokens"), [(None, "3"), ({"reasoning_tokens": 2100}, "2,100")])
def test_kind_15_an_answer_that_is_cut_behind_a_thought_names_the_tokens_of_the_thought(
    at: At, usage: dict[str, int] | None, tokens: str
) -> None:
    counted = {"prompt_tokens": 9, "completion_tokens": 2200, "completion_tokens_details": usage}
    parts = [thinks("One two."), chunk("```py\ndef f(x):\n    y = x\n"), chunk(None, "length")]
    last = event({"choices": [], "usage": counted})
    with serving(sends(*parts, last, event(b"[DONE]"))) as server:
        _, answer, _ = read(at(server))
        (request,) = server.requests
    assert answer is not None
    longer = f"the answer is longer than {request['max_tokens']:,} tokens"
    assert answer.cut.startswith(f"{longer}, of which the thought took about {tokens}; ")
    assert "thinking_tokens" in answer.cut


@pytest.mark.parametrize("end", ["stop", "content_filter", "length"])
@pytest.mark.parametrize(
    "message",
    [
        {"refusal": "I cannot help with that."},
        {"content": [{"type": "refusal", "refusal": "I cannot help with that."}]},
    ],
)
def test_kind_15_the_words_of_a_refusal_are_told(at: At, message: dict[str, Any], end: str) -> None:
    choice = {"index": 0, "delta": message, "finish_reason": None}
    with serving(sends(event({"choices": [choice]}), chunk(None, end))) as server:
        _, answer, error = read(at(server))
    assert (answer, type(error)) == (None, Abstained)
    assert str(error).startswith("big refuses to answer: I cannot help with that; ")


def test_kind_15_a_refusal_that_comes_in_pieces_is_told_whole_behind_text(at: At) -> None:
    pieces = [
        event({"choices": [{"index": 0, "delta": {"refusal": words}}]})
        for words in ("I cannot ", "help.")
    ]
    with serving(sends(chunk("Well. "), *pieces, chunk(None, "stop"))) as server:
        _, answer, error = read(at(server))
    assert answer is None
    assert str(error).startswith("big refuses to answer: I cannot help; ")
