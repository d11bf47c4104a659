/** A paper with its notes in the margin: filters, the way from note to note, and the person's decisions. */

import { useCallback, useMemo, useRef, useState } from "react";

import type { Decision, Evidence, Judgement, Source } from "../api/types";
import { useRemembered } from "../api/use";
import { locate } from "../text/highlight";
import type { Span } from "../text/highlight";
import { Filters } from "./Filters";
import { Help } from "./Help";
import { NoteCard } from "./NoteCard";
import type { Writing } from "./NoteCard";
import { EVERYTHING, passes } from "./notes";
import type { Filter, Note } from "./notes";
import { PaperText } from "./PaperText";
import { useKeys } from "./useKeys";

interface Props {
  source: Source;
  /** In the order of the paper. */
  notes: Note[];
  /** Keeps a decision; absent where none are kept. */
  judge?: (id: string, judgement: Judgement) => void;
}

export function PaperWithNotes({ source, notes, judge }: Props) {
  const [filter, setFilter] = useState<Filter>(EVERYTHING);
  const [current, setCurrent] = useState("");
  const [writing, setWriting] = useState<{ id: string; what: Writing }>({ id: "", what: "" });
  const [passage, setPassage] = useState<{ paragraph: string; span: Span } | null>(null);
  const [help, setHelp] = useState(false);
  const [keys, setKeys] = useRemembered("keys", true);
  const box = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => notes.filter((note) => passes(note, filter)), [notes, filter]);

  const choose = useCallback((id: string) => {
    setCurrent(id);
    const card = document.getElementById(`note-${id}`);
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "nearest" });
  }, []);
  const write = useCallback(
    (id: string, what: Writing) => {
      setWriting({ id, what });
      if (!what) requestAnimationFrame(() => choose(id));
    },
    [choose],
  );
  const goTo = useCallback(
    (evidence: Evidence) => {
      for (const paragraph of source.paragraphs) {
        const span = locate(paragraph.text, evidence.quote);
        if (!span) continue;
        setPassage({ paragraph: paragraph.id, span: { ...span, id: "passage" } });
        requestAnimationFrame(() => document.getElementById(`at-${paragraph.id}`)?.scrollIntoView({ block: "center" }));
        return;
      }
    },
    [source],
  );

  function step(by: number) {
    const at = shown.findIndex((note) => note.id === current);
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
    if (next) choose(next.id);
  }
  const chosen = shown.find((note) => note.id === current);
  const decide = (decision: Decision) =>
    chosen && judge?.(chosen.id, { ...chosen.judgement, decision: chosen.judgement.decision === decision ? "open" : decision });
  useKeys(
    {
      j: () => step(1),
      k: () => step(-1),
      a: () => decide("accepted"),
      d: () => decide("dismissed"),
      e: () => chosen && judge && write(chosen.id, "edit"),
      r: () => chosen && judge && write(chosen.id, "reply"),
      x: () => document.getElementById(`note-${current}`)?.querySelector("summary")?.click(),
      "?": () => setHelp(true),
    },
    keys,
  );

  return (
    <div className="paper" ref={box}>
      <div className="bar">
        <Filters notes={notes} shown={shown.length} filter={filter} change={setFilter} judged={judge !== undefined} />
        <span className="row">
          <button type="button" onClick={() => step(-1)}>
            Previous
          </button>
          <button type="button" onClick={() => step(1)}>
            Next
          </button>
          <button type="button" onClick={() => setHelp(true)}>
            Keys
          </button>
        </span>
      </div>
      <PaperText
        paragraphs={source.paragraphs}
        notes={shown}
        current={current}
        passage={passage}
        choose={choose}
        card={(note) => (
          <NoteCard
            key={note.id}
            note={note}
            current={note.id === current}
            writing={writing.id === note.id ? writing.what : ""}
            choose={choose}
            write={write}
            judge={judge}
            goTo={goTo}
          />
        )}
      />
      {help && <Help on={keys} change={setKeys} judged={judge !== undefined} close={() => setHelp(false)} />}
    </div>
  );
}
