"""Numbers that contradict each other: readers make records of what a paper reports, and computations compare them."""

from tools.numbers.paper import check_paper

__all__ = ["check_paper"]
