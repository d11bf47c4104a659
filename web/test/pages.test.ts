import { describe, expect, test } from "vitest";

import { stretches } from "../src/review/pdf";
import { stack } from "../src/review/stack";

describe("a quote on a page", () => {
  const items = ["We meas-", "", "ured the ", "plants twice", ". Then", " we"];

  test("over the ends of lines and divided words", () => {
    expect(stretches(items, "measured the plants")).toEqual([
      { item: 0, start: 3, end: 8 },
      { item: 2, start: 0, end: 9 },
      { item: 3, start: 0, end: 6 },
    ]);
  });

  test("words that are not there, and none", () => {
    expect(stretches(items, "weighed")).toEqual([]);
    expect(stretches(items, "")).toEqual([]);
  });
});

test("cards stand at their words, or below the card before", () => {
  expect(stack([0, 20, 200], [50, 40, 10], 10)).toEqual([0, 60, 200]);
});
