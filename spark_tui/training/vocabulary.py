"""The tokenizer of the embedded model: byte-level BPE whose words copy unchanged from prose to code.

A space belongs to the operator or keyword beside it, never to an identifier: `rename foo to bar` and
`foo = bar(foo)` spell `foo` with the same tokens. Identifiers split at `_` and at camelCase, digits stand
alone, and every mark of the line-edit format is one token.
"""

import builtins
import json
import keyword
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from spark_tui.editing.format import END_TAGS, FIXED_MARKS, LINE_TAGS, NO_EDIT, Vocabulary, kind_mark

VOCABULARY_SIZE = 8192
SPARE_KINDS = 64
_KEYWORDS = (
    "False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|"
    "import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield"
)
_GLUE = "an|are|at|be|by|can|into|it|of|on|should|so|that|the|then|this|to|when|you"
PATTERN = "|".join(
    (
        rf" ?(?<![\w.])(?:{_KEYWORDS}|{_GLUE})(?!\w) ?",
        r"_*[A-Z]+(?![a-z])",
        r"_*[A-Z]?[a-z]+",
        r"_+",
        r"\d",
        r"\w+?",
        r"\"\"\"|'''|[\"'`]",
        r" ?[=<>!+*/%&|^~@-]+ ?",
        r" ?[^\w\s\"'`=<>!+*/%&|^~@-]+ ?",
        r"\s+",
    )
)
"""Pieces that never merge with each other; tried in this order (Oniguruma syntax)."""


def mark_names(kinds: Sequence[str]) -> list[str]:
    """Every mark of the vocabulary in id order: the fixed ones, the kinds, and spare ones for kinds to come."""
    named = [kind_mark(kind).name for kind in dict.fromkeys((NO_EDIT, *kinds))]
    spare = [f"<K:spare{n}>" for n in range(SPARE_KINDS)]
    return [mark.name for mark in FIXED_MARKS] + named + spare


def train_tokenizer(texts: Iterable[str], kinds: Sequence[str], *, size: int = VOCABULARY_SIZE) -> Tokenizer:
    """Learn the merges from lines of code and instructions.

    Args: texts: any number of lines. kinds: names of the edit kinds. size: tokens in all, marks included.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=mark_names(kinds),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
        max_token_length=16,
    )
    tokenizer.train_from_iterator(_batches(texts), trainer)
    return tokenizer


def with_kinds(tokenizer: Tokenizer, kinds: Sequence[str]) -> Tokenizer:
    """A tokenizer whose spare marks stand for the kinds it lacks; every id keeps its place.

    Raises: ValueError: more kinds are new than there are spare marks.
    """
    state = json.loads(tokenizer.to_str())
    known = {token["content"] for token in state["added_tokens"]}
    missing = [name for kind in kinds if (name := kind_mark(kind).name) not in known]
    spare = [token["content"] for token in state["added_tokens"] if token["content"].startswith("<K:spare")]
    if len(missing) > len(spare):
        raise ValueError(f"{len(missing)} new kinds and only {len(spare)} spare marks; learn a new tokenizer")
    renamed = dict(zip(spare, missing, strict=False))
    for token in state["added_tokens"]:
        token["content"] = renamed.get(token["content"], token["content"])
    vocabulary = state["model"]["vocab"]
    state["model"]["vocab"] = {renamed.get(token, token): number for token, number in vocabulary.items()}
    return Tokenizer.from_str(json.dumps(state))


def save_tokenizer(tokenizer: Tokenizer, folder: Path) -> None:
    """Write tokenizer.json into a model folder."""
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)


def mark_ids(vocabulary: Vocabulary) -> tuple[int, int]:
    """The ids of <L0> and <E0>; the other tags follow them in order."""
    return vocabulary.special(LINE_TAGS[0].name), vocabulary.special(END_TAGS[0].name)


def swappable(vocabulary: Vocabulary, size: int, kept: Iterable[str]) -> list[int]:
    """The ids of words that could as well be others: letters only, no keyword or builtin, no part of the words kept."""
    fixed = {*keyword.kwlist, *dir(builtins), "self", "cls"}
    ours = {token_id for word in kept for token_id in vocabulary.encode(word)}

    def is_word(piece: str | bytes) -> bool:
        text = piece.decode("utf-8", "replace").strip("_") if isinstance(piece, bytes) else ""
        return text.isascii() and text.isalpha() and text not in fixed

    return [token_id for token_id in range(size) if token_id not in ours and is_word(vocabulary.piece(token_id))]


def _batches(texts: Iterable[str], size: int = 1000) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == size:
            yield batch
            batch = []
    yield batch
