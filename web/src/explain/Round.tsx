/** What led to a draft: the advice on the one before, and the reader's notes. */

import type { Draft, JournalismResult } from "../api/types";
import { Markdown } from "../parts/Markdown";

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
          <h3>{review.origin === "person" ? "Your advice" : "The editor’s advice"} on the draft before</h3>
          <Markdown text={review.text} />
        </>
      )}
      {draft.improvements && (
        <>
          <h3>What the journalist chose to do</h3>
          <Markdown text={draft.improvements} />
        </>
      )}
    </section>
  );
}

/** The notes that the reader took on this draft, or on the newest one before it that has any. */
export function ReadingNotes({ result, round }: { result: Partial<JournalismResult>; round: number }) {
  const notes = result.notes?.findLast((each) => each.round <= round);
  if (!notes) return null;
  return (
    <section>
      <h2>
        The reader’s notes <span className="soft small">on draft {notes.round}</span>
      </h2>
      <Markdown text={notes.text} />
    </section>
  );
}
