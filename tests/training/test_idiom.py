from spark_tui.editing.script import Insert, Replace
from spark_tui.training.examples import Example, Group
from spark_tui.training.idiom import free_words


def test_free_words_are_those_answers_need_and_prompts_do_not_hold() -> None:
    ops = ((Replace(0, 0, ("a = c",)),), (Insert(0, ("log(z_2, b)",)),))
    examples = tuple(Example("bug", one, "make it c", None, "f", held_out=False) for one in ops)
    assert free_words([Group(("a = b",), examples)]) == ["log", "z_2"]
    assert free_words([Group(("a = b",), examples)], share=0.6) == []
