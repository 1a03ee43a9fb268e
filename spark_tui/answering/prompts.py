"""What chat models are told: the words as they were typed, the lines they are about, and how to answer."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from spark_tui.answering.conversation import Exchange, Question, changed_lines
from spark_tui.answering.seam import Message
from spark_tui.editing.fences import fence_for
from spark_tui.editing.headings import sections
from spark_tui.editing.quoting import Request

_ANSWER = (
    "You help somebody who works on text and code. Answer the question about the lines that are shown, shortly, in "
    "Markdown. Where you propose other lines, put them in a fenced code block."
)

_REWRITE = (
    "You edit text and code. You are given lines of a file and a request. Reply with all of these "
    "lines as they should be, in one fenced code block and nothing else. Keep every line that need "
    "not change exactly as it is, with its indentation. If nothing is to be changed, reply with one "
    "sentence that says why, and no code block. If you are asked a question, answer it in Markdown, "
    "with no code block."
)
_BLOCKS = """\
You edit text and code. You are given files and a request. Reply with blocks of this form, and little else:

path/to/file.py
<<<<<<< SEARCH
lines that stand in the file now
=======
the lines that should stand there
>>>>>>> REPLACE

The lines to search for must stand in the file exactly so, and only once: take a few lines around a change, and use \
several blocks rather than a long one. To make a new file, search for nothing. To delete a file, write its path and \
below it the one line <<<<<<< DELETE. If nothing is to be changed, reply with one sentence that says why. If you are \
asked a question, answer it in Markdown, with no block."""
_GO_ON = (
    "Your answer broke off there. Go on with the line that would come next, in the very same form, as if it had not; "
    "repeat nothing of it and say nothing else."
)


def rewrite_messages(
    request: Request, standing: str = "", around: str = "", before: Sequence[Exchange] = (), news: str = ""
) -> list[Message]:
    """Ask for a region once more, as `editing.rewriting` reads it.

    Args: standing: what holds for every request. around: a map of the repository. before: what was said earlier.
        news: what happened since.
    """
    said = [message for each in before for message in _said(each, _rewrite_words, _rewritten)]
    return [_system(_REWRITE, standing), *said, _message("user", _rewrite_words(request, around, news))]


def blocks_messages(
    request: Request, standing: str = "", around: str = "", before: Sequence[Exchange] = (), news: str = ""
) -> list[Message]:
    """Ask for blocks, as `editing.region_blocks` reads them.

    Args: request: about a region, or several files. standing, around, before, news: as for `rewrite_messages`.
    """
    said = [message for each in before for message in _said(each, _block_words, _block)]
    return [_system(_BLOCKS, standing), *said, _message("user", _block_words(request, around, news))]


def _said(
    exchange: Exchange, words: Callable[[Request, str, str], str], edit: Callable[[Exchange], str]
) -> list[Message]:
    """An exchange as two messages. Args: words: of a request. edit: an answer that no chat model gave."""
    asked = words(exchange.request, exchange.around, exchange.news)
    answer = exchange.answer.strip() or edit(exchange)
    return [_message("user", asked), _message("assistant", answer)]


def _rewrite_words(request: Request, around: str, news: str) -> str:
    if sections(request.lines):
        return _block_words(request, around, news)
    shown = f"Lines of {request.path}:\n\n{fenced(request.path, request.lines)}"
    return _together(news, *_map(around), shown, _asked(request))


def _block_words(request: Request, around: str, news: str) -> str:
    lines = request.lines
    files = {each.path: lines[each.start + 1 : each.stop] for each in sections(lines)}
    shown = [f"{path}\n{fenced(path, lines)}" for path, lines in (files or {request.path: lines}).items()]
    return _together(news, *_map(around), *shown, _asked(request))


def _together(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))


def _rewritten(exchange: Exchange) -> str:
    return fenced(exchange.request.path, exchange.lines)


def _block(exchange: Exchange) -> str:
    old, new = changed_lines(exchange.request.lines, exchange.lines)
    lines = [exchange.request.path, "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE"]
    return "\n".join(lines)


def question_messages(
    words: str,
    shown: Mapping[str, Sequence[str]],
    said: Sequence[Question] = (),
    standing: str = "",
    around: str = "",
) -> list[Message]:
    """Ask for an answer in words.

    Args:
        words: The question.
        shown: Lines, by what they are of.
        said: Questions before, with their answers; they are sent as they were.
        standing: What holds for every request.
        around: A map of the repository.
    """
    asked = [f"{what}\n{fenced(what.partition(':')[0], lines)}" for what, lines in shown.items()]
    before: list[Message] = []
    for each in said:
        before += [_message("user", each.asked), _message("assistant", each.answer)]
    return [_system(_ANSWER, standing), *before, _message("user", "\n\n".join([*_map(around), *asked, words]))]


def going_on(messages: Sequence[Message], begun: str) -> list[Message]:
    """The same with what was answered so far, to be gone on with. Args: begun: up to the end of a line."""
    return [*messages, _message("assistant", begun), _message("user", _GO_ON)] if begun else list(messages)


def opening(request: Request) -> str:
    """How the answer to `rewrite_messages` begins: its fence."""
    return f"{fence_for(request.lines)}{_language(request.path)}\n"


def _map(around: str) -> list[str]:
    return [f"What else is in the repository, by file and line:\n\n{around}"] if around else []


def _system(words: str, standing: str) -> Message:
    return _message("system", f"{words}\n\nWhat the user wants in any case:\n{standing}" if standing else words)


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content.strip()}


def fenced(path: str, lines: Sequence[str]) -> str:
    """Lines of a file in a fence that none of them ends."""
    mark = fence_for(lines)
    return "\n".join([mark + _language(path), *lines, mark])


def _language(path: str) -> str:
    return PurePosixPath(path).suffix.removeprefix(".")


def _asked(request: Request) -> str:
    parts = []
    if request.previous:
        parts += [f"The last edit, in {request.previous.path}, which was accepted: {request.previous.words.strip()}"]
        parts += [fenced("x.diff", request.previous.script), ""]
    if request.earlier:
        parts += ["Asked before:", *request.earlier, ""]
    if request.selected:
        parts += ["It is about these lines above all:", fenced(request.path, request.selected), ""]
    return "\n".join([*parts, f"Request: {request.words.strip()}"])
