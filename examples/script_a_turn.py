"""Script a turn: ask for an edit, watch it stream, accept it, take it back.

Run it with an optional model name.
"""

import sys
import tempfile
from pathlib import Path

from spark_tui.cli.open import INSTRUCTION, make_copy
from spark_tui.engine.loader import find_model, load
from spark_tui.session.events import Status, Token
from spark_tui.session.session import Session
from spark_tui.session.turn import Request
from spark_tui.vcs.repository import Repository

loaded = load(find_model(sys.argv[1] if len(sys.argv) > 1 else None))
session = Session(Repository.discover(make_copy()), loaded, Path(tempfile.mkdtemp()))
turn = session.begin(Request(INSTRUCTION, path="storage.py", symbol="load"))
for event in turn.events():
    if isinstance(event, Token):
        print(event.text, end=" ", flush=True)
print(f"\n{turn.status}: {turn.message}")
if turn.status is Status.OK:
    print("accepted as", session.accept(turn).id)
    print("taken back as", session.undo().id)
