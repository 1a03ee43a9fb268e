"""What is to be skipped is looked at where it is: what a loop counts with has no keys."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed


@pytest.mark.parametrize(
    ("loop", "use", "test"),
    [
        ("for item in items:", 'item["price"]', '"price" not in item'),
        ("for i in range(len(items)):", 'items[i]["price"]', '"price" not in items[i]'),
        ("for i in items:", 'items[i]["price"]', '"price" not in items[i]'),
        ("for item in items:", 'item["sale"]["price"]', '"price" not in item["sale"]'),
    ],
)
def test_what_holds_the_key_is_what_may_lack_it(loop: str, use: str, test: str) -> None:
    lines = ("def total(items):", "    result = 0", f"    {loop}", f"        result += {use}", "    return result")
    assert changed("skip items without a price", lines)[1] == [f"if {test}:", "continue"]


@pytest.mark.parametrize("use", ["items[i].price", "price_of(items[i])", "prices[i]"])
def test_a_number_lacks_no_key(use: str) -> None:
    lines = ("def total(items):", "    for i in range(len(items)):", f"        add({use})")
    assert changed("skip items without a price", lines) == ([], [])


@pytest.mark.parametrize("use", ["result += i", "result = result + i", "add(i.price)", "add(prices[i])"])
def test_what_has_no_keys_is_not_asked_for_one(use: str) -> None:
    lines = ("def total(items):", "    result = 0", "    for i in items:", f"        {use}")
    assert changed("skip items without a price", lines) == ([], [])
