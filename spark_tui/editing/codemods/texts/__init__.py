"""Texts and messages: which is meant, and what words do to it."""
