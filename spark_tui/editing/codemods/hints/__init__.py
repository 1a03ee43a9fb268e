"""Types: those that the code is certain of, those that words tell, and where they go."""
