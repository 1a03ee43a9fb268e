"""Tokenizers: text to token ids and back to bytes, by a byte-level BPE of `tokenizers`.

Text is always text: a stretch of it that looks like a special token is spelled out in ordinary
tokens, so that no file of a repository can forge the marks of a prompt. Only in a raw prompt
(`encode_prompt`) does the name of a special token stand for that token.
"""

import json
import re  # noqa: TID251 - reads characters as such
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import normalizers

from spark_tui.engine.config import damaged, read_model_file
from spark_tui.errors import ModelError

FILE_NAME = "tokenizer.json"
_MAX_BYTES = 64 << 20
"""The most bytes of a stranger's file: several times the largest known tokenizers."""
_LINE = 200
"""Characters of the longest line whose tokens are remembered."""
_LINES = 4096
"""Lines whose tokens are remembered: a region is asked about again and again."""
_MAY_NAME_A_MAP = re.compile(rb"Precompiled|\\u00").search
"""Reads the name, and the escapes in which JSON may hide it."""
_MARK = re.compile(r"<\|.*\|>").fullmatch  # marks around texts, such as <|im_start|>
# White space, an accent in both normal forms, an arrow, an emoji: what other tokenizers change.
_SAMPLE = "def f(x):\n\treturn 'é→\U0001f600e\u0301'  # <a>"


def _byte_of_symbol() -> dict[str, int]:
    """Return the byte of each symbol of a byte-level vocabulary.

    A byte that is printable in Latin-1 is its own symbol; the other bytes have the characters from
    256 on, in order.

    Source:
        bytes_to_unicode of GPT-2, openai/gpt-2.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    symbols = {chr(byte): byte for byte in printable}
    next_symbol = 0x100
    for byte in range(0x100):
        if byte not in printable:
            symbols[chr(next_symbol)] = byte
            next_symbol += 1
    return symbols


BYTES = _byte_of_symbol()
"""Symbol -> byte."""
_NEEDED = {*b"\t\n\r", *range(0x20, 0x7F), *range(0x80, 0xC0), *range(0xC2, 0xF1)}
"""The bytes of text, each of which needs a token.

