"""spark: a terminal pair programmer whose model runs in this very process."""

__version__ = "0.2.0"
