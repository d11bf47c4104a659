/** All notes, the gravest first, and what was suspected and not looked into: beside the paper, whatever it shows. */

import { useEffect, useRef, useState } from "react";

import type { Suspicion } from "../api/types";
import { counted, place } from "../parts/words";
import { tone } from "./notes";
import type { Note } from "./notes";

interface Props {
  /** The gravest first. */
  notes: Note[];
  current: string;
  choose: (id: string) => void;
  suspicions: Suspicion[];
  /** Leads to a quote of the paper. */
  goTo: (quote: string) => void;
}

const BELOW = "(max-width: 72rem)"; // there the panel is a bar at the foot of the window, and is folded at first

export function NotePanel({ notes, current, choose, suspicions, goTo }: Props) {
  const [open, setOpen] = useState(() => !matchMedia(BELOW).matches);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const item = panel.current?.querySelector<HTMLElement>("[aria-current]");
    if (item) panel.current!.scrollTop = item.offsetTop - panel.current!.clientHeight / 2;
  }, [current, open]);
  const go = (lead: () => void) => {
    if (matchMedia(BELOW).matches) setOpen(false);
    lead();
  };
  const small = notes.filter((note) => note.severity === "low");
  const list = (some: Note[]) => (
    <ol className="plain">
      {some.map((note) => (
        <li key={note.id}>
          <button type="button" className={tone(note)} aria-current={note.id === current || undefined} onClick={() => go(() => choose(note.id))}>
            <b>
              {note.rank ? `${note.rank}. ` : ""}
              {note.label}
            </b>
            {note.judgement.decision !== "open" && ` · ${note.judgement.decision}`}
            <span>{note.text}</span>
          </button>
        </li>
      ))}
    </ol>
  );
  return (
    <nav className="panel" aria-label="Notes" ref={panel}>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{counted(notes.length, "note")}, the gravest first</summary>
        {list(notes.filter((note) => note.severity !== "low"))}
        {small.length > 0 && (
          <details open={small.some((note) => note.id === current)}>
            <summary>{counted(small.length, "small point")}</summary>
            {list(small)}
          </details>
        )}
        {suspicions.length > 0 && (
          <details className="screening small">
            <summary>{counted(suspicions.length, "suspicion")} not pursued</summary>
            <p className="soft">The screener suspected this, too. The team did not look into it.</p>
            <ul className="plain">
              {suspicions.map((suspicion, number) => (
                <li key={number}>
                  <p>
                    <b>{suspicion.label}</b> · {suspicion.severity} · {place(suspicion)}
                  </p>
                  <p>{suspicion.problem}</p>
                  {suspicion.settled_by && <p className="soft">What would settle it: {suspicion.settled_by}</p>}
                  <button type="button" onClick={() => go(() => goTo(suspicion.quote))}>
                    Show it in the paper
                  </button>
                </li>
              ))}
            </ul>
          </details>
        )}
      </details>
    </nav>
  );
}
