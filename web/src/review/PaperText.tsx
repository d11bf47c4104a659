/** The paper as its paragraphs, each with its notes beside it. */

import { memo } from "react";
import type { ReactNode } from "react";

import type { Paragraph } from "../api/types";
import { pieces } from "../text/highlight";
import type { Span } from "../text/highlight";
import { spansIn, tone } from "./notes";
import type { Note } from "./notes";

interface Props {
  paragraphs: Paragraph[];
  notes: Note[];
  current: string;
  /** A passage that evidence led to. */
  passage: { paragraph: string; span: Span } | null;
  choose: (id: string) => void;
  card: (note: Note) => ReactNode;
}

export function PaperText({ paragraphs, notes, current, passage, choose, card }: Props) {
  const known = new Set(paragraphs.map((paragraph) => paragraph.id));
  const placeless = notes.filter((note) => !known.has(note.paragraph));
  return (
    <div className="sheet">
      {paragraphs.map((paragraph, index) => {
        const own = notes.filter((note) => note.paragraph === paragraph.id);
        const section = paragraph.section !== (paragraphs[index - 1]?.section ?? "") ? paragraph.section : "";
        return (
          <div className="with-notes" key={paragraph.id} id={`at-${paragraph.id}`}>
            <div className="words">
              {section && <h2>{section}</h2>}
              <Words
                text={paragraph.text}
                notes={own}
                current={own.some((note) => note.id === current) ? current : ""}
                passage={passage?.paragraph === paragraph.id ? passage.span : null}
                choose={choose}
              />
            </div>
            {own.length > 0 && <div className="margin">{own.map(card)}</div>}
          </div>
        );
      })}
      {placeless.length > 0 && (
        <div className="with-notes">
          <div className="words">
            <h2>About the paper as a whole</h2>
          </div>
          <div className="margin">{placeless.map(card)}</div>
        </div>
      )}
    </div>
  );
}

interface WordsProps {
  text: string;
  notes: Note[];
  current: string;
  passage: Span | null;
  choose: (id: string) => void;
}

const Words = memo(
  function Words({ text, notes, current, passage, choose }: WordsProps) {
    const spans = [...spansIn(text, notes), ...(passage ? [passage] : [])];
    const by = new Map(notes.map((note) => [note.id, note]));
    return (
      <p>
        {pieces(text, spans).map((piece, number) => {
          const note = by.get(piece.ids.find((id) => id === current) ?? piece.ids.find((id) => by.has(id)) ?? "");
          if (note)
            return (
              <a
                key={number}
                className={`mark ${tone(note)}${note.id === current ? " current" : ""} ${note.judgement.decision}`}
                href={`#note-${note.id}`}
                onClick={(event) => (event.preventDefault(), choose(note.id))}
              >
                {piece.text}
              </a>
            );
          return piece.ids.length ? (
            <mark key={number} className="passage" id="passage">
              {piece.text}
            </mark>
          ) : (
            piece.text
          );
        })}
      </p>
    );
  },
  (one, other) =>
    one.text === other.text &&
    one.current === other.current &&
    one.passage === other.passage &&
    one.choose === other.choose &&
    one.notes.length === other.notes.length &&
    one.notes.every((note, index) => note === other.notes[index]),
);
