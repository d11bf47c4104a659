"""The evaluations: one for each paper."""

from __future__ import annotations

from evals.task import Task
from evals.tasks.focused_feedback import FOCUSED_FEEDBACK
from evals.tasks.medical_simplification import MEDICAL_SIMPLIFICATION
from evals.tasks.science_journalism import SCIENCE_JOURNALISM

TASKS: dict[str, Task] = {task.name: task for task in (SCIENCE_JOURNALISM, MEDICAL_SIMPLIFICATION, FOCUSED_FEEDBACK)}
"""By name."""
