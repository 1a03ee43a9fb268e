"""Whether the words of a request describe its change, as a model has it: are they likelier with it?

What is compared is the words behind the lines that change and behind the name of the file alone.
These prompts are short, since the whole region would tell little more and cost ten times as much.
"""

from collections.abc import Callable, Sequence

from spark_tui.editing.quoting import region_pieces, write_quoted
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.score import score
from spark_tui.training.changes import Request

Likelihood = Callable[[str, str], float]
"""A prompt and what goes on from it -> the log-probability of the latter."""
_CAPACITY = 2048
"""Tokens of a prompt and its words; a longer one is not scored."""


def likelihood_of(loaded: LoadedModel) -> Likelihood:
    """Make the likelihood that a model gives to a text."""
    cache = loaded.model.new_cache(min(_CAPACITY, loaded.config.max_position_embeddings))

    def likelihood(prompt: str, text: str) -> float:
        tokens = loaded.tokenizer.encode(prompt)
        ((_, logarithm),) = score(loaded.model, cache, tokens, [loaded.tokenizer.encode(text)])
        return logarithm

    return likelihood


def describes_change(request: Request, likelihood: Likelihood) -> bool:
    """Whether the words are likelier behind the script of the change than without it."""
    script = write_quoted(request.before, request.after)
    path, text = request.reference.path, request.words + "\n"
    return likelihood(_prompt(path, script), text) > likelihood(_prompt(path, ()), text)


def _prompt(path: str, lines: Sequence[str]) -> str:
    return "".join([*region_pieces(path, lines), "### Request\n"])
