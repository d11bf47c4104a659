"""Settings of a role's model: where it runs, its sampling, and the limits of its answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    JsonValue,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import with_info_before_validator_function

# Key of a field's limit in the JSON schema of an answer.
LENGTH_LIMIT_KEY = "x-at-most"
# Key of pydantic's validation context: a function of a value, the name of its limit, and that of its field.
CUT_TO_LIMIT = "cut_to_limit"


class Limits(BaseModel):
    """Settings that limit the answers of agents: most items of a list, and most words of a text."""

    model_config = ConfigDict(extra="forbid")

    # Items.
    paragraphs: int = Field(40, ge=1, le=100, description="Paragraphs of a simplified text.")
    terms: int = Field(40, ge=1, le=100, description="Technical terms that the reader notes.")
    advice: int = Field(15, ge=1, le=40, description="Pieces of advice of the editor.")
    improvements: int = Field(15, ge=1, le=40, description="Pieces of advice that the journalist says it follows.")
    rewrites: int = Field(20, ge=1, le=60, description="Copied sentences that are rewritten one by one (an extension).")
    questions: int = Field(10, ge=4, le=40, description="Questions of the layperson, and the expert's answers.")
    wordings: int = Field(20, ge=1, le=60, description="Simpler wordings that the language clarifier proposes.")
    redundancies: int = Field(12, ge=1, le=40, description="Parts that the redundancy checker quotes.")
    comments: int = Field(10, ge=1, le=40, description="Comments of the medical expert on a rewritten text.")
    weaknesses: int = Field(5, ge=1, le=20, description="Weaknesses that the detector lists.")
    suspicions: int = Field(12, ge=1, le=20, description="Suspicions of the screener in one call.")
    records: int = Field(20, ge=1, le=60, description="Entries that the number reader makes of a passage.")
    numbers: int = Field(12, ge=3, le=40, description="Numbers of such an entry.")
    # Words.
    title_words: int = Field(20, ge=5, le=60, description="Of a headline.")
    paragraph_words: int = Field(200, ge=20, le=600, description="Of a paragraph of a simplified text.")
    summary_words: int = Field(80, ge=10, le=200, description="Of each of five parts of the summary for the screener.")
    quote_words: int = Field(40, ge=5, le=200, description="Of words that are quoted from a text.")
    note_words: int = Field(60, ge=5, le=300, description="Of a term, a question, a reason, or a short note.")
    advice_words: int = Field(120, ge=10, le=400, description="Of a piece of advice or of an explanation.")
    answer_words: int = Field(150, ge=20, le=600, description="Of an answer to a question.")
    review_words: int = Field(250, ge=20, le=800, description="Of a comment on a paragraph, and of an assessment.")


@dataclass(frozen=True)
class LengthLimit:
    """Annotation that puts the name of a limit of `Limits` into the JSON schema of an answer's field."""

    limit: str
    """Name of a field of `Limits`: items for a list, words for a text."""

    def __post_init__(self) -> None:
        if self.limit not in Limits.model_fields:
            raise ValueError(f"there is no limit {self.limit!r}")

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the field's schema, which cuts a value to the limit if the validation's context says how."""

        def cut(value: Any, info: ValidationInfo) -> Any:
            cut_to_limit = (info.context or {}).get(CUT_TO_LIMIT)
            return cut_to_limit(value, self.limit, info.field_name) if cut_to_limit else value

        return with_info_before_validator_function(cut, handler(source))

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the field's schema with the name of its limit."""
        return {**handler(core), LENGTH_LIMIT_KEY: self.limit}


# Fields of a model that say which model is called, and where.
ADDRESS_FIELDS = frozenset({"base_url", "model", "provider", "use"})
# Fields of a model that say how an answer is sampled. All others but `max_tokens` describe the model and its server.
SAMPLING_FIELDS = frozenset({"temperature", "top_p", "frequency_penalty", "repetition_penalty"})
# Fields that are for one server or provider, and would be wrong for another: an address, a key, what it is able to do.
SERVER_FIELDS = frozenset(
    {"provider", "use", "base_url", "api_key_env", "extra_body", "structured_output", "context_length"}
)


