"""Reports read back: HTML pages as a browser reads them, and tables in Markdown."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "br", "hr", "img", "link", "input", "wbr"}

Cells = dict[str, dict[str, str]]
"""By the first column, then by the header."""


class Page(HTMLParser):
    """Elements, links and words of a page.

    Args:
        text: The page.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "title"}:
            self.words.append(data)

    @property
    def tags(self) -> set[str]:
        return set(self.names)

    @property
    def addresses(self) -> list[str]:
        """What the page would load or lead to."""
        return [f"{name}={value}" for name, value in self.attributes if name in {"src", "href", "srcset", "action"}]

    @property
    def text(self) -> str:
        """The words, with single spaces."""
        return " ".join(" ".join(self.words).split())

    def _note(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.links += [value or "" for name, value in attrs if tag == "a" and name == "href"]


def part(markdown: str, heading: str) -> str:
    """What stands below a heading of any level, up to the next one."""
    lines = markdown.splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.lstrip("#") == f" {heading}"]
    end = next((number for number in range(at + 1, len(lines)) if lines[number].startswith("#")), len(lines))
    return "\n".join(lines[at + 1 : end])


def table(markdown: str, heading: str) -> Cells:
    """The table below a heading."""
    return {line[0]: dict(zip(header(markdown, heading), line, strict=True)) for line in lines(markdown, heading)}


def header(markdown: str, heading: str) -> list[str]:
    return _rows(markdown, heading)[0]


def lines(markdown: str, heading: str) -> list[list[str]]:
    """The table's lines in their order."""
    return _rows(markdown, heading)[2:]


def points(markdown: str, heading: str) -> list[str]:
    """The list below a heading."""
    return [line.removeprefix("- ") for line in part(markdown, heading).splitlines() if line.startswith("- ")]


def _rows(markdown: str, heading: str) -> list[list[str]]:
    found = [line for line in part(markdown, heading).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.removeprefix("|").removesuffix("|").split(" | ")] for line in found]
