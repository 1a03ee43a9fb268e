"""Writes the prompts of chat models: rules, the lines, and the instruction as it was typed.

How well a model answers depends on these words: change none without a measurement.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from spark_tui.editing.formats.fences import fence_for
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.line_diff import sections
from spark_tui.providers.base import Message
from spark_tui.providers.conversation import Exchange, Question, changed_lines

_ANSWER = (
    "You help somebody who works on text and code. Answer the question about the lines that are "
    "shown, shortly, in Markdown. Where you propose other lines, put them in a fenced code block."
)
_REWRITE = (
    "You edit text and code. You are given lines of a file and a request. Reply with all of these "
    "lines as they should be, in one fenced code block and nothing else. Keep every line that need "
    "not change exactly as it is, with its indentation. If nothing is to be changed, reply with "
    "one sentence that says why, and no code block. If you are asked a question, answer it in "
    "Markdown, with no code block."
)
_JUDGE = "You edit code. Change only what is asked for, and output all lines of the code."
_BLOCK_RULES = """\
You edit text and code. You are given files and a request. Reply with blocks of this form, and \
little else:

path/to/file.py
<<<<<<< SEARCH
lines that stand in the file now
=======
the lines that should stand there
>>>>>>> REPLACE

The lines to search for must stand in the file exactly so, and only once: take a few lines around \
a change, and use several blocks rather than a long one. To make a new file, search for nothing. \
To delete a file, write its path and below it the one line <<<<<<< DELETE. If nothing is to be \
changed, reply with one sentence that says why. If you are asked a question, answer it in \
Markdown, with no block."""
_GO_ON = (
    "Your answer broke off there. Go on with the line that would come next, in the very same form, "
    "as if it had not; repeat nothing of it and say nothing else."
)


def rewrite_messages(
    request: QuotedRequest,
    standing: str = "",
    around: str = "",
    before: Sequence[Exchange] = (),
    news: str = "",
) -> list[Message]:
    """Ask for a region once more, as `editing.formats.rewrite` reads it.

    Args:
        request: The instruction and the region.
        standing: What the user wants of every answer.
        around: A map of the repository.
        before: The earlier exchanges.
        news: What happened since the last exchange.
    """
    messages = [_system(_REWRITE, standing)]
    for exchange in before:
        messages += _turn_before(exchange, _rewrite_words, _rewritten)
    messages.append(_message("user", _rewrite_words(request, around, news)))
    return messages


def blocks_messages(
    request: QuotedRequest,
    standing: str = "",
    around: str = "",
    before: Sequence[Exchange] = (),
    news: str = "",
) -> list[Message]:
    """Ask for blocks, as `editing.formats.search_replace` reads them.

    Args:
        request: The instruction, and a region or several files.
        standing: What the user wants of every answer.
        around: A map of the repository.
        before: The earlier exchanges.
        news: What happened since the last exchange.
    """
    messages = [_system(_BLOCK_RULES, standing)]
    for exchange in before:
        messages += _turn_before(exchange, _block_words, _block)
    messages.append(_message("user", _block_words(request, around, news)))
    return messages


def _turn_before(
    exchange: Exchange,
    words: Callable[[QuotedRequest, str, str], str],
    edit: Callable[[Exchange], str],
) -> list[Message]:
    """Write an exchange as two messages.

    Args:
        exchange: The exchange.
        words: Writes the message of a request.
        edit: Writes the answer, where another kind of model gave it.
    """
    question = words(exchange.request, exchange.around, exchange.news)
    answer = exchange.answer.strip() or edit(exchange)
    return [_message("user", question), _message("assistant", answer)]


def _rewrite_words(request: QuotedRequest, around: str, news: str) -> str:
    """Write the message that asks for a region once more."""
    if sections(request.lines):
        return _block_words(request, around, news)
    shown = f"Lines of {request.path}:\n\n{fenced(request.path, request.lines)}"
    return _together(news, *_map(around), shown, _asked(request))


def _block_words(request: QuotedRequest, around: str, news: str) -> str:
    """Write the message that asks for blocks."""
    lines = request.lines
    # A region of several files has a heading line before each file.
    files = {file.path: lines[file.start + 1 : file.stop] for file in sections(lines)}
    if not files:
        files = {request.path: lines}
    shown = [f"{path}\n{fenced(path, file_lines)}" for path, file_lines in files.items()]
    return _together(news, *_map(around), *shown, _asked(request))


def _together(*parts: str) -> str:
    """Join the parts of a message that are not empty."""
    return "\n\n".join(filter(None, parts))


def _rewritten(exchange: Exchange) -> str:
    """Write the edit of an exchange as the region once more."""
    return fenced(exchange.request.path, exchange.lines)


def _block(exchange: Exchange) -> str:
    """Write the edit of an exchange as a block."""
    old, new = changed_lines(exchange.request.lines, exchange.lines)
    lines = [exchange.request.path, "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE"]
    return "\n".join(lines)


def question_messages(
    words: str,
    shown: Mapping[str, Sequence[str]],
    earlier: Sequence[Question] = (),
    standing: str = "",
    around: str = "",
) -> list[Message]:
    """Ask for an answer in words.

    Args:
        words: The question.
        shown: Lines to show, by their place (`PATH` or `PATH:LINES`).
        earlier: The earlier questions with their answers; they are sent as they were.
        standing: What the user wants of every answer.
        around: A map of the repository.
    """
    messages = [_system(_ANSWER, standing)]
    for question in earlier:
        messages.append(_message("user", question.asked))
        messages.append(_message("assistant", question.answer))
    quotes = [
        f"{place}\n{fenced(place.partition(':')[0], lines)}" for place, lines in shown.items()
    ]
    messages.append(_message("user", "\n\n".join([*_map(around), *quotes, words])))
    return messages


def judging_messages(request: QuotedRequest) -> list[Message]:
    """Ask for a region once more, of a model that need not write it: see `Judge`.

    In these words a model that was taught nothing of them ranked answers best.
    """
    shown = f"{request.path}\n{fenced(request.path, request.lines)}"
    words = "\n".join([*_context(request), request.words.strip()])
    return [_message("system", _JUDGE), _message("user", _together(shown, words))]


def going_on(messages: Sequence[Message], begun: str) -> list[Message]:
    """Ask a model to go on with its answer.

    Args:
        messages: The conversation.
        begun: The answer so far, up to the end of a line; "" adds nothing.
    """
    if begun:
        return [*messages, _message("assistant", begun), _message("user", _GO_ON)]
    return list(messages)


def opening(request: QuotedRequest) -> str:
    """Return the beginning of the answer to `rewrite_messages`: its fence."""
    return f"{fence_for(request.lines)}{_language(request.path)}\n"


def _map(around: str) -> list[str]:
    """Return the part of a message with the map of the repository, where there is one."""
    return [f"What else is in the repository, by file and line:\n\n{around}"] if around else []


def _system(words: str, standing: str) -> Message:
    """Write the system's message."""
    if standing:
        words = f"{words}\n\nWhat the user wants in any case:\n{standing}"
    return _message("system", words)


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content.strip()}


def fenced(path: str, lines: Sequence[str]) -> str:
    """Put lines of a file in a fence that none of them ends."""
    mark = fence_for(lines)
    return "\n".join([mark + _language(path), *lines, mark])


def _language(path: str) -> str:
    """Name the language of a fence: the suffix of the file."""
    return PurePosixPath(path).suffix.removeprefix(".")


def _asked(request: QuotedRequest) -> str:
    """Write the instruction with its context."""
    return "\n".join([*_context(request), f"Request: {request.words.strip()}"])


def _context(request: QuotedRequest) -> list[str]:
    """Write the context of an instruction, in lines that stand before it."""
    parts = []
    if request.previous:
        words = request.previous.words.strip()
        parts += [f"The last edit, in {request.previous.path}, which was accepted: {words}"]
        parts += [fenced("x.diff", request.previous.script), ""]
    if request.earlier:
        parts += ["Asked before:", *request.earlier, ""]
    if request.selected:
        parts += ["It is about these lines above all:", fenced(request.path, request.selected), ""]
    return parts
