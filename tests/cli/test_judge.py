"""A model of the user's own that judges the answers of the first one, by the setting `judge`."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from spark_tui.cli.common import LoadedModels, open_session
from spark_tui.config import Settings
from spark_tui.engine import loader
from spark_tui.engine.backend import Backend
from spark_tui.engine.loader import LoadedModel
from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.fakes import edit_script
from tests.providers.chat_models import chat_model

AREA = "def area(w, h):\n    return w + h\n"
WORDS = "this should multiply"
ANSWERS = [
    (edit_script(AREA, AREA.replace("+", sign)), share)
    for sign, share in (("*", 0.5), ("-", 0.3), ("/", 0.2))
]


@pytest.fixture
def unsure(use_scripts: UseScripts) -> None:
    use_scripts({}, sure=1.1, answers={WORDS: ANSWERS})


def ask(spark: Spark, folder: Path, *more: str):  # type: ignore[no-untyped-def]
    return spark("exec", WORDS, "--at", "a.py::area", "-C", folder, "--format", "json", *more)


def test_a_model_that_is_not_there_is_a_wrong_setting(
    spark: Spark, repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_JUDGE", "nobody")
    done = ask(spark, repo({"a.py": AREA}))
    assert done.code == 2
    assert "$SPARK_JUDGE: no model 'nobody'" in done.err


@pytest.mark.usefixtures("unsure")
@pytest.mark.parametrize("name", ["spark-l", ""])
def test_the_second_model_is_not_missed_where_it_was_not_added(
    name: str, spark: Spark, repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_JUDGE", name)
    told = json.loads(ask(spark, repo({"a.py": AREA})).out)
    assert len(told["written_by"]) == 1
    assert "judge" not in told["message"]


@pytest.mark.usefixtures("unsure")
def test_the_answer_that_a_chat_model_prefers_is_the_patch(
    spark: Spark, repo: MakeRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minus = AREA.replace("+", "-")
    chat = chat_model(tmp_path / "mind", {WORDS: f"{minus}```\n"})
    find, load = loader.find_model, loader.load
    monkeypatch.setattr(
        loader, "find_model", lambda name=None: chat.path if name == str(chat.path) else find(name)
    )
    monkeypatch.setattr(
        loader, "load", lambda path, backend: chat if path == chat.path else load(path, backend)
    )
    monkeypatch.setenv("SPARK_JUDGE", str(chat.path))
    told = json.loads(ask(spark, repo({"a.py": AREA}), "--variations", "3").out)
    assert "+    return w - h" in told["patch"], told
    assert (told["status"], told["written_by"]) == ("unsure", ["tiny"])
    assert told["variations"][0]["patch"] == told["patch"]
    assert len(told["variations"]) == 3


def test_sessions_of_one_process_share_its_weights(
    repo: MakeRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = chat_model(tmp_path / "mind", {})
    loads = list[Path]()

    def load(path: Path, _backend: Backend) -> LoadedModel:
        loads.append(path)
        return replace(chat)

    monkeypatch.setattr(loader, "find_model", lambda _=None: chat.path)
    monkeypatch.setattr(loader, "load", load)
    folder = repo({"a.py": AREA})
    shared = LoadedModels()
    settings = Settings(judge="mind", kernels="numpy")
    judges: Sequence[LoadedModel] = []
    for _ in range(2):
        with closing(open_session(folder, settings, is_late=True, shared=shared)) as session:
            judges = [*judges, session.models.load("mind")]
    assert judges[0] is judges[1]
    assert loads == [chat.path]
