"""Asks an endpoint that is used for the first time what it takes. Knows no sockets.

The abilities that the first request can use are asked for together, while its words are typed or
right before it goes. That takes a second at most: a probe that has not come back by then is given
up, and the request goes without it. The other abilities are asked for one after the other behind an
answer, and give way to the next request. No ability is asked for twice, since what was asked is
kept with what was found. A server that is busy, refuses a plain request or breaks off is asked
nothing more until the program starts again.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from spark_tui.answering.abilities import Abilities
from spark_tui.answering.probe import Look, Probe, Refused, Send, Unanswered
from spark_tui.answering.remote_faults import Patience
from spark_tui.endpoints import ABILITIES, Endpoint

_PROBE_SECONDS = 20.0
"""Behind an answer, after which a probe is taken to tell nothing."""


class FirstUse:
    """Asks beside the requests to an endpoint. Mutable; only on the thread of the connections.

    Args:
        endpoint: Who is asked.
        abilities: Remembers what is found.
        send: Posts a request.
        look: Gets an address.
        patience: How long to wait.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        abilities: Abilities,
        send: Send,
        look: Look,
        patience: Patience,
    ) -> None:
        self._endpoint = endpoint
        self._abilities = abilities
        self._patience = patience
        self._probe = Probe(endpoint, send, look)
        self._has_begun = False
        """Whether the server has answered the plainest request."""
        self._is_over = False
        """Whether nothing more is asked."""
        self._early: asyncio.Task[None] | None = None
        self._late: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to ask what the next request can make use of, once."""
        if self._early is None and self._missing(needed_by(self._endpoint)):
            self._early = asyncio.create_task(self._ask_early())

    async def wait(self) -> None:
        """Wait until a request may go: a second at most, and less where asking began before."""
        if self._late:
            self._late.cancel()
        self.start()
        if self._early and not self._early.done():
            await asyncio.wait({self._early})

    def go_on(self) -> None:
        """Ask the rest, now that an answer is over."""
        if not self._is_over and self._missing(tuple(ABILITIES)):
            self._late = asyncio.create_task(self._ask_late())

    async def close(self) -> None:
        """Ask nothing more."""
        self._is_over = True
        tasks = [task for task in (self._early, self._late) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _missing(self, names: Sequence[str]) -> list[str]:
        """Those abilities of some that nobody has asked for, and that no setting tells."""
        told = self._abilities.asked | set(self._endpoint.abilities)
        return [name for name in names if name not in told]

    async def _ask_early(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience.before):
                missing = self._missing(needed_by(self._endpoint))
                apart = [name for name in missing if name in Probe.APART]
                posted = [name for name in missing if name not in Probe.APART]
                await asyncio.gather(self._ask_posted(posted), *map(self._ask, apart))

    async def _ask_posted(self, names: Sequence[str]) -> None:
        """Ask for some abilities at once, behind the plainest request."""
        if names and await self._begin():
            await asyncio.gather(*map(self._ask, names))

    async def _ask_late(self) -> None:
        await asyncio.sleep(self._patience.behind)
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                begun = await self._begin()
        except TimeoutError:
            self._is_over = True
            return
        for name in self._missing(tuple(ABILITIES)) if begun else ():
            try:
                async with asyncio.timeout(_PROBE_SECONDS):
                    await self._ask(name)
            except TimeoutError:
                self._abilities.learn({}, asked=[name])
            if self._is_over:
                return

    async def _begin(self) -> bool:
        """Find the plainest request that is answered. Returns: whether there is one."""
        if self._has_begun or self._is_over:
            return not self._is_over
        try:
            found = await self._probe.begin()
        except (Refused, Unanswered):
            self._is_over = True
            return False
        self._abilities.learn(found, asked=found)
        self._has_begun = True
        return True

    async def _ask(self, name: str) -> None:
        """Ask for an ability, and remember what is found."""
        if self._is_over:
            return
        try:
            taken = await self._probe.ask(name)
        except Unanswered:
            # Only Ollama has the addresses that are looked at apart.
            if name not in Probe.APART:
                self._is_over = True
            return
        self._abilities.learn({name: taken}, asked=[name])


def needed_by(endpoint: Endpoint) -> Sequence[str]:
    """The abilities that a first request to an endpoint can make use of."""
    names = ["num_ctx", "logprobs", "return_progress"]
    if endpoint.format == "search_replace":
        names += ["grammar", "structured_outputs", "guided_grammar"]
    else:
        names += ["prediction"]
    if endpoint.thinking != "on":
        names += ["reasoning_effort", "enable_thinking"]
    return names
