"""Which functions may be to blame where a command fails."""

from collections.abc import Sequence

import pytest

from spark_tui.context.fault_locations import blamed
from spark_tui.context.symbols import is_test

FILES = {
    "shop/tax.py": "def rate(kind):\n    return 7\n\n\ndef taxed(net):\n    return net * "
    "rate('x')\n",
    "shop/cart.py": (
        "from shop.tax import taxed\n\n\nclass Cart:\n    def __init__(self):\n        "
        "self.nets = []\n\n"
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
UNITTEST = (
    "Traceback (most recent call last):\n  File "
    '"/tmp/spark-tui-check-x/tests/test_cart.py", line 7, in test_total\n'
)


def _blamed(output: str, among: Sequence[str] = (), tests: Sequence[str] = ()) -> list[str | None]:
    found = blamed(output, list(FILES), lambda path: FILES[path].encode(), among, tests)
    return [one.symbol for one in found]


@pytest.mark.parametrize("output", [PYTEST, UNITTEST])
def test_what_a_failing_line_calls_comes_before_what_the_rest_of_the_test_calls(
    output: str,
) -> None:
    assert _blamed(output) == ["Cart.total", "taxed", "rate", "Cart.add", "Cart.__init__"]


def test_what_raised_an_error_comes_first() -> None:
    assert _blamed(PYTEST.replace("AssertionError", "") + RAISED)[0] == "taxed"


def test_only_failures_of_the_tests_named_and_only_files_told_count() -> None:
    other = "____ test_add ____\n\ntests/test_cart.py:12: AssertionError\n"
    assert _blamed(PYTEST + other, tests=["test_add"]) == ["Cart.add", "Cart.__init__"]
    assert _blamed(PYTEST, among=["shop/tax.py"]) == ["taxed", "rate"]


VENDORED = {
    "vendor/cache.py": (
        "class Cache:\n    def items(self):\n        return []\n\n    def refill(self):\n      "
        "  return 1\n\n\n"
        "class Iterable:\n    def __init__(self):\n        self.data = 1\n\n\ndef "
        "subtotal():\n    return 2\n"
    ),
    "shop/lines.py": "class Lines:\n    def costs(self):\n        return [1]\n",
    "shop/__init__.py": "from shop.order import total\n",
    "shop/order.py": (
        "from typing import Iterable\nimport json\n\n\ndef total(lines):\n    subtotal: "
        "Iterable = lines.items()\n"
        "    return json.refill(subtotal, lines.costs())\n"
    ),
    "tests/conftest.py": "from shop.lines import Lines\n",
    "tests/test_order.py": "from shop import total\n\n\ndef test_total(lines):\n    assert "
    "total(lines) == 8\n",
}


@pytest.mark.parametrize("vendored", ["", "import vendor.cache\n"])
def test_a_name_is_followed_into_another_file_only_where_it_comes_from_there(vendored: str) -> None:
    files = VENDORED | {"tests/conftest.py": VENDORED["tests/conftest.py"] + vendored}
    output = "____ test_total ____\n\ntests/test_order.py:5: AssertionError\n"
    found = blamed(output, list(files), lambda path: files[path].encode())
    assert [one.symbol for one in found] == ["total", "Lines.costs"]


def test_what_a_traceback_names_comes_before_what_is_called_there() -> None:
    raised = "tests/test_cart.py:7: \nshop/cart.py:12: \nshop/tax.py:6: KeyError\n"
    assert _blamed(f"____ test_total ____\n\n{raised}")[:3] == ["taxed", "Cart.total", "rate"]


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
