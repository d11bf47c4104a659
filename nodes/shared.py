"""What the agents of all systems share: the form of their answers, asking as a role of the run, and warnings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from state.documents import DocumentRef
from state.errors import RetrievalUnavailableError
from state.model_settings import Limits, ModelSettings
from tools.checks.fidelity import list_subject_warnings
from tools.configuration import list_setting_deviations
from tools.documents.reading import load_document
from tools.injection import find_instructions, list_instruction_warnings, repeats_instruction
from tools.models import Answer, Caller, ask_model
from tools.models.ask import MIN_REASK_TEMPERATURE, Value


class AgentAnswer(BaseModel):
    """Base of the schemas that agents answer in.

    A server that decodes by the schema allows no other fields; one that does not may add some, which are left out.
    """

    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})


def get_model_settings(role: str, state: Mapping[str, Any]) -> ModelSettings:
    """Return the model that plays `role` in this run."""
    return ModelSettings(**state["settings"]["models"][role])


def get_limits(state: Mapping[str, Any]) -> Limits:
    """Return the limits that the run was started with."""
    return Limits(**state["settings"]["limits"])


def list_deviations(
    frozen: Mapping[str, Any], table: str, roles: Collection[str], published: str, own: Iterable[str]
) -> list[str]:
    """List what of a run with the preset `paper` is not as published.

    Args:
        frozen: Settings of the run.
        table: Of the system.
        roles: Who is asked of the paper's agents.
        published: The paper's models.
        own: What else of the system is not as published; not read with other settings.

    Returns:
        Sentences for a reader; none with other settings, which nobody calls the paper's system.
    """
    if frozen["preset"] != "paper":
        return []
    models = dict.fromkeys(frozen["models"][role]["model"] for role in roles)
    of_agents = [
        f"The agents are played by {', '.join(models)}, in the paper by {published}.",
        "The prompts are in Draftroom's words, and the table of limits, to which lists and texts are held, is its own.",
        "An answer that cannot be used, or a text that repeats its instructions, is asked for once more, at a "
        f"temperature of {MIN_REASK_TEMPERATURE} or more where one is set.",
    ]
    changes = list_setting_deviations(frozen, table, roles)
    told = [f"These settings are not the preset's: {', '.join(changes)}."] if changes else []
    return [*(of_agents if roles else []), *told, *own]


async def ask_role(
    caller: Caller,
    prompts: Path,
    state: Mapping[str, Any],
    variables: dict[str, object],
    schema: type[Value],
    *,
    trim: str,
    model: str = "",
) -> Answer[Value]:
    """Ask the model of a role with the prompt of its step.

    Args:
        caller: Role, step and round; the step is the name of the prompt.
        prompts: Folder of the system's prompts.
        state: Of the run, with its frozen settings.
        variables: Values of the prompt's variables.
        schema: What the answer must be.
        trim: Name of the variable that may be shortened if the prompt outgrows the context.
        model: Role whose model answers; by default that of the caller.
    """
    prompt = prompts / f"{caller.step}.md"
    settings = get_model_settings(model or caller.role, state)
    return await ask_model(caller, prompt, variables, schema, settings, trim=trim, limits=get_limits(state))


SUPPORT_NOT_CHECKED = (
    "which sentences the source does not say was not checked: that needs the packages of the extra `review`"
)


def add_instruction_warnings(source: DocumentRef) -> DocumentRef:
    """The source with a warning for each of its sentences that may be meant for a model."""
    return {
        **source,
        "warnings": [*source["warnings"], *list_instruction_warnings(find_instructions(load_document(source)))],
    }


def list_result_warnings(text: str, source: DocumentRef, extensions: Collection[str]) -> list[str]:
    """Warnings about a text that was made from a source; empty if there is nothing to say.

    It reads the stored source. With the extension `doubtful_sentences` it embeds both, which takes a second for an
    abstract and up to a quarter of a minute for a long paper.
    """
    found = list_subject_warnings(text, source)
    if repeats_instruction(text, find_instructions(load_document(source))):
        found = [*found, "it repeats an instruction found in the paper"]
    if "doubtful_sentences" not in extensions:
        return found
    try:
        from tools.checks.support import list_support_warnings  # noqa: PLC0415 - its packages are those of an extra

        return [*found, *list_support_warnings(text, source)]
    except (ImportError, RetrievalUnavailableError):
        return [*found, SUPPORT_NOT_CHECKED]
