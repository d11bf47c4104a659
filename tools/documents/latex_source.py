"""A LaTeX source as TeX sees it: other files in their places, and the author's own macros written out."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path, PurePath
from typing import NamedTuple

_LONGEST = 4_000_000  # characters, of all files together and of all that macros are written out to
_DEEPEST = 20  # a file in a file, or a macro in a macro
_SUFFIXES = {".tex", ".ltx", ".latex", ".bbl"}
_OTHER_FILE = re.compile(
    r"""
    (?P<comment> (?<!\\) % .*)
    | \\(?:input|include|subfile)\b \s* (?:\{ (?P<braced> [^{}\n]+) \} | (?P<bare> [\w./-]+))  # \input{methods}
    | (?P<references> \\bibliography\b \s* \{ [^{}]* \} | \\printbibliography\b)
    """,
    re.VERBOSE,
)
_BODY = re.compile(r"\\begin\{document\}(.*)\\end\{document\}", re.DOTALL)
_MACRO = re.compile(r"\\(?P<name>[A-Za-z@]+)")
_NAME = r"\s* \{? \s* \\(?P<name> [A-Za-z@]+) \s* \}? \s*"
_COMMAND = re.compile(  # \newcommand{\group}[1]{the #1 group}
    rf"""\\(?P<kind> (?:re)?newcommand | providecommand | DeclareRobustCommand | DeclareMathOperator) \*? {_NAME}
    (?:\[ (?P<count> \d) \])? \s* (?:\[ (?P<default> [^\]]*) \])? \s* (?=\{{)""",
    re.VERBOSE,
)
_DEF = re.compile(rf"\\[gex]?def {_NAME} (?P<parameters> (?:\#\d)*) \s* (?=\{{)", re.VERBOSE)  # \def\group#1{...}
_PARAMETER = re.compile(r"#(\d)")
_ARGUMENT = re.compile(r"\s*(?:(?P<open>\{)|\[(?P<optional>[^\]]*)\]|(?P<token>\\(?:[A-Za-z@]+|.)|[^\s{}]))")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


def with_other_files(data: bytes, path: Path) -> bytes:
    """Put the files that a source includes into their places.

    Only LaTeX files in the folder of the source or below it are read; what is not read stays as it is written. In the
    place of the bibliography stands the list that BibTeX made beside the source.
    """
    folder = path.parent.resolve()
    left = _LONGEST

    def write_out(text: str, depth: int) -> str:
        return _OTHER_FILE.sub(lambda found: replace(found, depth), text)

    def replace(found: re.Match[str], depth: int) -> str:
        nonlocal left
        if found["comment"] or depth > _DEEPEST:
            return found[0]
        name = f"{path.stem}.bbl" if found["references"] else (found["braced"] or found["bare"]).strip()
        text = _read_beside(folder, name, left)
        if text is None or (found["references"] and r"\bibitem" not in text):
            return found[0]
        left -= len(text)
        body = _BODY.search(text)
        return write_out(body[1] if body else text, depth + 1)

    try:
        return write_out(data.decode("utf-8-sig"), 1).encode()
    except UnicodeDecodeError:  # the reader says so
        return data


def _read_beside(folder: Path, name: str, longest: int) -> str | None:
    """Text of a LaTeX file in a folder or below it; None if there is none that may be read."""
    if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
        return None
    try:
        for path in ((folder / f"{name}.tex").resolve(), (folder / name).resolve()):
            is_one = path.suffix.lower() in _SUFFIXES and path.is_relative_to(folder) and path.is_file()
            if is_one and path.stat().st_size <= longest:
                return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError, RuntimeError):  # unreadable, in another encoding, or a loop of links
        pass
    return None


class _Definition(NamedTuple):
    """What an author's macro stands for."""

    parameters: int
    default: str | None
    """Of the first parameter, where that may be left out."""
    body: str


def write_out_macros(source: str, kept: Collection[str]) -> str:
    """Replace the author's own macros by what they stand for, and leave their definitions out.

    Args:
        source: LaTeX without comments.
        kept: Names of macros that are to stay, even if the author gives them another look.
    """
    return _Macros(kept).write_out(source)


class _Macros:
    def __init__(self, kept: Collection[str]) -> None:
        self.kept = kept
        # Two of LaTeX's own, of which lists of references are made.
        self.known = {"@firstoftwo": _Definition(2, None, "#1"), "@secondoftwo": _Definition(2, None, "#2")}
        self.left = _LONGEST

    def write_out(self, text: str, depth: int = 0) -> str:
        written: list[str] = []
        at = 0
        while found := _MACRO.search(text, at):
            written.append(text[at : found.start()])
            defined = _COMMAND.match(text, found.start()) or _DEF.match(text, found.start())
            definition = self.known.get(found["name"])
            if defined:
                at = _skip_line_end(text, self._define(defined))
            elif definition and depth < _DEEPEST and self.left > 0:
                body, at = _fill(definition, text, found.end())
                self.left -= len(body) + 1
                at = at if body.strip() else _skip_line_end(text, at)
                written.append(self.write_out(body, depth + 1))
            else:
                written.append(found[0])
                at = found.end()
        return "".join([*written, text[at:]])

    def _define(self, defined: re.Match[str]) -> int:
        """Remember a definition, and return where it ends."""
        groups = defined.groupdict()
        body, end = _read_group(defined.string, defined.end())
        body = body.replace(r"\xspace", "")
        if groups.get("kind") == "DeclareMathOperator":
            body = rf"\mathrm{{{body}}}"
        if defined["name"] not in self.kept:
            alias = self.known.get(body.strip().removeprefix("\\"))
            parameters = int(groups.get("count") or len(groups.get("parameters") or "") // 2)
            self.known[defined["name"]] = alias or _Definition(parameters, groups.get("default"), body)
        return end


def _fill(definition: _Definition, text: str, at: int) -> tuple[str, int]:
    """The body of a macro with the arguments that follow it in a text, and where they end."""
    arguments: list[str] = []
    for number in range(definition.parameters):
        argument = _ARGUMENT.match(text, at)
        if number == 0 and definition.default is not None and not (argument and argument["optional"] is not None):
            arguments.append(definition.default)
        elif argument is None:
            arguments.append("")
        elif argument["open"]:
            group, at = _read_group(text, argument.start("open"))
            arguments.append(group)
        else:
            arguments.append(argument["optional"] or argument["token"] or "")
            at = argument.end()
    return _PARAMETER.sub(lambda found: "".join(arguments[int(found[1]) - 1 : int(found[1])]), definition.body), at


def _skip_line_end(text: str, at: int) -> int:
    """Where the line behind a place begins that it ends, lest an empty line seem to part two paragraphs."""
    line_end = re.compile(r"[ \t]*\n").match(text, at)
    return line_end.end() if line_end else at


def _read_group(text: str, at: int) -> tuple[str, int]:
    """What stands in the braces that open at a place, and where they end; all the rest if they do not."""
    depth = 0
    for brace in _BRACE.finditer(text, at):
        depth += (brace[0] == "{") - (brace[0] == "}")
        if depth == 0 and brace[0] == "}":
            return text[at + 1 : brace.start()], brace.end()
    return text[at + 1 :], len(text)
