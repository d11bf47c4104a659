/** What stands in the margin of a paper: comments of the reviewer and findings of computed checks, as one list. */

import type { Comment, Decision, Evidence, FeedbackResult, Finding, Judgement, RaisedFinding, Severity, Source } from "../api/types";
import { locate } from "../text/highlight";
import type { Span } from "../text/highlight";
import { capital } from "../parts/words";

export interface Note {
  id: string;
  origin: "comment" | "computed";
  /** Weakness type of a comment, kind of a finding. */
  label: string;
  /** What else one filters by: a comment's verdict, a finding's severity. */
  grade: string;
  /** Empty for a comment that has none. */
  severity: Severity | "";
  paragraph: string;
  section: string;
  page: number;
  quote: string;
  /** As the server counts: characters of Unicode in the paragraph. */
  start: number;
  text: string;
  suggestion: string;
  reasoning: string;
  evidence: Evidence[];
  remarks: string[];
  /** Of a comment, from 1: the best supported first. */
  rank: number;
  judgement: Judgement;
}

export const OPEN: Judgement = { decision: "open" };

export const WEAKNESSES = [
  "Replicability",
  "Originality",
  "Empirical and Theoretical Soundness",
  "Meaningful Comparison",
  "Substance",
];

/** Comments and findings of a review, in the order of the paper. */
export function notesOfReview(
  result: Partial<FeedbackResult>,
  source: Source,
  decisions: Record<string, Judgement>,
): Note[] {
  const comments = commentsSoFar(result).map((comment, index) => ofComment(comment, index + 1, decisions[comment.id]));
  const findings = shownFindings(result).map((finding) => ofRaised(finding, decisions[finding.id]));
  return inOrder([...comments, ...findings], source);
}

/** What was computed about the text that was reviewed. */
export function shownFindings(result: Partial<FeedbackResult>): RaisedFinding[] {
  return (result.computed ?? []).filter((finding) => finding.shown);
}

/** The ranked comments; of a review that is under way those that there are. */
function commentsSoFar(result: Partial<FeedbackResult>): Comment[] {
  if (result.finished) return result.comments ?? [];
  return (result.reviews ?? []).flatMap((review) => review.comment ?? []);
}

export function notesOfCheck(findings: Finding[]): Note[] {
  return findings.map((finding, index) => ofFinding(finding, `f${index + 1}`));
}

function ofComment(comment: Comment, rank: number, judgement: Judgement = OPEN): Note {
  return {
    ...comment,
    origin: "comment",
    grade: comment.verification.verdict,
    severity: comment.severity ?? "",
    text: judgement.review ?? comment.review,
    suggestion: judgement.suggestion ?? comment.suggestion,
    remarks: comment.verification.notes,
    rank,
    judgement,
  };
}

function ofRaised(finding: RaisedFinding, judgement: Judgement = OPEN): Note {
  const note = ofFinding(finding, finding.id, judgement);
  return { ...note, text: judgement.review ?? (finding.wording || note.text), remarks: finding.wording ? [note.text, ...note.remarks] : note.remarks };
}

function ofFinding(finding: Finding, id: string, judgement: Judgement = OPEN): Note {
  return {
    id,
    origin: "computed",
    label: capital(finding.kind),
    grade: finding.severity,
    severity: finding.severity,
    paragraph: finding.paragraph,
    section: finding.section,
    page: finding.page,
    quote: finding.quote,
    start: 0,
    text: judgement.review ?? `${finding.computation}.`,
    suggestion: judgement.suggestion ?? (finding.consistent ? `Consistent would be: ${finding.consistent}.` : ""),
    reasoning: "",
    evidence: [],
    remarks: finding.explanations.length ? [`What else could explain it: ${finding.explanations.join("; ")}.`] : [],
    rank: 0,
    judgement,
  };
}

function inOrder(notes: Note[], source: Source): Note[] {
  const number = new Map(source.paragraphs.map((paragraph, index) => [paragraph.id, index]));
  const at = (note: Note) => number.get(note.paragraph) ?? source.paragraphs.length;
  return notes.sort((one, other) => at(one) - at(other) || one.start - other.start || one.rank - other.rank);
}

/** The gravest first: grave findings, the comments by their rank, other findings; small points of both are last. */
export function byGravity(notes: readonly Note[]): Note[] {
  const weight = (note: Note) => (note.severity === "low" ? 3 : note.origin === "comment" ? 1 : note.severity === "high" ? 0 : 2);
  return [...notes].sort((one, other) => weight(one) - weight(other) || one.rank - other.rank);
}

/** Where the notes' quotes stand in the text of their paragraph. */
export function spansIn(text: string, notes: readonly Note[]): Span[] {
  return notes.flatMap((note) => {
    const found = locate(text, note.quote, note.start);
    return found ? [{ ...found, id: note.id }] : [];
  });
}

export interface Filter {
  label: string;
  grade: string;
  decision: "" | Decision;
}

export const EVERYTHING: Filter = { label: "", grade: "", decision: "" };

export function passes(note: Note, filter: Filter): boolean {
  return (
    (!filter.label || note.label === filter.label) &&
    (!filter.grade || note.grade === filter.grade) &&
    (!filter.decision || note.judgement.decision === filter.decision)
  );
}

/** The colour of a note in the style sheet: one for each weakness type, one for all that is computed. */
export function tone(note: Note): string {
  const number = WEAKNESSES.indexOf(note.label);
  return note.origin === "computed" || number < 0 ? "computed" : `type-${number + 1}`;
}
