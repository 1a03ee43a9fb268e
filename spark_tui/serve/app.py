"""The interface of `spark serve` over HTTP.

`/v1/models`, `/v1/chat/completions` and `/v1/completions` are OpenAI's; `/v1/edits` streams a turn
as `spark exec --format stream-json` does; `/v1/engine/` serves spark's own clients; `/stop` ends
the server. The last three are for the unix socket alone: whoever may open it is the user, who can
read the same files and run the same model without a server. A key for the port opens no files.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from spark_tui import __version__
from spark_tui.errors import SparkError
from spark_tui.providers.wire import encode_error
from spark_tui.serve import openai_format as openai
from spark_tui.serve.api_errors import ApiError, api_error, wrong
from spark_tui.serve.edits import read_edit
from spark_tui.serve.engine_calls import CALLS
from spark_tui.serve.engine_thread import Work
from spark_tui.serve.guard import NOBODY
from spark_tui.serve.infill import find_marker
from spark_tui.serve.service import Service
from spark_tui.serve.streams import JobStream
from spark_tui.serve.text_answers import (
    ChatAnswer,
    CompletionAnswer,
    TextAnswer,
    TextProgress,
    read_texts,
    text_events,
    write_texts,
)
from spark_tui.serve.turn_order import Overloaded, Priority, RefusedRequest

# The second header keeps nginx, if it stands in front, from buffering a stream.
_STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_ENDS = ("<|endoftext|>", "</s>", "<|end_of_text|>", "<[end▁of▁sentence]>")
"""Special tokens that end a text: those of Qwen, Llama 2 and 3, and Seed-Coder."""
_LONGEST_TOKEN = 32
"""Characters of a token: an upper bound, which no text reaches on average."""


def make_app(service: Service, *, local: bool) -> Starlette:
    """Make the interface.

    Args:
        service: The model and all that serves it.
        local: Whether the interface is for the unix socket, which only the user can open.
    """
    interface = _Interface(service)
    routes = [
        Route("/health", interface.health),
        Route("/metrics", interface.metrics),
        Route("/v1/models", interface.models),
        Route("/v1/models/{name:path}", interface.model),
        Route("/v1/completions", interface.completions, methods=["POST"]),
        Route("/v1/chat/completions", interface.chat, methods=["POST"]),
    ]
    if local:
        routes += [
            Route("/v1/edits", interface.edits, methods=["POST"]),
            Route("/v1/engine/{call}", interface.engine, methods=["POST"]),
            Route("/stop", interface.stop, methods=["POST"]),
        ]
    else:
        # Answer with the reason, where an unknown path would only get 404.
        routes.append(Route("/v1/edits", _socket_only, methods=["POST"]))
    handlers: dict[Any, Any] = {
        ApiError: _on_api_error,
        HTTPException: _on_http_error,
        SparkError: _on_spark_error,
        RefusedRequest: _on_refusal,
        Exception: _on_bug,
    }
    return Starlette(routes=routes, exception_handlers=handlers)


async def _on_api_error(_: Request, error: ApiError) -> Response:
    return JSONResponse(error.body, error.status, error.headers)


async def _on_spark_error(request: Request, error: SparkError) -> Response:
    return await _on_api_error(request, api_error(error))


async def _on_refusal(request: Request, error: RefusedRequest) -> Response:
    return await _on_api_error(request, refusal(error))


async def _on_http_error(request: Request, error: HTTPException) -> Response:
    words = f"{request.method} {request.url.path[:80]}: {error.detail}"
    code = "unknown_url" if error.status_code == 404 else None
    return await _on_api_error(request, ApiError(error.status_code, words, code=code))


async def _on_bug(request: Request, error: Exception) -> Response:
    """Answer in the usual shape; the error itself is logged."""
    words = f"the server failed ({type(error).__name__}); ask again"
    return await _on_api_error(request, ApiError(500, words, kind="server_error"))


async def _socket_only(_: Request) -> Response:
    raise ApiError(
        403,
        "edits of a repository are served on the unix socket only, where the user alone can ask",
        code="socket_only",
    )


def refusal(error: RefusedRequest) -> ApiError:
    """Return the error of a request that is not taken now."""
    # 503: the server as a whole is busy, or about to end. 429: this client asks too much.
    if isinstance(error, Overloaded) or type(error) is RefusedRequest:
        return ApiError(
            503,
            str(error),
            kind="server_error",
            code="overloaded",
            retry_after=error.retry_after,
        )
    return ApiError(
        429,
        str(error),
        kind="rate_limit_error",
        code="rate_limit_exceeded",
        retry_after=error.retry_after,
    )


def _client(request: Request) -> str:
    # `Guard` has put the name there.
    client: str = request.scope.get("spark_client", "socket")
    return client


def _priority(request: Request) -> Priority:
    if request.headers.get("x-spark-priority") == "background":
        return Priority.BACKGROUND
    return Priority.INTERACTIVE


async def read_object(request: Request) -> dict[str, Any]:
    """Read a request that is a JSON object.

    Raises:
        ApiError: The request is not a JSON object.
    """
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError) as e:
        raise ApiError(400, f"the request is not JSON ({type(e).__name__})") from e
    if not isinstance(body, dict):
        raise ApiError(400, "the request must be a JSON object")
    return body


class _Interface:
    """The endpoints."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._began = int(time.time())

    async def health(self, request: Request) -> Response:
        """Say that the server lives; to a client, also which model it has, and how busy it is."""
        if _client(request) == NOBODY:
            return JSONResponse({"status": "ok"})
        service = self._service
        body = {
            "status": "ok",
            "version": __version__,
            "model": service.model,
            "context": service.engines.capacity,
            "engine": service.identity,
            "waiting": service.thread.waiting,
            "running": service.thread.running,
        }
        return JSONResponse(body)

    async def metrics(self, _: Request) -> Response:
        """Return the counters and gauges, for Prometheus."""
        service = self._service
        gauges = {
            "waiting": service.thread.waiting,
            "running": service.thread.running,
            "clients": service.engines.clients,
            "cache_tokens": service.engines.cache_tokens,
        }
        text = service.metrics.text(gauges)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def models(self, _: Request) -> Response:
        """List the one model."""
        return JSONResponse({"object": "list", "data": [self._model_object()]})

    async def model(self, request: Request) -> Response:
        """Describe the model."""
        openai.check_model({"model": request.path_params["name"]}, self._service.model)
        return JSONResponse(self._model_object())

    def _model_object(self) -> dict[str, Any]:
        return {
            "id": self._service.model,
            "object": "model",
            "created": self._began,
            "owned_by": "spark",
            "max_model_len": self._service.engines.capacity,
        }

    async def stop(self, _: Request) -> Response:
        """End the server after the answers in flight."""
        self._service.stop()
        return JSONResponse({"status": "stopping"})

    async def completions(self, request: Request) -> Response:
        """Continue a prompt, without a chat template."""
        body = await read_object(request)
        service = self._service
        openai.check_model(body, service.model)
        prompts = openai.read_prompts(body)
        wanted = openai.read_completion(body, service.engines.capacity)
        for prompt in prompts:
            if isinstance(prompt, str):
                # Cheap, before cutting megabytes into tokens; the exact check follows.
                self._refuse_long(len(prompt) // _LONGEST_TOKEN, "prompt")
                self._refuse_infill(prompt)
        with self._admitted(request, wanted) as stream:
            read = [await self._prompt_ids(prompt) for prompt in prompts]
            ends = self._ends(wanted.stops)
            answer = CompletionAnswer(service.model)
            return await self._text(request, stream, read, wanted, ends, answer)

    async def _prompt_ids(self, prompt: str | list[int]) -> list[int]:
        """Return the tokens of a prompt.

        Raises:
            ApiError: The prompt is not one that the model can read.
        """
        ids = prompt
        if isinstance(ids, str):
            tokenizer = self._service.engines.loaded.tokenizer
            ids = await asyncio.to_thread(tokenizer.encode_prompt, ids)
        self._refuse_unreadable(ids)
        return ids

    async def chat(self, request: Request) -> Response:
        """Answer the last message of a conversation."""
        body = await read_object(request)
        service = self._service
        openai.check_model(body, service.model)
        messages = openai.read_messages(body)
        wanted = openai.read_chat(body, service.engines.capacity)
        template = service.template
        if template is None:
            raise wrong(
                "model",
                f"{service.model} has no chat template; it edits (/v1/edits) and completes "
                f"(/v1/completions)",
                "unsupported_model",
            )
        length = sum(len(message["content"]) for message in messages)
        self._refuse_long(length // _LONGEST_TOKEN, "messages")
        tokenizer = service.engines.loaded.tokenizer
        with self._admitted(request, wanted) as stream:
            ids = await asyncio.to_thread(template.tokens, messages, tokenizer, thinking=False)
            self._refuse_long(len(ids), "messages")
            ends = await asyncio.to_thread(template.ends, tokenizer)
            return await self._text(request, stream, [ids], wanted, ends, ChatAnswer(service.model))

    @contextmanager
    def _admitted(self, request: Request, wanted: openai.TextRequest) -> Iterator[JobStream]:
        """Queue a request before its prompt is cut into tokens, which takes time itself.

        Raises:
            RefusedRequest: Too many requests wait.
        """
        # Either the body or the header can send a request to the background.
        priority = Priority(max(wanted.priority, _priority(request)))
        stream = JobStream(self._service.thread, _client(request), priority)
        try:
            yield stream
        except BaseException:  # CancelledError, too: the client hung up
            stream.cancel()
            raise

    def _ends(self, stops: Sequence[str]) -> tuple[int, ...]:
        """Return the tokens that end a raw completion.

        Args:
            stops: The texts that end it. A special token has no text in the answer, so a stop that
                names one is matched by the token.
        """
        tokenizer = self._service.engines.loaded.tokenizer
        found = [tokenizer.find(name) for name in dict.fromkeys((*_ENDS, *stops))]
        return tuple(number for number in found if number is not None)

    def _refuse_infill(self, prompt: str) -> None:
        """Refuse a prompt in a format that the model was not trained on, as none that edits was."""
        marker = find_marker(prompt)
        if marker is not None and self._service.edits is not None:
            raise wrong(
                "prompt",
                f"{self._service.model} edits by instructions and cannot answer a prompt with "
                f"{marker}; serve a model that fills in the middle, such as qwen2.5-coder-0.5b",
                "unsupported_model",
            )

    def _refuse_unreadable(self, ids: list[int]) -> None:
        """Refuse a prompt that is empty or too long, or has tokens that the model lacks."""
        if not ids:
            raise wrong("prompt", "prompt is empty")
        vocabulary = self._service.engines.loaded.tokenizer.vocab_size
        if not all(0 <= token_id < vocabulary for token_id in ids):
            raise wrong("prompt", f"prompt has tokens that are not from 0 to {vocabulary - 1}")
        self._refuse_long(len(ids), "prompt")

    def _refuse_long(self, tokens: int, param: str) -> None:
        """Refuse a prompt that leaves no room for an answer."""
        capacity = self._service.engines.capacity
        if tokens >= capacity:
            raise wrong(
                param,
                f"{param} is too long: the model reads {capacity} tokens",
                "context_length_exceeded",
            )

    async def _text(
        self,
        request: Request,
        stream: JobStream,
        prompts: Sequence[list[int]],
        wanted: openai.TextRequest,
        ends: tuple[int, ...],
        answer: TextAnswer,
    ) -> Response:
        """Write a text after each prompt and send them, whole or piece by piece."""
        tokenizer = self._service.engines.loaded.tokenizer
        writings = []
        for index, ids in enumerate(prompts):
            writings.append(TextProgress(tokenizer, wanted, ids, index))
        stream.begin(lambda engine: write_texts(engine, writings, ends))
        if wanted.streams:
            parts = _told(text_events(stream.batches(), writings, answer))
            return _Stream(parts, "text/event-stream", stream.cancel)
        # Not streamed: collect the texts here, and send them at the end.
        batches = _unless_gone(request, stream)
        async with aclosing(batches), aclosing(read_texts(batches, writings)) as pieces:
            async for _ in pieces:
                pass
        return JSONResponse(answer.whole(writings))

    async def engine(self, request: Request) -> Response:
        """Serve a call of spark's own clients."""
        call = CALLS.get(request.path_params["call"])
        if call is None:
            raise ApiError(404, "there is no such call", code="unknown_url")
        body = await read_object(request)
        work: Work = lambda engine: call(engine, body)  # noqa: E731
        stream = JobStream(self._service.thread, _client(request), _priority(request), work)
        return _Stream(_lines(stream), "application/x-ndjson", stream.cancel)

    async def edits(self, request: Request) -> Response:
        """Run a turn in a repository of the user's; nothing is written there."""
        runner = self._service.edits
        if runner is None:
            raise ApiError(400, f"{self._service.model} serves no edits", code="unsupported_model")
        body = await read_object(request)
        edit = read_edit(body)
        events = runner.run(edit, _client(request))
        if edit.streams:
            return _Stream(_told(events.each()), "text/event-stream", events.cancel)
        last: Mapping[str, Any] = {}
        try:
            async for event in events.each():
                if await request.is_disconnected():
                    raise ApiError(499, "the client is gone")  # nginx's code for that
                last = event or last
        finally:
            events.cancel()
        whole = {name: value for name, value in last.items() if name != "event"}
        return JSONResponse(whole)


class _Stream(StreamingResponse):
    """An answer piece by piece; whatever ends it ends the work behind it.

    Args:
        parts: The pieces.
        media_type: The type of the pieces.
        cancel: Ends the work, even if nobody took the first piece.
    """

    def __init__(
        self, parts: AsyncGenerator[bytes], media_type: str, cancel: Callable[[], None]
    ) -> None:
        super().__init__(parts, media_type=media_type, headers=_STREAM_HEADERS)
        self._cancel = cancel

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            # A client that hung up before the first piece has left `parts` unstarted: no `finally`
            # in there runs.
            self._cancel()


async def _unless_gone(request: Request, stream: JobStream) -> AsyncGenerator[list[Any]]:
    """Yield the batches of a stream for an answer that is sent at once, unless nobody waits."""
    async with aclosing(stream.batches()) as batches:
        async for batch in batches:
            if await request.is_disconnected():
                raise ApiError(499, "the client is gone")
            yield batch


async def _lines(stream: JobStream) -> AsyncGenerator[bytes]:
    """Write the items of a call as lines of JSON."""
    try:
        async with aclosing(stream.batches()) as batches:
            async for batch in batches:
                lines = [json.dumps(item) for item in batch] or ["null"]
                yield "".join(f"{line}\n" for line in lines).encode()
    except SparkError as e:
        yield (json.dumps({"error": encode_error(e)}) + "\n").encode()
    else:
        yield b'{"end": true}\n'


async def _told(events: AsyncGenerator[Mapping[str, Any] | None]) -> AsyncGenerator[bytes]:
    """Write events as server-sent events; None is a sign of life."""
    try:
        async with aclosing(events) as open_events:
            async for event in open_events:
                if event is None:
                    yield b": \n\n"  # a comment, which clients skip
                else:
                    yield b"data: " + json.dumps(event).encode() + b"\n\n"
    except SparkError as e:
        yield b"data: " + json.dumps(api_error(e).body).encode() + b"\n\n"
    except RefusedRequest as e:
        yield b"data: " + json.dumps(refusal(e).body).encode() + b"\n\n"
    yield b"data: [DONE]\n\n"
