"""An endpoint that runs a model taught to quote.

The prompt, the grammar and the confidence are those in process.

The model's tokenizer and answering.json are read here; its weights run there.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from http import HTTPStatus
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Any

from spark_tui.answering.calibration import Calibration
from spark_tui.answering.completion_stream import CompletedToken
from spark_tui.answering.completion_writer import (
    LIKELY,
    Completed,
    CompletionWriter,
    Script,
)
from spark_tui.answering.embedded import vocabulary_of
from spark_tui.answering.quoting_prompt import QuotingPrompt
from spark_tui.answering.remote import Server
from spark_tui.answering.remote_answers import Remote
from spark_tui.answering.remote_faults import Patience, Waiting, is_never_final
from spark_tui.answering.script_writer import begun_tokens
from spark_tui.answering.seam import Ability, Answer, Answerer, Ask, EditKind
from spark_tui.editing.quoted_draft import QuotedDraft
from spark_tui.editing.quoting import Request, script_pieces, write_quoted
from spark_tui.editing.quoting_gbnf import write_gbnf
from spark_tui.editing.quoting_grammar import Vocabulary
from spark_tui.endpoints import Endpoint
from spark_tui.engine.library import find_model, list_models
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import SparkError, Transient, UsageError

FORMAT = "quoting"
_MOST_READ = 8192
"""Tokens of the longest prompt and answer, as in process."""
_ROOM = 512
"""Tokens for words and an answer, where the lines are to be chosen."""
_REFUSED = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.NOT_IMPLEMENTED,
    }
)
"""What servers answer to a request that has something they do not know."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a request holds besides what every server takes.

    Attributes:
        tokens: The prompt as tokens; else as text, which may be split otherwise at blank lines.
        grammar: GBNF, under the names that servers have for it.
        logprobs: The likeliest tokens of each place are asked for.
    """

    tokens: bool = True
    grammar: bool = True
    logprobs: bool = True


FORMS = tuple(Form(tokens, grammar, logprobs) for grammar, logprobs, tokens in product((True, False), repeat=3))
"""What is tried with a server, until it refuses nothing."""


class RemoteQuoting(Answerer):
    """Answers with an endpoint whose model quotes. One answer at a time.

    Args:
        server: The endpoint.
        folder: The model's folder here: its tokenizer.json and answering.json are read.

    Raises:
        ModelError: These files are missing or damaged.
    """

    standing = ""
    """What the user wants of every answer; a model that quotes is not told."""

    def __init__(self, server: Server, folder: Path) -> None:
        self._server, self._folder = server, folder
        self.name = server.endpoint.name
        self.context = min(server.endpoint.context, _MOST_READ)
        """Tokens that the prompt and the answer may take together."""
        self._calibration = Calibration.read(folder) or Calibration()
        self._form: Form | None = None
        self._tells_logprobs = True
        self._reply: Completed | None = None
        self._on_failure: Callable[[str], None] | None = None
        self._is_final: Callable[[SparkError], bool] = is_never_final

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer.read(self._folder)

    @property
    def _vocabulary(self) -> Vocabulary:
        return vocabulary_of(self._tokenizer, self._tokenizer.vocab_size)

    @property
    def _prompt(self) -> QuotingPrompt:
        return QuotingPrompt(self._tokenizer, self.context, self._calibration.conversation)

    @property
    def can(self) -> Ability:
        """See `Answerer`: until the first answer a server is taken to tell log-probabilities."""
        if not self._tells_logprobs:
            return Ability.BEGIN | Ability.READ_AHEAD
        known = Ability.BEGIN | Ability.READ_AHEAD | Ability.PROBABILITIES
        return known | Ability.PREVIOUS if self._calibration.conversation else known

    @property
    def sure(self) -> float:
        """See `Answerer`."""
        return self._calibration.sure

    @property
    def done(self) -> float:
        """See `Answerer`."""
        return self._calibration.done

    @property
    def cost(self) -> float | None:
        """See `Answerer`."""
        endpoint = self._server.endpoint
        spent = self._reply.spent if self._reply else None
        if not spent or not (endpoint.price_in or endpoint.price_out):
            return None
        return (spent[0] * endpoint.price_in + spent[1] * endpoint.price_out) / 1e6

    def close(self) -> None:
        """Close its connections, for good."""
        self._server.close()

    @contextmanager
    def on_failure(
        self, told: Callable[[str], None], is_final: Callable[[SparkError], bool] = is_never_final
    ) -> Iterator[None]:
        """Let someone decide for a while about answers that break off, as `Remote.on_failure`."""
        before = self._on_failure, self._is_final
        self._on_failure = told
        self._is_final = is_final
        try:
            yield
        finally:
            self._on_failure, self._is_final = before

    def prompt(self, request: Request) -> list[int]:
        """See `Answerer`."""
        return self._prompt.tokens(request)

    def write(self, ask: Ask) -> CompletionWriter:
        """See `Answerer`."""
        prompt = self.prompt(ask.request)
        self._server.key()
        room = max(1, min(ask.max_tokens, self.context - len(prompt)))
        begun = begun_tokens(ask, self._vocabulary, room)
        return CompletionWriter(self, self._vocabulary, ask, room, begun)

    def draft(self, lines: Sequence[str]) -> QuotedDraft:
        """See `Answerer`."""
        return QuotedDraft(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Answerer`."""
        if not self._prompt.is_readable(lines):
            return False
        tokens = len(self._prompt.spell(line + "\n" for line in lines))
        return tokens + min(_ROOM, self.context // 4) <= self.context

    def chance(self, answers: Sequence[Answer], kind: EditKind = EditKind.PLAIN) -> float | None:
        """See `Answerer`: None where the server tells no log-probabilities."""
        return self._calibration.chance(answers, kind) if self._tells_logprobs else None

    def score(self, request: Request, results: Sequence[Sequence[str]]) -> Iterator[tuple[int, float]]:
        """How likely it is that nothing changes; other results would have to be sent."""
        for index, lines in enumerate(results):
            if tuple(lines) == request.lines:
                for logprob in self._score_nothing(request):
                    if logprob is not None:
                        yield index, logprob

    def read_ahead(self, request: Request) -> Iterator[None]:
        """See `Answerer`: a connection is opened, and nothing is sent of the words or the lines."""
        self._server.warm()
        return iter(())

    def complete(
        self,
        script: Sequence[int],
        grammar: str,
        ask: Ask,
        *,
        number: int,
        most: int,
        text_only: bool = False,
    ) -> Generator[CompletedToken | Waiting | None, None, str | None]:
        """See `Completing`: what a server refuses is left out, from then on."""
        first: UsageError | Transient | None = None
        for form in [self._form] if self._form else FORMS:
            used = replace(form, logprobs=form.logprobs and not text_only)
            reply = self._ask(used, script, grammar, ask, number, most)
            try:
                yield from self._read(reply)
            except (UsageError, Transient) as error:
                if self._form or reply.status not in _REFUSED:
                    raise
                first = first or error
                continue
            self._form = form
            return reply.ended
        raise first or UsageError(f"{self.name} rejects the request; name another model")

    def interrupted(self, error: Transient) -> bool:
        """See `Completing`."""
        if not self._on_failure or self._is_final(error):
            return False
        self._on_failure(str(error).rpartition("; ")[0] or str(error))  # not what to do about it
        return True

    def _read(self, reply: Completed) -> Generator[CompletedToken | Waiting | None, None, None]:
        self._reply = reply
        tells = False
        with closing(iter(reply)) as items:
            for item in items:
                if isinstance(item, Waiting):
                    yield item
                    continue
                if item is not None:
                    tells = tells or item.logprob is not None
                    if self._form is None:
                        self._tells_logprobs = tells
                yield item

    def _ask(self, form: Form, script: Sequence[int], grammar: str, ask: Ask, number: int, most: int) -> Completed:
        options: dict[str, Any] = {"max_tokens": most, "temperature": ask.temperature}
        if ask.temperature > 0:
            options |= {"seed": ask.seed + number, "top_p": 1.0}
        if form.logprobs:
            options["logprobs"] = LIKELY
        if form.grammar:
            options |= _extensions(self._vocabulary.end)
            if grammar:
                options |= {"grammar": grammar, "structured_outputs": {"grammar": grammar}}
        if form.tokens:
            return self._server.complete([*self.prompt(ask.request), *script], options)
        written = b"".join(self._vocabulary.pieces[each] or b"" for each in script)
        text = "".join(self._prompt.pieces(ask.request)) + written.decode("utf-8", "ignore")
        return self._server.complete(text, options)

    def _score_nothing(self, request: Request) -> Iterator[float | None]:
        """The log-probability that nothing changes: that of its first token, the rest is forced."""
        pieces = script_pieces(write_quoted(request.lines, request.lines))
        first = self._vocabulary.spell(pieces[0])[0]
        script = Script(request.lines, self._vocabulary, 0)
        items = self.complete([], write_gbnf(request.lines), Ask(request), number=0, most=1)
        with closing(items):
            for item in items:
                if isinstance(item, CompletedToken):
                    yield script.logprob_of(first, item)
                    return
                yield None


def _extensions(end: int) -> dict[str, Any]:
    """What llama.cpp and vLLM take besides OpenAI's protocol: plain sampling, and ids of tokens."""
    return {
        "top_k": 0,
        "min_p": 0.0,
        "repeat_penalty": 1.0,
        "cache_prompt": True,
        "return_tokens_as_token_ids": True,
        "add_special_tokens": False,
        "stop_token_ids": [end],
    }


def remote_of(
    endpoint: Endpoint,
    added: Mapping[str, Path],
    known: Path | None = None,
) -> Remote | RemoteQuoting:
    """What answers with an endpoint; a busy one is not waited for where another takes over.

    Args:
        endpoint: What the configuration says.
        added: Models of the user's own, by name.
        known: The folder of what is known of endpoints.

    Raises:
        UsageError: The endpoint's model quotes and is not known here.
        ModelError: Its files are damaged.
    """
    patience = Patience(pauses=()) if endpoint.fallback else Patience()
    if endpoint.format != FORMAT:
        probes = endpoint.probe and known is not None
        return Remote(Server(endpoint, folder=known, patience=patience, probes=probes))
    server = Server(endpoint, folder=known, patience=patience)
    name = PurePosixPath(endpoint.model.rstrip("/")).name.removesuffix(".gguf")
    folder = added.get(name)
    if folder is None and name in list_models():
        folder = find_model(name)
    if folder is None or Calibration.read(folder) is None:
        raise UsageError(
            f"{endpoint.name} has format quoting and model {name}, which was not taught to quote or "
            f"is not known here; name the model spark-m, or `spark model add` its folder as {name}"
        )
    return RemoteQuoting(server, folder)
