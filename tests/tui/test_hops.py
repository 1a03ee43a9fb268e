"""How many functions lie between a key and what it does; `python -m tests.hops` names them."""

from pathlib import Path

import pytest

from tests.hops import trace


@pytest.mark.usefixtures("every_frame")
async def test_no_leg_of_an_instruction_takes_more_hops_than_allowed(tmp_path: Path) -> None:
    measured = await trace(tmp_path)
    assert len(measured) == 3
    for path in measured:
        assert path.hops <= path.leg.most, str(path)
