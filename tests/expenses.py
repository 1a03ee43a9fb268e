"""A module of expenses, what is asked about it, and what a model writes then.

Apart from the stage, so that a process without a screen need not load Textual.
"""

from collections.abc import Mapping

from tests.fakes import edit_script
from tests.providers.quoting_models import Script

LOAD = """\
def load(path):
    expenses = []
    f = open(path)
    for line in f:
        parts = line.split(",")
        if len(parts) == 3:
            expenses.append(parts)
    f.close()
    print("loaded", len(expenses))
    return expenses
"""
BETTER = """\
def load(path):
    expenses = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            parts = line.strip().split(",")
            if len(parts) == 3:
                expenses.append(parts)
    log.info("loaded %d", len(expenses))
    return expenses
"""
QUIET = LOAD.replace('    print("loaded", len(expenses))\n', "")
BEFORE = (
    '"""Expenses in a CSV file."""\n\nimport csv\nimport logging\n\nlog = '
    "logging.getLogger(__name__)\n\n\n"
)
AFTER = """

def save(path, expenses):
    with open(path, "w", encoding="utf-8") as f:
        csv.writer(f).writerows(expenses)
"""
STORE = BEFORE + LOAD + AFTER
EDIT = "close the file in load"
HUSH = "do not print in load"
TWO_HUNKS = LOAD.replace("expenses = []", "expenses = list()").replace("    f.close()\n", "")
SPLIT = "two changes in load"
WIDER = LOAD.replace(
    "    f = open(path)\n    for line in f:",
    '    f = open(path, "r")\n    log.info(path)\n    for line in iter(f):',
)
WIDEN = "log the path in `load`"
RENAME = "rename expenses to rows in load"
FILES = {"store.py": STORE, "report.py": "TITLE = 'Expenses'\n"}
SCRIPTS: Mapping[str, Script] = {
    EDIT: edit_script(LOAD, BETTER),
    HUSH: edit_script(LOAD, QUIET),
    SPLIT: edit_script(LOAD, TWO_HUNKS),
    RENAME: edit_script(LOAD, LOAD.replace("expenses", "rows")),
}
