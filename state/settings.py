"""Settings of the models and the systems: plain JSON values with descriptions and bounds.

A field is defined once, in its system's settings. The context of the system's graph inherits all fields as optional.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from state.computed_findings import DEFAULT_SEVERITY, CheckKind, Severity
from state.errors import SettingsError
from state.extensions import (
    FEEDBACK_EXTENSIONS,
    JOURNALISM_EXTENSIONS,
    SIMPLIFICATION_EXTENSIONS,
    FeedbackExtensions,
    JournalismExtensions,
    SimplificationExtensions,
)
from state.model_settings import ADDRESS_FIELDS, KeyName, Limits, ModelSettings, keep_fields_for
from state.system_settings import SystemSettings

JournalismRole = Literal["journalist", "reader", "editor"]
SimplificationRole = Literal[
    "agent_selector", "layperson", "medical_expert", "simplifier", "language_clarifier", "redundancy_checker"
]
FeedbackRole = Literal[
    "planner", "controller", "investigator", "weakness_detector", "reviewer", "verifier", "number_reader", "screener"
]
# Roles that only some runs have. Their model must be named; the model of `default` does not stand in for it.
OPTIONAL_ROLES = ("warm_start", "judge")


def _validate_role(role: str) -> str:
    """Return the role, or raise ValueError if there is none of this name."""
    if role not in ROLES:
        raise ValueError(f"must be one of {', '.join(ROLES)}")
    return role


# `default` stands for all agents without a model of their own. A lambda, because ROLES is only known below.
Role = Annotated[
    str, AfterValidator(_validate_role), Field(json_schema_extra=lambda schema: schema.update(enum=[*ROLES]))
]
Audience = Literal["general public", "teenager", "patient", "policy maker"]
StopRule = Literal["fixed", "converged"]
Scope = Literal["auto", "abstract", "whole"]
# Lead agents of medical simplification; each leads the interaction loop of its name.
Lead = Literal["layperson", "language_clarifier", "redundancy_checker"]
SimplificationVariant = Literal["society", "single"]
RetrievalMode = Literal["hybrid", "dense", "bm25"]
CodeName = Annotated[str, Field(pattern=r"^[\w.]+:[\w.]+$")]
LiteratureProvider = Literal["folder", "arxiv", "semantic_scholar", "openalex", "crossref"]
Variant = Literal["full", "single", "large-reader", "no-notes", "no-suggestions", "no-collaboration"]


PromptsFolder = Annotated[
    str | None,
    AfterValidator(lambda path: path and str(Path(path).expanduser().absolute())),  # runs are resumed anywhere
    Field(description="Folder of Markdown files that replace built-in prompts; see docs/how_to/prompts.md."),
]
_EXTENSIONS_HELP = "Extensions that help the agents: none, default, all, or names; see docs/extensions.md."


def _validate_model_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields as they are, or raise an error if `ModelSettings` does not accept them."""
    ModelSettings.model_validate(fields)
    return fields


class CheckSettings(SystemSettings):
    """Settings of `number_check`, and of the findings that `draftroom check` shows."""

    roles = ("number_reader",)
    places: ClassVar[Mapping[str, Any]] = {"max_pages": True}

    severity: Severity = Field(DEFAULT_SEVERITY, description="Findings below this are left out.")
    without: list[CheckKind] = Field([], description="Kinds of findings that are left out.")
    max_pages: int = Field(100, ge=1, le=2000, description="Maximum number of pages of a PDF.")


