"""Bytes that are not UTF-8: what is sent is UTF-8, and lines that come back have the bytes that
they had.
"""

from contextlib import closing

import pytest

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.editing.formats.region_blocks import RegionBlocks
from spark_tui.editing.formats.rewrite import RewriteDraft
from spark_tui.providers.base import AnswerFinished, GenerationRequest
from spark_tui.providers.encodable import draft_of
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from tests.providers.scripted_server import says, serving

LATIN = b"# caf\xe9".decode("utf-8", "surrogateescape")
REGION = ("def f(x):", f"    {LATIN}", "    y = x", "    return y")
SENT = [line.replace("\udce9", "\ufffd") for line in REGION]


@pytest.mark.parametrize("form", ["rewrite", "search_replace"])
def test_a_region_with_such_a_byte_is_sent_as_text_and_keeps_the_byte(form: str) -> None:
    block = (
        f"a.py\n<<<<<<< SEARCH\n{SENT[1]}\n{SENT[2]}\n=======\n{SENT[1]}\n    y = x + "
        f"1\n>>>>>>> REPLACE\n"
    )
    whole = "\n".join(["```py", *SENT[:2], "    y = x + 1", SENT[3], "```", ""])
    with serving(says(whole if form == "rewrite" else block)) as server:
        with closing(Server(server.endpoint(format=form))) as asked:
            ask = GenerationRequest(
                QuotedRequest("bad\udce9.py", REGION, "one more, caf\udce9"), around="x\udcff.py"
            )
            items = list(Remote(asked).write(ask).write())
        sent = server.requests[0]["messages"][1]["content"]
    answer = next(item for item in items if isinstance(item, AnswerFinished))
    assert answer.lines == (*REGION[:2], "    y = x + 1", REGION[3])
    assert "bad\ufffd.py" in sent
    assert "\n".join(SENT) in sent
    assert sent.endswith("one more, caf\ufffd")


def rewritten(lines: tuple[str, ...], answer: str) -> list[str]:
    draft = draft_of(lines, RewriteDraft)
    draft.take(f"```\n{answer}\n```\n".encode())
    draft.finish()
    return list(draft.lines())


def test_a_line_that_changes_beside_such_a_byte_keeps_it() -> None:
    assert rewritten(("a = 'x\udce9y' # \udcfc",), "bc = 'x\ufffdy' # 1 \ufffd") == [
        "bc = 'x\udce9y' # 1 \udcfc"
    ]


def test_lines_that_are_sent_alike_keep_their_order() -> None:
    lines = ("# \udce9", "x = 1", "# \udcfc")
    assert rewritten(lines, "# \ufffd\nx = 2\n# \ufffd") == ["# \udce9", "x = 2", "# \udcfc"]


def test_a_mark_that_the_file_has_itself_stays_what_it_is() -> None:
    assert rewritten(("a = '\ufffd'", "b = '\udce9'"), "a = '\ufffd'\nb = '\ufffd'\nc = 1") == [
        "a = '\ufffd'",
        "b = '\udce9'",
        "c = 1",
    ]


def test_a_mark_where_no_byte_belongs_is_told() -> None:
    draft = draft_of(("a = '\udce9'", "b = 1"), RewriteDraft)
    draft.take("```\na = '\ufffd'\nb = '\ufffd\ufffd'\n```\n".encode())
    draft.finish()
    assert list(draft.missed) == ["the answer has U+FFFD where no byte of the lines belongs"]


def test_lines_that_are_utf_8_are_read_by_the_draft_itself() -> None:
    assert isinstance(draft_of(("é", "\ufffd"), RegionBlocks), RegionBlocks)
