"""Tokenizers through GGUF metadata: the same ids and the same bytes, or a refusal."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import normalizers, pre_tokenizers

from spark_tui.engine.export import write_gguf
from spark_tui.engine.gguf import GgufFile
from spark_tui.engine.gguf_tokenizer import (
    SPLITS,
    WHOLE,
    ScoredTokenizer,
    Split,
    gguf_tokenizer,
    split_name,
    tokenizer_metadata,
)
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import ModelError
from tests.engine.tiny import CONFIG, SPECIALS, VOCAB, random_weights, tiny_tokenizer

TEXT = (
    "def f(x, y2):\n\treturn 'it's'  # é→😀 e\u0301 12345 ABCdef __init__ \u2581 a_b\r\n   "
    "<END><s>\x00"
)
LINES = Path(__file__).read_text("utf-8").splitlines(keepends=True)


def backend_with(split: Split) -> Any:
    """The tiny vocabulary, split in a way of its own."""
    backend = tiny_tokenizer()
    steps = [
        pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated") for pattern in split.patterns
    ]
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [*steps, pre_tokenizers.ByteLevel(False, use_regex=False)]
    )
    backend.model.ignore_merges = split.whole_words
    return backend


def file_of(tokenizer: Tokenizer, vocab_size: int = VOCAB) -> GgufFile:
    """A file that holds nothing but a tokenizer, as the reader gives it."""
    entries = tokenizer_metadata(tokenizer, vocab_size)
    lists = {
        key: np.array(value)
        for key, value in entries.items()
        if isinstance(value, list) and type(value[0]) is not str
    }
    return GgufFile(Path("some.gguf"), entries | lists, {})


def spelled(tokenizer: Tokenizer, text: str) -> bytes:
    """The bytes of the tokens of a text."""
    pieces = [tokenizer.piece(number) for number in tokenizer.encode(text)]
    assert all(isinstance(piece, bytes) for piece in pieces)
    return b"".join(piece for piece in pieces if isinstance(piece, bytes))


@pytest.mark.parametrize("name", SPLITS)
def test_a_way_of_splitting_with_a_name_comes_back_by_its_name(name: str) -> None:
    ours = Tokenizer(backend_with(SPLITS[name]))
    file = file_of(ours)
    assert WHOLE not in file.metadata
    written = file.metadata["tokenizer.ggml.pre"]
    assert SPLITS[str(written)] == SPLITS[name]
    theirs = gguf_tokenizer(replace(file, metadata=file.metadata | {"tokenizer.ggml.pre": name}))
    assert theirs.encode(TEXT) == ours.encode(TEXT)
    assert spelled(theirs, TEXT) == TEXT.encode()


def test_special_tokens_come_back_as_such_and_text_cannot_spell_them() -> None:
    theirs = gguf_tokenizer(file_of(Tokenizer(tiny_tokenizer())))
    assert [theirs.piece(theirs.special(name)) for name in SPECIALS] == SPECIALS
    assert spelled(theirs, "<END>") == b"<END>"
    assert theirs.vocab_size == Tokenizer(tiny_tokenizer()).vocab_size


MISSING = {"Ą": "[04]", "ñ": "[F1]", "ÿ": "[FF]"}
"""Symbols of bytes that hardly any text holds, and what stands in their places, as in SmolLM2's
vocabulary.
"""


def smollm_file(gone: dict[str, str] = MISSING, user_defined: tuple[str, ...] = ()) -> GgufFile:
    """A file whose tokenizer splits as SmolLM2's does and has no tokens for some bytes."""
    file = file_of(Tokenizer(backend_with(SPLITS["smollm"])))
    texts, kinds = (
        file.metadata["tokenizer.ggml.tokens"],
        file.metadata["tokenizer.ggml.token_type"],
    )
    assert isinstance(texts, list)
    assert isinstance(kinds, np.ndarray)
    named = [gone.get(text, text) for text in texts]
    typed = np.array(
        [4 if text in user_defined else kind for text, kind in zip(named, kinds, strict=True)]
    )
    return replace(
        file,
        metadata=file.metadata
        | {"tokenizer.ggml.tokens": named, "tokenizer.ggml.token_type": typed},
    )


def test_bytes_without_a_token_are_left_out_and_nothing_merges_over_them() -> None:
    tokenizer = gguf_tokenizer(smollm_file())
    assert spelled(tokenizer, TEXT) == TEXT.encode()
    assert spelled(tokenizer, "a\x04b \U00050000") == b"ab \x90\x80\x80"
    assert len(tokenizer.encode("):")) < len(tokenizer.encode(")\x04:")) == 2
    assert len(tokenizer.encode("x123")) == 4


