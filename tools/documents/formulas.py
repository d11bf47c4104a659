"""Formulas of MathML, and of Word's own markup, in one line; raised digits as characters of their own."""

from __future__ import annotations

import re

from lxml import etree

_SUPERSCRIPTS = str.maketrans("0123456789+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺")
_RAISED_NUMBERS = re.compile(r"[+−–-]?\d[\d,;.+−–\s-]*")  # 2, −5, and marks of notes or citations such as 1,3–5
_SIMPLE_TERM = re.compile(r"[+−√-]?[\w.]*|\([^()]*\)|.")
_RELATIONS = frozenset("=<>≤≥≈≠≡~±×→∈∝")
_INVISIBLE = re.compile("[\u2061-\u2064]")
# Elements of MathML and of Word, and how their parts are written.
_ELEMENT_TEMPLATES = {
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


def convert_to_superscript(text: str) -> str:
    """Write raised numbers with superscript characters, lest they fuse with what stands before them."""
    if not _RAISED_NUMBERS.fullmatch(text.strip()):
        return text
    return re.sub(r"^\s*[-−–]", "⁻", text.translate(_SUPERSCRIPTS))


def format_formula(formula: etree._Element) -> str:
    """Write a formula in one line, such as `χ² = (a+b)/√n`."""
    return " ".join(_INVISIBLE.sub("", _format_node(formula)).split())


def _format_node(node: etree._Element) -> str:
    name = etree.QName(node).localname
    children = [child for child in node if isinstance(child.tag, str) and not child.tag.endswith("Pr")]
    if not children:
        return _format_leaf(name, node.text or "")
    parts = [_format_node(child) for child in children]
    form, power = _ELEMENT_TEMPLATES.get(name, ""), _POWERS.get(name)
    if name == "semantics":
        parts = parts[:1]  # the rest says the same in other languages
    elif name == "nary":  # a sum or an integral
        parts = [
            _find_operator_character(node, "chr", "∫"),
            f"_{_parenthesize_compound(parts[0])}{_format_power(parts[1])} ",
            *parts[2:],
        ]
    elif name == "d":
        parts = [
            _find_operator_character(node, "begChr", "("),
            ", ".join(parts),
            _find_operator_character(node, "endChr", ")"),
        ]
    elif name == "msqrt":
        parts = ["√", _parenthesize_compound("".join(parts))]
    elif form.count("{") == len(parts):
        return form.format(
            *(_format_power(part) if at == power else _parenthesize_compound(part) for at, part in enumerate(parts))
        )
    return _SEPARATORS.get(name, "").join(parts)


def _format_leaf(name: str, text: str) -> str:
    is_apart = (name == "mo" and text.strip() in _RELATIONS) or (name == "mi" and len(text.strip()) > 1)
    return f" {text.strip()} " if is_apart else text


def _parenthesize_compound(text: str) -> str:
    return text.strip() if _SIMPLE_TERM.fullmatch(text.strip()) else f"({text.strip()})"


def _format_power(text: str) -> str:
    raised = convert_to_superscript(text.strip())
    return raised if raised != text.strip() or not raised else f"^{_parenthesize_compound(text)}"


def _find_operator_character(node: etree._Element, name: str, default: str) -> str:
    """A character that Word's markup names beside the parts of a formula."""
    found = node.find(f"{{*}}{etree.QName(node).localname}Pr/{{*}}{name}")
    return default if found is None else next(iter(found.attrib.values()), "")
