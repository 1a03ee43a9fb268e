"""Forty everyday requests on two repositories, with a scripted deep model behind spark-m and
without.

`pytest -m exhaustive -s tests/session/test_two_models.py` prints the medians of
examples/figures.md.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest

from spark_tui.engine.backend import Backend
from spark_tui.engine.loader import LoadedModel, find_model, load
from spark_tui.providers.registry import Models
from spark_tui.session.events import HunkUpdated, Status
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.vcs.repository import Repository
from tests.fakes import make_repo
from tests.providers.scripted_server import Handler, ScriptedServer, says, serving

EXAMPLES = Path(__file__).parents[2] / "examples"
REQUESTS = {
    "expenses": [
        ("storage.py", "load", "call the list expenses instead of d"),
        ("storage.py", "load", "close the file with a with statement"),
        ("storage.py", "load", "return an empty list if there is no such file"),
        ("storage.py", "load", "skip rows that are empty"),
        ("storage.py", "load", "add type hints"),
        ("storage.py", "append", "write an empty note where there is none"),
        ("storage.py", "append", "raise a ValueError for a negative amount"),
        ("storage.py", "append", "add a docstring"),
        ("report.py", "total", "compare with None by is"),
        ("report.py", "total", "use sum and a generator"),
        ("report.py", "total", "rename result to amount"),
        ("report.py", "top", "it returns one too few"),
        ("report.py", "top", "rename ranked to ordered"),
        ("report.py", "top", "raise a ValueError where count is negative"),
        ("report.py", "table", "use f-strings"),
        ("report.py", "table", "sort by amount, the largest first"),
        ("report.py", "table", "add a line above the total"),
        ("expenses.py", "main", "use an f-string in the first print"),
        ("expenses.py", "main", "return 0 at the end"),
        ("expenses.py", "parse", "let the default file be money.csv"),
    ],
    "orders": [
        ("orders.py", "read_orders", "add type hints"),
        ("orders.py", "read_orders", "let the separator be a semicolon"),
        ("orders.py", "read_orders", "rename path to source"),
        ("orders.py", "read_orders", "open the file as utf-8"),
        ("orders.py", "read_orders", "log a line that is skipped"),
        ("orders.py", "summary", "rename rates to exchange_rates"),
        ("orders.py", "summary", "add a docstring"),
        ("orders.py", "summary", "return None where there are no orders"),
        ("orders.py", "summary", "sort the keys of the result"),
        ("orders.py", "summary", "round the amounts to two digits"),
        ("orders.py", "next_state", "add type hints"),
        ("orders.py", "next_state", "rename event to action"),
        ("orders.py", "next_state", "raise a KeyError for an unknown event"),
        ("orders.py", "next_state", "log each change of state"),
        ("orders.py", "next_state", "write the states in upper case"),
        ("orders.py", "retried", "five attempts by default"),
        ("orders.py", "retried", "rename pause to delay"),
        ("orders.py", "retried", "double the pause after each attempt"),
        ("orders.py", "retried", "catch only OSError"),
        ("orders.py", "retried", "add a docstring"),
    ],
}


@dataclass
class Taken:
    """A request that was carried out. Times are in seconds since it was sent."""

    is_sure: bool
    first: float | None
    """Until the first hunk of any model."""
    stands: float | None
    """Until the first hunk of the answer that stands."""


def writes_a_comment(handler: Handler) -> None:
    """Answer at once with the lines that were sent and one more."""
    asked = handler.server.requests[-1]["messages"][-1]["content"]
    code = asked.partition("```")[2].partition("\n")[2].partition("\n```")[0]
    says(f"```python\n{code}\n    # done\n```\n")(handler)


@contextmanager
def session_on(
    name: str, folder: Path, loaded: LoadedModel, server: ScriptedServer, deep: str
) -> Iterator[Session]:
    files = {path.name: path.read_bytes() for path in (EXAMPLES / name).glob("*.py")}
    repo = Repository.discover(make_repo(folder / "repo", files))
    models = Models(endpoints={"big": server.endpoint(map=0)})
    session = Session(repo, loaded, folder / "state", models=models, deep=deep)
    try:
        yield session
    finally:
        session.close()


def carry_out(session: Session, request: Request) -> Taken:
    """Let the models answer. Nothing is accepted: each request is about the files as they were."""
    began = time.perf_counter()
    first = None
    quick = turn = session.begin(request)
    while True:
        stands = None
        for event in turn.events():
            if isinstance(event, HunkUpdated) and event.hunks and stands is None:
                stands = time.perf_counter() - began
        first = first or stands
        heir = session.take_over(turn)
        if heir is None:
            return Taken(quick.status is Status.OK, first, stands)
        turn = heir


@pytest.mark.exhaustive
def test_nothing_is_sent_of_what_the_quick_model_is_sure_of(tmp_path: Path) -> None:
    backend = Backend("auto", folder=tmp_path / "kernels")
    backend.build()
    loaded = load(find_model(None), backend)
    for deep in ("", "big"):
        taken: list[Taken] = []
        with serving(writes_a_comment) as server:
            for name, requests in REQUESTS.items():
                folder = tmp_path / f"{name}{deep}"
                with session_on(name, folder, loaded, server, deep) as session:
                    session.prepare()
                    for path, symbol, words in requests:
                        request = Request(words, path=path, symbol=symbol)
                        taken.append(carry_out(session, request))
            sure = sum(each.is_sure for each in taken)
            assert len(server.requests) == (len(taken) - sure if deep else 0)
            assert len(taken) == 40
        shown = [each.first for each in taken if each.first is not None]
        stands = [each.stands for each in taken if each.stands is not None]
        print(  # noqa: T201 - the figures
            f"deep = {deep!r}: {sure} sure, {len(server.requests)} sent; medians: "
            f"first change {median(shown):.2f} s of {len(shown)}, "
            f"of the answer that stands {median(stands):.2f} s of {len(stands)}"
        )
