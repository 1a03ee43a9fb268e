"""The grammar of blocks: a search is lines that were sent, all else is free."""

import re
from contextlib import closing
from typing import Any

import pytest

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.line_diff import END, heading_of
from spark_tui.providers.base import GenerationRequest
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote, block_grammar
from tests.providers.scripted_server import says, serving

LINES = ("def f(x):", '    y = "a\\n\t"', "", "    return y  # é\x0c")
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\[\^[^\]]*\]|[()|*?]|[a-z]+')
BLOCK = "a.py\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n"


def pattern_of(grammar: str) -> re.Pattern[str]:
    """The grammar as a pattern: no rule of it needs itself."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.strip().split("\n"))

    def pattern(rule: str) -> str:
        parts = []
        for token in TOKEN.findall(rules[rule]):
            if token[0] == '"':
                text = token[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
                parts.append(f"(?:{re.escape(text)})")
            elif token in rules:
                parts.append(f"(?:{pattern(token)})")
            else:
                parts.append(token)
        return "".join(parts)

    return re.compile(pattern("root"))


def allows(text: str, lines: tuple[str, ...] = LINES) -> bool:
    return pattern_of(block_grammar(lines)).fullmatch(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "It does that already.",
        "",
        BLOCK.format("def f(x):\n", "def g(x):\n    pass\n"),
        BLOCK.format("".join(f"{line}\n" for line in LINES), ""),
        BLOCK.format("", "new file\n"),
        "<think>\nMaybe <b> so.\n</think>\n\n" + BLOCK.format("\n", "x\n") + "\nDone: a < b\n< c",
        BLOCK.format("def f(x):\n", "=======\n") * 2,
        "old.py\n<<<<<<< DELETE\n",
    ],
)
def test_words_thoughts_and_blocks_whose_search_was_sent_are_allowed(text: str) -> None:
    assert allows(text)


@pytest.mark.parametrize(
    "search", ["def f(y):\n", "def f(x): \n", "def f(x):", "# ...\n", "    return y\n"]
)
def test_a_search_for_a_line_that_was_not_sent_is_not_allowed(search: str) -> None:
    assert not allows(BLOCK.format(search, "x\n"))


def test_the_marks_between_files_are_no_lines() -> None:
    lines = (heading_of("a.py"), "x = 1", END, heading_of("b.py"), "y = 2", END)
    assert allows(BLOCK.format("x = 1\n", "") + BLOCK.format("y = 2\n", ""), lines)
    assert "\\x00" not in block_grammar(lines)


def test_too_many_or_too_long_lines_have_no_grammar() -> None:
    assert block_grammar([str(number) for number in range(2_000)]) == ""
    assert block_grammar(["x" * 5_000]) == ""
    assert block_grammar(["x"] * 5_000)


@pytest.mark.parametrize(
    ("name", "form", "sent"),
    [
        ("grammar", "search_replace", lambda grammar: {"grammar": grammar}),
        (
            "structured_outputs",
            "search_replace",
            lambda grammar: {"structured_outputs": {"grammar": grammar}},
        ),
        ("guided_grammar", "search_replace", lambda grammar: {"guided_grammar": grammar}),
        ("grammar", "rewrite", lambda _: {}),
        ("stop", "search_replace", lambda _: {}),
    ],
)
def test_blocks_are_bound_where_the_server_takes_a_grammar(name: str, form: str, sent: Any) -> None:
    with serving(says("No.")) as server:
        given = server.endpoint(format=form, abilities={name: True})
        with closing(Server(given)) as asked:
            list(
                Remote(asked)
                .write(GenerationRequest(QuotedRequest("a.py", LINES, "shorter")))
                .write()
            )
        keys = {"grammar", "structured_outputs", "guided_grammar"}
        bound = {key: value for key, value in server.requests[0].items() if key in keys}
        assert bound == sent(block_grammar(LINES))
