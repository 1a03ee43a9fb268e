"""Which model takes a request over: the deep one, or the fallback of an endpoint.

A model is asked only where the configuration names it, as `deep` or as a `fallback`. Nothing here
reads the words of a request: the end of a turn decides who is next.
"""

from collections.abc import Mapping
from functools import partial

from spark_tui.context.regions import Region
from spark_tui.errors import Abstained, ConsentMissing, SparkError, Transient, UsageError
from spark_tui.providers.base import Ability, Talker
from spark_tui.providers.registry import Models, ProviderHost
from spark_tui.session.events import Status
from spark_tui.session.precedence import HERE
from spark_tui.session.repair.sandbox import TrialCommand
from spark_tui.session.request import Request
from spark_tui.session.second_model import SecondModel
from spark_tui.session.turn import Turn
from spark_tui.session.turn_factory import AgainTurn, TurnFactory, shown_paths
from spark_tui.vcs.repository import Repository

_NOT_SURE = frozenset({Status.UNSURE, Status.ABSTAINED})
FAILURES = (Transient, Abstained)
"""Errors that another model may not have; other errors lie in the request or the settings."""


class Succession:
    """The models that may answer one request, in the order in which they are asked. Mutable.

    Args:
        first: Makes the turns of the model that answers at once.
        repo: The repository of the session.
        models: The models known by name.
        deep: The name of the model that is asked where the first one is not sure; "" for none.
        judge: The name of the model that judges the answers of the first one; "" for none.
    """

    def __init__(
        self, first: TurnFactory, repo: Repository, models: Models, deep: str, judge: str = ""
    ) -> None:
        self._maker = first
        self._first = first.host
        self._repo = repo
        self._models = models
        self._deep = deep
        self._second: SecondModel | None = None
        if judge:
            self._second = SecondModel(models.short_name(judge), partial(self.host, judge))
        self._judge = judge
        self._makers: dict[str, TurnFactory] = {}

    @property
    def deep(self) -> str:
        """The name of the deep model; "" for none, or where it answers first anyway."""
        return "" if self._deep == self._first.name else self._deep

    def judge_of(self, turn: Turn) -> SecondModel | None:
        """The model that judges the answers of a turn; None for none.

        Only answers that are the likeliest of a model can be judged: those of the first model.
        """
        able = Ability.PROBABILITIES in turn.answerer.can
        return self._second if able and self._judge != turn.writer else None

    def load_judge_ahead(self) -> None:
        """Begin to load the model that judges, if there is one; the call does not wait."""
        if self._second is not None:
            self._second.load_ahead()

    @property
    def hosts(self) -> Mapping[str, ProviderHost]:
        """The hosts of the models that were asked besides the first one, by name."""
        return {name: maker.host for name, maker in list(self._makers.items())}

    @property
    def first(self) -> ProviderHost:
        """The host of the model that answers first."""
        return self._first

    def close(self) -> None:
        """Close the connections to endpoints."""
        for maker in list(self._makers.values()):
            maker.host.close()

    def maker(self, name: str) -> TurnFactory:
        """Return the factory of a model's turns; the weights are read once it is asked."""
        if name not in self._makers:
            maker = TurnFactory(
                self._repo,
                self._new_host(name),
                self._maker.conversation,
                self._maker.types,
                self._maker.disclosure,
            )
            maker.host.standing = self._first.standing
            self._makers[name] = maker
        return self._makers[name]

    def _new_host(self, name: str, *, waits: bool = False) -> ProviderHost:
        endpoint = self._models.endpoints.get(name)
        if endpoint is None:
            return ProviderHost(
                partial(self._models.load, name),
                writes_blocks=self._models.writes_blocks,
                thinking=self._models.thinking,
            )
        # Imports the network.
        from spark_tui.providers.quoting_provider import remote_of  # noqa: PLC0415

        added = self._models.added
        remote = remote_of(endpoint, added, self._models.abilities, waits=waits)
        return ProviderHost(lambda: self._first.loaded, remote)

    def speaker(self) -> str:
        """Name the model that answers questions: the deep one where the first one only edits."""
        speaks = isinstance(self._first.ready(), Talker)
        return self._first.in_use if speaks or not self.deep else self.deep

    def reason_to_ask(self, name: str) -> str:
        """Say in a line why a model answers a question; "" for the first one."""
        first = self._first.in_use
        return "" if name == first else f"{first} only edits: {name} is asked"

    def lane(self, name: str) -> str:
        """Name what a model computes on: `HERE`, or the address of its endpoint."""
        endpoint = self._models.endpoints.get(name)
        return HERE if endpoint is None else endpoint.base_url

    def host_beside(self, name: str) -> ProviderHost:
        """Make a host of its own for a model, which works beside the turns.

        A model of this process, or of a server of this machine, shares its weights with the turns,
        but no cache. A server or an endpoint that orders its requests has those of the turns go
        first.

        Raises:
            ModelError: The model cannot be used.
        """
        if name in self._models.endpoints:
            beside = self._new_host(name, waits=True)
        else:
            host = self.host(name)
            beside = ProviderHost(
                lambda: host.loaded,
                writes_blocks=self._models.writes_blocks,
                thinking=self._models.thinking,
            )
            beside.serve_beside(host)
        beside.standing = self._first.standing
        return beside

    def host(self, name: str) -> ProviderHost:
        """Return the host of a model that may be asked."""
        return self._first if name == self._first.in_use else self.maker(name).host

    def asks_at_once(self, turn: Turn) -> bool:
        """Whether the deep model is asked as soon as the first answer of a turn is not sure.

        The further answers of the first model would only keep the deep one waiting. A command that
        judges the answers does more than the chance can: there, all of them are tried first.
        """
        request = turn.request
        is_settled = turn.begun or turn.asked or request.keep or request.rename or turn.command
        is_bound = is_settled or request.become is not None
        is_first = len(turn.writers) == 1 and not is_bound
        return bool(self.deep) and is_first and self.may_read(self.deep, turn)

    def heir(self, turn: Turn, error: Exception | None = None) -> str:
        """Name the model that takes over from a turn which has ended.

        Args:
            turn: The turn.
            error: What ended it, if anything did.

        Returns:
            The name; "" where the turn stands as it is.
        """
        request = turn.request
        # What the user decided or began to write is not taken from under them, nor is there
        # anything to ask a model about in what no model wrote.
        settled = turn.file.touched or (turn.begun and error is None)
        if settled or request.keep or request.rename or request.become is not None:
            return ""
        # First the fallback of an endpoint that failed; then that of one whose answer is cut or
        # empty; then, once, the deep model for an answer that is not sure.
        name = self.substitute(turn, error)
        if error is None and (turn.is_cut or turn.is_empty):
            name = self.fallback(turn.writer)
        is_first = error is None and len(turn.writers) == 1
        is_first = is_first and not turn.asked
        if not name and is_first and turn.status in _NOT_SURE and not turn.reply:
            name = self.deep
        return name if self._may_follow(name, turn) else ""

    def _may_follow(self, name: str, turn: Turn) -> bool:
        """Whether a model was not asked before, and may read what the turn shows."""
        return bool(name) and name not in turn.writers and self.may_read(name, turn)

    def may_read(self, name: str, turn: Turn) -> bool:
        """Whether a model may read the files of a turn."""
        # Most files may be read by all; the host of a model, which imports the network, is made
        # only where that matters.
        if not self._maker.disclosure.private(shown_paths(turn.region, turn.base)):
            return True
        return self.maker(name).may_read(turn.region, turn.base)

    def substitute(self, turn: Turn, error: Exception | None) -> str:
        """Name the model that goes on where an endpoint fails; "" for none.

        Args:
            turn: What the endpoint was asked for.
            error: What ended it, if anything did.
        """
        name = self.fallback(turn.writer) if isinstance(error, FAILURES) else ""
        return name if self._may_follow(name, turn) else ""

    def fallback(self, name: str) -> str:
        """Name the model that is asked where an endpoint fails; "" for none."""
        endpoint = self._models.endpoints.get(name)
        return endpoint.fallback if endpoint else ""

    def reason_to_hand_over(self, turn: Turn, error: Exception | None) -> str:
        """Say why another model takes over the request of a turn that ended; "" if none does.

        Args:
            error: What ended the turn, if anything did.
        """
        name = self.heir(turn, error)
        return self.reason(turn, error, name) if name else ""

    def reason(self, turn: Turn, error: Exception | None, name: str) -> str:
        """Say in a line why another model is asked."""
        if error is not None:
            return handed_over(error, name, anew=len(turn.tape) > 0)
        if turn.is_cut and name != self.deep:
            return f"the answer of {turn.writer} was cut: {name} starts it anew"
        if turn.is_empty and name != self.deep:
            return f"{turn.writer} sent an empty answer: {name} is asked instead"
        why = "is not sure" if turn.status is Status.UNSURE else "finds no edit"
        return f"{turn.writer} {why}: {name} is asked"

    def create(self, number: str, before: Turn, name: str) -> Turn:
        """Make the turn of a model that takes over.

        Args:
            number: Names the turn.
            before: The turn that it takes over from.
            name: The model.

        Raises:
            SparkError: It cannot be asked.
        """
        maker = self.maker(name)
        if isinstance(before, AgainTurn):
            turn = maker.again(number, before.reviewed, before.asked, before.request)
        elif before.begun:
            self._refuse_foreign(maker, before)
            turn = maker.branch(number, before, before.begun)
        else:
            turn = self._turn_at(maker, number, before.request, before.region, before.command)
        turn.writers = (*before.writers, turn.writer)
        turn.before = before.before or before
        return turn

    def instead(
        self, number: str, request: Request, command: TrialCommand | None, problem: UsageError
    ) -> Turn:
        """Make the turn of the deep model where the first model can make none.

        Args:
            number: Names the turn.
            request: What is asked for.
            command: What the answer has to pass, if anything.
            problem: Why the first model can make no turn.

        Raises:
            UsageError: The problem itself, where no other model is named or the other one has it
                too.
        """
        if not self.deep or request.keep or request.become is not None:
            raise problem
        maker = self.maker(self.deep)
        try:
            return self._turn_at(maker, number, request, maker.mentions.find(request), command)
        except ConsentMissing:
            raise
        except SparkError as error:
            # Both models name the same problem: the user need not read it twice.
            if str(error) in str(problem):
                raise problem from error
            raise UsageError(f"{problem}; {error}") from error

    @staticmethod
    def _refuse_foreign(maker: TurnFactory, before: Turn) -> None:
        """Refuse to begin an answer with text in another model's format.

        Raises:
            UsageError: The model writes its answers in another way.
        """
        lines = before.ask.request.lines
        theirs = before.answerer.draft(lines)
        ours = maker.answerer.draft(lines)
        if type(theirs) is not type(ours):
            raise UsageError(f"{maker.host.in_use} cannot go on from what was written there")

    @staticmethod
    def _turn_at(
        maker: TurnFactory,
        number: str,
        request: Request,
        region: Region,
        command: TrialCommand | None,
    ) -> Turn:
        return maker.create(number, request, region, maker.base(request, region), command)


def handed_over(error: Exception, name: str, *, anew: bool) -> str:
    """Say in a line that another model is asked after a failure.

    Args:
        error: Why the model before it cannot answer.
        name: The model that is asked.
        anew: Whether a part of an answer was there already.
    """
    # The last clause of an error advises the user what to do, which is not needed here.
    why = str(error).rpartition("; ")[0] or error
    return f"{why}: {name} {'starts it anew' if anew else 'is asked instead'}"
