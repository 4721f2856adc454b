"""Jitted functions and nothing else: the only room that imports numba."""
