"""Tests of regions and symbols."""
