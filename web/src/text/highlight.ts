/** Where quotes stand in a text, and the text cut at their ends so that each piece can be marked. */

export interface Span {
  start: number;
  end: number;
  /** What it marks. */
  id: string;
}

export interface Piece {
  text: string;
  /** The marks that cover it. */
  ids: string[];
}

/** The index in a JavaScript string of the character of Unicode with this number: Python counts characters, JavaScript code units. */
export function codeUnits(text: string, characters: number): number {
  let index = 0;
  for (let passed = 0; passed < characters && index < text.length; passed++)
    index += text.codePointAt(index)! > 0xffff ? 2 : 1;
  return index;
}

/** The reverse: how many characters of Unicode stand before an index. */
export const characters = (text: string, index: number): number => [...text.slice(0, index)].length;

/**
 * Where a quote stands, or null if the text does not have it.
 *
 * @param characters - Where the server says that it begins, in characters of Unicode; a hint among several places.
 */
export function locate(text: string, quote: string, characters = 0): { start: number; end: number } | null {
  if (!quote.trim()) return null;
  const told = codeUnits(text, characters);
  if (text.startsWith(quote, told)) return { start: told, end: told + quote.length };
  const found = text.indexOf(quote);
  return found >= 0 ? { start: found, end: found + quote.length } : locateLoosely(text, quote);
}

/** The same without regard to spaces, case, hyphens and the shape of quotation marks. */
export function locateLoosely(text: string, quote: string): { start: number; end: number } | null {
  const [letters, places] = essence(text);
  const [wanted] = essence(quote);
  const found = wanted ? letters.indexOf(wanted) : -1;
  if (found < 0) return null;
  return { start: places[found]!, end: places[found + wanted.length - 1]! + 1 };
}

const SKIPPED = /[\s\u00ad\-‐‑‒–—"'“”‘’`´]/u;

/** Letters, digits and signs of a text in lower case and without ligatures, and where each of them stands. */
export function essence(text: string): [string, number[]] {
  let letters = "";
  const places: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (SKIPPED.test(character)) continue;
    for (const plain of character.normalize("NFKD").toLowerCase()) {
      if (/\p{M}/u.test(plain)) continue; // an accent on the letter before
      letters += plain;
      for (let unit = 0; unit < plain.length; unit++) places.push(index);
    }
  }
  return [letters, places];
}

/** The text cut wherever a mark begins or ends; marks may overlap. Joined, the pieces are the text. */
export function pieces(text: string, spans: readonly Span[]): Piece[] {
  const inside = spans
    .map((span) => ({ ...span, start: Math.max(0, span.start), end: Math.min(text.length, span.end) }))
    .filter((span) => span.start < span.end);
  const cuts = [...new Set([0, text.length, ...inside.flatMap((span) => [span.start, span.end])])].sort((a, b) => a - b);
  return cuts.slice(1).map((end, number) => {
    const start = cuts[number]!;
    return {
      text: text.slice(start, end),
      ids: inside.filter((span) => span.start <= start && span.end >= end).map((span) => span.id),
    };
  });
}
