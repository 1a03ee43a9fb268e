"""What a file calls its logger is what an edit calls it."""

import pytest

from spark_tui.editing.codemods.base import Request, applied
from spark_tui.editing.codemods.log_exception import LogException
from spark_tui.editing.codemods.statements.logging_words import logger_in
from spark_tui.editing.snippet import Around, Snippet

RETRY = ("try:", "    run()", "except OSError:", "    pass")


@pytest.mark.parametrize(
    ("lines", "logger"),
    [
        (["import logging", "log = logging.getLogger(__name__)"], "log"),
        (["LOG: logging.Logger = logging.getLogger()"], "LOG"),
        (["from app.tools import helper, logger"], "logger"),
        (["import logging", "def f(log = None): pass"], "logging"),
        (["import math", "    log = 1", "from math import log10"], "logger"),
        ([], "logger"),
    ],
)
def test_the_logger_of_a_file_is_its_own_or_the_module(lines: list[str], logger: str) -> None:
    assert logger_in(lines) == logger


def test_an_edit_logs_with_what_the_code_around_has() -> None:
    first = next(LogException().edits(Snippet(RETRY, Around("log")), Request("log the exception")))
    assert applied(Snippet(RETRY), first)[-1].startswith("    log.exception(")
