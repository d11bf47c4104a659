"""What an evaluation consists of: samples, systems that are run on them, and the rows, measures and figures of a paper.

A *system* is run once for each sample and leaves an output. A *row* of a table is a text for each sample: taken from a
system's output (its result, or one of its versions) or from the corpus itself. Several rows may come from one system,
and are paired then: what differs between them is not luck of the sampling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from evals.datasets.samples import SampleKind
from runs.jobs import Record
from runs.runnable import Builder
from state.errors import SettingsError
from state.settings import Role, RunContext, Settings
from tools.configuration import apply_preset, merge_settings


class EvaluatedSystem(NamedTuple):
    """What is run for each sample."""

    builder: Builder
    """Of a graph."""
    context: RunContext
    """The choices that make this system, also those that are set to nothing."""
    request: Callable[[Record], Any]
    """The graph's input for a sample."""
    check: Callable[[Settings], object] | None = None
    """Raises a SettingsError if the settings lack what this system needs, before anything is run."""
    preset: str | None = None
    """Where all other choices come from, as if it were named on the command; None: from the settings of the run."""
    of_sample: Callable[[Record, Mapping[str, Any]], Mapping[str, Any]] | None = None
    """Choices that a sample makes necessary, from it and all other choices."""

    def build_context(self, on_record: Mapping[str, Any]) -> RunContext:
        """All that it runs with.

        Args:
            on_record: Settings and models of the run.
        """
        known = type(self.context).model_fields.keys() & on_record.keys()
        of_run = self.context.build_nested_settings({name: on_record[name] for name in known})
        values = apply_preset(self.preset, of_run) if self.preset else of_run
        own = self.context.build_nested_settings(self.context.model_dump(exclude_unset=True))
        return type(self.context)(resolved=merge_settings(values, own))

    def build_sample_context(self, sample: Record, choices: RunContext) -> RunContext:
        """All that it runs with for a sample.

        Args:
            sample: Of the run.
            choices: For all samples.
        """
        if self.of_sample is None:
            return choices
        every = choices.resolved or {}
        return type(choices)(resolved=merge_settings(every, self.of_sample(sample, every)))


class Item(NamedTuple):
    """The text of a row for one sample."""

    sample: Record
    text: str
    output: Record
    """Of the system that wrote the text; empty for a text of the corpus."""
    version: int = 0
    """Which of the output's texts it is, if there are several: the number of a round or an exchange."""


def mark_as_text(text: str) -> str:
    """A text as graphs take it, which also take the path of a file: with an empty line at its end it is none."""
    return f"{text}\n\n"


@dataclass(frozen=True)
class Row:
    """A line of a table."""

    name: str
    """As `--rows` knows it."""
    title: str
    item: Callable[[Record, Record], Item | None]
    """The row's text for a sample and its output; None if the system has none."""
    system: str | None = None
    """The system that it is taken from; None: from the sample itself."""
    paper: str = ""
    """The row of the paper that it is to be compared with; empty: none."""


@dataclass(frozen=True)
class Measure:
    """A column of a table: either the mean of a score over the samples, or a statistic of all of them at once."""

    name: str
    better: Literal["lower", "higher", "neither"]
    score: Callable[[Item], float | None] | None = None
    """Of one text; None where the measure does not apply to it."""
    statistic: Callable[[Sequence[Item]], float | None] | None = None
    """Of all texts of a row together, as corpus BLEU and F1 are."""
    digits: int = 2

    @property
    def head(self) -> str:
        """Its name, and an arrow that says which way is better."""
        return self.name + {"lower": " ↓", "higher": " ↑", "neither": ""}[self.better]


@dataclass(frozen=True)
class Table:
    """A table of the paper, or one of ours beside it."""

    title: str
    rows: Sequence[str]
    """Names of rows; those that were not run are left out."""
    measures: Sequence[str]
    published: Mapping[str, Mapping[str, Mapping[str, float]]]
    """Figures by corpus (empty: whichever), the paper's row, and measure."""
    baseline: str
    """The row that the others are compared with."""
    comparison: bool = False
    """It is there for the differences to its baseline: told in figures everywhere, and left out if there are none."""


@dataclass(frozen=True)
class Figure:
    """Curves: a measure over the number of rounds or entries."""

    title: str
    across: str
    """What the numbers below the curves count."""
    curves: Mapping[str, Mapping[int, str]]
    """Of each curve the rows, by number."""
    measures: Sequence[str]
    published: Mapping[str, Mapping[int, Mapping[str, float]]]
    """The paper's points by curve, number and measure, as far as they are printed as figures."""


@dataclass(frozen=True)
class Task:
    """An evaluation: what a paper's experiments need to be run again."""

    name: str
    kind: SampleKind
    """What its samples hold."""
    source: str
    """The paper, and the models that it ran."""
    roles: Sequence[Role]
    """Of its agents."""
    systems: Mapping[str, EvaluatedSystem]
    rows: Sequence[Row]
    usual: Sequence[str]
    """Names of the rows that are run if none are named."""
    measures: Sequence[Measure]
    tables: Sequence[Table]
    figures: Sequence[Figure]
    judged: Sequence[str] = ()
    """Names of the rows that the paper had people judge."""
    notes: Sequence[str] = ()
    """What a reader must know of the figures; printed below the tables."""
    ranked_by: str = ""
    """The measure that orders the samples' pages, worst first."""
    made_from: str = ""
    """The field of a sample that its texts were made from, and are to be true to; empty if they are about it."""
    optional_roles: Sequence[Role] = ()
    """Roles of some systems only, whose models are on record where the settings name them."""
    papers_models: Mapping[str, str] = field(default_factory=dict)
    """The models of the paper's rows, where they are known and the row's name does not say them."""

    def find_row(self, name: str) -> Row:
        """The row of a name."""
        return next(row for row in self.rows if row.name == name)

    def parse_row_names(self, names: str | None) -> list[str]:
        """Names of the rows that are asked for.

        Args:
            names: With commas between them, `all`, or none for the usual ones.

        Raises:
            SettingsError: One is unknown.
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
        """Names of the systems that rows are taken from, each once, in the order of the rows."""
        systems = (self.find_row(name).system for name in rows)
        return list(dict.fromkeys(system for system in systems if system is not None))

    def find_measure(self, name: str) -> Measure:
        """The measure of a name."""
        return next(measure for measure in self.measures if measure.name == name)

    def format_paper_row(self, name: str) -> str:
        """A row of the paper by its name and, where the name does not say it, its model."""
        model = self.papers_models.get(name)
        return f"{name} ({model})" if model else name
