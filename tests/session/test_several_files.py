"""One request over several files: one review, one batch in the journal, every byte as it was
after the undo.
"""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from spark_tui.editing.line_diff import sections
from spark_tui.errors import SparkError, UsageError
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.session.events import Status
from spark_tui.session.json_output import result
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from tests.fakes import ended, scripted_session
from tests.providers.scripted_server import says, serving

FILES = {
    "shop/cart.py": b"from shop.tax import rate\n\n\ndef total(items):\n    return sum(items) * "
    b"(1 + rate())\n",
    "shop/tax.py": b"\xef\xbb\xbfdef rate():\r\n    return 0.2\r\n",
    "shop/old.py": b"def unused():\n    pass\n",
    "README.md": b"# Shop\n\nPrices with tax",
    "main.js": b"const a = 1;\n",
}
BLOCKS = """\
I take the tax out.

shop/cart.py
<<<<<<< SEARCH
from shop.tax import rate
=======
from shop.rates import rate
>>>>>>> REPLACE

shop/tax.py
<<<<<<< SEARCH
    return 0.2
=======
    return 0.19
>>>>>>> REPLACE

shop/old.py
<<<<<<< DELETE

shop/rates.py
<<<<<<< SEARCH
=======
def rate():
    return 0.19
>>>>>>> REPLACE

README.md
<<<<<<< SEARCH
Prices with tax
=======
Prices without
>>>>>>> REPLACE

main.js
<<<<<<< SEARCH
const b = 1;
=======
const b = 2;
>>>>>>> REPLACE
"""
ANEW = "shop/tax.py\n<<<<<<< SEARCH\n    return 0.2\n=======\n    return 0.21\n>>>>>>> REPLACE"
WORDS = "take the tax out @shop/tax.py @shop/old.py @README.md @main.js"
REQUEST = Request(WORDS, path="shop/cart.py")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with (
        serving(says(BLOCKS), says(ANEW)) as server,
        closing(Server(server.endpoint(format="search_replace"))) as asked,
    ):
        opened = scripted_session(tmp_path, FILES, {})
        opened.host.remote = Remote(asked)
        yield opened


def now(session: Session) -> dict[str, bytes]:
    root = session.repo.root
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git/" not in str(path)
    }


AFTER = {
    "shop/cart.py": FILES["shop/cart.py"].replace(b"shop.tax", b"shop.rates"),
    "shop/tax.py": FILES["shop/tax.py"].replace(b"0.2", b"0.19"),
    "shop/rates.py": b"def rate():\n    return 0.19\n",
    "README.md": b"# Shop\n\nPrices without",
    "main.js": FILES["main.js"],
}


def test_all_of_it_is_one_batch_and_one_undo(session: Session) -> None:
    turn = ended(session.begin(REQUEST))
    assert (turn.status, len(turn.hunks)) == (Status.OK, 5)
    assert "main.js does not fit" in turn.message
    entry = session.accept(turn, [hunk.id for hunk in turn.hunks], allow=["shop/rates.py"])
    assert now(session) == AFTER
    assert len(entry.files) == 5
    session.undo()
    assert now(session) == FILES
    assert len(turn.hunks) == 5
    session.redo()
    assert now(session) == AFTER
    assert not turn.file.hunks


@pytest.mark.parametrize(
    "words", ["rates go to @shop/rates.py, not @shop/tax.py", "make @shop/rates.py"]
)
def test_a_file_that_is_to_be_made_may_be_named(session: Session, words: str) -> None:
    turn = ended(session.begin(Request(words)))
    session.accept(turn, [hunk.id for hunk in turn.hunks], allow=["shop/rates.py", "shop/old.py"])
    assert now(session)["shop/rates.py"] == AFTER["shop/rates.py"]
    with pytest.raises(UsageError, match=r"no file shop/rats\.py"):
        session.begin(Request("mend @shop/rats.py::rate"))


def test_each_file_that_comes_or_goes_is_decided_whole(session: Session) -> None:
    turn = ended(session.begin(REQUEST))
    gone = next(hunk for hunk in turn.hunks if not hunk.new and "    pass" in hunk.old_lines)
    with pytest.raises(SparkError, match="a file is created or deleted as a whole"):
        turn.file.toggle(gone.id, 1)
    with pytest.raises(SparkError, match="a file is created or deleted as a whole"):
        turn.file.edit(gone.id, ["x = 1"])
    session.reject(turn, [gone.id])
    session.accept(turn, [hunk.id for hunk in turn.hunks], allow=["shop/rates.py"])
    assert now(session) == AFTER | {"shop/old.py": FILES["shop/old.py"]}


def test_a_part_is_accepted_beside_what_an_editor_saved(session: Session) -> None:
    turn = ended(session.begin(REQUEST))
    (session.repo.root / "shop/cart.py").write_bytes(FILES["shop/cart.py"] + b"\n# mine\n")
    session.accept(turn, [turn.hunks[0].id])
    assert now(session)["shop/cart.py"] == AFTER["shop/cart.py"] + b"\n# mine\n"
    assert any("shop/cart.py was edited meanwhile" in notice for notice in session.take_notices())
    session.accept(turn, [hunk.id for hunk in turn.hunks], allow=["shop/rates.py"])
    assert now(session) == AFTER | {"shop/cart.py": AFTER["shop/cart.py"] + b"\n# mine\n"}
    session.undo()
    session.undo()
    assert now(session) == FILES | {"shop/cart.py": FILES["shop/cart.py"] + b"\n# mine\n"}


