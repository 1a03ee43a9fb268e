"""Which functions may be to blame where a command fails."""

from collections.abc import Sequence

import pytest

from spark_tui.context.blamed import blamed, is_test

FILES = {
    "shop/tax.py": "def rate(kind):\n    return 7\n\n\ndef taxed(net):\n    return net * rate('x')\n",
    "shop/cart.py": (
        "from shop.tax import taxed\n\n\nclass Cart:\n    def __init__(self):\n        self.nets = []\n\n"
        "    def add(self, net):\n        self.nets.append(net)\n\n"
        "    def total(self):\n        return sum(taxed(net) for net in self.nets)\n"
    ),
    "tests/test_cart.py": (
        "from shop.cart import Cart\n\n\ndef test_total():\n    cart = Cart()\n    cart.add(1)\n"
        "    assert cart.total() == 8\n\n\ndef test_add():\n    Cart().add(2)\n    assert False\n"
    ),
    "other.py": "def total():\n    return 1\n",
}
RAISED = "shop/tax.py:6: KeyError\nFAILED tests/test_cart.py::test_total\n"
PYTEST = (
    "____ test_total ____\n\n>       assert cart.total() == 8\nE       assert 7 == 8\n\n"
    "tests/test_cart.py:7: AssertionError\n"
)
UNITTEST = 'Traceback (most recent call last):\n  File "/tmp/spark-check-x/tests/test_cart.py", line 7, in test_total\n'


def _blamed(output: str, among: Sequence[str] = (), tests: Sequence[str] = ()) -> list[str | None]:
    found = blamed(output, list(FILES), lambda path: FILES[path].encode(), among, tests)
    return [one.symbol for one in found]


@pytest.mark.parametrize("output", [PYTEST, UNITTEST])
def test_what_a_failing_line_calls_comes_before_what_the_rest_of_the_test_calls(output: str) -> None:
    assert _blamed(output) == ["Cart.total", "taxed", "rate", "Cart.add", "Cart.__init__"]


def test_what_raised_an_error_comes_first() -> None:
    assert _blamed(PYTEST.replace("AssertionError", "") + RAISED)[0] == "taxed"


def test_only_failures_of_the_tests_named_and_only_files_told_count() -> None:
    other = "____ test_add ____\n\ntests/test_cart.py:12: AssertionError\n"
    assert _blamed(PYTEST + other, tests=["test_add"]) == ["Cart.add", "Cart.__init__"]
    assert _blamed(PYTEST, among=["shop/tax.py"]) == ["taxed", "rate"]


def test_an_output_without_places_blames_nothing() -> None:
    assert _blamed("no\n") == _blamed("/usr/lib/python3/site.py:3: Error\n") == []


@pytest.mark.parametrize(
    ("path", "symbol", "tests"),
    [
        ("tests/helpers.py", None, True),
        ("a/test_b.py", "f", True),
        ("a.py", "test_f", True),
        ("a.py", "CartTest.run", True),
        ("latest.py", "attest", False),
        ("testing.py", "f", False),
    ],
)
def test_tests_are_told_by_their_names(path: str, symbol: str | None, tests: bool) -> None:
    assert is_test(path, symbol) is tests
