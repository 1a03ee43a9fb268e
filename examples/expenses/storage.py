"""The expense file: one line an expense, `amount,category,note`."""

import csv


def load(path):
    """Return all expenses; a file that is not there yet holds none."""
    d = []
    f = open(path, newline="")
    for row in csv.reader(f):
        amount, category, note = row
        d.append({"amount": float(amount), "category": category, "note": note})
    f.close()
    return d


def append(path, amount, category, note=None):
    """Add one expense at the end of the file."""
    if note == None:
        note = ""
    with open(path, "a", newline="") as f:
        csv.writer(f).writerow([amount, category, note])
