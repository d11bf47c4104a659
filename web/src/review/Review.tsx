/** The view of a review: the paper, its notes, and what else the run has to say. */

import { useCallback, useEffect, useMemo, useState } from "react";

import { decide, said } from "../api/client";
import type { FeedbackResult, Judgement, RunView } from "../api/types";
import { Problem } from "../parts/Problem";
import { capital, counted, place } from "../parts/words";
import { Earlier } from "./Earlier";
import { NextVersion } from "./NextVersion";
import { OPEN, byGravity, notesOfReview, shownFindings } from "./notes";
import { PaperWithNotes } from "./PaperWithNotes";

export function Review({ view }: { view: RunView<FeedbackResult> }) {
  const { result, source } = view;
  const [decisions, setDecisions] = useState(view.decisions);
  const [problem, setProblem] = useState("");
  useEffect(() => setDecisions(view.decisions), [view.decisions]);

  const id = view.record.id;
  const judge = useCallback(
    (comment: string, judgement: Judgement) => {
      let before: Judgement | undefined;
      setProblem("");
      setDecisions((all) => {
        before = all[comment];
        return { ...all, [comment]: judgement };
      });
      decide(id, comment, judgement).catch((error: unknown) => {
        setDecisions((all) => ({ ...all, [comment]: before ?? OPEN }));
        setProblem(`The decision was not kept: ${said(error)}`);
      });
    },
    [id],
  );
  const notes = useMemo(() => notesOfReview(result, source, decisions), [result, source, decisions]);
  const findings = shownFindings(result).length;
  const suspicions = (result.suspicions ?? []).filter((suspicion) => !suspicion.pursued);
  // What stands above the paper is read first: text for models, and what became of earlier comments.
  const opens = view.status === "done" && !result.findings?.length && !result.earlier?.length;
  const decided = notes.filter((note) => note.judgement.decision !== "open").length;
  return (
    <>
      <p className="lead">
        {counted(notes.filter((note) => note.origin === "comment").length, "comment")} on{" "}
        {counted(result.reviews?.length ?? 0, "paragraph")}
        {findings > 0 && `, ${counted(findings, "computed finding")}`}
        {decided > 0 && `; ${decided} decided`}.
      </p>
      <Problem text={problem} />
      <Hidden found={result.findings ?? []} />
      {view.status === "done" && <NextVersion since={id} />}
      <Earlier comments={result.earlier ?? []} />
      <PaperWithNotes
        source={source}
        notes={notes}
        suspicions={suspicions}
        first={opens ? (byGravity(notes).find((note) => note.judgement.decision === "open") ?? notes[0])?.id : undefined}
        pdf={source.format === "pdf" ? id : undefined}
        judge={judge}
      />
      <Silent result={result} />
    </>
  );
}

/** Text of the paper that addresses a language model, or that a reader cannot see. */
function Hidden({ found }: { found: FeedbackResult["findings"] }) {
  if (!found.length) return null;
  return (
    <details className="card">
      <summary>{counted(found.length, "passage")} that address a language model, or that a reader cannot see</summary>
      <ul>
        {found.map((finding, number) => (
          <li key={number}>
            <q>{finding.quote}</q> ({finding.place}
            {finding.page ? `, page ${finding.page}` : ""}): {finding.explanation}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Paragraphs without a comment, and why. */
function Silent({ result }: { result: Partial<FeedbackResult> }) {
  const silent = (result.reviews ?? []).filter((review) => review.outcome !== "comment");
  if (!silent.length) return null;
  return (
    <details className="card">
      <summary>{counted(silent.length, "paragraph")} without a comment, and why</summary>
      <ul>
        {silent.map((review) => (
          <li key={review.paragraph}>
            <b>{place(review)}</b>: {capital(review.outcome)}
            {review.problem && `. ${review.problem}`}
          </li>
        ))}
      </ul>
    </details>
  );
}
