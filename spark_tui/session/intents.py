"""Lets the words of an instruction lean a model's choice, where it comes with weights of them."""

import math
from collections.abc import Sequence
from functools import lru_cache

from spark_tui.context.wording import bare_to_go, import_to_go
from spark_tui.editing import habits, sayings
from spark_tui.editing.codemods.add_import import bound
from spark_tui.editing.codemods.checks.troubles import is_to_be_handled
from spark_tui.editing.codemods.imports.imports_listed import names_to_go
from spark_tui.editing.codemods.signatures.signature_told import signature_told
from spark_tui.editing.guide import Leaning
from spark_tui.editing.intents import FILE_NAME, Intents
from spark_tui.editing.snippet import Snippet
from spark_tui.engine.library import LoadedModel
from spark_tui.errors import ModelError

_SURE, _SURE_LIKELY, _SURE_STRANGE, _SURE_FITS, _SURE_LONG = 2.33, 2.38, -0.22, 0.12, -0.48
"""Logistic weights, fitted on the hand-written development cases and on requests kept back; see the model card."""
PLAINLY = 0.9
"""How sure an edit is that was asked for so plainly that there was nothing to choose."""
_TRY, _UNUSED_IMPORT = "wrap_try", "unused_import"
_FLOOR = -10.0
"""No kind is held less likely than this by its words."""


def leaning(loaded: LoadedModel, instruction: str, lines: Sequence[str]) -> Leaning | None:
    """What leans a model's choice for an instruction; None when the model comes without it."""
    intents = _intents(loaded)
    if intents is None:
        return None
    logprobs = dict(zip(intents.kinds, intents.logprobs(instruction, lines).tolist(), strict=True))
    if (sure := _surely(instruction, lines)) in logprobs:
        logprobs = dict.fromkeys(logprobs, _FLOOR) | {sure: 0.0}
    only = _told_kind(instruction, lines)
    return Leaning(logprobs, intents.ranking, only if only == sure else "")


def _surely(instruction: str, lines: Sequence[str]) -> str:
    """The kind that words plainly ask for which the weights of words tell badly, or ""."""
    if _asks_for_a_try(instruction, lines):
        return _TRY
    return _UNUSED_IMPORT if _asks_for_an_import_to_go(instruction, lines) else _told_kind(instruction, lines)


def _told_kind(instruction: str, lines: Sequence[str]) -> str:
    """The kind of what is asked, where the words tell of a signature in full what is to become of it; or ""."""
    told = signature_told(tuple(lines), instruction)
    return told.kind if told and told.lines else ""


def _asks_for_a_try(instruction: str, lines: Sequence[str]) -> bool:
    """Whether what goes wrong is plainly to be handled ("handle the missing file"): weights of words tell it badly."""
    try:
        return is_to_be_handled(Snippet(tuple(lines)), instruction)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _asks_for_an_import_to_go(instruction: str, lines: Sequence[str]) -> bool:
    """Whether what is to be removed, and nothing else is said, are names that the lines import."""
    name = import_to_go(instruction) or bare_to_go(instruction)
    names = names_to_go(instruction) or ((name,) if name else ())
    try:
        return bool(names) and set(names) <= set(bound(Snippet(tuple(lines))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def strange_words(loaded: LoadedModel, kind: str, instruction: str, lines: Sequence[str]) -> list[str]:
    """The words that are unusual for a request of this kind; none when the model comes without counts."""
    intents = _intents(loaded)
    return intents.strange(kind, instruction, lines) if intents else []


def sureness(
    loaded: LoadedModel, kind: str, instruction: str, lines: Sequence[str], *, likely: float, strange: int
) -> float:
    """How probable it is that an edit is what was meant: less for words that nobody uses for its kind, and for many.

    Args: likely: its probability among all that could be meant. strange: how many words are unusual for its kind.
    Returns: `likely` itself where the model comes without weights for words; 0 for words that mean nothing to it.
    """
    intents = _intents(loaded)
    if intents is None or kind not in intents.kinds or likely <= 0:
        return likely
    if _told_kind(instruction, lines) == kind:
        return likely
    if intents.says_nothing(kind, instruction, lines):
        return 0.0
    fits = max(float(intents.logprobs(instruction, lines)[intents.kinds.index(kind)]), _FLOOR)
    scale = _SURE + _SURE_LIKELY * math.log(likely) + _SURE_STRANGE * min(strange, 8) + _SURE_FITS * fits
    scale += _SURE_LONG * math.log(max(len(instruction.split()), 1))
    return 1 / (1 + math.exp(-scale))


def _intents(loaded: LoadedModel) -> Intents | None:
    data = loaded.extras.get(FILE_NAME)
    try:
        return _counts(data) if data is not None else None
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise ModelError(f"{loaded.path}: {FILE_NAME} is damaged; install spark again or name another model") from error


@lru_cache(maxsize=4)
def _counts(data: bytes) -> Intents:
    habits.shipped()  # read now, as they are asked for before the first request
    sayings.shipped()
    return Intents.from_bytes(data)
