/** A paper with its notes in the margin: filters, the way from note to note, and the person's decisions. */

import { useCallback, useEffect, useMemo, useState } from "react";

import type { Decision, Judgement, Source, Suspicion } from "../api/types";
import { useRemembered } from "../api/use";
import { Problem } from "../parts/Problem";
import { locate } from "../text/highlight";
import type { Span } from "../text/highlight";
import { Filters } from "./Filters";
import { Help } from "./Help";
import { NoteCard } from "./NoteCard";
import type { Writing } from "./NoteCard";
import { NotePanel } from "./NotePanel";
import { EVERYTHING, byGravity, passes } from "./notes";
import type { Filter, Note } from "./notes";
import { PaperPages } from "./PaperPages";
import { PaperText } from "./PaperText";
import { useKeys } from "./useKeys";

/** Words that evidence led to. */
interface Passage {
  paragraph: string;
  span: Span;
}

interface Props {
  source: Source;
  /** In the order of the paper. */
  notes: Note[];
  /** What was suspected and not looked into. */
  suspicions?: Suspicion[];
  /** The note at which it opens. */
  first?: string | undefined;
  /** The run whose paper it is, where that is a PDF. */
  pdf?: string | undefined;
  /** Keeps a decision; absent where none are kept. */
  judge?: (id: string, judgement: Judgement) => void;
}

const NARROW = "(max-width: 56rem)";

export function PaperWithNotes({ source, notes, suspicions = [], first = "", pdf, judge }: Props) {
  const [filter, setFilter] = useState<Filter>(EVERYTHING);
  const [current, setCurrent] = useState(first);
  const [writing, setWriting] = useState<{ id: string; what: Writing }>({ id: "", what: "" });
  const [passage, setPassage] = useState<Passage | null>(null);
  const [pages, setPages] = useState(() => pdf !== undefined && !matchMedia(NARROW).matches);
  const [problem, setProblem] = useState("");
  const [help, setHelp] = useState(false);
  const [keys, setKeys] = useRemembered("keys", true);
  const shown = useMemo(() => notes.filter((note) => passes(note, filter)), [notes, filter]);
  const listed = useMemo(() => byGravity(shown), [shown]);

  const choose = useCallback((id: string) => {
    setCurrent(id);
    const card = document.getElementById(`note-${id}`);
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "nearest" });
  }, []);
  const write = useCallback((id: string, what: Writing) => setWriting({ id, what }), []);
  useEffect(() => {
    if (writing.id && !writing.what) choose(writing.id); // back from its form to the note
  }, [writing, choose]);
  const goTo = useCallback(
    (quote: string) => {
      for (const paragraph of source.paragraphs) {
        const span = locate(paragraph.text, quote);
        if (!span) continue;
        setPassage({ paragraph: paragraph.id, span: { ...span, id: "passage" } });
        requestAnimationFrame(() => document.getElementById(`at-${paragraph.id}`)?.scrollIntoView({ block: "center" }));
        return;
      }
    },
    [source],
  );

  const failed = useCallback((why: string) => {
    setPages(false);
    setProblem(`The pages cannot be shown, so here is the text: ${why}`);
  }, []);

  function step(by: number) {
    const at = listed.findIndex((note) => note.id === current);
    const next = listed[at < 0 ? (by > 0 ? 0 : listed.length - 1) : at + by];
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

  const card = (note: Note) => (
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
  );

  return (
    <div className="paper">
      <NotePanel notes={listed} current={current} choose={choose} suspicions={suspicions} goTo={goTo} />
      <div>
        <div className="bar">
          <Filters notes={notes} shown={shown.length} filter={filter} change={setFilter} judged={judge !== undefined} />
          <span className="row">
            {pdf && (
              <button type="button" aria-pressed={pages} onClick={() => setPages(!pages)}>
                Pages
              </button>
            )}
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
        <Problem text={problem} />
        {pages && pdf ? (
          <PaperPages run={pdf} paragraphs={source.paragraphs} notes={shown} current={current} passage={passage} choose={choose} card={card} failed={failed} />
        ) : (
          <PaperText paragraphs={source.paragraphs} notes={shown} current={current} passage={passage} choose={choose} card={card} />
        )}
      </div>
      {help && <Help on={keys} change={setKeys} judged={judge !== undefined} close={() => setHelp(false)} />}
    </div>
  );
}
