/** How a run is made: the figure, who is at work, what was said, what it costs, and what the person can do. */

import { useEffect, useMemo, useState } from "react";

import { resume, said, stop } from "../api/client";
import type { RunView, Usage } from "../api/types";
import { Problem } from "../parts/Problem";
import { capital, duration, grouped, spoken } from "../parts/words";
import { GraphFigure } from "./GraphFigure";
import type { Progress, Work } from "./progress";
import { QuestionForm } from "./QuestionForm";
import { sayings, together } from "./sayings";
import type { Saying, Written } from "./sayings";

interface Props {
  view: RunView;
  progress: Progress;
  again: () => Promise<void>;
}

const AT_WORK = "draftroom.at-work"; // the run that this tab has seen at work last
const RESUMABLE = ["stopped", "interrupted", "failed"];

export function Watch({ view, progress, again }: Props) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const { record, result, status, question } = view;
  const working = [...progress.working.values()];
  const story = useMemo(
    () => together(sayings(record.system, result as Written), progress.said),
    [record.system, result, progress.said],
  );
  const calls = useMemo(() => sums(record.usage, "calls"), [record.usage]);

  async function act(what: () => Promise<unknown>) {
    setBusy(true);
    setProblem("");
    try {
      await what();
    } catch (error) {
      setProblem(said(error));
    }
    await again();
    setBusy(false);
  }

  // A run that this tab has seen at work, and whose server was killed, goes on by itself: nobody has stopped it.
  useEffect(() => {
    if (status === "running") sessionStorage.setItem(AT_WORK, record.id);
    else if (sessionStorage.getItem(AT_WORK) === record.id) {
      sessionStorage.removeItem(AT_WORK);
      if (status === "interrupted") void act(() => resume(record.id, null));
    }
  }, [record.id, status]);

  const failure = status === "failed" ? record.failures.at(-1)?.message : undefined;
  return (
    <div className="watch">
      <div className="aside">
        <GraphFigure system={record.system} working={new Set(working.map((work) => work.role))} waiting={question !== null} calls={calls} />
        <p className="row">
          {status === "running" && (
            <button type="button" disabled={busy} onClick={() => void act(() => stop(record.id))}>
              {busy ? "Stopping …" : "Stop"}
            </button>
          )}
          {RESUMABLE.includes(status) && (
            <button type="button" className="primary" disabled={busy} onClick={() => void act(() => resume(record.id, null))}>
              {busy ? "Going on …" : "Resume"}
            </button>
          )}
          {status === "running" && <span className="small soft">Closing this page stops nothing.</span>}
          {RESUMABLE.includes(status) && <span className="small soft">No answered call is asked again.</span>}
        </p>
        <Problem text={problem} />
        {failure && <p className="problem">{failure}</p>}
        <Costs usage={record.usage} working={working} />
      </div>
      <div className="story">
        {question && <QuestionForm key={question.round ?? 0} question={question} busy={busy} answer={(answer) => void act(() => resume(record.id, answer))} />}
        <Now working={working} running={status === "running"} />
        <h2>Said so far</h2>
        {story.length === 0 && <p className="soft">Nothing yet.</p>}
        {story.toReversed().map((saying) => (
          <Said key={[saying.role, ...saying.lines].join()} saying={saying} />
        ))}
      </div>
    </div>
  );
}

function Now({ working, running }: { working: Work[]; running: boolean }) {
  if (!running) return null;
  return (
    <section aria-label="At work now">
      <h2>Now</h2>
      <p className="unseen" role="status">
        {working.length ? `At work: ${working.map((work) => spoken(work.role)).join(", ")}` : "Waiting for a model"}
      </p>
      {working.length === 0 && <p className="soft">Between two calls …</p>}
      {working.map((work) => (
        <div className="saying now" key={work.role + work.step + work.round}>
          <h3>
            {capital(spoken(work.role))}{" "}
            <span className="soft small">
              {spoken(work.step)}, {work.model}
              {work.calls > 1 && `, ${work.calls} at once`} · {work.tokens ? `${grouped(work.tokens)} tokens` : "reading"}
            </span>
          </h3>
          {work.text && <p className="words-so-far">{work.text}</p>}
        </div>
      ))}
    </section>
  );
}

function Said({ saying }: { saying: Saying }) {
  const lines = saying.lines.filter(Boolean);
  const long = lines.join(" ").length > 600;
  const body = lines.map((text, number) => <p key={number}>{text}</p>);
  return (
    <article className="saying">
      <h3>
        {capital(spoken(saying.role))} <span className="soft small">{saying.title}</span>
      </h3>
      {long ? (
        <details>
          <summary>{lines[0]!.slice(0, 120)} …</summary>
          {body}
        </details>
      ) : (
        body
      )}
    </article>
  );
}

function sums(usage: Usage[], what: "calls" | "input_tokens" | "output_tokens" | "seconds"): Map<string, number> {
  const total = new Map<string, number>();
  for (const part of usage) total.set(part.role, (total.get(part.role) ?? 0) + part[what]);
  return total;
}

function Costs({ usage, working }: { usage: Usage[]; working: Work[] }) {
  const [calls, read, wrote, seconds] = (["calls", "input_tokens", "output_tokens", "seconds"] as const).map((what) => sums(usage, what));
  const roles = [...new Set([...calls!.keys(), ...working.map((work) => work.role)])];
  if (!roles.length) return null;
  const now = (role: string) => working.filter((work) => work.role === role).reduce((sum, work) => sum + work.tokens, 0);
  return (
    <table className="costs">
      <caption>Tokens and time by role</caption>
      <thead>
        <tr>
          <th scope="col">Role</th>
          <th scope="col">Calls</th>
          <th scope="col">Read</th>
          <th scope="col">Written</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {roles.map((role) => (
          <tr key={role}>
            <th scope="row">{capital(spoken(role))}</th>
            <td>{calls!.get(role) ?? 0}</td>
            <td>{grouped(read!.get(role) ?? 0)}</td>
            <td>
              {grouped(wrote!.get(role) ?? 0)}
              {now(role) > 0 && <span className="soft"> + {grouped(now(role))}</span>}
            </td>
            <td>{duration(seconds!.get(role) ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
