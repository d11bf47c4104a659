/** Where the details that a paper does not support stand in the words of an article. */

import type { Fact } from "../api/types";
import { locate, locateLoosely } from "../text/highlight";
import type { Span } from "../text/highlight";

/** Each detail at its place in its sentence; the sentence itself where the detail is not found in it. */
export function unsupportedIn(words: string, facts: readonly Fact[]): Span[] {
  return facts.flatMap((fact, number) => {
    const sentence = locateLoosely(words, fact.sentence);
    if (!sentence) return [];
    const detail = locate(words.slice(sentence.start, sentence.end), fact.text);
    const id = `fact ${number}`;
    return detail
      ? [{ start: sentence.start + detail.start, end: sentence.start + detail.end, id }]
      : [{ ...sentence, id }];
  });
}
