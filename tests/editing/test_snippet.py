"""A stretch of code as Python reads it."""

from spark_tui.editing.snippet import Snippet


def test_the_tree_and_its_nodes_stay_of_one_reading_however_much_else_is_read() -> None:
    snippet = Snippet(("x = 1",))
    first = snippet.nodes[0]
    for number in range(100):
        assert Snippet((f"y = {number}",)).nodes
    assert snippet.tree is first
