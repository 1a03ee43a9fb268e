"""Unsaved text: edits are made over what the editor has, and written where it stands."""

import pytest

from tests.editors.conftest import AREA, RIGHT, EditorClient, MakeBench, connected

HEAD = "import math\n\n"


async def test_an_unsaved_text_is_edited_and_written_by_the_editor(
    make_bench: MakeBench,
) -> None:
    bench = make_bench()
    path = str(bench.root / "a.py")
    client = EditorClient(buffers={path: HEAD + AREA})
    async with connected(bench, client) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("a.py", "#L3:4"))
        assert client.writes == [(path, HEAD + RIGHT)]
        assert "its own undo" in client.said
        await editor.prompt("/undo")
        assert bench.text() == HEAD + RIGHT, "the journal has nothing of it"


async def test_a_text_without_the_last_line_end_counts_as_saved(make_bench: MakeBench) -> None:
    bench = make_bench({"a.py": AREA.replace("\n", "\r\n")})
    client = EditorClient(buffers={str(bench.root / "a.py"): AREA.rstrip("\n")})
    async with connected(bench, client) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("a.py"))
        assert not client.writes
    assert (bench.root / "a.py").read_bytes() == RIGHT.replace("\n", "\r\n").encode()


@pytest.mark.parametrize("starts_unsaved", [False, True])
async def test_a_text_that_changed_meanwhile_is_never_written_over(
    make_bench: MakeBench, starts_unsaved: bool
) -> None:
    bench = make_bench()
    path = str(bench.root / "a.py")
    client = EditorClient()
    if starts_unsaved:
        client.buffers[path] = HEAD + AREA

    async def type_on() -> None:
        client.buffers[path] = "# mine\n" + HEAD + AREA

    client.on_question = type_on
    async with connected(bench, client) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("a.py"))
        assert (client.writes, bench.text()) == ([], AREA)
        assert "edited in the editor meanwhile" in client.said
        client.on_question = None
        (bench.root / "a.py").write_text(client.buffers.pop(path))  # the user saves
        await editor.prompt("/accept")
        assert bench.text() == "# mine\n" + HEAD + RIGHT


async def test_an_editor_that_cannot_write_is_to_save_first(make_bench: MakeBench) -> None:
    bench = make_bench()
    client = EditorClient(buffers={str(bench.root / "a.py"): HEAD + AREA})
    async with connected(bench, client, can_write=False) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("a.py"))
        assert (client.writes, bench.text()) == ([], AREA)
        assert "save it" in client.said


async def test_an_editor_that_cannot_read_has_files_from_disk(make_bench: MakeBench) -> None:
    bench = make_bench()
    client = EditorClient(buffers={str(bench.root / "a.py"): "other\n"})
    async with connected(bench, client, can_read=False) as editor:
        await editor.begin()
        await editor.prompt("multiply", editor.link("a.py"))
    assert bench.text() == RIGHT


async def test_the_likeliest_place_is_looked_for_in_the_unsaved_text(
    make_bench: MakeBench,
) -> None:
    bench = make_bench({"a.py": AREA})
    path = str(bench.root / "a.py")
    client = EditorClient(buffers={path: HEAD + AREA})
    async with connected(bench, client) as editor:
        await editor.begin()
        await editor.prompt("multiply")
    assert client.writes == [(path, HEAD + RIGHT)]
