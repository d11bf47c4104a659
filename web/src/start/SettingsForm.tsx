/** The few settings that matter, drawn from the system's own JSON schema. Only what was changed is sent. */

import type { ReactNode } from "react";

import type { Schema } from "../api/types";
import { capital, spoken } from "../parts/words";

type Settings = Record<string, unknown>;

interface Props {
  schema: Schema;
  presets: string[];
  chosen: Settings;
  change: (settings: Settings) => void;
  children?: ReactNode;
}

export function SettingsForm({ schema, presets, chosen, change, children }: Props) {
  function set(name: string, value: unknown) {
    const rest = Object.fromEntries(Object.entries(chosen).filter(([key]) => key !== name));
    change(value === undefined ? rest : { ...rest, [name]: value });
  }
  const changed = Object.keys(chosen).length;
  return (
    <details className="settings">
      <summary>Settings{changed > 0 && ` (${changed} changed)`}</summary>
      <div className="fields">
        {children}
        <label className="field">
          <span>Start from</span>
          <select value={String(chosen["preset"] ?? "")} onChange={(event) => set("preset", event.target.value || undefined)}>
            <option value="">my settings</option>
            {presets.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {Object.entries(schema.properties ?? {}).map(([name, field]) => (
          <Field key={name} name={name} schema={field} value={chosen[name] ?? field.default} set={(value) => set(name, value)} />
        ))}
      </div>
    </details>
  );
}

interface FieldProps {
  name: string;
  schema: Schema;
  value: unknown;
  /** Undefined takes the choice back, so that the default holds. */
  set: (value: unknown) => void;
}

function Field({ name, schema, value, set }: FieldProps) {
  const label = capital(spoken(name));
  const described = schema.description ? `about-${name}` : undefined;
  const about = described && (
    <span className="soft small" id={described}>
      {schema.description}
    </span>
  );
  if (schema.type === "boolean")
    return (
      <div className="field">
        <label className="tick">
          <input type="checkbox" checked={value === true} aria-describedby={described} onChange={(event) => set(event.target.checked)} />
          {label}
        </label>
        {about}
      </div>
    );
  if (schema.items?.enum)
    return <Choices label={label} about={about} schema={schema} value={value} set={set} />;
  return (
    <label className="field">
      <span>{label}</span>
      {schema.enum ? (
        <select value={String(value)} aria-describedby={described} onChange={(event) => set(event.target.value)}>
          {schema.enum.map((option) => (
            <option key={String(option)}>{String(option)}</option>
          ))}
        </select>
      ) : (
        <NumberOrText schema={schema} value={value} set={set} described={described} />
      )}
      {about}
    </label>
  );
}

function Choices({ label, about, schema, value, set }: Omit<FieldProps, "name"> & { label: string; about: ReactNode }) {
  const taken = Array.isArray(value) ? value : [];
  return (
    <fieldset className="field choices">
      <legend>{label}</legend>
      {schema.items!.enum!.map((option) => (
        <label className="tick" key={String(option)}>
          <input
            type="checkbox"
            checked={taken.includes(option)}
            onChange={(event) => set(schema.items!.enum!.filter((each) => (each === option ? event.target.checked : taken.includes(each))))}
          />
          {spoken(String(option))}
        </label>
      ))}
      {about}
    </fieldset>
  );
}

function NumberOrText({ schema, value, set, described }: Omit<FieldProps, "name"> & { described: string | undefined }) {
  const kind = schema.type ? schema : (schema.anyOf?.find((each) => each.type !== "null") ?? schema);
  const numeric = kind.type === "integer" || kind.type === "number";
  return (
    <input
      type={numeric ? "number" : "text"}
      min={kind.minimum}
      max={kind.maximum}
      step={kind.type === "number" ? "any" : 1}
      aria-describedby={described}
      placeholder={schema.default === null ? "none" : undefined}
      value={value === null || value === undefined ? "" : String(value)}
      onChange={(event) => {
        const text = event.target.value;
        set(text === "" ? undefined : numeric ? Number(text) : text);
      }}
    />
  );
}
