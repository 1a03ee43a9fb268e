"""What fits on a PE, and the errors that name the PE where something does not."""

import numpy as np
import pytest

from spark_tui.errors import UsageError
from spark_tui.wafer.fabric import Fabric, MemoryLedger


def test_bytes_add_up_by_name_and_come_back() -> None:
    memory = MemoryLedger(2, 3, 1000)
    memory.allocate("weights", np.arange(6).reshape(2, 3) * 100)
    memory.allocate("weights", 50)
    with memory.held("buffers", 450):
        assert memory.used.tolist() == [[500, 600, 700], [800, 900, 1000]]
    memory.release("weights")
    assert not memory.used.any()
    assert memory.entries == {}


def test_the_error_names_the_pe_with_the_greatest_need_and_what_it_holds() -> None:
    fabric = Fabric(4, 8)
    fabric.allocate("weights", 40_000)
    with pytest.raises(UsageError) as refused:
        fabric.allocate("KV", np.where(np.arange(32).reshape(4, 8) == 31, 8_910, 5_750))
    assert str(refused.value) == (
        "PE (3, 7) needs 52,310 of 49,152 bytes: code 3,400, weights 40,000, KV 8,910; "
        "take a larger grid"
    )


def test_what_is_refused_leaves_nothing_behind() -> None:
    memory = MemoryLedger(1, 1, 100)
    memory.allocate("weights", 100)
    with pytest.raises(UsageError), memory.held("buffers", 1):
        pytest.fail("a byte too many was taken")
    assert memory.used.item() == 100
    assert list(memory.entries) == ["weights"]


def test_a_buffer_is_given_back_when_its_block_fails() -> None:
    memory = MemoryLedger(1, 1, 100)
    with pytest.raises(ZeroDivisionError), memory.held("buffers", 100):
        raise ZeroDivisionError
    assert memory.used.item() == 0


def test_memory_may_be_filled_to_the_last_byte() -> None:
    fabric = Fabric(1, 1, sram=5000)
    fabric.allocate("weights", 5000 - fabric.memory.item())
    assert fabric.memory.item() == 5000


def test_code_that_does_not_fit_is_refused() -> None:
    with pytest.raises(UsageError, match=r"PE \(0, 0\) needs 3,400 of 2,048 bytes: code 3,400"):
        Fabric(2, 2, sram=2048)
