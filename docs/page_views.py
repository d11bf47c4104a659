"""Put the pictures of the page's views together for docs/how_to/page.md: each in two widths, light and dark.

(cd web && npm run look -- FOLDER) and then: python -m docs.page_views FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

VIEWS = ("start", "watch", "pages", "next", "explain", "simplify", "check")
LOOKS = ("wide-light", "narrow-light", "narrow-dark", "wide-dark")
HEIGHT, SCALE, GAP = 844, 0.6, 12
"""Pixels of a window that are shown, what of them is left, and what is between two windows."""
PICTURES = Path(__file__).parent / "pictures" / "page"


def window(path: Path) -> Image.Image:
    """The upper part of a picture, as much as a window shows, smaller."""
    with Image.open(path) as whole:
        seen = Image.new("RGB", (whole.width, HEIGHT), whole.getpixel((0, whole.height - 1)))
        seen.paste(whole.convert("RGB"), (0, 0))
    return seen.resize((round(seen.width * SCALE), round(HEIGHT * SCALE)), Image.Resampling.LANCZOS)


def side_by_side(windows: list[Image.Image]) -> Image.Image:
    """One picture of all, in a row."""
    width = sum(one.width + GAP for one in windows) - GAP
    row, left = Image.new("RGB", (width, windows[0].height), "#808080"), 0
    for one in windows:
        row.paste(one, (left, 0))
        left += one.width + GAP
    return row


def main(folder: Path) -> None:
    """Write docs/pictures/page/VIEW.webp for each view."""
    PICTURES.mkdir(exist_ok=True)
    for view in VIEWS:
        windows = [window(folder / f"{view}-{look}.png") for look in LOOKS]
        side_by_side(windows).save(PICTURES / f"{view}.webp", quality=72, method=6)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
