import { capital } from "../parts/words";
import { EVERYTHING } from "./notes";
import type { Filter, Note } from "./notes";

interface Props {
  notes: Note[];
  shown: number;
  filter: Filter;
  change: (filter: Filter) => void;
  judged: boolean;
}

const DECISIONS = { open: "Open", accepted: "Accepted", dismissed: "Dismissed" };

/** Which notes are shown: by type, by what the checks made of them, by the person's decision. */
export function Filters({ notes, shown, filter, change, judged }: Props) {
  const labels = counts(notes.map((note) => note.label));
  const grades = counts(notes.map((note) => note.grade));
  const decisions = counts(notes.map((note) => note.judgement.decision));
  const filtered = filter.label || filter.grade || filter.decision;
  return (
    <div className="filters" role="group" aria-label="Filter">
      <Choice name="Type" options={labels} value={filter.label} change={(label) => change({ ...filter, label })} />
      <Choice name="Verdict or severity" options={grades} value={filter.grade} change={(grade) => change({ ...filter, grade })} />
      {judged && (
        <Choice
          name="Decision"
          options={decisions}
          value={filter.decision}
          change={(decision) => change({ ...filter, decision: decision as Filter["decision"] })}
          spell={(name) => DECISIONS[name as keyof typeof DECISIONS]}
        />
      )}
      <span className="soft small" role="status">
        {filtered ? `${shown} of ${notes.length} shown` : `${notes.length} in all`}
      </span>
      {filtered && (
        <button type="button" onClick={() => change(EVERYTHING)}>
          Show all
        </button>
      )}
    </div>
  );
}

interface ChoiceProps {
  name: string;
  options: Map<string, number>;
  value: string;
  change: (value: string) => void;
  spell?: (name: string) => string;
}

function Choice({ name, options, value, change, spell = capital }: ChoiceProps) {
  return (
    <label>
      <span className="small soft">{name}</span>
      <select value={value} onChange={(event) => change(event.target.value)}>
        <option value="">All</option>
        {[...options].map(([option, number]) => (
          <option key={option} value={option}>
            {spell(option)} ({number})
          </option>
        ))}
      </select>
    </label>
  );
}

function counts(names: string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const name of names.sort()) found.set(name, (found.get(name) ?? 0) + 1);
  return found;
}
