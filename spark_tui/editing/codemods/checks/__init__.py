"""Checks, guards and handlers: what is tested, what follows, and what is caught."""
