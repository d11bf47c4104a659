"""Where settings come from. Each source overrides the one before: preset, settings file, environment, overrides.

The overrides are the flags of the command, the `context` of a Python call, or Studio's form; all are resolved here.

A preset that the file or the environment names is what they start from. One that the overrides name is chosen for the
run and comes over both, field by field (`apply_preset`); a role that it samples is sampled by it alone, and endpoints
and what their servers can do stay those of file and environment. The tables of a preset that says `whole = true` stand
for the others' as a whole, but for endpoints and what a system's settings call `places`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_config_path
from pydantic import ValidationError
from pydantic_settings import EnvSettingsSource
from pydantic_settings import SettingsError as UnreadableVariable

from state.errors import SettingsError
from state.model_settings import ADDRESS_FIELDS, SAMPLING_FIELDS
from state.settings import SYSTEM_TABLES, RunContext, Settings, describe_validation_error

ModelTables = Mapping[Any, Mapping[str, Any]]
"""Tables of models by role."""
PRESETS = Path(__file__).parent.parent / "presets"
DEFAULT_PRESET = "laptop"
"""Where nothing names a model: the one of `draftroom models up`."""
OTHER_VARIABLES = {
    "DRAFTROOM_HOME",
    "DRAFTROOM_CONFIG",
    "DRAFTROOM_VLLM_PYTHON",
    "DRAFTROOM_LLAMA_CPP_PYTHON",
    "DRAFTROOM_TRACING",
}


def load_settings(overrides: Mapping[str, Any] | None = None) -> Settings:
    """Merge all sources into one checked `Settings`.

    Args:
        overrides: Nested values that win over every other source, for example `{"journalism": {"rounds": 5}}`.

    Raises:
        SettingsError: If a source cannot be read, or holds an unknown key or a value out of bounds.
    """
    file = find_settings_file()
    lasting, chosen = merge_settings(_read_toml(file) if file else {}, _read_environment()), overrides or {}
    values = merge_settings(lasting, chosen)
    if preset := chosen.get("preset"):
        values = merge_settings(apply_preset(str(preset), lasting, chosen), chosen)
    elif preset := lasting.get("preset"):
        values = merge_settings(_load_preset(str(preset), values)[0], values)
    if not any(ADDRESS_FIELDS & set(table) for table in _select_model_tables(values).values()):
        # Nothing says which model to use: the default one comes with the sampling it needs.
        values = merge_settings(_read_toml(locate_preset(DEFAULT_PRESET)), values)
    return _validate_settings(values)


def apply_preset(name: str, values: Mapping[str, Any], chosen: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A preset that is chosen for a run, with what other settings say of where things are.

    Of tables that a `whole` preset stands for, only their `places` stay, and `[limits]` if one of the models is sent
    them in its schemas: it needs them.

    Args:
        name: Of the preset, or its path.
        values: The other settings: those of file and environment, or those on record of an evaluation.
        chosen: What is going to be laid over the result.

    Raises:
        SettingsError: If there is no such preset, or one of the sources cannot be used.
    """
    others = _validate_settings(values)
    preset, whole = _load_preset(name, merge_settings(values, chosen or {}))
    needs_limits = any(others.resolve_model_settings(role).schema_limits for role in others.models)
    replaced = preset.keys() & ({*SYSTEM_TABLES} if needs_limits else {*SYSTEM_TABLES, "limits"}) if whole else set()
    below = others.model_dump(exclude_unset=True, exclude={*replaced})
    places = {table: SYSTEM_TABLES[table].places for table in replaced & SYSTEM_TABLES.keys()}
    below |= others.model_dump(exclude_unset=True, include=places)
    below["preset"] = name
    below["models"] = _remove_sampling(others.models, _select_model_tables(preset))
    addresses = {role: _omit_fields({*SAMPLING_FIELDS, "max_tokens"}, fields) for role, fields in others.models.items()}
    return merge_settings(merge_settings(below, preset), {"models": addresses})


def resolve_settings(context: RunContext) -> Settings:
    """The settings of a run: as a run before has resolved them, or from all sources, with its choices over them.

    Raises:
        SettingsError: As for `load_settings`.
    """
    return (
        load_settings(context.build_overrides()) if context.resolved is None else _validate_settings(context.resolved)
    )


