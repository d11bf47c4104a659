/** One note in the margin: what it says, what it rests on, and what the person makes of it. */

import { memo, useEffect, useRef, useState } from "react";

import type { Decision, Evidence, Judgement } from "../api/types";
import { capital, place } from "../parts/words";
import { tone } from "./notes";
import type { Note } from "./notes";

export type Writing = "" | "edit" | "reply";

interface Props {
  note: Note;
  current: boolean;
  /** What the person is writing on it, if anything. */
  writing: Writing;
  choose: (id: string) => void;
  write: (id: string, what: Writing) => void;
  /** Absent where decisions are not kept. */
  judge?: ((id: string, judgement: Judgement) => void) | undefined;
  /** Leads to a quote of the paper. */
  goTo: (quote: string) => void;
}

export const NoteCard = memo(function NoteCard({ note, current, writing, choose, write, judge, goTo }: Props) {
  const { decision, reply } = note.judgement;
  const heading = `heading-${note.id}`;
  const box = useRef<HTMLElement>(null);
  // A review opens at a note, and shows it still when pages give way to text.
  useEffect(() => {
    if (current) requestAnimationFrame(() => box.current?.scrollIntoView({ block: "center", behavior: "instant" }));
  }, []);
  return (
    <article
      ref={box}
      className={`note ${tone(note)} ${decision}${current ? " current" : ""}`}
      id={`note-${note.id}`}
      aria-labelledby={heading}
      aria-current={current || undefined}
      tabIndex={-1}
      onClick={() => current || choose(note.id)}
    >
      <h3 id={heading}>
        <button type="button" className="chip" onClick={() => choose(note.id)}>
          {note.label}
        </button>
        {decision !== "open" && <span className="verdict">{decision}</span>}
      </h3>
      <p className="soft small">
        {[...(note.rank ? [`Nr. ${note.rank}`, capital(note.severity)] : ["Computed"]), capital(note.grade), place(note)].filter(Boolean).join(" · ")}
      </p>
      {note.quote && <blockquote>{note.quote}</blockquote>}
      {writing === "edit" && judge ? (
        <Edit note={note} judge={judge} close={() => write(note.id, "")} />
      ) : (
        <>
          <p>{note.text}</p>
          {note.suggestion && (
            <p>
              <b>Suggestion.</b> {note.suggestion}
            </p>
          )}
        </>
      )}
      {note.remarks.map((remark) => (
        <p key={remark} className="small soft">
          {remark}
        </p>
      ))}
      <Grounds note={note} goTo={goTo} />
      {writing === "reply" && judge ? (
        <Reply note={note} judge={judge} close={() => write(note.id, "")} />
      ) : (
        reply && (
          <p className="reply">
            <b>Your answer.</b> {reply}
          </p>
        )
      )}
      {judge && !writing && <Actions note={note} judge={judge} write={write} />}
    </article>
  );
});

function Grounds({ note, goTo }: { note: Note; goTo: (quote: string) => void }) {
  if (!note.evidence.length && !note.reasoning) return null;
  return (
    <details>
      <summary>
        {note.evidence.length ? `Evidence (${note.evidence.length})` : "Reasoning"}
        <span className="unseen"> for {note.label}</span>
      </summary>
      {note.reasoning && <p className="small">{note.reasoning}</p>}
      {note.evidence.map((evidence) => (
        <div className="evidence small" key={evidence.id}>
          <p>
            <b>{evidence.question}</b>
          </p>
          <p>{evidence.answer}</p>
          {evidence.quote && <blockquote>{evidence.quote}</blockquote>}
          <p className="soft">{sourceOf(evidence)}</p>
          {evidence.source === "paper" && evidence.quote && (
            <button type="button" onClick={() => goTo(evidence.quote)}>
              Show it in the paper
            </button>
          )}
        </div>
      ))}
    </details>
  );
}

function sourceOf(evidence: Evidence): string {
  if (evidence.source === "model") return "The model's own knowledge, not looked up";
  const title = { paper: "This paper", literature: evidence.title, computed: "Computed" }[evidence.source];
  return [title, place(evidence), evidence.address, evidence.quote ? "" : "without a quote"].filter(Boolean).join(", ");
}

interface ActionsProps {
  note: Note;
  judge: (id: string, judgement: Judgement) => void;
  write: (id: string, what: Writing) => void;
}

function Actions({ note, judge, write }: ActionsProps) {
  const decide = (decision: Decision) =>
    judge(note.id, { ...note.judgement, decision: note.judgement.decision === decision ? "open" : decision });
  return (
    <p className="row actions">
      <button type="button" aria-pressed={note.judgement.decision === "accepted"} onClick={() => decide("accepted")}>
        Accept
      </button>
      <button type="button" aria-pressed={note.judgement.decision === "dismissed"} onClick={() => decide("dismissed")}>
        Dismiss
      </button>
      <button type="button" onClick={() => write(note.id, "edit")}>
        Edit
      </button>
      <button type="button" onClick={() => write(note.id, "reply")}>
        {note.judgement.reply ? "Change answer" : "Answer"}
      </button>
    </p>
  );
}

interface WritingProps {
  note: Note;
  judge: (id: string, judgement: Judgement) => void;
  close: () => void;
}

function Edit({ note, judge, close }: WritingProps) {
  const [text, setText] = useState(note.text);
  const [suggestion, setSuggestion] = useState(note.suggestion);
  return (
    <Form close={close} save={() => judge(note.id, { ...note.judgement, review: text.trim(), suggestion: suggestion.trim() })}>
      <label className="field">
        <span>Comment</span>
        <textarea rows={5} value={text} autoFocus onChange={(event) => setText(event.target.value)} />
      </label>
      <label className="field">
        <span>Suggestion</span>
        <textarea rows={3} value={suggestion} onChange={(event) => setSuggestion(event.target.value)} />
      </label>
    </Form>
  );
}

function Reply({ note, judge, close }: WritingProps) {
  const [reply, setReply] = useState(note.judgement.reply ?? "");
  return (
    <Form close={close} save={() => judge(note.id, { ...note.judgement, reply: reply.trim() })}>
      <label className="field">
        <span>Your answer; it stands in the letter</span>
        <textarea rows={4} value={reply} autoFocus onChange={(event) => setReply(event.target.value)} />
      </label>
    </Form>
  );
}

function Form({ save, close, children }: { save: () => void; close: () => void; children: React.ReactNode }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
        close();
      }}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      {children}
      <p className="row">
        <button className="primary">Save</button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </p>
    </form>
  );
}
