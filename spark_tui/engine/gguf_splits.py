"""The ways of splitting text before merging that GGUF knows by name (`tokenizer.ggml.pre`).

Source: the expressions of src/llama-vocab.cpp, ggml-org/llama.cpp, and of the tokenizer.json files they stand for.
"""

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from spark_tui.engine.tokenizer import BYTES

_GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_PUNCTUATION, _DIGIT, _DIGITS, _THREE = r"[\p{P}\$\+<=>\^~\|]+", r"\p{N}", r"\p{N}+", r"[0-9][0-9][0-9]"


@dataclass(frozen=True, slots=True)
class Split:
    """Expressions, each of which splits what the ones before it left.

    `whole_words`: whether a piece that is a token as it stands is taken without merging.
    """

    patterns: tuple[str, ...]
    whole_words: bool = False


_LLAMA3 = Split((rf"{_WORDS}|\p{{N}}{{1,3}}|{_REST}",), whole_words=True)
_QWEN2 = Split((rf"{_WORDS}|\p{{N}}|{_REST}",))
_DIGITS_APART = Split((_DIGIT, _GPT2))
SPLITS = {
    "gpt-2": Split((_GPT2,)),
    "llama-bpe": _LLAMA3,
    "qwen2": _QWEN2,
    "smollm": _DIGITS_APART,
    "default": Split((_PUNCTUATION, _GPT2, _DIGITS, _THREE)),
    "dbrx": Split(_LLAMA3.patterns),
    **dict.fromkeys(("mpt", "olmo", "phi-2", "jais"), Split((_GPT2,))),
    **dict.fromkeys(("llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral"), _LLAMA3),
    **dict.fromkeys(("smaug-bpe",), Split(_LLAMA3.patterns)),
    **dict.fromkeys(("deepseek-r1-qwen", "stablelm2", "hunyuan"), _QWEN2),
    **dict.fromkeys(("starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"), _DIGITS_APART),
}
"""Name -> how it splits; the first name of several that split alike is the one written."""


def split_name(state: dict[str, Any]) -> str | None:
    """The name of how a tokenizer.json splits; None where GGUF has none for it."""
    steps, missing = state.get("pre_tokenizer") or {}, unspelled(state["model"]["vocab"])
    patterns = [_pattern(step) for step in steps.get("pretokenizers", [steps])]
    patterns = [each for each in patterns if each != missing]
    found = Split(tuple(each for each in patterns if each), bool(state["model"].get("ignore_merges")))
    if None in patterns or state.get("normalizer"):
        return None
    return next((name for name, split in SPLITS.items() if split == found), None)


def unspelled(vocabulary: Container[str]) -> str:
    """An expression for the bytes that no token spells, over which nothing merges; "" where there are none."""
    missing = "".join(re.escape(symbol) for symbol in BYTES if symbol not in vocabulary)
    return f"[{missing}]" if missing else ""


def _pattern(step: dict[str, Any]) -> str | None:
    """The expression that one step splits at; "" for one that does not split, None for one that is unknown here."""
    match step:
        case {"type": "Split", "pattern": {"Regex": str(regex)}, "behavior": "Isolated", "invert": False}:
            return regex
        case {"type": "Digits", "individual_digits": True}:
            return _DIGIT
        case {"type": "ByteLevel", "add_prefix_space": False}:
            return _GPT2 if step.get("use_regex", True) else ""
    return None
