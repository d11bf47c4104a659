"""Benchmarks that compare ways of working within one run: `make bench`."""
