"""Answers with text in OpenAI's formats: whole, or piece by piece while the model writes."""

import time
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from typing import Any
from uuid import uuid4

from spark_tui.engine.generate import Prefilled
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.serve import openai_format as openai
from spark_tui.serve.streams import JobStream
from spark_tui.serve.text_generation import StoppedText, WrittenToken


class TextProgress:
    """Text while it is written. Mutable.

    Args:
        tokenizer: The tokenizer of the model.
        wanted: The request.
        prompt_tokens: The number of tokens of the prompt.
    """

    def __init__(
        self, tokenizer: Tokenizer, wanted: openai.TextRequest, prompt_tokens: int
    ) -> None:
        self._tokenizer = tokenizer
        self.wanted = wanted
        self.prompt_tokens = prompt_tokens
        self.cached_tokens = 0
        self.written = 0
        self.text = ""
        self.tokens: list[openai.TokenLogprob] = []
        self.finish_reason: str | None = None
        self._stopped = StoppedText(wanted.stops)

    @property
    def is_over(self) -> bool:
        """Whether the text has ended."""
        return self.finish_reason is not None

    def take(self, batch: list[Any]) -> Iterator[tuple[str, list[openai.TokenLogprob]]]:
        """Take items of the engine, and yield the text of each token, as far as it is certain."""
        for item in batch:
            if isinstance(item, Prefilled):
                self.cached_tokens = item.cached_tokens
            elif isinstance(item, WrittenToken) and not self.is_over:
                yield self._take(item)

    def _take(self, token: WrittenToken) -> tuple[str, list[openai.TokenLogprob]]:
        self.written += 1
        if token.is_end:
            self.finish_reason = "stop"
            return "", []
        text = self._stopped.take(self._bytes(token.token_id))
        tokens: list[openai.TokenLogprob] = []
        if self.wanted.tells_logprobs:
            tokens = [self._logprob_of(token)]
            self.tokens += tokens
        self.text += text
        if self._stopped.is_stopped:
            self.finish_reason = "stop"
        return text, tokens

    def finish(self) -> str:
        """End the text, and return the part that was held back."""
        rest = self._stopped.finish()
        self.text += rest
        if self.finish_reason is None:
            self.finish_reason = "stop" if self._stopped.is_stopped else "length"
        return rest

    @property
    def usage(self) -> dict[str, Any]:
        """The counts of tokens."""
        return openai.usage(self.prompt_tokens, self.cached_tokens, self.written)

    def _bytes(self, token_id: int) -> bytes:
        piece = self._tokenizer.piece(token_id)
        # The piece of a special token is its name, which is not part of the text.
        return piece if isinstance(piece, bytes) else b""

    def _shown(self, token_id: int) -> tuple[str, bytes]:
        """Return a token as text, or its bytes as OpenAI spells half a character."""
        piece = self._tokenizer.piece(token_id)
        data = piece if isinstance(piece, bytes) else piece.encode()
        try:
            return data.decode(), data
        except UnicodeDecodeError:
            return "bytes:" + "".join(f"\\x{byte:02x}" for byte in data), data

    def _logprob_of(self, token: WrittenToken) -> openai.TokenLogprob:
        likely = []
        for token_id, logprob in token.likely:
            likely.append((*self._shown(token_id), logprob))
        text, data = self._shown(token.token_id)
        return openai.TokenLogprob(text, data, token.logprob, tuple(likely))


class TextAnswer:
    """An answer in one of OpenAI's formats.

    Args:
        model: The name of the model.
        prefix: The text before the written text.
    """

    kind = ""
    chunk_kind = ""
    prefix_id = ""

    def __init__(self, model: str, prefix: str = "") -> None:
        self.prefix = prefix
        self._head = {
            "id": f"{self.prefix_id}-{uuid4().hex}",
            "created": int(time.time()),
            "model": model,
        }

    def whole(self, writing: TextProgress) -> dict[str, Any]:
        """Return the whole answer."""
        choice = self.choice(writing)
        return {**self._head, "object": self.kind, "choices": [choice], "usage": writing.usage}

    def chunk(self, *choices: dict[str, Any], usage: dict[str, Any] | None) -> dict[str, Any]:
        """Return one piece of a stream."""
        body = {**self._head, "object": self.chunk_kind, "choices": list(choices)}
        if usage is not None:
            body["usage"] = usage
        return body

    def choice(self, writing: TextProgress) -> dict[str, Any]:
        """Return the text, with the reason for its end."""
        raise NotImplementedError

    def part(
        self, text: str, tokens: list[openai.TokenLogprob], writing: TextProgress, ended: str | None
    ) -> dict[str, Any]:
        """Return a piece of the text."""
        raise NotImplementedError

    def opening(self) -> list[dict[str, Any]]:
        """Return the pieces before the first token."""
        return []


