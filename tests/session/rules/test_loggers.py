"""What is logged with has to be there."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.loggers import no_logger

LOAD = ("def load(path):", "    print(path)")


@pytest.mark.parametrize(
    ("head", "call", "why"),
    [
        ("import os", "log.warning", "a.py has no log; add one first: log = logging.getLogger(__name__)"),
        ("import os", "logging.info", "a.py has no logging; add one first: import logging"),
        ("import logging", "logging.info", ""),
        ("log = make()", "log.warning", ""),
        ("from shop import log", "log.warning", ""),
        ("import os", "math.log", ""),
    ],
)
@pytest.mark.parametrize("found_by", ["lines", "symbol"])
def test_a_logger_that_is_not_there_is_asked_for(head: str, call: str, why: str, found_by: str) -> None:
    file, after = [head, "", "", *LOAD], [LOAD[0], f"    {call}(path)"]
    code = Code("log it", "a.py", Region("a.py", 4, 5, None, None, "", found_by), LOAD, file)
    assert no_logger("log it", code, after) == why


def test_of_lines_without_their_file_nothing_is_known() -> None:
    code = Code("log it", "a.py", Region("a.py", 1, 2, None, None, "", "lines"), LOAD, LOAD)
    assert not no_logger("log it", code, [LOAD[0], "    log.info(path)"])
