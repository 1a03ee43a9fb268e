"""Requests of which every word is accounted for: what they ask for leaves nothing open."""
