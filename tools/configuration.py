"""Resolve the settings of a run from all sources.

Each source overrides the ones before it, field by field:

1. the defaults of `state.settings`;
2. the preset that the settings file or the environment names (`laptop` if no source names a model);
3. the settings file: `$DRAFTROOM_CONFIG`, `./draftroom.toml` or the user's `draftroom.toml`;
4. environment variables (`DRAFTROOM_...`);
5. the preset that is chosen for the run, by a flag, the `context` of a Python call or Studio's form;
6. all other flags, or fields of that context or form.

A chosen preset (5) takes the place of one in the file or the environment (2). It leaves models, endpoints and the
abilities of their servers as file and environment set them, and it alone sets the sampling of each role that it
samples. The tables of a preset with `whole = true` replace the other tables entirely, except for models and the fields
that a system's settings call `places`.

Code (`module:attribute`) counts only if the user names it in their own settings file, the environment or a preset of
`--preset`, because a context, a record or the `draftroom.toml` of a folder may be anyone's.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from pkgutil import resolve_name
from threading import Event
from typing import Any

from platformdirs import user_config_path
from pydantic import BaseModel, ValidationError
from pydantic_settings import EnvSettingsSource
from pydantic_settings import SettingsError as UnreadableVariable

from state.errors import SettingsError
from state.model_settings import ADDRESS_FIELDS, SAMPLING_FIELDS, ModelSettings, keep_fields_for
from state.settings import SYSTEM_TABLES, EmbeddingSettings, RunContext, Settings, describe_validation_error

ModelTables = Mapping[Any, Mapping[str, Any]]  # by role
PRESETS = Path(__file__).parent.parent / "presets"
CODE_FIELDS = frozenset({"use", "retriever", "providers"})  # fields whose values with a colon name code
DEFAULT_PRESET = "laptop"  # its model is the one that `draftroom models up` starts
# Variables that are read elsewhere and are no settings.
OTHER_VARIABLES = {
    "DRAFTROOM_HOME",
    "DRAFTROOM_CONFIG",
    "DRAFTROOM_ALLOWED_CODE",
    "DRAFTROOM_SERVER_TOKENS",
    "DRAFTROOM_VLLM_PYTHON",
    "DRAFTROOM_LLAMA_CPP_PYTHON",
    "DRAFTROOM_TRACING",
}
# Set in the process of a server, whose clients may send any settings, in contexts, states and records.
SERVES_CLIENTS = Event()


def load_settings(overrides: Mapping[str, Any] | None = None) -> Settings:
    """Load the settings of all sources, merged and validated; `overrides` are those of the run.

    Args:
        overrides: Nested values that override all other sources, for example `{"journalism": {"rounds": 5}}`.

    Raises:
        SettingsError: If a source cannot be read, or holds an unknown key or a value out of bounds.
    """
    # 1. The settings file and the environment.
    fields = {f"DRAFTROOM_{name.upper()}" for name in Settings.model_fields}
    for variable in os.environ:
        is_known = variable in OTHER_VARIABLES or variable.split("__")[0] in fields
        if variable.startswith("DRAFTROOM_") and not is_known:
            raise SettingsError(f"The environment variable {variable} is not a setting; see .env.example for the list.")
    stored = _read_stored_settings(find_settings_file())
    # 2. Overrides, with a preset above or below the stored settings.
    chosen = overrides or {}
    values = merge_settings(stored, chosen)
    if preset := chosen.get("preset"):
        values = merge_settings(apply_preset(str(preset), stored, chosen), chosen)
    elif preset := stored.get("preset"):
        values = merge_settings(_load_preset(str(preset), values)[0], values)
    # 3. If nothing names a model, the default one with the sampling that it needs.
    if not any(ADDRESS_FIELDS & set(table) for table in _select_model_tables(values).values()):
        values = merge_settings(_read_toml(locate_preset(DEFAULT_PRESET)), values)
    settings = _validate_settings(values)
    if settings.prompts:
        from tools.models.prompts import check_prompts  # noqa: PLC0415 - takes time, and most runs need it later

        check_prompts(settings.prompts)
    return settings


def apply_preset(name: str, values: Mapping[str, Any], chosen: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Merge a named preset over `values`, whose models and endpoints stay; return new tables, not yet validated.

    The values are those of file and environment, or the recorded ones of an evaluation; `chosen` are overrides that the
    caller will merge over the result, and that only decide here which models of the preset count.

    Raises:
        SettingsError: If the preset does not exist, or one of the sources is invalid.
    """
    others = _validate_settings(values)
    preset, whole = _load_preset(name, merge_settings(values, chosen or {}))
    # 1. Of the tables that a `whole` preset replaces, keep only the places. A model with `schema_limits` needs the
    # limits that were set for it, so [limits] stays as well.
    needs_limits = any(others.resolve_model_settings(role).schema_limits for role in others.models)
    replaced = preset.keys() & ({*SYSTEM_TABLES} if needs_limits else {*SYSTEM_TABLES, "limits"}) if whole else set()
    below = others.model_dump(exclude_unset=True, exclude={*replaced})
    places = {table: SYSTEM_TABLES[table].places for table in replaced & SYSTEM_TABLES.keys()}
    below |= others.model_dump(exclude_unset=True, include=places)
    below["preset"] = name
    # 2. Remove the sampling that the preset replaces, of a single role or of all.
    sampled = {role for role, fields in _select_model_tables(preset).items() if fields.keys() & SAMPLING_FIELDS}
    models = {
        role: _omit_fields(SAMPLING_FIELDS, fields) if sampled & {role, "default"} else fields
        for role, fields in others.models.items()
    }
    unset = {} if "default" in sampled else {role: dict.fromkeys(SAMPLING_FIELDS) for role in sampled}
    below["models"] = merge_settings(models, unset)
    # 3. Merge the preset, and keep the models and endpoints.
    addresses = {role: _omit_fields({*SAMPLING_FIELDS, "max_tokens"}, fields) for role, fields in others.models.items()}
    return merge_settings(merge_settings(below, preset), {"models": addresses})


