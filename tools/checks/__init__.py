"""Checks of a draft by code, without a model: invented and lost details, quotes, similarity and readability."""
