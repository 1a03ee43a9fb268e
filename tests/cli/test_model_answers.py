"""Answers of endpoints as models give them: what is offered, and what is not, with `spark exec`.

The 24 kinds of answers, terminals and machines that others reported, and where their tests are
(`pytest -k kind_14` runs those whose names have the number):

    kind 1   an answer that is not complete      here, test_an_answer_without_a_reason_to_stop_*
    kind 2   code that is left out               here, test_a_line_that_stands_for_left_out_code_*,
                                                 editing/test_placeholders.py
    kind 3   code within a thought               providers/test_remote_answers.py
    kind 4   fences within a file                here, test_a_fence_within_a_file_*
    kind 5   headings like a divider             here, test_a_heading_underlined_like_a_divider_*
    kind 6   large data files                    session/test_large_files.py
    kind 7   bytes that are not UTF-8            cli/test_endpoints.py, providers/test_encodable.py
    kind 8   reports of the terminal             tui/test_terminal.py, test_a_report_*
    kind 9   keys with sub-parameters            tui/test_terminal.py, test_a_key_that_says_more_*
    kind 10  state that root owns                cli/test_foreign_folders.py
    kind 11  a cache that is a dangling link     engine/test_backend.py
    kind 12  parameters that are refused         providers/test_abilities.py
    kind 13  content in parts                    providers/test_chat_stream.py, test_text_parts_*
    kind 14  other events in a stream            here, providers/test_chat_stream.py
    kind 15  tokens used up for a thought        providers/test_remote_answers.py
    kind 16  proxies and certificates            providers/test_network.py
    kind 17  halves of a character               providers/test_chat_stream.py, test_halves_*;
                                                 broken ones here
    kind 18  white space and punctuation         here
    kind 19  diffs for lines or blocks           here, editing/formats/test_search_replace.py
    kind 20  settings with a byte order mark     test_config.py
    kind 21  GIT_DIR and GIT_WORK_TREE           vcs/test_repository.py
    kind 22  a file that is a mount              vcs/test_write.py
    kind 23  no system role                      providers/test_abilities.py
    kind 24  characters that a script needs      editing/test_unicode_hazards.py
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.fakes import git
from tests.providers.scripted_server import ScriptedServer, Turn, chunk, event, says, sends, serving

CODE = "def f(x):\n    y = x + 1\n    return y\n"
CUT = "```python\ndef f(x):\n    y = x + 2\n"
DONE = event(b"[DONE]")
BLOCKS = "search_replace"
STOPPED = chunk(None, "stop") + DONE
Answer = Callable[..., tuple[int, str, str]]


@pytest.fixture
def answer(spark: Spark, use_scripts: UseScripts, repo: MakeRepo, state: Path) -> Answer:
    """Has an endpoint answer about a whole file: the exit code, the file then, and stderr."""
    use_scripts({})

    def run(
        turn: Turn,
        path: str = "a.py",
        text: str = CODE,
        form: str = "rewrite",
        more: tuple[str, ...] = (),
    ) -> tuple[int, str, str]:
        with serving(turn) as server:
            folder = configured(server, repo({path: text}), form)
            place = f"{path}:1-{text.count(chr(10))}"
            asked = ("exec", "please", "--at", place, "-m", "big", "--apply", *more)
            done = spark(*asked, "-C", folder)
            assert "Traceback" not in done.err
            return done.code, (folder / path).read_bytes().decode(), done.err

    return run


def configured(server: ScriptedServer, folder: Path, form: str) -> Path:
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "spark" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    settings = f'model = "m"\nmap = 0\nformat = "{form}"\n'
    table = f'[models.big]\nbase_url = "{server.base_url}"\nprobe = false\n'
    config.write_text(table + settings)
    return folder


@pytest.mark.parametrize("closed", ["", "    return y\n```\n"])
@pytest.mark.parametrize(
    "end",
    [
        chunk(None, "content_filter") + DONE,
        chunk(None, "tool_calls") + DONE,
        chunk(None, "some_other_reason") + DONE,
        DONE,
    ],
)
def test_an_answer_without_a_reason_to_stop_is_not_complete(
    answer: Answer,
    closed: str,
    end: bytes,
) -> None:
    code, file, said = answer(sends(chunk(CUT + closed), end))
    assert (code in (1, 75), file) == (True, CODE)
    assert len(said.splitlines()) <= 2


@pytest.mark.parametrize(
    "text",
    [CUT, "```\n", "Here:\n\n~~~py\ndef f(x):\n    y = x + 2", CUT + "``"],
)
def test_an_answer_that_stops_within_its_fence_is_not_complete(answer: Answer, text: str) -> None:
    code, file, said = answer(says(text))
    assert (code, file) == (3, CODE)
    assert "ends before its code does" in said


WHOLE_BLOCK = """a.py
```python
<<<<<<< SEARCH
    y = x + 1
=======
    y = x + 2
>>>>>>> REPLACE
"""


@pytest.mark.parametrize("fence", ["", "```\n"])
@pytest.mark.parametrize(
    "begun",
    [
        "<<<<<<< SEARCH\n    return y\n=======\n    return -y\n",
        "<<<<<<< SEARCH\n    return y\n=======\n    retu",
        "<<<<<<< SEARCH\n    return y\n",
        "<<<<<<< SEARCH",
    ],
)
def test_an_answer_that_stops_within_a_block_is_not_complete(
    answer: Answer, begun: str, fence: str
) -> None:
    text = WHOLE_BLOCK + begun + ("\n" if fence else "") + fence
    code, file, said = answer(says(text), form=BLOCKS)
    assert (code, file) == (3, CODE)
    assert "ends before its code does" in said


