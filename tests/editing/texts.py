"""Awkward files for property tests: every kind of line ending and byte that spark must bring
back.
"""

from hypothesis import strategies as st

from spark_tui.editing.review import Review
from spark_tui.editing.text import Text

AWKWARD = (
    "a",
    "b",
    "",
    "    c",
    "\r",
    "x\ry",
    "\f",
    "\v",
    "\x1c",
    "\x1d",
    "\x1e",
    "\x85",
    "\u2028",
    "é",
)
ENDINGS = ("\n", "\r\n", "\n", "\r\n", "\r\r\n")

new_lines = st.lists(st.sampled_from(("a", "b", "", "    c", "new", "é")), max_size=6)
lines = st.sampled_from(
    [*(line.encode() for line in AWKWARD), b"\xe9", b"\xff\xfe?", b"\xed\xa0\x80"]
)
ended_lines = st.tuples(lines, st.sampled_from([ending.encode() for ending in ENDINGS])).map(
    b"".join
)
marks = st.sampled_from((b"", b"", b"\xef\xbb\xbf"))


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """The bytes of a file of up to nine lines."""
    data = (
        draw(marks)
        + b"".join(draw(st.lists(ended_lines, max_size=8)))
        + draw(st.one_of(st.just(b""), lines))
    )
    return data if not data.startswith(b"\xff\xfe") else b"-" + data


texts = contents().map(Text.from_bytes)


@st.composite
def places(draw: st.DrawFn) -> tuple[Text, int, int]:
    """A text and a stretch [start, stop) of its lines."""
    text = draw(texts)
    start = draw(st.integers(0, len(text.raw)))
    return text, start, draw(st.integers(start, len(text.raw)))


@st.composite
def edited(draw: st.DrawFn) -> tuple[Text, Text]:
    """A text and what a few replacements make of it."""
    base = proposed = draw(texts)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(proposed.raw)))
        stop = draw(st.integers(start, min(start + 3, len(proposed.raw))))
        proposed = proposed.replace_lines(start, stop, draw(new_lines))
    return base, proposed


def reviewed(base: Text, proposed: Text) -> Review:
    """A review that begins with a proposal."""
    review = Review(base)
    review.propose(proposed)
    return review
