"""The terminal interface: everything on the screen, over `session` only."""

import os

# Textual reads these once, when it is imported: how long an Esc may still turn out to be an arrow
# key (in ms), and how soon after a key the screen is painted. Streaming itself is painted 60 times
# a second at most.
os.environ.setdefault("ESCDELAY", "20")
os.environ.setdefault("TEXTUAL_FPS", "120")
