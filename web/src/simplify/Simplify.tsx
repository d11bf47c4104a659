/** The view of a plain text: its sentences beside those of the source, with what was lost and who changed what. */

import { useMemo, useState } from "react";

import { editPlainText, said } from "../api/client";
import type { RunView, SimplificationResult, Version } from "../api/types";
import { EditText } from "../parts/EditText";
import { Problem } from "../parts/Problem";
import { VersionSlider } from "../parts/VersionSlider";
import { capital, counted, spoken } from "../parts/words";
import { Change, PairRow } from "./PairRow";
import type { Doing } from "./PairRow";
import { putBack, rowsOf, takenBack } from "./rows";

interface Props {
  view: RunView<SimplificationResult>;
  again: () => Promise<void>;
}

const NOT_ADVICE =
  "This text was written by language models. Nobody should act on it without the original: it may have lost or changed what matters, also what no check has found.";

export function Simplify({ view, again }: Props) {
  const { result, record } = view;
  const versions = result.versions ?? [];
  const [chosen, setChosen] = useState<number | null>(null);
  const [changes, setChanges] = useState(false);
  const [editing, setEditing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");

  const newest = versions.at(-1);
  const kept = versions.find((version) => result.simplified && version.number === result.selected_version) ?? newest;
  const shown = versions.find((version) => version.number === chosen) ?? kept;
  const source = versions[0]?.text ?? "";
  const { rows, others } = useMemo(
    () => rowsOf(source, shown?.text ?? "", shown?.lost ?? [], (result.all_changes ?? []).filter((change) => change.entry <= (shown?.number ?? 0))),
    [source, shown, result.all_changes],
  );
  if (!shown || shown.number === 0) return <p className="soft">There is no plain text yet; “How it is made” shows who is at work.</p>;
  const open = shown === kept && view.status === "done" && !busy;

  async function send(change: Promise<unknown>) {
    setBusy(true);
    setProblem("");
    try {
      await change;
      await again();
      setChosen(null);
      setEditing(false);
    } catch (error) {
      setProblem(said(error));
    }
    setBusy(false);
  }

  async function keep(text: string | null) {
    if (text === null) setProblem("These words are not in the text any more: later changes have replaced them.");
    else await send(editPlainText(record.id, text));
  }

  const doing: Doing = {
    putBack: (row) => void keep(putBack(shown.text, rows, rows.indexOf(row))),
    takeBack: (change) => void keep(takenBack(shown.text, change)),
  };

  return (
    <>
      <p className="advice">{result.note ?? NOT_ADVICE}</p>
      {(result.warnings ?? []).map((warning) => (
        <p key={warning} className="warning">
          {warning}
        </p>
      ))}
      <div className="bar">
        <VersionSlider
          label="Version"
          first={1}
          last={newest!.number}
          shown={shown.number}
          name={named(shown)}
          choose={(number) => (setChosen(number), setEditing(false))}
        />
        <span className="row">
          <label className="tick">
            <input type="checkbox" checked={changes} onChange={(event) => setChanges(event.target.checked)} />
            Show changed words
          </label>
          <button type="button" aria-pressed={editing} disabled={view.status !== "done" || shown !== kept} onClick={() => setEditing(!editing)}>
            Edit
          </button>
        </span>
      </div>
      <p role="status">
        Grade {versions[0]!.grade.toFixed(1)} → {shown.grade.toFixed(1)}, {versions[0]!.words} → {shown.words} words;{" "}
        {shown.lost.length === 0
          ? "the check found no lost detail."
          : `${counted(shown.lost.length, "detail")} lost or changed.`}
      </p>
      <Problem text={problem} />
      {editing ? (
        <EditText label="The plain text" text={shown.text} busy={busy} keep={(text) => void keep(text)} close={() => setEditing(false)} />
      ) : (
        <div className="pairs">
          <div className="pair heads" aria-hidden="true">
            <div>Source</div>
            <div>Plain text</div>
          </div>
          {rows.map((row, number) => (
            <PairRow key={number} row={row} changes={changes} open={open} {...doing} />
          ))}
        </div>
      )}
      {others.length > 0 && (
        <details className="card small">
          <summary>{counted(others.length, "change")} that later ones have replaced, or of headings</summary>
          {others.map((change, number) => (
            <Change key={number} change={change} open={false} takeBack={doing.takeBack} />
          ))}
        </details>
      )}
      <Glossary result={result} />
    </>
  );
}

const named = (version: Version) => `${version.number}, ${version.loop === "person" ? "edited by you" : `after the ${spoken(version.loop)}`}`;

function Glossary({ result }: { result: Partial<SimplificationResult> }) {
  if (!result.glossary?.length) return null;
  return (
    <section>
      <h2>Terms that were kept</h2>
      <dl className="terms">
        {result.glossary.map((entry) => (
          <div key={entry.term}>
            <dt>{capital(entry.term)}</dt>
            <dd>{entry.explanation}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
