"""Answers with text in OpenAI's formats: whole, or piece by piece while the model writes."""

import time
from codecs import getincrementaldecoder
from collections.abc import AsyncGenerator, Collection, Generator, Mapping, Sequence
from contextlib import aclosing, closing
from typing import Any
from uuid import uuid4

from spark_tui.engine.generate import Prefilled
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.serve import openai_format as openai
from spark_tui.serve.client_engine import ClientEngine
from spark_tui.serve.text_generation import (
    PromptPart,
    PromptToken,
    StoppedText,
    TextItem,
    WrittenToken,
    score_prompt,
    write_tokens,
)

Piece = tuple[str, list[openai.TokenLogprob]]
"""A piece of a text, and its tokens where the request asks for log-probabilities."""


class TextProgress:
    """The text after one prompt, while it is written. Mutable.

    Args:
        tokenizer: The tokenizer of the model.
        wanted: The request.
        prompt: The tokens of the prompt, at least one.
        index: The place of the prompt among those of the request.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        wanted: openai.TextRequest,
        prompt: Sequence[int],
        index: int = 0,
    ) -> None:
        self._tokenizer = tokenizer
        self.wanted = wanted
        self.prompt = prompt
        self.index = index
        self.cached_tokens = 0
        self.written = 0
        self.text = ""
        self.tokens: list[openai.TokenLogprob] = []
        self.finish_reason: str | None = None
        self._stopped = StoppedText(wanted.stops)
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._characters = 0
        """Whole characters of all tokens until now, for the offset of the next one."""
        self._unread = len(prompt)
        """Tokens of the prompt that are still to be repeated."""

    @property
    def is_over(self) -> bool:
        """Whether the text has ended."""
        return self.finish_reason is not None

    def items(self, engine: ClientEngine, ends: Collection[int]) -> Generator[TextItem, None, None]:
        """Write the text, in the engine's thread."""
        if self.wanted.scores_prompt:
            yield from score_prompt(engine, self.prompt, self.wanted.options.top_logprobs)
        elif self.wanted.echoes:
            yield PromptPart(tuple(map(PromptToken, self.prompt)))
        yield from write_tokens(engine, self.prompt, self.wanted.options, ends)

    def take(self, item: TextItem | None) -> Piece:
        """Take an item of the engine, None after the last one.

        Returns:
            The text that is certain now, and the token that was written.
        """
        text = ""
        tokens: list[openai.TokenLogprob] = []
        if isinstance(item, Prefilled):
            # A prompt that was scored has been run for that; nothing was saved.
            if not self.wanted.scores_prompt:
                self.cached_tokens = item.cached_tokens
        elif isinstance(item, PromptPart):
            text, tokens = self._take_prompt(item)
        elif isinstance(item, WrittenToken):
            text, tokens = self._take_written(item)
        else:
            text = self._stopped.finish()
            self.finish_reason = "length"
        self.text += text
        if self.wanted.tells_logprobs:
            self.tokens += tokens
            return text, tokens
        return text, []

    def _take_prompt(self, part: PromptPart) -> Piece:
        text = ""
        tokens = []
        for token in part.tokens:
            shown, data = self._shown(token.token_id)
            tokens.append(self._logprob_of(token, shown, data))
            text += self._count(data)
        self._unread -= len(tokens)
        if not self._unread:
            # What is written begins with a character of its own.
            text += self._count(b"", final=True)
        return text, tokens

    def _take_written(self, token: WrittenToken) -> Piece:
        self.written += 1
        if token.is_end:
            self.finish_reason = "stop"
            return self._stopped.finish(), []
        shown, data = self._shown(token.token_id)
        tokens = [self._logprob_of(token, shown, data)]
        piece = self._bytes(token.token_id)
        self._count(piece)
        text = self._stopped.take(piece)
        if self._stopped.is_stopped:
            self.finish_reason = "stop"
        return text, tokens

    def _count(self, data: bytes, *, final: bool = False) -> str:
        """Count the characters that end in these bytes, and return them."""
        text = self._decode(data, final)
        self._characters += len(text)
        return text

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

    def _logprob_of(
        self, token: PromptToken | WrittenToken, text: str, data: bytes
    ) -> openai.TokenLogprob:
        likely = None
        if token.likely is not None:
            likely = tuple((*self._shown(other), logprob) for other, logprob in token.likely)
        return openai.TokenLogprob(text, data, self._characters, token.logprob, likely)


def write_texts(
    engine: ClientEngine, writings: Sequence[TextProgress], ends: Collection[int]
) -> Generator[tuple[TextProgress, TextItem | None], None, None]:
    """Write the texts of a request one after another, in the engine's thread.

    Yields:
        Each item with its text; None after the last one of a text.
    """
    for writing in writings:
        with closing(writing.items(engine, ends)) as items:
            for item in items:
                yield writing, item
                # Its reader, in another thread, has found a stop in the text.
                if writing.is_over:
                    break
        yield writing, None


