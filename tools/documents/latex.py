"""Parse a LaTeX source as a reader sees it, without running TeX; hidden text is returned apart."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import (
    LatexEnvironmentNode,
    LatexGroupNode,
    LatexMacroNode,
    LatexMathNode,
    LatexNode,
    LatexSpecialsNode,
    LatexWalker,
    get_default_latex_context_db,
)
from pylatexenc.macrospec import std_environment, std_macro

from state.documents import HiddenReason, HiddenText
from tools.documents.formulas import convert_to_superscript
from tools.documents.latex_source import expand_macros
from tools.documents.structure import Block, DocumentParts, clean_characters, list_hidden_sentences, mark_references

# Marks in the converted text are characters that no paper uses.
_HEADING_MARK = "\u2402"
_EMPTY_MARK = "\x01"  # for a macro that prints nothing, because an empty line would separate paragraphs
_CELL_MARK, _ROW_MARK = "\u241f", "\u241e"
_TABLES = {"tabular", "tabularx", "tabulary", "longtable"}
_HEADED_ENVIRONMENTS = {"abstract": "Abstract", "thebibliography": "References"}
_SECTIONS = {"part", "chapter", "section", "subsection", "subsubsection"}
_OTHER_FILES = {"input", "include", "subfile", "bibliography", "printbibliography"}
_PHANTOMS = {"phantom", "hphantom", "vphantom"}
_MACROS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("latex_macros.toml").read_text(encoding="utf-8"))
# Macros that print nothing and that pylatexenc does not know: \\noindent, \\bigskip, \\Biggl, \\textwidth, \\tiny.
_LAYOUT_MACRO = re.compile(
    r"left|right|middle|new(?:line|block)|protect|appendix|sloppy|balance|FloatBarrier|[bB]igg?[lr]?|listof.*|make.*"
    r"|[a-z]*(?:skip|page|width|height|size|series|shape|family|fill|break|style|matter|head|foot|spacing|limits|rule|sep)"
    r"|rm|it|bf|tt|sf|sl|em|cal|tiny|small|(?i:large|huge)|normalfont|ragged.*|flush.*|line.*|boldmath|no[a-z]+|end[a-z]+"
)
_COLOURED_CELLS = re.compile(r"\\(?:row|cell|column)color|\{tcolorbox\}|\{tikzpicture\}")
_SMALLEST_TYPE = 3.0  # points
_MAX_NAMED_MACROS = 8
_WHITE_SHARE = r"(?:1|1\.0*|0?\.9\d*)"
# Values of white and nearly white colours: .95 or 1,1,1 or 255, 255, 250 or FEFEFE.
_WHITE_VALUE = re.compile(
    rf"\s*(?:{_WHITE_SHARE}(?:\s*,\s*{_WHITE_SHARE}){{2}}|{_WHITE_SHARE}|2[345]\d(?:\s*,\s*2[345]\d){{2}}|(?i:f[\da-f]){{3}})\s*"
)
_COMMENTS = re.compile(r"(?:^[ \t]*%[^\n]*(?:\n|\Z))+|(?<!\\)%[^\n]+", re.MULTILINE)
_PERCENT_SIGNS = re.compile(r"^[ \t]*%+", re.MULTILINE)
_METADATA = re.compile(
    r"(?:pdf(?:title|subject|keywords|author)\s*=\s*|/(?:Title|Subject|Keywords)\s*)[{(]([^{}()]{1,4000})"
)
_DESCRIPTION = re.compile(r"\balt\s*=\s*\{([^{}]{1,4000})\}")


def parse_latex(text: str) -> DocumentParts:
    """Parse a LaTeX source into title, sections, paragraphs, references and hidden text; formulas are in Unicode.

    A source with too deeply nested groups gives a warning and no blocks.
    """
    # 1. Remove comments, with the lines that they fill because an empty line would separate paragraphs.
    source = re.sub(r"^[ \t]*%.*\n?", "", text, flags=re.MULTILINE)
    source = re.sub(r"(?<!\\)%.*", "", source)
    source = re.sub(r"(?<=\d)\\,(?=\d{3}(?!\d))", "", source)  # thin spaces, as in 2\,140, would become spaces
    # 2. Convert it to text; the preamble defines the title and the colours.
    converter = _LatexTextConverter()
    source = expand_macros(source, kept={*converter.macros, *_MACROS["kept"]})
    preamble, begin, body = source.partition(r"\begin{document}")
    try:
        if begin:
            converter.nodelist_to_text(_parse_nodes(preamble))
            converter.hidden.clear()
            converter.unknown.clear()
        converted = converter.nodelist_to_text(_parse_nodes(body.rpartition(r"\end{document}")[0] or body or source))
        if "abstract" in converter.front_matter:
            converted = _format_section("Abstract", converter.front_matter["abstract"]) + converted
    except RecursionError:
        return DocumentParts("", [], warnings=["the LaTeX source nests groups too deeply to be read"])
    # 3. Split the text into blocks at empty lines.
    blocks: list[Block] = []
    for part in re.split(r"\n\s*\n", clean_characters(_strip_marks(converted))):
        rows = [[" ".join(cell.split()) for cell in row.split(_CELL_MARK)] for row in part.split(_ROW_MARK)]
        line = " ".join(part.replace(_CELL_MARK, " ").replace(_ROW_MARK, " ").split())
        if line.startswith(_HEADING_MARK):
            blocks.append(Block("heading", line.removeprefix(_HEADING_MARK).strip(), level=2))
        elif any(map(str.isalnum, line)):
            table = [row for row in rows if any(row)] if _CELL_MARK in part else []
            blocks.append(Block("paragraph", line, rows=table))
    warnings = list(dict.fromkeys(converter.warnings))
    if converter.unknown:
        names = ", ".join(f"\\{name}" for name, _ in converter.unknown.most_common(_MAX_NAMED_MACROS))
        warnings.append(f"{converter.unknown.total()} macros without a definition were left out: {names}")
    title = " ".join(converter.front_matter.get("title", "").split())
    hidden = [*converter.hidden, *_list_unprinted_text(text)]
    return DocumentParts(title, mark_references(blocks), hidden, warnings=warnings)


def _strip_marks(text: str) -> str:
    """Return a text without the marks of macros that print nothing, and without lines that consist of them."""
    return re.sub(rf"\n[ \t]*(?:{_EMPTY_MARK}[ \t]*)+\n", "\n", text).replace(_EMPTY_MARK, "")


def _format_section(heading: str, text: str) -> str:
    """Return a section as text between marked headings; the empty second one ends it."""
    return f"\n\n{_HEADING_MARK}{heading}\n\n{text}\n\n{_HEADING_MARK}\n\n"


def _extract_verbatim(node: LatexMacroNode | LatexEnvironmentNode) -> str:
    """Return the content of a verbatim macro or environment, or its source if that has no end."""
    return str(node.nodeargd.verbatim_text if node.nodeargd else node.latex_verbatim())


def _list_unprinted_text(text: str) -> list[HiddenText]:
    """List the comments, metadata and descriptions of pictures that may be sentences; LaTeX prints none."""
    environments = (part.partition(r"\end{comment}")[0] for part in text.split(r"\begin{comment}")[1:])
    comments = [*(match[0] for match in _COMMENTS.finditer(text)), *environments]
    found: list[tuple[str, HiddenReason]] = [(_PERCENT_SIGNS.sub(" ", each), "comment") for each in comments]
    found += [(each, "metadata") for each in _METADATA.findall(text)]
    found += [(each, "alternative text") for each in _DESCRIPTION.findall(text)]
    return list_hidden_sentences(found)


def _parse_nodes(text: str) -> list[LatexNode]:
    """Parse a LaTeX source, even with errors, into pylatexenc's nodes."""
    context = get_default_latex_context_db()
    specified = [*_MACROS["dropped_arguments"].items(), *_MACROS["arguments"].items()]
    macros = [std_macro(name, arguments) for arguments, names in specified for name in names]
    environments = [std_environment(name, each) for each, names in _MACROS["environments"].items() for name in names]
    context.add_context_category("papers", macros=macros, environments=environments, prepend=True)
    text = re.sub(r"\\verb\*?\s*\Z", "", text)  # pylatexenc would look for its delimiter beyond the end
    nodes: list[LatexNode] = LatexWalker(text, latex_context=context, tolerant_parsing=True).get_latex_nodes()[0]
    return nodes