def test_an_answer_that_stops_within_a_mark_is_not_complete(answer: Answer) -> None:
    code, file, _ = answer(says(WHOLE_BLOCK + "<<<<<<< SEA"), form=BLOCKS)
    assert (code, file) == (3, CODE)


def test_an_answer_in_blocks_is_complete_with_the_last_mark(answer: Answer) -> None:
    for text in (WHOLE_BLOCK.rstrip(), WHOLE_BLOCK, WHOLE_BLOCK + "```"):
        code, file, _ = answer(says(text), form=BLOCKS)
        assert (code, file) == (0, CODE.replace("+ 1", "+ 2"))


def test_an_answer_that_stops_within_a_block_about_several_files_writes_nothing(
    answer: Answer,
) -> None:
    second = "b.py\n<<<<<<< SEARCH\n=======\nx = 1\n"
    code, file, said = answer(says(WHOLE_BLOCK + "```\n" + second), form=BLOCKS)
    assert (code, file) == (3, CODE)
    assert "ends before its code does" in said


@pytest.mark.parametrize("reason", ["stop", "STOP", "end_turn", "eos_token"])
def test_an_answer_is_complete_with_a_reason_to_stop(answer: Answer, reason: str) -> None:
    text = CUT + "    return y\n```"
    code, file, _ = answer(sends(chunk(text), chunk(None, reason)))
    assert (code, file) == (0, CODE.replace("+ 1", "+ 2"))


@pytest.mark.parametrize("beside", [b"ping", b"[1,2]", b"12:00", b'"alive"', b"null", b"<!-- -->"])
@pytest.mark.parametrize("form", ["rewrite", "search_replace"])
def test_kind_14_events_that_are_no_object_do_not_end_a_stream(
    answer: Answer,
    beside: bytes,
    form: str,
) -> None:
    first, second = "    y = x + 1\n", "    y = x + 2\n"
    text = f"```\n{CODE.replace(first, second)}```\n"
    if form == "search_replace":
        text = block(first, second)
    parts = chunk(text[:20]), chunk(text[20:]), STOPPED
    sent = [each for part in parts for each in (event(beside), part)]
    code, file, said = answer(sends(*sent), form=form)
    assert (code, file) == (0, CODE.replace("+ 1", "+ 2")), said


def test_kind_14_a_stream_of_nothing_else_is_an_error_that_says_so(answer: Answer) -> None:
    code, file, said = answer(sends(event(b"ping"), event(b"[1,2]"), DONE))
    assert (code, file) == (75, CODE)
    assert "nothing that is part of an answer, only: ping" in said


@pytest.mark.parametrize(
    ("end", "code", "said"),
    [
        (chunk(None, "length") + DONE, 1, "it used up its tokens"),
        (chunk(None, "content_filter") + DONE, 1, "before it was complete (content_filter)"),
        (DONE, 75, "cut off"),
    ],
)
def test_a_question_is_told_that_its_answer_was_cut(
    spark: Spark,
    use_scripts: UseScripts,
    repo: MakeRepo,
    state: Path,
    end: bytes,
    code: int,
    said: str,
) -> None:
    use_scripts({})
    with serving(sends(chunk("Half an"), end)) as server:
        folder = configured(server, repo({"a.py": CODE}), "rewrite")
        done = spark("ask", "why?", "-m", "big", "-C", folder)
    assert (done.code, done.out) == (code, "Half an")
    assert said in done.err
    assert git(folder, "status", "--porcelain") == b""


@pytest.mark.parametrize("path", ["a.txt", "b.md", "rules.txt"])
def test_an_edit_that_no_check_but_applies_held_is_unsure(answer: Answer, path: str) -> None:
    text = "one:\n\ttwo\n"
    turn = says(f"```\n{text.replace('two', 'three')}```\n")
    code, file, said = answer(turn, path, text)
    assert (code, file) == (3, text)
    assert "unsure" in said
    code, file, _ = answer(turn, path, text, more=("--unsure",))
    assert (code, file) == (0, text.replace("two", "three"))


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("<answer>", "</answer>"),
        ("<answer>\n", "</answer>"),
        ("", "<|im_end|>"),
        ("<|START_RESPONSE|>", "<|END_RESPONSE|><|END_OF_TURN_TOKEN|>"),
        ("<|START_THINKING|>`f`?<|END_THINKING|>", "</s>"),
        ("<file name='a.py'> ", " </file>\n"),
    ],
)
@pytest.mark.parametrize("form", ["rewrite", "search_replace"])
def test_tags_on_the_line_of_a_fence_or_a_mark_are_no_part_of_the_answer(
    answer: Answer, form: str, before: str, behind: str
) -> None:
    body = f"```python\n{CODE.replace('1', '2')}```"
    if form == "search_replace":
        body = block(CODE, CODE.replace("1", "2")).strip()
    code, file, said = answer(says(f"{before}{body}{behind}"), form=form)
    assert (code, file) == (0, CODE.replace("1", "2")), said


