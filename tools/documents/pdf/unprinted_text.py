"""Extract text of a PDF that is not painted: form fields, notes, descriptions of pictures, and metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, Final

from pypdf import PdfReader
from pypdf.generic import DictionaryObject, IndirectObject, StreamObject

from state.documents import HiddenReason, HiddenText
from tools.documents.structure import list_hidden_sentences

_MAX_NODES: Final = 20_000
_MAX_TEXT_CHARACTERS: Final = 4_000  # of a single text
_MAX_TOTAL_CHARACTERS: Final = 200_000
_PROGRAM_METADATA: Final = frozenset({"/Creator", "/Producer", "/CreationDate", "/ModDate", "/PTEX.Fullbanner"})
_TAGS: Final = re.compile(r"<[^<>]{0,500}>")
_NOTE_KEYS: Final = ("/Contents", "/RC", "/Subj")
_FIELD_KEYS: Final = ("/V", "/DV", "/TU", "/RV")
# Trees of the catalog: the keys of child nodes, the keys of texts in a node, and the kind of text.
_CATALOG_TREES: Final[dict[str, tuple[Sequence[str], Sequence[str], HiddenReason]]] = {
    "/AcroForm": (("/Fields", "/Kids"), _FIELD_KEYS, "form field"),
    "/StructTreeRoot": (("/K",), ("/Alt", "/ActualText", "/E"), "alternative text"),
}


def list_unprinted_text(data: bytes) -> list[HiddenText]:
    """List what is not painted and may be a sentence, each once, up to a total length; page 0 is the whole file."""
    found: list[HiddenText] = []
    for page, text, reason in _iterate_unprinted_text(PdfReader(BytesIO(data))):
        plain = _TAGS.sub(" ", text[:_MAX_TEXT_CHARACTERS])
        found += (each for each in list_hidden_sentences([(plain, reason)], page) if each not in found)
        if sum(len(each["text"]) for each in found) > _MAX_TOTAL_CHARACTERS:
            break
    return found


def _iterate_unprinted_text(reader: PdfReader) -> Iterator[tuple[int, str, HiddenReason]]:
    """Iterate over page (0 for the file), text and kind of notes, form fields, descriptions and metadata."""
    for number, page in enumerate(reader.pages, start=1):
        for note in _iterate_tree_nodes(page.get("/Annots"), ()):
            reason: HiddenReason = "form field" if note.get("/Subtype") == "/Widget" else "comment"
            yield from ((number, text, reason) for text in _iterate_node_texts(note, _NOTE_KEYS))
            yield from ((number, text, "form field") for text in _iterate_node_texts(note, _FIELD_KEYS))
    catalog = reader.root_object
    for name, (children, texts, reason) in _CATALOG_TREES.items():
        for node in _iterate_tree_nodes(catalog.get(name), children):
            yield from ((0, text, reason) for text in _iterate_node_texts(node, texts))
    information = reader.trailer.get("/Info", DictionaryObject()).get_object()
    names = sorted(set(information) - _PROGRAM_METADATA)
    yield from ((0, text, "metadata") for text in _iterate_node_texts(information, names))
    yield from ((0, text, "metadata") for text in _iterate_node_texts(catalog, ["/Metadata"]))


def _iterate_tree_nodes(root: Any, children: Sequence[str]) -> Iterator[DictionaryObject]:
    """Iterate over the dictionaries of a tree, each once; `children` are the keys of child nodes."""
    stack, seen = [root], set[int]()
    for _ in range(_MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        if isinstance(node, IndirectObject):
            if node.idnum in seen:
                continue
            seen.add(node.idnum)
            node = node.get_object()
        if isinstance(node, list):
            stack += reversed(node)
        elif isinstance(node, DictionaryObject):
            yield node
            stack += [node.raw_get(name) for name in children if name in node]


def _iterate_node_texts(node: DictionaryObject, names: Sequence[str]) -> Iterator[str]:
    """Iterate over the strings and streams at the named keys of a dictionary, decoded to text."""
    for value in (node[name] for name in names if name in node):
        text = value.get_data()[: 10 * _MAX_TEXT_CHARACTERS] if isinstance(value, StreamObject) else value
        if isinstance(text, bytes | str):
            yield text.decode(errors="replace") if isinstance(text, bytes) else text
