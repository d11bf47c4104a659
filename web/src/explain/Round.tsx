/** What led to a draft: the advice on the one before, and the reader's notes. */

import type { Draft, JournalismResult } from "../api/types";
import { capital } from "../parts/words";

interface BehindProps {
  result: Partial<JournalismResult>;
  draft: Draft;
}

export function Behind({ result, draft }: BehindProps) {
  // A person's advice follows the editor's as a second review of the same draft: the later one counts.
  const review = result.reviews?.findLast((each) => each.round === draft.round - 1);
  const edited = draft.round === result.selected_round && result.selected_because === "edited by a person";
  if (draft.round === 0) return <p className="soft">The first draft, before any advice.</p>;
  if (edited) return <p className="soft">You edited this one.</p>;
  return (
    <section>
      <h2>What led to draft {draft.round}</h2>
      {review && (
        <>
          <h3>The advice on the draft before</h3>
          <ul>
            {review.advice.map((advice, number) => (
              <li key={number}>
                {advice.text} <span className="soft small">{capital(advice.aspect)}, {ORIGINS[advice.origin]}</span>
              </li>
            ))}
          </ul>
          {review.advice.length === 0 && <p className="soft">None.</p>}
        </>
      )}
      {draft.improvements.length > 0 && (
        <>
          <h3>What the journalist chose to do</h3>
          <ul>
            {draft.improvements.map((text, number) => (
              <li key={number}>{text}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const ORIGINS = { editor: "from the editor", extension: "from a check", person: "from you" };

/** The notes that the reader took on this draft, or on the newest one before it that has any. */
export function Terms({ result, round }: { result: Partial<JournalismResult>; round: number }) {
  const notes = result.notes?.findLast((each) => each.round <= round);
  if (!notes?.terms.length) return null;
  return (
    <section>
      <h2>
        The reader’s notes <span className="soft small">on draft {notes.round}</span>
      </h2>
      <dl className="terms">
        {notes.terms.map((term, number) => (
          <div key={number}>
            <dt>{term.term}</dt>
            <dd>
              {term.explanation}{" "}
              <span className="soft small">
                {term.basis === "article" ? "From the article" : "From general knowledge"}
                {!term.in_article && "; the article does not have this term"}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
