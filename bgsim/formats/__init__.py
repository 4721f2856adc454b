"""Files that other programs write: match records, later match equity tables."""
