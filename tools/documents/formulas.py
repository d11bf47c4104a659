"""Format formulas of MathML and of Word's markup (OMML) in one line, and raised digits as superscript characters."""

from __future__ import annotations

import re

from lxml import etree

_SUPERSCRIPTS = str.maketrans("0123456789+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺")
_RAISED_NUMBERS = re.compile(r"[+−–-]?\d[\d,;.+−–\s-]*")  # 2, −5, and marks of notes or citations such as 1,3–5
_SIMPLE_TERM = re.compile(r"[+−√-]?[\w.]*|\([^()]*\)|.")
_RELATIONS = frozenset("=<>≤≥≈≠≡~±×→∈∝")
_INVISIBLE = re.compile("[\u2061-\u2064]")
# How the parts of an element of MathML or OMML are written.
_ELEMENT_TEMPLATES = {
    **dict.fromkeys(("msub", "munder", "sSub", "limLow"), "{0}_{1}"),
    **dict.fromkeys(("msup", "sSup", "limUpp"), "{0}{1}"),
    **dict.fromkeys(("msubsup", "munderover", "sSubSup"), "{0}_{1}{2}"),
    **dict.fromkeys(("mfrac", "f"), "{0}/{1}"),
    "mroot": "{1}√{0}",
    "rad": "{0}√{1}",
    "func": "{0} {1}",
}
# Which part of an element is a power.
_POWERS = {"msup": 1, "sSup": 1, "limUpp": 1, "msubsup": 2, "munderover": 2, "sSubSup": 2}
_SEPARATORS = {**dict.fromkeys(("mtable", "m", "eqArr"), "; "), **dict.fromkeys(("mtr", "mr"), " ")}


def convert_to_superscript(text: str) -> str:
    """Return a raised number in superscript characters, so that it does not fuse with a word; other texts unchanged."""
    if not _RAISED_NUMBERS.fullmatch(text.strip()):
        return text
    return re.sub(r"^\s*[-−–]", "⁻", text.translate(_SUPERSCRIPTS))


def format_formula(formula: etree._Element) -> str:
    """Format a formula of MathML or OMML in one line, such as `χ² = (a+b)/√n`."""
    return " ".join(_INVISIBLE.sub("", _format_node(formula)).split())


def _format_node(node: etree._Element) -> str:
    """Format an element of MathML or OMML with its children; white space is not yet normalized."""
    name = etree.QName(node).localname
    children = [child for child in node if isinstance(child.tag, str) and not child.tag.endswith("Pr")]
    if not children:
        text = node.text or ""
        is_spaced = (name == "mo" and text.strip() in _RELATIONS) or (name == "mi" and len(text.strip()) > 1)
        return f" {text.strip()} " if is_spaced else text
    parts = [_format_node(child) for child in children]
    form, power = _ELEMENT_TEMPLATES.get(name, ""), _POWERS.get(name)
    if name == "semantics":
        parts = parts[:1]  # the others are the same formula in other languages
    elif name == "nary":  # a sum or an integral with its limits
        sign = _find_operator_character(node, "chr", "∫")
        parts[:2] = [f"{sign}_{_add_parentheses(parts[0])}{_format_power(parts[1])} "]
    elif name == "d":  # delimiters
        before, after = (_find_operator_character(node, *each) for each in (("begChr", "("), ("endChr", ")")))
        parts = [before, ", ".join(parts), after]
    elif name == "msqrt":
        parts = ["√", _add_parentheses("".join(parts))]
    elif form.count("{") == len(parts):
        return form.format(
            *(_format_power(part) if at == power else _add_parentheses(part) for at, part in enumerate(parts))
        )
    return _SEPARATORS.get(name, "").join(parts)


def _add_parentheses(text: str) -> str:
    """Return a term without white space around it, in parentheses if it is compound."""
    return text.strip() if _SIMPLE_TERM.fullmatch(text.strip()) else f"({text.strip()})"


def _format_power(text: str) -> str:
    """Return a power in superscript characters if it is a number, or else after `^`."""
    raised = convert_to_superscript(text.strip())
    return raised if raised != text.strip() or not raised else f"^{_add_parentheses(text)}"


def _find_operator_character(node: etree._Element, name: str, default: str) -> str:
    """Return the character of an operator or delimiter in the properties of an OMML element, or else the default."""
    found = node.find(f"{{*}}{etree.QName(node).localname}Pr/{{*}}{name}")
    return default if found is None else next(iter(found.attrib.values()), "")
