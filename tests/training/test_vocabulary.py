"""The tokenizer of the embedded model."""

import pytest
from tokenizers import Tokenizer

from spark_tui.engine.library import find_model
from spark_tui.training.kinds.registry import KIND_NAMES
from spark_tui.training.vocabulary import SPARE_KINDS, train_tokenizer, with_kinds

WORDS = ["rename foo_bar to total", "def area(self, width):", "return width * 2"] * 3


def _ids(tokenizer: Tokenizer, text: str) -> list[int]:
    return list(tokenizer.encode(text).ids)


def test_new_kinds_take_spare_marks_and_every_other_token_keeps_its_id() -> None:
    old = train_tokenizer(WORDS, ["none", "rename"], size=1500)
    new = with_kinds(old, ["none", "sort_keys", "rename", "add_eq"])
    assert new.token_to_id("<K:rename>") == old.token_to_id("<K:rename>")
    assert new.token_to_id("<K:sort_keys>") == old.token_to_id("<K:spare0>")
    assert new.token_to_id("<K:add_eq>") == old.token_to_id("<K:spare1>")
    assert new.get_vocab_size() == old.get_vocab_size()
    assert new.token_to_id("<K:spare0>") is None
    assert [_ids(new, line) for line in WORDS] == [_ids(old, line) for line in WORDS]
    assert _ids(new, "<K:add_eq>") == [old.token_to_id("<K:spare1>")]


def test_more_new_kinds_than_spare_marks_are_refused() -> None:
    tokenizer = train_tokenizer(WORDS, ["none"], size=1500)
    with pytest.raises(ValueError, match="spare"):
        with_kinds(tokenizer, [f"kind{n}" for n in range(SPARE_KINDS + 1)])


def test_the_shipped_tokenizer_has_room_for_the_kinds_there_are() -> None:
    shipped = Tokenizer.from_file(str(find_model(None) / "tokenizer.json"))
    assert all(with_kinds(shipped, KIND_NAMES).token_to_id(f"<K:{name}>") is not None for name in KIND_NAMES)
