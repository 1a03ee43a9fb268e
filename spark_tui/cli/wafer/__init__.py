"""`spark wafer`: the model on a simulated wafer-scale mesh. Every figure it prints is simulated."""
