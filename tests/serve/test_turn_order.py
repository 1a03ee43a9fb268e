"""Whose request runs next: the queue as a state machine, on a clock of the test's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from spark_tui.serve.turn_order import (
    CREDIT,
    Limits,
    Overloaded,
    Priority,
    RefusedRequest,
    Ticket,
    TooManyRequests,
    TurnOrder,
)

LIMITS = Limits(waiting=5, of_client=3, running=3, per_second=2.0, burst=50)
CLIENTS = ("editor", "shell", "script", "flood")
INTERACTIVE, BACKGROUND = Priority.INTERACTIVE, Priority.BACKGROUND


class Queue(RuleBasedStateMachine):
    """Clients come, run, stall and go in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.order = TurnOrder(LIMITS)
        self.tickets: list[Ticket] = []
        self.now = 0.0

    @rule(client=st.sampled_from(CLIENTS), priority=st.sampled_from(Priority))
    def ask(self, client: str, priority: Priority) -> None:
        own = sum(ticket.client == client for ticket in self.tickets)
        waiting = sum(not ticket.runs for ticket in self.tickets)
        try:
            ticket = self.order.admit(client, priority, self.now)
        except RefusedRequest:
            assert own >= LIMITS.of_client or waiting >= LIMITS.waiting or self._is_flooded()
        else:
            assert own < LIMITS.of_client
            assert waiting < LIMITS.waiting
            self.tickets.append(ticket)

    def _is_flooded(self) -> bool:
        return self.now < 60  # the burst is spent only where hardly any time has passed

    @rule(seconds=st.floats(0.0, 30.0))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: self.tickets)
    @rule(tokens=st.integers(0, 64), ends=st.booleans())
    def step(self, tokens: int, *, ends: bool) -> None:
        ticket = self.order.next()
        free = [each for each in self.tickets if not each.is_held]
        if ticket is None:
            assert not [each for each in free if each.runs]
            return
        assert ticket in free
        assert ticket.runs
        if ticket.priority is BACKGROUND:
            running = [each for each in free if each.runs and each.priority is INTERACTIVE]
            assert not running, "whoever waits for an answer goes first"
        self.order.ran(ticket, tokens)
        if ends:
            self.order.leave(ticket)
            self.tickets.remove(ticket)

    @precondition(lambda self: self.tickets)
    @rule(data=st.data())
    def stall_or_go_on(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from(self.tickets))
        ticket.is_held = not ticket.is_held

    @precondition(lambda self: self.tickets)
    @rule(data=st.data())
    def hang_up(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from(self.tickets))
        self.order.leave(ticket)
        self.order.leave(ticket)
        self.tickets.remove(ticket)

    @invariant()
    def the_bounds_hold(self) -> None:
        assert self.order.running == sum(ticket.runs for ticket in self.tickets)
        assert self.order.waiting == sum(not ticket.runs for ticket in self.tickets)
        assert self.order.running <= LIMITS.running
        begun = [(each.client, each.priority) for each in self.tickets if each.runs]
        assert len(begun) == len(set(begun)), "two requests of a client would share a cache"


TestQueue = Queue.TestCase


@given(
    costs=st.lists(st.integers(1, 40), min_size=4, max_size=4),
    flood=st.integers(1, 3),
    running=st.integers(1, 4),
)
def test_clients_that_always_ask_get_the_same_tokens_whatever_they_ask_and_how_often(
    costs: list[int], flood: int, running: int
) -> None:
    order = TurnOrder(Limits(running=running, per_second=1.0, burst=10))
    used = dict.fromkeys(CLIENTS, 0)
    steps = 6  # of a request
    left: dict[Ticket, int] = {}
    for client in CLIENTS:
        for _ in range(flood if client == "flood" else 1):
            left[order.admit(client, INTERACTIVE, now=0.0)] = steps
    for second in range(3000):
        ticket = order.next()
        assert ticket is not None
        cost = costs[CLIENTS.index(ticket.client)]
        order.ran(ticket, cost)
        used[ticket.client] += cost
        left[ticket] -= 1
        if not left[ticket]:
            del left[ticket]
            order.leave(ticket)
            left[order.admit(ticket.client, INTERACTIVE, now=float(second))] = steps
    # Where fewer run than ask, a client may be a request behind.
    assert max(used.values()) - min(used.values()) <= 2 * steps * max(costs)


def test_a_client_that_was_away_saves_up_hardly_a_turn() -> None:
    order = TurnOrder()
    busy = order.admit("busy", INTERACTIVE, 0.0)
    for _ in range(100_000):
        assert order.next() is busy
        order.ran(busy, 10)
    new = order.admit("new", INTERACTIVE, 1.0)
    used = {busy: 0, new: 0}
    for _ in range(1000):
        ticket = order.next()
        assert ticket is not None
        order.ran(ticket, 10)
        used[ticket] += 10
    assert used[busy] < used[new] <= used[busy] + CREDIT + 10


def test_background_work_waits_for_whoever_waits_for_an_answer() -> None:
    order = TurnOrder()
    ahead = order.admit("editor", BACKGROUND, 0.0)
    assert order.next() is ahead
    answer = order.admit("shell", INTERACTIVE, 0.0)
    order.ran(answer, 1_000_000)
    assert order.next() is answer
    order.leave(answer)
    assert order.next() is ahead


def test_background_work_leaves_a_place_for_whoever_comes() -> None:
    order = TurnOrder(Limits(running=2))
    for client in ("a", "b"):
        order.admit(client, BACKGROUND, 0.0)
    first = order.next()
    assert first is not None
    order.ran(first, 100)
    assert order.next() is first, "the other one waits"
    answer = order.admit("c", INTERACTIVE, 0.0)
    assert order.next() is answer


def test_too_many_that_wait_are_told_when_to_come_back() -> None:
    order = TurnOrder(Limits(waiting=2))
    order.admit("a", INTERACTIVE, 0.0)
    order.admit("b", INTERACTIVE, 0.0)
    with pytest.raises(Overloaded) as refusal:
        order.admit("c", INTERACTIVE, 0.0)
    assert refusal.value.retry_after >= 1


def test_a_client_that_asks_too_often_is_told_when_to_come_back_and_then_let_in() -> None:
    order = TurnOrder(Limits(per_second=0.25, burst=2))
    for _ in range(2):
        order.leave(order.admit("a", INTERACTIVE, 0.0))
    with pytest.raises(TooManyRequests) as refusal:
        order.admit("a", INTERACTIVE, 0.0)
    assert refusal.value.retry_after == 4
    order.leave(order.admit("b", INTERACTIVE, 0.0))
    order.admit("a", INTERACTIVE, float(refusal.value.retry_after))


def test_clients_without_number_are_forgotten_but_for_those_that_run() -> None:
    order = TurnOrder()
    runs = order.admit("first", INTERACTIVE, 0.0)
    assert order.next() is runs
    for number in range(2000):
        order.leave(order.admit(f"client {number}", INTERACTIVE, 0.0))
    order.ran(runs, 5)
    assert order.next() is runs
