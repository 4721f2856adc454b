"""Other engines beside bgsim on the same machine, in one run: `python -m benchmarks.peers`."""
