"""A model of this process behind /v1/completions, in the dialects of the servers that there are."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spark_tui.engine.loader import LoadedModel
from spark_tui.providers.spark_model import END
from tests.providers.scripted_server import Handler, Turn, event

Forbids = Callable[[dict[str, Any]], bool]


def completes(
    loaded: LoadedModel,
    *,
    dialect: str = "llama-server",
    refuses: Forbids = lambda body: False,
    cut_after: int | None = None,
) -> Turn:
    """Complete prompts greedily; grammars are read by nobody.

    Half a character is held back with its probabilities, sent without text, or lost, as by the
    servers that these dialects are of.

    Args:
        loaded: The model.
        dialect: "llama-server", "vllm" or "older": how probabilities are told, if they are asked
            for.
        refuses: Whether a request is answered with status 400.
        cut_after: Tokens of the first request behind which the connection breaks.
    """
    cuts = [cut_after] if cut_after is not None else []

    def turn(handler: Handler) -> None:
        body = handler.server.requests[-1]
        if refuses(body):
            handler.whole(400, b'{"error": {"message": "unknown field"}}')
            return
        handler.begin()
        cut = cuts.pop() if cuts else None
        ended = "length"
        held = b""
        for index, (token, row) in enumerate(_greedy(loaded, body)):
            if index == cut:
                handler.drop()
                return
            if token == loaded.tokenizer.special(END):
                ended = "stop"
                break
            held += _piece(loaded, token)
            told = _told(loaded, token, row, dialect) if body.get("logprobs") else None
            if told and dialect == "older":
                handler.send(_event(held.decode("utf-8", "ignore"), told))
                held = b""
            elif not held.decode("utf-8", "replace").endswith("\ufffd"):
                handler.send(_event(held.decode(), told))
                held = b""
            elif told and dialect == "vllm":
                handler.send(_event("", told))
        handler.send(_event("", None, ended) + event(b"[DONE]"))
        handler.end()

    return turn


def _greedy(loaded: LoadedModel, body: dict[str, Any]) -> Any:
    ids = body["prompt"]
    if isinstance(ids, str):
        lines = ids.splitlines(keepends=True)
        ids = [token for line in lines for token in loaded.tokenizer.encode(line)]
    held = body.get("grammar", "").startswith('root ::= "+" | "-" | " "')
    for _ in range(body["max_tokens"]):
        logits = loaded.model.forward(ids, loaded.model.new_cache(len(ids) + 1)).astype(np.float64)
        row = logits - np.logaddexp.reduce(logits)
        chosen = loaded.tokenizer.encode("+")[0] if held else int(np.argmax(row))
        yield chosen, row
        ids = [*ids, chosen]


def _event(text: str, told: Any, ended: str | None = None) -> bytes:
    choice = {"index": 0, "text": text, "logprobs": told, "finish_reason": ended}
    return event({"choices": [choice]})


def _told(loaded: LoadedModel, token: int, row: Any, dialect: str) -> dict[str, Any]:
    likely: Sequence[int] = np.argsort(-row)[:20].tolist()
    if dialect == "llama-server":
        entries = {each: _entry(loaded, each, row) for each in {token, *likely}}
        return {"content": [entries[token] | {"top_logprobs": [entries[each] for each in likely]}]}

    def name(number: int) -> str:
        if dialect == "vllm":
            return f"token_id:{number}"
        return _piece(loaded, number).decode("utf-8", "ignore")

    tops = {name(each): float(row[each]) for each in [token, *likely]}
    return {
        "tokens": [name(token)],
        "token_logprobs": [float(row[token])],
        "top_logprobs": [tops],
    }


def _entry(loaded: LoadedModel, number: int, row: Any) -> dict[str, Any]:
    piece = _piece(loaded, number)
    text = piece.decode("utf-8", "replace")
    return {"id": number, "token": text, "bytes": list(piece), "logprob": float(row[number])}


def _piece(loaded: LoadedModel, number: int) -> bytes:
    piece = loaded.tokenizer.piece(number)
    return piece if isinstance(piece, bytes) else b""
