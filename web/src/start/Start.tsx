/** The first view: give a paper, say what is to be done with it, and see all runs. */

import { useState } from "react";

import { begin, examplePaper, runs, said, start } from "../api/client";
import type { Given } from "../api/client";
import type { Example, Start, Verb } from "../api/types";
import { useLoaded, useRemembered } from "../api/use";
import { Problem } from "../parts/Problem";
import { Endpoints } from "./Endpoints";
import { Examples } from "./Examples";
import { GivePaper } from "./GivePaper";
import { RunList } from "./RunList";
import { SettingsForm } from "./SettingsForm";

export function StartView() {
  const offered = useLoaded<Start>(start);
  const all = useLoaded(runs, 4000);
  return (
    <div className="start">
      <h1>What shall we work on?</h1>
      <Problem text={offered.problem} again={() => void offered.again()} />
      {offered.value && (
        <div className="begin">
          <Begin start={offered.value} isFirst={all.value?.runs.length === 0} />
          <Endpoints endpoints={offered.value.endpoints} again={offered.again} />
        </div>
      )}
      <section aria-labelledby="runs">
        <h2 id="runs">Runs</h2>
        <Problem text={all.problem} again={() => void all.again()} />
        {all.value && <RunList runs={all.value.runs} problems={all.value.problems ?? []} changed={all.again} />}
      </section>
      {offered.value && <p className="soft small">Draftroom {offered.value.version}. Everything stays on this machine.</p>}
    </div>
  );
}

function Begin({ start, isFirst }: { start: Start; isFirst: boolean }) {
  const [verb, setVerb] = useRemembered<Verb | "check">("verb", "review");
  const [given, setGiven] = useState<Given>({});
  const [chosen, setChosen] = useState<Record<string, Record<string, unknown>>>({});
  const [section, setSection] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const offer = start.systems.find((system) => system.verb === verb);

  async function take(example: Example) {
    setProblem("");
    try {
      setGiven({ file: await examplePaper(example.paper) });
      setVerb(example.verb);
    } catch (error) {
      setProblem(said(error));
    }
  }

  async function go() {
    if (!given.file && !given.text?.trim()) {
      setProblem("Give a paper first: drop or choose a file, or paste its text.");
      return;
    }
    if (verb === "check") {
      pending.given = given;
      location.hash = "#/check";
      return;
    }
    setBusy(true);
    setProblem("");
    try {
      const { id } = await begin(verb, given, chosen[verb] ?? {}, verb === "review" ? { section } : {});
      location.hash = `#/run/${encodeURIComponent(id)}`;
    } catch (error) {
      setProblem(said(error));
      setBusy(false);
    }
  }

  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        void go();
      }}
    >
      {isFirst && <Examples examples={start.examples} take={(example) => void take(example)} />}
      <GivePaper given={given} change={setGiven} suffixes={start.suffixes} maxBytes={start.max_bytes} />
      <fieldset className="verbs">
        <legend>What is to be done</legend>
        {[...start.systems, CHECK].map((each) => (
          <label key={each.verb} className="verb">
            <input type="radio" name="verb" checked={verb === each.verb} onChange={() => setVerb(each.verb)} />
            <span>
              <b>{each.title}</b>
              <span className="soft">{each.summary}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {offer && (
        <SettingsForm
          key={verb}
          schema={offer.settings}
          presets={start.presets}
          chosen={chosen[verb] ?? {}}
          change={(settings) => setChosen({ ...chosen, [verb]: settings })}
        >
          {verb === "review" && (
            <label className="field">
              <span>Only the sections whose heading contains</span>
              <input value={section} onChange={(event) => setSection(event.target.value)} placeholder="all of them" />
            </label>
          )}
        </SettingsForm>
      )}
      <Problem text={problem} />
      <button className="primary" disabled={busy}>
        {busy ? "Reading the paper …" : `${offer?.title ?? CHECK.title} this paper`}
      </button>
    </form>
  );
}

const CHECK = {
  verb: "check" as const,
  title: "Check",
  summary: "What a paper contradicts in itself, computed at once; no model is asked",
};

/** A paper on its way to the view that checks it. */
export const pending: { given: Given | null } = { given: null };
