"""Tests of spark, in every process on the system that was asked for."""

from tests import without_linux

if without_linux.is_asked_for():
    without_linux.take_away()