def resolve_settings(context: RunContext, frozen: Mapping[str, Any] | None = None) -> Settings:
    """Resolve the settings of a run: the `frozen` ones of its record, or else those of all sources and its context.

    Raises:
        SettingsError: As for `load_settings`.
    """
    if frozen is not None:
        return _validate_settings(frozen)
    settings = load_settings(chosen := context.build_overrides())
    settings._chosen = chosen
    if SERVES_CLIENTS.is_set():  # what a run keeps names no key, either, that a command could send at its resume
        for role, model in _complete_models(settings).items():
            settings.models[role] = {**settings.models.get(role, {}), "api_key_env": name_key(model)}
        embedding = settings.feedback.embedding
        settings.feedback.embedding = embedding.model_copy(update={"api_key_env": name_key(embedding)})
    return settings


def change_frozen_settings(
    frozen: Mapping[str, Any], chosen: Mapping[str, Any], begun_with: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return a copy of a run's frozen settings with the models and limits that are chosen for its resume.

    Values of `default` are for all roles; those that the run's context has `begun_with` change nothing when repeated.

    Raises:
        SettingsError: If the choices hold another change, or a value that cannot be used.
    """
    others = {name: value for name, value in chosen.items() if name not in ("models", "limits")}
    models, limits = chosen.get("models", {}), chosen.get("limits", {})
    if kept := list(_iterate_differences(frozen, others)):
        raise SettingsError(
            f"A resumed run takes other models and limits only, and keeps {', '.join(kept)}; leave these out of its "
            "context, or begin a new run."
        )
    begun = (begun_with or {}).get("models", {}).get("default", {})
    new = {name: value for name, value in models.get("default", {}).items() if (name, value) not in begun.items()}
    changed = {
        **frozen,
        "models": {role: {**of, **new, **models.get(role, {})} for role, of in frozen["models"].items()},
        "limits": {**frozen["limits"], **limits},
    }
    if changed != frozen:
        _validate_settings(changed)
    return changed


def list_setting_deviations(frozen: Mapping[str, Any], table: str, roles: Collection[str]) -> list[str]:
    """List the recorded settings of a run that differ from the preset `paper`, as sorted lines `name = value`.

    `table` is the name of the system. Of the models, those of the given roles are compared that the preset samples.
    """
    paper = _validate_settings(_load_preset("paper", {})[0])
    sampled = [role for role in roles if paper.models.get(role, {}).keys() & SAMPLING_FIELDS]
    of_model = {*SAMPLING_FIELDS, "max_tokens", "extra_body", "schema_limits"}
    published = {
        **getattr(paper, table).model_dump(mode="json", exclude=SYSTEM_TABLES[table].places),
        "limits": paper.limits.model_dump(),
        "models": {role: paper.resolve_model_settings(role).model_dump(include=of_model) for role in sampled},
    }
    # Two places change results: a pause lets a person take part, and an unblocked host may show a review of the paper.
    places = getattr(paper, table).model_dump(mode="json", include={"pause": True, "literature": {"blocked_hosts"}})
    own = {**frozen, **frozen[table]}
    return sorted([*_iterate_differences(own, published), *_iterate_differences(own, places)])


def _iterate_differences(own: Mapping[str, Any], published: Mapping[str, Any], within: str = "") -> Iterator[str]:
    """Iterate over the values of `own` that differ from `published`, as `name = value` with dotted names."""
    for name, value in published.items():
        if isinstance(value, Mapping) and name != "extra_body":
            yield from _iterate_differences(own[name], value, f"{within}{name}.")
        elif own[name] != value:
            yield f"{within}{name} = {own[name]}"


def _validate_settings(values: Mapping[str, Any]) -> Settings:
    """Build settings from nested values; raise `SettingsError` if one is unknown or invalid, or names refused code."""
    require_allowed_code(list_named_code(values))
    try:
        return Settings(**values)
    except ValidationError as error:
        raise SettingsError(f"The settings cannot be used: {describe_validation_error(error)}.") from error


def list_named_code(values: Mapping[str, Any]) -> list[str]:
    """List the code that nested settings, valid or not, name as `module:attribute`."""
    found: list[str] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            found += list_named_code(value)
        elif key in CODE_FIELDS:
            found += [str(name) for name in (value if isinstance(value, list) else [value]) if ":" in str(name)]
    return found


def list_allowed_code() -> list[str]:
    """List the code that the user names in their own settings file or an environment variable."""
    own = _locate_own_file()
    named = list_named_code(_read_stored_settings(own if own.is_file() else None))
    return [*named, *os.environ.get("DRAFTROOM_ALLOWED_CODE", "").split(",")]


def allow_preset_code(preset: str | None) -> str | None:
    """Return the value of `--preset`; allow the code that it names, in this process and those that it starts."""
    if preset and (named := list_named_code(_read_toml(locate_preset(preset)))):
        os.environ["DRAFTROOM_ALLOWED_CODE"] = ",".join([*list_allowed_code(), *named])
    return preset


def require_allowed_code(names: Collection[str]) -> None:
    """Raise SettingsError if one of these names of code is not allowed."""
    if refused := sorted(set(names).difference(list_allowed_code() if names else ())):
        raise SettingsError(
            f"The settings name code that you have not allowed ({', '.join(refused)}): if you trust it, name it in "
            f"{_locate_own_file()} or in the environment variable DRAFTROOM_ALLOWED_CODE."
        )


def load_custom_object(name: str) -> Any:
    """Import what a setting names as `module:attribute`; blocks. Raise `SettingsError` if that is refused or fails."""
    if ":" not in name:
        raise SettingsError(f"The setting {name!r} names no code; write it as `package.module:attribute`.")
    require_allowed_code([name])
    try:
        return resolve_name(name)
    except Exception as error:  # the import runs the user's module, which may raise anything
        told = mask_keys(str(error))
        raise SettingsError(
            f"The code {name} cannot be imported ({told}); correct the name, or add its folder to PYTHONPATH."
        ) from error


def name_key(server: ModelSettings | EmbeddingSettings) -> str:
    """Return the variable with a model's key; at a server, empty if its own settings do not name both; blocks.

    Raises:
        SettingsError: A client asks for another key than the default one, or for one that a class reads for itself.
    """

    def locate(each: BaseModel) -> dict[str, Any]:
        further = {"extra_body"} if server.provider or server.use else set()  # may hold the address of a class
        return each.model_dump(include={"provider", "use", "base_url", "api_key_env", *further})

    if not SERVES_CLIENTS.is_set():
        return server.api_key_env
    own, place = load_settings(), locate(server)
    if place in map(locate, [own.feedback.embedding, *_complete_models(own).values()]):
        return server.api_key_env
    reads_key = (server.provider or server.use) and (server.base_url or place.get("extra_body"))
    if reads_key or server.api_key_env not in ("", ModelSettings().api_key_env):
        raise SettingsError(
            "This server sends keys only as its own settings do: leave out `api_key_env` and, for a provider or a "
            "class, `base_url` and `extra_body`, or let its settings name them."
        )
    return ""


def _complete_models(settings: Settings) -> dict[str, ModelSettings]:
    """Return the models of `default` and of all roles with fields of their own, which may lack a name."""
    default = settings.models.get("default", {})
    tables = {"default": {}, **settings.models}
    return {role: ModelSettings(**{**keep_fields_for(own, default), **own}) for role, own in tables.items()}


def mask_keys(text: str) -> str:
    """Return a text, such as a server's message, with an ellipsis for each value of a variable that holds a secret."""
    # A shorter value is no secret, but may be a part of any text.
    secrets = {key for name, key in os.environ.items() if re.search("KEY|TOKEN|SECRET", name) and len(key) >= 6}
    for secret in sorted(secrets, key=len, reverse=True):  # one may hold another
        text = text.replace(secret, "…")
    return text


def _load_preset(name: str, over: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return a preset's tables, less models of single roles if it and `over` name one for all, and its flag `whole`."""
    preset = _read_toml(locate_preset(name))
    whole = preset.pop("whole", False)
    if not isinstance(whole, bool):
        raise SettingsError(f"In the preset {name}, `whole` must be true or false.")
    models = _select_model_tables(preset)
    if all("model" in each.get("default", {}) for each in (models, _select_model_tables(over))):
        # A model that the user sets for all roles must not be undone by the preset's models of single roles.
        single = {role: _omit_fields(ADDRESS_FIELDS, fields) for role, fields in models.items() if role != "default"}
        preset["models"] = {**models, **single}
    return preset, whole


def _omit_fields(names: Collection[str], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a table without the named fields."""
    return {name: value for name, value in fields.items() if name not in names}


def _select_model_tables(values: Mapping[str, Any]) -> ModelTables:
    """Return the tables of models by role from settings that may be invalid; values that are no tables are left out."""
    models = values.get("models")
    tables = models.items() if isinstance(models, Mapping) else ()
    return {role: table for role, table in tables if isinstance(table, Mapping)}


def merge_settings(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of `base` with `over` merged into it: nested tables are merged, other values replaced.

    A table that names another provider of a model replaces what was said of its server.
    """
    merged = keep_fields_for(over, base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = value
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            merged[key] = merge_settings(below, value)
    return merged


def list_presets() -> list[str]:
    """List the names of the presets that come with Draftroom, sorted."""
    return sorted(path.stem for path in PRESETS.glob("*.toml"))


def locate_preset(name: str) -> Path:
    """Return the file of a preset that is given by its name or by a path.

    Raises:
        SettingsError: If it does not exist; the message lists the presets.
    """
    own = PRESETS / f"{name}.toml"
    path = own if own.is_file() else Path(name).expanduser()
    if not path.is_file():
        raise SettingsError(f"There is no preset {name!r}; choose one of {', '.join(list_presets())}, or give a file.")
    return path


def find_settings_file() -> Path | None:
    """Return `$DRAFTROOM_CONFIG`, even if it is no file, else `./draftroom.toml`, else the user's; None without one."""
    own = _locate_own_file()
    if os.environ.get("DRAFTROOM_CONFIG"):
        return own
    return next((path for path in (Path("draftroom.toml"), own) if path.is_file()), None)


def _locate_own_file() -> Path:
    """Return the path of the user's own file: `$DRAFTROOM_CONFIG`, or the one in their configuration folder."""
    named = os.environ.get("DRAFTROOM_CONFIG")
    return Path(named).expanduser() if named else user_config_path("draftroom", appauthor=False) / "draftroom.toml"


def _read_stored_settings(file: Path | None) -> dict[str, Any]:
    """Read a settings file, if any, and the environment; refuse a file that names code and is not the user's."""
    values = _read_toml(file) if file else {}
    if file and file.resolve() != _locate_own_file().resolve() and (code := list_named_code(values)):
        raise SettingsError(
            f"The {file} of this folder, which may be anyone's, names code ({', '.join(code)}): if you trust it, set "
            f"DRAFTROOM_CONFIG={file}, or move these settings to a file for `--preset` or to environment variables."
        )
    # Any model will do, though the source asks for one of pydantic-settings.
    environment = EnvSettingsSource(Settings, env_prefix="DRAFTROOM_", env_nested_delimiter="__")  # type: ignore[arg-type]
    try:
        return merge_settings(values, environment())
    except UnreadableVariable as error:
        raise SettingsError(f"An environment variable cannot be read: {error}.") from error


def _read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file of settings or of a preset; raise `SettingsError` if it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"The settings file {path} cannot be read: {error}.") from error
