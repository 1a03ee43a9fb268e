"""What chat models are told: everything that was typed, as it was typed, and lines that nothing
can close.
"""

from dataclasses import replace

from spark_tui.editing.formats.fences import Fence
from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.multi_file import joined
from spark_tui.editing.text import Text
from spark_tui.providers.chat_prompts import blocks_messages, going_on, opening, rewrite_messages

REQUEST = QuotedRequest(
    "src/a.py",
    ("x = 1", "y = 2"),
    " Please do not \n{{ x }} ",
    ("y = 2",),
    ("first this", "then that"),
)


def test_the_user_s_words_and_lines_are_said_as_they_are() -> None:
    _, asked = rewrite_messages(REQUEST)
    assert asked == {
        "role": "user",
        "content": "Lines of src/a.py:\n\n```py\nx = 1\ny = 2\n```\n\nAsked before:\nfirst "
        "this\nthen that\n\n"
        "It is about these lines above all:\n```py\ny = 2\n```\n\nRequest: Please do not \n{{ x }}",
    }


def test_a_fence_is_longer_than_any_within() -> None:
    request = QuotedRequest("a.md", ("# A", "````", "text", "````"), "shorter")
    assert opening(request) == "`````md\n"
    content = rewrite_messages(request)[1]["content"]
    assert content.startswith("Lines of a.md:\n\n`````md\n# A\n````\ntext\n````\n`````\n\n")
    assert Fence.opened(opening(request).rstrip("\n")) is not None


def test_blocks_are_asked_for_with_all_files_and_the_place() -> None:
    texts = {"src/a.py": b"import os\nx = 1\ny = 2\n", "b.md": b"# B\n"}
    lines = joined({path: Text.from_bytes(data) for path, data in texts.items()}).lines
    system, asked = blocks_messages(replace(REQUEST, lines=lines))
    assert "<<<<<<< SEARCH\n" in system["content"]
    assert "\n>>>>>>> REPLACE\n" in system["content"]
    assert asked["content"].startswith(
        "src/a.py\n```py\nimport os\nx = 1\ny = 2\n```\n\nb.md\n```md\n# B\n```\n\n"
    )
    assert "It is about these lines above all:\n```py\ny = 2\n```" in asked["content"]
    assert "\0" not in asked["content"]


def test_what_was_answered_so_far_is_said_again_to_be_gone_on_with() -> None:
    messages = rewrite_messages(REQUEST)
    more = going_on(messages, "```py\nx = 3\n")
    assert (more[:2], more[2]) == (messages, {"role": "assistant", "content": "```py\nx = 3"})
    assert more[3]["role"] == "user"
    assert going_on(messages, "") == messages
