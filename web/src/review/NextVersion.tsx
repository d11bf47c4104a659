/** The next version of a draft: its comments are carried over, and only what changed is reviewed again. */

import { useState } from "react";

import { begin, said, start } from "../api/client";
import type { Given } from "../api/client";
import type { Start } from "../api/types";
import { useLoaded } from "../api/use";
import { Problem } from "../parts/Problem";
import { GivePaper } from "../start/GivePaper";
import { SettingsForm } from "../start/SettingsForm";

/** @param since - The review of the version before. */
export function NextVersion({ since }: { since: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="card next" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The next version: give the revised draft</summary>
      {open && <GiveRevised since={since} />}
    </details>
  );
}

function GiveRevised({ since }: { since: string }) {
  const offered = useLoaded<Start>(start);
  const [given, setGiven] = useState<Given>({});
  const [settings, setSettings] = useState<Record<string, unknown>>({});
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const review = offered.value?.systems.find((system) => system.verb === "review");
  if (!offered.value || !review) return <Problem text={offered.problem} again={() => void offered.again()} />;

  async function go() {
    setBusy(true);
    setProblem("");
    try {
      const { id } = await begin("review", given, settings, { since });
      location.hash = `#/run/${encodeURIComponent(id)}`;
    } catch (error) {
      setProblem(said(error));
      setBusy(false);
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void go();
      }}
    >
      <p className="small soft">
        Only paragraphs that changed are reviewed. Comments that you have not dismissed are carried over, as addressed, still
        open or gone.
      </p>
      <GivePaper given={given} change={setGiven} suffixes={offered.value.suffixes} maxBytes={offered.value.max_bytes} />
      <SettingsForm schema={review.settings} presets={offered.value.presets} chosen={settings} change={setSettings} />
      <Problem text={problem} />
      <button className="primary" disabled={busy || !(given.file ?? given.text?.trim())}>
        {busy ? "Comparing …" : "Review what changed"}
      </button>
    </form>
  );
}
