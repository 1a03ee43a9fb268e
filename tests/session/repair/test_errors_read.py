"""What Python's own errors say of a fix is read from them."""

import pytest

from spark_tui.session.repair.search import ErrorsRead


@pytest.mark.parametrize(
    ("error", "meant"),
    [
        ("NameError: name 'widht' is not defined", {"widht": ("width",)}),
        ("NameError: name 'a' is not defined. Did you mean: 'b'?", {"a": ("b",)}),
        (
            "AttributeError: 'Row' object has no attribute 'colur'. Did you mean: 'colour'?",
            {"colur": ("colour",)},
        ),
        ("KeyError: 'widht'", {"widht": ("width",)}),
        ("TypeError: f() got an unexpected keyword argument 'zzz'", {"zzz": ()}),
        (
            "UnboundLocalError: cannot access local variable 'q' where it is not associated",
            {"q": ()},
        ),
        ("KeyError: 'siize'", {"siize": ("size",)}),
        ("ValueError: no width", {}),
    ],
)
def test_a_name_that_there_is_none_of_is_read_with_what_may_be_meant(
    error: str, meant: dict[str, tuple[str, ...]]
) -> None:
    assert ErrorsRead([error], "self.width = colour['size']").meant == meant


@pytest.mark.parametrize(
    ("error", "group", "gone", "spoken_for"),
    [
        ("NameError: name 'x' is not defined", "name", ["x"], True),
        ("NameError: name 'x' is not defined", "name", ["y"], False),
        ("TypeError: 'NoneType' object is not subscriptable", "return", [], True),
        ("IndexError: list index out of range", "bound", [], True),
        ("ValueError: 3", "literal", ["3"], False),
    ],
)
def test_an_error_speaks_for_what_may_mend_it(
    error: str, group: str, gone: list[str], spoken_for: bool
) -> None:
    assert ErrorsRead([error]).speak_for(group, gone) is spoken_for
