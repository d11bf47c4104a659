/** Which sentences of one text say what sentences of another say, in order and by the words that they share. */

export interface Pair {
  /** Indices of sentences; one side may be empty. */
  left: number[];
  right: number[];
}

const SHAPES: [number, number][] = [[1, 1], [1, 2], [2, 1], [1, 3], [3, 1], [1, 0], [0, 1]];
const LEAST = 0.12; // of two sentences that say the same; below it they are rather shown apart
const MERGING = 0.05; // how much more alike one sentence and two must be than one and one, for each sentence more

/** Every sentence of both sides in exactly one pair, in the order of the texts. */
export function align(left: string[], right: string[]): Pair[] {
  const width = right.length + 1;
  const best = new Float64Array((left.length + 1) * width).fill(-Infinity);
  const step = new Int8Array(best.length).fill(-1);
  const bags = { left: left.map(words), right: right.map(words) };
  best[0] = 0;
  for (let i = 0; i <= left.length; i++)
    for (let j = 0; j <= right.length; j++)
      SHAPES.forEach(([down, across], shape) => {
        if (down > i || across > j) return;
        const before = best[(i - down) * width + j - across]!;
        const score = before + gain(joined(bags.left, i - down, i), joined(bags.right, j - across, j), down + across);
        if (score > best[i * width + j]!) {
          best[i * width + j] = score;
          step[i * width + j] = shape;
        }
      });
  return followed(step, left.length, right.length, width);
}

function followed(step: Int8Array, i: number, j: number, width: number): Pair[] {
  const pairs: Pair[] = [];
  while (i || j) {
    const [down, across] = SHAPES[step[i * width + j]!]!;
    pairs.unshift({ left: range(i - down, i), right: range(j - across, j) });
    i -= down;
    j -= across;
  }
  return pairs;
}

function gain(left: Map<string, number>, right: Map<string, number>, sentences: number): number {
  if (sentences === 1) return 0;
  return similarity(left, right) - LEAST - MERGING * (sentences - 2);
}

/** From 0 to 1: the share of the words of both that they have in common. */
export function similarity(left: Map<string, number>, right: Map<string, number>): number {
  let common = 0;
  for (const [word, weight] of left) common += Math.min(weight, right.get(word) ?? 0);
  const all = total(left) + total(right);
  return all ? (2 * common) / all : 0;
}

const EMPTY_WORDS = new Set(
  "a an and are as at be been by for from had has have in into is it its no not of on or than that the their them there these they this those to was we were which who with".split(" "),
);

/** Word stems with weights: numbers count twice, words without content a quarter. */
export function words(sentence: string): Map<string, number> {
  const bag = new Map<string, number>();
  for (const [word] of sentence.toLowerCase().matchAll(/[\p{L}]+|\p{N}+(?:[.,]\p{N}+)*/gu)) {
    const weight = /\p{N}/u.test(word) ? 2 : EMPTY_WORDS.has(word) ? 0.25 : 1;
    const stem = word.slice(0, 6);
    bag.set(stem, (bag.get(stem) ?? 0) + weight);
  }
  return bag;
}

function joined(bags: Map<string, number>[], from: number, to: number): Map<string, number> {
  if (to - from === 1) return bags[from]!;
  const all = new Map<string, number>();
  for (const bag of bags.slice(from, to)) for (const [word, weight] of bag) all.set(word, (all.get(word) ?? 0) + weight);
  return all;
}

const total = (bag: Map<string, number>) => [...bag.values()].reduce((sum, weight) => sum + weight, 0);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
