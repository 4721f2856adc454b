"""Pages and figures from bgsim's tables."""
