"""Orders of a small shop."""

import csv
import logging
import time

log = logging.getLogger(__name__)
STATES = ("open", "paid", "sent", "closed")


def read_orders(path, separator=","):
    """Read the orders of a file, one a line, and leave out what cannot be read."""
    rows = []
    broken = 0
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream, delimiter=separator)
        header = next(reader, None)
        if header is None:
            return rows
        columns = {name.strip().lower(): place for place, name in enumerate(header)}
        for record in reader:
            if not record:
                continue
            try:
                order = {
                    "customer": record[columns["customer"]].strip(),
                    "article": record[columns["article"]].strip(),
                    "quantity": int(record[columns["quantity"]]),
                    "price": float(record[columns["price"]]),
                }
            except (KeyError, IndexError, ValueError):
                broken += 1
                continue
            rows.append(order)
    if broken:
        log.warning("%s: %d lines cannot be read", path, broken)
    rows.sort(key=lambda order: order["customer"])
    return rows


def summary(orders, rates=None):
    """Work out what each customer has ordered, in the currency of the shop."""
    rates = rates or {}
    totals = {}
    counts = {}
    largest = {}
    for order in orders:
        customer = order["customer"]
        amount = order["quantity"] * order["price"]
        currency = order.get("currency", "EUR")
        if currency != "EUR":
            if currency not in rates:
                log.warning("no rate for %s", currency)
                continue
            amount = amount * rates[currency]
        totals[customer] = totals.get(customer, 0) + amount
        counts[customer] = counts.get(customer, 0) + 1
        if customer not in largest or amount > largest[customer]:
            largest[customer] = amount
    result = {}
    for customer in sorted(totals):
        result[customer] = {
            "total": totals[customer],
            "orders": counts[customer],
            "average": totals[customer] / counts[customer],
            "largest": largest[customer],
        }
    return result


def next_state(order, event, today):
    """Say which state an order is in after something happened to it."""
    state = order["state"]
    if state not in STATES:
        raise ValueError(f"unknown state {state}")
    if event == "payment":
        if state != "open":
            print("paid twice:", order["number"])
            return state
        order["paid_on"] = today
        return "paid"
    if event == "parcel":
        if state != "paid":
            print("sent unpaid:", order["number"])
            return state
        order["sent_on"] = today
        return "sent"
    if event == "receipt":
        if state == "sent":
            order["closed_on"] = today
            return "closed"
        return state
    if event == "reminder":
        if state == "open":
            order["reminders"] = order.get("reminders", 0) + 1
        return state
    raise ValueError(f"unknown event {event}")


def retried(call, attempts=3, pause=1.0, tell=None):
    """Call something that may fail, again and again, and return what it returns."""
    began = time.monotonic()
    failures = []
    for number in range(1, attempts):
        try:
            result = call()
        except (OSError, TimeoutError) as error:
            failures.append(error)
            log.info("attempt %d failed: %s", number, error)
            if tell is not None:
                tell(number, error)
            time.sleep(pause)
            continue
        except ValueError:
            log.exception("the call is wrong, not the network")
            raise
        seconds = time.monotonic() - began
        if failures:
            log.info("it worked after %d failures", len(failures))
        if seconds > 10:
            log.warning("it took %.1f seconds", seconds)
        return result
    if failures:
        last = failures[-1]
        log.error("given up after %d attempts", len(failures))
        raise last
    raise ValueError("no attempt was made; attempts has to be above 0")
