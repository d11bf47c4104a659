/** Source and plain text as rows: sentence beside sentence, each with what was lost in it and what changed it. */

import type { LostDetail, TextChange } from "../api/types";
import { align, similarity, words } from "../text/align";
import { essence, locateLoosely } from "../text/highlight";
import { blocks, plain } from "../text/markdown";
import { sentences } from "../text/sentences";

export interface Row {
  source: string[];
  plain: string[];
  lost: LostDetail[];
  changes: TextChange[];
}

export interface Rows {
  rows: Row[];
  /** Changes whose words neither side has any more: others have changed them again. */
  others: TextChange[];
}

/** The sentences of a text in Markdown. Headings are none; a label of one word ("Methods.") goes with what it labels. */
export function sentencesOf(markdown: string): string[] {
  return blocks(markdown)
    .filter((block) => block.kind !== "heading")
    .flatMap((block) => labelled(sentences(plain(block))));
}

function labelled(found: string[]): string[] {
  const joined: string[] = [];
  let label = "";
  for (const sentence of found) {
    if (/^\p{L}+[.:]$/u.test(sentence)) {
      label = label ? `${label} ${sentence}` : sentence;
      continue;
    }
    joined.push(label ? `${label} ${sentence}` : sentence);
    label = "";
  }
  return label ? [...joined, label] : joined;
}

export function rowsOf(source: string, text: string, lost: LostDetail[], changes: TextChange[]): Rows {
  const [left, right] = [sentencesOf(source), sentencesOf(text)];
  const rows: Row[] = align(left, right).map((pair) => ({
    source: pair.left.map((index) => left[index]!),
    plain: pair.right.map((index) => right[index]!),
    lost: [],
    changes: [],
  }));
  for (const detail of lost) rowOfLoss(rows, detail)?.lost.push(detail);
  const others = changes.filter((change) => {
    const row = rowOfChange(rows, change);
    row?.changes.push(change);
    return !row;
  });
  return { rows, others };
}

const letters = (text: string): string => essence(text)[0];
const holds = (whole: string[], part: string): boolean => {
  const wanted = letters(part);
  return wanted !== "" && letters(whole.join(" ")).includes(wanted);
};
const liesIn = (part: string[], whole: string): boolean => part.some((sentence) => letters(whole).includes(letters(sentence)));

/** A lost detail stands at its sentence; if sentences were cut otherwise, at the one that is most like it. */
function rowOfLoss(rows: Row[], detail: LostDetail): Row | undefined {
  const bag = words(detail.sentence);
  return (
    rows.find((row) => holds(row.source, detail.sentence) || liesIn(row.source, detail.sentence)) ??
    rows
      .filter((row) => row.source.length)
      .map((row) => ({ row, alike: similarity(bag, words(row.source.join(" "))) }))
      .sort((one, other) => other.alike - one.alike)[0]?.row
  );
}

function rowOfChange(rows: Row[], change: TextChange): Row | undefined {
  if (change.after) return rows.find((row) => holds(row.plain, change.after)) ?? rows.find((row) => liesIn(row.plain, change.after));
  return rows.find((row) => holds(row.source, change.before)) ?? rows.find((row) => liesIn(row.source, change.before));
}

/** The plain text with the source's sentences of a row in the place of what was made of them. */
export function putBack(text: string, rows: Row[], index: number): string {
  const row = rows[index]!;
  const original = row.source.join(" ");
  const first = row.plain[0] && locateLoosely(text, row.plain[0]);
  const last = row.plain.length && locateLoosely(text, row.plain.at(-1)!);
  if (first && last) return text.slice(0, first.start) + original + text.slice(Math.max(first.end, last.end));
  const before = rows.slice(0, index).flatMap((each) => each.plain).at(-1);
  const place = before && locateLoosely(text, before);
  if (!place) return `${original} ${text}`;
  return `${text.slice(0, place.end)} ${original}${text.slice(place.end)}`;
}

/** The plain text without a change, or null if its words are not there any more. */
export function takenBack(text: string, change: TextChange): string | null {
  const place = change.after ? locateLoosely(text, change.after) : null;
  return place && text.slice(0, place.start) + change.before + text.slice(place.end);
}
