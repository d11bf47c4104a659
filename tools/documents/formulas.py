"""Formulas of MathML, and of Word's own markup, in one line; raised digits as characters of their own."""

from __future__ import annotations

import re

from lxml import etree

_RAISED = str.maketrans("0123456789+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺")
_RAISED_NUMBERS = re.compile(r"[+−–-]?\d[\d,;.+−–\s-]*")  # 2, −5, and marks of notes or citations such as 1,3–5
_UNDIVIDED = re.compile(r"[+−√-]?[\w.]*|\([^()]*\)|.")
_RELATIONS = frozenset("=<>≤≥≈≠≡~±×→∈∝")
_INVISIBLE = re.compile("[\u2061-\u2064]")
# Elements of MathML and of Word, and how their parts are written.
_FORMS = {
    **dict.fromkeys(("msub", "munder", "sSub", "limLow"), "{0}_{1}"),
    **dict.fromkeys(("msup", "sSup", "limUpp"), "{0}{1}"),
    **dict.fromkeys(("msubsup", "munderover", "sSubSup"), "{0}_{1}{2}"),
    **dict.fromkeys(("mfrac", "f"), "{0}/{1}"),
    "mroot": "{1}√{0}",
    "rad": "{0}√{1}",
    "func": "{0} {1}",
}
_POWERS = {"msup": 1, "sSup": 1, "limUpp": 1, "msubsup": 2, "munderover": 2, "sSubSup": 2}
_SEPARATORS = {**dict.fromkeys(("mtable", "m", "eqArr"), "; "), **dict.fromkeys(("mtr", "mr"), " ")}


def raise_digits(text: str) -> str:
    """Write raised numbers with superscript characters, lest they fuse with what stands before them."""
    if not _RAISED_NUMBERS.fullmatch(text.strip()):
        return text
    return re.sub(r"^\s*[-−–]", "⁻", text.translate(_RAISED))


def write_formula(formula: etree._Element) -> str:
    """Write a formula in one line, such as `χ² = (a+b)/√n`."""
    return " ".join(_INVISIBLE.sub("", _write(formula)).split())


def _write(node: etree._Element) -> str:
    name = etree.QName(node).localname
    children = [child for child in node if isinstance(child.tag, str) and not child.tag.endswith("Pr")]
    if not children:
        return _write_leaf(name, node.text or "")
    parts = [_write(child) for child in children]
    form, power = _FORMS.get(name, ""), _POWERS.get(name)
    if name == "semantics":
        parts = parts[:1]  # the rest says the same in other languages
    elif name == "nary":  # a sum or an integral
        parts = [_property(node, "chr", "∫"), f"_{_group(parts[0])}{_power(parts[1])} ", *parts[2:]]
    elif name == "d":
        parts = [_property(node, "begChr", "("), ", ".join(parts), _property(node, "endChr", ")")]
    elif name == "msqrt":
        parts = ["√", _group("".join(parts))]
    elif form.count("{") == len(parts):
        return form.format(*(_power(part) if at == power else _group(part) for at, part in enumerate(parts)))
    return _SEPARATORS.get(name, "").join(parts)


def _write_leaf(name: str, text: str) -> str:
    is_apart = (name == "mo" and text.strip() in _RELATIONS) or (name == "mi" and len(text.strip()) > 1)
    return f" {text.strip()} " if is_apart else text


def _group(text: str) -> str:
    return text.strip() if _UNDIVIDED.fullmatch(text.strip()) else f"({text.strip()})"


def _power(text: str) -> str:
    raised = raise_digits(text.strip())
    return raised if raised != text.strip() or not raised else f"^{_group(text)}"


def _property(node: etree._Element, name: str, default: str) -> str:
    """A character that Word's markup names beside the parts of a formula."""
    found = node.find(f"{{*}}{etree.QName(node).localname}Pr/{{*}}{name}")
    return default if found is None else next(iter(found.attrib.values()), "")
