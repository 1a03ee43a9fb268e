"""The reader: every kind of value and tensor comes out, and whatever is wrong is told in one
line.
"""

import struct
from pathlib import Path

import numpy as np
import pytest

from spark_tui.engine.gguf import read_gguf
from spark_tui.errors import ModelError
from tests.engine import gguf_files as make
from tests.engine.gguf_files import array, gguf, info, saved, text

VALUES = np.arange(6, dtype="<f4").reshape(2, 3)
PADDED = VALUES.tobytes() + bytes(8)
ENTRIES = {
    "a.u8": (make.UINT8, b"\xff"),
    "a.i8": (make.INT8, b"\xff"),
    "a.u16": (make.UINT16, b"\xfe\xff"),
    "a.i16": (make.INT16, b"\xfe\xff"),
    "a.u32": (make.UINT32, struct.pack("<I", 1 << 31)),
    "a.i32": (make.INT32, struct.pack("<i", -5)),
    "a.f32": (make.FLOAT32, struct.pack("<f", 1e-6)),
    "a.bool": (make.BOOL, b"\x01"),
    "a.text": (make.STRING, text("é→😀")),
    "a.u64": (make.UINT64, struct.pack("<Q", 1 << 63)),
    "a.i64": (make.INT64, struct.pack("<q", -(1 << 63))),
    "a.f64": (make.FLOAT64, struct.pack("<d", 0.1)),
    "a.texts": (make.ARRAY, array(make.STRING, 2, text("x") + text(""))),
    "a.nested": (
        make.ARRAY,
        array(make.ARRAY, 2, array(make.STRING, 1, text("y")) + array(make.STRING, 0)),
    ),
    "a.none": (make.ARRAY, array(make.INT32, 0)),
}


def refusal(folder: Path, content: bytes) -> str:
    """The message the file is refused with."""
    with pytest.raises(ModelError) as caught:
        read_gguf(saved(folder, content))
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    assert "install the model again" in message or "name another model" in message
    return message


@pytest.mark.parametrize("version", [2, 3])
def test_every_kind_of_value_comes_out_as_it_was_put_in(tmp_path: Path, version: int) -> None:
    metadata = read_gguf(saved(tmp_path, gguf(ENTRIES, version=version))).metadata
    assert np.array_equal(metadata.pop("a.none"), np.zeros(0, np.int32))
    assert metadata == {
        "a.u8": 255,
        "a.i8": -1,
        "a.u16": 65534,
        "a.i16": -2,
        "a.u32": 1 << 31,
        "a.i32": -5,
        "a.f32": 1e-6,
        "a.bool": True,
        "a.text": "é→😀",
        "a.u64": 1 << 63,
        "a.i64": -(1 << 63),
        "a.f64": 0.1,
        "a.texts": ["x", ""],
        "a.nested": [["y"], []],
    }


def test_lists_of_numbers_are_arrays_of_their_type(tmp_path: Path) -> None:
    entries = {"a": (make.ARRAY, array(make.INT16, 3, struct.pack("<3h", 1, -2, 3)))}
    values = read_gguf(saved(tmp_path, gguf(entries))).metadata["a"]
    assert isinstance(values, np.ndarray)
    assert (values.dtype, values.tolist()) == (np.dtype("<i2"), [1, -2, 3])


def test_tensors_come_rows_first_each_at_its_own_place(tmp_path: Path) -> None:
    infos = [info("one", (3, 2)), info("two", (3, 2), offset=32)]
    tensors = read_gguf(saved(tmp_path, gguf({}, infos, PADDED + (VALUES + 6).tobytes()))).tensors
    assert np.array_equal(tensors["one"].values(), VALUES)
    assert np.array_equal(tensors["two"].values(), VALUES + 6)


def test_the_alignment_of_the_file_is_followed(tmp_path: Path) -> None:
    entries = {"general.alignment": (make.UINT32, struct.pack("<I", 8))}
    infos = [info("one", (3,)), info("two", (1,), offset=16)]
    content = gguf(entries, infos, np.array([1, 2, 3, 0, 4], "<f4").tobytes())
    assert read_gguf(saved(tmp_path, content)).tensors["two"].values() == [4]


