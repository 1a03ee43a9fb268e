"""Whose request runs next: fairness, bounds and rates, as a state machine without threads.

The engine takes one step at a time, and asks before every step which request takes it. Requests
that a user waits for go before work in the background. Among equals, the client that has used the
fewest tokens goes first. A client that was away begins level with the others, so that nobody saves
up turns.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

CREDIT = 512
"""Tokens that a returning client may be behind the others.

A client that sends one request after the other is away for a moment each time, and must not lose
its share by that.
"""
_CLIENTS = 256
"""Clients whose use is remembered; those that asked longest ago are forgotten first."""


class Priority(IntEnum):
    """The class of a request; the lower one goes first."""

    INTERACTIVE = 0
    BACKGROUND = 1


class RefusedRequest(Exception):
    """A request that is not taken now.

    Attributes:
        retry_after: Seconds after which to ask again, at least 1.
    """

    def __init__(self, words: str, retry_after: int) -> None:
        super().__init__(words)
        self.retry_after = retry_after


class Overloaded(RefusedRequest):
    """Too many requests of all clients wait."""


class TooManyRequests(RefusedRequest):
    """One client asks too often."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of a server.

    Attributes:
        waiting: Requests that may wait, of all clients together.
        of_client: Requests of one client that may wait or run.
        running: Requests that may run side by side, each on a cache of its own.
        per_second: Requests of one client a second, over a longer time.
        burst: Requests of one client at once, after a time without any.
    """

    waiting: int = 64
    of_client: int = 16
    running: int = 4
    per_second: float = 50.0
    burst: int = 200


DEFAULT_LIMITS = Limits()


@dataclass(slots=True, eq=False)
class Ticket:
    """A request in the queue. Mutable.

    Attributes:
        client: The name of the client.
        priority: The class of the request.
        number: The place in the order of arrival.
        runs: Whether the request has begun.
        is_held: Whether the request must not run now: its work is not known yet, or its reader is
            behind.
    """

    client: str
    priority: Priority
    number: int
    runs: bool = False
    is_held: bool = False


@dataclass(slots=True)
class _Client:
    used: int = 0
    """The tokens used, raised to nearly the level of the others whenever the client comes back."""
    tickets: list[Ticket] = field(default_factory=list)
    allowance: float = 0.0
    """The requests that the client may send now: a token bucket."""
    asked_at: float = -math.inf


class TurnOrder:
    """The queue of a server. Mutable; not for several threads at once."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._clients: dict[str, _Client] = {}
        self._count = 0

    @property
    def waiting(self) -> int:
        """The number of requests that have not begun."""
        return sum(not ticket.runs for ticket in self._tickets())

    @property
    def running(self) -> int:
        """The number of requests that have begun."""
        return sum(ticket.runs for ticket in self._tickets())

    def admit(self, client: str, priority: Priority, now: float) -> Ticket:
        """Take a request.

        Args:
            client: The name of the client.
            priority: The class of the request.
            now: Seconds of a clock that never goes back.

        Raises:
            TooManyRequests: The client asks too often, or has too many requests here.
            Overloaded: Too many requests of all clients wait.
        """
        known = self._client(client)
        self._refuse_rate(known, now)
        if len(known.tickets) >= self._limits.of_client:
            raise TooManyRequests(
                f"{len(known.tickets)} requests of this client wait or run already; wait for one",
                retry_after=1,
            )
        if self.waiting >= self._limits.waiting:
            raise Overloaded(f"{self.waiting} requests wait already; ask again later", 1)
        # Only a request that is taken counts against the rate.
        known.allowance -= 1
        if not known.tickets:
            known.used = max(known.used, self._level() - CREDIT)
        self._count += 1
        ticket = Ticket(client, priority, self._count)
        known.tickets.append(ticket)
        return ticket

    def next(self) -> Ticket | None:
        """Choose the request that takes the next step; None if none can."""
        best: Ticket | None = None
        for ticket in self._tickets():
            if not self._may_step(ticket):
                continue
            if best is None or self._rank(ticket) < self._rank(best):
                best = ticket
        if best is not None:
            best.runs = True
        return best

    def ran(self, ticket: Ticket, tokens: int) -> None:
        """Note the tokens that a step used."""
        self._clients[ticket.client].used += tokens

    def leave(self, ticket: Ticket) -> None:
        """Remove a request, finished or not."""
        known = self._clients[ticket.client]
        if ticket in known.tickets:
            known.tickets.remove(ticket)

    def _tickets(self) -> Iterator[Ticket]:
        for known in self._clients.values():
            yield from known.tickets

    def _client(self, name: str) -> _Client:
        known = self._clients.pop(name, None) or _Client(allowance=self._limits.burst)
        self._clients[name] = known  # last in the dictionary: the one that asked last
        if len(self._clients) > _CLIENTS:
            # A client with requests here is never forgotten.
            idle = [other for other, state in self._clients.items() if not state.tickets]
            for other in idle[: len(self._clients) - _CLIENTS]:
                if other != name:
                    del self._clients[other]
        return known

    def _refuse_rate(self, known: _Client, now: float) -> None:
        # A token bucket: it fills by `per_second`, up to `burst`; each request takes one.
        earned = (now - known.asked_at) * self._limits.per_second
        known.allowance = min(self._limits.burst, known.allowance + max(0.0, earned))
        known.asked_at = now
        if known.allowance < 1:
            seconds = (1 - known.allowance) / self._limits.per_second
            raise TooManyRequests(
                f"more than {self._limits.per_second:g} requests a second of this client; slow "
                f"down",
                retry_after=max(1, math.ceil(seconds)),
            )

    def _level(self) -> int:
        """Return the tokens that the least served client in the queue has used."""
        used = [known.used for known in self._clients.values() if known.tickets]
        return min(used, default=0)

    def _rank(self, ticket: Ticket) -> tuple[int, int, int]:
        return (ticket.priority, self._clients[ticket.client].used, ticket.number)

    def _may_step(self, ticket: Ticket) -> bool:
        if ticket.is_held:
            return False
        if ticket.runs:
            return True
        # Two requests of a client would take turns on one cache, and each would read it anew.
        for other in self._clients[ticket.client].tickets:
            if other.runs and other.priority == ticket.priority:
                return False
        room = self._limits.running
        if ticket.priority is Priority.BACKGROUND and room > 1:
            room -= 1  # keep a place free for a request that a user waits for
        return self.running < room
