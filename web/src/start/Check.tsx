/** What a paper contradicts in itself, beside its words; no model is asked. */

import { useEffect, useState } from "react";

import { check, said, start } from "../api/client";
import type { Given } from "../api/client";
import type { PaperReport } from "../api/types";
import { useLoaded } from "../api/use";
import { Problem } from "../parts/Problem";
import { counted } from "../parts/words";
import { notesOfCheck } from "../review/notes";
import { PaperWithNotes } from "../review/PaperWithNotes";
import { GivePaper } from "./GivePaper";
import { pending } from "./Start";

export function Check() {
  const offered = useLoaded(start);
  const [given, setGiven] = useState<Given>(() => pending.given ?? {});
  const [found, setFound] = useState<PaperReport | null>(null);
  const [references, setReferences] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");

  async function look(paper: Given) {
    setBusy(true);
    setProblem("");
    try {
      setFound(await check(paper, references));
    } catch (error) {
      setProblem(said(error));
    }
    setBusy(false);
  }

  useEffect(() => {
    const paper = pending.given;
    pending.given = null;
    if (paper) void look(paper);
  }, []);

  return (
    <div className="check">
      <h1>Check a paper</h1>
      <p className="lead">
        Percentages, sums, test statistics, intervals, references to figures, tables and sections: what a paper contradicts in
        itself, computed. No model is asked, and nothing leaves this machine unless you have the references looked up.
      </p>
      <Problem text={offered.problem || problem} />
      {offered.value && (
        <form
          className="card"
          onSubmit={(event) => {
            event.preventDefault();
            void look(given);
          }}
        >
          <GivePaper given={given} change={setGiven} suffixes={offered.value.suffixes} maxBytes={offered.value.max_bytes} />
          <label className="tick">
            <input type="checkbox" checked={references} onChange={(event) => setReferences(event.target.checked)} />
            Look the references up at Crossref and OpenAlex, which are told their DOIs and titles
          </label>
          <button className="primary" disabled={busy || !(given.file ?? given.text?.trim())}>
            {busy ? "Computing …" : "Check this paper"}
          </button>
        </form>
      )}
      <div aria-live="polite">
        {found && (
          <p>
            {found.findings.length
              ? `${counted(found.findings.length, "finding")} in ${counted(found.source.paragraphs.length, "paragraph")}.`
              : "Nothing that the computations can see contradicts itself."}
          </p>
        )}
        {found && <WhatWasRead report={found} />}
      </div>
      {found && found.findings.length > 0 && <PaperWithNotes source={found.source} notes={notesOfCheck(found.findings)} />}
    </div>
  );
}

function WhatWasRead({ report }: { report: PaperReport }) {
  const read = Object.entries(report.read).map(([kind, number]) => counted(number, kind));
  return (
    <>
      <p className="soft small">
        Read: {read.join(", ")}.{report.left_out > 0 && ` Left out: ${counted(report.left_out, "finding")} of low severity.`}
        {!report.references_looked_up && " Whether the references exist was not looked up."}
      </p>
      {report.unread.map((each) => (
        <p key={each} className="warning small">
          {`Not read: ${each}.`}
        </p>
      ))}
    </>
  );
}
