"""The version of the package, and nothing else: importable at no cost."""

__version__ = "0.1.0"