class JournalismSettings(SystemSettings):
    """Settings of `science_journalism`."""

    roles = get_args(JournalismRole)
    known_extensions = JOURNALISM_EXTENSIONS
    places: ClassVar[Mapping[str, Any]] = {"sequence_to_sequence": True, "max_pages": True, "pause": True}

    extensions: JournalismExtensions = Field("default", validate_default=True, description=_EXTENSIONS_HELP)
    audience: Audience = Field("general public", description="Who the article is for; reaches every prompt.")
    rounds: int = Field(3, ge=0, le=20, description="Rounds of notes, advice and revision (the paper runs 5).")
    select: Literal["third", "last", "best"] = Field(
        "best",
        description="Draft to return: the third (paper), the last, or the best: the easiest that keeps to the facts.",
    )
    stop: StopRule = Field("fixed", description="Run all rounds, or stop when a round no longer reads easier.")
    min_improvement: float = Field(
        0.1, ge=0, le=5, description="Fall of the mean grade below which a round counts as no improvement."
    )
    variant: Variant = Field("full", description="The rows of the paper's Table 1 that need no training.")
    warm_start: bool = Field(
        False, description="Let the model of the role `warm_start`, fine-tuned on plain summaries, write and revise."
    )
    sequence_to_sequence: str | None = Field(
        None, description="Folder of a BART fine-tuned on plain summaries: the row `bart` of `draftroom eval`."
    )
    pause: bool = Field(False, description="Let a person edit the editor's advice before each revision.")
    scope: Scope = Field("auto", description="Of a PDF or Word file: its abstract if found, or the whole paper.")
    max_pages: int = Field(100, ge=1, le=2000, description="Maximum number of pages of a PDF.")
    max_words: int = Field(300, ge=80, le=600, description="Length of the article that the journalist aims at.")


class SimplificationSettings(SystemSettings):
    """Settings of `medical_simplification`."""

    roles = get_args(SimplificationRole)
    known_extensions = SIMPLIFICATION_EXTENSIONS
    places: ClassVar[Mapping[str, Any]] = {"max_pages": True}

    extensions: SimplificationExtensions = Field("default", validate_default=True, description=_EXTENSIONS_HELP)
    loops: list[Lead] = Field(
        ["layperson", "language_clarifier", "redundancy_checker"],
        min_length=1,
        description="Interaction loops that may be entered.",
    )
    entries: int = Field(2, ge=1, le=10, description="How often each loop is entered (the paper: 2).")
    stop: Literal["fixed", "adaptive"] = Field(
        "fixed",
        description="All entries, or until nothing changes and the selector is content, or grade and length are "
        "reached.",
    )
    select: Literal["best", "last"] = Field(
        "best",
        description="Version to return: the last (paper), or the best: of those that lost least, the easiest.",
    )
    variant: SimplificationVariant = Field("society", description="The society, or one rewrite by a single model.")
    revision_rounds: int = Field(
        3,
        ge=1,
        le=10,
        description="Most rounds in which a loop's agents come to agree on wordings or on a rewritten text.",
    )
    accuracy_check: bool = Field(
        True,
        description="Have texts of the layperson loop (paper) reviewed and corrected.",
    )
    target_grade: float | None = Field(
        None, ge=1, le=16, description="School grade (Flesch-Kincaid) that the text should reach."
    )
    max_words: int | None = Field(None, ge=40, le=2000, description="Length that the text should keep to.")
    scope: Scope = Field("auto", description="Of a PDF or Word file: its abstract if found, or the whole paper.")
    max_pages: int = Field(100, ge=1, le=2000, description="Maximum number of pages of a PDF.")

    @field_validator("loops", mode="before")
    @classmethod
    def _split_loops(cls, value: Any) -> Any:
        """Return the list of loops with names apart that a flag has joined by commas, or any other value as it is."""
        if not isinstance(value, list):
            return value
        names = [name.strip() for names in value for name in str(names).split(",")]
        if len(set(names)) < len(names):
            raise ValueError("must name each loop once")
        return names