def test_a_file_that_is_there_already_is_never_written_over(session: Session) -> None:
    turn = ended(session.begin(REQUEST))
    (session.repo.root / "shop/rates.py").write_bytes(b"mine\n")
    before = now(session)
    with pytest.raises(SparkError):
        session.accept(turn, [hunk.id for hunk in turn.hunks])
    assert now(session) == before


def test_programs_see_each_file_with_its_own_lines(session: Session) -> None:
    turn = ended(session.begin(REQUEST))
    told = result(session.repo, turn, "big")
    lines = {each["path"]: [hunk["old_start"] for hunk in each["hunks"]] for each in told["files"]}
    starts = {
        "shop/cart.py": 1,
        "shop/tax.py": 2,
        "shop/old.py": 1,
        "README.md": 3,
        "shop/rates.py": 1,
    }
    assert lines == {path: [start] for path, start in starts.items()}
    assert "deleted file mode" in told["patch"]
    assert "new file mode" in told["patch"]
    assert "\0" not in told["patch"]


def test_what_names_no_other_file_may_still_bring_one(session: Session) -> None:
    turn = ended(session.begin(Request("take the tax out", path="shop/cart.py")))
    assert [hunk.new_lines[0].strip("\0") for hunk in turn.hunks] == [
        "from shop.rates import rate",
        "shop/rates.py",
    ]
    with pytest.raises(SparkError, match="is not among the files you named"):
        session.accept(turn)


def test_a_folder_brings_its_text_files_and_what_is_not_there_is_an_error(session: Session) -> None:
    (session.repo.root / "shop/logo.png").write_bytes(b"\0\1")
    turn = session.begin(Request("no tax in @shop", path="README.md"))
    assert [each.path for each in sections(turn.base.raw)] == [
        "README.md",
        "shop/cart.py",
        "shop/old.py",
        "shop/tax.py",
    ]
    with pytest.raises(SparkError, match=r"no file \.\./gone\.py here"):
        session.begin(Request("no tax in @../gone.py", path="README.md"))
    with pytest.raises(SparkError, match=r"logo\.png is binary"):
        session.begin(Request("no tax in @shop/logo.png", path="README.md"))


def test_one_hunk_is_asked_for_again_and_the_others_hold(session: Session) -> None:
    turn = ended(session.begin(REQUEST))
    again = ended(session.ask_again(turn, turn.hunks[1].id, "0.21"))
    assert [hunk.new_lines for hunk in again.hunks[:2]] == [
        ("from shop.rates import rate",),
        ("    return 0.21",),
    ]
    assert len(again.hunks) == 5
    session.accept(again, [hunk.id for hunk in again.hunks], allow=["shop/rates.py"])
    assert now(session) == AFTER | {"shop/tax.py": FILES["shop/tax.py"].replace(b"0.2", b"0.21")}


@pytest.mark.parametrize(("room", "told"), [(1024, "shop/old.py\n    1: def unused():"), (0, "")])
def test_what_is_not_shown_is_on_a_map_unless_none_is_wanted(
    tmp_path: Path, room: int, told: str
) -> None:
    with (
        serving(says(ANEW)) as server,
        closing(Server(server.endpoint(format="search_replace", map=room))) as asked,
        closing(scripted_session(tmp_path, FILES, {})) as session,
    ):
        session.host.remote = Remote(asked)
        turn = ended(
            session.begin(Request("raise the unused tax @shop/cart.py", path="shop/tax.py"))
        )
    sent = server.requests[-1]["messages"][-1]["content"]
    around, _, shown = sent.partition("shop/tax.py\n```")
    assert (told in around, "def rate" in around, "def rate" in shown) == (True, False, True)
    assert bool(around) == bool(room)
    assert turn.status == Status.OK


@pytest.mark.parametrize("form", ["search_replace", "rewrite"])
def test_an_answer_with_a_nul_writes_no_file(form: str, tmp_path: Path) -> None:
    rogue = "\0\0\n\0main.js\0\nwritten by nobody\n"
    block = f"README.md\n<<<<<<< SEARCH\n# Shop\n=======\n# Shop\n{rogue}>>>>>>> REPLACE\n"
    answer = block if form == "search_replace" else f"```md\n# Shop\n{rogue}```\n"
    with serving(says(answer)) as server, closing(Server(server.endpoint(format=form))) as asked:
        session = scripted_session(tmp_path, FILES, {})
        session.host.remote = Remote(asked)
        turn = session.begin(Request("shorter in @main.js", "README.md"))
        with suppress(SparkError):
            ended(turn)
        assert not turn.hunks or turn.status is Status.ABSTAINED
        session.close()
    assert (tmp_path / "repo" / "main.js").read_bytes() == FILES["main.js"]
