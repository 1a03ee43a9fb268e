"""Tests of the edits."""