def test_a_fence_with_a_tag_that_the_file_has_is_a_line_of_the_file(answer: Answer) -> None:
    old = "<details>```\nls\n```</details>\nend\n"
    new = old.replace("end", "the end")
    turn = says(f"````md\n{new}````\n")
    code, file, said = answer(turn, "a.md", old, more=("--unsure",))
    assert (code, file) == (0, new), said


def test_a_pair_of_tags_around_an_answer_without_a_fence_is_no_part_of_it(answer: Answer) -> None:
    code, file, said = answer(says(f"<code>\n{CODE.replace('1', '2')}</code>"), more=("--unsure",))
    assert (code, file) == (0, CODE.replace("1", "2")), said


def test_an_unsure_edit_of_an_endpoint_is_there_for_programs(
    spark: Spark, use_scripts: UseScripts, repo: MakeRepo, state: Path
) -> None:
    use_scripts({})
    with serving(says("```\none\nthree\n```\n")) as server:
        folder = configured(server, repo({"a.txt": "one\ntwo\n"}), "rewrite")
        asked = ("exec", "please", "--at", "a.txt:1-2", "-m", "big", "--format", "json")
        done = spark(*asked, "-C", folder)
    told = json.loads(done.out)
    assert (done.code, told["status"], told["confidence"]) == (3, "unsure", None)
    assert "+three" in told["patch"]


def test_what_a_server_counted_is_there_for_programs(
    spark: Spark, use_scripts: UseScripts, repo: MakeRepo, state: Path
) -> None:
    use_scripts({})
    thought = event({"choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}}]})
    counted = {
        "prompt_tokens": 300,
        "prompt_tokens_details": {"cached_tokens": 256},
        "completion_tokens": 120,
        "completion_tokens_details": {"reasoning_tokens": 80},
    }
    usage = event({"choices": [], "usage": counted})
    parts = (thought, chunk(CUT), chunk("    return y\n```\n"), chunk(None, "stop"), usage, DONE)
    with serving(sends(*parts)) as server:
        folder = configured(server, repo({"a.py": CODE}), "rewrite")
        asked = ("exec", "please", "--at", "a.py:1-3", "-m", "big", "--format", "json")
        done = spark(*asked, "-C", folder)
    timing = json.loads(done.out)["timing"]
    assert (timing["prompt_tokens"], timing["cached_tokens"]) == (300, 256)
    assert (timing["generated_tokens"], timing["thought_tokens"]) == (40, 80)
    assert timing["tokens_per_second"] > 0
    assert timing["cost"] is None


JS = "function f(x) {\n  const y = x + 1;\n  log(y);\n  return y;\n}\n"
GAP = "function f(x) {\n{gap}\n}\n"


@pytest.mark.parametrize(
    "gap",
    [
        "  // ... existing code ...",
        "  // ...",
        "  /* rest of the function unchanged */",
        "  // … same as before …",
        "  // ... remaining lines ...",
        "  {/* ... existing code ... */}",
        "  { /* ... rest unchanged ... */ }",
        "  {/** ... existing code ... **/}",
        "  ... rest of the code ...",
    ],
)
def test_a_line_that_stands_for_left_out_code_never_replaces_that_code(
    answer: Answer,
    gap: str,
) -> None:
    assert answer(says("```js\n" + GAP.replace("{gap}", gap) + "```\n"), "a.js", JS)[1] == JS
    text = "```js\n" + JS.replace("  log(y);\n  return y;", gap).replace("+ 1", "+ 2") + "```\n"
    code, file, _ = answer(says(text), "a.js", JS)
    assert (code, file) == (3, JS)
    _, file, _ = answer(says(text), "a.js", JS, more=("--unsure",))
    assert file in (JS, JS.replace("+ 1", "+ 2"))


def test_code_left_out_between_old_lines_comes_back(answer: Answer) -> None:
    text = "```js\nfunction f(x) {\n  // ... existing code ...\n  return y;\n}\n\nf(1);\n```\n"
    code, file, _ = answer(says(text), "a.js", JS)
    assert (code, file) == (0, JS + "\nf(1);\n")


def test_code_left_out_of_a_replacement_comes_back(answer: Answer) -> None:
    block = "<<<<<<< SEARCH\n" + JS + "=======\n" + JS + "f(1);\n>>>>>>> REPLACE\n"
    gap = "  // ... existing code ...\n}\nf(1)"
    replaced = block.replace("  log(y);\n  return y;\n}\nf(1)", gap)
    code, file, _ = answer(says(replaced), "a.js", JS, "search_replace")
    assert (code, file) == (0, JS + "f(1);\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# ... kept ...\nx = 1\ny = 2\n", "# ... kept ...\nx = 3\n"),
        ("def f():\n    pass\n", "def f():\n    ...\n"),
        ("x = [1, 2]\ny = x\n", "x = [\n    *rest,\n]\n"),
        ("a = b[0]\nc = b[1]\n", "# keep what comes first\na = b[0]\n"),
    ],
)
def test_remarks_and_dots_that_stand_for_no_code_are_lines(
    answer: Answer,
    old: str,
    new: str,
) -> None:
    old, new = (f"rest = 0\nb = [1]\n{each}" for each in (old, new))
    code, file, said = answer(says(f"```python\n{new}```\n"), "a.py", old)
    assert (code, file) == (0, new), said


