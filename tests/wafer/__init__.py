"""Tests of the wafer simulator."""