def list_setting_deviations(frozen: Mapping[str, Any], table: str, roles: Collection[str]) -> list[str]:
    """List the settings of a run that are not those of the preset `paper`, as `name = value`.

    Of `roles`, who are asked, those that the preset samples are compared. Of the system's `places` only those are that
    let a person take part, or a review of the paper be read.
    """
    paper = _validate_settings(_load_preset("paper", {})[0])
    sampled = [role for role in roles if paper.models.get(role, {}).keys() & SAMPLING_FIELDS]
    of_model = {*SAMPLING_FIELDS, "max_tokens", "extra_body", "schema_limits"}
    published = {
        **getattr(paper, table).model_dump(mode="json", exclude=SYSTEM_TABLES[table].places),
        "limits": paper.limits.model_dump(),
        "models": {role: paper.resolve_model_settings(role).model_dump(include=of_model) for role in sampled},
    }
    told = getattr(paper, table).model_dump(mode="json", include={"pause": True, "literature": {"blocked_hosts"}})
    own = {**frozen, **frozen[table]}
    return sorted([*_iterate_differences(own, published), *_iterate_differences(own, told)])


def _iterate_differences(own: Mapping[str, Any], published: Mapping[str, Any], within: str = "") -> Iterator[str]:
    for name, value in published.items():
        if isinstance(value, Mapping) and name != "extra_body":
            yield from _iterate_differences(own[name], value, f"{within}{name}.")
        elif own[name] != value:
            yield f"{within}{name} = {own[name]}"


def _validate_settings(values: Mapping[str, Any]) -> Settings:
    try:
        return Settings(**values)
    except ValidationError as error:
        raise SettingsError(f"The settings cannot be used: {describe_validation_error(error)}.") from error


def _load_preset(name: str, over: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """A preset, and whether its tables are whole.

    If it and the settings over it both name a model for all roles, it names none for single ones.
    """
    preset = _read_toml(locate_preset(name))
    whole = preset.pop("whole", False)
    if not isinstance(whole, bool):
        raise SettingsError(f"In the preset {name}, `whole` must be true or false.")
    models = _select_model_tables(preset)
    if not all("model" in each.get("default", {}) for each in (models, _select_model_tables(over))):
        return preset, whole
    of_roles = {role: _omit_fields(ADDRESS_FIELDS, fields) for role, fields in models.items() if role != "default"}
    return {**preset, "models": {**models, **of_roles}}, whole


def _remove_sampling(models: ModelTables, preset: ModelTables) -> dict[str, Any]:
    """Models without the sampling that a preset's takes the place of, be it of a role or of `default`."""
    sampled = {role for role, fields in preset.items() if fields.keys() & SAMPLING_FIELDS}
    if "default" in sampled:
        return {role: _omit_fields(SAMPLING_FIELDS, fields) for role, fields in models.items()}
    left = {
        role: _omit_fields(SAMPLING_FIELDS, fields) if role in sampled else fields for role, fields in models.items()
    }
    return merge_settings(left, {role: dict.fromkeys(SAMPLING_FIELDS) for role in sampled})


def _omit_fields(names: Collection[str], fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


def _select_model_tables(values: Mapping[str, Any]) -> ModelTables:
    """The tables of models in settings that are not checked yet."""
    models = values.get("models")
    tables = models.items() if isinstance(models, Mapping) else ()
    return {role: table for role, table in tables if isinstance(table, Mapping)}


def merge_settings(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Lay `over` on `base`: nested tables are merged, every other value is replaced."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = (
            merge_settings(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
        )
    return merged


def list_presets() -> list[str]:
    """Names of the presets that come with Draftroom."""
    return sorted(path.stem for path in PRESETS.glob("*.toml"))


def locate_preset(name: str) -> Path:
    """Find a preset by name or by path.

    Raises:
        SettingsError: If there is none; lists those that exist.
    """
    own = PRESETS / f"{name}.toml"
    path = own if own.is_file() else Path(name).expanduser()
    if not path.is_file():
        raise SettingsError(f"There is no preset {name!r}; choose one of {', '.join(list_presets())}, or give a file.")
    return path


def find_settings_file() -> Path | None:
    """The settings file in use: `$DRAFTROOM_CONFIG`, else `./draftroom.toml`, else the user's, else none."""
    named = os.environ.get("DRAFTROOM_CONFIG")
    if named:
        return Path(named).expanduser()
    candidates = (Path("draftroom.toml"), user_config_path("draftroom", appauthor=False) / "draftroom.toml")
    return next((path for path in candidates if path.is_file()), None)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"The settings file {path} cannot be read: {error}.") from error


def _read_environment() -> dict[str, Any]:
    fields = {f"DRAFTROOM_{name.upper()}" for name in Settings.model_fields}
    for variable in os.environ:
        known = variable in OTHER_VARIABLES or variable.split("__")[0] in fields
        if variable.startswith("DRAFTROOM_") and not known:
            raise SettingsError(
                f"The environment variable {variable} is not a setting; see .env.example for those that are."
            )
    try:
        return EnvSettingsSource(Settings)()
    except UnreadableVariable as error:
        raise SettingsError(f"An environment variable cannot be read: {error}.") from error
