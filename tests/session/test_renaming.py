"""A name renamed in several files: one review, partly accepted, and every byte as it was after
the undo.
"""

import os
from pathlib import Path
from typing import Any

import pytest
from jedi.file_io import KnownContentFileIO

from spark_tui.errors import Interrupted, SparkError, UsageError
from spark_tui.session.events import Status
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from tests.fakes import ended, scripted_session
from tests.session.test_several_files import now

FILES = {
    "shop/__init__.py": b'from shop.cart import total\n\n__all__ = ["total"]\n',
    "shop/cart.py": b"def total(items):\n    return sum(items)\n\n\nclass Cart:\n    def "
    b"total(self): ...\n",
    "shop/report.py": b"from shop.cart import total\r\n\r\ndef show(items, one):\r\n    "
    b"total(items), one.total()\r\n",
    "shop/cli.py": b"# caf\xe9\nimport shop\n\n\ndef main():\n    return shop.total([1])",
    "tests/test_cart.py": b"\xef\xbb\xbffrom shop.cart import total as t\n\nassert t([1]) == 1\n",
    "notes.md": b"total\n",
}
AFTER = {
    "shop/__init__.py": FILES["shop/__init__.py"].replace(b"total", b"amount"),
    "shop/cart.py": FILES["shop/cart.py"].replace(b"total(items)", b"amount(items)"),
    "shop/report.py": FILES["shop/report.py"]
    .replace(b"import total", b"import amount")
    .replace(b" total(i", b" amount(i"),
    "shop/cli.py": FILES["shop/cli.py"].replace(b"total", b"amount"),
    "tests/test_cart.py": FILES["tests/test_cart.py"].replace(b"total", b"amount"),
    "notes.md": FILES["notes.md"],
}
REQUEST = Request("", path="shop/cart.py", symbol="total", rename="amount")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return scripted_session(tmp_path, FILES, {})


def renamed(session: Session, request: Request = REQUEST) -> Turn:
    return ended(session.rename(request, lambda _: None))


def test_all_of_it_is_one_batch_and_one_undo(session: Session) -> None:
    turn = renamed(session)
    assert turn.status is Status.OK
    assert "not renamed where its type is not known: shop/report.py:4" in turn.message
    entry = session.accept(turn)
    assert now(session) == AFTER
    assert (len(entry.files), entry.description) == (5, "rename total to amount")
    session.undo()
    assert now(session) == FILES


def test_a_name_alone_is_found_by_its_one_definition_or_asked_for(session: Session) -> None:
    with pytest.raises(
        UsageError, match=r"which total is meant\? Say where: @shop/cart.py::total or @shop/cart"
    ):
        session.rename(Request("total", rename="amount"), lambda _: None)
    turn = renamed(session, Request("show", rename="tell"))
    assert [hunk.new_lines for hunk in turn.hunks] == [("def tell(items, one):",)]


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (
            Request("", path="notes.md", symbol="total", rename="amount"),
            "notes.md is no Python file",
        ),
        (
            Request("gone", path="shop/cart.py", rename="amount"),
            "there is no name gone in shop/cart.py",
        ),
        (
            Request("", path="shop/cart.py", symbol="total", rename="for"),
            "for cannot be the new name",
        ),
    ],
)
def test_what_cannot_be_renamed_is_said(session: Session, request_: Request, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        session.rename(request_, lambda _: None)


def test_it_can_be_stopped_between_files(session: Session) -> None:
    told = list[str]()

    def watch(words: str) -> None:
        told.append(words)
        if len(told) == 2:
            raise Interrupted("stopped")

    with pytest.raises(Interrupted):
        session.rename(REQUEST, watch)
    assert told[0] == "looking for total in shop/cart.py, file 1 of 5"
    assert session.turn is None


def test_other_words_about_it_go_to_the_model_and_about_its_place_alone(session: Session) -> None:
    turn = renamed(session)
    with pytest.raises(SparkError, match="no model wrote this hunk; for another name use /rename"):
        session.ask_again(turn, turn.hunks[0].id, "shorter")
    assert session.redirect(turn, "shorter").base.to_bytes() == FILES["shop/cart.py"]


DEEP = [
    b"x = " + b"not " * 3000 + b"total\n",
    b"x = " + b"(" * 3000 + b"total" + b")" * 3000 + b"\n",
    b"x = total" + b".y" * 3000 + b"\n",
    b"def f(x: '" + b"total | " * 3000 + b"int'): ...\n",
]


@pytest.mark.parametrize("deep", DEEP)
def test_a_file_that_is_nested_too_deeply_is_left_out_and_told(tmp_path: Path, deep: bytes) -> None:
    files = {"a.py": b"def total(): ...\n", "deep.py": b"from a import total\n" + deep}
    session = scripted_session(tmp_path, files, {})
    turn = renamed(session, Request("", path="a.py", symbol="total", rename="amount"))
    assert turn.status is Status.OK
    assert ("nested too deeply: deep.py" in turn.message) is deep.startswith((b"x = not", b"x = ("))
    session.accept(turn)
    assert now(session)["a.py"] == b"def amount(): ...\n"


@pytest.mark.parametrize("deep", DEEP[:2])
def test_a_name_in_a_file_that_is_nested_too_deeply_is_refused(tmp_path: Path, deep: bytes) -> None:
    session = scripted_session(tmp_path, {"a.py": b"def total(): ...\n" + deep}, {})
    with pytest.raises(UsageError, match=r"a\.py is nested too deeply to be read for its names"):
        renamed(session, Request("", path="a.py", symbol="total", rename="amount"))


@pytest.mark.parametrize("kind", ["file", "folder", "pipe"])
def test_no_module_behind_a_link_out_of_the_repository_is_read(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "__init__.py").write_text("def total(items): ...\n")
    session = scripted_session(
        tmp_path, {"a.py": "from far import total\n\n\ndef f(x):\n    return total(x)\n"}, {}
    )
    root = session.repo.root
    if kind == "folder":
        (root / "far").symlink_to(outside)
    elif kind == "file":
        (root / "far.py").symlink_to(outside / "__init__.py")
    else:
        os.mkfifo(root / "far.py")
    read = list[bytes]()
    real = KnownContentFileIO

    def noted(path: Path, content: bytes) -> Any:
        read.append(content)
        return real(path, content)

    monkeypatch.setattr("spark_tui.context.rename.KnownContentFileIO", noted)
    renamed(session, Request("total", path="a.py", rename="amount"))
    assert not [content for content in read if b"items" in content]
