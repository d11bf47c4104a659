"""What the agents of all systems share: the form of their answers, asking a model, reading the input, and warnings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from langchain_core.runnables import ensure_config
from langgraph.runtime import get_runtime
from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from state.documents import DocumentRef
from state.errors import InputError, RetrievalUnavailableError, SettingsError
from state.model_settings import Limits, ModelSettings
from state.settings import CHOSEN_KEY, SYSTEM_TABLES, RunContext, Scope, Settings
from tools.checks.fidelity import list_subject_warnings
from tools.configuration import change_frozen_settings, list_setting_deviations, resolve_settings
from tools.documents.reading import load_document, read_document
from tools.injection import find_instructions, list_instruction_warnings, repeats_instruction
from tools.models.ask import MIN_REASK_TEMPERATURE, Answer, Caller, Value, ask_model
from tools.models.endpoint import open_client
from tools.models.prompts import Prompt, load_prompt

# Key of `configurable` for the settings of a run's record, which a run without a checkpoint keeps so. It is no field of
# the context, whose fields Studio shows in a form.
FROZEN_SETTINGS = "__frozen_settings"


class AgentAnswer(BaseModel):
    """Base of the schemas that agents answer in.

    A server that decodes by the schema allows no other fields; one that does not may add some, which are left out.
    """

    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})


def get_model_settings(role: str, state: Mapping[str, Any]) -> ModelSettings:
    """Return the settings of the model that plays a role in this run."""
    return ModelSettings(**_get_current_settings(state)["models"][role])


def get_limits(state: Mapping[str, Any]) -> Limits:
    """Return the limits of this run."""
    return Limits(**_get_current_settings(state)["limits"])


def _get_current_settings(state: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the frozen settings of this run, with the models of its record and the choices that a resume was given."""
    settings = dict(state["settings"])
    begun_with = settings.pop(CHOSEN_KEY, {})
    try:
        context = getattr(get_runtime(), "context", None)
    except RuntimeError:  # the agent is asked outside of a graph
        return settings
    if recorded := ensure_config()["configurable"].get(FROZEN_SETTINGS):
        models = {role: fields for role, fields in recorded["models"].items() if role != "default"}
        settings = change_frozen_settings(settings, {"models": models})
    schema = next(each for each in RunContext.__subclasses__() if each.table in settings)
    chosen = read_context(context, schema).build_overrides()
    # With the context of its first attempt, the frozen settings hold its choices already.
    return settings if chosen == begun_with else change_frozen_settings(settings, chosen, begun_with)


def refuse_sync_call(state: Mapping[str, Any]) -> Any:  # noqa: ARG001 - LangGraph gives it
    """Raise `InputError` in place of a graph's first node, because all nodes are async only."""
    raise InputError("The graphs are async only: `await graph.ainvoke(...)`, or `asyncio.run(graph.ainvoke(...))`.")


def read_context(context: Any, schema: type[RunContext]) -> RunContext:
    """Return the choices for a run from the context of its graph, or from a parent graph's own.

    A mapping holds fields of `schema`, or has them under the name of its table, as an object of another class may. No
    context, and other objects, make no choice.

    Raises:
        SettingsError: If a field is unknown or cannot be used.
    """
    if isinstance(context, schema):
        return context
    if isinstance(context, RunContext):  # of another system
        context = context.model_dump(exclude_unset=True)
    values = context if isinstance(context, Mapping) else {}
    own = values.get(schema.table, getattr(context, schema.table, None))
    if own is not None:
        return read_context(own, schema)
    if unknown := sorted(values.keys() - schema.model_fields.keys()):
        raise SettingsError(
            f"The context holds {', '.join(map(repr, unknown))}, which this graph does not know; correct the name, or, "
            f"in the context of a parent graph, give this graph's settings under `{schema.table}` ({{}} for none)."
        )
    return schema.model_validate(values)