def test_a_file_that_is_cut_while_it_is_read_is_told(tmp_path: Path) -> None:
    file = saved(tmp_path, gguf({}, [info("one", (3, 2))], PADDED))
    tensor = read_gguf(file).tensors["one"]
    values = tensor.values()
    file.write_bytes(b"")
    assert np.array_equal(values, VALUES)
    with pytest.raises(ModelError, match=r"made\.gguf: changed while it was read; "):
        tensor.values()


def test_rows_are_read_as_far_as_they_are_wanted(tmp_path: Path) -> None:
    tensor = read_gguf(saved(tmp_path, gguf({}, [info("one", (3, 2))], PADDED))).tensors["one"]
    assert np.array_equal(tensor.values(slice(1, 9)), VALUES[1:])


MANY = 1 << 40
WRONG = {
    "not a GGUF file": b"PK\x03\x04" + bytes(40),
    "GGUF version 1; this engine reads little-endian 2 and 3": gguf(version=1),
    "GGUF version 50331648": b"GGUF" + struct.pack(">I", 3) + bytes(16),
    "metadata entries, more than the file can hold": gguf(counts=(0, MANY)),
    "tensors, more than the file can hold": gguf(counts=(MANY, 0)),
    "more metadata than a model has": gguf(counts=(0, 1 << 20), data=bytes(1 << 21)),
    "'a' occurs twice": gguf()[:16]
    + struct.pack("<Q", 2)
    + 2 * (text("a") + struct.pack("<IB", make.BOOL, 1)),
    "a text of 70,000 bytes": gguf({"k" * 70_000: (make.BOOL, b"\x01")}),
    "truncated or damaged": gguf({"a": (make.STRING, struct.pack("<Q", 1 << 20) + b"short")}),
    "text that is not UTF-8": gguf({"a": (make.STRING, text(b"\xff\xfe"))}),
    "a value of unknown type 13": gguf({"a": (13, b"\x00")}),
    "a boolean that is neither 0 nor 1": gguf({"a": (make.BOOL, b"\x02")}),
    "lists nested too deeply": gguf({"a": (make.ARRAY, array(make.ARRAY, 1) * 10_000)}),
    "truncated or damaged (": gguf({"a": (make.ARRAY, array(make.FLOAT64, 1 << 60))}),
    "texts, more than the file can hold": gguf({"a": (make.ARRAY, array(make.STRING, MANY))}),
    "two tensors have the same name": gguf(
        {}, [info("one", (3, 2)), info("one", (3, 2))], 2 * PADDED
    ),
    "a tensor of 0 dimensions": gguf({}, [info("one", ())], PADDED),
    "a tensor of 5 dimensions": gguf({}, [info("one", (1,) * 5)], PADDED),
    "a tensor has number format 16": gguf({}, [info("one", (256,), kind=16)], PADDED),
    "a tensor of shape (2, 33)": gguf({}, [info("one", (33, 2), kind=8)], PADDED),
    "a tensor of shape (0,)": gguf({}, [info("one", (0,))], PADDED),
    "truncated or damaged (byte": gguf({}, [info("one", (1 << 36, 1 << 36))], PADDED),
    "tensor 'one' stands at 32": gguf({}, [info("one", (3, 2), offset=32)], 2 * PADDED),
    "tensor 'two' stands at 0": gguf({}, [info("one", (3, 2)), info("two", (3, 2))], 2 * PADDED),
    "general.alignment is 24": gguf({"general.alignment": (make.UINT32, struct.pack("<I", 24))}),
    "general.alignment is 'x'": gguf({"general.alignment": (make.STRING, text("x"))}),
}


@pytest.mark.parametrize("message", WRONG)
def test_a_damaged_file_is_refused_with_what_is_wrong(tmp_path: Path, message: str) -> None:
    assert message in refusal(tmp_path, WRONG[message])


@pytest.mark.parametrize("kept", range(0, 215, 7))
def test_a_file_cut_anywhere_is_refused(tmp_path: Path, kept: int) -> None:
    whole = gguf(
        {"a": ENTRIES["a.texts"]}, [info("one", (3, 2)), info("two", (3, 2), offset=32)], PADDED * 2
    )
    assert 210 < len(whole) < 270
    refusal(tmp_path, whole[:kept])


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.gguf").mkdir()
    for name in ("folder.gguf", "none.gguf"):
        with pytest.raises(ModelError, match=f"{name}: (missing|not a regular file)"):
            read_gguf(tmp_path / name)
