/** One run: how it goes, and what came of it. */

import { useCallback, useState } from "react";

import { exportAddress, view } from "./api/client";
import type { FeedbackResult, JournalismResult, RunView, SimplificationResult } from "./api/types";
import { useLoaded } from "./api/use";
import { Explain } from "./explain/Explain";
import { Problem } from "./parts/Problem";
import { DOING, STATES, when } from "./parts/words";
import { Review } from "./review/Review";
import { Simplify } from "./simplify/Simplify";
import { useStream } from "./watch/useStream";
import { Watch } from "./watch/Watch";

const WITH_STREAM = 5000; // milliseconds between two looks at the run: for its costs, and for what the stream does not tell
const WITHOUT = 2000;

type Tab = "result" | "making";

export function Run({ id }: { id: string }) {
  const load = useCallback(() => view(id), [id]);
  const [every, setEvery] = useState(0);
  const loaded = useLoaded<RunView>(load, every);
  const [tab, setTab] = useState<Tab | null>(null);
  const run = loaded.value;
  const again = loaded.again;
  const ended = useCallback(() => void again(), [again]);
  const { progress, live } = useStream(run?.record.system ?? null, run?.thread ?? "", run?.run ?? null, ended);
  const needed = run?.status !== "running" ? 0 : live ? WITH_STREAM : WITHOUT;
  if (every !== needed) setEvery(needed);
  if (!run) return <>{loaded.problem ? <Problem text={loaded.problem} again={() => void again()} /> : <p>Loading …</p>}</>;
  const shown = tab ?? (run.status === "done" ? "result" : "making");
  return (
    <div className="run">
      <header className="of-run">
        <div>
          <h1>{run.source.title || run.record.input.name}</h1>
          <p className="soft small">
            {DOING[run.record.system]} · {run.record.input.name} · {when(run.record.created)} ·{" "}
            <span className={`state ${run.status}`}>{STATES[run.status]}</span>
          </p>
        </div>
        <Export run={run} />
      </header>
      <Problem text={loaded.problem} again={() => void again()} />
      {run.source.warnings.map((warning) => (
        <p key={warning} className="warning small">
          {warning}
        </p>
      ))}
      <NotAsPublished sentences={run.result?.not_as_published ?? []} />
      <nav className="tabs" aria-label="Views of this run">
        {(["result", "making"] as const).map((name) => (
          <button key={name} type="button" aria-current={shown === name ? "page" : undefined} onClick={() => setTab(name)}>
            {name === "result" ? "Result" : "How it is made"}
          </button>
        ))}
      </nav>
      {shown === "making" ? <Watch view={run} progress={progress} again={again} /> : <Result run={run} again={again} />}
    </div>
  );
}

function Result({ run, again }: { run: RunView; again: () => Promise<void> }) {
  switch (run.record.system) {
    case "focused_feedback":
      return <Review view={run as RunView<FeedbackResult>} />;
    case "science_journalism":
      return <Explain view={run as RunView<JournalismResult>} again={again} />;
    case "medical_simplification":
      return <Simplify view={run as RunView<SimplificationResult>} again={again} />;
  }
}

function NotAsPublished({ sentences }: { sentences: string[] }) {
  if (!sentences.length) return null;
  return (
    <details className="small">
      <summary>What is not as published</summary>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </details>
  );
}

const FORMATS: Record<string, string> = {
  ".pdf": "PDF with the comments in it",
  ".docx": "Word",
  ".tex": "LaTeX",
  ".md": "Markdown",
  ".html": "Web page, one file",
  ".json": "JSON, with everything",
};

function Export({ run }: { run: RunView }) {
  if (!run.formats.length) return null;
  return (
    <details className="menu">
      <summary>Export</summary>
      <ul className="plain">
        {run.formats.map((format) => (
          <li key={format}>
            <a href={exportAddress(run.record.id, format)} download>
              {FORMATS[format] ?? format}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
