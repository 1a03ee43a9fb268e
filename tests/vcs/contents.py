"""The bytes of any text file, for tests that are given many."""

from hypothesis import strategies as st

_LINES = st.sampled_from(
    [b"a", b"b", b"", b"  c", b"\xe9", b"\xef\xbb\xbf", b"d\r", "\u2028é".encode(), b"-- x", b"\\"]
)
_ENDINGS = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n"])


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """The bytes of some text file: short, repetitive, and awkward in every way that text may be."""
    lines = draw(st.lists(st.tuples(_LINES, _ENDINGS), max_size=24))
    data = b"".join(line + ending for line, ending in lines) + draw(
        st.sampled_from([b"", b"", b"end", b"\r"])
    )
    return b"x" + data if data.startswith((b"\xff\xfe", b"\xfe\xff")) else data
