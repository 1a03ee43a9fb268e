"""The thought of a chat model in this process before its answer: opening, following, closing it.

A thought is generated before the answer begins, so that no part of a thought is ever read as the
answer. A thought that has used up its tokens is closed, and the model answers from there.
"""

from codecs import getincrementaldecoder
from collections.abc import Collection, Generator
from contextlib import closing
from dataclasses import dataclass

from spark_tui.engine.generate import Prefilled, Step
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.providers.base import PromptProgress, Thought, Waits
from spark_tui.providers.thoughts import closing_of, first_opening

THOUGHT_TOKENS = {"off": 0, "low": 512, "on": 4096}
"""The most tokens of a thought, by the setting `thinking`."""
LEAST_THOUGHT = 32
"""The fewest tokens that are worth a thought."""


@dataclass(frozen=True, slots=True)
class ThoughtTags:
    """The tags that open and close a model's thought.

    Attributes:
        opening: The tag that the model itself opens a thought with; "" where the template has
            opened the thought.
        closing: The tag that closes a thought.
    """

    opening: str
    closing: str

    @classmethod
    def of_prompts(cls, thinking: str, hushed: str) -> "ThoughtTags | None":
        """Find the tags in two prompts that a template makes of the same messages.

        Args:
            thinking: The prompt of a model that is to think.
            hushed: The prompt of a model that is not; templates close an empty thought there.

        Returns:
            The tags; None where the model knows no thoughts.
        """
        # the template opens the thought itself, at the end of the prompt
        if opened := closing_of(thinking):
            return cls("", opened)
        # The prompt of a model that is not to think closes an empty thought behind what both share:
        # the tag that opens it is the first one there.
        length = 0
        for some, other in zip(thinking, hushed, strict=False):
            if some != other:
                break
            length += 1
        opening = first_opening(hushed[length:])
        if not opening:
            return None
        return cls(opening, closing_of(opening))


Thoughtful = Generator[PromptProgress | Waits | Thought, None, list[int]]
"""A thought, piece by piece; returns the tokens of the thought and of its closing tag."""


class Thinker:
    """Lets a model think.

    Args:
        tokenizer: The tokenizer of the model.
        tags: The tags around a thought.
        ends: The tokens that end an answer, and a thought, too.
    """

    def __init__(self, tokenizer: Tokenizer, tags: ThoughtTags, ends: Collection[int]) -> None:
        self._tokenizer = tokenizer
        self._tags = tags
        self._ends = ends

    @property
    def opening(self) -> list[int]:
        """The tokens behind the prompt that open a thought."""
        if not self._tags.opening:
            return []
        return [*spell_tag(self._tokenizer, self._tags.opening), *self._tokenizer.encode("\n")]

    def think(self, steps: Generator[Prefilled | Step, None, None], number: int) -> Thoughtful:
        """Follow a thought until the model closes it, or until there are no more steps.

        Args:
            steps: The steps of the model.
            number: The number of the answer.
        """
        decode = getincrementaldecoder("utf-8")("replace").decode
        ids: list[int] = []
        held = ""
        tokens = 0
        with closing(steps):
            for step in steps:
                if isinstance(step, Prefilled):
                    yield PromptProgress(step.prompt_tokens, step.cached_tokens, step.done_tokens)
                    continue
                if step.token_id in self._ends:
                    break
                ids.append(step.token_id)
                tokens += 1
                piece = self._tokenizer.piece(step.token_id)
                held += piece if isinstance(piece, str) else decode(piece)
                thought, tag, _ = held.partition(self._tags.closing)
                if tag:
                    yield Thought(number, thought, tokens)
                    return ids
                # The last characters may be the start of the closing tag.
                known = len(held) - _begun_length(held, self._tags.closing)
                if not known:
                    yield Waits()
                    continue
                yield Thought(number, held[:known], tokens)
                held = held[known:]
                tokens = 0
        if held:
            yield Thought(number, held, tokens)
        # The thought ended without its tag, or used up its tokens: it is closed here.
        newline = self._tokenizer.encode("\n")
        return [*ids, *newline, *spell_tag(self._tokenizer, self._tags.closing)]


def spell_tag(tokenizer: Tokenizer, tag: str) -> list[int]:
    """Return the tokens of a tag: a single token where the tokenizer has one for the tag."""
    own = tokenizer.find(tag)
    return tokenizer.encode(tag) if own is None else [own]


def _begun_length(text: str, tag: str) -> int:
    """Count the characters at the end of a text that may be the start of a tag."""
    lengths = range(min(len(tag) - 1, len(text)), 0, -1)
    return next((length for length in lengths if text.endswith(tag[:length])), 0)
