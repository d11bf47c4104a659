/** The question that a run waits with: its lines can be changed, left out or added to. */

import { useState } from "react";

import type { Question } from "../api/types";
import { Markdown } from "../parts/Markdown";

interface Props {
  question: Question;
  busy: boolean;
  answer: (answer: { items: string[] } | { keep: true }) => void;
}

export function QuestionForm({ question, busy, answer }: Props) {
  const [items, setItems] = useState(question.items);
  const written = items.filter((item) => item.trim());
  const title = question.article === undefined ? "Which questions shall be asked?" : "Which advice should the journalist follow?";
  return (
    <form
      className="card question"
      onSubmit={(event) => {
        event.preventDefault();
        answer({ items: written });
      }}
    >
      <h2>{title}</h2>
      {question.article !== undefined ? (
        <details>
          <summary>The draft that it is about</summary>
          <div className="prose">
            <Markdown text={question.article} />
          </div>
        </details>
      ) : (
        <p className="small soft">
          One a line, with where it is asked: <code>paper: …?</code>, <code>literature: …?</code> or <code>checks: …?</code>
        </p>
      )}
      {question.paragraph && <blockquote>{question.paragraph}</blockquote>}
      <ol>
        {items.map((item, number) => (
          <li key={number}>
            <textarea
              rows={2}
              aria-label={`Line ${number + 1}`}
              value={item}
              onChange={(event) => setItems(items.map((old, index) => (index === number ? event.target.value : old)))}
            />
            <button type="button" onClick={() => setItems(items.filter((_, index) => index !== number))}>
              Leave out<span className="unseen"> line {number + 1}</span>
            </button>
          </li>
        ))}
      </ol>
      <p className="row">
        <button type="button" onClick={() => setItems([...items, ""])}>
          Add a line
        </button>
        <button className="primary" disabled={busy || !written.length}>
          Go on with these
        </button>
        <button type="button" disabled={busy} onClick={() => answer({ keep: true })}>
          Keep them as they came
        </button>
      </p>
    </form>
  );
}
