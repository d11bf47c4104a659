import { describe, expect, test } from "vitest";

import type { Comment, FeedbackResult, RaisedFinding, Source } from "../src/api/types";
import { unsupportedIn } from "../src/explain/facts";
import { EVERYTHING, byGravity, notesOfReview, passes, spansIn } from "../src/review/notes";

const comment = (paragraph: string, more: Partial<Comment> = {}): Comment => ({
  ...{ id: `c-${paragraph}`, paragraph, section: "", page: 0, label: "Substance", quote: "", start: 0, review: "Why?" },
  ...{ suggestion: "", reasoning: "", evidence: [], verification: { verdict: "kept", notes: [] } },
  ...more,
});
const finding: RaisedFinding = {
  ...{ id: "f1", kind: "percentage", severity: "high", paragraph: "p1", section: "", page: 0, quote: "5 of 10 (40%)" },
  ...{ computation: "5 of 10 is 50%", consistent: "50%", explanations: [], shown: true, wording: "" },
};
const source: Source = {
  ...{ title: "", format: "text", pages: 0, warnings: [] },
  paragraphs: ["p1", "p2"].map((id) => ({ id, section: "", page: 0, text: "We saw 5 of 10 (40%)." })),
};
const result: Partial<FeedbackResult> = { finished: true, comments: [comment("p2"), comment("p1", { quote: "We saw" })], computed: [finding, { ...finding, id: "f2", shown: false }] };

describe("notes", () => {
  test("comments and findings stand in the order of the paper, comments with their rank", () => {
    const notes = notesOfReview(result, source, {});
    expect(notes.map((note) => [note.id, note.rank])).toEqual([
      ["f1", 0],
      ["c-p1", 2],
      ["c-p2", 1],
    ]);
    expect(spansIn(source.paragraphs[0]!.text, notes.slice(0, 2)).map((span) => [span.id, span.start])).toEqual([
      ["f1", 7],
      ["c-p1", 0],
    ]);
  });

  test("a person's words stand in the place of the reviewer's", () => {
    const [, , edited] = notesOfReview(result, source, { "c-p2": { decision: "accepted", review: "How?" } });
    expect(edited).toMatchObject({ text: "How?", judgement: { decision: "accepted" } });
  });

  test("of a review under way, the comments that there are", () => {
    const reviews = [{ comment: comment("p1") }, { comment: null }] as FeedbackResult["reviews"];
    expect(notesOfReview({ finished: false, comments: [], reviews }, source, {})).toHaveLength(1);
  });

  test("the gravest is first: grave findings, comments by rank, then small points", () => {
    const comments = [comment("p2", { severity: "low" }), comment("p1")];
    const computed = [{ ...finding, id: "medium", severity: "medium" as const }, finding];
    const listed = byGravity(notesOfReview({ finished: true, comments, computed }, source, {}));
    expect(listed.map((note) => note.id)).toEqual(["f1", "c-p1", "medium", "c-p2"]);
  });

  test("filters hold together", () => {
    const notes = notesOfReview(result, source, { f1: { decision: "dismissed" } });
    const shown = (filter: object) => notes.filter((note) => passes(note, { ...EVERYTHING, ...filter })).map((note) => note.id);
    expect(shown({ label: "Substance" })).toEqual(["c-p1", "c-p2"]);
    expect(shown({ grade: "high", decision: "dismissed" })).toEqual(["f1"]);
    expect(shown({ grade: "high", decision: "open" })).toEqual([]);
  });
});

test("unsupported details are marked in their own sentence, or with it", () => {
  const words = "In 12 cases. On 12 roofs it rained.";
  const fact = (text: string) => ({ kind: "number", text, sentence: "On 12 roofs it rained." });
  expect(unsupportedIn(words, [fact("12")])).toEqual([{ start: 16, end: 18, id: "fact 0" }]);
  expect(unsupportedIn(words, [fact("a dozen")])[0]).toMatchObject({ start: 13 });
  expect(unsupportedIn("Other words.", [fact("12")])).toEqual([]);
});
