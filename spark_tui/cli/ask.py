"""`spark ask`: a chat model answers a question.

The answer goes to stdout as it comes; nothing is edited.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.cli import output
from spark_tui.cli.common import (
    add_model_argument,
    notice,
    open_session,
    read_stdin,
    settings_of,
)
from spark_tui.mentions import parse_place, read_request

if TYPE_CHECKING:
    from spark_tui.providers.base import Waits
    from spark_tui.session.ask import Anew, QuestionFile
    from spark_tui.session.session import Session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark ask`."""
    parser.add_argument("question", help="the question; - reads it from stdin")
    parser.add_argument(
        "--file", action="append", default=[], metavar="PATH", help="show it this file (repeatable)"
    )
    parser.add_argument(
        "--at", metavar="PLACE", help="show it PATH:FIRST-LAST, PATH::Symbol.name or PATH"
    )
    parser.add_argument("--max-tokens", type=int, metavar="N", help="the most tokens of the answer")
    add_model_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Answer one question.

    Returns:
        0.

    Raises:
        SparkError: What was said until then stays on stdout.
    """
    from spark_tui.session.ask import MOST_TOKENS

    words = read_stdin() if args.question == "-" else args.question
    with closing(open_session(Path(args.folder), settings_of(args), once=True)) as session:
        words, shown = _question(session, words, args)
        most = MOST_TOKENS if args.max_tokens is None else args.max_tokens
        with closing(session.asking.answer(words, shown, most=most)) as answer:
            _tell(answer)
    return 0


def _question(
    session: "Session", words: str, args: argparse.Namespace
) -> "tuple[str, list[QuestionFile]]":
    """The question, and what it is about: what the options name, else what its words name."""
    from spark_tui.session.ask import QuestionFile
    from spark_tui.session.request import Request

    if args.file or args.at is not None:
        return words, _shown(session, args)
    request = Request(**read_request(words, session.mentions.file_named))
    return request.instruction, [*QuestionFile.told(request, session.mentions)]


def _shown(session: "Session", args: argparse.Namespace) -> "list[QuestionFile]":
    from spark_tui.session.ask import QuestionFile
    from spark_tui.session.request import Request

    start = Path(args.folder).resolve()
    found = [QuestionFile(session.repo.resolve(path, start=start)) for path in args.file]
    if args.at is None:
        return found
    place = parse_place(args.at)
    path = session.repo.resolve(place.path, start=start)
    return [
        *found,
        *QuestionFile.told(Request("", path, place.lines, place.symbol), session.mentions),
    ]


def _tell(answer: Iterator["str | Waits | Anew"]) -> None:
    """Show it, and what it waits for once: on a terminal as it comes, to a program only when it
    is all answer.
    """
    from spark_tui.session.ask import Anew

    live = sys.stdout.isatty()
    parts: list[str] = []
    told = ""
    try:
        for item in answer:
            if isinstance(item, str):
                parts.append(item)
                if live:
                    output.show_part(item)
            elif isinstance(item, Anew):
                if live and parts:
                    output.show("")
                parts.clear()
                if item.reason:
                    notice(item.reason)
            elif item.line not in ("", told):
                told = item.line
                notice(told)
    finally:
        if parts and not live:
            output.show_part("".join(parts))
    if not "".join(parts[-1:]).endswith("\n"):
        output.show("")
