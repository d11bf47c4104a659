/** All runs: open one, go on with it, delete it. */

import { useState } from "react";

import { remove, resume, said } from "../api/client";
import type { RunInShort } from "../api/types";
import { Dialog } from "../parts/Dialog";
import { Problem } from "../parts/Problem";
import { DOING, STATES, grouped, when } from "../parts/words";

interface Props {
  runs: RunInShort[];
  problems: string[];
  changed: () => Promise<void>;
}

const RESUMABLE = new Set(["stopped", "interrupted", "failed"]);

export function RunList({ runs, problems, changed }: Props) {
  const [problem, setProblem] = useState("");
  const [doomed, setDoomed] = useState<RunInShort | null>(null);

  async function doing(what: () => Promise<unknown>) {
    setProblem("");
    try {
      await what();
    } catch (error) {
      setProblem(said(error));
    }
    await changed();
  }

  if (!runs.length && !problems.length) return <p className="soft">None yet. Those begun in the terminal stand here, too.</p>;
  return (
    <>
      <Problem text={problem} />
      {problems.map((text) => (
        <p key={text} className="problem small">
          {text}
        </p>
      ))}
      <ul className="runs plain">
        {runs.map((run) => (
          <li key={run.id}>
            <a className="open" href={`#/run/${encodeURIComponent(run.id)}`}>
              <span className="name">{run.name}</span>
              <span className="soft small">
                {DOING[run.system]} · {when(run.created)}
              </span>
            </a>
            <span className={`state ${run.status}`}>
              {STATES[run.status]}
              {run.status !== "done" && run.progress && ` · ${run.progress}`}
            </span>
            <span className="outcome small">
              {run.problem && run.status === "failed" ? run.problem : run.outcome}
              <span className="soft">
                {" "}
                {grouped(run.calls)} calls, {grouped(run.tokens)} tokens
              </span>
            </span>
            <span className="actions">
              {RESUMABLE.has(run.status) && (
                <button type="button" onClick={() => void doing(() => resume(run.id, null))}>
                  Resume<span className="unseen"> {run.name}</span>
                </button>
              )}
              <button type="button" onClick={() => setDoomed(run)}>
                Delete<span className="unseen"> {run.name}</span>
              </button>
            </span>
          </li>
        ))}
      </ul>
      {doomed && (
        <ConfirmDeletion
          run={doomed}
          close={() => setDoomed(null)}
          sure={() => void doing(() => remove(doomed.id)).then(() => setDoomed(null))}
        />
      )}
    </>
  );
}

function ConfirmDeletion({ run, close, sure }: { run: RunInShort; close: () => void; sure: () => void }) {
  return (
    <Dialog title="Delete this run?" close={close}>
      <p>
        {DOING[run.system]}: {run.name}, {when(run.created)}. Its result, its record and its checkpoints go; the paper stays
        where you have it.
      </p>
      <p className="row">
        <button type="button" className="danger" onClick={sure}>
          Delete it
        </button>
        <button type="button" onClick={close}>
          Keep it
        </button>
      </p>
    </Dialog>
  );
}
