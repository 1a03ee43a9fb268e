"""The manual page, which is written from the command line, keeps up with it."""

import pytest

from spark_tui.cli.completion import actions_of
from spark_tui.cli.main import COMMANDS, whole_parser
from tests.man_page import PAGE, manual_page

ANEW = "write the page anew: python -m tests.man_page"


def test_the_page_has_all_commands_and_options() -> None:
    page = PAGE.read_text().replace("\\-", "-")
    for name in COMMANDS:
        assert f"'spark {name}'" in page, ANEW
    for action in actions_of(whole_parser()):
        for option in action.option_strings:
            assert f"\\fB{option}\\fR" in page or action.dest == "help", ANEW


def test_the_page_can_be_written_anew() -> None:
    pytest.importorskip("argparse_manpage")
    assert manual_page().startswith('.TH SPARK "1"')
