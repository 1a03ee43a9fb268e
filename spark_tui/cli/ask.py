"""`spark ask`: a chat model answers a question.

The answer goes to stdout, on a terminal as it comes; nothing is edited.
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
    add_no_serve_argument,
    advising_to_allow,
    notice,
    open_session,
    read_stdin,
    settings_of,
)
from spark_tui.mentions import parse_place, read_request

if TYPE_CHECKING:
    from spark_tui.providers.base import Waits
    from spark_tui.session.ask import Anew, QuestionFile, Spoken
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
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="PATH",
        help="allow sending PATH, which may hold secrets (repeatable)",
    )
    parser.add_argument("--max-tokens", type=int, metavar="N", help="the most tokens of the answer")
    add_model_argument(parser)
    add_no_serve_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Answer one question.

    Returns:
        0.

    Raises:
        SparkError: Nobody answers; what came of the answer until then stays on stdout.
    """
    from spark_tui.session.ask import MOST_TOKENS

    question = args.question
    if question == "-":
        question = read_stdin()
    most = args.max_tokens
    if most is None:
        most = MOST_TOKENS
    opened = open_session(
        Path(args.folder), settings_of(args), once=True, serve=not args.no_serve, talks=True
    )
    with closing(opened) as session:
        start = Path(args.folder).resolve()
        session.disclosure.allow(session.repo.resolve(path, start=start) for path in args.allow)
        words, files = _question(session, question, args)
        with (
            advising_to_allow(),
            closing(session.asking.answer(words, files, most=most)) as answer,
        ):
            _show(answer)
    return 0


def _question(
    session: "Session", words: str, args: argparse.Namespace
) -> "tuple[str, list[QuestionFile]]":
    """Return the question and what it is about: what the options name, else what its words name."""
    from spark_tui.session.ask import QuestionFile
    from spark_tui.session.request import Request

    if args.file or args.at is not None:
        return words, _question_files(session, args)
    request = Request(**read_request(words, session.mentions.file_named))
    return request.instruction, [*QuestionFile.named_in(request, session.mentions)]


def _question_files(session: "Session", args: argparse.Namespace) -> "list[QuestionFile]":
    """Return what the user points to, from the files of the work tree."""
    from spark_tui.session.ask import QuestionFile
    from spark_tui.session.request import Request

    start = Path(args.folder).resolve()
    files = []
    for path in args.file:
        files.append(QuestionFile(session.repo.resolve(path, start=start)))
    if args.at is not None:
        place = parse_place(args.at)
        path = session.repo.resolve(place.path, start=start)
        request = Request("", path, place.lines, place.symbol)
        files += QuestionFile.named_in(request, session.mentions)
    return files


def _show(answer: "Spoken") -> None:
    """Show an answer: on a terminal as it comes, to a program only once it is complete.

    What the answer waits for is shown once, on stderr.
    """
    from spark_tui.session.ask import Anew

    live = sys.stdout.isatty()
    parts: list[str] = []
    last_wait = ""
    try:
        for item in _read(answer):
            if isinstance(item, str):
                parts.append(item)
                if live:
                    output.show_part(item)
            elif isinstance(item, Anew):
                # What came stays on the terminal above; a program gets the new answer alone.
                if live and parts:
                    output.show("")
                parts.clear()
                if item.reason:
                    notice(item.reason)
            elif item.line not in ("", last_wait):
                last_wait = item.line
                notice(last_wait)
    finally:
        if parts and not live:
            output.show_part("".join(parts))
    ends_line = bool(parts) and parts[-1].endswith("\n")
    if not ends_line:
        output.show("")


def _read(answer: "Spoken") -> "Iterator[str | Waits | Anew]":
    """Show how much of the prompt is read, on a terminal, and yield everything else."""
    from spark_tui.providers.base import PromptProgress, Waits

    live = sys.stderr.isatty()
    is_shown = False
    try:
        for item in answer:
            if isinstance(item, PromptProgress):
                is_shown = live
                if live:
                    output.rewrite(f"reading, {item.done:,} of {item.total:,} tokens")
                continue
            if is_shown and not (isinstance(item, Waits) and not item.line):
                is_shown = False
                output.rewrite("")
            yield item
    finally:
        if is_shown:
            output.rewrite("")
