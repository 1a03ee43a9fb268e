"""What words are found to speak for which kind."""

from heapq import nlargest

import pytest

from spark_tui.editing.format import NO_EDIT
from spark_tui.editing.intents import FILE_NAME, Intents
from spark_tui.engine.library import find_model, load
from spark_tui.training.intents import everyday, fit_intents
from spark_tui.training.kinds.registry import KIND_NAMES
from spark_tui.training.written import written


@pytest.mark.exhaustive
def test_fitting_again_hears_what_the_shipped_weights_hear() -> None:
    """Not to the byte: one more request changes the order in which all are looked at."""
    shipped = Intents.from_bytes((load(find_model(None)).path / FILE_NAME).read_bytes())
    fitted, heard = fit_intents(), list[bool]()
    for group in written(kept_back=True)[:400]:
        for one in group.examples:
            asked = one.instruction, group.before
            heard.append(fitted.logprobs(*asked).argmax() == shipped.logprobs(*asked).argmax())
    assert sum(heard) > 0.85 * len(heard)


def test_everyday_words_are_there_for_every_kind() -> None:
    assert {kind for kind, _ in everyday()} == set(KIND_NAMES)


def test_the_shipped_weights_speak_of_kinds_that_the_shipped_model_knows() -> None:
    model = load(find_model(None))
    intents = Intents.from_bytes((model.path / FILE_NAME).read_bytes())
    assert set(intents.kinds) == set(KIND_NAMES)
    assert all(model.tokenizer.special(f"<K:{kind}>") >= 0 for kind in intents.kinds)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("that name is awful, something clearer please: call it _", "rename"),
        ("needs a docstring", "add_docstring"),
        ("would you chain these exceptions", "raise_from"),
        ("the two arguments got mixed up", "swap_arguments"),
        ("nothing ever awaits that coroutine", "add_await"),
    ],
)
def test_the_shipped_weights_hear_what_is_asked_for_in_other_words(said: str, kind: str) -> None:
    """Which sort of edit, as one of two: the code tells which of them, and whether there is one to make."""
    intents = Intents.from_bytes((load(find_model(None)).path / FILE_NAME).read_bytes())
    heard = dict(zip(intents.kinds, intents.logprobs(said, ()), strict=True))
    assert kind in nlargest(2, heard.keys() - {NO_EDIT}, key=heard.__getitem__)
