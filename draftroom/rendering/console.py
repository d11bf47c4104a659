"""Consoles of the command: standard output for results, standard error for everything else."""

from __future__ import annotations

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from tools.text import strip_control_characters

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)

_FILE_WIDTH = 160  # width of a table without a terminal: wide enough for one line per row


def print_to_stderr(text: str, style: str = "") -> None:
    """Print a line to standard error: Rich markup is not interpreted, and control characters are removed."""
    print_line(text, style, console=ERR)


def print_line(text: str, style: str = "", *, console: Console = OUT) -> None:
    """Print a line to a console (standard output): Rich markup is not interpreted, control characters are removed."""
    console.print(Text(strip_control_characters(text), style=style), soft_wrap=True)


def print_table(console: Console, table: Table) -> None:
    """Print a table; without lines where its words do not fit, and each row as lines where they still do not."""
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    unlimited = console.options.update(width=1000)
    for box, padding in ((table.box, table.padding), (None, (0, 1, 0, 0))):
        table.box, table.padding = box, padding
        if Measurement.get(console, unlimited, table).minimum <= console.width:
            console.print(table)
            return
    if table.title:
        console.print(table.title)
    names = [str(column.header) for column in table.columns]
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        for name, cell in zip(names, cells, strict=True):
            if str(cell):
                console.print(f"{name}: " if name else "", cell, sep="", style="" if name else "bold")
        console.print()
