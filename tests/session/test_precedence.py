"""What the user waits for goes before work in the background, on the same engine alone."""

import threading
from collections.abc import Generator
from pathlib import Path

from spark_tui.session.precedence import HERE, Precedence
from tests.fakes import scripted_session

FAR = "http://127.0.0.1:1/v1"


def test_background_work_waits_until_the_engine_is_free() -> None:
    lanes = iter([{HERE}, {HERE, FAR}, {HERE}, {FAR}])
    asked = 0

    def busy() -> set[str]:
        nonlocal asked
        asked += 1
        return next(lanes)

    with Precedence(busy).piece(HERE, lambda: False):
        assert asked == 4


def test_what_gives_up_waits_for_nothing() -> None:
    with Precedence(lambda: {HERE}).piece(HERE, lambda: True):
        pass


def test_tasks_of_one_engine_take_turns_and_those_of_an_endpoint_need_not() -> None:
    precedence = Precedence(set)
    order: list[str] = []
    waits = threading.Event()

    def gives_up() -> bool:
        waits.set()
        return False

    def second() -> None:
        with precedence.piece(HERE, gives_up):
            order.append("second")

    thread = threading.Thread(target=second)
    with precedence.piece(HERE, lambda: False):
        thread.start()
        assert waits.wait(10)
        with precedence.piece(FAR, lambda: False):
            order.append("far")
        order.append("first")
    thread.join(10)
    assert order == ["far", "first", "second"]


def test_a_turn_of_the_user_holds_up_tasks_on_its_model_until_it_ends(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"a.py": "a = 1\n"}, {})
    begun = threading.Event()
    go = threading.Event()

    def turn() -> Generator[int, None, None]:
        begun.set()
        yield 1
        assert go.wait(10)
        yield 2

    def gives_up() -> bool:
        go.set()  # the turn goes on only once somebody waits for it
        return False

    session.runner.start(turn(), lambda _: None, lambda _: None)
    assert begun.wait(10)
    idle = list[bool]()
    with session.precedence.piece(FAR, lambda: False):
        idle.append(session.runner.idle)
    with session.precedence.piece(HERE, gives_up):
        idle.append(session.runner.idle)
    session.close()
    assert idle == [False, True]
