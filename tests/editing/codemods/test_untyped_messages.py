import pytest

from tests.editing.codemods.results import results

PLAIN = "def _reload(a, strict=False):\n    a.touch()"
TEXT = "def name(x):\n    if x:\n        return 'a'\n    return 'b'"
DELEGATE = "def read(self):\n    return self._read()\n\ndef _read(self) -> bytes:\n    return g()"
SPECIAL = "def __init__(self, a, n=3):\n    self.a = a"
UNSURE = "def load(path):\n    return g(path)"
NO_RETURN = "error: Function is missing a return type annotation  [no-untyped-def]"
NONE, BOOL = "def _reload(a, strict=False) -> None:", "def _reload(a, strict: bool = False):"
BOTH = "def _reload(a, strict: bool = False) -> None:"


@pytest.mark.parametrize(
    ("message", "before", "returns", "parameter", "both"),
    [
        (NO_RETURN, PLAIN, NONE, BOOL, BOTH),
        (f'{NO_RETURN}\nnote: Use "-> None" if function does not return a value', PLAIN, NONE, BOOL, BOTH),
        ("app.py:1: error: Function is missing a type annotation  [no-untyped-def]", PLAIN, NONE, BOOL, BOTH),
        ("error: Function is missing a type annotation for one or more arguments", PLAIN, NONE, BOOL, BOTH),
        ('error: Call to untyped function "_reload" in typed context  [no-untyped-call]', PLAIN, NONE, BOOL, BOTH),
        ("ANN001 Missing type annotation for function argument `strict`", PLAIN, NONE, BOOL, BOTH),
        ("ANN202 Missing return type annotation for private function", PLAIN, NONE, BOOL, BOTH),
        ("a.py:1:5: ANN202 Missing return type annotation for private function `_reload`", PLAIN, NONE, BOOL, BOTH),
        ('Type annotation is missing for parameter "strict" (reportMissingParameterType)', PLAIN, NONE, BOOL, BOTH),
        ("ANN201 Missing return type annotation for public function `name`", TEXT, "def name(x) -> str:", "",
         "def name(x) -> str:"),
        ("error: Return type is unknown (reportUnknownParameterType)", DELEGATE, "def read(self) -> bytes:", "", ""),
        ("ANN204 Missing return type annotation for special method `__init__`", SPECIAL,
         "def __init__(self, a, n=3) -> None:", "def __init__(self, a, n: int = 3):",
         "def __init__(self, a, n: int = 3) -> None:"),
        (NO_RETURN, UNSURE, "", "", ""),
    ],
)  # fmt: skip
def test_messages_get_the_certain_types(message: str, before: str, returns: str, parameter: str, both: str) -> None:
    kinds = {"add_return_type": returns, "add_parameter_type": parameter, "complete_hints": both}
    found = {kind: [one.split("\n")[0] for one in results(kind, before, message)][:1] for kind in kinds}
    assert found == {kind: [head] if head else [] for kind, head in kinds.items()}
