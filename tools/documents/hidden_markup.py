"""Takes the text out of a web page that a browser would not show, and says why it would not.

Style sheets are read as far as rules for one class, id or element go; a page's scripts are not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import html

from state.documents import HiddenReason, HiddenText

_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_NAMES = {"white": "#ffffff", "black": "#000000", "snow": "#fffafa", "ivory": "#fffff0", "ghostwhite": "#f8f8ff"}
_NOT_TEXT = {"script", "style", "noscript", "template", "head", "title", "annotation", "annotation-xml"}
_FEWEST_WORDS = 4  # of a comment that is prose
_FAR = 500.0  # pixels left of or above the page
_VISIBLE_CONTRAST = 0.1  # of the range of a colour channel, as in `visibility`

Colour = tuple[float, ...]
_PICTURE: Colour = (-1.0, -1.0, -1.0)  # unlike any colour
Styles = dict[str, str]


def remove_hidden(page: html.HtmlElement) -> list[HiddenText]:
    """Remove from a page what is not shown, comments included; what was text in it is returned."""
    rules = _rules(page)
    found = list(_hidden(page, rules, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    for element, _ in found:
        if element.getparent() is not None:
            element.drop_tree()
    return [
        HiddenText(text=text, page=0, reason=reason)
        for element, reason in found
        if (text := " ".join(_text(element).split())) and _is_prose(element, text)
    ]


def _hidden(
    element: html.HtmlElement, rules: dict[str, Styles], colour: Colour, background: Colour
) -> Iterator[tuple[html.HtmlElement, HiddenReason]]:
    """Outermost elements that are not shown."""
    stack = [(element, colour, background)]
    while stack:
        node, colour, background = stack.pop()
        if not isinstance(node.tag, str):
            yield node, "markup"
            continue
        if node.tag in _NOT_TEXT:
            continue
        styles = _styles(node, rules)
        colour = _colour(styles.get("color", node.get("color", ""))) or colour
        background = _background(styles, node.get("bgcolor", "")) or background
        reason = _reason(node, styles)
        if reason:
            yield node, reason
        elif _alike(colour, background) and _own_text(node):
            yield node, "colour"
        else:
            stack += [(child, colour, background) for child in reversed(node)]


def _reason(node: html.HtmlElement, styles: Styles) -> HiddenReason | None:
    undisplayed = styles.get("display") == "none" or styles.get("visibility") in ("hidden", "collapse")
    if undisplayed or "hidden" in node.attrib or _number(styles.get("opacity", "1")) == 0:
        return "markup"
    if "font-size" in styles and _number(styles["font-size"]) < (0.2 if "em" in styles["font-size"] else 3):
        return "size"
    offsets = [styles.get(side, "0") for side in ("left", "top", "text-indent", "margin-left", "margin-top")]
    return "off page" if any(_number(offset) < -_FAR for offset in offsets) else None


def _rules(page: html.HtmlElement) -> dict[str, Styles]:
    sheets = " ".join(style.text or "" for style in page.iter("style"))
    return {
        selector.strip(): _declarations(declarations)
        for selectors, declarations in _RULE.findall(re.sub(r"/\*.*?\*/", "", sheets, flags=re.DOTALL))
        for selector in selectors.split(",")
    }


def _styles(node: html.HtmlElement, rules: dict[str, Styles]) -> Styles:
    selectors = [node.tag, *(f".{name}" for name in node.get("class", "").split()), f"#{node.get('id', '')}"]
    styles: Styles = {}
    for selector in selectors:
        styles |= rules.get(selector, {})
    return styles | _declarations(node.get("style", ""))


def _declarations(text: str) -> Styles:
    pairs = (declaration.partition(":") for declaration in text.lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, colon, value in pairs if colon}


def _own_text(node: html.HtmlElement) -> str:
    return "".join([node.text or "", *(child.tail or "" for child in node)]).strip()


def _background(styles: Styles, attribute: str) -> Colour | None:
    value = styles.get("background-color", styles.get("background", attribute))
    return _PICTURE if "url(" in value or "gradient" in value else _colour(value)


def _number(value: str) -> float:
    number = re.match(r"[+-]?(?:\d+\.?\d*|\.\d+)", value)
    return float(number[0]) if number else 100.0


def _colour(value: str) -> Colour | None:
    """Red, green and blue from 0 to 1; None for names other than a few light ones and black."""
    value = _NAMES.get(value, value)
    if digits := re.search(r"#([0-9a-f]{6}|[0-9a-f]{3})\b", value):
        step = len(digits[1]) // 3
        parts = [digits[1][at : at + step] * (2 // step) for at in range(0, 3 * step, step)]
        return tuple(int(part, 16) / 255 for part in parts)
    if numbers := re.search(r"rgba?\((\d+)[,\s]+(\d+)[,\s]+(\d+)", value):
        return tuple(int(number) / 255 for number in numbers.groups())
    return None


def _alike(a: Colour, b: Colour) -> bool:
    return max(abs(one - other) for one, other in zip(a, b, strict=True)) < _VISIBLE_CONTRAST


def _text(node: html.HtmlElement) -> str:
    return node.text_content() if isinstance(node.tag, str) else node.text or ""


def _is_prose(node: html.HtmlElement, text: str) -> bool:
    """Whether hidden text is more than a mark of a program."""
    if isinstance(node.tag, str):
        return re.search(r"[^\W\d_]{2}", text) is not None
    words = re.findall(r"[^\W\d_]+", text)
    return len(words) >= _FEWEST_WORDS and not text.startswith("[if") and not re.search(r"[{};]|</", text)
