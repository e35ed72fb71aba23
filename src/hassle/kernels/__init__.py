"""Numba only: arrays in, arrays out, no objects. :mod:`hassle.kernels.codes` alone is without Numba."""
