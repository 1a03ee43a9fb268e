"""A simulator of wafer-scale meshes: runs models on them, counts cycles, and predicts."""