def test_a_vocabulary_that_lacks_what_texts_are_made_of_is_refused() -> None:
    for symbol in ("~", "Ð", "¿"):
        with pytest.raises(ModelError, match="not a byte-level BPE"):
            gguf_tokenizer(smollm_file({symbol: "[gone]"}))


def test_a_file_without_tokens_for_some_bytes_is_written_as_it_was_read() -> None:
    file = smollm_file(user_defined=("<L0>",))
    again = file_of(gguf_tokenizer(file))
    for key in ("pre", "tokens", "merges", "token_type"):
        assert np.array_equal(
            again.metadata[f"tokenizer.ggml.{key}"], file.metadata[f"tokenizer.ggml.{key}"]
        )


def test_text_spells_user_defined_tokens_but_not_the_marks_around_texts() -> None:
    tokenizer = gguf_tokenizer(
        smollm_file({"<PAD>": "<|im_end|>"}, user_defined=("<L0>", "<|im_end|>"))
    )
    assert tokenizer.encode("a<L0>b") == [
        *tokenizer.encode("a"),
        SPECIALS.index("<L0>"),
        *tokenizer.encode("b"),
    ]
    assert spelled(tokenizer, "<L0><|im_end|><L1>") == b"<L0><|im_end|><L1>"
    assert tokenizer.find("<L0>") is None
    assert tokenizer.find("<|im_end|>") == 0 not in tokenizer.encode("<|im_end|>")


def test_the_installed_llama_cpp_leaves_out_the_same_bytes_and_takes_the_same_tokens(
    tmp_path: Path,
) -> None:
    llama_cpp = pytest.importorskip("llama_cpp")
    ours = gguf_tokenizer(smollm_file(user_defined=("<L0>",)))
    write_gguf(tmp_path / "a.gguf", CONFIG, random_weights(), ours, "f16", name="a")
    theirs = llama_cpp.Llama(str(tmp_path / "a.gguf"), vocab_only=True, verbose=False, n_threads=1)
    for line in (*LINES, TEXT, ")\x04: a\x04b \U00050000 <L0>1 <L1>"):
        assert theirs.tokenize(line.encode(), add_bos=False, special=False) == ours.encode(line)


def test_ids_without_a_token_fill_the_embedding_as_unused_ones() -> None:
    metadata = file_of(Tokenizer(tiny_tokenizer())).metadata
    texts, kinds = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"]
    assert isinstance(texts, list)
    assert isinstance(kinds, np.ndarray)
    assert (len(texts), texts[-1], kinds.tolist()[-1]) == (VOCAB, f"[PAD{VOCAB - 1}]", 5)
    assert metadata["tokenizer.ggml.eos_token_id"] == SPECIALS.index("<END>")
    assert metadata["tokenizer.ggml.bos_token_id"] == SPECIALS.index("<END>")


def test_the_way_of_a_tokenizer_json_is_found_whichever_way_it_says_it() -> None:
    backend = tiny_tokenizer()
    assert split_name(Tokenizer(backend).state()) == "gpt-2"
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(False)]
    )
    assert split_name(Tokenizer(backend).state()) == "smollm"
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.ByteLevel(False)]
    )
    assert split_name(Tokenizer(backend).state()) is None


def test_a_tokenizer_that_splits_in_a_way_without_a_name_is_not_written() -> None:
    with pytest.raises(ModelError, match="export the model with --format hf"):
        file_of(Tokenizer(backend_with(Split((r"\w+",)))))


def test_a_tokenizer_that_lies_whole_in_the_file_is_taken() -> None:
    ours = Tokenizer(backend_with(Split((r"\w+",))))
    theirs = gguf_tokenizer(GgufFile(Path("some.gguf"), {WHOLE: json.dumps(ours.state())}, {}))
    assert theirs.encode(TEXT) == ours.encode(TEXT)


BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]
PIECES = [
    "e",
    "n",
    "i",
    "h",
    "t",
    "\u2581",
    "th",
    "the",
    "in",
    "in\u2581",
    "\u2581\u2581",
    "\u2581the",
    "é",
]
SCORED = ScoredTokenizer(
    ["<END>", *BYTE_TOKENS, *PIECES],
    [3, *([6] * 256), *([1] * len(PIECES))],
    [0.0] * 257 + [-float(rank) for rank in range(len(PIECES))],
)


