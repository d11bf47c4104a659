"""Measurements that are ratios of things timed in one run: `make bench`."""
