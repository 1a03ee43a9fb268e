"""Two models for one request: the deep one is asked where the first is not sure, and only there."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.fakes import edit_script
from tests.providers.scripted_server import (
    DONE,
    ScriptedServer,
    Turn,
    chunk,
    event,
    refuses,
    says,
    sends,
    serving,
)

AREA = "def area(w, h):\n    return w + h\n"
QUICK, RIGHT = AREA.replace("+", "-"), AREA.replace("+", "*")
ANSWER = f"```python\n{RIGHT}```\n"
NEW_FILE = "b.py\n<<<<<<< SEARCH\n=======\nX = 1\n>>>>>>> REPLACE\n"
WORDS, UNKNOWN = "this should multiply", "make a file for that"
Configured = Callable[..., Path]


@pytest.fixture
def configured(repo: MakeRepo) -> Configured:
    """Names servers in the user's configuration, the first as the deep model; gives the
    repository.
    """

    def name(*servers: ScriptedServer, deep: str = "big", more: str = "") -> Path:
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        lines = [f'deep = "{deep}"'] if deep else []
        for name, server in zip(("big", "other"), servers, strict=False):
            lines += [f"[models.{name}]", f'base_url = "{server.base_url}"', 'model = "m"']
            lines += ["probe = false"]
            lines += [more] if name == "big" else []
        config.write_text("\n".join(lines))
        return repo({"a.py": AREA})

    return name


@pytest.fixture
def sure(use_scripts: UseScripts) -> None:
    use_scripts({WORDS: edit_script(AREA, QUICK)})


@pytest.fixture
def unsure(use_scripts: UseScripts) -> None:
    use_scripts({WORDS: edit_script(AREA, QUICK)}, sure=1.1)


def ask(spark: Spark, folder: Path, *more: str, words: str = WORDS):  # type: ignore[no-untyped-def]
    return spark("exec", words, "--at", "a.py::area", "-C", folder, *more)


@pytest.mark.usefixtures("sure")
def test_nothing_is_sent_where_the_first_model_is_sure(
    spark: Spark, configured: Configured
) -> None:
    with serving(says(ANSWER)) as server:
        done = ask(spark, configured(server), "--format", "json")
        assert (done.code, json.loads(done.out)["model"] == "big") == (0, False)
        assert (server.requests, server.connections) == ([], 0)


@pytest.mark.usefixtures("unsure")
def test_the_deep_model_answers_where_the_first_is_not_sure(
    spark: Spark, configured: Configured
) -> None:
    with serving(says(ANSWER)) as server:
        folder = configured(server)
        done = ask(spark, folder, "--apply", "--format", "json")
        told = json.loads(done.out)
        assert (told["model"], told["applied"]) == ("big", True), done.err
        assert (folder / "a.py").read_text() == RIGHT
        assert len(server.requests) == 1


SHARES = 0.4, 0.3, 0.2
"""How likely the three answers are that the first model knows."""


def test_the_deep_model_is_asked_before_the_first_one_writes_further_answers(
    spark: Spark, use_scripts: UseScripts, configured: Configured
) -> None:
    known = [
        (edit_script(AREA, AREA.replace("+", sign)), share)
        for sign, share in zip("-/%", SHARES, strict=True)
    ]
    use_scripts({}, sure=1.1, answers={WORDS: known})
    written = []
    with serving(says(ANSWER)) as server:
        for deep in ("big", ""):
            done = ask(spark, configured(server, deep=deep), "--format", "stream-json")
            events = [json.loads(line) for line in done.out.splitlines()]
            turns = [n for n, event in enumerate(events) if event["event"] == "turn_started"]
            quick = events[: turns[1]] if deep else events
            texts = [event["text"] for event in quick if event["event"] == "token"]
            written.append(texts.count(""))  # what ends an answer
    assert written == [1, len(SHARES)]


@pytest.mark.usefixtures("unsure")
def test_without_its_name_no_deep_model_is_asked(spark: Spark, configured: Configured) -> None:
    with serving(says(ANSWER)) as server:
        done = ask(spark, configured(server, deep=""))
        assert (done.code, server.requests) == (3, [])


@pytest.mark.usefixtures("sure")
def test_the_deep_model_makes_the_file_that_the_first_cannot(
    spark: Spark, configured: Configured
) -> None:
    with serving(says(NEW_FILE)) as server:
        folder = configured(server, more='format = "search_replace"')
        done = ask(spark, folder, words=UNKNOWN)
        assert "finds no edit: big is asked" in done.err
        assert (done.code, "+X = 1" in done.out, len(server.requests)) == (0, True, 1), done.err


@pytest.mark.usefixtures("sure")
def test_the_deep_model_answers_a_question_in_words(spark: Spark, configured: Configured) -> None:
    with serving(says("It adds; it should multiply.")) as server:
        done = ask(spark, configured(server), words="why is this wrong?")
        assert done.code == 3
        assert "it answers: It adds; it should multiply." in done.err


@pytest.mark.usefixtures("sure")
def test_a_long_answer_in_words_is_told_in_full(spark: Spark, configured: Configured) -> None:
    said = "It adds.\n\n" + "It should multiply the width and the height. " * 9 + "\n- so\x1b[31m"
    with serving(says(said)) as server:
        done = ask(spark, configured(server), words="why is this wrong?")
        assert (done.code, done.out) == (3, "")
        lines = [line.strip() for line in done.err.splitlines()]
        assert lines[-4:] == ["It adds.", "", said.splitlines()[2].strip(), "- so␛[31m"]


@pytest.mark.usefixtures("unsure")
@pytest.mark.parametrize("status", [401, 500, 503])
def test_where_the_deep_model_fails_the_edit_of_the_first_is_left(
    status: int, spark: Spark, configured: Configured
) -> None:
    with serving(refuses(status, Retry_After="999")) as server:
        done = ask(spark, configured(server), "--format", "json")
        told = json.loads(done.out)
        assert (done.code, told["status"]) == (3, "unsure")
        assert "+    return w - h" in told["patch"]
        assert str(status) in done.err


@pytest.mark.usefixtures("sure")
def test_where_neither_can_the_failure_of_the_deep_model_is_told(
    spark: Spark, configured: Configured
) -> None:
    with serving(refuses(500)) as server:
        done = ask(spark, configured(server), "--format", "json", words=UNKNOWN)
        assert done.code == 75
        assert json.loads(done.out)["status"] == "error"


@pytest.mark.usefixtures("sure")
@pytest.mark.parametrize("status", [402, 408, 429, 500, 503])
def test_an_endpoint_that_is_down_or_busy_hands_over_at_once(
    status: int, spark: Spark, configured: Configured
) -> None:
    with serving(refuses(status)) as down, serving(says(ANSWER)) as server:
        folder = configured(down, server, deep="", more='fallback = "other"')
        done = ask(spark, folder, "-m", "big", "--format", "json")
        assert (done.code, json.loads(done.out)["model"]) == (0, "other"), done.err
        assert (len(down.requests), len(server.requests)) == (1, 1)


@pytest.mark.usefixtures("sure")
def test_the_line_that_hands_over_names_both_models(spark: Spark, configured: Configured) -> None:
    with serving(refuses(429)) as down, serving(says(ANSWER)) as server:
        folder = configured(down, server, deep="", more='fallback = "other"')
        done = ask(spark, folder, "-m", "big")
        assert "spark: big is busy (429): other is asked instead\n" in done.err


@pytest.mark.usefixtures("unsure")
def test_the_deep_model_hands_over_too(spark: Spark, configured: Configured) -> None:
    with serving(refuses(500)) as down, serving(says(ANSWER)) as server:
        done = ask(spark, configured(down, server, more='fallback = "other"'), "--format", "json")
        assert (done.code, json.loads(done.out)["model"]) == (0, "other"), done.err


@pytest.mark.usefixtures("sure")
def test_a_key_that_is_rejected_is_no_reason_to_ask_another_model(
    spark: Spark, configured: Configured
) -> None:
    with serving(refuses(401)) as down, serving(says(ANSWER)) as server:
        folder = configured(down, server, deep="", more='fallback = "other"')
        assert ask(spark, folder, "-m", "big").code == 2
        assert server.requests == []


HALF = chunk(ANSWER[:40])
FAILURE = event({"error": {"message": "overloaded"}})


@pytest.mark.usefixtures("sure")
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (sends(HALF, cut=True), "the answer of big was cut off: other starts it anew"),
        (sends(HALF), "the answer of big was cut off: other starts it anew"),
        (sends(HALF, FAILURE), "big: overloaded: other starts it anew"),
        (sends(FAILURE), "big: overloaded: other is asked instead"),
        (sends(HALF, chunk(None, "length")), "the answer of big was cut: other starts it anew"),
        (says(ANSWER[:-4], end=DONE), "the answer of big was cut: other starts it anew"),
        (sends(DONE), "big sent an empty answer: other is asked instead"),
        (says("<think>Hm.</think>"), "without an answer: other is asked instead"),
    ],
    ids=["lost", "ended", "error in it", "error first", "length", "open", "empty", "thought"],
)
def test_an_answer_that_comes_to_no_end_is_started_anew_by_the_fallback(
    reply: Turn, reason: str, spark: Spark, configured: Configured
) -> None:
    with serving(reply) as broken, serving(says(ANSWER)) as server:
        folder = configured(broken, server, deep="", more='fallback = "other"')
        done = ask(spark, folder, "-m", "big", "--apply")
        assert (done.code, (folder / "a.py").read_text()) == (0, RIGHT), done.err
        assert [line for line in done.err.splitlines() if line.endswith(reason)], done.err
        assert (len(broken.requests), len(server.requests)) == (1, 1)


@pytest.mark.usefixtures("sure")
def test_an_endpoint_that_asks_for_payment_says_so(spark: Spark, configured: Configured) -> None:
    with serving(refuses(402, {"error": {"message": "no credit left"}})) as server:
        done = ask(spark, configured(server, deep=""), "-m", "big")
        words = "big asks for payment (402) and says: no credit left; pay there, or name"
        assert (done.code, words in done.err) == (75, True)


@pytest.mark.usefixtures("sure")
def test_two_endpoints_that_are_down_name_each_other_once(
    spark: Spark, configured: Configured
) -> None:
    with serving(refuses(500)) as down:
        folder = configured(down, down, deep="", more='fallback = "big"')
        done = ask(spark, folder, "-m", "big")
        assert (done.code, len(down.requests)) == (75, 1)


@pytest.mark.usefixtures("sure")
def test_without_a_deep_model_the_line_after_no_edit_says_who_could(
    spark: Spark, configured: Configured
) -> None:
    with serving(says("It adds.")) as server:
        alone = ask(spark, configured(server, deep=""), words=UNKNOWN)
        assert alone.err.splitlines()[-1].startswith("spark: a larger model may find the edit: ")
        assert "no edit found" in alone.err.splitlines()[-2]


def test_a_deep_model_that_nothing_is_called_is_refused_with_its_line(
    spark: Spark, configured: Configured
) -> None:
    with serving(says(ANSWER)) as server:
        done = ask(spark, configured(server, deep="bgi"))
        assert done.code == 2
        assert "config.toml:1: no model 'bgi'" in done.err
        done = ask(spark, configured(server, deep="", more='fallback = "nobody"'))
        assert (done.code, "[models.big] fallback: no model 'nobody'" in done.err) == (2, True)


@pytest.mark.parametrize("deep", ["big", ""])
def test_a_rename_reads_no_model(
    deep: str, spark: Spark, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[object] = []
    monkeypatch.setattr("spark_tui.engine.loader.load", lambda *given: loaded.append(given))
    with serving(says(ANSWER)) as server:
        folder = configured(server, deep=deep)
        asked = ("exec", "--rename", "size", "--at", "a.py::area", "--apply", "--format", "json")
        done = spark(*asked, "-C", folder)
        assert (done.code, json.loads(done.out)["model"]) == (0, "spark-m"), done.err
        assert "def size(w, h)" in (folder / "a.py").read_text()
        assert (loaded, server.connections) == ([], 0)


@pytest.mark.usefixtures("unsure")
@pytest.mark.parametrize("path", ["secrets.yaml", "deploy/id_rsa", ".env"])
def test_the_deep_model_gets_no_file_that_may_hold_secrets(
    path: str, spark: Spark, configured: Configured
) -> None:
    with serving(says(ANSWER)) as server:
        folder = configured(server)
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text("db_password: hunter2\n")
        spark("exec", "use another db_password", "-C", folder)
        spark("exec", "use another db_password", "--at", path, "-C", folder)
        assert b"hunter2" not in b"".join(server.bodies)


@pytest.mark.usefixtures("sure")
@pytest.mark.parametrize("options", [("--at", ".env"), ("--file", ".env")])
def test_an_endpoint_gets_such_a_file_with_a_consent(
    options: tuple[str, ...], spark: Spark, configured: Configured
) -> None:
    with serving(says("```\nPASSWORD=other\n```\n")) as server:
        folder = configured(server, deep="")
        (folder / ".env").write_text("PASSWORD=hunter2\n")
        command = ("exec", "use another one", *options, "-m", "big", "-C", folder)
        done = spark(*command)
        assert done.code == 2
        assert "--allow .env" in done.err
        assert server.bodies == []
        assert "-PASSWORD" in spark(*command, "--allow", ".env", "--unsure").out
        assert b"hunter2" in b"".join(server.bodies)