THREE = "function f(x) {\n  const y = x + 1;\n  const z = y * 2;\n  return z;\n}\n"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "a.html",
            "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n",
            "<ol>\n<!-- existing items -->\n</ol>\n",
        ),
        ("a.css", ".a {\n  color: red;\n  margin: 0;\n}\n", ".b {\n  /* all the others */\n}\n"),
        ("a.js", THREE, "function f(x) {\n  // 其余代码保持不变\n}\n"),
        ("a.py", CODE, "def g(x):\n    pass  # ... rest of the function ...\n"),
        (
            "a.js",
            THREE,
            "function f(x) {\n  const y = x + 2; // ... the rest is unchanged ...\n}\n",
        ),
        ("a.js", THREE, "function f(x) {\n  const y = x + 2;\n  // (no changes below)\n}\n"),
    ],
)
def test_a_remark_in_the_place_of_code_is_never_sure(
    answer: Answer,
    path: str,
    old: str,
    new: str,
) -> None:
    code, file, said = answer(says(f"```\n{new}```\n"), path, old)
    assert (code, file) == (3, old)
    assert "unsure" in said


BODY = "    y = x + 1\n    return y\n"
PAID = "        self.paid = 1\n        return 2\n"
CLASS = f"class A:\n    def pay(self):\n{PAID}"


@pytest.mark.parametrize(
    "stub",
    [
        "...  # rest of the function",
        "pass  # existing code",
        "pass  # El resto no cambia",
        "...  # 其余代码保持不变",
        '"""(rest unchanged)"""',
        '"""Le reste ne change pas."""',
        "...",
        "pass",
        "# nada\n    ...",
        "y = x + 1\n    ...",
    ],
)
@pytest.mark.parametrize("form", ["rewrite", "search_replace"])
def test_kind_2_a_stub_of_python_never_replaces_code(answer: Answer, stub: str, form: str) -> None:
    new = CODE.replace("(x)", "(x: int)").replace(BODY, f"    {stub}\n")
    text = f"```python\n{new}```\n"
    if form == "search_replace":
        text = block(CODE, new)
    code, file, said = answer(says(text), form=form)
    assert (code, file) == (3, CODE), said
    assert "unsure" in said


@pytest.mark.parametrize("stub", ["...  # unchanged", "pass  # same as before", "...", "pass"])
def test_kind_2_a_stub_of_a_method_never_replaces_code(answer: Answer, stub: str) -> None:
    new = CLASS.replace(PAID, f"        {stub}\n")
    code, file, said = answer(says(f"```python\n{new}    X = 1\n```\n"), "a.py", CLASS)
    assert (code in (1, 3), file) == (True, CLASS), said
    last = "\n    def owe(self):\n        return 3\n"
    changed = new + last.replace("3", "4")
    code, file, said = answer(says(f"```python\n{changed}```\n"), "a.py", CLASS + last)
    if "#" in stub:
        assert (code, file) == (0, CLASS + last.replace("3", "4")), said
    else:
        assert (code, file) == (3, CLASS + last), said


def test_kind_2_a_stub_between_old_lines_gives_the_code_back(answer: Answer) -> None:
    old = CODE + "\n\nZ = 1\n"
    new = old.replace(BODY, "    ...  # rest of the function\n") + "W = 2\n"
    code, file, said = answer(says(f"```python\n{new}```\n"), "a.py", old)
    assert (code, file) == (0, old + "W = 2\n"), said


def test_kind_2_a_doubt_names_the_code_that_gave_way(answer: Answer) -> None:
    new = CODE.replace("(x)", "(x: int)").replace(BODY, "    ...\n")
    said = answer(says(f"```python\n{new}```\n"))[2]
    assert "a placeholder stands where the code of f was" in said


def test_kind_2_a_stub_in_a_file_that_does_not_parse_is_never_sure(answer: Answer) -> None:
    new = CODE.replace("(x)", "(x: int)").replace(BODY, "    ...\n")
    old = CODE + "\n\ndef broken(:\n"
    place = ("--at", "a.py:1-3")
    code, file, said = answer(says(f"```python\n{new}```\n"), "a.py", old, more=place)
    assert (code, file) == (3, old), said


@pytest.mark.parametrize(
    "remark",
    [
        "[rest of the document unchanged]",
        "[The rest of the document remains unchanged.]",
        "(rest of the document unchanged)",
        "[El resto del documento no cambia]",
        "[其余部分不变]",
    ],
)
def test_kind_2_a_remark_in_brackets_never_replaces_prose(answer: Answer, remark: str) -> None:
    old = "# One\n\nFirst.\n\n## Two\n\nSecond.\n"
    new = f"# One\n\nFirst, changed.\n\n{remark}\n"
    code, file, said = answer(says(f"```markdown\n{new}```\n"), "a.md", old)
    assert (code, file) == (3, old), said
    assert "left out" in said


