"""The calls that spark's own clients make to the engine; `providers.served_model` makes them.

Each call is a generator over JSON, on the engine of one client, in the engine's thread. A client
goes on with an answer by sending its request and all calls so far. So it loses nothing if the
server has forgotten the writer: the server repeats the calls.
"""

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from typing import Any

from spark_tui.errors import UsageError
from spark_tui.providers.base import Message, Talker, Writer
from spark_tui.providers.wire import decode_ask, decode_request, encode_item
from spark_tui.serve.client_engine import ClientEngine, GrowingAnswer

Items = Generator[Any, None, None]
Body = Mapping[str, Any]
MOST_TOKENS = 8192
"""Tokens of the longest answer to a question."""


def begin(engine: ClientEngine, body: Body) -> Items:
    """Check a request, and say how likely its first answer may be."""
    writer = engine.writer(decode_ask(body["ask"]))
    engine.keep(_key(body["ask"], []), writer)
    yield writer.best


def write(engine: ClientEngine, body: Body) -> Items:
    """Do the last of the calls of a `Writer`; an answer that broke off is sent from its start.

    A client that hangs up in the middle of an answer may only have paused.
    """
    calls = _calls(body["calls"])
    key = _key(body["ask"], calls)
    answer = engine.paused.take(key)
    if answer is None:
        writer = yield from _writer(engine, body["ask"], calls[:-1])
        count, least = calls[-1]
        answer = GrowingAnswer(writer, count, least)
    try:
        for item in answer.items():
            yield encode_item(item)
    except GeneratorExit:
        engine.paused.keep(key, answer)
        raise
    engine.keep(key, answer.writer)
    yield {"best": answer.writer.best}


def score(engine: ClientEngine, body: Body) -> Items:
    """See `Provider.score`."""
    yield from engine.provider.score(decode_request(body["request"]), body["results"])


def likelihoods(engine: ClientEngine, body: Body) -> Items:
    """See `Provider.likelihoods`."""
    yield from engine.provider.likelihoods(map(decode_request, body["requests"]))


def ahead(engine: ClientEngine, body: Body) -> Items:
    """See `Provider.read_ahead`."""
    yield from engine.provider.read_ahead(decode_request(body["request"]))


def prompt(engine: ClientEngine, body: Body) -> Items:
    """See `Provider.prompt`."""
    yield list(engine.provider.prompt(decode_request(body["request"])))


def room(engine: ClientEngine, body: Body) -> Items:
    """See `Provider.has_room`."""
    yield engine.provider.has_room(body["lines"])


def talk(engine: ClientEngine, body: Body) -> Items:
    """See `Talker.talk`; the last item says whether the model ended by itself."""
    if not isinstance(engine.provider, Talker):
        raise UsageError(f"{engine.loaded.name} only edits; name a chat model")
    most = min(int(body["most"]), MOST_TOKENS)
    speech = engine.provider.talk(_messages(body["messages"]), most=most)
    with closing(speech):
        while True:
            try:
                item = next(speech)
            except StopIteration as end:
                yield {"is_whole": bool(end.value)}
                return
            yield encode_item(item)


CALLS: dict[str, Callable[[ClientEngine, Body], Items]] = {
    call.__name__: call for call in (begin, write, score, likelihoods, ahead, prompt, room, talk)
}


def _messages(messages: Sequence[Mapping[str, str]]) -> list[Message]:
    return [{"role": message["role"], "content": message["content"]} for message in messages]


def _calls(calls: Sequence[Sequence[float]]) -> list[tuple[int, float]]:
    return [(int(count), float(least)) for count, least in calls]


def _writer(
    engine: ClientEngine, ask: Body, calls: Sequence[tuple[int, float]]
) -> Generator[None, None, Writer]:
    """Return the writer of a request after some calls; a new writer does them first."""
    kept = engine.writers.pop(_key(ask, calls), None)
    if kept is not None:
        return kept
    writer = engine.writer(decode_ask(ask))
    for count, least in calls:
        # The items are known to the client; each is still a step, after which others take theirs.
        for _ in writer.write(count, least=least):
            yield None
    return writer


def _key(ask: Body, calls: Sequence[tuple[int, float]]) -> str:
    # The members of a JSON object have no order: equal requests must give equal keys.
    return json.dumps([ask, calls], sort_keys=True)
