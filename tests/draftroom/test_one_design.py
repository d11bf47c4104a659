"""All pages of HTML look alike: their colours are those of the page of `draftroom open`."""

from __future__ import annotations

import re
from pathlib import Path

from tools.html_pages import build_template_environment

REPOSITORY = Path(__file__).parents[2]
DESIGN = REPOSITORY / "tools" / "templates" / "design.css"


def test_every_file_carries_the_design_and_the_page_is_built_from_it():
    design = DESIGN.read_text()
    assert design.strip() in build_template_environment("draftroom.rendering").get_template("page.html").render()
    built = (REPOSITORY / "draftroom" / "page" / "static" / "assets" / "index.css").read_text()
    colours = set(re.findall(r"--([\w-]+): light-dark", design))
    assert colours <= set(re.findall(r"--([\w-]+):", built)), "make web"
