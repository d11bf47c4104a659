/** Sentences of English prose. */

const ABBREVIATIONS =
  /(?:\b(?:e\.g|i\.e|etc|vs|cf|al|approx|ca|Dr|Prof|Mr|Mrs|Ms|St|No|Nr|Fig|Figs|Eq|Eqs|Tab|Ref|Refs|Sec|resp|incl|p|pp)|\b\p{Lu})\.$/u;

/** The sentences of a paragraph, in order and without the space around them. */
export function sentences(paragraph: string): string[] {
  const text = paragraph.replace(/\s+/g, " ").trim();
  const found: string[] = [];
  let start = 0;
  for (const match of text.matchAll(/[.!?]+["”’)\]]*(?=\s+["“‘([]*[\p{Lu}\p{N}])/gu)) {
    const end = match.index + match[0].length;
    const sentence = text.slice(start, end).trim();
    if (match[0] === "." && ABBREVIATIONS.test(sentence)) continue;
    found.push(sentence);
    start = end;
  }
  const rest = text.slice(start).trim();
  return rest ? [...found, rest] : found;
}
