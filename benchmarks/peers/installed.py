"""Peers are optional: their modules are imported only when a contest begins."""

from importlib import import_module, metadata
from typing import Any

__all__ = ["load", "version_of"]


def version_of(distribution: str) -> str | None:
    """Version of an installed distribution, None when it is not installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def load(module: str) -> Any:
    """The module, untyped: type checks must not depend on which peers are installed.

    Raises:
        ImportError: it is not installed.
    """
    return import_module(module)