class EmbeddingSettings(BaseModel):
    """Settings of the model that embeds passages, and where it runs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(
        "all-MiniLM-L6-v2",
        min_length=1,
        description="The built-in model, or the name of another one at an endpoint or provider.",
    )
    provider: str | None = Field(
        None,
        description="Provider of LangChain's `init_embeddings`, such as `ollama`; `huggingface` takes a folder, too.",
    )
    use: CodeName | None = Field(None, description="Your own class of LangChain embeddings, as `module:Class`.")
    base_url: str | None = Field(None, description="OpenAI-compatible endpoint of the model; otherwise it runs here.")
    api_key_env: KeyName = Field("OPENAI_API_KEY", description="Name of the environment variable that holds its key.")


class LiteratureSettings(BaseModel):
    """Settings of the investigator's search for other studies, which leaves the machine only if a service is named."""

    model_config = ConfigDict(extra="forbid")

    providers: list[LiteratureProvider | CodeName] = Field(
        ["folder"], description="In the order in which they are asked; your own as `module:function`."
    )
    folder: str | None = Field(None, description="A folder of papers (PDF, Word, HTML, JATS, Markdown, LaTeX, text).")
    results: int = Field(3, ge=1, le=10, description="Documents that a question is looked up in.")
    blocked_hosts: list[str] | None = Field(
        None, description="Sites that are never queried; by default those that publish reviews."
    )
    contact: str | None = Field(None, description="Mail address sent to the services, for their polite pools.")
    openalex_key_env: KeyName = Field(
        "OPENALEX_API_KEY", description="Name of the variable with its key; few requests are allowed without."
    )
    semantic_scholar_key_env: KeyName = Field(
        "SEMANTIC_SCHOLAR_API_KEY", description="Name of the variable with its key; optional."
    )


class FeedbackSettings(SystemSettings):
    """Settings of `focused_feedback`."""

    roles = get_args(FeedbackRole)
    known_extensions = FEEDBACK_EXTENSIONS
    places: ClassVar[Mapping[str, Any]] = {
        **dict.fromkeys(
            ("max_pages", "min_words", "every_paragraph", "pause", "reranker", "embedding", "retriever"), True
        ),
        "literature": LiteratureSettings.model_fields.keys() - {"results"},
    }

    extensions: FeedbackExtensions = Field("default", validate_default=True, description=_EXTENSIONS_HELP)
    plans: int = Field(4, ge=1, le=8, description="Plans that the planner samples.")
    plan_temperature: float = Field(
        0.9, ge=0.6, le=2, description="Least temperature of the planner when it samples several plans."
    )
    rerank: bool = Field(True, description="Let the plan re-ranker choose; otherwise the first plan is followed.")
    reranker: str | None = Field(None, description="Folder of the re-ranker's weights; by default those that ship.")
    execution: Literal["parallel", "sequential"] = Field(
        "parallel", description="Ask one question after the other (paper), or independent ones together."
    )
    max_questions: int = Field(10, ge=1, le=40, description="Most questions of a plan.")
    max_rewrites: int = Field(
        1, ge=0, le=5, description="How often the controller may rewrite the remaining steps (the paper: 0)."
    )
    retrieval: RetrievalMode = Field("hybrid", description="Dense (paper), BM25, or both fused by reciprocal rank.")
    retriever: CodeName | None = Field(
        None, description="Your own retriever over a paper, as `module:factory`; see docs/how_to/own_retriever.md."
    )
    passages: int = Field(3, ge=1, le=20, description="Segments that a question is answered from (the paper: 5).")
    segment_characters: int = Field(2000, ge=200, le=8000, description="Most characters of a segment.")
    segment_overlap: int = Field(200, ge=0, le=1000, description="Most characters that neighbouring segments share.")
    embedding: EmbeddingSettings = Field(
        default_factory=EmbeddingSettings, description="Which model embeds the passages of papers, and where it runs."
    )
    literature: LiteratureSettings = Field(
        default_factory=LiteratureSettings, description="Where the investigator looks for other studies."
    )
    pause: bool = Field(False, description="Let a person edit the plan; needs a run of a single paragraph.")
    min_words: int = Field(40, ge=1, le=500, description="Shorter paragraphs are reviewed if named or suspected only.")
    max_paragraphs: int = Field(12, ge=1, le=200, description="Most paragraphs that are reviewed after a screening.")
    undivided_words: int | None = Field(
        None, ge=0, description="Longest paper that is screened in one call; by default what the model's context holds."
    )
    every_paragraph: bool = Field(False, description="Review every paragraph of a whole paper, without a screening.")
    max_comments: int | None = Field(None, ge=1, description="Most comments on a paper; the gravest are kept.")
    max_pages: int = Field(100, ge=1, le=2000, description="Maximum number of pages of a PDF.")

    @field_validator("segment_overlap")
    @classmethod
    def _validate_segment_overlap(cls, value: int, info: ValidationInfo) -> int:
        """Return the overlap, or raise ValueError if it is not less than the length of a segment."""
        # The other field is missing if it has an error itself.
        if value >= info.data.get("segment_characters", value + 1):
            raise ValueError("must be less than segment_characters")
        return value


