/** The view of an article: beside its source, over its rounds, with what led to each and what nothing supports. */

import { useCallback, useMemo, useState } from "react";

import { editArticle, said } from "../api/client";
import type { JournalismResult, RunView } from "../api/types";
import { Diff } from "../parts/Diff";
import { EditText } from "../parts/EditText";
import { Markdown } from "../parts/Markdown";
import { Problem } from "../parts/Problem";
import { SourceText } from "../parts/SourceText";
import { VersionSlider } from "../parts/VersionSlider";
import { counted } from "../parts/words";
import { CurveFigure } from "./CurveFigure";
import { unsupportedIn } from "./facts";
import { Behind, ReadingNotes } from "./Round";

interface Props {
  view: RunView<JournalismResult>;
  again: () => Promise<void>;
}

export function Explain({ view, again }: Props) {
  const { result, source } = view;
  const drafts = result.drafts ?? [];
  const [chosen, setChosen] = useState<number | null>(null);
  const [changes, setChanges] = useState(false);
  const [editing, setEditing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");

  const last = drafts.at(-1)?.round ?? 0;
  const round = chosen ?? (result.article ? (result.selected_round ?? last) : last);
  const draft = drafts.find((each) => each.round === round);
  const before = drafts.filter((each) => each.round < round).at(-1);
  const assessment = result.assessments?.find((each) => each.round === round);
  const facts = useMemo(() => assessment?.unsupported ?? [], [assessment]);
  const marks = useCallback((words: string) => unsupportedIn(words, facts), [facts]);
  const title = useCallback(
    (id: string) => `The paper does not support this ${facts[Number(id.split(" ")[1])]?.kind ?? "detail"}`,
    [facts],
  );
  async function keep(text: string) {
    setBusy(true);
    setProblem("");
    try {
      const { round: number } = await editArticle(view.record.id, text);
      await again();
      setChosen(number);
      setChanges(true);
      setEditing(false);
    } catch (error) {
      setProblem(said(error));
    }
    setBusy(false);
  }
  if (!draft) return <p className="soft">There is no draft yet; “How it is made” shows who is at work.</p>;

  return (
    <>
      {(result.warnings ?? []).map((warning) => (
        <p key={warning} className="warning">
          {warning}
        </p>
      ))}
      <div className="bar">
        <VersionSlider
          label="Draft"
          first={0}
          last={last}
          shown={round}
          name={named(round, result.selected_round)}
          choose={(number) => (setChosen(number), setEditing(false))}
        />
        <span className="row">
          <label className="tick">
            <input type="checkbox" checked={changes && before !== undefined} disabled={!before || editing} onChange={(event) => setChanges(event.target.checked)} />
            Show what changed
          </label>
          <button type="button" aria-pressed={editing} disabled={!result.article} onClick={() => setEditing(!editing)}>
            Edit
          </button>
        </span>
      </div>
      <p className="small soft" role="status">
        {facts.length
          ? `${counted(facts.length, "detail")} of this draft ${facts.length === 1 ? "is" : "are"} not supported by the paper; marked in the text.`
          : assessment
            ? "The check found no detail that the paper does not support."
            : "This draft has not been checked yet."}
      </p>
      <div className="beside">
        <section aria-label="Article">
          {editing ? (
            <>
              <Problem text={problem} />
              <EditText
                label="The article, in Markdown"
                text={draft.text}
                busy={busy}
                keep={(text) => void keep(text)}
                close={() => setEditing(false)}
              />
            </>
          ) : (
            <div className="prose">
              {changes && before ? (
                <p className="changes">
                  <Diff before={before.text} after={draft.text} />
                </p>
              ) : (
                <Markdown text={draft.text} marks={marks} title={title} />
              )}
            </div>
          )}
          {facts.length > 0 && (
            <ul className="unsupported small">
              {facts.map((fact, number) => (
                <li key={number}>
                  Not supported: <b>{fact.text}</b> <span className="soft">({fact.kind})</span> in <q>{fact.sentence}</q>
                </li>
              ))}
            </ul>
          )}
          {round === result.selected_round && result.selected_because && (
            <p className="small soft">Chosen because it is {result.selected_because}.</p>
          )}
        </section>
        <section aria-label="Source">
          <SourceText source={source} />
        </section>
      </div>
      <div className="beside">
        <Behind result={result} draft={draft} />
        <div>
          <CurveFigure assessments={result.assessments ?? []} round={round} />
          <ReadingNotes result={result} round={round} />
        </div>
      </div>
    </>
  );
}

const named = (round: number, selected: number | undefined) =>
  `${round === 0 ? "0, the first" : round}${round === selected ? ", chosen" : ""}`;