async def resolve_input(state: Mapping[str, Any], key: str, schema: type[RunContext]) -> tuple[Settings, str]:
    """Return a pair: the settings of the run under way, and the text or path that its input has under a key.

    The run's context, which `read_context` reads, is completed from the settings file and the environment. The frozen
    settings of a record replace them all.

    Raises:
        InputError: If there is no text or path.
        SettingsError: If the settings cannot be used.
    """
    context = read_context(get_runtime().context, schema)
    frozen = ensure_config()["configurable"].get(FROZEN_SETTINGS)
    settings = await asyncio.to_thread(resolve_settings, context, frozen)
    # What a provider lacks, such as its package, is told before any model is asked.
    for model in map(settings.resolve_model_settings, SYSTEM_TABLES[schema.table].roles):
        if not model.is_endpoint:
            await open_client(model)
    text = state.get(key)
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"There is no {key}; give its text or the path of a file as `{key}`.", kind="empty_input")
    return settings, text


class PauseAnswer(BaseModel):
    """A person's answer to a pause."""

    model_config = ConfigDict(extra="forbid", strict=True)

    advice: list[str] | None = Field(description="Lines of the person's own, or null to keep those that are there.")


def ask_person(
    question: str, lines: list[str], example: list[str], check: Callable[[str], object] = str, **shown: Any
) -> list[str] | None:
    """Pause the run for a person; return their lines, or None to keep those that are there.

    Clients get all arguments but `check` as the value of the interrupt. After an answer of another form, or with a line
    for which `check` raises ValueError, the run pauses again.
    """
    form = f'Answer with {{"advice": {json.dumps(example)}}}, or with {{"advice": null}} to keep what is there.'
    value = {"question": question, "answer": form, "advice": lines, **shown}
    while True:
        answer = interrupt(value, response_schema=PauseAnswer.model_json_schema())
        try:
            advice = PauseAnswer.model_validate(answer).advice
            for line in advice or []:
                check(line)
        except ValidationError:
            problem = "it had another form"
        except ValueError as error:
            problem = str(error)
        else:
            if advice is None or any(map(str.strip, advice)):
                return advice
            problem = "there is no text in it"
        value = {**value, "problem": f"The last answer was not used, because {problem}. {form}"}


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
        words = f"those of {frozen['prompts']} where it has them, else " if frozen["prompts"] else ""
        deviations = [
            f"The agents are played by {', '.join(models)}, in the paper by {published}.",
            f"The prompts are {words}in Draftroom's words, and the table of limits, to which lists and texts are held, "
            "is its own.",
            "An answer that cannot be used, or a text that repeats its instructions, is asked for once more, at a "
            f"temperature of {MIN_REASK_TEMPERATURE} or more where one is set.",
        ]
    if changes := list_setting_deviations(frozen, table, roles):
        deviations.append(f"These settings are not the preset's: {', '.join(changes)}.")
    return [*deviations, *own]


async def ask_role(  # noqa: PLR0913 - what a question consists of
    caller: Caller,
    prompts: Path,
    state: Mapping[str, Any],
    variables: dict[str, object],
    schema: type[Value],
    *,
    trim: str,
    model: ModelSettings | None = None,
    number: int = 1,
) -> Answer[Value]:
    """Ask a role's model with the prompt of the caller's step in `prompts`, and return the answer with its calls.

    `trim` names the variable that is shortened if the prompt does not fit the model's context, `model` is the one that
    answers, if it is not the role's, and `number` how many answers are sampled.

    Raises:
        NoUsableAnswer: The model gave no usable answer in two tries, or the prompt does not fit its context.
        ModelUnavailableError: The endpoint fails after all retries.
        SettingsError: The endpoint does not accept the request.
    """
    prompt = await load_step_prompt(prompts, caller.step, state)
    model, limits = model or get_model_settings(caller.role, state), get_limits(state)
    return await ask_model(caller, prompt, variables, schema, model, trim=trim, limits=limits, number=number)


async def load_step_prompt(prompts: Path, step: str, state: Mapping[str, Any]) -> Prompt:
    """Load the prompt of a step from the folder `prompts`, with what the run's own folder of prompts replaces."""
    # Reading files blocks. Runs of earlier versions have no own folder in their settings.
    return await asyncio.to_thread(load_prompt, prompts / f"{step}.md", state["settings"].get("prompts"))


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
