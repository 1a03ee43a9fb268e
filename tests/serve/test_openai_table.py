"""The table of OpenAI's parameters in the examples, each asked for with the official client."""

from pathlib import Path
from typing import Any

import pytest

from spark_tui.config import Settings
from tests.providers.chat_models import chat_model
from tests.serve.conftest import KEY, StartServer

README = Path(__file__).parents[2] / "examples" / "serve" / "README.md"
SAMPLES: dict[str, Any] = {
    "max_tokens": 2,
    "max_completion_tokens": 2,
    "temperature": 0.5,
    "top_p": 0.9,
    "seed": 7,
    "stop": ["\n"],
    "stream": True,
    "logprobs": True,
    "top_logprobs": 2,
    "echo": True,
    "priority": 1,
    "user": "somebody",
    "n": 2,
    "best_of": 2,
    "suffix": "end",
    "logit_bias": {"5": 1},
    "presence_penalty": 0.5,
    "frequency_penalty": 0.5,
    "tools": [{"type": "function", "function": {"name": "look"}}],
    "functions": [{"name": "look"}],
    "response_format": {"type": "json_object"},
}
ANSWERS = {"yes": True, "ignored": True, "no": False}


def table() -> dict[str, tuple[bool, bool]]:
    """Of each parameter, whether completions and chats take it."""
    found = {}
    for line in README.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[1] in ANSWERS:
            found[cells[0].split("`")[1]] = (ANSWERS[cells[1]], ANSWERS[cells[2]])
    return found


def test_what_the_table_says_of_a_parameter_is_so(start: StartServer, tmp_path: Path) -> None:
    openai = pytest.importorskip("openai")
    loaded = chat_model(tmp_path / "chat", {"what is it": "a sum"})
    server = start(loaded, port=True, settings=Settings())
    said = table()
    assert said.keys() == SAMPLES.keys()
    with openai.OpenAI(base_url=server.url, api_key=KEY, max_retries=0) as client:

        def refused(endpoint: Any, asked: dict[str, Any], **more: object) -> str | None:
            """Which parameter an endpoint does not take."""
            try:
                endpoint.with_raw_response.create(
                    model="chat", **asked, max_tokens=2, extra_body=more
                )
            except openai.BadRequestError as e:
                name: str | None = e.param
                return name
            return None

        prompt = {"prompt": "x = "}
        messages = {"messages": [{"role": "user", "content": "what is it"}]}
        for name, value in SAMPLES.items():
            completes, chats = said[name]
            more = {"logprobs": True} if name == "top_logprobs" else {}
            count = 1 if name == "logprobs" else value
            found = refused(client.completions, prompt, **{name: count})
            assert found == (None if completes else name)
            found = refused(client.chat.completions, messages, **more, **{name: value})
            assert found == (None if chats else name)
