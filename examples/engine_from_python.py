"""Use the engine from Python: tokens in, tokens out.

Run it with an optional model name or folder.
"""

import sys

from spark_tui.editing.formats.quoted import QuotedRequest, region_pieces, request_pieces
from spark_tui.engine.generate import Step, generate, greedy
from spark_tui.engine.loader import find_model, load

loaded = load(find_model(sys.argv[1] if len(sys.argv) > 1 else None))
request = QuotedRequest(
    "mean.py",
    ("def mean(values):", "    n = len(values)", "    return sum(values) / n"),
    "rename n to count",
)
pieces = [*region_pieces(request.path, request.lines), *request_pieces(request)]
prompt = [token for piece in pieces for token in loaded.tokenizer.encode(piece)]
stop = loaded.tokenizer.special("<|endoftext|>")
for item in generate(
    loaded.model, loaded.model.new_cache(), prompt, sampler=greedy(), max_tokens=40, stop_ids={stop}
):
    if isinstance(item, Step):
        print(f"{item.logprob:8.3f}  {loaded.tokenizer.piece(item.token_id)!r}")
