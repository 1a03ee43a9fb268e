"""Use the engine from Python: tokens in, tokens out. Run it with an optional model name or folder."""

import sys

from spark_tui.editing.format import Frame, encode_pieces, render_region, render_request
from spark_tui.engine.generate import Step, generate
from spark_tui.engine.library import find_model, load
from spark_tui.engine.sampling import greedy

loaded = load(find_model(sys.argv[1] if len(sys.argv) > 1 else None))
lines = ["def area(w, h):", "    return w * h"]
frame = Frame.of(lines)
prompt = encode_pieces([*render_region(lines, frame), *render_request("rename w to width", frame)], loaded.tokenizer)
stop = loaded.tokenizer.special("<END>")
for item in generate(loaded.model, loaded.model.new_cache(), prompt, sampler=greedy(), max_tokens=16, stop_ids={stop}):
    if isinstance(item, Step):
        print(f"{item.logprob:8.3f}  {loaded.tokenizer.piece(item.token_id)!r}")
