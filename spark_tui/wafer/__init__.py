"""A simulator of wafer-scale meshes: it runs a decoder layer, counts its cycles, and predicts.

It *runs* a layer (`layer`, `attention`, `kernels`, `collectives`, `fabric`). Weights and KV cache
lie in tiles on the PEs. Products of a token end in two-tree allreduces; those of a prompt run as
MeshGEMM on interleaved rings. Keys and values move up the rows so that all rows fill evenly. Tokens
that a model writes go through this layer (`mesh_model`), while the plain engine computes the other
layers and the LM head. The tokens are those of the plain engine.

It *counts*: cycles by max-plus over all PEs, words on every link, bytes and colors of every PE. A
run that would exceed the bytes or the colors of a PE is refused. The closed form (`costs`,
`collective_costs`) gives exactly the cycles of the run (`pytest -m exhaustive tests/wafer`). Run
and closed form share the cost of a single operation only. They find order, depth, hops and the
words that meet in a PE independently: hence the trust in the closed form at 750 x 994 as well.
Without software costs, chains, stars, two-phase reductions and broadcasts take the cycles that
Luczynski et al. (HPDC 2024) published. The paper has no two-tree; the same model counts one. Only a
star of a few words is quicker than the paper's lower bound, also by the paper's own formula.

It *predicts* (`predict`, `placement`, `cases`) and compares the predictions with published figures
(`validation`, `published`; `spark wafer validate`). No constant belongs to one model or one cell: 6
constants of wafers, and 14 of A100s and their software, were calibrated on some of the figures
(`constants`).

Not modeled: latency between wafers (nothing is published), moving the weights from a prompt's grid
to its answer's (all 34 GB of a wafer over the links across its middle take 10 ms, and longer
between wafers), batches, arithmetic at 8 bits, regions that are not square, and the software of
WSE-3 (its watts are assumed to be those of WSE-2). `plan` counts the whole token, with LM head and
hand-over. For 70B it needs five WSE-3 where the service ran on four, and computes 731 tokens/s
where the service gave 450. The service's 170 ms to the first token are a bound for a prompt of
unknown length; here 1,000 tokens take 45 ms, and 4,096 take 209 ms.
"""
