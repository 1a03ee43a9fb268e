"""Whether faster arithmetic chooses the tokens that the reference, numpy in float32, chooses on real prompts."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from spark_tui.cli.start import quotes
from spark_tui.editing.quoting import region_pieces, request_pieces, script_pieces
from spark_tui.engine.library import LoadedModel, load
from spark_tui.engine.model import Model
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import UsageError
from spark_tui.training.building import own
from spark_tui.training.rows import region_of

PROMPTS = 24
Choices = npt.NDArray[np.int64]


class Reference:
    """What the reference chooses behind requests of our own, at every token of the scripts that answer them.

    Raises: UsageError: the model was not taught to read them, or they are not there, as in an installed spark.
    """

    def __init__(self, loaded: LoadedModel) -> None:
        if not quotes(loaded.path):
            raise UsageError(f"{loaded.name} was not taught to edit")
        self._path, self._cases = loaded.path, list(_cases(loaded.tokenizer))
        self.prompts = len(self._cases)

    @cached_property
    def _choices(self) -> list[Choices]:
        model = load(self._path).model
        return [_chosen(model, *case) for case in self._cases]

    def share_of_equal_tokens(self, model: Model) -> float:
        """How many of the tokens are those that a model chooses, too."""
        pairs = zip(self._choices, self._cases, strict=True)
        return float(np.concatenate([wanted == _chosen(model, *case) for wanted, case in pairs]).mean())


def _cases(tokenizer: Tokenizer) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """The tokens of prompts, and of the script behind each; always the same."""

    def spelled(pieces: Sequence[str]) -> list[int]:
        return list(chain.from_iterable(map(tokenizer.encode, pieces)))

    rows = own()
    for region in map(region_of, rows[:: -(-len(rows) // PROMPTS)]):
        request, script, _ = region.asked[0]
        prompt = [*region_pieces(region.path, region.lines), *request_pieces(request)]
        yield spelled(prompt), spelled(script_pieces(script))


def _chosen(model: Model, prompt: Sequence[int], script: Sequence[int]) -> Choices:
    """The likeliest token behind the prompt, and behind each token of the script."""
    ids = [*prompt, *script]
    logits = model.forward(ids, model.new_cache(len(ids)), last_only=False)
    return np.asarray(logits[len(prompt) - 1 :].argmax(axis=-1), np.int64)
