"""The counts of the words in which kinds are asked for."""

from spark_tui.editing.intents import FILE_NAME, Intents
from spark_tui.engine.library import find_model, load
from spark_tui.training.intents import count_intents
from spark_tui.training.kinds.registry import KIND_NAMES


def test_every_kind_is_counted_and_counting_again_gives_the_same_bytes() -> None:
    intents = count_intents()
    assert set(intents.totals) == set(KIND_NAMES)
    assert count_intents().to_bytes() == intents.to_bytes()


def test_the_shipped_counts_speak_of_kinds_that_the_shipped_model_knows() -> None:
    model = load(find_model(None))
    intents = Intents.from_bytes((model.path / FILE_NAME).read_bytes())
    assert all(model.tokenizer.special(f"<K:{kind}>") >= 0 for kind in intents.totals)
