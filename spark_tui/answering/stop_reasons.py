"""Why servers say that an answer ended, as `finish_reason` names the reason. Knows no sockets.

Only a reason to stop makes an answer complete. A filter, a call of a tool, an error, or a word
that nobody knows leaves it unfinished, however whole its text looks.

Source: OpenAI, chat completion object. vLLM, llama-server and Ollama say "stop" and "length", too;
the other words are those of servers that pass on what the model's own interface says.
"""

_COMPLETE = frozenset({
    "stop", "stop_sequence", "stop_token", "eos", "eos_token", "end", "end_turn", "endturn",
    "complete", "completed", "finish_reason_stop",
})  # fmt: skip
_LENGTH = frozenset({
    "length", "max_length", "max_tokens", "max_output_tokens", "model_length", "token_limit",
    "finish_reason_max_tokens",
})  # fmt: skip


def is_complete(reason: str | None) -> bool:
    """Whether an answer came to its own end. Args: reason: why it ended, if known."""
    return reason is not None and reason.strip().lower() in _COMPLETE


def is_length(reason: str | None) -> bool:
    """Whether an answer ends because it used up its tokens."""
    return reason is not None and reason.strip().lower() in _LENGTH
