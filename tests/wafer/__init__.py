"""Tests of repositories, patches, the write protocol and the journal."""
