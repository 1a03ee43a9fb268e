"""A simulator of wafer-scale meshes: runs layers of models on them, counts cycles, and predicts.

It *runs* a layer: weights and KV cache lie in tiles on the PEs, sums go through two-tree allreduces, prompts through
MeshGEMM's interleaved rings, keys move up the rows so that all fill evenly. What a model writes goes through it, and
the tokens are the plain engine's, which computes the other layers and the LM head. It *counts*: cycles by max-plus over
all PEs, words on every link, bytes and colors of every PE, which it refuses to exceed. A closed form gives exactly the
cycles of the run (`pytest -m exhaustive tests/wafer`). The two share what a single operation costs; order, depth, hops,
words that meet in a PE and values are found independently, and that is the reason to use the closed form at 750 x 994,
too. Without software costs chains, stars, two-phase sums and broadcasts take what Luczynski et al. (HPDC 2024)
published; two-trees, which they do not have, are counted by their model, and only a star of a few words is quicker than
their lower bound, as it is in their own formula.

Published figures (`spark wafer validate`) belong to no constant of a model or a cell: 6 for wafers and 14 for A100s and
their software were calibrated on figures among them (`constants.py`).

Not modelled: latency between wafers (nothing is published), moving the weights from a prompt's grid to its answer's
(all 34 GB of a wafer over the links across its middle take 10 ms, between wafers it is longer), batches, arithmetic at
8 bits, regions that are no squares, WSE-3's software (its watts are assumed to be WSE-2's). `plan` counts the whole
token, LM head and hand-over included; for 70B it needs five WSE-3 where the service ran on four, and computes 731
tokens/s where it gave 450; its 170 ms to the first token are a bound for a prompt of unsaid length: 45 ms here for
1,000 tokens, 209 ms for 4,096.
"""
