"""The runner, step by step: tests hold every item back with events, and wait for the thread,
never for time.
"""

import queue
import threading
from collections.abc import Generator

import pytest

from spark_tui.errors import ModelError
from spark_tui.session.runner import Runner
from spark_tui.stop_signal import StopSignal, current_signal

TIMEOUT = 20.0


class Turn:
    """Counts up from 0; each number waits for `let`.

    Records what reaches the callbacks and where.
    """

    def __init__(self, numbers: int = 5) -> None:
        self.gate = threading.Semaphore(0)
        self.asked = threading.Semaphore(0)
        self.items: list[int] = []
        self.ends: list[Exception | None] = []
        self.threads: set[str] = set()
        self.closed = threading.Event()
        self.iterator = self._count(numbers)

    def _count(self, numbers: int) -> Generator[int, None, None]:
        try:
            for number in range(numbers):
                self.asked.release()
                assert self.gate.acquire(timeout=TIMEOUT)
                yield number
        finally:
            self.threads.add(threading.current_thread().name)
            self.closed.set()

    def on_item(self, item: int) -> None:
        self.threads.add(threading.current_thread().name)
        self.items.append(item)

    def on_end(self, error: Exception | None) -> None:
        self.threads.add(threading.current_thread().name)
        self.ends.append(error)

    def start(self, runner: Runner) -> int:
        return runner.start(self.iterator, self.on_item, self.on_end)

    def let(self, items: int = 1) -> None:
        self.gate.release(items)

    def wait_asked(self) -> None:
        """Until the iterator is busy with its next item."""
        assert self.asked.acquire(timeout=TIMEOUT)


@pytest.fixture
def runner() -> Runner:
    return Runner()


def test_every_item_reaches_the_callback_in_order_and_the_end_is_told_once(runner: Runner) -> None:
    turn = Turn()
    turn.let(5)
    turn.start(runner)
    assert runner.wait(TIMEOUT)
    assert turn.items == [0, 1, 2, 3, 4]
    assert turn.ends == [None]
    assert turn.threads == {"spark-runner"}


def test_pause_lets_the_item_in_hand_finish_and_stops_before_the_next(runner: Runner) -> None:
    turn = Turn()
    number = turn.start(runner)
    turn.wait_asked()
    runner.pause(number)
    assert not runner.paused
    turn.let(5)
    assert runner.wait_stopped(TIMEOUT)
    assert turn.items == [0]
    assert (runner.paused, runner.idle) == (True, False)


@pytest.mark.parametrize("stop_after", range(6))
def test_paused_by_its_own_callback_after_any_item_nothing_is_lost_or_repeated(
    runner: Runner, stop_after: int
) -> None:
    turn = Turn()
    turn.let(5)

    def pausing(item: int) -> None:
        turn.on_item(item)
        if len(turn.items) == stop_after:
            runner.pause(runner.turn_id)

    number = runner.start(turn.iterator, pausing, turn.on_end)
    assert runner.wait_stopped(TIMEOUT)
    if 0 < stop_after < 5:
        assert turn.items == list(range(stop_after))
    runner.resume(number)
    assert runner.wait(TIMEOUT)
    assert turn.items == [0, 1, 2, 3, 4]


def test_a_turn_paused_before_its_first_item_waits(runner: Runner) -> None:
    first, second = Turn(), Turn()
    first.start(runner)
    first.wait_asked()
    number = second.start(runner)
    runner.pause(number)
    first.let()
    assert runner.wait_stopped(TIMEOUT)
    assert runner.paused
    assert second.items == []
    second.let(5)
    runner.resume(number)
    assert runner.wait(TIMEOUT)
    assert second.items == [0, 1, 2, 3, 4]


def test_pause_resume_and_pause_again_at_once_stands_still_and_knows_it(runner: Runner) -> None:
    turn = Turn()
    number = turn.start(runner)
    runner.pause(number)
    turn.let(5)
    assert runner.wait_stopped(TIMEOUT)
    runner.resume(number)
    runner.pause(number)
    assert runner.wait_stopped(TIMEOUT)
    runner.resume(number)
    assert runner.wait(TIMEOUT)
    assert turn.items == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("late", ["pause", "cancel"])
