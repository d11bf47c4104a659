"""Render Mermaid blocks as SVG when the site is built, so that pages need no script."""

from __future__ import annotations

from typing import Any

import mermaidx


def render_mermaid_figure(source: str, *_: Any, **__: Any) -> str:
    """Render a Mermaid block as HTML; called by pymdownx.superfences (`zensical.toml`)."""
    drawn = mermaidx.render(source, theme="neutral", config={"fontFamily": "DejaVu Sans, Verdana, sans-serif"})
    return f'<figure class="graph">{drawn.svg()}</figure>'
