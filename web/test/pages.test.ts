import type { PageViewport } from "pdfjs-dist";
import { describe, expect, test } from "vitest";

import type { Word } from "../src/api/types";
import { rectangles } from "../src/review/pdf";
import { stack } from "../src/review/stack";

describe("words on a page", () => {
  // As pdf.js has it: a page of 100 by 200 points, twice as large on the screen, whose points count from below.
  const viewport = { width: 200, height: 400, convertToViewportPoint: (x: number, y: number) => [2 * x, 400 - 2 * y] } as unknown as PageViewport;
  const word = (...box: Word["box"]): Word => ({ start: 0, end: 1, page: 1, box });

  test("one rectangle for each line, also in a second column", () => {
    const line = [word(10, 180, 20, 190), word(25, 181, 45, 191)];
    const [below, column] = [word(10, 160, 30, 170), word(60, 180, 80, 190)];
    const percent = rectangles([...line, below, column], viewport).map(({ left, top, width, height }) =>
      [left, top, width, height].map((share) => Math.round(share * 1000) / 10),
    );
    expect(percent).toEqual([
      [10, 4.5, 35, 5.5],
      [10, 15, 20, 5],
      [60, 5, 20, 5],
    ]);
  });

  test("no words, no rectangle", () => expect(rectangles([], viewport)).toEqual([]));
});

test("cards stand at their words, or below the card before", () => {
  expect(stack([0, 20, 200], [50, 40, 10], 10)).toEqual([0, 60, 200]);
});
