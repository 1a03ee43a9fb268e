"""A session that is offered another model goes on with it from the next turn."""

from pathlib import Path
from typing import Any

from spark_tui.session.events import Status, Token
from spark_tui.session.turn import Request
from tests.fakes import edit_script, scripted, scripted_session

AREA = "def area(w, h):\n    return w + h\n"
SCRIPTS = {"fix it": edit_script(AREA, AREA.replace("+", "*"))}
REQUEST = Request("fix it", "a.py", (1, 2))


def test_the_next_turn_takes_what_is_offered_and_a_running_one_goes_on_as_it_began(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"a.py": AREA}, SCRIPTS)
    offered = scripted(tmp_path / "other", SCRIPTS).model
    passes: list[int] = []
    run = offered.forward

    def counting(*args: Any, **more: Any) -> Any:
        passes.append(1)
        return run(*args, **more)

    offered.forward = counting  # type: ignore[method-assign]

    running = session.begin(REQUEST)
    events = running.events()
    while not isinstance(next(events), Token):
        pass
    session.offer(offered)
    list(events)
    assert (running.status, passes) == (Status.OK, [])

    following = session.begin(REQUEST)
    list(following.events())
    assert (following.status, bool(passes)) == (Status.OK, True)
    assert following.hunks == running.hunks


def test_only_the_latest_offer_counts_and_none_is_taken_twice(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"a.py": AREA}, SCRIPTS)
    first, second = (scripted(tmp_path / name, SCRIPTS).model for name in ("one", "two"))
    session.offer(first)
    session.offer(second)
    session.begin(REQUEST)
    engine = session.engine
    session.begin(REQUEST)
    assert session.engine is engine
