"""Trees of several threads: each is whole, whatever the others read meanwhile."""

import ast
import gc
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from spark_tui.editing.syntax import no_warnings, parse

SOURCE = "\n".join(f"x{number} = f(a, {number}, [b, c], d=e)" for number in range(100))
ROUNDS = 20


@contextmanager
def giving_way() -> Iterator[None]:
    """Let other threads go on in the middle of whatever makes objects, as garbage does that has
    code of its own.
    """

    def give_way(*_: object) -> None:
        time.sleep(0)

    before = gc.get_threshold()
    gc.callbacks.append(give_way)
    gc.set_threshold(50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(give_way)


def test_threads_that_parse_at_different_depths_do_not_spoil_each_others_trees() -> None:
    found: list[str] = []

    def read(depth: int) -> None:
        if depth:
            read(depth - 1)
        else:
            found.extend(ast.dump(parse(SOURCE)) for _ in range(ROUNDS))

    threads = [threading.Thread(target=read, args=(depth,)) for depth in (0, 20)]
    with giving_way():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [ast.dump(ast.parse(SOURCE))] * ROUNDS * len(threads)


def test_a_parse_of_a_library_in_the_middle_of_ours_does_not_spoil_a_tree() -> None:
    whole = ast.dump(ast.parse(SOURCE))
    times = 0

    def parse_as_well(*_: object) -> None:
        nonlocal times
        gc.callbacks.remove(parse_as_well)
        ast.literal_eval("(1,)")
        times += 1

    with giving_way():
        gc.callbacks.append(parse_as_well)
        assert ast.dump(parse(SOURCE)) == whole
    assert times == 1, "and it was in the middle"


def test_of_two_threads_that_read_code_neither_leaves_its_setting_behind() -> None:
    before, inside, left = list(warnings.filters), threading.Event(), threading.Event()

    def read() -> None:
        with no_warnings():
            inside.set()
            left.wait(5)

    other = threading.Thread(target=read)
    with no_warnings():
        other.start()
        inside.wait(0.1)
    left.set()
    other.join()
    assert list(warnings.filters) == before
