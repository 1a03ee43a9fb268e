"""llama.cpp writing a known answer with its own prompt lookup: guess, verify in one pass, keep what is right."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spark_tui.cli.bench.peer import Peer

LENGTHS = (0, 2, 3, 5, 10)
"""Tokens of a guess that are tried for the fastest; 0 is none, 10 what llama-cpp-python takes unless told."""
Guess = Callable[[npt.NDArray[np.int32]], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Spent:
    """What writing took: seconds to read the prompt and to write, and passes for what followed the first token."""

    reading: float
    writing: float
    passes: int

    @property
    def seconds(self) -> float:
        """All of them."""
        return self.reading + self.writing


def guesser(length: int) -> Guess | None:
    """Its prompt lookup, for guesses of so many tokens; None for none."""
    if not length:
        return None
    from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

    lookup: Guess = LlamaPromptLookupDecoding(num_pred_tokens=length)
    return lookup


def follow(peer: Peer, prompt: Sequence[int], answer: Sequence[int], guess: Guess | None, *, known: int = 0) -> Spent:
    """Read a prompt and write an answer behind it.

    The peer works out its own likeliest tokens, but goes on with those of the answer: however its weights were rounded,
    it writes what we wrote, and keeps the guesses that are right.

    Args: answer: at least one token. known: tokens of the prompt that the peer has read already, not all.
    """
    ids = np.array([*prompt, *answer], np.int32)
    peer.trim(known)
    began = time.perf_counter()
    peer.run(prompt[known:])
    read = time.perf_counter()
    passes, known = 0, len(prompt) + 1
    while known < len(ids):
        guessed = [int(token) for token in guess(ids[:known])[: len(ids) - known - 1]] if guess else []
        _pass(peer, [int(ids[known - 1]), *guessed])
        passes += 1
        right = _right(guessed, ids[known:])
        known += right + 1
        if right < len(guessed):
            peer.trim(known - 1)
    return Spent(read - began, time.perf_counter() - read, passes)


def _pass(peer: Peer, tokens: Sequence[int]) -> None:
    if len(tokens) == 1:
        peer.run(tokens)
    else:
        peer.verify(tokens)


def _right(guessed: Sequence[int], ids: npt.NDArray[np.int32]) -> int:
    """How many guesses are right before the first that is not."""
    for count, (token, wanted) in enumerate(zip(guessed, ids, strict=False)):
        if token != wanted:
            return count
    return len(guessed)
