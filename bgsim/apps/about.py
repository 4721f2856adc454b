"""What this bgsim is."""

from bgsim._version import __version__
from bgsim.run.provenance import git_commit

__all__ = ["version_text"]


def version_text() -> str:
    """Version, and the commit when it runs from a checkout."""
    commit = git_commit()
    return f"bgsim {__version__}" + (f" ({commit})" if commit else "")
