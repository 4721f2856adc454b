"""Timings of bgsim, and of bgsim beside other engines (benchmarks/README.md)."""