async def read_texts(
    batches: AsyncGenerator[list[Any]], writings: Sequence[TextProgress]
) -> AsyncGenerator[tuple[TextProgress, Piece] | None]:
    """Yield the pieces of the texts as they become certain; None is a sign of life.

    Args:
        batches: What `write_texts` yields.
        writings: The texts, which take the items.
    """
    async for batch in batches:
        if not batch:
            yield None
        for writing, item in batch:
            if not writing.is_over:
                yield writing, writing.take(item)
        if writings[-1].is_over:
            return
    # The server ends: what is there is the answer.
    for writing in writings:
        if not writing.is_over:
            yield writing, writing.take(None)


class TextAnswer:
    """An answer in one of OpenAI's formats.

    Args:
        model: The name of the model.
    """

    kind = ""
    chunk_kind = ""
    prefix_id = ""

    def __init__(self, model: str) -> None:
        self._head = {
            "id": f"{self.prefix_id}-{uuid4().hex}",
            "created": int(time.time()),
            "model": model,
        }

    def whole(self, writings: Sequence[TextProgress]) -> dict[str, Any]:
        """Return the whole answer."""
        choices = [self.choice(writing) for writing in writings]
        usage = usage_of(writings)
        return {**self._head, "object": self.kind, "choices": choices, "usage": usage}

    def chunk(self, *choices: dict[str, Any], usage: dict[str, Any] | None) -> dict[str, Any]:
        """Return one piece of a stream."""
        body = {**self._head, "object": self.chunk_kind, "choices": list(choices)}
        if usage is not None:
            body["usage"] = usage
        return body

    def choice(self, writing: TextProgress) -> dict[str, Any]:
        """Return the text, with the reason for its end."""
        raise NotImplementedError

    def part(self, piece: Piece, writing: TextProgress) -> dict[str, Any]:
        """Return a piece of the text; the last one has the reason for its end."""
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
        logprobs = None
        if writing.wanted.tells_logprobs:
            logprobs = openai.completion_logprobs(writing.tokens)
        return _completion_choice(writing, writing.text, logprobs)

    def part(self, piece: Piece, writing: TextProgress) -> dict[str, Any]:
        """See `TextAnswer`."""
        text, tokens = piece
        logprobs = openai.completion_logprobs(tokens) if tokens else None
        return _completion_choice(writing, text, logprobs)


def _completion_choice(
    writing: TextProgress, text: str, logprobs: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "index": writing.index,
        "text": text,
        "logprobs": logprobs,
        "finish_reason": writing.finish_reason,
    }


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
            "index": writing.index,
            "message": message,
            "logprobs": logprobs,
            "finish_reason": writing.finish_reason,
        }

    def part(self, piece: Piece, writing: TextProgress) -> dict[str, Any]:
        """See `TextAnswer`."""
        text, tokens = piece
        delta = {"content": text} if text or tokens else {}
        logprobs = openai.chat_logprobs(tokens) if tokens else None
        return self._delta(delta, logprobs, writing.finish_reason)

    def opening(self) -> list[dict[str, Any]]:
        """See `TextAnswer`."""
        return [self._delta({"role": "assistant", "content": ""}, None, None)]

    def _delta(
        self, delta: dict[str, str], logprobs: dict[str, Any] | None, ended: str | None
    ) -> dict[str, Any]:
        return {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": ended}


def usage_of(writings: Sequence[TextProgress]) -> dict[str, Any]:
    """Return the counts of tokens of a request."""
    return openai.usage(
        sum(len(writing.prompt) for writing in writings),
        sum(writing.cached_tokens for writing in writings),
        sum(writing.written for writing in writings),
    )


async def text_events(
    batches: AsyncGenerator[list[Any]], writings: Sequence[TextProgress], answer: TextAnswer
) -> AsyncGenerator[Mapping[str, Any] | None]:
    """Yield the pieces of a streamed answer; None is a sign of life.

    Args:
        batches: What `write_texts` yields.
        writings: The texts, which take the items.
        answer: The format.
    """
    for choice in answer.opening():
        yield answer.chunk(choice, usage=None)
    async with aclosing(batches), aclosing(read_texts(batches, writings)) as pieces:
        async for told in pieces:
            if told is None:
                yield None
                continue
            writing, piece = told
            if any(piece) or writing.is_over:
                yield answer.chunk(answer.part(piece, writing), usage=None)
    if writings[0].wanted.tells_usage:
        yield answer.chunk(usage=usage_of(writings))