@pytest.mark.parametrize("form", ["rewrite", "search_replace"])
def test_kind_17_a_broken_character_that_an_answer_adds_is_never_sure(
    answer: Answer, form: str
) -> None:
    old = 'NAME = "café"\nX = 1\n'
    new = 'NAME = "caf\ufffd"\nX = 2\n'
    text = f"```python\n{new}```\n"
    if form == "search_replace":
        text = block(old, new)
    code, file, said = answer(says(text), "a.py", old, form)
    assert (code, file) == (3, old), said
    assert "it adds U+FFFD, which stands for a broken character" in said


def test_kind_17_a_broken_character_that_was_there_stays(answer: Answer) -> None:
    old = 'NAME = "caf\ufffd"\nX = 1\n'
    new = old.replace("= 1", "= 2")
    code, file, said = answer(says(f"```python\n{new}```\n"), "a.py", old)
    assert (code, file) == (0, new), said


def test_a_remark_of_several_lines_that_stands_for_code_goes_as_a_whole(answer: Answer) -> None:
    new = "function f(x) {\n  const y = x + 2;\n  /*\n   * ... rest unchanged ...\n   */\n}\n"
    whole = THREE.replace("+ 1", "+ 2")
    assert answer(says(f"```\n{new}```\n"), "a.js", THREE, more=("--unsure",))[1] == whole


def test_code_that_becomes_a_remark_word_for_word_is_no_code_left_out(answer: Answer) -> None:
    new = THREE.replace("  const y", "  // const y").replace("y * 2", "2")
    turn = says(f"```\n{new}```\n")
    assert answer(turn, "a.js", THREE)[:2] == (0, new)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    y = x + 2",
        "```\n" + CODE.replace("1", "99") + "```\nNo:\n```\n" + CODE.replace("1", "2") + "```\n",
    ],
)
def test_an_answer_whose_end_or_block_is_not_clear_is_never_sure(answer: Answer, text: str) -> None:
    code, file, said = answer(says(text))
    assert (code, file) == (3, CODE)
    assert "unsure" in said


def test_an_answer_that_leaves_out_nobody_knows_what_is_refused(answer: Answer) -> None:
    text = "```js\nlet a = g(0);\n// ... existing code ...\nlet q = h(9);\n```\n"
    code, file, said = answer(says(text), "a.js", JS)
    assert (code, file) == (1, JS)
    assert "it leaves code out, and which is not clear" in said


MAKE = "all: a.o\n\tcc -o all a.o\n\tstrip all\n"


@pytest.mark.parametrize("wide", [2, 4, 8])
def test_kind_18_tabs_that_come_back_as_spaces_are_tabs(answer: Answer, wide: int) -> None:
    new = MAKE.replace("strip all", "strip -s all") + "\nclean:\n\trm all\n"
    text = f"```make\n{new.replace(chr(9), ' ' * wide)}```\n"
    code, file, _ = answer(says(text), "rules.txt", MAKE, more=("--unsure",))
    assert (code, file) == (0, new)


def test_kind_18_white_space_and_quotes_nobody_asked_about_stay(answer: Answer) -> None:
    old = "one  \n“two” e\u0301\nthree\nfour\t\nfive\n"
    text = '```\none\n"two" \u00e9\nthree\nfour\nsix\n```\n'
    code, file, _ = answer(says(text), "a.txt", old, more=("--unsure",))
    assert (code, file) == (0, old.replace("five", "six"))


KEPT = [
    ("a — b", "a - b"),
    ("a—b", "a -- b"),
    ("pages 1–2", "pages 1-2"),
    ("5 − 3", "5 - 3"),
    ("wait…", "wait..."),
    ("it’s ‘so’", "it's 'so'"),
    ("«so»", '"so"'),
    ("10\u00a0km", "10 km"),
    ("10\u202fkm — far…", "10 km - far..."),
    ("❤\ufe0f co\u00adop", "❤ coop"),
    ("a\tb\tc d", "a    b    c d"),
    ("a\t\tc", "a  c"),
    ("id\tname — so", "id name - so"),
]


@pytest.mark.every(2)
@pytest.mark.parametrize("form", ["rewrite", "search_replace", "diff"])
@pytest.mark.parametrize(("line", "written"), KEPT)
def test_kind_18_a_line_that_nobody_asked_about_keeps_its_bytes(
    answer: Answer,
    line: str,
    written: str,
    form: str,
) -> None:
    old = f"one\n{line}\ntwo\n"
    text = {
        "rewrite": f"```\none\n{written}\n2\n```\n",
        "search_replace": block(f"{written}\ntwo\n", f"{written}\n2\n"),
        "diff": f"```diff\n@@\n {written}\n-two\n+2\n```\n",
    }[form]
    known = "search_replace" if form == "search_replace" else "rewrite"
    code, file, said = answer(says(text), "a.txt", old, known, ("--unsure",))
    assert (code, file) == (0, old.replace("two", "2")), said


TSV = "id\tname\tcity\n1\tAda Lovelace\tLondon\n2\tAlan\tBath\n"


