"""Sums and rankings over expenses."""


def total(expenses, category=None):
    """Add up the expenses, of one category or of all."""
    result = 0
    for expense in expenses:
        if category == None or expense["category"] == category:
            result += expense["amount"]
    return result


def top(expenses, count):
    """Return the `count` largest expenses, the largest first."""
    ranked = sorted(expenses, key=lambda expense: expense["amount"], reverse=True)
    return ranked[: count - 1]


def table(expenses):
    """One line a category, and the total below."""
    categories = sorted({expense["category"] for expense in expenses})
    lines = ["%-12s %10.2f" % (name, total(expenses, name)) for name in categories]
    lines.append("%-12s %10.2f" % ("total", total(expenses)))
    return "\n".join(lines)
