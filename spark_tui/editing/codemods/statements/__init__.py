"""Statements: which is meant, where a new one goes, and how they are moved, merged and split."""
