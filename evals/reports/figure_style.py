"""How plots look: the inks that a page exchanges where it is dark, and Matplotlib's settings."""

from __future__ import annotations

from typing import Any

INK, PAPER = "#1d2226", "#ffffff"
"""Of all lines and letters, and of what is behind them; in a page that is dark both are exchanged."""

STYLE: dict[Any, Any] = {  # matplotlib's type for the names is a list of them all
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlesize": 9.0,
    "figure.facecolor": PAPER,
    "font.family": ["DejaVu Sans"],  # it comes with matplotlib
    "font.size": 8.0,
    "svg.fonttype": "path",
    "svg.hashsalt": "draftroom",
    "text.color": INK,
    "text.parse_math": False,  # the name of a corpus may have a $
    "xtick.color": INK,
    "ytick.color": INK,
}
