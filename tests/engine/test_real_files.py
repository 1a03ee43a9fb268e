"""The files people use: Qwen2.5-Coder-0.5B-Instruct (Q4_K_M) and SmolLM2-135M-Instruct (Q4_1),
against llama.cpp.

Run by `SPARK_TEST_WEIGHTS=FOLDER pytest -m exhaustive`, with qwen.gguf and smollm2.gguf in the
folder; needs the packages `gguf` and `llama-cpp-python`.
"""

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.backend import Backend
from spark_tui.engine.export import write_gguf
from spark_tui.engine.gguf import read_gguf
from spark_tui.engine.gguf_tokenizer import gguf_tokenizer
from spark_tui.engine.loader import load, read_model
from spark_tui.engine.tokenizer import Tokenizer

FOLDER = os.environ.get("SPARK_TEST_WEIGHTS")
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(not FOLDER, reason="SPARK_TEST_WEIGHTS names no folder"),
]
NAMES = ("smollm2", "qwen")
STEPS = 32
CODE = [
    "def fibonacci(n):\n",
    "import os\n\ndef list_files(path):\n",
    "SELECT name FROM",
    "function add(a, b) {\n",
]
PLAIN = [
    "The capital of France is",
    "Once upon a time, in a small village,",
    "To make a cup of tea, first",
]
ASKED = [
    "Reverse a string in Python.",
    "Say hello in French.",
    "What is 17 + 25?",
    "Name three sorting algorithms.",
]
CHAT = [f"<|im_start|>user\n{each}<|im_end|>\n<|im_start|>assistant\n" for each in ASKED]
WORDS = [
    "foo",
    "I'LL",
    "12345",
    " ",
    "  ",
    "\t",
    "\r\n",
    "\n",
    "é",
    "e\u0301",
    "→",
    "你好",
    "👩\u200d👧",
    "٣",
    "\x04",
]
WORDS += [
    "\U00050000",
    "<|im_end|>",
    "<tool_call>",
    "<file_sep>",
    "__init__",
    "!=",
    "\u3000",
    "\x85",
]


def file(name: str) -> Path:
    return Path(str(FOLDER)) / f"{name}.gguf"


@cache
def tokenizer(name: str) -> Tokenizer:
    return gguf_tokenizer(read_gguf(file(name)))


def llama(path: Path, **options: Any) -> Any:
    llama_cpp = pytest.importorskip("llama_cpp")
    return llama_cpp.Llama(
        str(path), n_ctx=512, n_threads=1, verbose=False, type_k=0, type_v=0, **options
    )


def texts() -> list[str]:
    """Lines of this repository, and words, blanks and characters of all kinds in random order."""
    rng = np.random.default_rng(7)
    files = sorted(Path(__file__).parents[2].rglob("*.py"))[:100]
    lines = [line for each in files for line in each.read_text("utf-8").splitlines(keepends=True)]
    return [
        *lines[::20][:1000],
        *("".join(rng.choice(WORDS, rng.integers(1, 30))) for _ in range(1000)),
    ]


def prompts() -> list[str]:
    """Fifty: those above, eight lines each of this repository, and such words."""
    found = texts()
    return [
        *CODE,
        *PLAIN,
        *CHAT,
        *("".join(found[at : at + 8]) for at in range(0, 1000, 50)),
        *found[-19:],
    ]


@pytest.mark.parametrize("name", NAMES)
def test_tokens_are_those_of_llama_cpp(name: str) -> None:
    theirs, ours = llama(file(name), vocab_only=True), tokenizer(name)
    for text in texts():
        assert ours.encode(text) == theirs.tokenize(text.encode(), add_bos=False, special=False)


@pytest.mark.parametrize("name", NAMES)
def test_every_tensor_is_what_the_reference_makes_of_it_bit_for_bit(name: str) -> None:
    gguf = pytest.importorskip("gguf")
    from spark_tui.engine.kernels.unpack import unpack

    tensors = read_gguf(file(name)).tensors
    for theirs in gguf.GGUFReader(str(file(name))).tensors:
        expected = gguf.dequantize(theirs.data, theirs.tensor_type).view(np.uint32)
        for ours in (tensors[theirs.name].values(), tensors[theirs.name].values(unpack=unpack)):
            assert np.array_equal(ours.view(np.uint32), expected.reshape(ours.shape))


def greedy(theirs: Any, prompt: list[int]) -> tuple[list[int], FloatArray]:
    """What llama.cpp writes, and the logits each token was chosen by."""
    written: list[int] = []
    rows = []
    theirs.reset()
    theirs.eval(prompt)
    for _ in range(STEPS):
        context = theirs._ctx  # noqa: SLF001 - llama-cpp-python has no other way
        rows.append(np.ctypeslib.as_array(context.get_logits(), (theirs.n_vocab(),)).copy())
        written.append(int(rows[-1].argmax()))
        theirs.eval(written[-1:])
    return written, np.array(rows)


@pytest.mark.parametrize("kind", ["numpy", "compiled"])
@pytest.mark.parametrize("name", NAMES)
def test_greedy_tokens_are_those_of_llama_cpp_where_it_rounds_no_activations(
    tmp_path: Path, name: str, kind: str
) -> None:
    """Of the same weights in float32: with quantised ones it rounds what they are multiplied
    with to 8 bits.
    """
    stored = read_model(file(name))
    whole = tmp_path / "whole.gguf"
    write_gguf(whole, stored.config, stored.weights, stored.tokenizer, "f32", name=name)
    theirs, ours = llama(whole), load(file(name), Backend(kind, 32)).model
    for prompt in prompts():
        ids = theirs.tokenize(prompt.encode(), add_bos=False, special=True)
        written, expected = greedy(theirs, ids)
        found = ours.forward(ids + written[:-1], ours.new_cache(512), last_only=False)[
            len(ids) - 1 :
        ]
        assert np.abs(found - expected).max() < 1e-2
        assert found.argmax(axis=1).tolist() == written


@pytest.mark.parametrize("name", NAMES)
def test_a_pass_of_many_tokens_is_that_of_each(name: str) -> None:
    model = load(file(name), Backend("compiled", 8)).model
    ids = tokenizer(name).encode("def add(a, b):\n    return a + b\n" * 4)
    together = model.forward(ids, model.new_cache(512), last_only=False)
    cache = model.new_cache(512)
    assert all(
        np.array_equal(model.forward([each], cache), row)
        for each, row in zip(ids, together, strict=True)
    )
