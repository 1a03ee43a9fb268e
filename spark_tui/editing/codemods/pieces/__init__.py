"""Pieces of code that words tell: put in the place of others, added to collections, taken out, put in order."""
