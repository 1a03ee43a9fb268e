"""Text that ends at a stop, however it comes."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from spark_tui.serve.text_generation import StoppedText

ALPHABET = st.text("ab\né→", max_size=30)
STOPS = st.lists(st.text("ab\né", min_size=1, max_size=4), max_size=3)


def cut_at(text: str, stops: list[str]) -> str:
    """The text before the first stop."""
    found = [text.find(stop) for stop in stops if stop in text]
    return text[: min(found)] if found else text


@given(text=ALPHABET, stops=STOPS, cuts=st.lists(st.integers(0, 60), max_size=12))
def test_any_pieces_come_to_the_same_text(text: str, stops: list[str], cuts: list[int]) -> None:
    data = text.encode()
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    stopped = StoppedText(stops)
    shown = ""
    whole = cut_at(text, stops)
    for first, last in pairwise(places):
        shown += stopped.take(data[first:last])
        assert whole.startswith(shown), "nothing is taken back"
    shown += stopped.finish()
    if stopped.is_stopped:
        # With stops of several lengths, the one that is complete first ends the text.
        assert any(stop in text for stop in stops)
        assert text.startswith(shown)
        assert len(shown) <= len(text)
    else:
        assert shown == text


@given(text=ALPHABET, stop=st.text("ab\n", min_size=1, max_size=4), size=st.integers(1, 5))
def test_one_stop_cuts_at_its_first_place(text: str, stop: str, size: int) -> None:
    data = text.encode()
    stopped = StoppedText([stop])
    shown = "".join(stopped.take(data[at : at + size]) for at in range(0, len(data), size))
    assert shown + stopped.finish() == cut_at(text, [stop])
    assert stopped.is_stopped == (stop in text)


def test_half_a_character_is_held_back_until_it_is_whole() -> None:
    stopped = StoppedText([])
    assert stopped.take("é".encode()[:1]) == ""
    assert stopped.take("é".encode()[1:]) == "é"
    stopped.take(b"\xe2")
    assert stopped.finish() == "\ufffd"