def test_a_late_pause_or_cancel_does_nothing_to_the_next_turn(runner: Runner, late: str) -> None:
    first, second = Turn(), Turn()
    old = first.start(runner)
    first.let(5)
    assert runner.wait(TIMEOUT)
    second.start(runner)
    second.wait_asked()
    getattr(runner, late)(old)
    second.let(5)
    assert runner.wait_stopped(TIMEOUT)
    assert runner.idle
    assert second.items == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("paused", [False, True])
def test_cancel_closes_the_iterator_before_its_next_item(runner: Runner, paused: bool) -> None:
    turn = Turn()
    number = turn.start(runner)
    turn.wait_asked()
    if paused:
        runner.pause(number)
        turn.let(5)
        assert runner.wait_stopped(TIMEOUT)
    runner.cancel(number)
    turn.let(5)
    assert runner.wait(TIMEOUT)
    assert not runner.paused
    assert turn.closed.is_set()
    assert (turn.items, turn.ends) == ([0], [None])
    assert turn.threads == {"spark-runner"}


def test_a_new_turn_closes_a_paused_one_first(runner: Runner) -> None:
    first, second = Turn(), Turn()
    number = first.start(runner)
    first.wait_asked()
    runner.pause(number)
    first.let(5)
    assert runner.wait_stopped(TIMEOUT)
    closed_at_first_item: list[bool] = []
    runner.start(
        second.iterator, lambda _: closed_at_first_item.append(first.closed.is_set()), second.on_end
    )
    assert not runner.paused
    second.let(5)
    assert runner.wait(TIMEOUT)
    assert first.ends == second.ends == [None]
    assert closed_at_first_item == [True] * 5


def test_a_turn_started_from_the_end_of_another_runs(runner: Runner) -> None:
    first, second = Turn(), Turn()
    first.let(5)
    second.let(5)

    def start_second(_: Exception | None) -> None:
        second.start(runner)

    runner.start(first.iterator, first.on_item, start_second)
    assert runner.wait(TIMEOUT)
    assert second.items == [0, 1, 2, 3, 4]


def test_an_error_of_the_iterator_goes_to_on_end_and_the_next_turn_runs(runner: Runner) -> None:
    def fail() -> Generator[int, None, None]:
        yield 1
        raise ModelError("the context is full")

    turn = Turn()
    runner.start(fail(), turn.on_item, turn.on_end)
    assert runner.wait(TIMEOUT)
    assert turn.items == [1]
    assert [str(error) for error in turn.ends] == ["the context is full"]
    following = Turn()
    following.let(5)
    following.start(runner)
    assert runner.wait(TIMEOUT)
    assert following.ends == [None]


def test_an_error_of_the_callback_closes_the_iterator_and_goes_to_on_end(runner: Runner) -> None:
    def refuse(_: int) -> None:
        raise StopIteration("from the callback")

    turn = Turn()
    turn.let(5)
    runner.start(turn.iterator, refuse, turn.on_end)
    assert runner.wait(TIMEOUT)
    assert turn.closed.is_set()
    assert [str(error) for error in turn.ends] == ["from the callback"]


def test_an_error_of_on_end_is_reported_and_the_turns_behind_it_run(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Exception | None) -> None:
        second.start(runner)
        raise ModelError("nobody listens")

    reported: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(threading, "excepthook", lambda args: reported.put(str(args.exc_value)))
    first, second = Turn(), Turn()
    first.let(5)
    second.let(5)
    runner.start(first.iterator, first.on_item, fail)
    assert runner.wait(TIMEOUT)
    assert second.items == [0, 1, 2, 3, 4]
    assert reported.get(timeout=TIMEOUT) == "nobody listens"


def test_an_error_while_closing_goes_to_on_end(runner: Runner) -> None:
    def fail_to_close() -> Generator[int, None, None]:
        try:
            yield 1
            yield 2
        finally:
            raise ModelError("cannot close")

    turn = Turn()
    number = runner.start(fail_to_close(), lambda _: runner.cancel(runner.turn_id), turn.on_end)
    assert runner.wait(TIMEOUT)
    assert number == 1
    assert [str(error) for error in turn.ends] == ["cannot close"]


