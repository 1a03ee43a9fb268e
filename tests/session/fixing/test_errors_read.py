"""What Python's own errors say of a fix is read from them."""

import pytest

from spark_tui.session.fixing.errors_read import ErrorsRead


@pytest.mark.parametrize(
    ("error", "meant"),
    [
        ("NameError: name 'widht' is not defined", {"widht": ("width",)}),
        ("NameError: name 'a' is not defined. Did you mean: 'b'?", {"a": ("b",)}),
        ("AttributeError: 'Row' object has no attribute 'colur'. Did you mean: 'colour'?", {"colur": ("colour",)}),
        ("KeyError: 'widht'", {"widht": ("width",)}),
        ("TypeError: f() got an unexpected keyword argument 'zzz'", {"zzz": ()}),
        ("UnboundLocalError: cannot access local variable 'q' where it is not associated", {"q": ()}),
        ("KeyError: 'siize'", {"siize": ("size",)}),
        ("ValueError: no width", {}),
    ],
)
def test_a_name_that_there_is_none_of_is_read_with_what_may_be_meant(
    error: str, meant: dict[str, tuple[str, ...]]
) -> None:
    assert ErrorsRead([error], "self.width = colour['size']").meant == meant


@pytest.mark.parametrize(
    ("error", "group", "gone", "come", "spoken_for"),
    [
        ("NameError: name 'x' is not defined", "name", ["x"], ["y"], True),
        ("NameError: name 'x' is not defined", "self", [], ["self"], True),
        ("NameError: name 'x' is not defined", "name", ["y"], ["x"], False),
        ("TypeError: 'NoneType' object is not subscriptable", "return", [], ["return"], True),
        ("RuntimeWarning: coroutine 'f' was never awaited", "await", [], ["await"], True),
        ('TypeError: can only concatenate str (not "int") to str', "call", [], ["str"], True),
        ('TypeError: can only concatenate str (not "int") to str', "call", [], ["len"], False),
        ("TypeError: 'int' object is not callable", "call", [], [], True),
        ("ValueError: 3", "literal", ["3"], ["4"], False),
    ],
)
def test_an_error_speaks_for_what_may_mend_it(
    error: str, group: str, gone: list[str], come: list[str], spoken_for: bool
) -> None:
    assert ErrorsRead([error]).speak_for(group, gone, come) is spoken_for