class CompletionAnswer(TextAnswer):
    """An answer of `/v1/completions`."""

    kind = "text_completion"
    chunk_kind = "text_completion"
    prefix_id = "cmpl"

    def choice(self, writing: TextProgress) -> dict[str, Any]:
        """See `TextAnswer`."""
        text = self.prefix + writing.text
        logprobs = None
        if writing.wanted.tells_logprobs:
            logprobs = openai.completion_logprobs(writing.tokens, len(self.prefix))
        return _completion_choice(text, logprobs, writing.finish_reason)

    def part(
        self, text: str, tokens: list[openai.TokenLogprob], writing: TextProgress, ended: str | None
    ) -> dict[str, Any]:
        """See `TextAnswer`."""
        logprobs = None
        if tokens:
            # `tokens` is the last one of `writing.tokens`: what precedes it is the offset.
            before = sum(len(token.text) for token in writing.tokens) - len(tokens[0].text)
            logprobs = openai.completion_logprobs(tokens, len(self.prefix) + before)
        return _completion_choice(text, logprobs, ended)

    def opening(self) -> list[dict[str, Any]]:
        """See `TextAnswer`."""
        if not self.prefix:
            return []
        return [_completion_choice(self.prefix, None, None)]


def _completion_choice(
    text: str, logprobs: dict[str, Any] | None, ended: str | None
) -> dict[str, Any]:
    return {"index": 0, "text": text, "logprobs": logprobs, "finish_reason": ended}


class ChatAnswer(TextAnswer):
    """An answer of `/v1/chat/completions`."""

    kind = "chat.completion"
    chunk_kind = "chat.completion.chunk"
    prefix_id = "chatcmpl"

    def choice(self, writing: TextProgress) -> dict[str, Any]:
        """See `TextAnswer`."""
        logprobs = None
        if writing.wanted.tells_logprobs:
            logprobs = openai.chat_logprobs(writing.tokens)
        message = {"role": "assistant", "content": writing.text, "refusal": None}
        return {
            "index": 0,
            "message": message,
            "logprobs": logprobs,
            "finish_reason": writing.finish_reason,
        }

    def part(
        self, text: str, tokens: list[openai.TokenLogprob], writing: TextProgress, ended: str | None
    ) -> dict[str, Any]:
        """See `TextAnswer`."""
        delta = {"content": text} if text or tokens else {}
        return self._delta(delta, openai.chat_logprobs(tokens) if tokens else None, ended)

    def opening(self) -> list[dict[str, Any]]:
        """See `TextAnswer`."""
        return [self._delta({"role": "assistant", "content": ""}, None, None)]

    def _delta(
        self, delta: dict[str, str], logprobs: dict[str, Any] | None, ended: str | None
    ) -> dict[str, Any]:
        return {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": ended}


async def text_events(
    stream: JobStream, writing: TextProgress, answer: TextAnswer
) -> AsyncGenerator[Mapping[str, Any] | None]:
    """Yield the pieces of a streamed answer; None is a sign of life."""
    for choice in answer.opening():
        yield answer.chunk(choice, usage=None)
    async with aclosing(stream.batches()) as batches:
        async for batch in batches:
            if not batch:
                yield None
            for text, tokens in writing.take(batch):
                if text or tokens:
                    yield answer.chunk(answer.part(text, tokens, writing, None), usage=None)
            if writing.is_over:
                break
    rest = writing.finish()
    yield answer.chunk(answer.part(rest, [], writing, writing.finish_reason), usage=None)
    if writing.wanted.tells_usage:
        yield answer.chunk(usage=writing.usage)
