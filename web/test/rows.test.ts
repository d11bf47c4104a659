import { describe, expect, test } from "vitest";

import type { LostDetail, TextChange } from "../src/api/types";
import { putBack, rowsOf, sentencesOf, takenBack } from "../src/simplify/rows";

const SOURCE = `# Yoga

**Methods.** We allocated 240 adults to yoga or usual care.

**Results.** Soreness occurred in 9% of participants. No serious events were observed.`;
const TEXT = "We put 240 adults into yoga or usual care.\n\nSerious events were watched for.";

const lost = (text: string, sentence: string): LostDetail => ({ kind: "number", text, sentence });
const change = (before: string, after: string): TextChange => ({
  ...{ entry: 1, loop: "layperson", round: 1, agent: "simplifier", kind: "rewrite", because: "What is it?" },
  before,
  after,
});

test("headings are no sentences, and labels go with what they label", () => {
  expect(sentencesOf(SOURCE)).toEqual([
    "Methods. We allocated 240 adults to yoga or usual care.",
    "Results. Soreness occurred in 9% of participants.",
    "No serious events were observed.",
  ]);
});

describe("rows", () => {
  test("each lost detail once, at its sentence; each change at the words it made or took away", () => {
    const details = [lost("9%", "Soreness occurred in 9% of participants."), lost("No", "No serious events were observed.")];
    const changes = [
      change("No serious events were observed.", "Serious events were watched for."),
      change("Soreness occurred in 9% of participants.", ""),
      change("other words", "words that nobody has any more"),
    ];
    const { rows, others } = rowsOf(SOURCE, TEXT, details, changes);
    expect(rows.map((row) => [row.lost.map((detail) => detail.text), row.changes.length])).toEqual([
      [[], 0],
      [["9%"], 1],
      [["No"], 1],
    ]);
    expect(others.map((each) => each.before)).toEqual(["other words"]);
  });

  test("a lost detail whose sentence was cut otherwise stands at the most alike", () => {
    const { rows } = rowsOf(SOURCE, TEXT, [lost("9%", "Results: soreness occurred, in 9% of the participants")], []);
    expect(rows.findIndex((row) => row.lost.length)).toBe(1);
  });
});

describe("what a person takes back", () => {
  const { rows } = rowsOf(SOURCE, TEXT, [], []);

  test("a sentence that was rewritten", () => {
    expect(putBack(TEXT, rows, 2)).toBe("We put 240 adults into yoga or usual care.\n\nNo serious events were observed.");
  });

  test("a sentence that was left out comes after the one before it", () => {
    expect(putBack(TEXT, rows, 1)).toContain("usual care. Results. Soreness occurred in 9% of participants.\n\nSerious");
  });

  test("a change, as long as its words are there", () => {
    const made = change("watched", "watched for");
    expect(takenBack(TEXT, made)).toContain("Serious events were watched.");
    expect(takenBack("Nothing of it.", made)).toBeNull();
  });
});
