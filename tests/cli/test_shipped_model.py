"""What commands make of whatever is typed, with the model that is shipped: an answer or a plain
sentence, always.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_tui.engine.backend import Backend
from spark_tui.engine.loader import LoadedModel, find_model, load
from spark_tui.resources import examples_dir
from spark_tui.vcs.lock import exclusive
from tests.cli.conftest import Done, MakeRepo, Spark
from tests.fakes import git

FILES: dict[str, str | bytes] = {
    "storage.py": (examples_dir() / "expenses" / "storage.py").read_bytes(),
    "area.py": "def area(w, h):\n    return w + h\n",
    "broken.py": "def f(:\n  return 1\n",
    "empty.py": "",
    "blank.txt": "\n\n\n",
    "picture.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xfe",
    "wide.txt": "hello\n".encode("utf-16"),
    "old.c": b"int caf\xe9 = 1;\n",
    "program.pas": "BEGIN\n  x := 1;\nEND.\n",
    "lines.css": b"a {\r\n  color: red;\r\n}\r\n",
    "flat.js": f"var a = [{'1, ' * 40_000}2]\n",
}
LANGUAGES = (
    "benenne w in breite um",
    "renomme w en largeur",
    "cambia el nombre de w a ancho",
    "rinomina w in larghezza",
    "renomeie w para largura",
    "hernoem w naar breedte",
    "döp om w till bredd",
    "nimeä w uudelleen leveydeksi",
    "zmień nazwę w na szerokosc",
    "přejmenuj w na sirka",
    "nevezd át w-t szelesseg-re",
    "redenumește w în latime",
    "μετονόμασε το w σε platos",
    "переименуй w в shirina",
    "перейменуй w на shyryna",
    "w'yi genislik olarak adlandır",
    "اعد تسمية w الى width",
    "שנה את השם של w ל-width",
    "w का नाम width करो",
    "把 w 重命名为 width",
    "w を width に変えて",
)
ODD = (
    "?",
    "😀",
    "none",
    "+",
    "-    return w + h",
    "~w ~h",
    "<|endoftext|>",
    "### Edit",
    "w " * 80,
    "a\x00b\x1b[31mc",
    "\udcff",
)
ANSWERED = {0, 2, 3}
"""An edit, a request that cannot be carried out, and no edit that is sure."""


@pytest.fixture(scope="module")
def shipped(code_folder: Path) -> tuple[Path, LoadedModel]:
    """The model as a user has it once code is compiled, and the cache where that lies.

    Whoever comes first packs the weights, which takes long, and the others load these.
    """
    with exclusive(code_folder / "packing.lock", patience=600):
        return code_folder.parents[1], load(find_model(), Backend(folder=code_folder))


@pytest.fixture
def folder(
    repo: MakeRepo, state: Path, shipped: tuple[Path, LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A repository with files of all sorts; commands in this process find the model loaded."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(shipped[0]))
    monkeypatch.setenv("SPARK_KERNELS", "auto")
    monkeypatch.setattr("spark_tui.engine.loader.load", lambda path, backend=None: shipped[1])
    return repo(FILES)


def answered(done: Done, folder: Path) -> None:
    """Hold that it is told in plain sentences what came of it, that a patch applies, and that
    nothing was written.
    """
    assert done.code in ANSWERED, done.err
    lines = done.err.splitlines()
    assert lines
    assert all(line.startswith("spark: ") and line.isprintable() for line in lines), lines
    assert "unexpected" not in done.err
    assert bool(done.out) == (done.code == 0)
    if done.out:
        git(folder, "apply", "--check", stdin=done.out.encode())
    assert git(folder, "status", "--porcelain") == b""


def test_the_demo_edits_in_a_process_of_its_own(folder: Path, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "TMPDIR": str(tmp_path),
    }
    command = [sys.executable, "-m", "spark_tui", "demo", "--print"]
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "+    expenses = []" in done.stdout
    assert "-    return d\n+    return expenses" in done.stdout


def test_what_it_is_not_sure_of_is_told_and_printed_for_programs_alone(
    spark: Spark, folder: Path
) -> None:
    ask = ("exec", "sort what comes back by note", "--at", "storage.py::load", "-C", folder)
    done = spark(*ask)
    answered(done, folder)
    assert (done.code, "spark: unsure (" in done.err) == (3, True)
    told = json.loads(spark(*ask, "--format", "json").out)
    assert (told["status"], told["applied"], 0 < told["confidence"] < 1) == ("unsure", False, True)
    git(folder, "apply", "--check", stdin=told["patch"].encode())


@pytest.mark.parametrize("words", ["thank you, that was nice", "what is the weather like today?"])
def test_a_remark_is_left_alone(spark: Spark, folder: Path, words: str) -> None:
    done = spark("exec", words, "--at", "storage.py::load", "--apply", "--unsure", "-C", folder)
    answered(done, folder)
    assert (done.code, "no edit found" in done.err) == (3, True)


@pytest.mark.every(4)
@pytest.mark.parametrize("words", LANGUAGES)
def test_words_in_any_language_are_answered(spark: Spark, folder: Path, words: str) -> None:
    answered(spark("exec", words, "--at", "area.py::area", "-C", folder), folder)


def test_odd_words_are_answered(spark: Spark, folder: Path) -> None:
    for words in ODD:
        answered(spark("exec", words, "--at", "area.py::area", "-C", folder), folder)


def test_words_without_a_place_are_answered(spark: Spark, folder: Path) -> None:
    for words in (
        "make it better",
        "rename w to width",
        "area",
        "@area.py rename w to width",
        "@gone.py rename w",
    ):
        answered(spark("exec", words, "-C", folder), folder)


@pytest.mark.parametrize("words", ["", " \n\t ", "rename " * 1500], ids=["empty", "blank", "long"])
def test_no_words_and_too_many_are_refused(spark: Spark, folder: Path, words: str) -> None:
    done = spark("exec", words, "--at", "area.py", "-C", folder)
    answered(done, folder)
    assert (done.code, len(done.err.splitlines())) == (2, 1)


@pytest.mark.parametrize("path", sorted(FILES))
def test_files_of_every_sort_are_answered(spark: Spark, folder: Path, path: str) -> None:
    answered(spark("exec", "change 1 to 2", "--at", path, "-C", folder), folder)