class _LatexTextConverter(LatexNodes2Text):  # type: ignore[misc]
    """Converter of LaTeX nodes to text, which collects title, abstract, hidden text and warnings."""

    def __init__(self) -> None:
        super().__init__(math_mode="text")
        self.front_matter: dict[str, str] = {}  # title and abstract, if they are arguments of macros
        self.hidden: list[HiddenText] = []
        self.unknown: Counter[str] = Counter()  # undefined macros, which print nothing
        self.warnings: list[str] = []
        self._light = {"white"}
        self._tables = 0  # how many are open
        self._coloured = 0  # how many coloured boxes and tables are open
        self.macros: dict[str, Callable[[LatexMacroNode], str]] = {
            **{name: partial(self._format_argument, form) for name, form in _MACROS["formats"].items()},
            **dict.fromkeys(
                _SECTIONS,
                lambda node: f"\n\n{_HEADING_MARK}{' '.join(self._convert_last_argument(node).split())}\n\n",
            ),
            **dict.fromkeys(chain(_MACROS["dropped"], *_MACROS["dropped_arguments"].values()), lambda _: ""),
            **dict.fromkeys(("definecolor", "title", "icmltitle", "abstract", *_OTHER_FILES), self._record_declaration),
            **dict.fromkeys(
                _PHANTOMS, lambda node: self._record_hidden_text(self._convert_last_argument(node), "not drawn")
            ),
            **dict.fromkeys(("textcolor", "colorbox", "fcolorbox"), self._convert_coloured_text),
            **dict.fromkeys(("\\", "tabularnewline"), lambda _: _ROW_MARK if self._tables else "\n"),
            "multicolumn": self._convert_multicolumn,
            **dict.fromkeys(("SI", "qty"), lambda node: " ".join(self._list_arguments(node, 3)[1:])),
            "textsuperscript": lambda node: convert_to_superscript(self._convert_last_argument(node)),
            "verb": _extract_verbatim,
            **dict.fromkeys(("item", "par"), lambda _: "\n\n"),
        }

    def nodelist_to_text(self, nodelist: Sequence[LatexNode]) -> str:
        """Return the visible text of nodes; after a switch to white or tiny type it goes to `hidden` instead."""
        parts: list[tuple[HiddenReason | None, list[LatexNode]]] = [(None, [])]
        for node in nodelist:
            if isinstance(node, LatexMacroNode) and node.macroname in ("color", "fontsize"):
                reason: HiddenReason | None = None
                points = re.match(r"\d*\.?\d+", self._list_arguments(node, 1)[0])
                if node.macroname == "color":
                    reason = "colour" if self._is_light(node) and not self._coloured else None
                elif points and float(points[0]) < _SMALLEST_TYPE:
                    reason = "size"
                parts.append((reason, []))
            else:
                parts[-1][1].append(node)
        texts = [(reason, super(_LatexTextConverter, self).nodelist_to_text(part)) for reason, part in parts]
        return "".join(self._record_hidden_text(text, reason) if reason else text for reason, text in texts)

    def macro_node_to_text(self, node: LatexMacroNode) -> str:
        """Return a macro as text, or its last argument if it is unknown (counted if it has none) or not rendered."""
        name = node.macroname
        if "cite" in name.lower():
            return f"[{', '.join(key.strip() for key in self._convert_last_argument(node).split(','))}]"
        if name in self.macros:
            return self.macros[name](node) or _EMPTY_MARK
        if name in _MACROS["symbols"]:
            return str(_MACROS["symbols"][name])
        if self.latex_context.get_macro_spec(name) is None:
            is_given = node.parsing_state.s.startswith("{", node.pos + node.len) or self._list_arguments(node, 1)[0]
            if name.isalpha() and not is_given and not _LAYOUT_MACRO.fullmatch(name):
                self.unknown[name] += 1
            return self._convert_last_argument(node)
        try:
            return str(super().macro_node_to_text(node))
        except (LookupError, AttributeError, TypeError, ValueError):
            return self._convert_last_argument(node)

    def environment_node_to_text(self, node: LatexEnvironmentNode) -> str:
        """Convert an environment to text, with headings for abstract and references; a formula stays in its line."""
        name = node.environmentname.rstrip("*")
        if name == "comment":
            return ""
        if name == "verbatim":
            return f"\n\n{_extract_verbatim(node)}\n\n"
        is_coloured = _COLOURED_CELLS.search(node.latex_verbatim()) is not None
        self._coloured += is_coloured
        self._tables += name in _TABLES
        text = str(super().environment_node_to_text(node))
        self._tables -= name in _TABLES
        self._coloured -= is_coloured
        if node.nodelist and node.nodelist[0].parsing_state.in_math_mode:
            return f" {' '.join(text.split())} "
        return _format_section(_HEADED_ENVIRONMENTS[name], text) if name in _HEADED_ENVIRONMENTS else f"\n\n{text}\n\n"

    def specials_node_to_text(self, node: LatexSpecialsNode) -> str:
        """Convert a special character, such as a dash; in a table, & separates cells."""
        is_separator = self._tables and node.specials_chars == "&"
        return _CELL_MARK if is_separator else str(super().specials_node_to_text(node))

    def _convert_multicolumn(self, node: LatexMacroNode) -> str:
        """Convert a cell that spans several columns, with empty cells after it."""
        columns, _, _ = self._list_arguments(node, 3)
        return self._convert_last_argument(node) + _CELL_MARK * (int(columns) - 1 if columns.isdigit() else 0)

    def math_node_to_text(self, node: LatexMathNode) -> str:
        """Convert a formula to one line of text."""
        return " ".join(str(super().math_node_to_text(node)).split())

    def _record_declaration(self, node: LatexMacroNode) -> str:
        """Record a light colour, the title, the abstract, or a file that is not read; return an empty text."""
        if node.macroname == "definecolor":
            name, _, value = self._list_arguments(node, 3)
            if _WHITE_VALUE.fullmatch(value):
                self._light.add(name)
        elif node.macroname in _OTHER_FILES:
            argument = f"{{{self._convert_last_argument(node)}}}".replace("{}", "")  # \printbibliography has none
            self.warnings.append(f"\\{node.macroname}{argument} names another file, which was not read")
        else:
            self.front_matter[node.macroname.removeprefix("icml")] = self._convert_last_argument(node)
        return ""

    def _convert_coloured_text(self, node: LatexMacroNode) -> str:
        """Return coloured text; if it is light without a dark box, add it to `hidden` and return an empty text."""
        is_type = node.macroname == "textcolor"
        is_dark_box = not is_type and not self._is_light(node)
        self._coloured += is_dark_box
        text = self._convert_last_argument(node)
        self._coloured -= is_dark_box
        is_invisible = is_type and self._is_light(node) and not self._coloured
        return self._record_hidden_text(text, "colour") if is_invisible else text

    def _is_light(self, node: LatexMacroNode) -> bool:
        """Return whether the colour in a macro's second argument, after the optional model, is nearly white."""
        _, value = self._list_arguments(node, 2)
        return value.strip() in self._light or _WHITE_VALUE.fullmatch(value) is not None

    def _record_hidden_text(self, text: str, reason: HiddenReason) -> str:
        """Add a text to `hidden` if it has letters, and return an empty text to print in its place."""
        text = _strip_marks(text)
        if any(map(str.isalpha, text)):
            self.hidden.append(HiddenText(text=" ".join(text.split()), page=0, reason=reason))
        return ""

    def _format_argument(self, form: str, node: LatexMacroNode) -> str:
        """Return the last argument of a macro in a form such as `({})`."""
        return form.format(self._convert_last_argument(node))

    def _convert_last_argument(self, node: LatexMacroNode) -> str:
        """Return the last argument of a macro as visible text; empty without one."""
        arguments = (node.nodeargd.argnlist or []) if node.nodeargd else []
        last = arguments[-1] if arguments else None
        if isinstance(last, LatexGroupNode):
            return _strip_marks(self.nodelist_to_text(last.nodelist))
        return str(self.node_to_text(last)) if last else ""

    def _list_arguments(self, node: LatexMacroNode, number: int) -> list[str]:
        """List the first arguments of a macro, optional ones too, as source without brackets; missing are empty."""
        given = (node.nodeargd.argnlist or []) if node.nodeargd else []
        wanted = [*given, *[None] * number][:number]
        return [argument.latex_verbatim().strip("{}[]") if argument else "" for argument in wanted]
