"""Where a parameter is renamed and the attribute of its name is not, that is said."""

from pathlib import Path

import pytest

from spark_tui.editing.text import Text
from spark_tui.session.events import Status
from spark_tui.session.turn import Request
from spark_tui.session.wording.attributes_left import attribute_left
from tests.fakes import rename_script, scripted_session

ACCOUNT = "class Account:\n    def __init__(self, owner):\n        self.owner = owner\n        self.open = True\n"
SAID = "self.owner is left as it is; say self.owner to rename that, too"


def left(words: str, after: str) -> str:
    return attribute_left(words, Text.from_bytes(ACCOUNT.encode()), Text.from_bytes(after.encode()))


@pytest.mark.parametrize("words", ["rename owner to holder", "rename the attribute owner to holder in Account"])
def test_the_attribute_that_keeps_the_name_is_told(words: str) -> None:
    other = ACCOUNT.replace("owner)", "holder)").replace("= owner", "= holder")
    documented = other.replace("holder):", 'holder):\n        """Open it."""')
    assert left(words, other) == left(f"{words} and add a docstring", documented) == SAID


def test_where_nobody_may_have_meant_it_nothing_is_told() -> None:
    both, other = (
        ACCOUNT.replace("owner", "holder"),
        ACCOUNT.replace("owner)", "holder)").replace("= owner", "= holder"),
    )
    assert left("rename owner to holder", both) == ""
    assert left("rename self.owner to holder", ACCOUNT.replace("self.owner", "self.holder")) == ""
    assert left("rename the parameter owner to holder", other) == ""
    assert left("owner shadows the builtin, rename it to holder", other) == ""
    assert left("rename owner to holder, not self.owner", other) == ""
    assert left("rename open to shut", ACCOUNT.replace("open", "shut")) == ""


def test_it_is_said_beside_the_edit(tmp_path: Path) -> None:
    words = "rename owner to holder"
    scripts = {words: rename_script(ACCOUNT, "owner", "holder")}
    request = Request(words, "a.py", symbol="Account")
    turn = scripted_session(tmp_path, {"a.py": ACCOUNT}, scripts).begin(request)
    list(turn.events())
    assert turn.status is Status.OK
    assert turn.message.endswith(f"; {SAID}")