@pytest.mark.parametrize("gap", ["  ", "    "])
def test_kind_18_columns_that_tabs_part_stay_so_in_new_rows_too(answer: Answer, gap: str) -> None:
    new = TSV.replace("Bath", "York") + "3\tGrace Hopper\tNew York\n"
    text = f"```\n{new.replace(chr(9), gap)}```\n"
    code, file, said = answer(says(text), "a.tsv", TSV, more=("--unsure",))
    assert (code, file) == (0, new), said


def test_kind_18_words_beside_a_single_tab_are_no_columns(answer: Answer) -> None:
    turn = says("```\none two\nb\td\n```\n")
    old = "a\tb\nb\tc\n"
    assert answer(turn, "a.txt", old, more=("--unsure",))[:2] == (0, "one two\nb\td\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("one  \ntwo \n", "one\ntwo\n"),
        ("a — b\n", "a - b\n"),
        ("a - b\n", "a – b\n"),
        ("wait…\n", "wait...\n"),
        ("a\tb\nc\td\n", "a  b\nc  d\n"),
        ("a -- b\nc\n", "a - b\nd\n"),
        ("f:\n\ta\n\tb\n", "f:\n    a\n    b\n"),
        ("f:\n    a\n    b\n", "f:\n\ta\n\tb\n"),
        ("say “one”\n", 'say "one"\n'),
    ],
)
def test_kind_18_a_change_of_nothing_else_is_one(answer: Answer, old: str, new: str) -> None:
    code, file, _ = answer(says(f"```\n{new}```\n"), "a.txt", old, more=("--unsure",))
    assert (code, file) == (0, new)


RST = "Title\n=======\nhello\n\nInstall\n=======\npip\n"


def block(search: str, replace: str) -> str:
    return f"<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    ("search", "replace", "new"),
    [
        ("Title\n=======\nhello\n", "Title\n=======\nhello world\n", "hello world\n"),
        ("Title\n=======\nhello\n", "Heading\n=======\nhello\n", None),
        ("hello\n", "hello\n\nAuthors\n=======\nwe\n", None),
        ("Install\n=======\npip\n", "pip\n", None),
        ("=======\npip\n", "=======\nuv\n", None),
        (RST, "Title\n", None),
    ],
)
def test_a_heading_underlined_like_a_divider_divides_no_block(
    answer: Answer,
    search: str,
    replace: str,
    new: str | None,
) -> None:
    wanted = RST.replace("hello\n", new) if new else RST.replace(search, replace)
    turn = says(block(search, replace))
    code, file, said = answer(turn, "a.rst", RST, "search_replace", ("--unsure",))
    assert (code, file) == (0, wanted), said


@pytest.mark.parametrize("search", ["Titel\n=======\nhallo\n", "=======\n"])
def test_a_block_none_or_several_of_whose_parts_fit_changes_nothing(
    answer: Answer,
    search: str,
) -> None:
    turn = says(block(search, "Title\n=======\nhello world\n"))
    code, file, _ = answer(turn, "a.rst", RST, "search_replace", ("--unsure",))
    assert (code in (1, 3), file) == (True, RST)


DOC = "# T\n\n```\nls\n```\n\nhello world\n"
NEW_DOC = DOC.replace("hello", "hello big")
LISTING = "```sh\nls\n```\n"


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (DOC, NEW_DOC, f"```\n{NEW_DOC}```\n"),
        (DOC, NEW_DOC, f"```markdown\n{NEW_DOC}```"),
        (DOC, NEW_DOC, NEW_DOC),
        (DOC, NEW_DOC, f"Here it is:\n\n{NEW_DOC}"),
        (DOC, NEW_DOC, f"Here it is:\n\n```md\n{NEW_DOC}```\n\nI made it big.\n"),
        (DOC, NEW_DOC, f"````\n{NEW_DOC}````\n"),
        (DOC, NEW_DOC, f"~~~\n{NEW_DOC}~~~\n"),
        (DOC, DOC + LISTING, f"```\n{DOC}{LISTING}```\n"),
        (DOC, DOC + "\n```\npwd\n```\n", f"```\n{DOC}\n```\npwd\n```\n```\n"),
        (DOC, "# T\n\n```\nls -l\n```\n\nbye\n", "```\n# T\n\n```\nls -l\n```\n\nbye\n```\n"),
        (LISTING, "```sh\nls -l\n```\n", "```sh\nls -l\n```\n"),
        (LISTING, "```sh\nls -l\n```\n", "```\n```sh\nls -l\n```\n```\n"),
        (LISTING, "```sh\nls -l\n```\n", "```sh\n```sh\nls -l\n```\n```\n"),
        ("# T\n\nhello world\n", DOC, f"```md\n{DOC}```\n"),
    ],
)
def test_a_fence_within_a_file_does_not_end_the_answer(
    answer: Answer,
    old: str,
    new: str,
    text: str,
) -> None:
    code, file, said = answer(says(text), "a.md", old, more=("--unsure",))
    assert (code, file) == (0, new), said


@pytest.mark.parametrize(
    "text",
    ["```\n# T\n\n```\nls\n```\n", "```md\n# T\n\n```\nls\n", "```\n" + DOC],
)
def test_a_document_whose_fence_stays_open_is_not_complete(answer: Answer, text: str) -> None:
    code, file, _ = answer(says(text), "a.md", DOC, more=("--unsure",))
    assert (code, file) == (3, DOC)