@given(
    text=st.text()
    | st.lists(st.sampled_from(["<END>", " ", "\u2581", "é", "in ", "the", "\r\n"])).map("".join)
)
def test_scored_pieces_give_back_every_text(text: str) -> None:
    assert spelled(SCORED, text) == text.encode("utf-8", "replace")


@pytest.mark.parametrize("name", ["gpt-2", "llama-bpe", "qwen2", "smollm", "default"])
def test_the_installed_llama_cpp_splits_as_we_do(tmp_path: Path, name: str) -> None:
    llama_cpp = pytest.importorskip("llama_cpp")
    ours = Tokenizer(backend_with(SPLITS[name]))
    write_gguf(tmp_path / "a.gguf", CONFIG, random_weights(), ours, "f16", name="a")
    theirs = llama_cpp.Llama(str(tmp_path / "a.gguf"), vocab_only=True, verbose=False, n_threads=1)
    for line in LINES:
        assert theirs.tokenize(line.encode(), add_bos=False, special=False) == ours.encode(line)


def test_best_scores_merge_first_and_of_equal_ones_the_leftmost() -> None:
    texts = ["<s>", "a", "b", "c", "ab", "bc", *BYTE_TOKENS]
    kinds = [3, *([1] * 5), *([6] * 256)]

    def encoded(ab: float, bc: float) -> list[int]:
        return ScoredTokenizer(texts, kinds, [0, 0, 0, 0, ab, bc, *([0] * 256)]).encode("abc")

    assert (encoded(-1, -2), encoded(-2, -1), encoded(-1, -1)) == ([4, 3], [1, 5], [4, 3])


REFUSED: dict[str, dict[str, Any]] = {
    "its tokenizer is 'bert'; this engine reads 'gpt2' and 'llama'": {"model": "bert"},
    "its tokenizer is 'None'": {"model": None},
    "its tokenizer splits text like 'kimi-k2', unknown here": {"pre": "kimi-k2"},
    "tokenizer.ggml.tokens is missing or not a list of str": {"tokens": None},
    "tokenizer.ggml.token_type is missing or not a list of int": {
        "token_type": np.ones(VOCAB, np.float32)
    },
    "2 token types for 320 tokens": {"token_type": np.ones(2, np.int32)},
    "or unknown ones": {"token_type": np.full(VOCAB, 9)},
    "tokenizer.ggml.merges is missing": {"merges": 3},
    "or a merge that is not of two": {"merges": ["a b c"]},
    "two tokens with the same text": {"tokens": ["a"] * VOCAB},
    "no tokenizer (": {"merges": ["zzz yyy"]},
    "not a byte-level BPE": {"tokens": [f"t{number}" for number in range(VOCAB)], "merges": []},
    "tokenizer.ggml.scores is missing": {"model": "llama"},
    "2 scores for 320 tokens": {"model": "llama", "scores": np.zeros(2, np.float32)},
    "or some that are not numbers": {
        "model": "llama",
        "scores": np.full(VOCAB, np.nan, np.float32),
    },
    "not every byte has a token": {"model": "llama", "scores": np.zeros(VOCAB, np.float32)},
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_tokenizer_that_is_not_run_or_damaged_is_refused(message: str) -> None:
    file = file_of(Tokenizer(tiny_tokenizer()))
    changes = {f"tokenizer.ggml.{key}": value for key, value in REFUSED[message].items()}
    metadata = {key: value for key, value in (file.metadata | changes).items() if value is not None}
    with pytest.raises(ModelError, match=r"^some\.gguf: [^\n]*$") as caught:
        gguf_tokenizer(replace(file, metadata=metadata))
    assert message in str(caught.value)


def test_a_whole_tokenizer_that_is_damaged_is_refused() -> None:
    with pytest.raises(ModelError, match=r"^some\.gguf: no tokenizer "):
        gguf_tokenizer(GgufFile(Path("some.gguf"), {WHOLE: "{}"}, {}))


def test_text_is_not_normalised_even_where_the_tokenizer_would() -> None:
    backend = tiny_tokenizer()
    backend.normalizer = normalizers.NFC()
    tokenizer = Tokenizer.checked(Path("x"), lambda: backend)
    assert spelled(tokenizer, "e\u0301") == b"e\xcc\x81"


def test_scored_pieces_have_no_tokenizer_json() -> None:
    with pytest.raises(ModelError, match="cannot be exported"):
        SCORED.state()
