import { describe, expect, test } from "vitest";

import { codeUnits, locate, pieces } from "../src/text/highlight";

describe("where a quote stands", () => {
  test("the server counts characters, JavaScript code units", () => {
    const text = "We 😀 saw 😀 leaves twice, leaves once.";
    expect(codeUnits(text, 4)).toBe(5);
    const start = text.indexOf("leaves once");
    expect(locate(text, "leaves", [...text.slice(0, start)].length)).toEqual({ start, end: start + 6 });
  });

  test("a wrong offset falls back on the first place of the words", () => {
    expect(locate("one two one", "two", 9)).toEqual({ start: 4, end: 7 });
  });

  test("spaces, case, hyphens, ligatures and accents do not hide a quote", () => {
    const text = "A naïve  speci\ufb01c well-\nknown “case”.";
    const found = locate(text, 'Naive specific "well-known" case')!;
    expect(text.slice(found.start, found.end)).toBe("naïve  speci\ufb01c well-\nknown “case");
  });

  test("words that the text does not have, and no words, stand nowhere", () => {
    expect(locate("one two", "three")).toBeNull();
    expect(locate("one two", "  ")).toBeNull();
    expect(locate("one two", "-")).toBeNull();
  });
});

describe("a text cut at its marks", () => {
  test("marks that overlap", () => {
    const cut = pieces("abcdef", [
      { start: 1, end: 4, id: "x" },
      { start: 3, end: 6, id: "y" },
    ]);
    expect(cut.map((piece) => [piece.text, piece.ids.join("")])).toEqual([
      ["a", ""],
      ["bc", "x"],
      ["d", "xy"],
      ["ef", "y"],
    ]);
  });

  test("marks beyond the text or without width are left out, and the text stays whole", () => {
    const cut = pieces("abc", [
      { start: 2, end: 99, id: "x" },
      { start: 1, end: 1, id: "y" },
    ]);
    expect(cut.map((piece) => piece.text).join("")).toBe("abc");
    expect(cut.flatMap((piece) => piece.ids)).toEqual(["x"]);
  });

  test("an empty text has no pieces", () => {
    expect(pieces("", [])).toEqual([]);
  });
});
