"""Tokenizers: text to token ids and back to bytes, by a byte-level BPE of `tokenizers`.

Text is always text: what looks like a special token in it is spelled out in ordinary tokens. Only
in a raw prompt (`encode_prompt`) the name of a special token stands for that token.
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
"""Of a stranger's file: several times the largest tokenizers."""
_LINE = 200
"""Characters of the longest line whose tokens are remembered."""
_LINES = 4096
"""Lines whose tokens are remembered: a region is asked about again and again."""
_MARK = re.compile(r"<\|.*\|>").fullmatch
_SAMPLE = "def f(x):\n\treturn 'é→\U0001f600e\u0301'  # <a>"


def _byte_of_symbol() -> dict[str, int]:
    """Return the byte of each symbol of a byte-level vocabulary.

    A printable byte has the symbol of its own number, the others have those from 256 on.

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
"""Bytes of text; the others are control characters, of empty planes, or in no UTF-8 at all."""


class Tokenizer:
    """A byte-level BPE vocabulary with special tokens that text cannot spell.

    Some vocabularies have no token for a few bytes that hardly any text holds; such bytes are left
    out of the text.

    Args:
        backend: A `tokenizers.Tokenizer`.
        spellable: Whether text spells added tokens that are not called special, unless they look
            like marks around texts.
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
        specials = self._specials.values()
        backend.add_special_tokens([tokenizers.AddedToken(text, special=True) for text in specials])
        backend.encode_special_tokens = True
        self._ids = {name: number for number, name in self._specials.items()}

    @classmethod
    def read(cls, folder: Path) -> "Tokenizer":
        """Read tokenizer.json of a model folder.

        Raises:
            ModelError: The file is missing, not for `tokenizers`, or not a byte-level BPE.
        """
        path = folder / FILE_NAME
        data = read_model_file(path, limit=_MAX_BYTES)
        return cls.checked(path, lambda: tokenizers.Tokenizer.from_buffer(data))

    @classmethod
    def checked(
        cls, path: Path, make: Callable[[], Any], *, spellable: bool = False
    ) -> "Tokenizer":
        """Make a tokenizer, and check that it gives back the bytes of a text.

        Args:
            path: The file it comes from, for the messages.
            make: Makes its backend.
            spellable: See the class.

        Raises:
            ModelError: It cannot be made, or is not a byte-level BPE.
        """
        try:
            backend = make()
            if isinstance(backend.normalizer, normalizers.NFC):
                # It would change text. Without it, ids differ only for the text it changes.
                backend.normalizer = None
            tokenizer = cls(backend, spellable=spellable)
        except Exception as error:  # `tokenizers` raises plain Exception, whatever is wrong
            raise damaged(path, f"no tokenizer ({' '.join(str(error).split())[:200]})") from error
        if not tokenizer._is_byte_level():
            problem = "not a byte-level BPE: some text would not come back as it was"
            raise damaged(path, problem, "name another model")
        return tokenizer

    @property
    def vocab_size(self) -> int:
        """The number of ids, specials included."""
        return int(self._backend.get_vocab_size(with_added_tokens=True))

    def encode(self, text: str) -> list[int]:
        """Encode a text; what cannot be written as UTF-8 becomes a question mark."""
        if len(text) <= _LINE:
            return list(self._line_ids(text))
        return list(self._spelled(text))

    def encode_prompt(self, text: str) -> list[int]:
        """Encode a raw prompt, in which the names of special tokens stand for these tokens."""
        ids: list[int] = []
        for number, part in enumerate(re.split(self.special_pattern, text)):
            if number % 2:  # a special token: the group of the pattern
                ids.append(self.special(part))
            else:
                ids += self.encode(part)
        return ids

    def _spelled(self, text: str) -> tuple[int, ...]:
        sound = text.encode("utf-8", "replace").decode("utf-8")
        return tuple(self._backend.encode(sound, add_special_tokens=False).ids)

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
        """A pattern that matches the name of a special token, as a group; longer names first."""
        longest_first = sorted(self.specials, key=len, reverse=True)
        names = "|".join(map(re.escape, longest_first))
        return f"({names or '(?!)'})"

    def find(self, name: str) -> int | None:
        """Return the id of a special token; None where there is none of this name."""
        return self._ids.get(name)

    def state(self) -> dict[str, Any]:
        """Return the tokenizer as a tokenizer.json holds it."""
        state: dict[str, Any] = json.loads(self._backend.to_str())
        return state

    def is_plain(self, token_id: int) -> bool:
        """Whether a token is an added one that text spells.

        Such a token is taken wherever it stands, before anything is split.
        """
        return token_id in self._plain

    def symbols(self) -> list[str]:
        """Return every token as the vocabulary spells it, by id; "" for an unused id."""
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
        for symbol, byte in BYTES.items():
            if byte in _NEEDED and self._backend.token_to_id(symbol) is None:
                return False
        data = b""
        for token_id in self.encode(_SAMPLE):
            piece = self.piece(token_id)
            if isinstance(piece, bytes):
                data += piece
        return data == _SAMPLE.encode()
