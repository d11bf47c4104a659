import { describe, expect, test } from "vitest";

import { align } from "../src/text/align";
import { blocks, plain, runs } from "../src/text/markdown";
import { sentences } from "../src/text/sentences";
import { spread } from "../src/text/spread";

describe("sentences", () => {
  test("abbreviations, initials, decimals and quotations do not end one too early", () => {
    expect(sentences("See Fig. 2 of Smith et al. Pain fell by 2.4 points. “It helped.” No one was hurt! G. pulvinata grew.")).toEqual([
      "See Fig. 2 of Smith et al. Pain fell by 2.4 points.",
      "“It helped.”",
      "No one was hurt!",
      "G. pulvinata grew.",
    ]);
  });

  test("what has no end is a sentence, nothing is none", () => {
    expect(sentences("no end")).toEqual(["no end"]);
    expect(sentences("  ")).toEqual([]);
  });
});

describe("Markdown", () => {
  test("blocks and styles; links keep their words only, HTML stays text", () => {
    const found = blocks("# A *title*\n\nOne **line**\nand `more` of [it](javascript:alert(1)).\n\n- <b>item</b>\n2. second\n> quoted");
    expect(found.map((block) => [block.kind, plain(block)])).toEqual([
      ["heading", "A title"],
      ["paragraph", "One line and more of it)."],
      ["item", "<b>item</b>"],
      ["item", "second"],
      ["paragraph", "quoted"],
    ]);
    expect(found[1]!.runs.filter((run) => run.styles.length)).toEqual([
      { text: "line", styles: ["strong"] },
      { text: "more", styles: ["code"] },
    ]);
  });

  test("stars and underscores that style nothing stay", () => {
    expect(runs("2 * 3 * 4 and snake_case_name")).toEqual([{ text: "2 * 3 * 4 and snake_case_name", styles: [] }]);
  });
});

describe("sentences beside sentences", () => {
  const source = [
    "We randomly allocated 240 adults to supervised yoga or usual care.",
    "Analgesic consumption declined in 41% of participants and in 18% of controls.",
    "Transient muscle soreness occurred in 9% of participants.",
    "Supervised yoga probably alleviates pain, and its effects beyond 12 weeks are unknown.",
  ];

  test("one left out, one split, none lost or doubled", () => {
    const text = [
      "We put 240 adults in a yoga group or a usual care group by chance.",
      "41% of participants and 18% of controls took fewer painkillers.",
      "Supervised yoga probably eases pain.",
      "Its effects beyond 12 weeks are unknown.",
    ];
    expect(align(source, text)).toEqual([
      { left: [0], right: [0] },
      { left: [1], right: [1] },
      { left: [2], right: [] },
      { left: [3], right: [2, 3] },
    ]);
  });

  test("a sentence of nothing in the source stands alone", () => {
    const pairs = align([source[0]!], ["Welcome, dear reader!", source[0]!]);
    expect(pairs).toEqual([
      { left: [], right: [0] },
      { left: [0], right: [1] },
    ]);
  });

  test("empty sides", () => {
    expect(align([], [])).toEqual([]);
    expect(align(["One."], [])).toEqual([{ left: [0], right: [] }]);
  });
});

describe("labels", () => {
  test("those with room stay, the others part around their middle, in order", () => {
    expect(spread([100, 10], 15, 0, 200)).toEqual([100, 10]);
    const close = spread([50, 51, 52], 10, 0, 200);
    expect(close).toEqual([41, 51, 61]);
  });

  test("at an edge they keep inside, and never overlap", () => {
    const places = spread([1, 2, 3, 198, 199], 20, 0, 200);
    const sorted = places.toSorted((a, b) => a - b);
    expect(sorted[0]).toBeGreaterThanOrEqual(0);
    expect(sorted.at(-1)).toBeLessThanOrEqual(200);
    sorted.slice(1).forEach((place, index) => expect(place - sorted[index]!).toBeGreaterThanOrEqual(20 - 1e-9));
  });
});
