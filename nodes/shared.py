"""What the agents of all systems share: the form of their answers, asking a model, reading the input, and warnings."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from state.documents import DocumentRef
from state.errors import InputError, RetrievalUnavailableError
from state.model_settings import Limits, ModelSettings
from state.settings import RunContext, Scope, Settings
from tools.checks.fidelity import list_subject_warnings
from tools.configuration import list_setting_deviations, resolve_settings
from tools.documents.reading import load_document, read_document
from tools.injection import find_instructions, list_instruction_warnings, repeats_instruction
from tools.models import Answer, Caller, ask_model
from tools.models.ask import MIN_REASK_TEMPERATURE, Value


class AgentAnswer(BaseModel):
    """Base of the schemas that agents answer in.

    A server that decodes by the schema allows no other fields; one that does not may add some, which are left out.
    """

    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})


def get_model_settings(role: str, state: Mapping[str, Any]) -> ModelSettings:
    """Return the frozen settings of the model that plays a role in this run."""
    return ModelSettings(**state["settings"]["models"][role])


def get_limits(state: Mapping[str, Any]) -> Limits:
    """Return the limits that the run was started with."""
    return Limits(**state["settings"]["limits"])


async def resolve_input(state: Mapping[str, Any], key: str, context: RunContext) -> tuple[Settings, str]:
    """Return a pair: the settings of a run, and the text or path that its input has under a key.

    The context is completed from the settings file and the environment.

    Raises:
        InputError: If there is no text or path.
        SettingsError: If the settings cannot be used.
    """
    settings = await asyncio.to_thread(resolve_settings, context)
    text = state.get(key)
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"There is no {key}; give its text or the path of a file as `{key}`.", kind="empty_input")
    return settings, text


def list_deviations(
    frozen: Mapping[str, Any], table: str, roles: Collection[str], published: str, own: Iterable[str]
) -> list[str]:
    """List how a run with the preset `paper` deviates from the paper; empty with others, which need not follow it.

    `published` names the models of the paper's agents; without roles no model is compared. `own` holds further
    deviations of the system.
    """
    if frozen["preset"] != "paper":
        return []
    deviations: list[str] = []
    if roles:
        models = dict.fromkeys(frozen["models"][role]["model"] for role in roles)
        deviations = [
            f"The agents are played by {', '.join(models)}, in the paper by {published}.",
            "The prompts are in Draftroom's words, and the table of limits, to which lists and texts are held, is its "
            "own.",
            "An answer that cannot be used, or a text that repeats its instructions, is asked for once more, at a "
            f"temperature of {MIN_REASK_TEMPERATURE} or more where one is set.",
        ]
    if changes := list_setting_deviations(frozen, table, roles):
        deviations.append(f"These settings are not the preset's: {', '.join(changes)}.")
    return [*deviations, *own]


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
    """Ask a role's model with the prompt of the caller's step in `prompts`, and return the answer with its calls.

    `trim` names the variable that is shortened if the prompt does not fit the model's context, and `model` the role
    whose model answers, if it is not the caller's.

    Raises:
        NoUsableAnswer: The model gave no usable answer in two tries, or the prompt does not fit its context.
        ModelUnavailableError: The endpoint fails after all retries.
        SettingsError: The endpoint does not accept the request.
    """
    prompt = prompts / f"{caller.step}.md"
    settings = get_model_settings(model or caller.role, state)
    return await ask_model(caller, prompt, variables, schema, settings, trim=trim, limits=get_limits(state))


SUPPORT_NOT_CHECKED = (
    "which sentences the source does not say was not checked: that needs the packages of the extra `review`"
)


def read_source(source: str, scope: Scope, max_pages: int) -> DocumentRef:
    """Store a text or file, and return its reference, with a warning on each sentence that may address a model; blocks.

    Args:
        source: The text, or the path of its file.
        scope: Part of a PDF or Word file that models read.
        max_pages: Longest PDF that is accepted.
    """
    ref = read_document(source, scope=scope, max_pages=max_pages)
    found = list_instruction_warnings(find_instructions(load_document(ref)))
    return {**ref, "warnings": [*ref["warnings"], *found]}


def list_result_warnings(text: str, source: DocumentRef, extensions: Collection[str]) -> list[str]:
    """List what is wrong with a text that was made from a source, or could not be checked, a clause each; blocks."""
    found = list_subject_warnings(text, source)
    if repeats_instruction(text, find_instructions(load_document(source))):
        found = [*found, "it repeats an instruction found in the paper"]
    if "doubtful_sentences" not in extensions:
        return found
    # Embedding both texts takes a second for an abstract and up to a quarter of a minute for a long paper.
    try:
        from tools.checks.support import list_support_warnings  # noqa: PLC0415 - its packages are those of an extra

        return [*found, *list_support_warnings(text, source)]
    except (ImportError, RetrievalUnavailableError):
        return [*found, SUPPORT_NOT_CHECKED]
