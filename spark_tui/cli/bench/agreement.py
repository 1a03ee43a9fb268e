"""Whether faster arithmetic chooses the tokens that the reference, numpy in float32, chooses on real prompts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spark_tui.cli.bench.edits import prompt_of
from spark_tui.engine.generate import Step, generate
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.model import Model
from spark_tui.engine.sampling import greedy

PROMPTS = 200
TOKENS = 24
"""Written by the reference behind each prompt, at most."""


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """A prompt, and what the reference writes behind it."""

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]


def reference_answers(loaded: LoadedModel, count: int = PROMPTS) -> list[ReferenceAnswer]:
    """The greedy tokens of a model for prompts of held-out packages, always the same ones."""
    from spark_tui.training.evaluate import frozen_cases

    cases = [(group.before, one) for group in frozen_cases() for one in group.examples]
    most = loaded.config.max_position_embeddings - TOKENS
    prompts = (
        prompt_of(loaded, before, one.instruction, one.selected) for before, one in cases[:: len(cases) // count]
    )
    fitting = [prompt for prompt in prompts if len(prompt) <= most][:count]
    return [ReferenceAnswer(prompt, greedy_tokens(loaded.model, prompt)) for prompt in fitting]


def greedy_tokens(model: Model, prompt: Sequence[int], most: int = TOKENS) -> tuple[int, ...]:
    """What a model writes behind a prompt, unmasked."""
    steps = generate(model, model.new_cache(len(prompt) + most), prompt, sampler=greedy(), max_tokens=most)
    return tuple(item.token_id for item in steps if isinstance(item, Step))


def share_of_equal_tokens(model: Model, answers: Sequence[ReferenceAnswer]) -> float:
    """How many of the reference's tokens a model would have chosen, too, behind those before them."""
    right = total = 0
    for answer in answers:
        ids = [*answer.prompt, *answer.tokens[:-1]]
        logits = model.forward(ids, model.new_cache(len(ids)), last_only=False)[len(answer.prompt) - 1 :]
        right += int((logits.argmax(axis=-1) == np.array(answer.tokens)).sum())
        total += len(answer.tokens)
    return right / total
