"""Filters for review sentences, and the compiler that makes paragraph-review pairs with them."""
