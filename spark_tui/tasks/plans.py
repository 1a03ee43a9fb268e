"""A plan that a model writes before a task: a few steps, which the user may change."""

from collections.abc import Generator
from contextlib import closing

from spark_tui.providers.base import AnswerStarted, TokenGenerated
from spark_tui.session.request import refuse_too_long
from spark_tui.session.session import Session
from spark_tui.tasks.sandbox import shortened
from spark_tui.tasks.tools import list_files

_MOST_TOKENS = 800
_MOST_FILES = 4000
"""Characters of the list of files."""
_SYSTEM = """\
You plan a task in a repository for somebody who will carry it out. Write a list of two to eight \
steps, one a line, each begun with "- ": what to change, and in which file. Write nothing else, \
and no code."""


def write_plan(session: Session, words: str) -> Generator[str, None, None]:
    """Have the model write a plan.

    Args:
        words: The task.

    Yields:
        The whole text so far.

    Raises:
        UsageError: The words are too many, or the model only edits.
        SparkError: The model fails.
    """
    refuse_too_long(words)
    host = session.succession.host(session.succession.speaker())
    talker = host.talker
    around = session.mentions.map(words, {}, host.answerer.map_room)
    files = shortened(list_files(session.repo), _MOST_FILES)
    parts = [f"The task: {words}", f"The files:\n{files}"]
    if around:
        parts.append(f"What stands in them, by file and line:\n\n{around}")
    system = "\n\n".join(filter(None, [_SYSTEM, host.standing]))
    messages = [
        {"role": "system", "content": system},
        {"role": "user", "content": "\n\n".join(parts)},
    ]
    written = b""
    with closing(talker.talk(messages, most=_MOST_TOKENS)) as speech:
        for item in speech:
            match item:
                case TokenGenerated(piece=piece):
                    written += piece
                case AnswerStarted():
                    written = b""
            yield written.decode("utf-8", "replace")
