"""Turns requests into edits; knows neither git nor screen nor disk."""
