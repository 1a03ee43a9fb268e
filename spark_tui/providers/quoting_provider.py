"""The provider of spark-m, or another model taught to edit, on a server.

The prompt, the grammar and the calibration are those of `spark_model`: the tokenizer and
answering.json are read here, while the weights run there. `completion_writer` makes the answers,
`QuotingProvider` asks the server, and `remote_of` makes the provider of any endpoint.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from http import HTTPStatus
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Any

from spark_tui.config import Endpoint
from spark_tui.editing.formats.quoted import (
    QuotedDraft,
    QuotedRequest,
    script_pieces,
    write_quoted,
)
from spark_tui.editing.formats.quoted_grammar import (
    Vocabulary,
    write_gbnf,
)
from spark_tui.editing.formats.surroundings import NOWHERE, Surroundings
from spark_tui.engine.loader import find_model, list_models
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import Transient, UsageError
from spark_tui.providers.base import (
    Ability,
    AnswerFinished,
    EditKind,
    GenerationRequest,
    PromptProgress,
)
from spark_tui.providers.calibration import Calibration
from spark_tui.providers.completion_writer import Completed, Completing, CompletionWriter
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_errors import BusyWait, Patience
from spark_tui.providers.openai_provider import EndpointProvider, Remote
from spark_tui.providers.openai_stream import CompletedToken
from spark_tui.providers.quoted_script import Script
from spark_tui.providers.spark_model import QuotingPrompt, begun_tokens, vocabulary_of

LIKELY = 20
"""Likely tokens that are asked for at each place."""
FORMAT = "quoting"
_MOST_READ = 8192
"""Tokens of the longest prompt and answer, as in process."""
_ROOM = 512
"""Tokens for an instruction and an answer, where the lines are to be chosen."""
_REFUSED = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.NOT_IMPLEMENTED,
    }
)
"""The statuses of servers that do not know a parameter of a request."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a request: the parameters that not every server accepts.

    Attributes:
        tokens: Whether the prompt is sent as tokens; else as text, which the server may tokenize
            differently at blank lines.
        grammar: Whether the grammar is sent, under the names that servers have for it.
        logprobs: Whether the likeliest tokens of each place are asked for.
    """

    tokens: bool = True
    grammar: bool = True
    logprobs: bool = True


FORMS = tuple(
    Form(tokens, grammar, logprobs)
    # The last one changes fastest: tokens are given up first, then log-probabilities, the grammar
    # last.
    for grammar, logprobs, tokens in product((True, False), repeat=3)
)
"""The forms that are tried with a server in turn, until it accepts one."""


class QuotingProvider(EndpointProvider):
    """Answers with an endpoint whose model quotes.

    Attributes:
        context: Tokens of the prompt and the answer together.

    Args:
        server: The endpoint.
        folder: The model's folder here: its tokenizer.json and answering.json are read.

    Raises:
        ModelError: These files are missing or damaged.
    """

    def __init__(self, server: Server, folder: Path) -> None:
        super().__init__(server)
        self._folder = folder
        self.context = min(server.endpoint.context, _MOST_READ)
        self._calibration = Calibration.read(folder) or Calibration()
        self._form: Form | None = None
        """The form that the server accepts; None until it has accepted one."""
        self._tells_logprobs = True
        """Whether the server tells log-probabilities; taken for granted before the first answer."""
        self._reply: Completed | None = None

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
        """See `Provider`: until the first answer a server is taken to tell log-probabilities."""
        able = Ability.BEGIN | Ability.READ_AHEAD
        if self._tells_logprobs:
            able |= Ability.PROBABILITIES
        if self._tells_logprobs and self._calibration.conversation:
            able |= Ability.PREVIOUS
        return able

    @property
    def sure(self) -> float:
        """See `Provider`."""
        return self._calibration.sure

    @property
    def agreed(self) -> float:
        """See `Provider`."""
        return self._calibration.agreed

    @property
    def done(self) -> float:
        """See `Provider`."""
        return self._calibration.done

    def prompt(self, request: QuotedRequest) -> list[int]:
        """See `Provider`."""
        return self._prompt.tokens(request)

    def write(self, ask: GenerationRequest) -> CompletionWriter:
        """See `Provider`."""
        prompt = self.prompt(ask.request)
        self._server.key()
        room = max(1, min(ask.max_tokens, self.context - len(prompt)))
        begun = begun_tokens(ask, self._vocabulary, room)
        return CompletionWriter(self, self._vocabulary, ask, room, begun)

    def draft(self, lines: Sequence[str], around: Surroundings = NOWHERE) -> QuotedDraft:
        """See `Provider`."""
        return QuotedDraft(lines)

    def has_room(self, lines: Sequence[str]) -> bool:
        """See `Provider`."""
        if not self._prompt.is_readable(lines):
            return False
        tokens = len(self._prompt.spell(line + "\n" for line in lines))
        return tokens + min(_ROOM, self.context // 4) <= self.context

    def chance(
        self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN
    ) -> float | None:
        """See `Provider`: None where the server tells no log-probabilities."""
        if not self._tells_logprobs:
            return None
        return self._calibration.chance(answers, kind)

    def score(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, float]]:
        """See `Provider`: only the result without a change; others would have to be sent."""
        for index, lines in enumerate(results):
            if tuple(lines) != request.lines:
                continue
            for logprob in self._score_nothing(request):
                if logprob is not None:
                    yield index, logprob

    def complete(
        self,
        script: Sequence[int],
        grammar: str,
        ask: GenerationRequest,
        *,
        number: int,
        most: int,
        text_only: bool = False,
    ) -> Completing[str | None]:
        """See `ScriptCompleter`: parameters that the server refuses are left out from then on."""
        first: UsageError | Transient | None = None
        forms = [self._form] if self._form else FORMS
        for form in forms:
            used = replace(form, logprobs=form.logprobs and not text_only)
            reply = self._ask(used, script, grammar, ask, number, most)
            try:
                yield from self._read(reply)
            except (UsageError, Transient) as error:
                # A refusal of a form that was accepted before is about something else.
                if self._form or reply.status not in _REFUSED:
                    raise
                first = first or error
                continue
            self._form = form
            return reply.ended
        raise first or UsageError(f"{self.name} rejects the request; name another model")

    def interrupted(self, error: Transient) -> bool:
        """See `ScriptCompleter`."""
        return self._goes_on_after(error)

    def _read(self, reply: Completed) -> Completing[None]:
        """Read a reply, and find out whether the server tells log-probabilities."""
        self._reply = reply
        tells = False
        with closing(iter(reply)) as items:
            for item in items:
                if isinstance(item, BusyWait | PromptProgress):
                    yield item
                    continue
                if item is not None:
                    tells = tells or item.logprob is not None
                    # Only the first answer decides: later ones may come without log-probabilities
                    # on purpose.
                    if self._form is None:
                        self._tells_logprobs = tells
                yield item

    def _ask(
        self,
        form: Form,
        script: Sequence[int],
        grammar: str,
        ask: GenerationRequest,
        number: int,
        most: int,
    ) -> Completed:
        """Ask the server to go on from a script.

        Args:
            form: The form of the request.
            script: The tokens of the script so far.
            grammar: The grammar of what may follow, as GBNF; "" where that is not known.
            ask: The request.
            number: The number of the draw, counted from 0.
            most: The most tokens to write.
        """
        options: dict[str, Any] = {"max_tokens": most, "temperature": ask.temperature}
        if ask.temperature > 0:
            options["top_p"] = 1.0
            # Only the settings can switch it off: probes ask /chat/completions, not /completions.
            if self._server.endpoint.abilities.get("seed") is not False:
                options["seed"] = ask.seed + number
        if form.logprobs:
            options["logprobs"] = LIKELY
        if form.grammar:
            options |= _extensions(self._vocabulary.end)
            if grammar:
                # llama-server's name and vLLM's; each server ignores the other's.
                options |= {"grammar": grammar, "structured_outputs": {"grammar": grammar}}
        if form.tokens:
            return self._server.complete([*self.prompt(ask.request), *script], options)
        written = b"".join(self._vocabulary.pieces[token] or b"" for token in script)
        # A character that is not whole yet is left out; the server writes it again.
        text = "".join(self._prompt.pieces(ask.request)) + written.decode("utf-8", "ignore")
        return self._server.complete(text, options)

    def _score_nothing(self, request: QuotedRequest) -> Iterator[float | None]:
        """Yield the log-probability that nothing changes, after None for each moment of waiting.

        The script that changes nothing is decided by its first token; the others are forced.
        """
        pieces = script_pieces(write_quoted(request.lines, request.lines))
        first = self._vocabulary.spell(pieces[0])[0]
        script = Script(request.lines, self._vocabulary, 0)
        items = self.complete(
            [], write_gbnf(request.lines), GenerationRequest(request), number=0, most=1
        )
        with closing(items):
            for item in items:
                if isinstance(item, CompletedToken):
                    yield script.logprob_of(first, item)
                    return
                yield None


def _extensions(end: int) -> dict[str, Any]:
    """Return the parameters of llama.cpp and vLLM for plain sampling and for ids of tokens.

    Args:
        end: The token that ends an answer.
    """
    # Nothing may bend the probabilities: they are to be those of the model, as in process.
    return {
        "top_k": 0,
        "min_p": 0.0,
        "repeat_penalty": 1.0,
        "cache_prompt": True,
        "return_progress": True,
        "return_tokens_as_token_ids": True,
        "add_special_tokens": False,
        "stop_token_ids": [end],
    }


def remote_of(
    endpoint: Endpoint,
    added: Mapping[str, Path],
    known: Path | None = None,
    *,
    waits: bool = False,
) -> Remote | QuotingProvider:
    """Make the provider of an endpoint.

    A busy endpoint is not waited for where another one takes over.

    Args:
        endpoint: The endpoint, as configured.
        added: The user's own models, by name.
        known: The folder that keeps the abilities of endpoints.
        waits: Whether the requests of others go first, where the endpoint can be told.

    Raises:
        UsageError: The endpoint's model quotes and is not known here.
        ModelError: The files of the model are damaged.
    """
    patience = Patience(pauses=()) if endpoint.fallback else Patience()
    if endpoint.format != FORMAT:
        probes = endpoint.probe and known is not None
        server = Server(endpoint, folder=known, patience=patience, probes=probes, waits=waits)
        return Remote(server)
    server = Server(endpoint, folder=known, patience=patience)
    # The tokenizer and the calibration are those of the model here that the server's model is
    # called after.
    name = PurePosixPath(endpoint.model.rstrip("/")).name.removesuffix(".gguf")
    folder = added.get(name)
    if folder is None and name in list_models():
        folder = find_model(name)
    if folder is None or Calibration.read(folder) is None:
        raise UsageError(
            f"{endpoint.name} has format quoting and model {name}, which was not taught to "
            f"quote or is not known here; name the model spark-m, or `spark model add` its folder "
            f"as {name}"
        )
    return QuotingProvider(server, folder)
