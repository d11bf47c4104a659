"""Find contradictions between the numbers of a paper: readers make records of them, and computations compare these."""

from tools.numbers.paper import check_paper

__all__ = ["check_paper"]
