"""Damaged GGUF and tokenizer files: loaded all the same, or a ModelError, soon and within
little memory.
"""

import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_tui.engine.gguf import read_gguf
from spark_tui.engine.loader import read_model
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import ModelError
from tests.engine.folders import soon_and_cheaply
from tests.engine.gguf_files import ARRAY, STRING, UINT8, array, gguf, saved, text, written
from tests.engine.tiny import tiny_tokenizer

SECONDS, BYTES = 1.0, 64 << 20
MANY_BYTES = 80 << 20
"""What a file may take that is all metadata, of which 44 MiB are kept."""
MUTATIONS = 10_000
SLICE = 150
NUMBERS = [0, 1, 2, 7, 255, 1 << 16, (1 << 31) - 1, 1 << 32, 1 << 40, (1 << 63) - 1, (1 << 64) - 1]
"""What stands in place of a count, an offset or a type."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Files that load: each family, exact and quantised."""
    folder = tmp_path_factory.mktemp("sound")
    files = [
        written(folder, name, "f16").read_bytes()
        for name in ("llama", "llama-llama3", "qwen2", "qwen3")
    ]
    files.append(written(folder, "qwen2-yarn", "q8_0").read_bytes())
    files.append(written(folder, "qwen3-untied", "q4_0").read_bytes())
    return files


def head_size(data: bytes) -> int:
    """Where the tensors begin, roughly: they hold most of the file."""
    return data.index(b"output_norm.weight") + 2000


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Some bits of the header turned over."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8, 64])):
        changed[rng.randrange(min(len(data), head_size(data)))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut(data: bytes, rng: random.Random) -> bytes:
    """The end is missing."""
    return data[: rng.randrange(len(data) if rng.random() < 0.3 else head_size(data))]


def huge(data: bytes, rng: random.Random) -> bytes:
    """A number of eight or four bytes is another."""
    place = rng.choice([8, 16, rng.randrange(24, head_size(data))])
    code = rng.choice(["<Q", "<I"])
    number = struct.pack(code, rng.choice(NUMBERS) % (1 << 8 * struct.calcsize(code)))
    return data[:place] + number + data[place + len(number) :]


def moved(data: bytes, rng: random.Random) -> bytes:
    """Some bytes are missing, doubled, or those of another place."""
    start, size = rng.randrange(head_size(data)), rng.randrange(1, 64)
    other = rng.randrange(len(data))
    return (
        data[:start]
        + rng.choice([b"", data[start : start + size] * 2, data[other : other + size]])
        + data[start + size :]
    )


def nested(data: bytes, rng: random.Random) -> bytes:
    """A value becomes lists within lists, or one of very many texts."""
    key = rng.choice(
        [b"general.name", b"tokenizer.ggml.token_type", b"tokenizer.ggml.tokens", b"block_count"]
    )
    place = data.index(key) + len(key)
    lists = struct.pack("<IQ", 9, 1) * rng.choice([1, 3, 5, 1000])
    many = struct.pack("<IIQ", 9, rng.choice([8, 9, 0, 12]), rng.choice(NUMBERS)) + bytes(
        8
    ) * rng.choice([0, 100, 100_000])
    return data[:place] + rng.choice([struct.pack("<I", 9) + lists, many]) + data[place:]


DAMAGES = (flipped, cut, huge, moved, nested)


def check(file: Path, content: bytes) -> bool:
    """Load it.

    Returns:
        Whether it loads. Fails where it takes long, takes much, or ends in any other error.
    """
    file.write_bytes(content)

    def read() -> None:
        stored = read_model(file)
        for name in stored.weights:
            stored.weights[name]

    try:
        soon_and_cheaply(read, SECONDS, BYTES + len(content))
    except ModelError as error:
        message = str(error)
        assert "\n" not in message
        assert len(message) < 600
        return False
    return True


def run(
    folder: Path,
    sound: list[bytes],
    seeds: range,
    damages: tuple[Callable[[bytes, random.Random], bytes], ...],
) -> int:
    """Damage and load files, one for each seed.

    Returns:
        How many were refused.
    """
    refused = 0
    for seed in seeds:
        rng = random.Random(seed)
        refused += not check(folder / "made.gguf", rng.choice(damages)(rng.choice(sound), rng))
    return refused


def test_sound_files_load(tmp_path: Path, sound: list[bytes]) -> None:
    assert all(check(tmp_path / "made.gguf", each) for each in sound)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damaged_files_load_or_are_refused_soon_and_cheaply(
    tmp_path: Path, sound: list[bytes], damage: Callable[[bytes, random.Random], bytes]
) -> None:
    count = SLICE // len(DAMAGES)
    assert run(tmp_path, sound, range(count), (damage,)) > count // 4


@pytest.mark.exhaustive
def test_ten_thousand_damaged_files_load_or_are_refused_soon_and_cheaply(
    tmp_path: Path, sound: list[bytes]
) -> None:
    assert run(tmp_path, sound, range(MUTATIONS), DAMAGES) > MUTATIONS // 2


@pytest.mark.parametrize(
    "value",
    [array(UINT8, 4 << 20, bytes(4 << 20)), array(STRING, 1, text(bytes(4 << 20)))],
    ids=["numbers", "texts"],
)
def test_many_long_lists_are_refused_soon_and_cheaply(tmp_path: Path, value: bytes) -> None:
    file = saved(tmp_path, gguf({f"a.{number}": (ARRAY, value) for number in range(30)}))
    with pytest.raises(ModelError, match="more metadata than a model has"):
        soon_and_cheaply(lambda: read_gguf(file), SECONDS, MANY_BYTES)


TOKENIZER: bytes = tiny_tokenizer().to_str().encode()


def tokenizer_file(rng: random.Random) -> bytes:
    """A damaged tokenizer.json."""
    whole = TOKENIZER
    start, size = rng.randrange(len(whole)), rng.choice([1, 1, 1, 4, 100])
    kinds = [
        whole[:start],
        whole[:start] + bytes([whole[start] ^ 1 << rng.randrange(8)]) + whole[start + 1 :],
        whole[:start] + whole[start + size :],
        whole[:start] + whole[start : start + size] * 2 + whole[start:],
        whole[:start]
        + rng.choice([b"[" * 100_000, b"9" * 1000, b'"', b"null", b"-1", b"{}", b"\xff"])
        + whole[start + size :],
    ]
    return rng.choice(kinds)


@pytest.mark.parametrize("count", [150, pytest.param(MUTATIONS, marks=pytest.mark.exhaustive)])
def test_damaged_tokenizers_load_or_are_refused_soon_and_lose_no_byte(
    tmp_path: Path, count: int
) -> None:
    for seed in range(count):
        (tmp_path / "tokenizer.json").write_bytes(tokenizer_file(random.Random(seed)))
        try:
            tokenizer = soon_and_cheaply(lambda: Tokenizer.read(tmp_path), SECONDS, BYTES)
        except ModelError as error:
            message = str(error)
            assert "\n" not in message, seed
            continue
        text = "def f(x):\n\treturn 'é'"
        pieces = [tokenizer.piece(number) for number in tokenizer.encode(text)]
        assert b"".join(piece for piece in pieces if isinstance(piece, bytes)) == text.encode(), (
            seed
        )
