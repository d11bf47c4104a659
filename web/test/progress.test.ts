import { describe, expect, test } from "vitest";

import { FIGURES, WIDTH, BOX, line } from "../src/watch/figures";
import { NOTHING_YET, take } from "../src/watch/progress";
import type { Part, Progress } from "../src/watch/progress";
import { together } from "../src/watch/sayings";

const CALL = { role: "reader", step: "take_notes", round: 1, model: "m" };
const custom = (event: string, more = {}): Part => ({ event: "custom|review:1", data: { event, ...CALL, ...more } });
const all = (...parts: Part[]): Progress => parts.reduce((now, part) => take(now, part, "science_journalism"), NOTHING_YET);

describe("the stream of a run", () => {
  test("a call begins, writes and ends, and its node tells what was said", () => {
    const writing = all(custom("call"), custom("tokens", { tokens: 3, text: "Mo" }), custom("tokens", { tokens: 7, text: "ss:" }));
    expect([...writing.working.values()]).toEqual([{ ...CALL, calls: 1, tokens: 7, text: "Moss:" }]);
    const notes = [{ round: 0, text: "## Explanation\n\n1. **Moss**: A plant." }];
    const ended = take(writing, custom("ended"), "science_journalism");
    expect(ended.working.size).toBe(0);
    const done = take(ended, { event: "updates", data: { take_notes: { notes } } }, "science_journalism");
    expect(done.said.map((saying) => [saying.role, saying.lines])).toEqual([["reader", ["Explanation\n\n1. Moss: A plant."]]]);
  });

  test("what the screener suspects is told as its words", () => {
    const update = { choose_suspicions: { suspicions: [{ paragraph: "p3", problem: "No control." }] } };
    const { said } = take(NOTHING_YET, { event: "updates", data: update }, "focused_feedback");
    expect(said).toEqual([{ role: "screener", title: "1 suspicion", lines: ["p3: No control."], order: -1 }]);
  });

  test("of several calls of one kind, each ends by itself", () => {
    const one = all(custom("call"), custom("call"), custom("ended"));
    expect([...one.working.values()].map((work) => work.calls)).toEqual([1]);
  });

  test("what it does not know leaves it as it was", () => {
    const strange: Part[] = [
      { event: "metadata", data: { run_id: "1" } },
      { event: "custom", data: null },
      { event: "custom", data: { event: "else" } },
      { event: "updates", data: { initialise: null, __interrupt__: [{ value: {} }] } },
      { event: "error", data: "x" },
      { event: "updates", data: { initialise: { drafts: { value: [], type: "__overwrite__" }, calls: { value: [], type: "__overwrite__" } } } },
    ];
    expect(all(...strange)).toEqual(NOTHING_YET);
  });
});

test("what the result and the stream both tell is told once, in the order of the story", () => {
  const saying = (order: number, text: string) => ({ role: "editor", title: "", lines: [text], order });
  expect(together([saying(5, "b")], [saying(5, "b"), saying(1, "a")]).map((each) => each.lines[0])).toEqual(["a", "b"]);
});

test.each(Object.entries(FIGURES))("the figure of %s: boxes inside and apart, arrows between them", (_, figure) => {
  const by = new Map(figure.boxes.map((box) => [box.id, box]));
  for (const one of figure.boxes) {
    expect(one.x - BOX.width / 2).toBeGreaterThanOrEqual(0);
    expect(one.x + BOX.width / 2).toBeLessThanOrEqual(WIDTH);
    expect(one.y + BOX.height / 2).toBeLessThanOrEqual(figure.height);
    for (const other of figure.boxes)
      if (one !== other) expect(Math.abs(one.x - other.x) >= BOX.width || Math.abs(one.y - other.y) >= BOX.height).toBe(true);
  }
  for (const [from, to] of figure.arrows) {
    const { from: start, to: end } = line(by.get(from)!, by.get(to)!);
    expect(Math.hypot(end[0] - start[0], end[1] - start[1])).toBeGreaterThan(10);
  }
});
