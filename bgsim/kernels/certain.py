"""The unit of probabilities in kernels."""

CERTAIN = 1 << 24  # the integer that stands for probability 1