HELLO = "# T\n\nhello world\n\nbye\n"
DIFF = "-hello world\n+hello big world\n"


@pytest.mark.parametrize(
    "text",
    [
        f"```diff\n@@\n{DIFF}```\n",
        f"```diff\n--- a/a.md\n+++ b/a.md\n@@ -1,5 +1,5 @@\n # T\n \n{DIFF} \n bye\n```\n",
        f"```patch\n@@ -9,3 +9,3 @@\n\n{DIFF}\n```\n",
        f"```diff\n{DIFF}```\n",
        f"```\n--- a.md\n+++ a.md\n@@ -3 +3 @@\n{DIFF}```\n",
        f"```md\n # T\n \n{DIFF}```\n",
        f"Here is the patch:\n\n--- a/a.md\n+++ b/a.md\n@@ -3 +3 @@\n{DIFF}",
        f"diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -3 +3 @@\n{DIFF}",
        f"*** Begin Patch\n*** Update File: a.md\n@@\n{DIFF}*** End Patch\n",
    ],
)
@pytest.mark.parametrize("form", ["rewrite", "search_replace"])
def test_kind_19_a_unified_diff_is_read_as_one(answer: Answer, text: str, form: str) -> None:
    if form == "search_replace" and "```md" in text:
        pytest.skip("signs alone, in a fence called otherwise, are words beside blocks")
    code, file, said = answer(says(text), "a.md", HELLO, form, ("--unsure",))
    assert (code, file) == (0, HELLO.replace("hello", "hello big")), said


@pytest.mark.parametrize("form", ["rewrite", "search_replace"])
@pytest.mark.parametrize("hunk", ["-hallo world\n+hallo\n", " \n+two\n"])
def test_kind_19_a_diff_that_does_not_fit_is_refused(answer: Answer, hunk: str, form: str) -> None:
    text = f"```diff\n@@ -1 +1 @@\n{hunk}```\n"
    code, file, said = answer(says(text), "a.md", HELLO, form, ("--unsure",))
    assert (code in (1, 3), file) == (True, HELLO)
    assert "a diff that does not fit" in said or "a diff of a.md does not fit" in said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two\n", "--- a\n+++ b\n@@ -1 +1 @@\n-one\n+three\n"),
        ("- one\n- two\n", "- one\n- three\n"),
        ("one\ntwo\n", "--- of two\none\n"),
        ("---\ntitle: a\n---\n", "---\ntitle: b\n---\n"),
    ],
)
def test_lines_that_only_look_like_a_diff_are_lines(answer: Answer, old: str, new: str) -> None:
    code, file, said = answer(says(f"```\n{new}```\n"), "a.txt", old, more=("--unsure",))
    assert (code, file) == (0, new), said


PAGE = """\
# Blocks

<<<<<<< SEARCH
one
=======
two
>>>>>>> REPLACE

the end
"""
MERGE = """\
# Conflicts

<<<<<<< HEAD
one
=======
two
>>>>>>> side

the end
"""


@pytest.mark.every(5)
@pytest.mark.parametrize("page", [PAGE, MERGE])
@pytest.mark.parametrize("form", ["rewrite", "blocks", "longer blocks"])
@pytest.mark.parametrize("word", ["the end", "two", "Blocks", "Conflicts"])
def test_a_page_that_shows_blocks_or_conflicts_is_edited(
    answer: Answer, page: str, form: str, word: str
) -> None:
    new = page.replace(word, "other words")
    text = f"```md\n{new}```\n"
    if form == "blocks":
        text = block(page, new)
    elif form == "longer blocks":
        text = f"<<<<<<<<< SEARCH\n{page}=========\n{new}>>>>>>>>> REPLACE\n"
    known = "rewrite" if form == "rewrite" else "search_replace"
    code, file, said = answer(says(text), "a.md", page, known, ("--unsure",))
    expected = 0 if new != page else 3
    assert (code, file) == (expected, new), said


@pytest.mark.parametrize("quotes", ["'''", '"""'])
def test_a_test_that_shows_a_conflict_in_a_string_is_edited(answer: Answer, quotes: str) -> None:
    old = f"import a\n\nTEXT = {quotes}\n{MERGE}{quotes}\nprint(a, TEXT)\n"
    turn = says(f"```python\n{old.replace('two', 'three')}```\n")
    code, file, said = answer(turn, text=old)
    assert (code, file) == (0, old.replace("two", "three")), said


def test_a_conflict_that_no_commit_has_is_refused(
    answer: Answer, tmp_path: Path, repo: MakeRepo, spark: Spark
) -> None:
    folder = repo({"a.md": "# Conflicts\n"})
    (folder / "a.md").write_text(MERGE)
    done = spark("exec", "please", "--at", "a.md:1-9", "-C", folder)
    assert (done.code, done.out) == (3, "")
    assert "has a merge conflict (a.md:3-7); resolve it first" in done.err


GO = "func f() {\n\tg()\n\tif x {\n\t\th()\n\t}\n}\n"


