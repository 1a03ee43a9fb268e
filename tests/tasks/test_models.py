"""A task over the providers that there are: a chat model in this process, and an endpoint."""

from contextlib import closing
from itertools import pairwise
from pathlib import Path

from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.providers.registry import ProviderHost
from spark_tui.tasks.log import Budget
from spark_tui.tasks.outcome import changes_of, status_of
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import model_of
from spark_tui.tasks.tools import RunRules
from tests.fakes import scripted
from tests.providers.chat_models import chat_model
from tests.providers.scripted_server import chunk, event, says, serving
from tests.tasks.scripts import DONE, MEND, READ, stepwise, worked


def test_a_chat_model_in_this_process_works_on_a_task(store: TaskStore, tmp_path: Path) -> None:
    answers = {"test_area.py": MEND, "Changed: shapes/area.py.": DONE}
    host = ProviderHost(chat_model(tmp_path / "model", answers))
    log = store.begin("mend the area", host.in_use)
    task = worked(store.open(log, model_of(host), RunRules(), ()))
    assert status_of(task.log)[0] == "done"
    assert [change.path for change in changes_of(log, task.worktree).files] == ["shapes/area.py"]
    assert task.log.steps[0].tokens > 10


def test_an_endpoint_with_prices_is_held_to_a_cost(store: TaskStore, tmp_path: Path) -> None:
    usage = event({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}})
    end = chunk(None, "stop") + usage + event(b"[DONE]")
    with (
        serving(says(READ, end=end), says(MEND, end=end)) as server,
        closing(Server(server.endpoint(price_in=1.0, price_out=10.0))) as asked,
    ):
        host = ProviderHost(scripted(tmp_path / "model", {}), remote=Remote(asked))
        log = store.begin("mend", "big", budget=Budget(cost=0.003))
        task = worked(store.open(log, model_of(host), RunRules(), ()))
    assert [round(step.cost, 6) for step in task.log.steps] == [0.002, 0.002]
    assert status_of(task.log) == (
        "stopped",
        f"its budget of 0.003 in money is used up; `spark task resume {log.id}` goes on",
    )


def test_what_an_endpoint_has_read_stays_as_it_was(store: TaskStore, tmp_path: Path) -> None:
    with (
        serving(stepwise([READ, MEND, DONE])) as server,
        closing(Server(server.endpoint())) as asked,
    ):
        host = ProviderHost(scripted(tmp_path / "model", {}), remote=Remote(asked))
        host.standing = "Write short names."
        worked(store.open(store.begin("mend", "big"), model_of(host), RunRules(), ()))
    sent = [request["messages"] for request in server.requests]
    assert "Write short names." in sent[0][0]["content"]
    for before, after in pairwise(sent):
        assert after[: len(before)] == before
