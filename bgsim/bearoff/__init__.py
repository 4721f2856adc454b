"""Exact tables: bear-off."""