class Settings(BaseModel):
    """Everything that can be configured; unknown keys are errors. Values come from `tools/configuration.py`."""

    model_config = ConfigDict(extra="forbid")

    preset: str | None = Field(None, description="Name or path of a preset that these settings start from.")
    prompts: PromptsFolder = None
    models: dict[Role, Annotated[dict[str, Any], AfterValidator(_validate_model_fields)]] = Field(
        default_factory=dict, description="Fields of ModelSettings, `default` for all roles and overrides per role."
    )
    limits: Limits = Field(default_factory=Limits)
    journalism: JournalismSettings = Field(default_factory=JournalismSettings)
    simplification: SimplificationSettings = Field(default_factory=SimplificationSettings)
    feedback: FeedbackSettings = Field(default_factory=FeedbackSettings)
    check: CheckSettings = Field(default_factory=CheckSettings)
    checkpoints: Annotated[str, Field(pattern=r"^(memory|sqlite|sqlite:///.+|postgres(ql)?://.+)$")] = Field(
        "sqlite", description="Where checkpoints live: memory, sqlite, sqlite:///FILE, or a Postgres address."
    )
    _chosen: Mapping[str, Any] = PrivateAttr({})  # what the context of the run chose

    def has_own_model(self, role: Role) -> bool:
        """Return whether a role has a model or an address of its own; a temperature of its own does not count."""
        # Fields without an address, such as a temperature, only change how the model of `default` is sampled.
        return bool(ADDRESS_FIELDS & self.models.get(role, {}).keys())

    def resolve_model_settings(self, role: Role) -> ModelSettings:
        """Return the settings of a role's model: its own fields, then those of `default`, then built-in defaults.

        Raises:
            SettingsError: A provider or a class has no `model`.
        """
        own = self.models.get(role, {})
        model = ModelSettings(**{**keep_fields_for(own, self.models.get("default", {})), **own})
        if not (model.is_endpoint or "model" in model.model_fields_set):
            raise SettingsError(f"{model.server} needs the name of a model: set `model` beside it.")
        return model

    def freeze_settings(self, table: str) -> dict[str, Any]:
        """Return, as plain values, the settings that a run keeps in its state, so that a resume needs no settings file.

        They are the preset, the prompts, the system's `table`, the limits, and the full model of each of its roles, and
        what the run's context chose, if it did.
        """
        return {
            **({CHOSEN_KEY: self._chosen} if any(self._chosen.values()) else {}),
            "preset": self.preset,
            "prompts": self.prompts,
            table: getattr(self, table).model_dump(mode="json"),
            "limits": self.limits.model_dump(),
            "models": {
                role: self.resolve_model_settings(role).model_dump(mode="json") for role in SYSTEM_TABLES[table].roles
            },
        }


# Code that must know all systems finds their tables here.
SYSTEM_TABLES: Mapping[str, type[SystemSettings]] = {
    name: field.annotation
    for name, field in Settings.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, SystemSettings)
}
AGENTS = tuple(dict.fromkeys(role for table in SYSTEM_TABLES.values() for role in table.roles))
ROLES = ("default", *AGENTS, *OPTIONAL_ROLES)