def test_stop_time_is_measured_from_the_first_pause_to_the_standstill(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([10.0, 10.004])
    monkeypatch.setattr("spark_tui.session.runner.time.perf_counter", lambda: next(clock))
    turn = Turn()
    assert runner.last_stop_ms is None
    number = turn.start(runner)
    turn.wait_asked()
    runner.pause(number)
    runner.pause(number)
    turn.let(5)
    assert runner.wait_stopped(TIMEOUT)
    assert runner.last_stop_ms == pytest.approx(4.0)
    runner.cancel(runner.turn_id)
    assert runner.wait(TIMEOUT)


def test_thousands_of_short_turns_from_many_threads_all_end(runner: Runner) -> None:
    ends: list[Exception | None] = []

    def start_many() -> None:
        for _ in range(300):
            number = runner.start((n for n in [1]), lambda _: None, ends.append)
            runner.pause(number)
            runner.resume(number)

    threads = [threading.Thread(target=start_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
    assert runner.wait(TIMEOUT)
    assert ends == [None] * 1200
    assert runner.turn_id == 1200


def test_an_iterator_can_hold_its_own_turn_until_it_is_resumed() -> None:
    runner, turn = Runner(), Turn()

    def numbers() -> Generator[int, None, None]:
        yield 1
        runner.hold()
        yield 2

    number = runner.start(numbers(), turn.on_item, turn.on_end)
    assert runner.wait_stopped(TIMEOUT)
    assert (runner.paused, turn.items) == (True, [1])
    runner.resume(number)
    assert runner.wait(TIMEOUT)
    assert (turn.items, turn.ends) == ([1, 2], [None])


def test_a_held_turn_that_is_cancelled_ends_without_an_error() -> None:
    runner, turn, closed = Runner(), Turn(), []

    def held() -> Generator[int, None, None]:
        try:
            runner.hold()
            yield 1
        finally:
            closed.append(True)

    number = runner.start(held(), turn.on_item, turn.on_end)
    assert runner.wait_stopped(TIMEOUT)
    runner.cancel(number)
    assert runner.wait(TIMEOUT)
    assert (turn.items, turn.ends, closed) == ([], [None], [True])


@pytest.mark.parametrize("action", ["pause", "cancel", "start"])
def test_what_stops_a_turn_asks_its_forward_pass_to_end_soon(action: str) -> None:
    signals: list[StopSignal | None] = []
    turn = Turn()

    def items() -> Generator[int, None, None]:
        signals.append(current_signal.get())
        yield from turn.iterator

    runner = Runner()
    number = runner.start(items(), turn.on_item, turn.on_end)
    turn.wait_asked()
    [signal] = signals
    assert signal is not None
    assert not signal.is_set()
    if action == "pause":
        runner.pause(number)
    elif action == "cancel":
        runner.cancel(number)
    else:
        other = Turn(numbers=0)
        other.start(runner)
    assert signal.is_set()
    turn.let(5)
    runner.resume(number)
    assert runner.wait(TIMEOUT)
    assert current_signal.get() is None


def test_a_late_pause_of_a_turn_that_is_over_stops_no_pass_of_the_next() -> None:
    runner = Runner()
    first = Turn(numbers=0)
    number = first.start(runner)
    assert runner.wait(TIMEOUT)
    signals: list[StopSignal | None] = []
    turn = Turn()

    def items() -> Generator[int, None, None]:
        signals.append(current_signal.get())
        yield from turn.iterator

    runner.start(items(), turn.on_item, turn.on_end)
    turn.wait_asked()
    runner.pause(number)
    [signal] = signals
    assert signal is not None
    assert not signal.is_set()
    turn.let(5)
    assert runner.wait(TIMEOUT)


def test_a_pause_that_is_over_stops_no_pass_of_what_follows() -> None:
    signals: list[StopSignal | None] = []
    set_at_each_item: list[bool] = []
    turn = Turn()

    def items() -> Generator[int, None, None]:
        signal = current_signal.get()
        signals.append(signal)
        assert signal is not None
        for number in turn.iterator:
            yield number
            set_at_each_item.append(signal.is_set())

    runner = Runner()
    number = runner.start(items(), turn.on_item, turn.on_end)
    turn.wait_asked()
    runner.pause(number)
    turn.let(5)
    assert runner.wait_stopped(TIMEOUT)
    runner.resume(number)
    assert runner.wait(TIMEOUT)
    assert set_at_each_item == [False] * 5
