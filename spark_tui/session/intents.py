"""Lets the words of an instruction lean a model towards a kind of edit, where it comes with counts of them."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from spark_tui.editing.format import kind_mark
from spark_tui.editing.intents import FILE_NAME, Intents
from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import ModelError

_SURE, _SURE_LIKELY, _SURE_STRANGE, _SURE_FITS = 1.48, 1.35, -0.45, 0.24
"""Logistic weights, fitted on the hand-written development cases and on synthetic ones; see the model card."""
_FLOOR = -10.0
"""No kind is held less likely than this by its words."""


def leaning(loaded: LoadedModel, instruction: str, lines: Sequence[str]) -> FloatArray | None:
    """What the words add to the logits of the kinds; None when the model comes without counts. Returns: (V,)."""
    intents = _intents(loaded)
    if intents is None:
        return None
    bias = np.full(loaded.config.vocab_size, 4 * _FLOOR, np.float32)
    bias[_marks(loaded.tokenizer, intents.kinds)] = intents.weight * np.maximum(
        intents.logprobs(instruction, lines), _FLOOR
    )
    return bias


def strange_words(loaded: LoadedModel, kind: str, instruction: str, lines: Sequence[str]) -> list[str]:
    """The words that are unusual for a request of this kind; none when the model comes without counts."""
    intents = _intents(loaded)
    return intents.strange(kind, instruction, lines) if intents else []


def sureness(
    loaded: LoadedModel, kind: str, instruction: str, lines: Sequence[str], *, likely: float, strange: int
) -> float:
    """How probable it is that an edit is what was meant.

    Args: likely: its probability among what could be written. strange: how many words of the request are unusual for
        its kind. Returns: `likely` itself where the model comes without weights for words.
    """
    intents = _intents(loaded)
    if intents is None or kind not in intents.kinds or likely <= 0:
        return likely
    fits = max(float(intents.logprobs(instruction, lines)[intents.kinds.index(kind)]), _FLOOR)
    scale = _SURE + _SURE_LIKELY * math.log(likely) + _SURE_STRANGE * min(strange, 8) + _SURE_FITS * fits
    return 1 / (1 + math.exp(-scale))


@lru_cache(maxsize=4)
def _marks(tokenizer: Tokenizer, kinds: tuple[str, ...]) -> npt.NDArray[np.int64]:
    return np.array([tokenizer.special(kind_mark(kind).name) for kind in kinds])


def _intents(loaded: LoadedModel) -> Intents | None:
    data = loaded.extras.get(FILE_NAME)
    try:
        return _counts(data) if data is not None else None
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise ModelError(f"{loaded.path}: {FILE_NAME} is damaged; install spark again or name another model") from error


@lru_cache(maxsize=4)
def _counts(data: bytes) -> Intents:
    return Intents.from_bytes(data)
