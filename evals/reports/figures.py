"""Plots of an evaluation as SVG and PNG: the paper's figures with our points, and what differs from the baseline.

The same data gives the same bytes: there are no dates in the files, and ids come from the content. Curves are told
apart by letters, markers and dashes, so colour is only an addition.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from evals.reports.charts import Chart
from evals.reports.document import Picture
from evals.reports.figure_style import STYLE
from evals.reports.names import slug
from evals.reports.score_table import place
from evals.scores import Scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(charts: Sequence[Chart], scores: Sequence[Scores]) -> list[Picture]:
    """Every figure, and the differences to the baseline of every table that has some; costs are left to the tables.

    Args:
        charts: The paper's figures with our points.
        scores: Of each table for each corpus.
    """
    from matplotlib import rc_context  # noqa: PLC0415 - takes a second, and belongs to an extra

    from evals.reports.curve_figure import curve_figure, curves_in_words  # noqa: PLC0415 - they import matplotlib
    from evals.reports.forest_figure import differences_in_words, forest_figure  # noqa: PLC0415

    with rc_context(STYLE):
        drawn = [(chart.title, curves_in_words(chart), curve_figure(chart)) for chart in charts]
        for each in scores:
            if contrasts := [contrast for contrast in each.contrasts if not contrast.measure.is_cost]:
                title = f"{place(each)}: against {contrasts[0].baseline.title}"
                drawn.append((title, differences_in_words(title, contrasts), forest_figure(contrasts)))
        return [
            Picture(f"{number}-{slug(title)}", title, description, _svg(figure), _png(figure))
            for number, (title, description, figure) in enumerate(drawn, start=1)
        ]


def _svg(figure: Figure) -> bytes:
    buffer = BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Creator": None, "Date": None, "Format": None, "Type": None})
    return buffer.getvalue()


def _png(figure: Figure) -> bytes:
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    return buffer.getvalue()
