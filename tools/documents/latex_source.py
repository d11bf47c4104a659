"""Complete a LaTeX source as TeX does: insert included files, and expand the author's macros."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

_MAX_FILE_BYTES = 4_000_000  # of an included file
_MAX_EXPANSIONS = 50_000  # recursive macros never end
_MAX_DEPTH = 20  # of macros in macros
_SUFFIXES = {".tex", ".ltx", ".latex", ".bbl"}
_OTHER_FILE = re.compile(
    r"""
    (?<!\\) % .*  # a comment
    | \\(?:input|include)\b \s* (?:\{ (?P<braced> [^{}\n]+) \} | (?P<bare> [\w./-]+))  # \input{methods}
    | (?P<references> \\bibliography\b \s* \{ [^{}]* \})
    """,
    re.VERBOSE,
)
_MACRO = re.compile(r"\\(?P<name>[A-Za-z@]+)")
_DEFINITION = re.compile(  # \newcommand{\group}[1]{the #1 group} or \def\group#1{the #1 group}
    r"""
    \\(?:(?:(?:re)?new|provide)command | DeclareRobustCommand | DeclareMathOperator | [gex]?def)\b \*?
    \s* \{? \s* \\(?P<name> [A-Za-z@]+) \s* \}? \s*
    (?:\[ (?P<count> \d) \])? (?P<parameters> (?:\#\d)*) \s* (?=\{)
    """,
    re.VERBOSE,
)
_PARAMETER = re.compile(r"#(\d)")
_ARGUMENT = re.compile(r"\s*(?:(?P<open>\{)|(?P<token>\\(?:[A-Za-z@]+|.)|[^\s{}]))")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


def insert_included_files(data: bytes, path: Path) -> bytes:
    r"""Return a LaTeX source with `\input` and `\include` replaced by files of its folder, bibliography by its `.bbl`.

    Only LaTeX files in the source's folder or below are inserted, each once; other commands, and a source that is
    not in UTF-8, stay as they are.
    """
    folder = path.parent.resolve()
    inserted = {path.resolve()}

    def replace(found: re.Match[str]) -> str:
        """Return the file that a command names, or the command itself if the file cannot be inserted."""
        name = f"{path.stem}.bbl" if found["references"] else (found["braced"] or found["bare"] or "").strip()
        try:
            files = [(folder / f"{name}{suffix}").resolve() for suffix in (".tex", "")]
            file = next(each for each in files if each.suffix.lower() in _SUFFIXES and each.is_file())
            if file in inserted or not file.is_relative_to(folder) or file.stat().st_size > _MAX_FILE_BYTES:
                return found[0]
            text = file.read_text(encoding="utf-8-sig")
        except (StopIteration, OSError, ValueError, RuntimeError):  # missing, another encoding, or a loop of links
            return found[0]
        inserted.add(file)
        return text

    try:
        before, whole = "", data.decode("utf-8-sig")
    except UnicodeDecodeError:  # `decode_text` reports it
        return data
    while whole != before:
        before, whole = whole, _OTHER_FILE.sub(replace, whole)
    return whole.encode()


def expand_macros(source: str, kept: Collection[str]) -> str:
    r"""Expand the macros that a comment-free source defines, except the kept ones; definitions become `\relax`."""
    known: dict[str, tuple[int, str]] = {}  # number of arguments and body of each macro
    left = _MAX_EXPANSIONS

    def expand(text: str, depth: int = 0) -> str:
        """Return a text with the macros that are known expanded, and record those that it defines."""
        nonlocal left
        expanded: list[str] = []
        at = 0
        while found := _MACRO.search(text, at):
            expanded.append(text[at : found.start()])
            at = found.end()
            definition = known.get(found["name"])
            if defined := _DEFINITION.match(text, found.start()):
                body, at = _parse_group(text, defined.end())
                count = int(defined["count"] or len(defined["parameters"]) // 2)
                if defined["name"] not in kept:
                    known[defined["name"]] = count, body
                expanded.append(r"\relax{}")
            elif definition and depth < _MAX_DEPTH and left:
                left -= 1
                body, at = _substitute_arguments(*definition, text, at)
                expanded.append(expand(body, depth + 1) or r"\relax{}")
            elif "@" not in found["name"]:  # internal macros of TeX print nothing
                expanded.append(found[0])
        return "".join([*expanded, text[at:]])

    return expand(source)


def _substitute_arguments(count: int, body: str, text: str, at: int) -> tuple[str, int]:
    """Return a macro's body with the arguments that begin at an offset inserted, and the offset after them."""
    arguments: list[str] = []
    for _ in range(count):
        argument = _ARGUMENT.match(text, at)
        if argument and argument["open"]:
            group, at = _parse_group(text, argument.start("open"))
            arguments.append(group)
        else:
            arguments.append(argument["token"] if argument else "")
            at = argument.end() if argument else at
    return _PARAMETER.sub(lambda found: "".join(arguments[int(found[1]) - 1 : int(found[1])]), body), at


def _parse_group(text: str, at: int) -> tuple[str, int]:
    """Return the content of the braces that open at an offset and the offset after them; all the rest if unclosed."""
    depth = 0
    for brace in _BRACE.finditer(text, at):
        depth += (brace[0] == "{") - (brace[0] == "}")
        if depth == 0 and brace[0] == "}":
            return text[at + 1 : brace.start()], brace.end()
    return text[at + 1 :], len(text)