def describe_validation_error(error: ValidationError) -> str:
    """Describe in one clause the first four errors of pydantic, without the offending values, which may be secret."""
    problems: list[str] = []
    # One wrong table can have dozens of errors; the first few are enough to find it.
    for item in error.errors()[:4]:
        where = ".".join(map(str, item["loc"])) or "value"
        message = item["msg"].removeprefix("Value error, ")
        problems.append(f"`{where}`: {message[:1].lower()}{message[1:]}")
    return "; ".join(problems)


CHOSEN_KEY = "chosen"  # of the settings in a run's state; its record does not have it
_SHARED_FIELDS = ("preset", "prompts", "models", "limits")  # beside the systems' tables in the settings


class RunContext(BaseModel):
    """Base of the contexts of graphs, a caller's choices for one run; `build_overrides` tells which fields were set.

    A field that was not set shows its built-in default, while the run takes it from the settings file and environment.
    """

    model_config = ConfigDict(extra="forbid")

    table: ClassVar[str]
    """Name of the system's table in the settings."""

    preset: str | None = Field(
        None, description="Settings to start from: fast, debug, laptop, paper, or the path of a TOML file."
    )
    prompts: PromptsFolder = None
    limits: dict[str, int] | None = Field(None, description='Fields of Limits, for example {"terms": 20}.')
    models: dict[Role, dict[str, Any]] | None = Field(
        None, description='Models by role, for example {"default": {"base_url": "http://127.0.0.1:8000/v1"}}.'
    )

    # A wrapper, because LangGraph builds the context itself and would show pydantic's own error.
    @model_validator(mode="wrap")
    @classmethod
    def _validate_choices(cls, chosen: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Validate the choices without their empty fields, and raise errors of pydantic as a `SettingsError`."""
        if isinstance(chosen, Mapping):
            # A form, such as Studio's, sends None for a field that is left empty.
            may_be_none = {name for name, field in cls.model_fields.items() if field.default is None}
            chosen = {name: value for name, value in chosen.items() if value is not None or name in may_be_none}
        try:
            return handler(chosen)
        except ValidationError as error:
            raise SettingsError(
                f"The settings of this run cannot be used: {describe_validation_error(error)}."
            ) from error

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the schema without defaults, with which a form would override the settings file."""
        schema = handler.resolve_ref_schema(handler(core))
        for field in schema["properties"].values():
            field.pop("default", None)
            nested = handler.resolve_ref_schema(field) if "$ref" in field else field
            for part in nested.get("properties", {}).values():
                part.pop("default", None)
        return schema

    def build_overrides(self) -> dict[str, Any]:
        """Return only the fields that were set and are not None, nested as in `Settings`."""
        return self.build_nested_settings(self.model_dump(mode="json", exclude_unset=True, exclude_none=True))

    @classmethod
    def build_nested_settings(cls, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return values of the context's fields nested as in `Settings`, the system's own in its table."""
        outside = {key: chosen[key] for key in _SHARED_FIELDS if key in chosen}
        return {**outside, cls.table: {key: value for key, value in chosen.items() if key not in _SHARED_FIELDS}}


class JournalismContext(RunContext, JournalismSettings, title="Science journalism"):
    """Choices for one run of `science_journalism`; unset fields come from the settings, not the defaults here."""

    table = "journalism"


class SimplificationContext(RunContext, SimplificationSettings, title="Medical simplification"):
    """Choices for one run of `medical_simplification`; unset fields come from the settings, not the defaults here."""

    table = "simplification"


class FeedbackContext(RunContext, FeedbackSettings, title="Focused feedback"):
    """Choices for one run of `focused_feedback`; unset fields come from the settings, not the defaults here."""

    table = "feedback"


class CheckContext(RunContext, CheckSettings, title="Number check"):
    """Choices for one run of `number_check`; unset fields come from the settings, not the defaults here."""

    table = "check"
