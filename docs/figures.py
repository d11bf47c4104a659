"""Draws Mermaid blocks of the pages as SVG while the site is built, so that a page needs no script to show them."""

from __future__ import annotations

from typing import Any

import mermaidx


def render_mermaid_figure(source: str, *_: Any, **__: Any) -> str:
    """A Mermaid block as HTML; called by pymdownx.superfences (`zensical.toml`)."""
    drawn = mermaidx.render(source, theme="neutral", config={"fontFamily": "DejaVu Sans, Verdana, sans-serif"})
    return f'<figure class="graph">{drawn.svg()}</figure>'
