"""The Python face of the kernels: plays, policies, and the unit of work."""
