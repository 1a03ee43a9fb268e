from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import decoders, models, pre_tokenizers

from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import ModelError
from tests.engine.tiny import SPECIALS, VOCAB, tiny_tokenizer

TOKENIZER = Tokenizer(tiny_tokenizer())
texts = st.text() | st.lists(
    st.sampled_from([*SPECIALS, "<", ">", " ", "def", "é", "\r\n", "\0"])
).map("".join)


def spelled(token_ids: list[int], tokenizer: Tokenizer = TOKENIZER) -> bytes:
    """The bytes of text tokens; a special token among them fails."""
    pieces = [tokenizer.piece(token_id) for token_id in token_ids]
    assert all(isinstance(piece, bytes) for piece in pieces)
    return b"".join(piece for piece in pieces if isinstance(piece, bytes))


@given(text=texts)
def test_the_bytes_of_encoded_text_are_the_text_even_where_it_looks_like_a_special_token(
    text: str,
) -> None:
    assert spelled(TOKENIZER.encode(text)) == text.encode("utf-8", "replace")


def test_specials_are_known_by_name_and_come_back_as_str() -> None:
    assert [TOKENIZER.piece(TOKENIZER.special(name)) for name in SPECIALS] == SPECIALS
    assert [TOKENIZER.special(name) for name in SPECIALS] == list(range(len(SPECIALS)))


def test_an_unknown_special_is_a_model_error_that_names_it() -> None:
    with pytest.raises(ModelError, match="no token <K:rename>"):
        TOKENIZER.special("<K:rename>")


def test_vocab_size_counts_every_id() -> None:
    assert TOKENIZER.vocab_size == len(
        {TOKENIZER.piece(number) for number in range(TOKENIZER.vocab_size)}
    )
    assert len(SPECIALS) + 256 < TOKENIZER.vocab_size <= VOCAB


def test_an_id_the_vocabulary_leaves_unused_is_no_text() -> None:
    assert TOKENIZER.piece(VOCAB + 5) == b""


def test_bytes_that_were_no_utf8_are_spelled_as_question_marks() -> None:
    assert spelled(TOKENIZER.encode(b"caf\xe9".decode("utf-8", "surrogateescape"))) == b"caf?"


def test_added_tokens_that_are_not_marked_special_cannot_be_spelled_either() -> None:
    backend = tiny_tokenizer()
    backend.add_tokens(["<tool>"])
    tokenizer = Tokenizer(backend)
    assert spelled(tokenizer.encode("a <tool>"), tokenizer) == b"a <tool>"
    assert tokenizer.piece(tokenizer.special("<tool>")) == "<tool>"


def test_a_template_around_the_text_is_left_off() -> None:
    backend = tiny_tokenizer()
    backend.post_processor = tokenizers.processors.TemplateProcessing(
        single="<REG> $A", special_tokens=[("<REG>", 1)]
    )
    assert spelled(Tokenizer(backend).encode("x")) == b"x"


def test_read_gives_the_tokenizer_of_the_folder(model_folder: Path) -> None:
    tokenizer = Tokenizer.read(model_folder)
    assert tokenizer.encode("return the values") == TOKENIZER.encode("return the values")


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"\xff\xfe", b'{"model": {"type": "BPE"}}', b"[" * 100_000]
)
def test_a_file_that_is_no_tokenizer_is_named_in_one_line(
    model_folder: Path, content: bytes
) -> None:
    (model_folder / "tokenizer.json").write_bytes(content)
    with pytest.raises(
        ModelError, match=r"^[^\n]*tokenizer\.json: no tokenizer [^\n]*install[^\n]*$"
    ):
        Tokenizer.read(model_folder)


@given(kept=st.integers(0, 4000))
def test_a_truncated_file_is_a_model_error(
    tmp_path_factory: pytest.TempPathFactory, kept: int
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    whole = tiny_tokenizer().to_str().encode()
    (folder / "tokenizer.json").write_bytes(whole[:kept])
    with pytest.raises(ModelError, match="no tokenizer"):
        Tokenizer.read(folder)


def word_level() -> Any:
    return tokenizers.Tokenizer(models.WordLevel({"a": 0, "<unk>": 1}, unk_token="<unk>"))


def replacing_tabs() -> Any:
    backend = tiny_tokenizer()
    backend.normalizer = tokenizers.normalizers.Replace("\t", " ")
    return backend


def adding_a_space() -> Any:
    backend = tiny_tokenizer()
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    return backend


def without_byte_symbols() -> Any:
    backend = tokenizers.Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    backend.decoder = decoders.ByteLevel()
    return backend


@pytest.mark.parametrize("make", [word_level, replacing_tabs, adding_a_space, without_byte_symbols])
def test_a_tokenizer_that_would_change_text_is_refused(model_folder: Path, make: Any) -> None:
    make().save(str(model_folder / "tokenizer.json"))
    with pytest.raises(ModelError, match="not a byte-level BPE"):
        Tokenizer.read(model_folder)
