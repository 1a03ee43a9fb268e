"""Imports: where they go, what they bind, and which a name needs."""