def keep_fields_for(over: Mapping[str, Any], below: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a model that remain below further ones: not those of a server if these name another kind.

    So a key of one provider is never sent to another.
    """
    had_provider = below.get("provider") or below.get("use")
    if over.get("provider") or over.get("use") or (over.get("base_url") and had_provider):
        return {name: value for name, value in below.items() if name not in SERVER_FIELDS}
    return dict(below)


def _validate_key_name(name: str) -> str:
    """Return the name of a key's variable, or raise ValueError for another one: a client must not get its value."""
    if name and (name.upper().startswith("DRAFTROOM_") or not re.search("KEY|TOKEN", name.upper())):
        raise ValueError("must name a variable with KEY or TOKEN in its name that does not begin with DRAFTROOM_")
    return name


KeyName = Annotated[str, AfterValidator(_validate_key_name)]
# A field of JSON, however deep, that holds a secret (the key of a cache is none), or lets a repository's code be run.
_REFUSED_FIELD = re.compile(r'(?i)"([^"]*((?<!cache_)key|token|secret|passw(or)?d|authorization|trust_remote_code))":')


class ModelSettings(BaseModel):
    """One model at an OpenAI-compatible endpoint, at a provider or of a class, and how to sample from it.

    A sampling value of `None` is not sent, so that the server's own default holds.
    """

    model_config = ConfigDict(extra="forbid")

    provider: str | None = Field(
        None, description="Provider of LangChain's `init_chat_model`, such as `anthropic` or `ollama`."
    )
    use: str | None = Field(
        None,
        pattern=r"^[\w.]+:[\w.]+$",
        description="LangChain chat model class of your own, as `package.module:Class`.",
    )
    base_url: str = Field(
        "http://127.0.0.1:8135/v1",
        description="Address of the endpoint, ending in /v1; or another one than the provider's own.",
    )
    model: str = Field("smollm2-135m-instruct", min_length=1, description="Name under which it is served.")
    api_key_env: KeyName = Field(
        "OPENAI_API_KEY",
        description="Name of the environment variable that holds the key, never the key itself; a provider reads its "
        "own variable.",
    )
    temperature: float | None = Field(
        None, ge=0, le=2, description="At least 0.6 for the second try after an unusable answer."
    )
    top_p: float | None = Field(None, gt=0, le=1)
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    repetition_penalty: float | None = Field(None, gt=0, le=2, description="Sent to servers that know it, like vLLM.")
    seed: int | None = Field(
        None, description="The next one for the second try of a run that has failed for want of a usable answer."
    )
    max_tokens: int = Field(
        16_384,
        ge=64,
        le=65_536,
        description="Most tokens in one answer, thoughts included; less where the context leaves less.",
    )
    context_length: int | None = Field(None, ge=512, description="In tokens; read from the server where it says.")
    structured_output: Literal["json_schema", "prompt"] = Field(
        "json_schema",
        description="Constrained decoding; or `prompt`, for models that cannot do it: the schema ends the prompt.",
    )
    schema_limits: bool = Field(
        False,
        description="Hold answers to the limits while they are written, by the schema or, for prose, by `max_tokens`: "
        "for models that ramble on.",
    )
    timeout_s: float = Field(300, gt=0, description="Longest silence of the server before a call counts as failed.")
    concurrency: int = Field(
        32, ge=1, le=1024, description="Most requests that a process has under way at the endpoint; more wait."
    )
    retries: int = Field(4, ge=0, le=20, description="How often a call is tried again after a passing fault.")
    retry_wait_s: float = Field(1.0, ge=0, le=60, description="First wait before trying again; it doubles each time.")
    startup_wait_s: float = Field(
        300, ge=0, le=7200, description="How long a server that is loading its model is waited for."
    )
    extra_body: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="Further fields for the server, such as chat_template_kwargs, or arguments of the class.",
    )

    @property
    def is_endpoint(self) -> bool:
        """Whether the model is at an OpenAI-compatible endpoint."""
        return not (self.provider or self.use)

    @property
    def address(self) -> str:
        """Address, provider or class, which tells servers apart."""
        return " at ".join(filter(None, (self.provider, self.use, self.base_url)))

    @property
    def server(self) -> str:
        """Server as the subject of a sentence."""
        return f"The {'provider' if self.provider else 'class' if self.use else 'endpoint'} {self.address}"

    @model_validator(mode="before")
    @classmethod
    def _fill_address(cls, values: Any) -> Any:
        """Return the values, for a provider or a class without the address and the key of the default endpoint."""
        if not isinstance(values, dict) or not (values.get("provider") or values.get("use")):
            return values
        if values.get("provider") and values.get("use"):
            raise ValueError("name a `provider` or the class to `use`, not both")
        if values.get("provider") == "huggingface":  # its pipelines load models into this process
            raise ValueError("the provider `huggingface` is not supported; name its class with `use`, if you trust it")
        return {"base_url": "", "api_key_env": "", **values}

    @field_validator("extra_body", mode="before")
    @classmethod
    def _read_extra_body(cls, value: Any) -> Any:
        """Return the value, read from JSON if it is a text, as from a variable; refuse keys, as records keep it."""
        value = json.loads(value) if isinstance(value, str) else value
        if found := _REFUSED_FIELD.search(json.dumps(value, default=str)):
            raise ValueError(
                f"must not hold {found[1]}; keep a key in the variable of `api_key_env`, and code in a class to `use`"
            )
        return value

    @field_validator("base_url")
    @classmethod
    def _validate_base_url(cls, value: str, info: ValidationInfo) -> str:
        """Return an HTTP address without a slash at its end, or raise ValueError if it is none or holds a password."""
        has_wrong_class = "use" not in info.data  # which is told by itself
        if not value and (has_wrong_class or info.data.get("provider") or info.data["use"]):
            return value
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("must be an address like http://127.0.0.1:8000/v1")
        # The settings of a run are written to its record and its checkpoints.
        if parts.username or parts.password:
            raise ValueError("must not contain a user name or password; put the key into an environment variable")
        return value.rstrip("/")