@pytest.mark.parametrize("wide", [2, 4])
def test_a_block_with_spaces_for_tabs_fits_and_is_written_with_tabs(
    answer: Answer,
    wide: int,
) -> None:
    spaced = GO.replace("\t", " " * wide)
    replace = spaced.replace("h()\n", "h()\n" + " " * 2 * wide + "k()\n")
    turn = says(block(spaced, replace))
    code, file, said = answer(turn, "a.go", GO, "search_replace")
    assert (code, file) == (0, GO.replace("h()\n", "h()\n\t\tk()\n")), said


def test_a_block_fits_lines_with_other_quotes_and_letters(answer: Answer) -> None:
    old = "one “two” e\u0301\nthree\n"
    turn = says(block('one "two" \u00e9\nthree\n', 'one "two" \u00e9\nfour\n'))
    code, file, said = answer(turn, "a.txt", old, "search_replace", ("--unsure",))
    assert (code, file) == (0, old.replace("three", "four")), said


def test_an_empty_answer_takes_all_lines_away_only_if_that_is_wanted(answer: Answer) -> None:
    code, file, said = answer(says("```python\n```\n"))
    assert (code, file) == (3, CODE)
    assert "holds no line" in said
    assert answer(says("```python\n```\n"), more=("--unsure",))[:2] == (0, "")


@pytest.mark.parametrize("end", ["", "```\n", "```\n\nDone.\n"])
@pytest.mark.parametrize("begin", ["The plan: ", "The plan:\n", ""])
def test_code_between_fences_that_are_glued_together_is_never_a_deletion(
    answer: Answer, begin: str, end: str
) -> None:
    text = f"{begin}```python\ndef f(x):\n    y = x + 9\n```</b>{CUT}    return y\n```\n{end}"
    for more in ((), ("--unsure",)):
        code, file, _ = answer(says(text), more=more)
        assert (code != 0, file) == (True, CODE)


@pytest.mark.parametrize("text", [f"{CUT}    return y\n```\n", "It was ```f```.\n"])
def test_an_empty_block_beside_other_code_is_never_a_deletion(answer: Answer, text: str) -> None:
    for whole in (f"```python\n```\n{text}", f"So: {text}\n```python\n```\n"):
        code, file, said = answer(says(whole), more=("--unsure",))
        assert (code != 0, file) == (True, CODE)
        assert "ask again" in said


def test_a_file_that_is_not_there_yet_can_be_allowed(answer: Answer, tmp_path: Path) -> None:
    block = "conftest.py\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n"
    code, _, said = answer(says(block), form="search_replace")
    assert (code, "--allow conftest.py permits it" in said) == (1, True)
    more = ("--allow", "conftest.py")
    assert answer(says(block), form="search_replace", more=more)[0] == 0
    assert [file.read_text() for file in tmp_path.rglob("conftest.py")] == ["x = 1\n"]


@pytest.mark.parametrize("form", ["{:6}\t{}", "{}: {}", "{}→{}", "{} {}"])
@pytest.mark.parametrize(("path", "text"), [("a.yaml", "a: 1\nb: 2\n"), ("a.sh", "echo a\n:\n")])
def test_numbers_of_lines_are_no_part_of_the_lines(
    answer: Answer, path: str, text: str, form: str
) -> None:
    new = f"{text}c: 3\n"
    listed = "".join(form.format(row, line) for row, line in enumerate(new.splitlines(True), 1))
    code, file, said = answer(says(f"```\n{listed}```\n"), path, text)
    assert (code, file) == (0, new), said


SHELL = "#!/bin/sh\na=1\nrun $a\n"


@pytest.mark.parametrize("heading", ["# run.sh", "run.sh", "=== run.sh ==="])
def test_the_name_of_the_file_above_its_lines_is_no_line(answer: Answer, heading: str) -> None:
    new = SHELL.replace("1", "2")
    code, file, said = answer(says(f"```sh\n{heading}\n{new}```\n"), "run.sh", SHELL)
    assert (code, file) == (0, new), said


@pytest.mark.parametrize(
    ("path", "text", "place", "new"),
    [
        ("c.yml", "a: 1\nb: 2\nc:\nd: 3\n", "1-2", "a: 1\nb: 7\nc:\nd: 3\n"),
        ("a.ts", "const a = 1;\nconst b = 2;\n", "1-1", "const a = 3;\nconst b = 2;\n"),
        ("r.sh", "mkdir a\nrm -f a\n", "1-1", "mkdir -p a\nrm -f a\n"),
        ("m.py", "class Box:\n    def f(self):\n        return 1\n", "2-3", None),
    ],
)
def test_lines_around_the_place_are_not_written_twice(
    spark: Spark,
    use_scripts: UseScripts,
    repo: MakeRepo,
    state: Path,
    path: str,
    text: str,
    place: str,
    new: str | None,
) -> None:
    use_scripts({})
    new = new or text.replace("1", "2")
    with serving(says(f"```\n{new}```\n")) as server:
        folder = configured(server, repo({path: text}), "rewrite")
        done = spark(
            "exec", "please", "--at", f"{path}:{place}", "-m", "big", "--apply", "-C", folder
        )
    assert (done.code, (folder / path).read_text()) == (0, new), done.err
