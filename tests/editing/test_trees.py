"""Trees of several threads: each is whole, whatever the others read meanwhile."""

import ast
import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from spark_tui.editing.trees import literal_value, parse

SOURCE = "\n".join(f"x{number} = f(a, {number}, [b, c], d=e)" for number in range(100))
ROUNDS = 20


@contextmanager
def giving_way() -> Iterator[None]:
    """Let other threads go on in the middle of whatever makes objects, as garbage does that has code of its own."""

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


@pytest.mark.parametrize("source", ["1", " 'a'", "-2.5", "[1, (2, None)]", "{'a': {1}}", "f(1)", "a", "1 +", "", "\0"])
def test_a_literal_has_the_value_that_python_gives_it(source: str) -> None:
    try:
        wanted = ast.literal_eval(source)
    except (ValueError, SyntaxError) as error:
        with pytest.raises(type(error)):
            literal_value(source)
    else:
        assert literal_value(source) == wanted
