"""Writes the manual page from the parsers of the command line: `python -m tests.man_page`.

The page is kept as a file, as to build a wheel would otherwise need all that spark imports.
"""

import os
from pathlib import Path

from spark_tui.cli.main import whole_parser

PAGE = Path(__file__).parent.parent / "examples" / "spark.1"


def manual_page() -> str:
    """Return the page, as troff."""
    from argparse_manpage.manpage import Manpage  # only to write a page, not to read one

    parser = whole_parser()
    parser.usage = "spark [options] [PROMPT | COMMAND ...]"
    parser.epilog = None  # the list of the commands, which the page has anyway
    title = {"description": "a pair programmer for the terminal", "manual_title": "spark"}
    page = Manpage(parser, _data=title)
    page.date = ""  # the same page on every day
    return str(page)


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"  # argparse would take the terminal's
    PAGE.write_text(manual_page())
