"""The records that describe an evaluation: systems, rows, measures, tables and figures.

A *system* is run once for each sample and returns an output. A *row* of a table is a text for each sample, taken from
a system's output (its result, or an earlier version) or from the corpus. Rows of the same system are paired: they come
from the same runs, so their differences are not due to sampling.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from evals.datasets.samples import SampleKind
from runs.jobs import Record
from runs.runnable import Builder
from state.errors import SettingsError
from state.settings import Role, RunContext, Settings
from tools.configuration import apply_preset, merge_settings

# Fields of graphs' inputs that may also be the path of a file; an input with an empty line is always read as text.
_PATH_FIELDS = ("paper", "abstract")
PUBLISHED = tomllib.loads(Path(__file__).with_name("published.toml").read_text(encoding="utf-8"))


class EvaluatedSystem(NamedTuple):
    """The definition of a system: a graph and its settings."""

    builder: Builder
    context: RunContext
    """Settings that define this system; a field that is set to None counts, too."""
    check: Callable[[Settings], object] | None = None
    """Raises a SettingsError, before anything is run, if the settings lack something that this system needs."""
    preset: str | None = None
    """Preset that all other settings come from; None: they are the settings of the run."""
    sample_settings: Callable[[Record, Mapping[str, Any]], Mapping[str, Any]] | None = None
    """Returns the settings that depend on the sample, from the sample and all other settings."""
    sample_input: Callable[[Record], dict[str, Any]] = lambda _: {}
    """Returns what of a sample only this system is given, by fields of the graph's input."""

    def build_settings(self, recorded: Mapping[str, Any]) -> dict[str, Any]:
        """Build the system's settings: the run's `recorded` ones, overridden by its preset's, and those by its own.

        They are complete, except for those that depend on the sample.
        """
        # Lowest precedence first: the run's settings, the preset, the settings that define the system.
        known = type(self.context).model_fields.keys() & recorded.keys()
        run_settings = self.context.build_nested_settings({name: recorded[name] for name in known})
        values = apply_preset(self.preset, run_settings) if self.preset else run_settings
        own = self.context.build_nested_settings(self.context.model_dump(exclude_unset=True))
        return merge_settings(values, own)

    def build_sample_settings(self, sample: Record, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the settings with the sample's merged into them; the same ones if no setting depends on samples."""
        own = self.sample_settings(sample, settings) if self.sample_settings else {}
        return merge_settings(settings, own) if own else settings


class Item(NamedTuple):
    """The text of a row for one sample, with the output that it comes from and the number of its version there."""

    sample: Record
    text: str
    output: Record
    """Output of the system that wrote the text; empty for a text of the corpus."""
    version: int = 0
    """Number of the round or exchange that the text comes from."""


def make_field_item(field_name: str, sample: Record, _: Record) -> Item | None:
    """Return a field of a sample as the item of a row, or None if it is empty; the output is ignored."""
    return Item(sample, sample[field_name], {}) if sample[field_name] else None


def map_published_figures(measures: Sequence[str], rows: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Return the figures of published rows by row and measure, the columns' names, without empty cells (nan)."""
    return {
        row: {name: figure for name, figure in zip(measures, figures, strict=True) if not math.isnan(figure)}
        for row, figures in rows.items()
    }


@dataclass(frozen=True)
class Row:
    """The definition of a line of a table: where its texts come from."""

    name: str
    """Name in the option `--rows`."""
    title: str
    item: Callable[[Record, Record], Item | None]
    """Returns the row's text from a sample and its output, or None if there is none."""
    system: str | None = None
    """System whose output has the text; None: the text is part of the sample."""
    paper: str = ""
    """Row of the paper's table to compare with; empty: none."""


@dataclass(frozen=True)
class Measure:
    """The definition of a column: the mean of a score over the samples, or a statistic of all texts together."""

    name: str
    better: Literal["lower", "higher", "neither"]
    score: Callable[[Item], float | None] | None = None
    """Scores one text; returns None if the measure does not apply to it."""
    statistic: Callable[[Sequence[Item]], float | None] | None = None
    """Scores all texts of a row together, such as corpus BLEU and F1."""
    parts: Callable[[Item], Sequence[float]] | None = None
    """Scores each part of a text, such as what is expected of it; the mean is over the parts of all texts."""
    digits: int = 2

    @property
    def head(self) -> str:
        """Name of the measure with an arrow in the better direction."""
        return self.name + {"lower": " ↓", "higher": " ↑", "neither": ""}[self.better]


@dataclass(frozen=True)
class Table:
    """The definition of a table, the paper's or an additional one, with the paper's figures but without ours."""

    title: str
    rows: Sequence[str]
    """Names of the rows; rows that were not run are left out."""
    measures: Sequence[str]
    baseline: str
    """Row that the others are compared with."""
    published: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    """The paper's figures by corpus (empty: any corpus), the paper's row, and measure."""
    comparison: bool = False
    """Whether the table exists for its differences to the baseline only, and is left out if there are none."""


@dataclass(frozen=True)
class Figure:
    """The definition of a figure, whose curves show measures over the number of rounds or entries."""

    title: str
    across: str
    """Label of the horizontal axis."""
    curves: Mapping[str, Mapping[int, str]]
    """Rows by the curve's name and the number of rounds or entries."""
    measures: Sequence[str]
    published: Mapping[str, Mapping[int, Mapping[str, float]]] = field(default_factory=dict)
    """Points that the paper prints, by curve, number of rounds or entries, and measure."""


class Judge(NamedTuple):
    """The definition of a model's judgement of outputs, which is kept with each output under `judged`."""

    builder: Builder
    """Graph that asks the role `judge`; its state has `settings`."""
    build_input: Callable[[Record, str, Record], Record]
    """Builds its input from a sample, the name of a system and its output."""


@dataclass(frozen=True)
class Task:
    """The definition of a paper's evaluation: its systems, rows, measures, tables and figures, but no results."""

    name: str
    kind: SampleKind
    """Kind of its samples, unless `samples` names another, and table of its settings."""
    source: str
    """The paper and its models."""
    roles: Sequence[Role]
    systems: Mapping[str, EvaluatedSystem]
    rows: Sequence[Row]
    usual: Sequence[str]
    """Names of the default rows."""
    measures: Sequence[Measure]
    tables: Sequence[Table]
    input_fields: Mapping[str, str]
    """Fields of a sample by the fields of the graphs' input."""
    samples: SampleKind | None = None
    judge: Judge | None = None
    """Judge of the outputs, which is asked if the settings name its model."""
    figures: Sequence[Figure] = ()
    judged: Sequence[str] = ()
    """Names of the rows in the paper's human evaluation."""
    notes: Sequence[str] = ()
    """Explanations of the figures; printed below the tables."""
    ranked_by: str = ""
    """Measure that orders the samples' pages, worst first."""
    optional_roles: Sequence[Role] = ()
    """Roles of some systems only; their models are recorded if the settings name them."""
    papers_models: Mapping[str, str] = field(default_factory=dict)
    """Known models of the paper's rows whose names do not say them."""

    def build_graph_input(self, sample: Record) -> dict[str, Any]:
        """Build the input of the systems' graphs from a sample."""
        fields = self.input_fields.items()
        return {name: f"{sample[source]}\n\n" if name in _PATH_FIELDS else sample[source] for name, source in fields}

    def find_row(self, name: str) -> Row:
        """Find a row by its name, which must exist."""
        return next(row for row in self.rows if row.name == name)

    def parse_row_names(self, names: str | None) -> list[str]:
        """List the names in the value of `--rows`: separated by commas, `all`, or None for the default rows.

        Raises:
            SettingsError: A name is unknown.
        """
        known = [row.name for row in self.rows]
        if names is None:
            return list(self.usual)
        chosen = known if names == "all" else [name.strip() for name in names.split(",")]
        if unknown := set(chosen) - set(known):
            named = ", ".join(map(repr, sorted(unknown)))
            raise SettingsError(f"There is no row {named}; choose from {', '.join(known)}, or `all` without others.")
        return chosen

    def list_systems(self, rows: Sequence[str]) -> list[str]:
        """List the names of the systems of some rows, without duplicates; texts of the corpus have none."""
        systems = (self.find_row(name).system for name in rows)
        return list(dict.fromkeys(system for system in systems if system is not None))

    def find_measure(self, name: str) -> Measure:
        """Find a measure by its name, which must exist."""
        return next(measure for measure in self.measures if measure.name == name)

    def format_paper_row(self, name: str) -> str:
        """Return the name of a row of the paper, with its model if the name does not say it."""
        model = self.papers_models.get(name)
        return f"{name} ({model})" if model else name
