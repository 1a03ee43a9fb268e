"""`spark bench`: measurements anyone can repeat, each beside a peer where one is installed."""