Other bytes are control characters, begin characters of empty planes, or are in no UTF-8 at all.
"""


def _is_panic(error: BaseException) -> bool:
    """Whether an error is a panic of `tokenizers`: a fault in Rust, which is no Exception."""
    return type(error).__name__ == "PanicException"


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def _refuse_character_maps(path: Path, data: bytes) -> None:
    """Refuse a compiled character map, with which `tokenizers` may end the process.

    No byte-level BPE has one. Most files are looked through for its name alone.

    Raises:
        ModelError: There is one, or the file is no JSON.
    """
    if not _MAY_NAME_A_MAP(data):
        return
    try:
        entries = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise damaged(path, "not JSON") from error
    if isinstance(entries, dict) and "Precompiled" in str(entries.get("normalizer")):
        raise damaged(path, "not a byte-level BPE: it has a character map", "name another model")


class Tokenizer:
    """A byte-level BPE vocabulary with special tokens that text cannot spell.

    Some vocabularies lack a token for a few bytes that hardly any text holds; encoding leaves such
    bytes out.

    Args:
        backend: A `tokenizers.Tokenizer`.
        spellable: Whether text may spell added tokens that are not marked as special, unless they
            look like marks around texts.
    """

    def __init__(self, backend: Any, *, spellable: bool = False) -> None:
        self._backend = backend
        self._line_ids = lru_cache(_LINES)(self._spelled)
        self._specials: dict[int, str] = {}
        self._plain: dict[int, bytes] = {}
        """Added tokens that text spells."""
        for number, token in backend.get_added_tokens_decoder().items():
            if spellable and not token.special and not _MARK(token.content):
                self._plain[number] = str(token.content).encode()
            else:
                self._specials[number] = token.content
        # The library spells out names of special tokens only, so each name must be special to it.
        specials = self._specials.values()
        backend.add_special_tokens([tokenizers.AddedToken(text, special=True) for text in specials])
        backend.encode_special_tokens = True
        self._ids = {name: number for number, name in self._specials.items()}

    @classmethod
    def read(cls, folder: Path) -> "Tokenizer":
        """Read tokenizer.json of a model folder.

        Raises:
            ModelError: The file is missing, unreadable to `tokenizers`, or no byte-level BPE.
        """
        path = folder / FILE_NAME
        data = read_model_file(path, limit=_MAX_BYTES)
        _refuse_character_maps(path, data)
        return cls.checked(path, lambda: tokenizers.Tokenizer.from_buffer(data))

    @classmethod
    def checked(
        cls, path: Path, make: Callable[[], Any], *, spellable: bool = False
    ) -> "Tokenizer":
        """Make a tokenizer, and check that decoding gives back the bytes of a text.

        Args:
            path: The file of the tokenizer, for the messages.
            make: Makes the backend.
            spellable: See the class.

        Raises:
            ModelError: The backend cannot be made, or is no byte-level BPE.
        """
        try:
            backend = make()
            # Padding could make a text as long as the file likes, and nothing here wants either.
            backend.no_padding()
            backend.no_truncation()
            if isinstance(backend.normalizer, normalizers.NFC):
                # NFC changes text. Without it, ids differ only for text that NFC would change.
                backend.normalizer = None
            tokenizer = cls(backend, spellable=spellable)
        except BaseException as error:  # `tokenizers` raises plain Exception, whatever is wrong
            if not (isinstance(error, Exception) or _is_panic(error)):
                raise
            raise damaged(path, f"no tokenizer ({_words(error)})") from error
        if not tokenizer._is_byte_level():
            problem = "not a byte-level BPE: some text would not come back as it was"
            raise damaged(path, problem, "name another model")
        return tokenizer

    @property
    def vocab_size(self) -> int:
        """The number of ids, specials included."""
        return int(self._backend.get_vocab_size(with_added_tokens=True))

    def encode(self, text: str) -> list[int]:
        """Encode a text; characters that UTF-8 cannot encode become question marks."""
        if len(text) <= _LINE:
            return list(self._line_ids(text))
        return list(self._spelled(text))

    def encode_prompt(self, text: str) -> list[int]:
        """Encode a raw prompt, in which the names of special tokens stand for these tokens."""
        ids: list[int] = []
        # The pattern is a group, so `re.split` gives text and special tokens in turn.
        for number, part in enumerate(re.split(self.special_pattern, text)):
            if number % 2:
                ids.append(self.special(part))
            else:
                ids += self.encode(part)
        return ids

    def _spelled(self, text: str) -> tuple[int, ...]:
        sound = text.encode("utf-8", "replace").decode("utf-8")
        try:
            return tuple(self._backend.encode(sound, add_special_tokens=False).ids)
        except BaseException as error:
            if not (isinstance(error, Exception) or _is_panic(error)):
                raise
            raise ModelError(
                f"the model's tokenizer cannot read a text ({_words(error)}); name another model"
            ) from error

    def special(self, name: str) -> int:
        """Return the id of a special token.

        Raises:
            ModelError: The model has none of this name.
        """
        if name not in self._ids:
            raise ModelError(
                f"the model's tokenizer has no token {name}; name a model made for spark's "
                f"edit format"
            )
        return self._ids[name]

    @property
    def specials(self) -> tuple[str, ...]:
        """The names of all special tokens."""
        return tuple(self._ids)

    @property
    def special_pattern(self) -> str:
        """A pattern with one group, which matches the name of any special token."""
        # A name may begin with another one, and an alternative takes the first that matches.
        longest_first = sorted(self.specials, key=len, reverse=True)
        names = "|".join(map(re.escape, longest_first))
        return f"({names or '(?!)'})"

    def find(self, name: str) -> int | None:
        """Return the id of a special token; None if no special token has this name."""
        return self._ids.get(name)

    def state(self) -> dict[str, Any]:
        """Return the tokenizer in the form of a tokenizer.json."""
        state: dict[str, Any] = json.loads(self._backend.to_str())
        return state

    def is_plain(self, token_id: int) -> bool:
        """Whether a token is an added one that text may spell.

        The library takes such a token wherever its text occurs, before it splits anything.
        """
        return token_id in self._plain

    def symbols(self) -> list[str]:
        """Return all tokens by id, as the vocabulary spells them; "" for an unused id."""
        return [self._backend.id_to_token(number) or "" for number in range(self.vocab_size)]

    def piece(self, token_id: int) -> str | bytes:
        """Return the name of a special token as str, or the bytes of a text token.

        The bytes of an unused id are empty.
        """
        if token_id in self._specials:
            return self._specials[token_id]
        if token_id in self._plain:
            return self._plain[token_id]
        symbols = self._backend.id_to_token(token_id) or ""
        try:
            return bytes([BYTES[symbol] for symbol in symbols])
        except KeyError:
            return str(symbols).encode()  # no text is ever spelled with it

    def _is_byte_level(self) -> bool:
        # A token for each byte of text, and the sample comes back: together they rule out other
        # kinds of tokenizers, and normalizers that change text.
        for symbol, byte in BYTES.items():
            if byte in _NEEDED and self._backend.token_to_id(symbol) is None:
                return False
        data = b""
        for token_id in self.encode(_SAMPLE):
            piece = self.piece(token_id)
            if isinstance(piece, bytes):
                data += piece
        return data == _SAMPLE.encode()
