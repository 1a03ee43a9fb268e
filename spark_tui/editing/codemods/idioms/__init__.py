"""Idioms that words name: what is to be written with what, and the loops and values that can be."""
